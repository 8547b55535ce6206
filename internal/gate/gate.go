package gate

import (
	"sync/atomic"

	"github.com/seed-89b9419b/holotype/capabilities"
)

// Gate decides by the rules of now. It is safe for concurrent use.
type Gate struct {
	before capabilities.Gate
	rules  atomic.Pointer[Rules]
	grants atomic.Pointer[Grants]
}

var _ capabilities.Gate = (*Gate)(nil)

// New answers a gate whose rules come after what another gate has decided, such as
// [capabilities.Scopes].
func New(before capabilities.Gate, rules *Rules) *Gate {
	g := &Gate{before: before}
	g.rules.Store(rules)
	return g
}

// Put replaces the rules. Views that were made before stand until the registry is swapped,
// see [capabilities.Live.Renew]; calls are judged by the new rules at once.
func (g *Gate) Put(rules *Rules) { g.rules.Store(rules) }

// Decide implements [capabilities.Gate].
func (g *Gate) Decide(p *capabilities.Principal, c *capabilities.Capability) *capabilities.Rule {
	return g.Judge(p, c, g.grants.Load().lifts(p, c))
}
