package httpapi

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"time"

	"github.com/seed-89b9419b/holotype/capabilities"
)

// Options are what the surface is built from. Door, Viewer, Builtins,
// Authenticate, Log and Now are required.
type Options struct {
	Door   capabilities.Invoker
	Viewer capabilities.Viewer
	// Builtins are the capabilities that stand for the life of the process, with
	// their packs and codes. Bridged tools come from the viewer at call time.
	Builtins *capabilities.Registry

	// Absent answers the refusal of a tool in no view, named by its server and by its
	// name there, that is known all the same, such as one of a server that is still
	// starting; nil for any other. A nil Absent knows none.
	Absent func(p *capabilities.Principal, server, tool string) *capabilities.Error

	// Authenticate answers who sends a request, by its own credential. A nil
	// principal without an error means that the request carries none. An error is a
	// refusal when it is an [*capabilities.Error], and a failure of ours otherwise.
	Authenticate func(*http.Request) (*capabilities.Principal, error)
	// Stands looks at the credential of a request that Authenticate let in before and that
	// goes on: an [capabilities.Unauthenticated] refusal ends it. Nil lets it go on.
	Stands func(*http.Request) error
	// Seat answers a principal in the position of a seat, or refuses; nil serves no seat.
	Seat func(p *capabilities.Principal, seat string) (*capabilities.Principal, error)
	// ActFor answers a caller as it acts for the person whose id the header Acting-For
	// gives, or refuses; nil lets nobody act for anybody.
	ActFor func(p *capabilities.Principal, person string) (*capabilities.Principal, error)
	// OAuth is what clients are told that could get an access token; nil tells nothing.
	OAuth OAuth
	// Authorization answers what serves the endpoints of an authorization server below
	// /oauth/, and its metadata; the handler is nil while there is none, and so may this be.
	// No credential is looked for there. [BrowserOf] the context of a request is the owner's
	// browser.
	Authorization func() http.Handler
	// SignIns are the sign-ins to bridged servers; nil serves no pages for them.
	SignIns SignIns
	// Sessions are the owner's sign-ins from a browser; nil serves no /login.
	Sessions Sessions

	// CookieName is the name of the cookie that /login sets; "" is "holotype_session".
	// Cookies are shared by the ports of a host, so that two servers on one machine
	// want two names, or each signs the other's browsers out.
	CookieName string
	// LoginCommand is the command that prints a fresh link to sign in with, such as
	// "holotype login"; "" is for a program that has none.
	LoginCommand string

	// MCP answers /operator/mcp, Docs answers /docs and everything below, /llms.txt and
	// /llms-full.txt; nil is an unknown route. The principal of an MCP request is [PrincipalOf] its context.
	MCP  http.Handler
	Docs http.Handler

	// BasePath is what stands before every path in the links, addresses and cookies
	// of the surface, such as "/tools", where it is mounted below a path. The requests
	// arrive without it. "" is the root.
	BasePath string
	// Hosts are further accepted values of the Host header, "name" for any port or
	// "name:port". Names of the loopback are always accepted.
	Hosts []string
	// Listen is the address the server listens on; its host, unless it stands for
	// every interface, is an accepted Host.
	Listen string
	// Refused is told of requests that are refused before they reach the door; nil is not.
	Refused func(Refusal)
	// Proxy is the reverse proxy in front of the surface; nil is none, and then no header
	// that a proxy would send is looked at.
	Proxy *Proxy
	// Origins are further accepted values of the Origin header, such as
	// "https://console.example". They may call from a browser, with a token.
	Origins []string

	// Ready reports why the server cannot serve yet; nil means that it always can.
	// It must not wait for bridged servers.
	Ready func() error
	// Parts answers how each part of the server is, for whoever runs it; nil says nothing.
	Parts func(context.Context) []Part
	// Metrics answers the metrics with their content type; nil serves none. With
	// MetricsPublic nobody needs a credential to read them, else they are for those who have
	// the scope admin.
	Metrics       func(context.Context) (contentType string, text []byte)
	MetricsPublic bool
	// Seal is a secret, the same in every process that serves the same browsers: it binds pages
	// on which something is decided to whoever was shown them, where the browser has no session
	// of ours. Such a browser decides nothing where it is "".
	Seal string
	// Waiting answers how many requests wait for a person's decision, for the pages; nil says
	// nothing of it.
	Waiting func(context.Context) (int, error)
	// Lists answers what the lists of tools cost that a principal may know of, for the
	// catalogue page: its own, and of whoever runs the server everybody's. Beside an error
	// stands what is known all the same. Nil says nothing of it.
	Lists func(context.Context, *capabilities.Principal) (ListCosts, error)
	// Servers answers the state of every bridged server, for the catalogue page.
	Servers func() []ServerState

	Title   string // of the OpenAPI documents and pages; "" is "Holotype"
	Version string
	// Homepage and License stand in the OpenAPI documents; "" says nothing.
	Homepage, License string

	Log *slog.Logger
	Now func() time.Time
}

// Sessions keeps the owner's sign-ins. Its methods are safe for concurrent use.
type Sessions interface {
	// Look reports whether a one-time token waits to be redeemed, and if not whether it
	// is known that it was. It spends nothing.
	Look(token string) (waits, used bool)
	// Redeem spends a one-time token and reports whether it was good.
	Redeem(token string) bool
	// Start begins a session and answers the cookie value that [Sessions.Verify]
	// accepts until expiry or [Sessions.End].
	Start(expiry time.Time) (value string, err error)
	// Verify reports whether a cookie value is of a session that goes on.
	Verify(value string) bool
	// End ends the session of a cookie value for good; a value of no session ends
	// nothing. After an error it may go on when the server has started again.
	End(value string) error
}

// ServerState is one bridged server as the catalogue page shows it.
type ServerState struct {
	Name   string
	State  string // "running", "failing", or another word for neither
	Reason string // why it does not run; "" while it does
	Tools  int    // how many of its tools are listed
	// SignIns are the seats whose own instance of it waits for a sign-in; "" stands for the
	// one that everybody shares.
	SignIns []string
}

func (o *Options) check() error {
	var missing []error
	need := func(ok bool, name string) {
		if !ok {
			missing = append(missing, errors.New("the option "+name+" of the http surface is missing"))
		}
	}
	need(o.Door != nil, "Door")
	need(o.Viewer != nil, "Viewer")
	need(o.Builtins != nil, "Builtins")
	need(o.Authenticate != nil, "Authenticate")
	need(o.Log != nil, "Log")
	need(o.Now != nil, "Now")
	if err := CheckBasePath(o.BasePath); err != nil {
		missing = append(missing, err)
	}
	return errors.Join(missing...)
}
