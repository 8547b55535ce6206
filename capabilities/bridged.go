package capabilities

import (
	"encoding/json"
	"fmt"
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
	Hints   HintFacts
	Extras  BridgedExtras
	Timeout time.Duration
	Handler Handler
}

// NewBridged presents a tool of another MCP server as a capability. Its hints are
// what the server said and the operator overrode, nothing else. Its schemas are
// published as the server sent them but for repairs by stated rules, which keep
// their meaning. The error says why the tool cannot be listed; it never panics.
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
		facts: s.Hints, answers: FromWorld, in: newSchema(in, schema.CompileForeign), repaired: repaired,
		extras: s.Extras, timeout: s.Timeout, handler: s.Handler,
		route: Route{Method: "POST", Path: "/servers/" + url.PathEscape(s.Server) + "/tools/" + url.PathEscape(s.Tool)},
		scope: s.Server + ":write",
	}
	if len(s.Output) > 0 && string(s.Output) != "null" {
		out, fixes, err := schema.Repair(s.Output)
		if err != nil {
			return nil, fmt.Errorf("tool %q: output schema: %w", s.Extras.WireName, err)
		}
		c.out = newSchema(out, schema.CompileForeign)
		for _, f := range fixes {
			c.repaired = append(c.repaired, "output_"+f)
		}
	}
	if s.Hints.Hints().ReadOnlyProven() {
		c.scope = s.Server + ":read"
	}
	for _, i := range baseCodes {
		if i.Implicit && i.Code != UnknownOutcome {
			c.codes = append(c.codes, i)
		}
	}
	return c, nil
}
