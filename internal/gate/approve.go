package gate

import (
	"fmt"
	"slices"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/config"
)

// Decision is the capability by which a person decides on a request. It needs no approval
// itself, whatever a rule says: nobody could ever give one.
const Decision = "decide_approval"

var _ capabilities.Approvals = (*Gate)(nil)

// approve is one rule that asks for a person's approval.
type approve struct {
	effects []config.Danger
	of      []string
	tools   patterns
	asks    bool // about the name
	need    capabilities.ApprovalNeed
}

func compileApprovals(r config.Rules) []approve {
	var all []approve
	for i, a := range r.Approve {
		all = append(all, approve{
			effects: a.Effects, of: a.Of, tools: compile(a.Tools), asks: a.Tools != nil,
			need: capabilities.ApprovalNeed{Path: fmt.Sprintf("%s.approve[%d]", r.Path, i), Wait: a.Wait, Valid: a.Valid},
		})
	}
	return all
}

// about reports whether all that the rule says is true of a capability.
func (a *approve) about(c *capabilities.Capability) bool {
	switch {
	case a.of != nil && !slices.Contains(a.of, c.Group()):
		return false
	case a.asks && !a.tools.match(c):
		return false
	case a.effects == nil:
		return true
	}
	for _, d := range a.effects {
		if dangerous(d, c) {
			return true
		}
	}
	return false
}

// dangerous reports whether a call may have a danger, as far as anybody says. A builtin
// says all of it; of a bridged tool, what nobody denies may be.
func dangerous(d config.Danger, c *capabilities.Capability) bool {
	hints := c.Hints()
	switch d {
	case config.DangerDestructive:
		return hints.AskFirst()
	case config.DangerWorld:
		if e, builtin := c.Effect(); builtin {
			return e.Reach() == capabilities.World
		}
		return hints.OpenWorld != capabilities.No
	case config.DangerUnknown:
		return c.Bridged() && hints.ReadOnly == capabilities.Unknown && hints.Destructive != capabilities.Yes
	case config.DangerWrite:
		return !hints.ReadOnlyProven()
	}
	return true
}

// NeedsApproval implements [capabilities.Approvals]. Of several rules the one that is
// found first is named; a call is held as long as the most patient of them says, and its
// approval is good for as long as the strictest does.
func (g *Gate) NeedsApproval(p *capabilities.Principal, c *capabilities.Capability) (need capabilities.ApprovalNeed, needed bool) {
	r := g.rules.Load()
	if r == nil || !r.approves || p == nil || c.Name() == Decision || c.Lists() {
		return need, false
	}
	for _, b := range r.of(p) {
		if b == nil {
			continue
		}
		for i := range b.approve {
			a := &b.approve[i]
			switch {
			case !a.about(c):
			case !needed:
				need, needed = a.need, true
			default:
				need.Wait, need.Valid = max(need.Wait, a.need.Wait), min(need.Valid, a.need.Valid)
			}
		}
	}
	return need, needed
}
