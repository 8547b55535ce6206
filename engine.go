package holotype

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/capabilities/bridge"
	"github.com/seed-89b9419b/holotype/capabilities/system"
	"github.com/seed-89b9419b/holotype/codegen/site"
	"github.com/seed-89b9419b/holotype/internal/approval"
	"github.com/seed-89b9419b/holotype/internal/config"
	"github.com/seed-89b9419b/holotype/internal/drain"
	"github.com/seed-89b9419b/holotype/internal/gate"
	"github.com/seed-89b9419b/holotype/internal/grant"
	"github.com/seed-89b9419b/holotype/internal/identity"
	"github.com/seed-89b9419b/holotype/internal/ratelimit"
	"github.com/seed-89b9419b/holotype/projection/httpapi"
	"github.com/seed-89b9419b/holotype/projection/mcpserver"
)

// engine is one running composition: the registry, the door and the surfaces.
type engine struct {
	name, version string
	build         func() string // see [Server.build]
	log           *slog.Logger
	now           func() time.Time
	registry      *capabilities.Registry
	packs         []string // the names of those that this program has
	gate          *gate.Gate
	rates         *ratelimit.Calls
	live          *capabilities.Live
	views         *capabilities.Views
	door          *capabilities.Door
	bridge        *bridge.Bridge
	settings      *settings
	signIns       *signIns
	kept          kept
	watched       watched
	tokens        *identity.Tokens // nil without a store
	approvals     *approval.Desk   // nil without a store
	grants        *grant.Grants    // nil without a store
	accounts      bool             // the embedding program has some of its own
	within        string           // told to what is started from here
	mark          string           // tells this server from all others
	pages         func() string    // where browsers find the pages; "" is not known, nil until the surfaces stand
	followers     drain.Group
	unfollow      context.CancelFunc // ends the followers; nil before the start
	mcp           *mcpserver.Server
	http          *httpapi.Server
}

// build makes an engine with its surfaces; nothing of it runs yet.
func (s *Server) build(p *place) (*engine, error) {
	e, err := s.compose(p)
	if err != nil {
		return nil, err
	}
	return e, e.surface(s, p)
}

// compose makes an engine without its surfaces, which have to know where they listen:
// every fault of the options, the declarations and the servers shows here.
func (s *Server) compose(p *place) (*engine, error) {
	e := &engine{name: s.o.Name, version: s.o.Version, log: p.log, now: s.o.Now, settings: p.settings, kept: p.kept, within: p.within(), build: sync.OnceValue(s.buildMark), mark: p.mark(), accounts: s.o.Authenticate != nil}
	if err := s.o.check(); err != nil {
		return nil, err
	}
	e.watch(p.config)
	e.signIns = e.openSignIns(s, p)
	e.tokens = e.openTokens()
	e.approvals = e.openApprovals()
	e.grants = e.openGrants()
	packs, err := s.bind(e, p.config)
	if err != nil {
		return nil, err
	}
	e.registry, err = capabilities.Assemble(packs...)
	if err != nil {
		return nil, fmt.Errorf("the declarations do not assemble:\n%w", err)
	}
	e.live = capabilities.NewLive(e.registry)
	for _, b := range s.describedPacks() { // those that are left out here, too
		e.packs = append(e.packs, b.Info().Name)
	}
	if err := e.checkRules(p.config); err != nil {
		return nil, err
	}
	for _, n := range e.ruleNotices(p.config) {
		p.log.Warn("config_notice", "notice", n.String())
	}
	e.gate = gate.New(s.o.Gate, gate.Compile(p.config))
	e.rates = ratelimit.NewCalls(s.o.Now)
	e.rates.Put(p.config)
	e.views = capabilities.NewViews(e.live, e.gate)
	e.loadGrants()
	e.door = capabilities.NewDoor(capabilities.DoorOptions{
		Viewer: e.views, Codes: e.registry.Codes(), Log: p.log, Now: s.o.Now, Interceptors: e.observed(e.kept.interceptors(e.withApprovals(slices.Insert(slices.Clone(s.o.Interceptors), 0, e.rates.Interceptor())), p.log)), Absent: e.absent,
		Unknown: e.unknown,
	})
	return e, e.bridgeUp(s, p)
}

func (e *engine) surface(s *Server, p *place) (err error) {
	e.pages = e.pagesOf(p)
	e.mcp, err = mcpserver.New(mcpserver.Options{
		Door: e.door, Viewer: e.views, Absent: e.bridge.AbsentAt, Awaited: e.awaited, Log: p.log, Now: s.o.Now, Name: s.o.Name, Version: s.o.Version,
		Authenticate:  func(r *http.Request) (*capabilities.Principal, error) { return httpapi.PrincipalOf(r.Context()), nil },
		Mark:          e.mark,
		ActFor:        e.actingFor,
		DiscoverAbove: func() int { return e.settings.current().Discovery.AboveTokens },
		Path:          s.o.BasePath + "/operator/mcp", Ledger: e.door.Ledgered(),
	})
	if err != nil {
		return err
	}
	docs, err := site.Handler(site.Options{
		Registry: e.registry, Pages: s.o.Docs, Title: s.o.Name, BasePath: s.o.BasePath, Log: p.log,
	})
	if err != nil {
		return err
	}
	access, err := e.openAccess(s, p)
	if err != nil {
		return err
	}
	who := s.authenticator(p, e.tokens, access)
	e.http, err = httpapi.New(httpapi.Options{
		Door: e.door, Viewer: e.views, Builtins: e.registry, Absent: e.bridge.AbsentAt, Authenticate: who.principal, Stands: who.stands, Refused: e.turnedAway, OAuth: access, Authorization: access.authorization, Seat: e.inSeat, ActFor: e.actingFor, Sessions: p.sessions, CookieName: p.cookieName(s.o.Name), LoginCommand: p.loginCommand(s.o.Name),
		Ready: e.kept.ready, Parts: e.parts(s), Metrics: e.metrics(), MetricsPublic: p.config.Metrics == config.MetricsPublic, MCP: e.mcp.Handler(), Docs: docs, Listen: p.listen, Servers: e.serverStates, Lists: e.listCosts, Waiting: e.waiting, Seal: p.seal(), SignIns: e.signIns,
		BasePath: s.o.BasePath, Hosts: slices.Concat(p.config.Hosts, s.hostsOf(p.config)), Proxy: proxyOf(p.config, p.insecure), Origins: s.o.Origins, Homepage: s.o.Homepage, License: s.o.License,
		Title: s.o.Name, Version: s.o.Version, Log: p.log, Now: s.o.Now,
	})
	return err
}

