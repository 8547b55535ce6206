package capabilities

import (
	"iter"
	"slices"
	"strings"
)

// Registry is the immutable set of capabilities assembled for now, in the order
// of their names.
type Registry struct {
	all    []*Capability
	byName map[string]*Capability
	packs  []PackInfo
	codes  []CodeInfo
}

func newRegistry(all []*Capability, packs []PackInfo, codes []CodeInfo) *Registry {
	r := &Registry{all: slices.Clone(all), byName: make(map[string]*Capability, len(all)), packs: packs, codes: codes}
	slices.SortFunc(r.all, func(a, b *Capability) int { return strings.Compare(a.name, b.name) })
	for _, c := range r.all {
		r.byName[c.name] = c
	}
	return r
}

// All walks the capabilities in the order of their names, aliases included.
func (r *Registry) All() iter.Seq[*Capability] { return slices.Values(r.all) }

// Len answers how many capabilities there are, aliases included.
func (r *Registry) Len() int { return len(r.all) }

// Find answers the capability of that name.
func (r *Registry) Find(name string) (*Capability, bool) {
	c, ok := r.byName[name]
	return c, ok
}

// Packs answers the native packs in the order they were assembled.
func (r *Registry) Packs() []PackInfo { return slices.Clone(r.packs) }

// Codes answers the base codes and those the packs declare, in a fixed order.
func (r *Registry) Codes() []CodeInfo { return slices.Clone(r.codes) }

// with answers a registry with further capabilities; a name that is taken keeps
// its first holder.
func (r *Registry) with(layers ...[]*Capability) *Registry {
	all := slices.Clone(r.all)
	taken := make(map[string]bool, len(all))
	for _, c := range all {
		taken[c.name] = true
	}
	for _, layer := range layers {
		for _, c := range layer {
			if !taken[c.name] {
				taken[c.name] = true
				all = append(all, c)
			}
		}
	}
	return newRegistry(all, r.packs, r.codes)
}
