package holotype

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"log/slog"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"time"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/capabilities/system"
	"github.com/seed-89b9419b/holotype/internal/authserver"
	"github.com/seed-89b9419b/holotype/internal/config"
	"github.com/seed-89b9419b/holotype/internal/identity"
	"github.com/seed-89b9419b/holotype/internal/oauth"
	"github.com/seed-89b9419b/holotype/internal/ratelimit"
	"github.com/seed-89b9419b/holotype/projection/httpapi"
)

// access takes the access tokens of OAuth: those of an authorization server elsewhere, and
// those of the one that is built in, each where the configuration in force says so.
type access struct {
	*oauth.Resource
	server *authserver.Server // nil without a store
	// wrong are the codes and tokens that were none, by where they came from.
	wrong *ratelimit.Buckets[netip.Addr]
	now   func() time.Time
}

// openAccess answers what takes access tokens.
func (e *engine) openAccess(s *Server, p *place) (*access, error) {
	a := &access{
		Resource: oauth.New(oauth.Options{Config: e.settings.current, Address: s.addressOf(p), Now: s.o.Now, Title: s.o.Name}), wrong: openWrong(), now: s.o.Now,
	}
	if e.tokens == nil {
		return a, nil
	}
	ending := e.endingDoor(p.log)
	var err error
	a.server, err = authserver.New(authserver.Options{
		Store: e.kept.store, Tokens: e.tokens, Config: e.settings.current, Now: s.o.Now, Log: p.log, Resource: a.Resource,
		Make: e.makeToken, Revoke: func(ctx context.Context, id string) error { return endToken(ctx, ending, id) }, Browser: func(r *http.Request) (string, bool) { return httpapi.BrowserOf(r.Context()) },
		Title: s.o.Name, Base: s.o.BasePath, Login: p.loginCommand(s.o.Name), Refused: a.refused, Key: markKey(p.token),
	})
	return a, err
}

// markKey answers what the pages of consent are marked with. It follows from the owner's
// token, as what browsers are signed in by does: both outlast a restart, and end together.
func markKey(token string) []byte {
	mac := hmac.New(sha256.New, []byte(token))
	_, _ = mac.Write([]byte("holotype marks of consent")) // a hash takes everything
	return mac.Sum(nil)
}

// refused notes a request to the authorization server that is refused before it is a call.
// A code or a token that is not good counts as every other that an address sends, and it is
// answered how long the address is to wait that has sent too many.
func (a *access) refused(r *http.Request, why authserver.Refused) (wait time.Duration) {
	if !why.Wrong {
		httpapi.NoteRefused(r, httpapi.BadExchange, capabilities.Refuse(capabilities.Invalid, "the request to the authorization server is not in order"))
		return 0
	}
	e := capabilities.Refuse(capabilities.Unauthenticated, "the code or the token is not good")
	if wait = a.wrong.Take(ratelimit.AddressOf(r), wrongRate(), a.now()); wait > 0 {
		e = tooManyWrong(wait)
	}
	if why.Token != "" {
		e = e.Because(&identity.EndedError{ID: why.Token})
	}
	httpapi.NoteRefused(r, httpapi.BadCredential, e)
	return wait
}

// Takes reports whether a bearer token is an access token.
func (a *access) Takes(token string) bool {
	return a.Resource.Takes(token) || a.server != nil && a.server.Takes(token)
}

// Principal answers whom an access token stands for at the address of a request.
func (a *access) Principal(r *http.Request, token string) (*capabilities.Principal, error) {
	if a.Resource.Takes(token) {
		return a.Resource.Principal(r, token)
	}
	return a.server.Principal(r, token)
}

// authorization answers the authorization server, where the configuration wants one.
func (a *access) authorization() http.Handler {
	if a.server == nil || !a.server.On() {
		return nil
	}
	return a.server
}

// makeToken makes an API token for a client that the owner let in: by a call like any
// other, so that rules are asked and the audit has it. The token itself is nobody's.
func (e *engine) makeToken(ctx context.Context, d authserver.Draft) (id string, err error) {
	made, err := system.CreateToken.Call(ctx, e.door, capabilities.OwnerPrincipal(), system.CreateTokenInput{
		Name: d.Name, Scopes: d.Scopes, Expires: d.Expires, Seat: d.Seat,
	})
	return made.ID, err
}

// endingDoor answers the door by which such a token ends. What is stolen, or given back, has
// to end whatever the rules for the owner's own calls are: none of them, no limit and no
// approval holds that up. The audit has it, as every other call.
func (e *engine) endingDoor(log *slog.Logger) *capabilities.Door {
	return capabilities.NewDoor(capabilities.DoorOptions{
		Viewer: capabilities.NewViews(e.live, capabilities.Scopes{}), Codes: e.registry.Codes(), Log: log, Now: e.now, Interceptors: e.kept.interceptors(nil, log),
	})
}

// endToken revokes such a token.
func endToken(ctx context.Context, door *capabilities.Door, id string) error {
	_, err := system.RevokeToken.Call(ctx, door, capabilities.OwnerPrincipal(), system.RevokeTokenInput{ID: id})
	return err
}

// checkOAuth finds what an authorization server needs and is not there.
func (e *engine) checkOAuth(c *config.Config) error {
	if !c.OAuth.Server {
		return nil
	}
	if e.tokens == nil {
		return c.Fault("oauth.server", "an authorization server keeps its tokens in a store, and there is none; remove it, or serve with a store")
	}
	if _, ok := e.registry.Find(system.CreateToken.Name()); !ok {
		return c.Fault("oauth.server", "an authorization server makes API tokens, which the pack system does, and it is not served; add it to packs")
	}
	return nil
}

// addressOf answers where clients reach a server that nobody says more of.
func (s *Server) addressOf(p *place) string {
	if p.url != "" {
		return p.url
	}
	return "http://" + reachable(p.listen) + s.o.BasePath
}

// hostsOf answers the names that the server is reached by: those of the options, and that
// of the address in the configuration.
func (s *Server) hostsOf(c *config.Config) []string {
	hosts := slices.Clone(s.o.Hosts)
	if u, err := url.Parse(c.OAuth.Address); err == nil && u.Host != "" {
		hosts = append(hosts, u.Host)
	}
	return hosts
}
