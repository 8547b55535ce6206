package httpapi

import (
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/danielgtaylor/huma/v2/adapters/humachi"
	"github.com/go-chi/chi/v5"

	"github.com/seed-89b9419b/holotype/capabilities"
)

// Server is the HTTP surface. Make one with [New]; it is safe for concurrent use.
type Server struct {
	o       Options
	hosts   hosts
	origins map[string]bool
	owner   *capabilities.Principal // who a browser session stands for
	values  headerValues
	mux     *chi.Mux
	pages   *template.Template
	served  []string

	idWord  [12]byte // of this process, in every request id
	idCount atomic.Uint64
}

// New builds the surface. The error names what is wrong with the options.
func New(o Options) (*Server, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	if o.Title == "" {
		o.Title = "Holotype"
	}
	s := &Server{o: o, owner: capabilities.OwnerPrincipal(), values: newHeaderValues(), mux: chi.NewMux()}
	copy(s.idWord[:], capabilities.NewRequestID())
	var err error
	if s.hosts, err = newHosts(o.Listen, o.Hosts); err != nil {
		return nil, err
	}
	if s.origins, err = newOrigins(o.Origins); err != nil {
		return nil, err
	}
	if s.pages, err = parsePages(); err != nil {
		return nil, err
	}
	if err := s.routes(); err != nil {
		return nil, err
	}
	return s, nil
}

// Handler answers the whole surface. Every request is admitted before it is
// routed: 403 for a Host that is not ours and for a foreign or null Origin on
// anything but GET and HEAD, 401 without a good credential except on /livez,
// /readyz, /.well-known/, /login, /docs and the pages' own assets. Refusals are
// application/problem+json (RFC 9457) whatever the route, and every answer has an
// X-Request-Id.
func (s *Server) Handler() http.Handler { return s }

// SurfaceFacts answers what the surface says about itself.
func (s *Server) SurfaceFacts() capabilities.SurfaceFacts {
	return capabilities.SurfaceFacts{
		Surface: capabilities.HTTP, Name: s.o.Title, Version: s.o.Version,
		Transports: []capabilities.Transport{{Name: "http", Address: apiPath}},
		Served:     slices.Clone(s.served),
	}
}

func (s *Server) routes() error {
	s.mux.NotFound(s.unknown)
	s.mux.MethodNotAllowed(s.notAllowed)
	api := humachi.NewAdapter(s.mux)
	for c := range s.o.Builtins.All() {
		if c.Route().IsZero() {
			continue // an old name has no route of its own
		}
		p, err := newRoute(s, c)
		if err != nil {
			return err
		}
		methods := []string{c.Route().Method}
		if p.get {
			methods = append(methods, http.MethodHead)
		}
		p.register(api, methods, c.Route().Path)
		s.served = append(s.served, c.Route().Method+" "+apiPath+c.Route().Path)
	}
	b := &bridged{s: s, all: map[viewKey]map[toolKey]*capabilities.Capability{}}
	api.Handle(bridgedOperation(), b.serve)
	d := &documents{s: s, all: map[documentKey]*document{}}
	s.read("/openapi.json", d.whole(false))
	s.read("/openapi.yaml", d.whole(true))
	s.read(documentsPath+"{document}", d.ofServer())
	s.read("/livez", s.alive)
	s.read("/readyz", s.ready)
	s.read("/", s.catalogue)
	s.read(assetsPath+"{asset}", s.asset)
	if s.o.Sessions != nil {
		s.read("/login", s.showLogin)
		s.mux.Post("/login", s.login)
		s.mux.Post("/logout", s.logout)
		s.served = append(s.served, "POST /login", "POST /logout")
	}
	if s.o.MCP != nil {
		s.mux.Handle("/operator/mcp", http.HandlerFunc(s.mcp))
		s.mux.Handle("/operator/mcp/", http.HandlerFunc(s.mcp))
	}
	if s.o.Docs != nil {
		s.mux.Handle("/docs", http.HandlerFunc(s.docs))
		s.mux.Handle("/docs/*", http.HandlerFunc(s.docs))
	}
	s.served = append(s.served, "POST "+apiPath+toolRoute)
	slices.Sort(s.served)
	return nil
}

// read serves GET and HEAD.
func (s *Server) read(path string, h http.HandlerFunc) {
	s.mux.Get(path, h)
	s.mux.Head(path, h)
	s.served = append(s.served, "GET "+path)
}

// unknown answers a path that is no route.
func (s *Server) unknown(w http.ResponseWriter, r *http.Request) {
	exchangeOf(w).refuse(r, capabilities.Refuse(capabilities.NotFound, "%s is no route of this server: see /openapi.json", clip(routePath(r))))
}

// notAllowed answers a route that has no such method.
func (s *Server) notAllowed(w http.ResponseWriter, r *http.Request) {
	var allowed []string
	for _, m := range []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"} {
		if s.mux.Match(chi.NewRouteContext(), m, routePath(r)) {
			allowed = append(allowed, m)
		}
	}
	if len(allowed) == 0 { // the router says the same of a method it never heard of
		s.unknown(w, r)
		return
	}
	x := exchangeOf(w)
	x.Header()[keyAllow] = []string{strings.Join(allowed, ", ")}
	x.problem(r, capabilities.Refuse(capabilities.Invalid, "%s takes %s, not %s", clip(routePath(r)), strings.Join(allowed, ", "), clip(r.Method)), http.StatusMethodNotAllowed)
}

// exchangeOf answers the exchange that a routed handler writes to. There is always
// one: nothing but ServeHTTP reaches the router.
func exchangeOf(w http.ResponseWriter) *exchange {
	x, ok := w.(*exchange)
	if !ok {
		panic(fmt.Errorf("the router was reached around its server, by a %T", w))
	}
	return x
}

// pathValue answers a field of the path, decoded once.
func pathValue(r *http.Request, name string) string {
	v := r.PathValue(name)
	if r.URL.RawPath == "" {
		return v
	}
	if u, err := url.PathUnescape(v); err == nil {
		return u
	}
	return v
}
