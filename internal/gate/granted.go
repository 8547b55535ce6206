package gate

import (
	"math"
	"time"

	"github.com/seed-89b9419b/holotype/capabilities"
)

// Grant lets a principal call one capability that the rules about the principal itself
// take away: its scopes, and the blocks of its own, of its token and of its seat. What is
// set for everybody, and what is set for whom it acts for, stays as it is.
type Grant struct {
	// Kind and ID are the principal's. The owner needs no grants and has none.
	Kind capabilities.PrincipalKind
	ID   string
	// Capability is the name of what is granted. It stands for its old names, too.
	Capability string
	// Until is when it ends; the zero time is never.
	Until time.Time
}

// Grants are the grants of now, made ready to decide. They are immutable. A nil *Grants
// are none.
type Grants struct {
	until map[held]int64 // milliseconds since 1970
	now   func() time.Time
}

// held is what a grant is found by.
type held struct {
	kind           capabilities.PrincipalKind
	id, capability string
}

// CompileGrants answers grants that are judged by a clock, nil where there are none. Of
// several for the same the one that ends last counts.
func CompileGrants(all []Grant, now func() time.Time) *Grants {
	if len(all) == 0 {
		return nil
	}
	g := &Grants{until: make(map[held]int64, len(all)), now: now}
	for _, one := range all {
		until := int64(math.MaxInt64)
		if !one.Until.IsZero() {
			until = one.Until.UnixMilli()
		}
		k := held{one.Kind, one.ID, one.Capability}
		g.until[k] = max(g.until[k], until)
	}
	return g
}

// lifts reports whether a principal has a grant of a capability now.
func (g *Grants) lifts(p *capabilities.Principal, c *capabilities.Capability) bool {
	if g == nil || p == nil || p.Kind == capabilities.Owner {
		return false
	}
	name := c.Name()
	if now := c.AliasOf(); now != "" {
		name = now
	}
	until, there := g.until[held{p.Kind, p.ID, name}]
	return there && (until == math.MaxInt64 || g.now().UnixMilli() < until)
}

// PutGrants replaces the grants. Views that were made before stand until the registry is
// swapped, see [capabilities.Live.Renew]; calls are judged by the new grants at once, and
// by the clock.
func (g *Gate) PutGrants(grants *Grants) { g.grants.Store(grants) }

// Judge is what Decide answers where the principal has a grant of the capability, or
// where it has none, whatever grants there are.
func (g *Gate) Judge(p *capabilities.Principal, c *capabilities.Capability, granted bool) *capabilities.Rule {
	if rule := g.scoped(p, c, granted); rule != nil {
		return rule
	}
	return g.rules.Load().decide(p, c, granted)
}

// scoped asks the gate that comes before the rules. A grant stands for the scope. A gate
// of somebody else's may ask for more than scopes, and is asked once more with it.
func (g *Gate) scoped(p *capabilities.Principal, c *capabilities.Capability, granted bool) *capabilities.Rule {
	_, scopesAlone := g.before.(capabilities.Scopes)
	if granted && scopesAlone {
		return nil
	}
	rule := g.before.Decide(p, c)
	if rule == nil || !granted || rule.Reason != capabilities.ReasonScope {
		return rule
	}
	wider := *p
	wider.Scopes = append([]string{c.Scope()}, p.Scopes...)
	if p.Within != nil {
		wider.Within = append([]string{c.Scope()}, p.Within...)
	}
	return g.before.Decide(&wider, c)
}
