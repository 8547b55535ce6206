package capabilities

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"
)

// Descriptor is everything a [Capability] says about itself, without the handler:
// what one process hands to another that shows or calls it. JSON texts are plain
// bytes (base64 in JSON), so that they cross to the byte: an encoder would
// compact them, and a schema is published as it was written.
type Descriptor struct {
	Name      string               `json:"name"`
	Title     string               `json:"title,omitempty"`
	Summary   string               `json:"summary,omitempty"`
	Pack      string               `json:"pack,omitempty"`
	Server    string               `json:"server,omitempty"`
	Kind      string               `json:"kind,omitempty"` // of the server; "" for one that speaks MCP
	Tool      string               `json:"tool,omitempty"`
	Change    string               `json:"change,omitempty"` // with Reach, a builtin's effect; "" for bridged
	Reach     string               `json:"reach,omitempty"`
	Hints     []HintDescriptor     `json:"hints"` // in the order of [HintNames]
	Delivers  string               `json:"delivers,omitempty"`
	Scope     string               `json:"scope,omitempty"`
	Answers   string               `json:"answers"`
	Route     Route                `json:"route,omitzero"`
	Input     []byte               `json:"input"`
	Output    []byte               `json:"output,omitempty"`
	Examples  []Example            `json:"examples,omitempty"`
	Aliases   []Alias              `json:"aliases,omitempty"`
	AliasOf   string               `json:"alias_of,omitempty"`
	Names     []string             `json:"names,omitempty"` // of what has had others, see [Capability.AnyName]
	Codes     []CodeInfo           `json:"codes,omitempty"`
	Undo      string               `json:"undo,omitempty"`
	Repaired  []string             `json:"repaired,omitempty"`
	Extras    BridgedExtrasEncoded `json:"extras,omitzero"`
	HasBlocks bool                 `json:"has_blocks,omitempty"`
	Timeout   time.Duration        `json:"timeout,omitempty"`
	Site      Site                 `json:"site,omitzero"`
	// Conditional is [Capability.Conditional].
	Conditional bool `json:"conditional,omitempty"`
}

// HintDescriptor is a [HintFact]: the value's and the provenance's word, and what
// the server sent.
type HintDescriptor struct {
	Value string `json:"value"`
	From  string `json:"from"`
	Raw   []byte `json:"raw,omitempty"`
}

// BridgedExtrasEncoded are [BridgedExtras] with JSON texts as plain bytes.
type BridgedExtrasEncoded struct {
	WireName    string            `json:"wire_name,omitempty"`
	Annotations map[string][]byte `json:"annotations,omitempty"`
	Meta        []byte            `json:"meta,omitempty"`
	Icons       []byte            `json:"icons,omitempty"`
	Execution   []byte            `json:"execution,omitempty"`
}

// Descriptor answers everything c says about itself.
func (c *Capability) Descriptor() Descriptor {
	d := Descriptor{
		Name: c.name, Title: c.title, Summary: c.summary, Pack: c.pack, Server: c.server, Kind: c.kind, Tool: c.tool,
		Delivers: c.delivers, Scope: c.scope, Answers: c.answers.String(), Route: c.Route(), Input: c.in.Raw(),
		Examples: c.Examples(), Aliases: c.Aliases(), AliasOf: c.aliasOf, Names: slices.Clone(c.family), Codes: c.Codes(), Undo: c.undo,
		Repaired: c.Repaired(), HasBlocks: c.hasBlocks, Timeout: c.timeout, Site: c.site, Conditional: c.conditional,
		Extras: BridgedExtrasEncoded{
			WireName: c.wireName, Meta: c.extras.Meta, Icons: c.extras.Icons, Execution: c.extras.Execution,
		},
	}
	if e, ok := c.Effect(); ok {
		d.Change, d.Reach = e.change.String(), e.reach.String()
	}
	if c.out != nil {
		d.Output = c.out.Raw()
	}
	c.HintFacts().Each(func(_ string, f HintFact) {
		d.Hints = append(d.Hints, HintDescriptor{f.Value.String(), f.From.String(), f.Raw})
	})
	if c.extras.Annotations != nil {
		d.Extras.Annotations = make(map[string][]byte, len(c.extras.Annotations))
		for k, v := range c.extras.Annotations {
			d.Extras.Annotations[k] = v
		}
	}
	return d
}

