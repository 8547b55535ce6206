package capabilities

import (
	"encoding/json"
	"net/url"
	"slices"
	"unique"
)

// What bridged tools have alike they share. Nobody changes either.
var (
	bridgedAlike  = &declared{codes: bridgedCodes}
	importedAlike = &declared{codes: bridgedCodes, kind: KindOpenAPI}
	nothingPassed = &passed{}
)

// alike answers d, or what all bridged tools share where d says the same of the tool.
func (d *declared) alike(server, tool string) *declared {
	route := bridgedRoute(server, tool)
	same := server != "" && d.route.Method == route.Method && d.route.Path == route.Path && len(d.route.Fields) == 0 &&
		slices.Equal(d.codes, bridgedCodes) && d.pack == "" && d.delivers == "" && len(d.examples) == 0 && len(d.aliases) == 0 &&
		d.aliasOf == "" && len(d.family) == 0 && d.undo == "" && !d.rehearses && !d.receipts && !d.hasBlocks && !d.conditional && d.site == Site{}
	switch {
	case same && d.kind == "":
		return bridgedAlike
	case same && d.kind == KindOpenAPI:
		return importedAlike
	}
	return d
}

// alike answers p, or what all tools share through which nothing passes.
func (p *passed) alike() *passed {
	e := &p.extras
	if p.nativeOut == nil && len(p.repaired) == 0 && p.rawHints == nil && len(e.Annotations) == 0 && e.Meta == nil && e.Icons == nil &&
		e.Execution == nil && e.Drift == nil && len(e.Through) == 0 && p.method == "" {
		return nothingPassed
	}
	return p
}

// bridgedRoute is the route of every tool of another server.
func bridgedRoute(server, tool string) Route {
	return Route{Method: "POST", Path: "/servers/" + url.PathEscape(server) + "/tools/" + url.PathEscape(tool)}
}

// shared answers the same text, held once for all that ask.
func shared(text string) string { return unique.Make(text).Value() }

// statedHints are [HintFacts] without what a server sent: it seldom sends anything but
// what the values say already.
type statedHints [len(HintNames)]struct {
	value Hint
	from  Provenance
}

func stated(f HintFacts) (s statedHints) {
	for i, one := range f.each() {
		s[i].value, s[i].from = one.Value, one.From
	}
	return s
}

func (s *statedHints) hints() Hints { return Hints{s[0].value, s[1].value, s[2].value, s[3].value} }

// facts answers the facts with what the server sent: raw, or where that is nil what
// follows from the values.
func (s *statedHints) facts(raw *[len(HintNames)]json.RawMessage) HintFacts {
	var all [len(HintNames)]HintFact
	for i, one := range s {
		all[i] = HintFact{Value: one.value, From: one.from}
		if raw != nil {
			all[i].Raw = raw[i]
		} else if word := one.from.sent(one.value); word != "" {
			all[i].Raw = json.RawMessage(word)
		}
	}
	return HintFacts{all[0], all[1], all[2], all[3]}
}

// sent is what a server sends that says v, or "" where it does not say so.
func (p Provenance) sent(v Hint) string {
	switch {
	case p == FromServer && v == Yes:
		return "true"
	case p == FromServer && v == No:
		return "false"
	}
	return ""
}

// raw answers copies of what the server sent of each hint, nil where that follows from
// the values. Slices of it would keep the page of a thousand tools that they were cut
// from.
func (f HintFacts) raw() *[len(HintNames)]json.RawMessage {
	var raw [len(HintNames)]json.RawMessage
	follows := true
	for i, one := range f.each() {
		raw[i] = slices.Clone(one.Raw)
		follows = follows && string(one.Raw) == one.From.sent(one.Value)
	}
	if follows {
		return nil
	}
	return &raw
}

func (f HintFacts) each() [len(HintNames)]HintFact {
	return [...]HintFact{f.ReadOnly, f.Destructive, f.Idempotent, f.OpenWorld}
}
