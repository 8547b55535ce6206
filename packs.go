package holotype

import (
	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/capabilities/system"
)

// nativePacks lists the packs of this module: one line a pack.
func nativePacks() []nativePack {
	return []nativePack{
		native(system.Pack, (*engine).systemDeps),
	}
}

// nativePack binds a pack to a running engine, or describes it for generators.
type nativePack struct {
	describe func() capabilities.Bound
	bind     func(e *engine) capabilities.Bound
}

func native[D any](p *capabilities.Pack[D], deps func(*engine) D) nativePack {
	return nativePack{
		describe: p.Describe,
		bind:     func(e *engine) capabilities.Bound { return p.Bind(deps(e)) },
	}
}
