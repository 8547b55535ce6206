package holotype

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/http"
	"regexp"
	"slices"
	"time"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/docs"
	"github.com/seed-89b9419b/holotype/internal/config"
	"github.com/seed-89b9419b/holotype/projection/httpapi"
)

// Version is the version of this module.
const Version = "0.2.0"

// InMemory as [Options.Data], or as --data, keeps nothing on disk: no directory is
// taken, no other process can attach, and the owner's token ends with the server.
// It is what a test wants.
const InMemory = ":memory:"

// Options say what a server is made of. The zero value is Holotype itself.
type Options struct {
	// Name is the program's name: of its command, on the wire, in what is generated,
	// and of its default data directory. Letters, digits and "._-", at most 64; "" is
	// "holotype".
	Name string
	// Version of the program; "" is "dev", or [Version] of Holotype itself. It stands
	// in the generated OpenAPI documents, so it must not change from build to build.
	Version string
	// Summary is what the program is for, in one sentence without a period, for its
	// help; "" is a general one.
	Summary string
	// Homepage is the URL of whoever offers the program, License the SPDX identifier
	// of its licence, for the OpenAPI documents; "" says nothing.
	Homepage, License string
	// Docs are pages in Markdown that stand at /docs beside the generated reference,
	// README.md the first of them; nil is none, or the own pages of Holotype itself.
	Docs fs.FS

	// Packs are served beside the native ones.
	Packs []capabilities.Bound
	// NativePacks names the packs of this module that are served, out of
	// [NativePacks]; nil is all, empty is none. The key packs of the configuration can
	// only take further ones away.
	NativePacks []string
	// NoStore serves without a store and without an audit: nothing is kept on disk of calls,
	// packs that keep something are left out, and calls with an operation key are refused.
	// A configuration that names a store is an error then.
	NoStore bool
	// Interceptors stand in the chain of every call, each at its stage, whatever the
	// surface.
	Interceptors []capabilities.Interceptor
	// Gate decides who may see and call what; nil knows scopes alone.
	Gate capabilities.Gate

	// Authenticate answers who sends a request over HTTP, before the server's own
	// credentials are looked at: it lets a program with accounts of its own stand in
	// front. A nil principal without an error leaves the request to those credentials.
	// An error is a refusal when its chain holds an [*capabilities.Error], else a
	// failure of the server.
	Authenticate func(*http.Request) (*capabilities.Principal, error)
	// BasePath is the path that [Server.Handler] is mounted at in a router of the
	// program's own, such as "/tools"; "" is the root. Links, cookies and documents
	// begin with it. The handler gets its requests without it:
	//
	//	mux.Handle("/tools/", http.StripPrefix("/tools", handler))
	BasePath string
	// Hosts are the names that the program is reached by, "name" for any port or
	// "name:port": a request that names another host is refused, so that no page of
	// another site gets here by a rebound name. The loopback's names and the address
	// listened on are always among them.
	Hosts []string
	// Origins are the sites, such as "https://console.example", whose pages may call
	// this server from a browser, with a token.
	Origins []string

	// Data is the data directory; "" is one named after the program below the user's
	// own data, and [InMemory] is none.
	Data string
	// Config and MCPConfig are the configuration file and a client's mcpServers file;
	// "" reads none. The flags of [Command] go before these and Data.
	Config, MCPConfig string
	// Lookup reads an environment variable; nil is the process's environment.
	Lookup func(name string) (string, bool)
	// Log receives the events; nil writes them as text to standard error, from the
	// level info on.
	Log *slog.Logger
	// Now is the clock; nil is [time.Now].
	Now func() time.Time
}

// withDefaults fills in what the zero value stands for.
func (o Options) withDefaults() Options {
	if o.Name == "" { // Holotype itself
		o.Name = "holotype"
		o.Version = cmp.Or(o.Version, Version)
		o.Summary = cmp.Or(o.Summary, "One front door for your tools that never lies about what a call will do")
		o.Homepage = cmp.Or(o.Homepage, "https://github.com/seed-89b9419b/holotype")
		o.License = cmp.Or(o.License, "Apache-2.0")
		if o.Docs == nil {
			o.Docs = docs.Pages
		}
	}
	o.Version = cmp.Or(o.Version, "dev")
	o.Summary = cmp.Or(o.Summary, "Serve and call the capabilities of "+o.Name)
	if o.Gate == nil {
		o.Gate = capabilities.Scopes{}
	}
	o.Lookup = config.Env(o.Lookup)
	if o.Now == nil {
		o.Now = time.Now
	}
	return o
}

// check answers every fault of the options.
func (o Options) check() error {
	var faults []error
	fault := func(format string, args ...any) { faults = append(faults, fmt.Errorf(format, args...)) }
	if ok, err := regexp.MatchString(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`, o.Name); err != nil || !ok {
		fault("the option Name is %q: a program's name has letters, digits and ._- alone, at most 64, and begins with a letter or digit", o.Name)
	}
	if err := httpapi.CheckBasePath(o.BasePath); err != nil {
		fault("the option BasePath: %w", err)
	}
	for i, name := range o.NativePacks {
		if !slices.Contains(NativePacks(), name) {
			fault("the option NativePacks names %q, and the native packs are %q", name, NativePacks())
		}
		if slices.Contains(o.NativePacks[:i], name) {
			fault("the option NativePacks names %q twice", name)
		}
	}
	for i, p := range o.Packs {
		if p == nil {
			fault("the option Packs holds nil at %d: bind a pack with its Bind", i)
		}
	}
	for i, in := range o.Interceptors {
		if in.Wrap == nil {
			fault("the option Interceptors holds one without Wrap at %d (%q)", i, in.Name)
		}
	}
	return errors.Join(faults...)
}
