package httpapi

import (
	"cmp"
	"html/template"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/danielgtaylor/huma/v2"
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
	shield  []shieldRow
	pace    pace
	every   time.Duration // how often a credential is looked at again
	room    *room
	// strangers are those without a good credential.
	strangers strangers
	answered  answered
	pages     *template.Template
	served    []string

	tree      *chi.Mux // finds the pattern of a path
	endpoints map[endpointKey]endpoint
	plain     map[endpointKey]endpoint // those whose pattern is the path itself
	contexts  sync.Pool                // of *chi.Context

	idWord  [22]byte // a random word of this process and a count of 0
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
	o.CookieName = cmp.Or(o.CookieName, "holotype_session")
	s := &Server{o: o, owner: capabilities.OwnerPrincipal(), values: newHeaderValues(), shield: shield(), pace: usualPace(), every: standEvery, room: newRoom(), tree: chi.NewMux(), endpoints: map[endpointKey]endpoint{}, plain: map[endpointKey]endpoint{}}
	copy(s.idWord[:], capabilities.NewRequestID()[:12]+"-000000000")
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
// /readyz, /.well-known/, /login, /oauth/callback, /docs, /llms.txt and the pages' own assets. Refusals are
// application/problem+json (RFC 9457) whatever the route, and every answer has an
// X-Request-Id.
func (s *Server) Handler() http.Handler { return s }

// SurfaceFacts answers what the surface says about itself.
func (s *Server) SurfaceFacts() capabilities.SurfaceFacts {
	return capabilities.SurfaceFacts{
		Surface: capabilities.HTTP, Name: s.o.Title, Version: s.o.Version,
		Transports: []capabilities.Transport{{Name: "http", Address: s.o.BasePath + apiPath}},
		Served:     slices.Clone(s.served),
	}
}

func (s *Server) routes() error {
	api := adapter{s}
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
		for _, m := range methods {
			api.Handle(&huma.Operation{OperationID: p.name, Method: m, Path: apiPath + c.Route().Path}, p.serve)
		}
		s.served = append(s.served, c.Route().Method+" "+apiPath+c.Route().Path)
	}
	b := &bridged{s: s, all: map[viewKey]map[toolKey]*capabilities.Capability{}}
	api.Handle(&huma.Operation{OperationID: "bridged_tool", Method: http.MethodPost, Path: apiPath + toolRoute}, b.serve)
	s.served = append(s.served, "POST "+apiPath+toolRoute)
	s.handle(http.MethodPost, operatePath, s.operate)
	s.served = append(s.served, "POST "+operatePath)
	d := &documents{s: s, all: map[documentKey]*document{}}
	s.read("/openapi.json", d.whole(false))
	s.read("/openapi.yaml", d.whole(true))
	s.read(documentsPath+"{document}", d.ofServer())
	s.read("/livez", s.alive)
	s.read("/readyz", s.ready)
	if s.o.Metrics != nil {
		s.read(metricsPath, s.metrics)
	}
	s.read("/", s.catalogue)
	s.read(assetsPath+"{asset}", s.asset)
	s.approvalRoutes()
	s.oauthRoutes()
	s.signInRoutes()
	if s.o.Sessions != nil {
		s.read("/login", s.showLogin)
		s.handle(http.MethodPost, "/login", s.login)
		s.handle(http.MethodPost, "/logout", s.logout)
		s.served = append(s.served, "POST /login", "POST /logout")
	}
	if s.o.MCP != nil {
		s.mount(mcpPath, s.mcp)
		s.mount(mcpPath+"/", s.mcp)
		s.mount(readOnlyPath, s.readOnly)
		s.mount(findPath, s.find)
		s.mount(groupPath, s.group)
		s.served = append(s.served, "POST "+readOnlyPath, "POST "+findPath, "POST "+groupPath)
		if s.o.Seat != nil {
			s.mount(seatPath, s.seat)
			s.mount(seatFindPath, s.seatFind)
			s.served = append(s.served, "POST "+seatPath, "POST "+seatFindPath)
		}
	}
	if s.o.Docs != nil {
		s.mount("/docs", s.docs)
		s.mount("/docs.md", s.docs) // the same page as Markdown
		s.mount("/docs/*", s.docs)
		s.mount("/llms.txt", s.docs) // the maps of the pages, for programs that read
		s.mount("/llms-full.txt", s.docs)
	}
	slices.Sort(s.served)
	return nil
}
