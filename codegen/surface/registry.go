package surface

import (
	"encoding/json"
	"fmt"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/schema"
)

// Files answers the picture of a registry's builtins by [Path]. Bridged tools are left
// out: they belong to a configuration, and to a version of somebody else's.
func Files(name, version string, reg *capabilities.Registry) (map[string][]byte, error) {
	p, err := OfRegistry(name, version, reg)
	if err != nil {
		return nil, err
	}
	data, err := p.Bytes()
	return map[string][]byte{Path: data}, err
}

// OfRegistry takes the picture of a registry's builtins. The version is the program's.
func OfRegistry(name, version string, reg *capabilities.Registry) (*Picture, error) {
	p := &Picture{Format: Format, Of: Registry, Name: name, Version: version, Capabilities: []Capability{}}
	for _, c := range reg.Codes() {
		p.Codes = append(p.Codes, Code{string(c.Code), string(c.Base), c.Status, c.Exit, c.Means, c.Remedy})
	}
	for c := range reg.All() {
		if c.Bridged() || c.AliasOf() != "" {
			continue
		}
		one, err := capabilityOf(c)
		if err != nil {
			return nil, fmt.Errorf("taking the picture of %s: %w", c.Name(), err)
		}
		p.Capabilities = append(p.Capabilities, one)
	}
	p.sort()
	return p, nil
}

func capabilityOf(c *capabilities.Capability) (Capability, error) {
	one := Capability{
		Name: c.Name(), Title: c.Title(), Summary: c.Summary(), Source: c.Source(), Pack: c.Pack(), Hints: hintsOf(c.Hints()),
		Delivers: capabilities.Delivers(c), Scope: c.Scope(), Answers: c.Answers().String(), Conditional: c.Conditional(), Blocks: c.HasBlocks(),
		// Every write of a builtin takes both, on every surface.
		DryRun: c.Writes(), OpID: c.Writes(),
	}
	for _, a := range c.Aliases() {
		one.Aliases = append(one.Aliases, Alias(a))
	}
	if r := c.Route(); !r.IsZero() {
		one.Route = r.String()
	}
	if e, ok := c.Effect(); ok {
		one.Effect = &Effect{e.Change().String(), e.Reach().String(), c.Undo()}
	}
	for _, code := range c.Codes() {
		one.Refuses = append(one.Refuses, string(code.Code))
	}
	var err error
	if one.Input, err = schema.Canonical(c.Input().Raw()); err != nil {
		return one, err
	}
	if c.Output() != nil {
		if one.Output, err = schema.Canonical(c.Output().Raw()); err != nil {
			return one, err
		}
		one.Pages = names(one.Input, "cursor") && names(one.Output, "next_cursor")
	}
	return one, nil
}

// names reports whether a schema names a property at its root.
func names(raw []byte, property string) bool {
	var s struct {
		Properties map[string]json.RawMessage `json:"properties"`
	}
	return json.Unmarshal(raw, &s) == nil && s.Properties[property] != nil
}
