package capabilities

import (
	"maps"
	"slices"
	"sync"
	"sync/atomic"
)

// Live holds the registry of now and swaps snapshots of it. Builtins stand for
// the life of the process; every bridged server has a layer that is replaced as
// a whole. It is safe for concurrent use.
type Live struct {
	builtin *Registry
	now     atomic.Pointer[snapshot]

	mu          sync.Mutex
	shared      map[string][]*Capability            // server -> tools for everybody
	seats       map[string]map[string][]*Capability // seat -> server -> tools of its own child
	subscribers map[int]func()
	next        int
}

// A snapshot puts a registry together when somebody first asks for it: many servers that
// come up at once swap as often as there are servers, and each registry holds all tools.
type snapshot struct {
	generation uint64
	registry   func() *Registry
	seats      map[string]func() *Registry
}

// NewLive answers a Live that holds the builtins alone.
func NewLive(builtin *Registry) *Live {
	l := &Live{
		builtin: builtin, shared: map[string][]*Capability{},
		seats: map[string]map[string][]*Capability{}, subscribers: map[int]func(){},
	}
	l.now.Store(&snapshot{generation: 1, registry: func() *Registry { return builtin }})
	return l
}

// Registry answers the snapshot that everybody shares: builtins and the tools of
// shared servers.
func (l *Live) Registry() *Registry { return l.now.Load().registry() }

// Generation answers a number that grows with every swap.
func (l *Live) Generation() uint64 { return l.now.Load().generation }

// For answers the registry as a principal's position has it: the tools of its own
// children first, then shared servers', then builtins.
func (l *Live) For(p *Principal) *Registry {
	r, _ := l.forPrincipal(p)
	return r
}

func (l *Live) forPrincipal(p *Principal) (*Registry, uint64) {
	s := l.now.Load()
	if p != nil && p.Seat != "" {
		if r, ok := s.seats[p.Seat]; ok {
			return r(), s.generation
		}
	}
	return s.registry(), s.generation
}

// Replace swaps the layer of a bridged server: for everybody when seat is "",
// else for that seat alone. No tools removes the layer. A builtin's name is never
// taken. Subscribers are called after the swap.
func (l *Live) Replace(seat, server string, tools []*Capability) {
	l.mu.Lock()
	layer := l.shared
	if seat != "" {
		layer = l.seats[seat]
	}
	switch {
	case len(tools) == 0:
		if delete(layer, server); seat != "" && len(layer) == 0 {
			delete(l.seats, seat) // the seat has what everybody has
		}
	case layer == nil:
		l.seats[seat] = map[string][]*Capability{server: slices.Clone(tools)}
	default:
		layer[server] = slices.Clone(tools)
	}
	l.swapped()
}

// Renew swaps the registry for an equal one, after what somebody may see has changed for
// another reason. Subscribers are called after the swap.
func (l *Live) Renew() {
	l.mu.Lock()
	l.swapped()
}

// swapped swaps, lets go of mu and calls the subscribers.
func (l *Live) swapped() {
	l.swap()
	subs := make([]func(), 0, len(l.subscribers))
	for _, k := range slices.Sorted(maps.Keys(l.subscribers)) {
		subs = append(subs, l.subscribers[k])
	}
	l.mu.Unlock()
	for _, f := range subs {
		f()
	}
}

func (l *Live) swap() {
	s := &snapshot{generation: l.now.Load().generation + 1, seats: map[string]func() *Registry{}}
	shared := inOrder(l.shared)
	of := func(layers [][]*Capability) func() *Registry {
		return sync.OnceValue(func() *Registry { return l.builtin.with(layers...) })
	}
	s.registry = of(shared)
	for seat, own := range l.seats {
		s.seats[seat] = of(slices.Concat(inOrder(own), shared))
	}
	l.now.Store(s)
}

// inOrder answers the layers in the order of their servers' names.
func inOrder(layers map[string][]*Capability) [][]*Capability {
	var all [][]*Capability
	for _, k := range slices.Sorted(maps.Keys(layers)) {
		all = append(all, layers[k])
	}
	return all
}

// Subscribe calls f after every swap until the answered function is called. f
// must return soon and must not call Replace.
func (l *Live) Subscribe(f func()) (cancel func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	id := l.next
	l.next++
	l.subscribers[id] = f
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		delete(l.subscribers, id)
	}
}