// handler answers the HTTP surface.
func (e *engine) handler() http.Handler { return marking(e.http.Handler(), e.mark) }

// mounted answers the HTTP surface at its base path.
func (e *engine) mounted(base string) http.Handler {
	if base == "" {
		return e.handler()
	}
	mux := http.NewServeMux()
	mux.Handle(base+"/", http.StripPrefix(base, e.handler()))
	return mux
}

// webServer answers a server with bounds on what no handler sees: how long the head
// of a request may take, how large it may be and how long a connection may idle. What
// a body may take is bounded behind it, because a bound of the server's would end
// long calls and streams too: it ends where the handler begins, and is there for the
// bodies of requests that get no handler, such as one with an unknown expectation.
func webServer(ctx context.Context, h http.Handler, log *slog.Logger) *http.Server {
	unbounded := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// It fails where the connection has ended already.
		_ = http.NewResponseController(w).SetReadDeadline(time.Time{})
		h.ServeHTTP(w, r)
	})
	return &http.Server{
		Handler: unbounded, ReadTimeout: headTime, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 64 << 10,
		DisableGeneralOptionsHandler: true, // it would answer OPTIONS * to any Host
		ErrorLog:                     slog.NewLogLogger(log.Handler(), slog.LevelDebug),
		BaseContext:                  func(net.Listener) context.Context { return ctx },
	}
}

// headTime is how long the head of a request may take.
const headTime = 10 * time.Second

// start starts the bridged servers, follows the files of the configuration and whatever
// else is given, and returns at once.
func (e *engine) start(ctx context.Context, more ...func(context.Context)) {
	e.bridge.Start(ctx)
	ctx, e.unfollow = context.WithCancel(ctx)
	if e.watched.exporter != nil {
		more = append(slices.Clone(more), e.watched.exporter.Run)
	}
	for _, follow := range slices.Concat(more, e.grantFollowers(), []func(context.Context){e.follow}) {
		e.followers.Go(func() { follow(ctx) })
	}
}

func (e *engine) stop(ctx context.Context) error {
	if e.approvals != nil {
		e.approvals.Rest()
	}
	if e.unfollow != nil {
		e.unfollow()
	}
	e.followers.Close()
	select { // what reads the configuration just now reads a data directory that is given back soon
	case <-e.followers.Idle():
	case <-ctx.Done():
	}
	bridged := make(chan error, 1)
	go func() { bridged <- e.bridge.Stop(ctx) }()
	finish, done := context.WithTimeout(ctx, finishTime)
	defer done()
	err := errors.Join(e.mcp.Shutdown(finish), <-bridged)
	e.signIns.close(ctx)
	e.flush(ctx)
	return err
}

// flush sends what is known of the calls that ended.
func (e *engine) flush(ctx context.Context) {
	if e.watched.exporter == nil || e.unfollow == nil { // one that was never started served no calls
		return
	}
	ctx, done := context.WithTimeout(ctx, flushTime)
	defer done()
	e.watched.exporter.Flush(ctx)
}

// flushTime is how long a collector has for what is sent last.
const flushTime = time.Second

// surfaces answers what every surface says about itself to a principal.
func (e *engine) surfaces(p *capabilities.Principal) []capabilities.SurfaceFacts {
	return []capabilities.SurfaceFacts{e.http.SurfaceFacts(), e.mcp.FactsFor(p)}
}

func (e *engine) systemDeps() system.Deps {
	return system.Deps{Viewer: lateViewer{e}, As: e.principalNamed, Surfaces: e.surfaces, Absent: e.absent, Servers: e.serverRows, Configuration: configuration{e, e.settings}, Store: e.kept.store, Tokens: e.tokens, Approvals: e.approvals, Grants: e.grants, Judge: e.judge, Holder: e.holder, WorkItem: e.openWorkItem, Calls: e.kept.audit, SignIns: e.signIns}
}

// lateViewer is the engine's viewer for packs, which are bound before there is one.
type lateViewer struct{ e *engine }

func (v lateViewer) View(p *capabilities.Principal) *capabilities.View { return v.e.views.View(p) }

func (v lateViewer) Find(p *capabilities.Principal, name string) (*capabilities.Capability, *capabilities.Rule, bool) {
	return v.e.views.Find(p, name)
}

func (v lateViewer) Subscribe(f func()) (cancel func()) { return v.e.views.Subscribe(f) }
