package config

import (
	"iter"
	"slices"
	"time"
)

// Danger is what a rule of approval asks about a tool. What nobody says anything about has every danger that its servers could deny.
type Danger string

// The closed set of dangers.
const (
	// DangerDestructive: not known to leave what exists as it is.
	DangerDestructive Danger = "destructive"
	// DangerWorld: not known to stay within this server.
	DangerWorld Danger = "world"
	// DangerUnknown: nobody says whether it reads, writes or destroys.
	DangerUnknown Danger = "unknown"
	// DangerWrite: not known to change nothing.
	DangerWrite Danger = "write"
)

// Approve says of which calls a person has to approve each before it runs. What is given has to be true of a call, all of it; one of Effects,
// Of and Tools is given.
type Approve struct {
	// Effects are dangers, one of which the tool has; nil asks about none.
	Effects []Danger
	// Of names packs and servers, one of which the tool is of; nil asks about none.
	Of []string
	// Tools are patterns, one of which stands for the tool; nil asks about none.
	Tools []string
	// Wait is how long a call is held for the decision, where it does not say so itself; 0 is not at all.
	Wait time.Duration
	// Valid is how long a request, and an approval, is good for.
	Valid time.Duration
}

// The bounds of an approval, in seconds.
const (
	// MaxApprovalWait is the longest that a call is held.
	MaxApprovalWait   = 300
	leastValid        = 60
	mostValid         = 30 * 24 * 60 * 60
	usualValidSeconds = 24 * 60 * 60
)

// approveEntry is an entry as it stands in the file.
type approveEntry struct {
	Effects      []string `json:"effects,omitempty"`
	Of           []string `json:"of,omitempty"`
	Tools        []string `json:"tools,omitempty"`
	WaitSeconds  int      `json:"wait_seconds"`
	ValidSeconds int      `json:"valid_seconds"`
}

// filled refuses an empty list, which could be read as all and as none.
func filled[T any](of shape[[]T], words string) shape[[]T] {
	s := *of.schema
	s.MinItems = 1
	return shape[[]T]{schema: &s, read: func(d *decoder, n *node, path string) ([]T, bool) {
		out, ok := of.read(d, n, path)
		if ok && len(out) == 0 {
			d.fault(n.line, path, "the list is empty: %s", words)
			return nil, false
		}
		return out, ok
	}}
}

// approveShape is the list of the rules of approval.
func approveShape() shape[[]Approve] {
	const leave = "leave the key out"
	danger := func(d Danger) option[string] { return option[string]{string(d), string(d)} }
	entry := object([]field[approveEntry]{
		key("effects", "What a call could do, the tool's effect or hints read the dangerous way: `destructive`, `world` (outside this server), `unknown`, `write`. One is enough.",
			filled(distinct(list(choice(danger(DangerDestructive), danger(DangerWorld), danger(DangerUnknown), danger(DangerWrite)))), leave),
			func(a *approveEntry) *[]string { return &a.Effects }),
		key("of", "The packs and the MCP servers whose tools are meant, by name.",
			filled(distinct(list(text(nameRule()))), leave), func(a *approveEntry) *[]string { return &a.Of }),
		key("tools", "The tools that are meant, written as in `allow`.",
			filled(distinct(list(text(patternRule()))), leave), func(a *approveEntry) *[]string { return &a.Tools }),
		key("wait_seconds", "How long a call is held for the decision, where it does not say so itself; 0 answers at once.",
			integer(0, MaxApprovalWait), func(a *approveEntry) *int { return &a.WaitSeconds }).defaulting("0"),
		key("valid_seconds", "How long a request waits for its decision, and how long it can be used once it is approved, counted from the request.",
			integer(leastValid, mostValid), func(a *approveEntry) *int { return &a.ValidSeconds }).defaulting("86400"),
	}, nil, func(d *decoder, n *node, path string, a *approveEntry) bool {
		if a.ValidSeconds == 0 {
			a.ValidSeconds = usualValidSeconds
		}
		if n.get("effects") == nil && n.get("of") == nil && n.get("tools") == nil {
			d.fault(n.line, path, "says of no calls that they need an approval: give effects, of or tools")
			return false
		}
		return true
	})
	for _, key := range []string{"effects", "of", "tools"} {
		entry.schema.AnyOf = append(entry.schema.AnyOf, &schema{Required: []string{key}})
	}
	return mapped(filled(list(entry), leave), func(all []approveEntry) []Approve {
		var out []Approve
		for _, a := range all {
			out = append(out, a.approve())
		}
		return out
	})
}

func (a approveEntry) approve() Approve {
	out := Approve{Of: a.Of, Tools: a.Tools, Wait: time.Duration(a.WaitSeconds) * time.Second, Valid: time.Duration(a.ValidSeconds) * time.Second}
	for _, e := range a.Effects {
		out.Effects = append(out.Effects, Danger(e))
	}
	return out
}

// approvals shows the rules of approval as they could stand in the file, defaults included.
func approvals(all []Approve) []approveEntry {
	out := make([]approveEntry, 0, len(all))
	for _, a := range all {
		e := approveEntry{Of: a.Of, Tools: a.Tools, WaitSeconds: int(a.Wait / time.Second), ValidSeconds: int(a.Valid / time.Second)}
		for _, d := range a.Effects {
			e.Effects = append(e.Effects, string(d))
		}
		out = append(out, e)
	}
	return out
}

// sameApprovals reports whether two lists ask for the same.
func sameApprovals(a, b []Approve) bool {
	return slices.EqualFunc(a, b, func(a, b Approve) bool {
		return slices.Equal(a.Effects, b.Effects) && slices.Equal(a.Of, b.Of) && slices.Equal(a.Tools, b.Tools) && a.Wait == b.Wait && a.Valid == b.Valid
	})
}

// AsksApproval answers where the first rule that asks for an approval stands, such as seats[1].gate.approve, and "" where none does.
func (c *Config) AsksApproval() (path string) {
	for r := range c.EveryRules() {
		if len(r.Approve) > 0 {
			return under(r.Path, "approve")
		}
	}
	return ""
}

// EveryRules yields the rules for everybody, then those of the principals, then those of the seats.
func (c *Config) EveryRules() iter.Seq[Rules] {
	return func(yield func(Rules) bool) {
		if !yield(c.Gate.Rules) {
			return
		}
		for _, p := range c.Principals {
			if !yield(p.Rules) {
				return
			}
		}
		for _, s := range c.Seats {
			if !yield(s.Gate) {
				return
			}
		}
	}
}
