package config

import (
	"slices"
	"strings"
)

// Rules limit whom they stand for: every rule has to let a call pass. The zero value lets everything pass.
type Rules struct {
	// Allow are the patterns of the tools that are left; nil leaves all of them. It is never empty otherwise.
	Allow []string
	// Deny are the patterns of tools that are taken away. It wins over Allow.
	Deny []string
	// Refuse are the patterns of tools that stay listed, and each of whose calls is refused.
	Refuse []string
	// ReadOnly leaves what is known to change nothing, NoDestructive what is known to destroy nothing, and NoOpenWorld what is known to touch
	// nothing outside. What nobody says anything about is taken away by each.
	ReadOnly, NoDestructive, NoOpenWorld bool
	// Approve says which calls a person has to approve first: those that one of the entries is about.
	Approve []Approve
	// Path is where the rules stand in the file, such as seats[1].gate, and Line on which line; empty and 0 when the file has none.
	Path string
	Line int
}

// Gate are the rules for everybody.
type Gate struct {
	Rules
	// Off names the packs and the servers whose tools are taken away.
	Off []string
}

// PrincipalRules are the rules of one principal.
type PrincipalRules struct {
	// ID is owner, person: and the id of a person, or token: and the id of a token.
	ID    string
	Rules Rules
	// RateLimits are the limits on the calls of the principal, in place of those for everybody.
	RateLimits RateLimits
	// Line is where the entry stands.
	Line int
}

// patternRule is the grammar of a pattern. The name of a method that is relayed to a server has a slash.
func patternRule() rule {
	return rule{`^(\*|[A-Za-z0-9_/-]+\*?)$`, 80, "the name of a tool, or its beginning with one * behind it; * alone stands for every tool"}
}

func principalRule() rule {
	return rule{`^(owner|(person|token):[A-Za-z0-9][A-Za-z0-9._-]*)$`, 100, "owner, person: and the id of a person, or token: and the id of a token"}
}

// patternsShape accepts a list that says something: an empty one could be read as all and as none.
func patternsShape(empty string) shape[[]string] {
	return filled(distinct(list(text(patternRule()))), empty)
}

func rulesFields[T any](rules func(*T) *Rules) []field[T] {
	return []field[T]{
		key("allow", "The tools that are left, by name or by the beginning of a name with `*` behind it. Without this key, all of them.",
			patternsShape(`leave the key out to allow every tool, or write deny: ["*"] to allow none`), func(t *T) *[]string { return &rules(t).Allow }),
		key("deny", "The tools that are taken away, written as in `allow`, over which it wins.",
			patternsShape("leave the key out"), func(t *T) *[]string { return &rules(t).Deny }),
		key("refuse", "The tools that stay listed, and each of whose calls is refused, written as in `allow`.",
			patternsShape("leave the key out"), func(t *T) *[]string { return &rules(t).Refuse }),
		key("read_only", "Whether only tools are left that are known to change nothing.", boolean(), func(t *T) *bool { return &rules(t).ReadOnly }).defaulting("false"),
		key("no_destructive", "Whether only tools are left that are known to change and remove nothing that exists.", boolean(),
			func(t *T) *bool { return &rules(t).NoDestructive }).defaulting("false"),
		key("no_open_world", "Whether only tools are left that are known to touch nothing that others read and write here, nor anything outside.", boolean(),
			func(t *T) *bool { return &rules(t).NoOpenWorld }).defaulting("false"),
		key("approve", "The calls that a person has to approve first, each by itself. An entry is about a call when all that it says is true of it.",
			approveShape(), func(t *T) *[]Approve { return &rules(t).Approve }),
	}
}

// rulesShape is the table of the rules of a seat or of a principal.
func rulesShape() shape[Rules] {
	return object(rulesFields(func(r *Rules) *Rules { return r }), nil, func(_ *decoder, n *node, path string, r *Rules) bool {
		r.Path, r.Line = path, n.line
		return true
	})
}

// gateShape is the table of the rules for everybody.
func gateShape() shape[Gate] {
	off := key("off", "The packs and the MCP servers whose tools are taken away from everybody, by name.",
		distinct(list(text(nameRule()))), func(g *Gate) *[]string { return &g.Off })
	return object(append(rulesFields(func(g *Gate) *Rules { return &g.Rules }), off), nil, func(_ *decoder, n *node, path string, g *Gate) bool {
		g.Path, g.Line = path, n.line
		return true
	})
}

