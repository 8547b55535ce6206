package httpapi

import (
	"context"
	"net/http"
	"strings"

	"github.com/seed-89b9419b/holotype/capabilities"
)

// OAuth is what the surface tells clients that could get an access token of an
// authorization server. Its methods are safe for concurrent use, and answer nothing while
// no access tokens are taken.
type OAuth interface {
	// Metadata answers the metadata of the resource at a path of this server (RFC 9728), as
	// JSON; "" is the server as a whole.
	Metadata(r *http.Request, path string) (body []byte, ok bool)
	// Challenge answers the parameter of WWW-Authenticate that leads to that metadata.
	Challenge(r *http.Request) string
	// Scopes answers what to ask the authorization server for to be granted a scope here.
	Scopes(ours string) string
}

const (
	// resourcePath is where the metadata of RFC 9728 stands, and issuerPath that of RFC 8414.
	resourcePath = "/.well-known/oauth-protected-resource"
	issuerPath   = "/.well-known/oauth-authorization-server"
	// authorizePath is where the authorization server is.
	authorizePath = "/oauth/"
)

func (s *Server) oauthRoutes() {
	// They are not listed as served: most configurations have no OAuth.
	for _, method := range []string{http.MethodGet, http.MethodHead} {
		if s.o.OAuth != nil {
			s.handle(method, resourcePath, s.resource)
			s.handle(method, resourcePath+"/*", s.resource)
		}
		if s.o.Authorization != nil {
			s.handle(method, issuerPath, s.authorization)
		}
	}
	if s.o.Authorization != nil {
		s.mount(authorizePath+"*", s.authorization)
	}
}

// authorizes reports whether a path is of an authorization server that is there.
func (s *Server) authorizes(path string) bool {
	return s.o.Authorization != nil && strings.HasPrefix(path, authorizePath) && s.o.Authorization() != nil
}

type browserKey struct{}

// BrowserOf answers what the session of the owner's browser is known by, for a request that
// this surface handed to [Options.Authorization]: one that comes from a page of ours, or
// from a person, in a browser that is signed in.
func BrowserOf(ctx context.Context) (session string, ok bool) {
	session, ok = ctx.Value(browserKey{}).(string)
	return session, ok
}

// authorization hands a request to the authorization server.
func (s *Server) authorization(x *exchange, r *http.Request) {
	h := s.o.Authorization()
	if h == nil {
		path := routePath(r)
		x.refuse(r, capabilities.Refuse(capabilities.NotFound, "%s is no route of this server: it is no authorization server", clip(path)))
		return
	}
	ctx := context.WithValue(r.Context(), exchangeKey{}, x)
	if session, ok := s.browser(x, r); ok {
		ctx = context.WithValue(ctx, browserKey{}, session)
	}
	h.ServeHTTP(x, r.WithContext(ctx))
}

type exchangeKey struct{}

// NoteRefused tells [Options.Refused] of a request that this surface handed to
// [Options.Authorization] and that is refused there, for one of the reasons of this package.
// A request of anybody else is not noted.
func NoteRefused(r *http.Request, reason string, e *capabilities.Error) {
	x, ok := r.Context().Value(exchangeKey{}).(*exchange)
	if !ok {
		return
	}
	if reason == BadCredential {
		x.s.stranger(x, r, routePath(r))
	}
	x.note(r, reason, e)
}

// resource answers the metadata of this server, or of one of its MCP endpoints.
func (s *Server) resource(x *exchange, r *http.Request) {
	path := strings.TrimPrefix(routePath(r), resourcePath)
	body, ok := s.o.OAuth.Metadata(r, path)
	if !ok {
		x.refuse(r, capabilities.Refuse(capabilities.NotFound, "there is no resource at %q that access tokens of an authorization server are for", clip(path)))
		return
	}
	openDocument(x.Header())
	x.json(r, body)
}

// openDocument lets pages of every site read an answer: clients that run in a browser look
// for the metadata before anybody trusts them with anything.
func openDocument(h http.Header) {
	h.Set("Access-Control-Allow-Origin", "*")
	h[keyResourcePolicy] = []string{"cross-origin"}
}

// challenge says in the answer which credential is wanted, and what is wrong with the one
// that was sent (RFC 6750 section 3.1); problem is its parameters, "" for none.
func (x *exchange) challenge(r *http.Request, problem string) {
	parameters := problem
	if x.s.o.OAuth != nil {
		if where := x.s.o.OAuth.Challenge(r); parameters != "" && where != "" {
			parameters += ", " + where
		} else {
			parameters += where
		}
	}
	value := "Bearer"
	if parameters != "" {
		value += " " + parameters
	}
	x.Header()[keyAuthenticate] = []string{value}
}

// refuseCall answers the refusal of a call; c is nil for one of no capability. Who lacks
// the scope is told which one to ask for.
func (x *exchange) refuseCall(r *http.Request, c *capabilities.Capability, e *capabilities.Error) {
	if c != nil && e.Code == capabilities.Forbidden && !x.principal.Has(c.Scope()) {
		problem := `error="insufficient_scope"`
		if scope := x.scopes(c.Scope()); scope != "" {
			problem += `, scope="` + scope + `"`
		}
		x.challenge(r, problem)
	}
	x.refuse(r, e)
}

// scopes answers the scopes by which a client is granted one of ours, where a header can
// say so: the name of a server, and so a scope, may hold what it cannot (RFC 6749 section
// 3.3).
func (x *exchange) scopes(ours string) string {
	if x.s.o.OAuth != nil {
		ours = x.s.o.OAuth.Scopes(ours)
	}
	if strings.ContainsFunc(ours, func(c rune) bool { return c < 0x20 || c > 0x7e || c == '"' || c == '\\' }) {
		return ""
	}
	return ours
}
