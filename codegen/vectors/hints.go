package vectors

import (
	"context"
	"encoding/json"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/wire"
)

// Verdicts are what the classifiers say of a capability.
type Verdicts struct {
	WritesToSharedSurface bool `json:"writes_to_shared_surface"`
	ReadOnlyProven        bool `json:"read_only_proven"`
	KnownToWrite          bool `json:"known_to_write"`
}

// Effect is a case of effects.json.
type Effect struct {
	Change  string          `json:"change"`
	Reach   string          `json:"reach"`
	Hints   map[string]bool `json:"hints"`
	Methods []string        `json:"methods"` // that a route of the effect may have
	Verdicts
}

// Classifier is a case of classifiers.json.
type Classifier struct {
	Hints map[string]bool `json:"hints"`
	Verdicts
	Delivers string `json:"delivers"` // the place that a call delivers to; "" for none
	Word     string `json:"word"`     // the strongest thing that is asserted
}

// Annotation is a case of annotations.json.
type Annotation struct {
	Title       string          `json:"title,omitempty"`
	Hints       map[string]bool `json:"hints"`
	More        json.RawMessage `json:"more,omitempty"` // members that nobody here knows
	Annotations *string         `json:"annotations"`    // the exact text
}

// known are the hints that assert something, by their wire keys.
func known(h capabilities.Hints) map[string]bool {
	all := map[string]bool{}
	h.Each(func(key string, value capabilities.Hint) {
		if value.Known() {
			all[key] = value == capabilities.Yes
		}
	})
	return all
}

func verdicts(c *capabilities.Capability) Verdicts {
	return Verdicts{capabilities.WritesToSharedSurface(c), capabilities.ReadOnlyProven(c), capabilities.KnownToWrite(c)}
}

// unserved is the handler of what is only described.
func unserved(context.Context, *capabilities.Invocation) (*capabilities.Result, error) {
	return nil, capabilities.Refuse(capabilities.Unavailable, "it is described alone: nothing is behind it")
}

// builtin answers a capability of an effect.
func builtin(e capabilities.Effect) (*capabilities.Capability, error) {
	d := capabilities.Descriptor{
		Name: "any", Change: e.Change().String(), Reach: e.Reach().String(), Answers: capabilities.FromStore.String(),
		Input: json.RawMessage(`{"type":"object","properties":{}}`),
	}
	e.Hints().Each(func(_ string, value capabilities.Hint) {
		d.Hints = append(d.Hints, capabilities.HintDescriptor{Value: value.String(), From: capabilities.FromDeclaration.String()})
	})
	return capabilities.FromDescriptor(d, unserved)
}

func effects() ([]any, error) {
	var all []any
	for _, e := range capabilities.Effects() {
		c, err := builtin(e)
		if err != nil {
			return nil, err
		}
		all = append(all, Effect{e.Change().String(), e.Reach().String(), known(c.Hints()), e.Methods(), verdicts(c)})
	}
	return all, nil
}

// combinations are the 81 states of four hints, all unknown first.
func combinations() []capabilities.Hints {
	var all []capabilities.Hints
	values := []capabilities.Hint{capabilities.Unknown, capabilities.Yes, capabilities.No}
	for _, readOnly := range values {
		for _, destructive := range values {
			for _, idempotent := range values {
				for _, openWorld := range values {
					all = append(all, capabilities.Hints{ReadOnly: readOnly, Destructive: destructive, Idempotent: idempotent, OpenWorld: openWorld})
				}
			}
		}
	}
	return all
}

// bridged answers a tool of the server far.
func bridged(title string, h capabilities.Hints, more map[string]json.RawMessage) (*capabilities.Capability, error) {
	fact := func(v capabilities.Hint) capabilities.HintFact {
		return capabilities.HintFact{Value: v, From: capabilities.FromServer}
	}
	return capabilities.NewBridged(capabilities.BridgedSpec{
		Name: "far__do", Tool: "do", Server: "far", Title: title, Input: json.RawMessage(`{"type":"object","properties":{}}`),
		Hints:   capabilities.HintFacts{ReadOnly: fact(h.ReadOnly), Destructive: fact(h.Destructive), Idempotent: fact(h.Idempotent), OpenWorld: fact(h.OpenWorld)},
		Extras:  capabilities.BridgedExtras{Annotations: more},
		Handler: unserved,
	})
}

func classifiers() ([]any, error) {
	var all []any
	for _, h := range combinations() {
		c, err := bridged("", h, nil)
		if err != nil {
			return nil, err
		}
		all = append(all, Classifier{known(h), verdicts(c), capabilities.Delivers(c), h.Word()})
	}
	return all, nil
}

func annotations() ([]any, error) {
	var all []any
	add := func(title string, h capabilities.Hints, more string) error {
		members := map[string]json.RawMessage{}
		one := Annotation{Title: title, Hints: known(h)}
		if more != "" {
			one.More = json.RawMessage(more)
			if err := json.Unmarshal(one.More, &members); err != nil {
				return err
			}
		}
		c, err := bridged(title, h, members)
		if err != nil {
			return err
		}
		if raw := wire.Annotations(c); raw != nil {
			text := string(raw)
			one.Annotations = &text
		}
		all = append(all, one)
		return nil
	}
	for _, h := range combinations() {
		if err := add("", h, ""); err != nil {
			return nil, err
		}
	}
	safe := capabilities.Hints{ReadOnly: capabilities.Yes, OpenWorld: capabilities.No}
	for _, one := range []struct {
		title string
		hints capabilities.Hints
		more  string
	}{
		{"A title", capabilities.Hints{}, ""},
		{"A <title> & \"more\", é", safe, ""},
		{"", capabilities.Hints{}, `{"vendor.example/x":{"n":9007199254740993}}`},
		{"Both", safe, `{"b":1.10,"a":[null,true]}`},
	} {
		if err := add(one.title, one.hints, one.more); err != nil {
			return nil, err
		}
	}
	return all, nil
}
