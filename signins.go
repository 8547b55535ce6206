package holotype

import (
	"context"
	"maps"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/capabilities/bridge"
	"github.com/seed-89b9419b/holotype/capabilities/system"
	"github.com/seed-89b9419b/holotype/internal/config"
	"github.com/seed-89b9419b/holotype/internal/ratelimit"
	"github.com/seed-89b9419b/holotype/internal/signin"
	"github.com/seed-89b9419b/holotype/projection/httpapi"
)

// signIns are the sign-ins to bridged servers: those of the client, and what becomes of the
// bridge when one begins or ends.
type signIns struct {
	*signin.Client
	e *engine
	// local is where browsers come back to where this process serves no pages.
	local *localCallback
	// wrong are the callbacks that were of no sign-in, by where they came from.
	wrong *ratelimit.Buckets[netip.Addr]
}

// openSignIns answers the sign-ins that are kept in the place of an engine.
func (e *engine) openSignIns(s *Server, p *place) *signIns {
	in := &signIns{e: e, wrong: openWrong()}
	in.local = &localCallback{log: p.log, serve: e.handler}
	in.Client = signin.New(signin.Options{
		Sealed: p.settings.signIns(p.log), Redirect: in.redirect, Document: in.document,
		Name: s.o.Name, Version: s.o.Version, Program: p.settings.options.Program, Now: s.o.Now, Log: p.log,
	})
	return in
}

// authorized are the servers that a configuration asks for, to be put in force: each that
// may be signed in to has its account, and there are no others.
func (e *engine) authorized(c *config.Config) []bridge.Server {
	all := e.bridged(c)
	wanted := map[bridge.Key]signin.Server{}
	for _, s := range c.Instances() {
		if account, ok := signInOf(s); ok {
			wanted[bridge.Key(account.Key)] = account
		}
	}
	var keys []signin.Key
	for i, s := range all {
		if account, ok := wanted[bridge.Key{Seat: s.Seat, Server: s.Name}]; ok {
			all[i].Auth = e.signIns.Account(account).At(account.URL)
			keys = append(keys, account.Key)
		}
	}
	e.signIns.Retain(keys)
	return all
}

// signInOf answers what an instance is signed in to by; false for one that never is.
func signInOf(s config.Server) (signin.Server, bool) {
	if s.URL == "" || s.SignIn.Off || len(s.Unresolved) > 0 {
		return signin.Server{}, false
	}
	for name := range s.Headers {
		if strings.EqualFold(name, "Authorization") {
			return signin.Server{}, false
		}
	}
	return signin.Server{
		Key: signin.Key{Seat: s.Seat, Server: s.Name}, URL: s.URL,
		ClientID: s.SignIn.ClientID, ClientSecret: s.SignIn.ClientSecret, Issuer: s.SignIn.Issuer, Scopes: s.SignIn.Scopes,
	}, true
}

// signInMark answers what differs for two instances that are signed in to otherwise, and
// tells nothing of how; "" for one that is not.
func signInMark(s config.Server) string {
	account, ok := signInOf(s)
	if !ok {
		return ""
	}
	return account.Digest()
}

// signInSecrets are what is masked in what a server answers: what its variables stood for,
// and the secret of the client, which may be written out.
func signInSecrets(s config.Server) map[string]string {
	if s.SignIn.ClientSecret == "" {
		return s.Secrets
	}
	all := maps.Clone(s.Secrets)
	if all == nil {
		all = map[string]string{}
	}
	all["oauth.client_secret"] = s.SignIn.ClientSecret
	return all
}

// Begin implements [signin.Accounts].
func (in *signIns) Begin(ctx context.Context, key signin.Key) (signin.Link, error) {
	if _, ok := in.Standing(key); !ok {
		return signin.Link{}, in.unfit(key)
	}
	in.local.begin()
	link, err := in.beginAt(ctx, key)
	if err != nil {
		in.local.end()
		return link, err
	}
	in.local.begun(link.Expires.Sub(in.e.now()))
	return link, nil
}

// beginAt is Begin where it is known that a browser finds the way back.
func (in *signIns) beginAt(ctx context.Context, key signin.Key) (signin.Link, error) {
	if _, err := in.redirect(ctx); err != nil {
		return signin.Link{}, err
	}
	return in.Client.Begin(ctx, key)
}

// unfit is the refusal of a sign-in to what none is made to.
func (in *signIns) unfit(key signin.Key) *capabilities.Error {
	var seats []string
	for _, s := range in.e.settings.current().Instances() {
		switch {
		case s.Name != key.Server:
		case s.Seat != key.Seat:
			seats = append(seats, s.Seat)
		case s.Command != "":
			return capabilities.Refuse(capabilities.Conflict, "%q is started by a command, and never signed in to", key.Server)
		case s.SignIn.Off:
			return capabilities.Refuse(capabilities.Conflict, "the entry of %q says oauth: false: take that out to sign in", key.Server)
		case len(s.Unresolved) > 0:
			return capabilities.Refuse(capabilities.Conflict, "%q is held back first: %s", key.Server, strings.Join(s.Unresolved, "; "))
		default:
			return capabilities.Refuse(capabilities.Conflict, "headers of %q has an Authorization, which counts: take it out to sign in", key.Server)
		}
	}
	switch {
	case len(seats) == 0:
		return capabilities.Refuse(capabilities.NotFound, "no MCP server that is signed in to is named %q: list_mcp_servers has the names", key.Server)
	case seats[0] != "" && key.Seat != "": // who asks for their own is told of no others
		return capabilities.Refuse(capabilities.NotFound, "the seat %q has no instance of %q: it takes mcp_env for it in the configuration", key.Seat, key.Server)
	case seats[0] == "":
		return capabilities.Refuse(capabilities.NotFound, "%q is shared by everybody: leave the seat out", key.Server)
	}
	return capabilities.Refuse(capabilities.NotFound, "each seat has an instance of %q of its own: name the seat, which is one of %s", key.Server, strings.Join(seats, ", "))
}

