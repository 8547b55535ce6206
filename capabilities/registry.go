package capabilities

import (
	"iter"
	"slices"
	"strings"
)

// Registry is the immutable set of capabilities assembled for now, in the order
// of their names. What is relayed besides tools stands apart: it is found by its name and
// in no walk.
type Registry struct {
	all    []*Capability
	relays []*Capability // which are no tools
	byName map[string]*Capability
	packs  []PackInfo
	codes  []CodeInfo
}

func newRegistry(all []*Capability, packs []PackInfo, codes []CodeInfo) *Registry {
	r := &Registry{all: make([]*Capability, 0, len(all)), byName: make(map[string]*Capability, len(all)), packs: packs, codes: codes}
	for _, c := range all {
		if c.Method() != "" {
			r.relays = append(r.relays, c)
			r.byName[c.name] = c
			continue
		}
		r.all = append(r.all, c)
	}
	byName := func(a, b *Capability) int { return strings.Compare(a.name, b.name) }
	slices.SortFunc(r.all, byName)
	slices.SortFunc(r.relays, byName)
	for _, c := range r.all {
		r.byName[c.name] = c
	}
	return r
}

// All walks the capabilities in the order of their names, aliases included.
func (r *Registry) All() iter.Seq[*Capability] { return slices.Values(r.all) }

// Len answers how many capabilities there are, aliases included.
func (r *Registry) Len() int { return len(r.all) }

// Find answers the capability of that name, which may be a relayed method.
func (r *Registry) Find(name string) (*Capability, bool) {
	c, ok := r.byName[name]
	return c, ok
}

// Relays walks the methods of other servers that are relayed, in the order of their names.
func (r *Registry) Relays() iter.Seq[*Capability] { return slices.Values(r.relays) }

// Packs answers the native packs in the order they were assembled.
func (r *Registry) Packs() []PackInfo { return slices.Clone(r.packs) }

// Codes answers the base codes and those the packs declare, in a fixed order.
func (r *Registry) Codes() []CodeInfo { return slices.Clone(r.codes) }

// with answers a registry with further capabilities; a name that is taken keeps
// its first holder.
func (r *Registry) with(layers ...[]*Capability) *Registry {
	all := slices.Concat(r.all, r.relays)
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
