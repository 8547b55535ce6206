package holotype

import (
	"net"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/config"
	"github.com/seed-89b9419b/holotype/internal/datadir"
	"github.com/seed-89b9419b/holotype/internal/identity"
)

// openTokens answers the API tokens of the engine's store, or nil where there is none.
func (e *engine) openTokens() *identity.Tokens {
	if e.kept.store == nil {
		return nil
	}
	o := identity.Options{Store: e.kept.store, Now: e.now, Config: e.settings.current, Names: e.scopeNames}
	if e.kept.store.Engine() == "sqlite" {
		o.Fresh = time.Minute // no other process revokes any
	}
	return identity.New(o)
}

// scopeNames answers the packs and the servers that a scope may name, in their order.
func (e *engine) scopeNames() []string { return e.scopeNamesOf(e.settings.current()) }

// scopeNamesOf is scopeNames under a configuration.
func (e *engine) scopeNamesOf(c *config.Config) []string {
	var all []string
	for _, p := range e.registry.Packs() {
		all = append(all, p.Name)
	}
	for c := range e.registry.All() { // one may need the scope of another pack
		if name, _, ok := strings.Cut(c.Scope(), ":"); ok {
			all = append(all, name)
		}
	}
	for _, s := range c.Bridged() {
		all = append(all, s.Name)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// sessions are the owner's sign-ins from a browser.
type sessions struct {
	*datadir.OneTimeLinks
	*datadir.Sessions
}

// openSessions answers who is signed in: as the data directory has it, or nobody
// where there is none.
func openSessions(links *datadir.OneTimeLinks, dir *datadir.Dir, token string, now func() time.Time) (sessions, error) {
	if dir == nil {
		return sessions{links, datadir.NewSessions(token, now)}, nil
	}
	kept, err := dir.Sessions(token, now)
	return sessions{links, kept}, err
}

// cookieName answers the name of the cookie of a signed-in browser. The ports of a
// host share their cookies: another program, and another data directory, has its own.
func (p *place) cookieName(program string) string {
	return program + "_session_" + p.sessions.Mark()
}

// loginPath answers the path, below the base path, of a page that signs the owner's
// browser in, once.
func (p *place) loginPath() string { return "/login?token=" + p.links.Mint() }

// loginLink answers the whole address of such a page, or of the console where nobody
// has to sign in. A process that serves no pages of its own refuses.
func (p *place) loginLink() (string, error) {
	switch {
	case p.url == "":
		return "", capabilities.Refuse(capabilities.Unavailable,
			"the process that holds the data directory serves no pages at an address of its own: end it and start serve, or ask the program that mounts them")
	case p.config.Auth == config.AuthNone:
		return p.url + "/", nil
	}
	return p.url + p.loginPath(), nil
}

// reachable answers the address that a browser on this machine gets to a listener by:
// what stands for every interface is no address, nor a Host that is admitted.
func reachable(listen string) string {
	host, port, err := net.SplitHostPort(listen)
	if err != nil {
		return listen
	}
	if ip, err := netip.ParseAddr(host); host == "" || err == nil && ip.IsUnspecified() {
		return net.JoinHostPort("127.0.0.1", port)
	}
	return listen
}

// loginCommand answers the command that prints such a link, where there is one.
func (p *place) loginCommand(program string) string {
	if p.url == "" {
		return ""
	}
	return program + " login"
}