// principalShape is the table of an entry of principals.
func principalShape() shape[PrincipalRules] {
	of := object([]field[PrincipalRules]{
		key("id", "Whom the rules and the limits are for: `owner`, `person:` and the id of a person, or `token:` and the id of a token.",
			text(principalRule()), func(p *PrincipalRules) *string { return &p.ID }).needed(),
		key("gate", "The rules. They come on top of those for everybody.", rulesShape(), func(p *PrincipalRules) *Rules { return &p.Rules }),
		key("rate_limits", "How many calls the principal may make, in place of the limits for everybody.", rateLimitsShape(), func(p *PrincipalRules) *RateLimits { return &p.RateLimits }),
	}, nil, func(d *decoder, n *node, path string, p *PrincipalRules) bool {
		p.Line = n.line
		if n.get("gate") == nil && n.get("rate_limits") == nil {
			d.fault(n.line, path, "says nothing: write gate for rules, rate_limits for limits, or both")
			return false
		}
		return true
	})
	of.schema.AnyOf = []*schema{{Required: []string{"gate"}}, {Required: []string{"rate_limits"}}}
	return of
}

// checkPrincipals judges whom rules are for. Tokens are no part of the configuration: whether there is such a one is not judged.
func (l *loading) checkPrincipals(people idSet) {
	lines := idSet{l.own, "principal", nil}
	for i, p := range l.config.Principals {
		path := at("principals", i)
		lines.add(p.ID, p.Line, path)
		if kind, id := PrincipalID(p.ID); kind == PrincipalPerson {
			people.need(id, path, "id", l.config.lines)
		}
	}
}

// rules shows rules that were given, below a path of the output, by their place in the file.
func (w *shower) rules(path, place string, r Rules) {
	if r.Line == 0 {
		return
	}
	for _, k := range []given{
		{"allow", compact(r.Allow), r.Allow != nil},
		{"deny", compact(r.Deny), r.Deny != nil},
		{"refuse", compact(r.Refuse), r.Refuse != nil},
		{"read_only", compact(r.ReadOnly), true},
		{"no_destructive", compact(r.NoDestructive), true},
		{"no_open_world", compact(r.NoOpenWorld), true},
		{"approve", compact(approvals(r.Approve)), r.Approve != nil},
	} {
		if k.shown {
			w.add(under(path, k.key), k.value, w.ofFile(under(place, k.key)))
		}
	}
}

// gate shows the rules for everybody and those of the principals.
func (w *shower) gate() {
	w.rules("gate", "gate", w.c.Gate.Rules)
	if off := w.c.Gate.Off; off != nil {
		w.add("gate.off", compact(slices.Clone(off)), w.ofFile("gate.off"))
	}
	for i, p := range w.c.Principals {
		w.rules(under(under("principals", p.ID), "gate"), under(at("principals", i), "gate"), p.Rules)
		w.rateLimits(under(under("principals", p.ID), "rate_limits"), under(at("principals", i), "rate_limits"), p.RateLimits)
	}
}

// PrincipalKind is what sort of principal rules are for.
type PrincipalKind uint8

// The closed set of the kinds of principals that have rules of their own. A seat has its own entry.
const (
	PrincipalOwner PrincipalKind = iota
	PrincipalPerson
	PrincipalToken
)

// PrincipalID takes the id of an entry of principals apart: its kind, and which person or token. The owner has no id.
func PrincipalID(s string) (kind PrincipalKind, id string) {
	if id, ok := strings.CutPrefix(s, "person:"); ok {
		return PrincipalPerson, id
	}
	if id, ok := strings.CutPrefix(s, "token:"); ok {
		return PrincipalToken, id
	}
	return PrincipalOwner, ""
}

// SameRules reports whether another configuration limits everybody as this one does, in the same words.
func (c *Config) SameRules(other *Config) bool {
	same := func(a, b Rules) bool {
		return slices.Equal(a.Allow, b.Allow) && (a.Allow == nil) == (b.Allow == nil) && slices.Equal(a.Deny, b.Deny) && slices.Equal(a.Refuse, b.Refuse) &&
			a.ReadOnly == b.ReadOnly && a.NoDestructive == b.NoDestructive && a.NoOpenWorld == b.NoOpenWorld && sameApprovals(a.Approve, b.Approve) && a.Path == b.Path
	}
	return same(c.Gate.Rules, other.Gate.Rules) && slices.Equal(c.Gate.Off, other.Gate.Off) &&
		slices.EqualFunc(c.Principals, other.Principals, func(a, b PrincipalRules) bool { return a.ID == b.ID && same(a.Rules, b.Rules) }) &&
		slices.EqualFunc(c.Seats, other.Seats, func(a, b Seat) bool {
			return a.ID == b.ID && slices.Equal(a.Scopes, b.Scopes) && (a.Scopes == nil) == (b.Scopes == nil) && same(a.Gate, b.Gate)
		})
}
