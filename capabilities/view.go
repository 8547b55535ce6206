package capabilities

import (
	"fmt"
	"hash/fnv"
	"slices"
	"strings"
	"sync"
)

// Rule is why a principal may not call a capability, and the refusal a call of it
// meets: the same decision filters the list and guards the call.
type Rule struct {
	Reason  string // one word of the gate's closed, documented set
	Message string // what failed, on what, whom to ask
	// Listed says that the capability is listed all the same; otherwise it is hidden.
	Listed bool
}

// ReasonScope is the reason of a principal that lacks the capability's scope.
const ReasonScope = "scope"

// Gate is the one decision whether a principal may make a call now. It answers
// nil for yes. What it decides must not change without a swap of the registry, see
// [Live.Renew].
type Gate interface {
	Decide(p *Principal, c *Capability) *Rule
}

// Scopes is the gate that knows scopes alone.
type Scopes struct{}

// Decide answers a rule unless the principal has the capability's scope.
func (Scopes) Decide(p *Principal, c *Capability) *Rule {
	if p.Has(c.scope) {
		return nil
	}
	return &Rule{Reason: ReasonScope, Message: fmt.Sprintf("%s needs the scope %q, which %s was not granted: ask the owner of this server", c.name, c.scope, p.label())}
}

func (p *Principal) label() string {
	if p == nil {
		return "an unknown caller"
	}
	return string(p.Kind) + " " + p.ID
}

// Hidden is a capability a principal may not call, with the rule.
type Hidden struct {
	Capability *Capability
	Rule       Rule
}

// View is the registry as one principal sees it. It is immutable: two calls for
// the same principal answer the same pointer until something changed.
type View struct {
	Listed []*Capability // in the order of their names
	Hidden []Hidden
	// Refused are those of Listed whose calls are refused all the same, in their order; for
	// the reason [ReasonApproval] only until a person approves.
	Refused []Hidden
	// Relays are the methods of other servers, besides tools, that the principal may have
	// relayed, in the order of their names.
	Relays []*Capability
	// HiddenRelays are those that it may not have.
	HiddenRelays []*Capability
	Digest       string // equal for equal lists of one generation
}

// Everything answers what is listed and what is hidden, in the order of the names.
func (v *View) Everything() []*Capability {
	all := slices.Clone(v.Listed)
	for _, h := range v.Hidden {
		all = append(all, h.Capability)
	}
	slices.SortFunc(all, func(a, b *Capability) int { return strings.Compare(a.name, b.name) })
	return all
}

// ShowsHidden answers nil for a principal that may be shown what is hidden, else the refusal.
func ShowsHidden(p *Principal) *Error {
	if p.Has(ScopeAdmin) {
		return nil
	}
	return Refuse(Forbidden, "what is hidden is shown to whoever has the scope %q: leave hidden out", ScopeAdmin)
}

// Viewer answers views. [Views] is the one implementation in a serving process.
type Viewer interface {
	// View answers the whole view of a principal.
	View(p *Principal) *View
	// Find answers one capability, and the rule where the principal may not call it. ok
	// is false for a name in no view.
	Find(p *Principal, name string) (c *Capability, refused *Rule, ok bool)
	// Subscribe calls f after any view may have changed, until cancelled.
	Subscribe(f func()) (cancel func())
}

// Views filters a [Live] registry by a [Gate].
type Views struct {
	live *Live
	gate Gate

	mu    sync.Mutex
	gen   uint64
	cache map[string]*View
}

// maxViews bounds the cache: beyond it, views are built anew.
const maxViews = 1024

// NewViews answers the viewer of a live registry and a gate.
func NewViews(live *Live, gate Gate) *Views {
	return &Views{live: live, gate: gate, cache: map[string]*View{}}
}

// View answers the view of a principal.
func (v *Views) View(p *Principal) *View {
	reg, gen := v.live.forPrincipal(p)
	key := p.viewKey()
	v.mu.Lock()
	if v.gen != gen || len(v.cache) >= maxViews {
		v.gen, v.cache = gen, map[string]*View{}
	}
	if w, ok := v.cache[key]; ok {
		v.mu.Unlock()
		return w
	}
	v.mu.Unlock()
	w := v.build(reg, gen, p)
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.gen == gen {
		if first, ok := v.cache[key]; ok {
			return first
		}
		v.cache[key] = w
	}
	return w
}

func (v *Views) build(reg *Registry, gen uint64, p *Principal) *View {
	w := &View{}
	h := fnv.New64a()
	if p != nil { // a seat's own tools may have the names of another's
		h.Write([]byte(p.Seat))
		h.Write([]byte{0})
	}
	for c := range reg.All() {
		rule := v.decide(p, c)
		if rule != nil && !rule.Listed {
			w.Hidden = append(w.Hidden, Hidden{c, *rule})
			continue
		}
		if rule == nil {
			rule = v.asks(p, c)
		}
		if rule != nil {
			w.Refused = append(w.Refused, Hidden{c, *rule})
		}
		w.Listed = append(w.Listed, c)
		h.Write([]byte(c.name))
		h.Write([]byte{0})
	}
	w.Relays, w.HiddenRelays = relaysOf(reg.relays, func(c *Capability) *Rule { return v.decide(p, c) })
	w.Digest = fmt.Sprintf("%d-%x", gen, h.Sum64())
	return w
}

// Find answers one capability of the principal's registry, decided by the gate.
func (v *Views) Find(p *Principal, name string) (*Capability, *Rule, bool) {
	c, ok := v.live.For(p).Find(name)
	if !ok {
		return nil, nil, false
	}
	return c, v.decide(p, c), true
}

// Relays answers those of relayed methods that a principal may have, be they in the registry
// or of a server that has not told yet what it offers.
func (v *Views) Relays(p *Principal, all []*Capability) []*Capability {
	open, _ := relaysOf(all, func(c *Capability) *Rule { return v.decide(p, c) })
	return open
}

// decide answers the rule that keeps a principal from a capability, or nil.
func (v *Views) decide(p *Principal, c *Capability) *Rule {
	if p != nil {
		if rule := p.Narrowing.decide(c); rule != nil {
			return rule
		}
	}
	return v.gate.Decide(p, c)
}

// asks answers the rule by which a person has to approve a call that the principal may
// make, or nil. It keeps nobody from the call: what is done about it is the door's
// interceptor of [StageApproval].
func (v *Views) asks(p *Principal, c *Capability) *Rule {
	approvals, ok := v.gate.(Approvals)
	if !ok {
		return nil
	}
	need, needed := approvals.NeedsApproval(p, c)
	if !needed {
		return nil
	}
	rule := need.rule(c)
	return &rule
}

// Subscribe calls f after every swap of the registry.
func (v *Views) Subscribe(f func()) (cancel func()) { return v.live.Subscribe(f) }
