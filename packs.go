package holotype

import (
	"fmt"
	"slices"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/capabilities/system"
	"github.com/seed-89b9419b/holotype/internal/config"
)

// nativePacks lists the packs of this module: one line a pack.
func nativePacks() []nativePack {
	return []nativePack{
		native(system.Pack, (*engine).systemDeps),
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
}

func native[D any](p *capabilities.Pack[D], deps func(*engine) D) nativePack {
	return nativePack{
		name:     p.Describe().Info().Name,
		describe: p.Describe,
		bind:     func(e *engine) capabilities.Bound { return p.Bind(deps(e)) },
	}
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
