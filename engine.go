package holotype

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/capabilities/bridge"
	"github.com/seed-89b9419b/holotype/capabilities/system"
	"github.com/seed-89b9419b/holotype/codegen/site"
	"github.com/seed-89b9419b/holotype/internal/config"
	"github.com/seed-89b9419b/holotype/internal/wire"
	"github.com/seed-89b9419b/holotype/projection/httpapi"
	"github.com/seed-89b9419b/holotype/projection/mcpserver"
)

// engine is one running composition: the registry, the door and the surfaces.
type engine struct {
	name, version string
	listen        string
	log           *slog.Logger
	registry      *capabilities.Registry
	live          *capabilities.Live
	views         *capabilities.Views
	door          *capabilities.Door
	bridge        *bridge.Bridge
	mcp           *mcpserver.Server
	http          *httpapi.Server
}

// build composes an engine; nothing of it runs yet.
func (s *Server) build(p *place) (*engine, error) {
	e := &engine{name: s.o.Name, version: s.o.Version, listen: p.listen, log: p.log}
	packs, err := s.bind(e, p.config)
	if err != nil {
		return nil, err
	}
	e.registry, err = capabilities.Assemble(packs...)
	if err != nil {
		return nil, fmt.Errorf("the declarations do not assemble:\n%w", err)
	}
	e.live = capabilities.NewLive(e.registry)
	e.views = capabilities.NewViews(e.live, s.o.Gate)
	e.door = capabilities.NewDoor(capabilities.DoorOptions{
		Viewer: e.views, Codes: e.registry.Codes(), Log: p.log, Now: s.o.Now, Interceptors: s.o.Interceptors,
	})
	if err := e.bridgeServers(s, p.config); err != nil {
		return nil, err
	}
	return e, e.surface(s, p)
}

// bind answers the packs that the configuration asks for, and the caller's own.
func (s *Server) bind(e *engine, c *config.Config) ([]capabilities.Bound, error) {
	var packs []capabilities.Bound
	known := map[string]bool{}
	for _, n := range nativePacks() {
		b := n.bind(e)
		known[b.Info().Name] = true
		if c.Packs == nil || slices.Contains(c.Packs, b.Info().Name) {
			packs = append(packs, b)
		}
	}
	for _, b := range s.o.Packs {
		known[b.Info().Name] = true
	}
	for i, name := range c.Packs {
		if !known[name] {
			return nil, c.Fault(fmt.Sprintf("packs[%d]", i), fmt.Sprintf("there is no pack %q", name))
		}
	}
	return append(packs, s.o.Packs...), nil
}

func (e *engine) surface(s *Server, p *place) (err error) {
	e.mcp, err = mcpserver.New(mcpserver.Options{
		Door: e.door, Viewer: e.views, Log: p.log, Now: s.o.Now, Name: s.o.Name, Version: s.o.Version,
		Authenticate: func(r *http.Request) (*capabilities.Principal, error) { return httpapi.PrincipalOf(r.Context()), nil },
	})
	if err != nil {
		return err
	}
	docs, err := site.Handler(e.registry, s.o.Name, http.HandlerFunc(noPage))
	if err != nil {
		return err
	}
	e.http, err = httpapi.New(httpapi.Options{
		Door: e.door, Viewer: e.views, Builtins: e.registry, Authenticate: s.authenticate(p), Sessions: p.sessions,
		MCP: e.mcp.Handler(), Docs: docs, Listen: p.listen, Servers: e.serverStates,
		Title: s.o.Name, Version: s.o.Version, Log: p.log, Now: s.o.Now,
	})
	return err
}

// noPage answers for a documentation page that does not exist.
func noPage(w http.ResponseWriter, r *http.Request) {
	e := capabilities.Refuse(capabilities.NotFound, "there is no page %s: /docs lists them", r.URL.Path)
	status := e.Info().Status
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(status)
	_, _ = w.Write(wire.Problem(e, status, w.Header().Get("X-Request-Id"))) // the client is gone
}

// start starts the bridged servers and returns at once.
func (e *engine) start(ctx context.Context) { e.bridge.Start(ctx) }

func (e *engine) stop(ctx context.Context) error {
	bridged := make(chan error, 1)
	go func() { bridged <- e.bridge.Stop(ctx) }()
	finish, done := context.WithTimeout(ctx, finishTime)
	defer done()
	return errors.Join(e.mcp.Shutdown(finish), <-bridged)
}

// surfaces answers what every surface says about itself to a principal.
func (e *engine) surfaces(p *capabilities.Principal) []capabilities.SurfaceFacts {
	return []capabilities.SurfaceFacts{e.http.SurfaceFacts(), e.mcp.FactsFor(p)}
}

func (e *engine) systemDeps() system.Deps {
	return system.Deps{Viewer: lateViewer{e}, Surfaces: e.surfaces, Servers: e.serverRows}
}

// lateViewer is the engine's viewer for packs, which are bound before there is one.
type lateViewer struct{ e *engine }

func (v lateViewer) View(p *capabilities.Principal) *capabilities.View { return v.e.views.View(p) }

func (v lateViewer) Find(p *capabilities.Principal, name string) (*capabilities.Capability, *capabilities.Rule, bool) {
	return v.e.views.Find(p, name)
}

func (v lateViewer) Subscribe(f func()) (cancel func()) { return v.e.views.Subscribe(f) }
