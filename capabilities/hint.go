package capabilities

import (
	"encoding/json"
	"fmt"
)

// Hint is what a caller may assume of a call: Yes, No, or nothing. Unknown is
// the zero value and is never turned into No.
type Hint uint8

// The closed set of hint values.
const (
	// Unknown asserts nothing; on the wire the key is absent.
	Unknown Hint = iota
	// Yes is written as true.
	Yes
	// No is written as false.
	No
)

// HintOf answers Yes for true and No for false.
func HintOf(b bool) Hint {
	if b {
		return Yes
	}
	return No
}

// Known reports whether the hint asserts something.
func (h Hint) Known() bool { return h == Yes || h == No }

// String answers "yes", "no" or "unknown".
func (h Hint) String() string {
	switch h {
	case Yes:
		return "yes"
	case No:
		return "no"
	case Unknown:
		return "unknown"
	}
	return fmt.Sprintf("hint(%d)", uint8(h))
}

// MarshalText writes the word of [Hint.String].
func (h Hint) MarshalText() ([]byte, error) { return []byte(h.String()), nil }

// UnmarshalText reads one of the three words.
func (h *Hint) UnmarshalText(text []byte) error {
	for _, v := range []Hint{Unknown, Yes, No} {
		if string(text) == v.String() {
			*h = v
			return nil
		}
	}
	return fmt.Errorf("a hint is yes, no or unknown, not %q", text)
}

// Hints are the four hints of the Model Context Protocol (schema
// ToolAnnotations), each tri-state.
type Hints struct {
	ReadOnly    Hint
	Destructive Hint
	Idempotent  Hint
	OpenWorld   Hint
}

// HintNames are the wire keys of the four hints, in the order of [Hints.Each].
var HintNames = [...]string{"readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"}

// Each calls f with the wire key and the value of every hint, in a fixed order.
func (h Hints) Each(f func(key string, value Hint)) {
	for i, v := range [...]Hint{h.ReadOnly, h.Destructive, h.Idempotent, h.OpenWorld} {
		f(HintNames[i], v)
	}
}

// Asserted reports whether any hint is known.
func (h Hints) Asserted() bool { return h != Hints{} }

// Provenance says where a hint's value comes from.
type Provenance uint8

// The closed set of provenances.
const (
	// FromNowhere belongs to a hint nobody stated; its value is Unknown.
	FromNowhere Provenance = iota
	// FromDeclaration is derived from a declared effect.
	FromDeclaration
	// FromServer is what the bridged server sent.
	FromServer
	// FromOverride is what the operator's configuration says.
	FromOverride
)

// String answers the provenance's word: "unknown", "declared", "server" or
// "override".
func (p Provenance) String() string {
	switch p {
	case FromNowhere:
		return "unknown"
	case FromDeclaration:
		return "declared"
	case FromServer:
		return "server"
	case FromOverride:
		return "override"
	}
	return fmt.Sprintf("provenance(%d)", uint8(p))
}

// HintFact is one hint with its provenance. Raw is the server's own JSON value
// where it sent one, boolean or not, and stays beside an override.
type HintFact struct {
	Value Hint
	From  Provenance
	Raw   json.RawMessage
}

// HintFacts are the four hints of a capability with their provenance.
type HintFacts struct {
	ReadOnly    HintFact
	Destructive HintFact
	Idempotent  HintFact
	OpenWorld   HintFact
}

// Hints drops the provenance.
func (f HintFacts) Hints() Hints {
	return Hints{f.ReadOnly.Value, f.Destructive.Value, f.Idempotent.Value, f.OpenWorld.Value}
}

// Each calls fn with the wire key and the fact of every hint, in the order of
// [Hints.Each].
func (f HintFacts) Each(fn func(key string, fact HintFact)) {
	for i, v := range [...]HintFact{f.ReadOnly, f.Destructive, f.Idempotent, f.OpenWorld} {
		fn(HintNames[i], v)
	}
}

// declaredFacts are the facts of a declared effect.
func declaredFacts(e Effect) HintFacts {
	h := e.Hints()
	fact := func(v Hint) HintFact { return HintFact{Value: v, From: FromDeclaration} }
	return HintFacts{fact(h.ReadOnly), fact(h.Destructive), fact(h.Idempotent), fact(h.OpenWorld)}
}
