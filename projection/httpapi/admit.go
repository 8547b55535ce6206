package httpapi

import (
	"context"
	"net/http"
	"strings"

	"github.com/seed-89b9419b/holotype/capabilities"
)

// ServeHTTP admits a request and routes it.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	x := &exchange{ResponseWriter: w, s: s}
	x.id[0] = s.requestID(r.Header)
	w.Header()[keyRequestID] = x.id[:]
	x.secure = r.TLS != nil
	if r.ContentLength != 0 && r.Body != nil && r.Body != http.NoBody {
		x.takeIn(r)
		defer x.leaveBody(r)
	}
	defer x.rescue(r)
	r, reason, refused := s.forwarded(x, r)
	x.guard()
	path := routePath(r)
	if refused == nil {
		reason, refused = s.admit(x, r, path)
	}
	if refused != nil {
		x.note(r, reason, refused)
		x.refuse(r, refused)
		return
	}
	if s.crossOrigin(x, r) {
		return
	}
	if !s.open(path) && !s.authorizes(path) {
		if e := s.identify(x, r); e != nil {
			s.unidentified(x, r, path, e)
			return
		}
		if e := s.actFor(x, r, path); e != nil {
			x.refuse(r, e)
			return
		}
	}
	r, end := s.watch(x, r)
	defer end()
	s.dispatch(x, r, path)
}

// routePath answers the path as the router matches it: undecoded where decoding
// would lose something.
func routePath(r *http.Request) string {
	if r.URL.RawPath != "" {
		return r.URL.RawPath
	}
	return r.URL.Path
}

// admit refuses what must not reach any route.
func (s *Server) admit(x *exchange, r *http.Request, path string) (reason string, e *capabilities.Error) {
	if !s.hosts.ours(r.Host) {
		return ForeignHost, capabilities.Refuse(capabilities.Forbidden,
			"the host %q is not this server: use its own address, or name the host in the configuration", clip(r.Host))
	}
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		if e := s.foreign(x, r); e != nil {
			return ForeignOrigin, e
		}
	}
	if r.URL.RawPath != "" && escapedSlash(path) && !namesServer(path) {
		return "", capabilities.Refuse(capabilities.Invalid, "the path holds an escaped slash: values with a slash travel in the query or the body")
	}
	return "", nil
}

// namesServer reports whether a segment of a path is the name of a bridged server, which
// may have a slash, as those of public registries do. It is looked up in a table and
// never a path of anything.
func namesServer(path string) bool {
	for _, below := range []string{serversPath, documentsPath, signInRoot, apiPath + "/mcp-servers/", apiPath + "/config/mcp-servers/"} {
		if strings.HasPrefix(path, below) {
			return true
		}
	}
	return false
}

// escapedSlash reports %2F.
func escapedSlash(path string) bool {
	return strings.Contains(path, "%2F") || strings.Contains(path, "%2f")
}

// foreign refuses a request that another site's page sent. Browsers name the
// origin on every request but GET and HEAD; "null" is what a sandboxed page says.
func (s *Server) foreign(x *exchange, r *http.Request) *capabilities.Error {
	origins, sent := r.Header[keyOrigin]
	if !sent {
		if fromAnotherSite(r) {
			return capabilities.Refuse(capabilities.Forbidden, "a page of another site sent this request, and only this server's own pages may")
		}
		return nil
	}
	for _, origin := range origins {
		if !x.own(r, origin) && !s.origins[origin] {
			return capabilities.Refuse(capabilities.Forbidden,
				"the origin %q may not call this server: name it in the configuration if it is yours", clip(origin))
		}
	}
	return nil
}

// fromAnotherSite reports whether the browser says that another site's page sent a
// request. A person at the address bar is none.
func fromAnotherSite(r *http.Request) bool {
	for _, site := range r.Header[keyFetchSite] {
		switch site {
		case "", "same-origin", "none":
		default:
			return true
		}
	}
	return false
}

// own reports whether an origin is the request's own. Its Host has been checked.
// Over TLS that of a page without it is another, which anybody on the way may have
// written; without, both schemes count, because TLS may end before us.
func (x *exchange) own(r *http.Request, origin string) bool {
	host, ok := strings.CutPrefix(origin, "https://")
	if !ok && !x.secure {
		host, ok = strings.CutPrefix(origin, "http://")
	}
	return ok && strings.EqualFold(host, r.Host)
}