// Finish implements [signin.Accounts]. The server is asked anew.
func (in *signIns) Finish(ctx context.Context, query url.Values) (signin.Finished, error) {
	done, err := in.Client.Finish(ctx, query)
	if err == nil {
		in.local.end()
		in.e.bridge.Reauthorized(bridge.Key(done.Key))
	}
	return done, err
}

// Forget implements [signin.Accounts]. The server is asked anew.
func (in *signIns) Forget(ctx context.Context, key signin.Key) (bool, error) {
	had, err := in.Client.Forget(ctx, key)
	if had {
		in.e.bridge.Reauthorized(bridge.Key(key))
	}
	if _, ok := in.Standing(key); err == nil && !had && !ok {
		// Where something was left of one, it is ended all the same.
		return false, in.unfit(key)
	}
	return had, err
}

// close ends what goes on, and returns when nothing does or ctx ends.
func (in *signIns) close(ctx context.Context) {
	in.local.close(ctx)
	in.Close(ctx)
}

// Callback implements [httpapi.SignIns]. One of no sign-in costs little to tell, and one that
// is right is taken however many wrong ones came from its address.
func (in *signIns) Callback(r *http.Request) (httpapi.SignedIn, error) {
	done, err := in.Finish(r.Context(), r.URL.Query())
	if err != nil {
		if e, ok := capabilities.AsError(err); !ok || e.Code != capabilities.Unavailable {
			if wait := in.wrong.Take(ratelimit.AddressOf(r), wrongRate(), in.e.now()); wait > 0 {
				return httpapi.SignedIn{}, tooManyCallbacks(wait)
			}
		}
		return httpapi.SignedIn{}, err
	}
	return httpapi.SignedIn{Server: done.Key.Server, Seat: done.Key.Seat, Issuer: done.Issuer}, nil
}

func tooManyCallbacks(wait time.Duration) *capabilities.Error {
	e := capabilities.Refuse(capabilities.RateLimited, "too many browsers came back to no sign-in from your address: begin a sign-in anew, which works at once")
	e.RetryAfter = wait
	return e
}

// ClientDocument implements [httpapi.SignIns].
func (in *signIns) ClientDocument() (body []byte, ok bool) {
	at := in.document()
	if at == "" {
		return nil, false
	}
	back, err := in.redirect(context.Background())
	if err != nil {
		return nil, false
	}
	body, err = in.Metadata(at, back)
	return body, err == nil
}

// redirect answers where an authorization server sends browsers back to.
func (in *signIns) redirect(ctx context.Context) (string, error) {
	at := ""
	if in.e.pages != nil {
		at = in.e.pages()
	}
	switch {
	case at == "" && in.e.settings.current().Proxy.Trusted != nil:
		return "", capabilities.Refuse(capabilities.Unavailable, "it is not known where browsers reach this server: give it as oauth.address in the configuration")
	case at == "":
		return in.local.open(ctx)
	case !secureAddress(at):
		return "", capabilities.Refuse(capabilities.Unavailable,
			"a browser cannot be sent back to this server over http from elsewhere: serve with TLS, and give its https address as oauth.address in the configuration")
	}
	return at + httpapi.CallbackPath, nil
}

// secureAddress reports whether an address is one that authorization servers send a browser
// to: https, or this machine (RFC 8252 section 7.3).
func secureAddress(address string) bool {
	u, err := url.Parse(address)
	if err != nil {
		return false
	}
	return u.Scheme == "https" || u.Scheme == "http" && onThisMachine(u.Hostname())
}

func onThisMachine(host string) bool {
	ip, err := netip.ParseAddr(host)
	return strings.EqualFold(host, "localhost") || err == nil && ip.Unmap().IsLoopback()
}

// document answers where the document that describes this program as a client stands; ""
// where it has no address that an authorization server elsewhere can reach.
func (in *signIns) document() string {
	if in.e.pages == nil {
		return ""
	}
	at := in.e.pages()
	u, err := url.Parse(at)
	if err != nil || u.Scheme != "https" || onThisMachine(u.Hostname()) {
		return ""
	}
	if ip, err := netip.ParseAddr(u.Hostname()); err == nil && (ip.IsPrivate() || ip.IsUnspecified() || ip.IsLinkLocalUnicast()) {
		return ""
	}
	return at + httpapi.ClientPath
}

// signIn answers how an instance stands with a sign-in; nil where it never asked for one.
func (e *engine) signIn(key bridge.Key) *system.SignIn {
	st, ok := e.signIns.Standing(signin.Key(key))
	if !ok || st.State == signin.SignedOut {
		return nil
	}
	out := &system.SignIn{State: system.SignInState(st.State), Reason: st.Reason, Issuer: st.Issuer, Scopes: st.Scopes}
	if !st.Since.IsZero() {
		out.Since = st.Since.UTC().Format(time.RFC3339Nano)
	}
	if !st.Renews {
		out.Until = moment(st.Until)
	}
	if at := e.pages(); at != "" && st.State == signin.Needed {
		out.Link = at + httpapi.SignInPath(key.Server, key.Seat)
	}
	return out
}
