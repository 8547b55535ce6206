package surface

import (
	"encoding/json"
	"fmt"

	"github.com/seed-89b9419b/holotype/capabilities/bridge"
	"github.com/seed-89b9419b/holotype/internal/rawjson"
	"github.com/seed-89b9419b/holotype/internal/schema"
)

// OfEndpoint takes the picture of what an MCP server lists. Left answers a sentence for
// every entry that no client should take, which the picture does not have. The error
// says that the list was not read to its end, or names a tool that stands there twice: a
// part of a surface would look like the removal of the rest.
func OfEndpoint(o *bridge.Observation) (p *Picture, left []string, err error) {
	if o.ListFault != "" {
		return nil, nil, fmt.Errorf("the list of its tools was left before its end: %s", o.ListFault)
	}
	p = &Picture{Format: Format, Of: Endpoint, Name: o.Name, Version: o.Number, Capabilities: []Capability{}}
	seen := map[string]bool{}
	for _, t := range o.Tools {
		if t.Skipped != "" {
			left = append(left, fmt.Sprintf("%q: %s", t.Name, t.Skipped))
			continue
		}
		if seen[t.Name] {
			return nil, nil, fmt.Errorf("it lists two tools of the name %q", t.Name)
		}
		seen[t.Name] = true
		one, err := toolOf(t)
		if err != nil {
			return nil, nil, fmt.Errorf("the tool %q: %w", t.Name, err)
		}
		p.Capabilities = append(p.Capabilities, one)
	}
	p.sort()
	return p, left, nil
}

func toolOf(t bridge.ObservedTool) (c Capability, err error) {
	c = Capability{Name: t.Name, Hints: hintsOf(t.Hints.Hints()), Input: json.RawMessage(`{}`)}
	titled := func(raw json.RawMessage) {
		if s, ok := rawjson.String(raw); ok && s != "" {
			c.Title = s
		}
	}
	for key, value := range rawjson.Members(rawjson.Member(t.Raw, "annotations")) {
		if key == "title" {
			titled(value)
		}
	}
	for key, value := range rawjson.Members(t.Raw) {
		switch key {
		case "title":
			titled(value)
		case "description":
			c.Summary, _ = rawjson.String(value)
		case "inputSchema":
			c.Input, err = schema.Canonical(value)
		case "outputSchema":
			c.Output, err = schema.Canonical(value)
		}
		if err != nil {
			return c, fmt.Errorf("its %s: %w", key, err)
		}
	}
	return c, nil
}