// crossOrigin lets an allowed origin read answers (the CORS protocol of the Fetch
// standard) and answers its preflights. Cookies are never allowed across.
func (s *Server) crossOrigin(x *exchange, r *http.Request) (answered bool) {
	if len(s.origins) == 0 {
		return false
	}
	h := x.Header()
	h.Add(keyVary, keyOrigin)
	origin := r.Header.Get(keyOrigin)
	if !s.origins[origin] {
		return false
	}
	h.Set("Access-Control-Allow-Origin", origin)
	h.Set("Access-Control-Expose-Headers", "ETag, Mcp-Session-Id, Retry-After, WWW-Authenticate, X-Request-Id")
	if r.Method != http.MethodOptions || r.Header.Get("Access-Control-Request-Method") == "" {
		return false
	}
	h.Set("Access-Control-Allow-Methods", "GET, HEAD, POST, PUT, PATCH, DELETE")
	h.Set("Access-Control-Allow-Headers", "Acting-For, Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, "+
		"Last-Event-ID, Mcp-Method, Mcp-Name, Mcp-Protocol-Version, Mcp-Session-Id, Prefer, X-Request-Id")
	x.WriteHeader(http.StatusNoContent)
	return true
}

// public reports whether a path needs no credential.
func public(path string) bool {
	switch path {
	case "/livez", "/readyz", "/login", "/docs", "/docs.md", "/llms.txt", "/llms-full.txt":
		return true
	}
	return strings.HasPrefix(path, "/docs/") || strings.HasPrefix(path, "/.well-known/") || strings.HasPrefix(path, assetsPath)
}

// identify finds out who sends the request: by a credential of its own, or by the
// session cookie when our own page sends it.
func (s *Server) identify(x *exchange, r *http.Request) *capabilities.Error {
	if len(r.Header[keyAuthorization]) > 1 {
		// Whoever stands before us may go by another one of them than we do.
		x.challenge(r, `error="invalid_request"`) // RFC 6750 section 3.1
		return capabilities.Refuse(capabilities.Invalid, "the header Authorization is there %d times: send one", len(r.Header[keyAuthorization]))
	}
	p, err := s.o.Authenticate(r)
	if err != nil {
		e := x.refusal(r, "authenticate_failed", err)
		if e.Code == capabilities.Unauthenticated || e.Code == capabilities.RateLimited {
			x.note(r, BadCredential, e)
		}
		if e.Code == capabilities.Unauthenticated {
			s.stranger(x, r, routePath(r))
			x.challenge(r, `error="invalid_token"`) // RFC 6750 section 3.1
		}
		return e
	}
	if p == nil && s.signedIn(x, r) {
		p, x.session = s.owner, true
	}
	if p == nil {
		return capabilities.Refuse(capabilities.Unauthenticated,
			"no credential was sent: send Authorization: Bearer with a token of this server")
	}
	x.principal = p
	return nil
}

// signedIn reports whether the request carries a good session cookie and comes
// from our own page or from a person. Ports do not part cookies, so a page of
// another server on this machine could send it.
func (s *Server) signedIn(x *exchange, r *http.Request) bool {
	_, ok := s.browser(x, r)
	return ok
}

// browser is signedIn, and answers the value of the cookie.
func (s *Server) browser(x *exchange, r *http.Request) (session string, ok bool) {
	if s.o.Sessions == nil || r.Header["Cookie"] == nil {
		return "", false
	}
	if fromAnotherSite(r) {
		return "", false
	}
	for _, origin := range r.Header[keyOrigin] {
		if !x.own(r, origin) {
			return "", false
		}
	}
	for _, c := range r.CookiesNamed(s.o.CookieName) {
		if s.o.Sessions.Verify(c.Value) {
			return c.Value, true
		}
	}
	return "", false
}

// unidentified answers a request without a good credential: a person in a browser
// gets the page to sign in with.
func (s *Server) unidentified(x *exchange, r *http.Request, path string, e *capabilities.Error) {
	ours := path == "/" || path == "/logout" || deciding(path) || s.o.SignIns != nil && beginsSignIn(path)
	if s.o.Sessions == nil || !ours || e.Code != capabilities.Unauthenticated || !wantsHTML(r) {
		x.refuse(r, e)
		return
	}
	d := loginData{}
	if deciding(path) || beginsSignIn(path) {
		// A link of another site leaves the cookie out, and so does a program that opens it, as
		// the browser says where it says anything: one of our own page does not.
		site := r.Header.Get(keyFetchSite)
		d.Next, d.Continue = nextOf(path), r.Method == http.MethodGet && site != "same-origin" && site != "none"
	}
	s.loginPage(x, r, http.StatusUnauthorized, d)
}

type principalKey struct{}

// PrincipalOf answers the principal that this surface found for a request it
// handed to [Options.MCP], or nil.
func PrincipalOf(ctx context.Context) *capabilities.Principal {
	p, _ := ctx.Value(principalKey{}).(*capabilities.Principal)
	return p
}

func clip(s string) string {
	if len(s) > 100 {
		return s[:100] + "..."
	}
	return s
}