// FromDescriptor answers the capability that d describes, served by h. It says
// the same on every surface as the one d was taken from. The error names what in
// d is none of ours.
func FromDescriptor(d Descriptor, h Handler) (*Capability, error) {
	bad := func(what string, v any) error { return fmt.Errorf("descriptor of %q: %s: %v", d.Name, what, v) }
	if d.Name == "" || h == nil {
		return nil, bad("it needs a name and a handler", "one is missing")
	}
	c := &Capability{
		name: d.Name, title: d.Title, summary: d.Summary, server: d.Server, tool: d.Tool, wireName: d.Extras.WireName,
		scope: shared(d.Scope), timeout: d.Timeout, handler: h,
	}
	c.declared = (&declared{
		pack: d.Pack, kind: d.Kind, delivers: d.Delivers, route: d.Route, examples: slices.Clone(d.Examples), aliases: slices.Clone(d.Aliases),
		aliasOf: d.AliasOf, family: slices.Clone(d.Names), codes: slices.Clone(d.Codes), undo: d.Undo, hasBlocks: d.HasBlocks, site: d.Site, conditional: d.Conditional,
	}).alike(d.Server, d.Tool)
	if !json.Valid(d.Input) {
		return nil, bad("input schema", "it is no JSON")
	}
	c.in = newForeignSchema(d.Input, false)
	if len(d.Output) > 0 {
		if !json.Valid(d.Output) {
			return nil, bad("output schema", "it is no JSON")
		}
		c.out = newForeignSchema(d.Output, false)
	}
	var ok bool
	if c.effect, ok = ParseEffect(d.Change, d.Reach); !ok && d.Server == "" {
		return nil, bad("effect", d.Change+"/"+d.Reach)
	}
	if c.answers, ok = parseAnswers(d.Answers); !ok {
		return nil, bad("answers", d.Answers)
	}
	facts, err := parseFacts(d.Hints)
	if err != nil {
		return nil, bad("hints", err)
	}
	c.hints = stated(facts)
	p := &passed{
		repaired: slices.Clone(d.Repaired), rawHints: facts.raw(),
		extras: BridgedExtras{Meta: d.Extras.Meta, Icons: d.Extras.Icons, Execution: d.Extras.Execution},
	}
	if d.Extras.Annotations != nil {
		p.extras.Annotations = make(map[string]json.RawMessage, len(d.Extras.Annotations))
		for k, v := range d.Extras.Annotations {
			p.extras.Annotations[k] = v
		}
	}
	c.passed = p.alike()
	return c, nil
}

func parseAnswers(word string) (Answers, bool) {
	for a := FromStore; a <= FromWorld; a++ {
		if a.String() == word {
			return a, true
		}
	}
	return 0, false
}

func parseFacts(all []HintDescriptor) (HintFacts, error) {
	if len(all) != len(HintNames) {
		return HintFacts{}, fmt.Errorf("%d of %d are there", len(all), len(HintNames))
	}
	var facts [len(HintNames)]HintFact
	for i, d := range all {
		f := HintFact{From: FromNowhere, Raw: d.Raw}
		if err := f.Value.UnmarshalText([]byte(d.Value)); err != nil {
			return HintFacts{}, err
		}
		for f.From.String() != d.From {
			if f.From++; f.From > FromOverride {
				return HintFacts{}, fmt.Errorf("%q is no provenance", d.From)
			}
		}
		facts[i] = f
	}
	return HintFacts{facts[0], facts[1], facts[2], facts[3]}, nil
}
