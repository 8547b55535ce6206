package capabilities

import (
	"context"
	"encoding/json"
	"slices"
	"time"
)

// Capability is one member of a registry: a declaration with everything derived
// from it, or a bridged tool. It is immutable; treat what its methods answer as
// read-only.
type Capability struct {
	name, title, summary string
	server, tool         string // "" for builtin; tool is the name in routes: the exposed one after the prefix
	wireName             string // see [BridgedExtras]
	scope                string
	in, out              *Schema
	handler              Handler
	timeout              time.Duration
	hints                statedHints
	effect               Effect
	answers              Answers
	*declared
	*passed
}

// declared is what declarations say and bridged tools do not: those share one. A bridge
// holds many tools, and nearly all of them have nothing here.
type declared struct {
	pack, delivers string
	kind           string // of the server, see [BridgedSpec]
	route          Route
	examples       []Example
	aliases        []Alias
	aliasOf        string
	family         []string // the names of a capability that has had others; nil without any
	codes          []CodeInfo
	undo           string
	rehearses      bool // the handler answers dry runs itself
	receipts       bool // the output is a receipt of a store
	hasBlocks      bool
	conditional    bool // see [When]
	site           Site
}

// passed is what passes through from a bridged server, and what was done to it. Those
// that have nothing of it share one.
type passed struct {
	nativeOut json.RawMessage
	repaired  []string
	rawHints  *[len(HintNames)]json.RawMessage // nil where they follow from the hints
	extras    BridgedExtras                    // without its WireName
	// method and revision are of what is no tool, see [NewRelayed].
	method, revision string
}

// Name answers the exposed name, the same on every surface.
func (c *Capability) Name() string { return c.name }

// Title answers the name for people; it may be empty on a bridged tool.
func (c *Capability) Title() string { return c.title }

// Summary answers the description: one sentence of a builtin, the server's own
// text of a bridged tool.
func (c *Capability) Summary() string { return c.summary }

// Pack answers the builtin's pack, or "".
func (c *Capability) Pack() string { return c.pack }

// Group answers the pack of a builtin, or the server of a bridged tool.
func (c *Capability) Group() string {
	if c.Bridged() {
		return c.server
	}
	return c.Pack()
}

// Bridged reports whether the capability is a tool of another MCP server, or an operation
// of an API that is called as one.
func (c *Capability) Bridged() bool { return c.server != "" }

// Server answers the bridged server's configured name, or "".
func (c *Capability) Server() string { return c.server }

// Tool answers the last path segment of a bridged tool's route, or "".
func (c *Capability) Tool() string { return c.tool }

// Source answers "builtin", "mcp:<server>" or "openapi:<server>".
func (c *Capability) Source() string {
	switch {
	case c.server == "":
		return "builtin"
	case c.kind != "":
		return c.kind + ":" + c.server
	}
	return "mcp:" + c.server
}

// Effect answers a builtin's declared effect; ok is false for a bridged tool.
func (c *Capability) Effect() (e Effect, ok bool) { return c.effect, c.effect.Declared() }

// Receipts reports whether a call answers the receipt of a store, which keeps what the
// call answered under its operation key.
func (c *Capability) Receipts() bool { return c.receipts }

// Undo answers the name of the capability that brings the earlier state back, or "".
func (c *Capability) Undo() string { return c.undo }

// Hints answers the four hints.
func (c *Capability) Hints() Hints { return c.hints.hints() }

// HintFacts answers the four hints with their provenance.
func (c *Capability) HintFacts() HintFacts { return c.hints.facts(c.rawHints) }

// Writes reports whether a call may change anything: a builtin's effect says so;
// a bridged tool does unless it is proven read-only, and what only lists does not.
func (c *Capability) Writes() bool {
	if e, ok := c.Effect(); ok {
		return e.Writes()
	}
	return !ReadOnlyProven(c) && !c.Lists()
}

// Scope answers the least scope a principal needs.
func (c *Capability) Scope() string { return c.scope }

// Answers says what a result is a function of.
func (c *Capability) Answers() Answers { return c.answers }

