package gate

import (
	"fmt"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/config"
)

// Rules are the rules of a configuration, made ready to decide. They are immutable. A nil
// *Rules are those of a configuration without any, and without a seat.
type Rules struct {
	approves   bool // some rule asks for approvals
	off        map[string]struct{}
	everybody  *block
	owner      *block
	seats      map[string]*block
	granted    map[string]*capabilities.Principal // what every seat was granted, by its id
	people     map[string]*block
	credential map[string]*block
}

// block is one set of rules.
type block struct {
	path                                 string
	allows                               bool // there is a list of what is left
	allow, deny, refuse                  patterns
	readOnly, noDestructive, noOpenWorld bool
	approve                              []approve
}

// Compile answers the rules of a configuration, nil where it has none.
func Compile(c *config.Config) *Rules {
	r := &Rules{everybody: blockOf(c.Gate.Rules), off: map[string]struct{}{}, seats: map[string]*block{}, granted: map[string]*capabilities.Principal{}, people: map[string]*block{}, credential: map[string]*block{}}
	for _, name := range c.Gate.Off {
		r.off[name] = struct{}{}
	}
	some := r.everybody != nil || len(r.off) > 0
	r.approves = r.everybody != nil && len(r.everybody.approve) > 0
	add := func(to map[string]*block, id string, rules config.Rules) {
		if b := blockOf(rules); b != nil {
			to[id], some = b, true
			r.approves = r.approves || len(b.approve) > 0
		}
	}
	for _, s := range c.Seats {
		add(r.seats, s.ID, s.Gate)
		r.granted[s.ID], some = &capabilities.Principal{ID: s.ID, Kind: capabilities.Seat, Scopes: s.Granted()}, true
	}
	for _, p := range c.Principals {
		switch kind, id := config.PrincipalID(p.ID); kind {
		case config.PrincipalOwner:
			r.owner = blockOf(p.Rules)
			if r.owner != nil {
				some, r.approves = true, r.approves || len(r.owner.approve) > 0
			}
		case config.PrincipalPerson:
			add(r.people, id, p.Rules)
		case config.PrincipalToken:
			add(r.credential, id, p.Rules)
		}
	}
	if !some {
		return nil
	}
	return r
}

func blockOf(r config.Rules) *block {
	b := &block{
		path: r.Path, allows: r.Allow != nil, allow: compile(r.Allow), deny: compile(r.Deny), refuse: compile(r.Refuse),
		readOnly: r.ReadOnly, noDestructive: r.NoDestructive, noOpenWorld: r.NoOpenWorld, approve: compileApprovals(r),
	}
	if !b.allows && len(b.approve) == 0 && r.Deny == nil && r.Refuse == nil && !b.readOnly && !b.noDestructive && !b.noOpenWorld {
		return nil
	}
	return b
}

// decide answers the rule that keeps a principal from a capability, or nil. A rule that
// hides comes before one that leaves it listed. What is granted passes the rules about the
// principal itself, see [Grant].
func (r *Rules) decide(p *capabilities.Principal, c *capabilities.Capability, granted bool) *capabilities.Rule {
	if p.Seat != "" {
		if rule := r.seated(p, c, granted); rule != nil {
			return rule
		}
	}
	if r == nil {
		return nil
	}
	if len(r.off) > 0 {
		group := c.Group()
		if _, off := r.off[group]; off {
			return &capabilities.Rule{Reason: Off, Message: fmt.Sprintf("%s is switched off for everybody, with all of %s (gate.off in the configuration): ask the owner of this server", c.Name(), group)}
		}
	}
	blocks := r.of(p)
	if granted {
		blocks[1], blocks[2], blocks[3] = nil, nil, nil
	}
	for _, b := range blocks {
		if rule := b.hides(c); rule != nil {
			return rule
		}
	}
	for _, b := range blocks {
		if b != nil && b.refuse.match(c) {
			rule := b.rule(c, Refused, "is refused")
			rule.Listed = true
			return rule
		}
	}
	return nil
}

// seated answers the rule that keeps whoever is in a seat from a capability, or nil. A seat
// that is not configured any more limits nothing by itself, so nothing passes in it.
func (r *Rules) seated(p *capabilities.Principal, c *capabilities.Capability, granted bool) *capabilities.Rule {
	var seat *capabilities.Principal
	there := false
	if r != nil {
		seat, there = r.granted[p.Seat]
	}
	switch {
	case !there:
		return &capabilities.Rule{Reason: NoSeat, Message: fmt.Sprintf("%s cannot be called from the seat %q, which is not configured here any more: ask the owner of this server", c.Name(), p.Seat)}
	case !granted && !seat.Has(c.Scope()):
		return capabilities.Scopes{}.Decide(seat, c)
	}
	return nil
}

// of answers the rules that are for a principal; nil where there are none. First are those
// for everybody; those of the principal, of its token and of its seat follow.
func (r *Rules) of(p *capabilities.Principal) [5]*block {
	all := [5]*block{0: r.everybody}
	switch p.Kind {
	case capabilities.Owner:
		all[1] = r.owner
	case capabilities.Person:
		all[1] = r.people[p.ID]
	case capabilities.Seat, capabilities.Operator:
	}
	if p.Credential != "" {
		all[2] = r.credential[p.Credential]
	}
	if p.Seat != "" {
		all[3] = r.seats[p.Seat]
	}
	if p.ActingFor != "" {
		all[4] = r.people[p.ActingFor]
	}
	return all
}

// hides answers the rule of a block that hides a capability, or nil.
func (b *block) hides(c *capabilities.Capability) *capabilities.Rule {
	if b == nil {
		return nil
	}
	switch hints := c.Hints(); {
	case b.deny.match(c):
		return b.rule(c, Denied, "is denied")
	case b.allows && !b.allow.match(c):
		return b.rule(c, NotAllowed, "is not among what is allowed")
	case b.readOnly && !hints.ReadOnlyProven():
		return b.rule(c, NotReadOnly, "is not known to change nothing, and only what is may be called")
	case b.noDestructive && !hints.ReadOnlyProven() && hints.Destructive != capabilities.No:
		return b.rule(c, Destructive, "may change or remove what exists, and only what is known not to may be called")
	case b.noOpenWorld && hints.OpenWorld != capabilities.No:
		return b.rule(c, OpenWorld, "may touch what others read and write, and only what is known not to may be called")
	}
	return nil
}

func (b *block) rule(c *capabilities.Capability, reason, what string) *capabilities.Rule {
	return &capabilities.Rule{Reason: reason, Message: fmt.Sprintf("%s %s (%s in the configuration): ask the owner of this server", c.Name(), what, b.path)}
}
