package capabilities

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"time"

	"github.com/seed-89b9419b/holotype/internal/schema"
)

// BridgedSpec is one tool of another MCP server, as the bridge read it off the
// wire.
type BridgedSpec struct {
	Name    string // exposed, from the bridge's one table
	Tool    string // the exposed name after its prefix: the last segment of the route
	Server  string // the server's configured name
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

// NewBridged presents a tool of another MCP server as a capability. Its hints are
// what the server said and the operator overrode, nothing else. Its schemas are
// published as the server sent them but for repairs by stated rules, which keep
// their meaning. Of the spec's bytes it keeps copies alone. The error says why the tool cannot be listed; it never panics.
func NewBridged(s BridgedSpec) (*Capability, error) {
	if s.Name == "" || s.Server == "" || s.Tool == "" || s.Handler == nil {
		return nil, fmt.Errorf("tool %q of server %q: a bridged tool needs a name, a server and a handler", s.Extras.WireName, s.Server)
	}
	in, repaired, err := schema.Repair(s.Input)
	if err != nil {
		return nil, fmt.Errorf("tool %q: input schema: %w", s.Extras.WireName, err)
	}
	c := &Capability{
		name: s.Name, title: s.Title, summary: s.Summary, server: s.Server, tool: s.Tool,
		facts: s.Hints.owned(), answers: FromWorld, in: newForeignSchema(in), repaired: repaired,
		extras: s.Extras.owned(), timeout: s.Timeout, handler: s.Handler, codes: bridgedCodes,
		route: Route{Method: "POST", Path: "/servers/" + url.PathEscape(s.Server) + "/tools/" + url.PathEscape(s.Tool)},
		scope: s.Server + ":write",
	}
	if len(s.Output) > 0 && string(s.Output) != "null" {
		out, fixes, err := schema.Repair(s.Output)
		if err != nil {
			return nil, fmt.Errorf("tool %q: output schema: %w", s.Extras.WireName, err)
		}
		c.out = newForeignSchema(out)
		if len(s.NativeOutput) > 0 {
			c.nativeOut = bytes.Clone(s.NativeOutput)
		}
		for _, f := range fixes {
			c.repaired = append(c.repaired, "output_"+f)
		}
	}
	if s.Hints.Hints().ReadOnlyProven() {
		c.scope = s.Server + ":read"
	}
	return c, nil
}

// owned answers the facts with bytes of their own: four of them would keep the page
// of a thousand tools that they were cut from.
func (f HintFacts) owned() HintFacts {
	for _, one := range []*HintFact{&f.ReadOnly, &f.Destructive, &f.Idempotent, &f.OpenWorld} {
		one.Raw = bytes.Clone(one.Raw)
	}
	return f
}

func (e BridgedExtras) owned() BridgedExtras {
	e.Meta, e.Icons, e.Execution = bytes.Clone(e.Meta), bytes.Clone(e.Icons), bytes.Clone(e.Execution)
	e.Annotations = maps.Clone(e.Annotations)
	for key, value := range e.Annotations {
		e.Annotations[key] = bytes.Clone(value)
	}
	return e
}
