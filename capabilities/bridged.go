package capabilities

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"time"

	"github.com/seed-89b9419b/holotype/internal/schema"
)

// BridgedSpec is one tool of another MCP server, as the bridge read it off the
// wire.
type BridgedSpec struct {
	Name    string // exposed, from the bridge's one table
	Tool    string // the exposed name after its prefix: the last segment of the route
	Server  string // the server's configured name
	Kind    string // of the server: "openapi", or "" for one that speaks MCP
	Title   string
	Summary string // the server's own description
	Input   json.RawMessage
	Output  json.RawMessage // nil for none
	// NativeOutput is set where the server's own output schema is not that of an object;
	// Output is then that of what [WrapResult] makes of a value.
	NativeOutput json.RawMessage
	Hints        HintFacts
	Extras       BridgedExtras
	Timeout      time.Duration
	Handler      Handler
}

// KindOpenAPI is the kind of a server that an OpenAPI document describes.
const KindOpenAPI = "openapi"

// NewBridged presents a tool of another MCP server as a capability. Its hints are
// what the server said and the operator overrode, nothing else. Its schemas are
// published as the server sent them but for repairs by stated rules, which keep
// their meaning. Of the spec's bytes it keeps copies alone. The error says why the tool cannot be listed; it never panics.
func NewBridged(s BridgedSpec) (*Capability, error) {
	if s.Name == "" || s.Server == "" || s.Tool == "" || s.Handler == nil {
		return nil, fmt.Errorf("tool %q of server %q: a bridged tool needs a name, a server and a handler", s.Extras.WireName, s.Server)
	}
	in, repaired, certain, err := schema.RepairForeign(s.Input)
	if err != nil {
		return nil, fmt.Errorf("tool %q: input schema: %w", s.Extras.WireName, err)
	}
	scope := ":write"
	if s.Hints.Hints().ReadOnlyProven() {
		scope = ":read"
	}
	p := &passed{repaired: repaired, rawHints: s.Hints.raw(), extras: s.Extras.owned()}
	c := &Capability{
		name: s.Name, title: s.Title, summary: s.Summary, server: s.Server, tool: s.Tool, wireName: s.Extras.WireName,
		scope: shared(s.Server + scope), in: newForeignSchema(in, certain), handler: s.Handler, timeout: s.Timeout,
		hints: stated(s.Hints), answers: FromWorld, declared: bridgedAlike,
	}
	switch s.Kind {
	case "":
	case KindOpenAPI:
		c.declared = importedAlike
	default:
		return nil, fmt.Errorf("tool %q of server %q: %q is no kind of server", s.Extras.WireName, s.Server, s.Kind)
	}
	if len(s.Output) > 0 && string(s.Output) != "null" {
		out, fixes, certain, err := schema.RepairForeign(s.Output)
		if err != nil {
			return nil, fmt.Errorf("tool %q: output schema: %w", s.Extras.WireName, err)
		}
		c.out = newForeignSchema(out, certain)
		if len(s.NativeOutput) > 0 {
			p.nativeOut = bytes.Clone(s.NativeOutput)
		}
		for _, f := range fixes {
			p.repaired = append(p.repaired, "output_"+f)
		}
	}
	c.passed = p.alike()
	return c, nil
}

// owned answers the extras with bytes of their own, without the name.
func (e BridgedExtras) owned() BridgedExtras {
	e.Meta, e.Icons, e.Execution = bytes.Clone(e.Meta), bytes.Clone(e.Icons), bytes.Clone(e.Execution)
	e.WireName = ""
	if len(e.Annotations) == 0 {
		e.Annotations = nil
		return e
	}
	e.Annotations = maps.Clone(e.Annotations)
	for key, value := range e.Annotations {
		e.Annotations[key] = bytes.Clone(value)
	}
	return e
}
