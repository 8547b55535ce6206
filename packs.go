package holotype

import (
	"context"
	"fmt"
	"slices"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/capabilities/system"
	"github.com/seed-89b9419b/holotype/capabilities/tracker"
	"github.com/seed-89b9419b/holotype/internal/config"
)

// nativePacks lists the packs of this module: one line a pack.
func nativePacks() []nativePack {
	return []nativePack{
		native(system.Pack, (*engine).systemDeps),
		stored(tracker.Pack, (*engine).trackerDeps, tracker.Seed),
	}
}

// NativePacks answers the names of the packs of this module, in the order in which
// they are served.
func NativePacks() []string {
	var names []string
	for _, n := range nativePacks() {
		names = append(names, n.name)
	}
	return names
}

// nativePack binds a pack to a running engine, or describes it for generators.
type nativePack struct {
	name     string
	describe func() capabilities.Bound
	bind     func(e *engine) capabilities.Bound
	// able reports whether the engine has what every capability of the pack needs; nil
	// is always. A pack that it has not is left out.
	able func(e *engine) bool
	// seed fills a new store with what the examples of the pack stand on; nil is nothing.
	seed func(context.Context, capabilities.Invoker, *capabilities.Principal) error
}

func native[D any](p *capabilities.Pack[D], deps func(*engine) D) nativePack {
	return nativePack{
		name:     p.Describe().Info().Name,
		describe: p.Describe,
		bind:     func(e *engine) capabilities.Bound { return p.Bind(deps(e)) },
	}
}

// stored answers a pack that needs the store.
func stored[D any](p *capabilities.Pack[D], deps func(*engine) D, seed func(context.Context, capabilities.Invoker, *capabilities.Principal) error) nativePack {
	n := native(p, deps)
	n.able, n.seed = (*engine).keeps, seed
	return n
}

// chosen answers the native packs of the options.
func (s *Server) chosen() []nativePack {
	return slices.DeleteFunc(nativePacks(), func(n nativePack) bool {
		return s.o.NativePacks != nil && !slices.Contains(s.o.NativePacks, n.name)
	})
}

// bind answers the packs that the configuration asks for, and the caller's own.
func (s *Server) bind(e *engine, c *config.Config) ([]capabilities.Bound, error) {
	var packs []capabilities.Bound
	known := map[string]bool{}
	for _, n := range s.chosen() {
		known[n.name] = true
		if n.able != nil && !n.able(e) {
			continue
		}
		if c.Packs == nil || slices.Contains(c.Packs, n.name) {
			packs = append(packs, n.bind(e))
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

// described answers every capability of the chosen native packs and the caller's
// own, bound to nothing.
func (s *Server) described() (*capabilities.Registry, error) {
	if err := s.o.check(); err != nil {
		return nil, err
	}
	reg, err := capabilities.Assemble(s.describedPacks()...)
	if err != nil {
		return nil, fmt.Errorf("the declarations do not assemble:\n%w", err)
	}
	return reg, nil
}

func (s *Server) describedPacks() []capabilities.Bound {
	var packs []capabilities.Bound
	for _, n := range s.chosen() {
		packs = append(packs, n.describe())
	}
	for _, b := range s.o.Packs {
		packs = append(packs, b.Describe())
	}
	return packs
}

// keeps reports whether the engine has a store.
func (e *engine) keeps() bool { return e.kept.store != nil }

func (e *engine) trackerDeps() tracker.Deps { return tracker.Deps{Store: e.kept.store} }
