package reference

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/projection/httpapi/openapi"
)

// A table asks the code that writes the wire about capabilities made for it.

const emptyObject = `{"type":"object","properties":{}}`

func onlyDescribed(context.Context, *capabilities.Invocation) (*capabilities.Result, error) {
	return nil, capabilities.Refuse(capabilities.Unavailable, "this tool is only described here")
}

// builtinWith answers a builtin of which nothing is known but its effect.
func builtinWith(e capabilities.Effect) (*capabilities.Capability, error) {
	d := capabilities.Descriptor{
		Name: "tool", Change: e.Change().String(), Reach: e.Reach().String(), Answers: capabilities.FromStore.String(), Input: []byte(emptyObject),
	}
	e.Hints().Each(func(_ string, h capabilities.Hint) {
		d.Hints = append(d.Hints, capabilities.HintDescriptor{Value: h.String(), From: capabilities.FromDeclaration.String()})
	})
	return capabilities.FromDescriptor(d, onlyDescribed)
}

// bridgedWith answers a bridged tool of which nothing is known but hints.
func bridgedWith(h capabilities.Hints) (*capabilities.Capability, error) {
	fact := func(v capabilities.Hint) capabilities.HintFact {
		if !v.Known() {
			return capabilities.HintFact{}
		}
		return capabilities.HintFact{Value: v, From: capabilities.FromServer, Raw: json.RawMessage(fmt.Sprint(v == capabilities.Yes))}
	}
	return capabilities.NewBridged(capabilities.BridgedSpec{
		Name: "far__tool", Tool: "tool", Server: "far", Input: json.RawMessage(emptyObject),
		Hints: capabilities.HintFacts{
			ReadOnly: fact(h.ReadOnly), Destructive: fact(h.Destructive), Idempotent: fact(h.Idempotent), OpenWorld: fact(h.OpenWorld),
		},
		Handler: onlyDescribed,
	})
}

// documented cuts the hints of a capability out of its OpenAPI document, nil for
// none.
func documented(c *capabilities.Capability) ([]byte, error) {
	raw, err := openapi.Document(openapi.Options{Title: "hints", Version: "v1"}, []*capabilities.Capability{c})
	if err != nil {
		return nil, err
	}
	var doc struct {
		Paths map[string]map[string]struct {
			Hints json.RawMessage `json:"x-holotype-hints"`
		} `json:"paths"`
	}
	if err := json.Unmarshal(raw, &doc); err != nil {
		return nil, err
	}
	for _, methods := range doc.Paths {
		for _, operation := range methods {
			return operation.Hints, nil
		}
	}
	return nil, fmt.Errorf("the document of %s has no operation", c.Name())
}
