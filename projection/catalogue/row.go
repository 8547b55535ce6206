package catalogue

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/wire"
)

// Row is what an operator sees of one capability.
type Row struct {
	// The name, the same on every surface.
	Name string `json:"name"`
	// The name for people.
	Title string `json:"title,omitempty"`
	// What it does, in one sentence; a bridged server's own text.
	Summary string `json:"summary"`
	// Where it comes from: builtin, or mcp: and the server's name.
	Source string `json:"source"`
	// The pack of a builtin.
	Pack string `json:"pack,omitempty"`
	// The declared effect of a builtin; absent for a bridged tool.
	Effect *Effect `json:"effect,omitempty"`
	// The strongest thing the hints positively assert.
	Asserts Word `json:"asserts"`
	// The four hints after the operator's overrides.
	Hints Hints `json:"hints"`
	// Whether the hints assert that a call changes nothing and that it destroys.
	Contradictory bool `json:"contradictory,omitempty"`
	// Where a call may deliver something to a person; empty for nowhere.
	Delivers string `json:"delivers,omitempty"`
	// The least scope a principal needs.
	Scope string `json:"scope"`
	// How many arguments the input has.
	Arguments int `json:"arguments"`
	// Bytes of the tool in a tools list.
	Bytes int `json:"bytes"`
	// Old names that still work.
	Aliases []string `json:"aliases"`
	// The name this is an old name of.
	AliasOf string `json:"alias_of,omitempty"`
	// Repairs made to a bridged tool's published schemas.
	Repaired []string `json:"repaired"`
	// How the hints moved towards danger since they were accepted; absent while they did not.
	Drift *HintDrift `json:"drift,omitempty"`
	// Why calls of yours are refused although the tool is listed, all of them or until a person approves one; absent where they are served.
	Refused string `json:"refused,omitempty"`
	// Why the tool is hidden, where a list of hidden ones was asked for; absent where it is listed.
	Hidden string `json:"hidden,omitempty"`
}

// HintDrift says that a bridged tool asserts less safety than it did when it was accepted.
type HintDrift struct {
	// The hints that moved, by their names on the wire.
	Changed []string `json:"changed"`
	// Since when, as RFC 3339.
	Since string `json:"since"`
	// Whether calls are refused until an operator accepts the hints.
	Held bool `json:"held"`
}

// Effect is what a call may change, and where.
type Effect struct {
	// What a call may do to what exists.
	Change Change `json:"change"`
	// Where a change, or a look, lands.
	Reach Reach `json:"reach"`
	// The capability that brings the earlier state back.
	Undo string `json:"undo,omitempty"`
}

// Hints are the four hints of a capability.
type Hints struct {
	// Whether a call changes nothing.
	ReadOnly Hint `json:"read_only"`
	// Whether a call may change or remove what exists.
	Destructive Hint `json:"destructive"`
	// Whether saying it twice is saying it once.
	Idempotent Hint `json:"idempotent"`
	// Whether a call touches what others read and write, or anything outside.
	OpenWorld Hint `json:"open_world"`
}

// Hint is one hint and where its value comes from.
type Hint struct {
	// The value after overrides.
	Value Value `json:"value"`
	// Who said so.
	From Provenance `json:"from"`
	// What the server sent, as JSON text, where that differs from the value.
	Sent string `json:"sent,omitempty"`
}

// RowOf projects one capability.
func RowOf(c *capabilities.Capability) Row {
	r := Row{
		Name: c.Name(), Title: c.Title(), Summary: c.Summary(), Source: c.Source(), Pack: c.Pack(),
		Asserts: Word(c.Hints().Word()), Contradictory: c.Hints().Contradictory(),
		Delivers: capabilities.Delivers(c), Scope: c.Scope(), Arguments: arguments(c.Input().Raw()),
		Bytes: len(wire.KeyedTool(c)), AliasOf: c.AliasOf(), Repaired: c.Repaired(),
	}
	if e, ok := c.Effect(); ok {
		r.Effect = &Effect{Change(e.Change().String()), Reach(e.Reach().String()), c.Undo()}
	}
	for _, a := range c.Aliases() {
		r.Aliases = append(r.Aliases, a.Name)
	}
	if d := c.Extras().Drift; d != nil {
		r.Drift = &HintDrift{d.Changed, d.Since.UTC().Format(time.RFC3339), d.Held}
	}
	f := c.HintFacts()
	r.Hints = Hints{hint(f.ReadOnly), hint(f.Destructive), hint(f.Idempotent), hint(f.OpenWorld)}
	return r
}

func hint(f capabilities.HintFact) Hint {
	h := Hint{Value: Value(f.Value.String()), From: Provenance(f.From.String())}
	if string(f.Raw) != map[capabilities.Hint]string{capabilities.Yes: "true", capabilities.No: "false"}[f.Value] {
		h.Sent = string(f.Raw)
	}
	return h
}

// RowIn projects one capability of a view, listed or hidden.
func RowIn(v *capabilities.View, c *capabilities.Capability) Row {
	r := RowOf(c)
	for _, hidden := range v.Hidden {
		if hidden.Capability == c {
			r.Hidden = hidden.Rule.Message
		}
	}
	r.Refused = RefusedIn(v, c)
	return r
}

// RefusedIn answers why calls of a capability that is listed in a view are refused all the
// same, and "" where they are served.
func RefusedIn(v *capabilities.View, c *capabilities.Capability) string {
	for _, refused := range v.Refused {
		if refused.Capability == c {
			return refused.Rule.Message
		}
	}
	return ""
}

// Rows projects every capability of a view, in its order.
func Rows(v *capabilities.View) []Row {
	rows := make([]Row, 0, len(v.Listed))
	for _, c := range v.Listed {
		rows = append(rows, RowIn(v, c))
	}
	return rows
}

// Writers answers the names of the capabilities of a view that are known to write,
// see [capabilities.KnownToWrite], in the order of the view.
func Writers(v *capabilities.View) []string {
	names := []string{}
	for _, c := range v.Listed {
		if capabilities.KnownToWrite(c) {
			names = append(names, c.Name())
		}
	}
	return slices.Clip(names)
}

// arguments counts the properties of an input schema.
func arguments(schema json.RawMessage) int {
	var s struct {
		Properties map[string]json.RawMessage `json:"properties"`
	}
	if json.Unmarshal(schema, &s) != nil {
		return 0
	}
	return len(s.Properties)
}