// Route answers the HTTP route relative to /api/v1. An alias has none; a bridged
// tool has POST /servers/{server}/tools/{tool} with both names in place.
func (c *Capability) Route() Route {
	if c.declared == bridgedAlike || c.declared == importedAlike {
		return bridgedRoute(c.server, c.tool)
	}
	return c.route
}

// Input answers the input schema, always an object.
func (c *Capability) Input() *Schema { return c.in }

// Output answers the output schema, or nil where a bridged server declares none.
func (c *Capability) Output() *Schema { return c.out }

// NativeOutput answers the output schema as the bridged server sent it, where it is not
// that of an object, which 2026-07-28 and later may say; else nil. Output then is the
// schema of what [WrapResult] makes of such a value.
func (c *Capability) NativeOutput() json.RawMessage { return c.nativeOut }

// Examples answers the declared examples.
func (c *Capability) Examples() []Example { return slices.Clone(c.examples) }

// Aliases answers the old names.
func (c *Capability) Aliases() []Alias { return slices.Clone(c.aliases) }

// AnyName reports whether match says yes to a name of what is called: the one it has, or
// an old one. The answer is the same for a capability and for each of its aliases.
func (c *Capability) AnyName(match func(name string) bool) bool {
	if c.family == nil {
		return match(c.name)
	}
	return slices.ContainsFunc(c.family, match)
}

// AliasOf answers the name this capability is an old name of, or "".
func (c *Capability) AliasOf() string { return c.aliasOf }

// Codes answers every code a call may be refused with, implicit ones included,
// in a fixed order.
func (c *Capability) Codes() []CodeInfo { return slices.Clone(c.codes) }

// Repaired answers the repairs made to a bridged tool's published schemas.
func (c *Capability) Repaired() []string { return slices.Clone(c.repaired) }

// Extras answers what a bridged server sent that has no field of its own here.
func (c *Capability) Extras() BridgedExtras {
	e := c.extras
	e.WireName = c.wireName
	return e
}

// HasBlocks reports whether a result is an MCP tool result with content blocks
// and not a structured value alone: every bridged tool, and a builtin whose output
// is a [Blocker].
func (c *Capability) HasBlocks() bool { return c.hasBlocks || c.Bridged() }

// Conditional reports whether the capability is left out where a dependency is missing:
// its declaration says [When].
func (c *Capability) Conditional() bool { return c.conditional }

// Timeout answers the capability's own time limit, or 0 for the door's.
func (c *Capability) Timeout() time.Duration { return c.timeout }

// Site answers where a builtin is declared.
func (c *Capability) Site() Site { return c.site }

// BridgedExtras are the parts of a bridged tool that pass through as they came.
type BridgedExtras struct {
	WireName    string                     // the name the server knows the tool by
	Annotations map[string]json.RawMessage // annotation keys beyond the four hints and title
	Meta        json.RawMessage            // the tool's _meta object
	Icons       json.RawMessage            // the tool's icons array
	Execution   json.RawMessage            // the tool's execution object
	// Drift is set while the hints are more dangerous than those an operator accepted.
	Drift *HintDrift
	// Through are the marks of the servers of this kind that the tool comes through, the
	// nearest first; nil where no such server is known. Tools may share it.
	Through []string
}

// HintDrift says that a bridged tool's hints moved towards danger, and stands until an
// operator accepts them.
type HintDrift struct {
	Was     Hints    // those that were accepted
	Changed []string // the wire keys of the hints that moved
	Since   time.Time
	Held    bool // calls are refused until then
}

// alias answers c under an old name.
func (c *Capability) alias(a Alias) *Capability {
	d, own := *c, *c.declared
	d.declared = &own
	d.name, d.aliasOf, d.route, d.aliases, d.examples = a.Name, c.name, Route{}, nil, nil
	d.summary = "[deprecated: use " + c.name + "] " + c.summary
	return &d
}

// builtinHandler runs a declared handler and encodes what it answers.
func builtinHandler(run runner) Handler {
	return func(ctx context.Context, inv *Invocation) (*Result, error) {
		out, err := run(ctx, inv.Arguments)
		if err != nil {
			return nil, err
		}
		data, err := encode(out)
		if err != nil {
			return nil, err
		}
		res := &Result{Structured: data}
		if b, ok := out.(Blocker); ok {
			res.Blocks = b.Blocks()
		}
		return res, nil
	}
}
