package capabilities

import (
	"encoding/json"
	"strings"
	"time"
)

// The methods of the Model Context Protocol, besides those of tools, that a bridged
// server's clients may have relayed to it.
const (
	RelayResources   = "resources/list"
	RelayTemplates   = "resources/templates/list"
	RelayRead        = "resources/read"
	RelaySubscribe   = "resources/subscribe"
	RelayUnsubscribe = "resources/unsubscribe"
	RelayPrompts     = "prompts/list"
	RelayPrompt      = "prompts/get"
	RelayComplete    = "completion/complete"
	// RelayLogging stands for what a server logs while it serves calls. Nothing is called
	// by that name: the level is the client's own, and goes with each of its calls.
	RelayLogging = "logging/setLevel"
)

// RelayedSpec is one method of another MCP server that is relayed.
type RelayedSpec struct {
	Server string // the server's configured name
	Prefix string // what the names of its tools begin with
	Method string // one of the Relay constants
	// Revision changes whenever what the method answers may have changed.
	Revision string
	Hints    HintFacts
	Timeout  time.Duration
	Handler  Handler
}

// NewRelayed presents a method of another MCP server as a capability, so that the one door
// and the one gate decide about it and the audit notes it. It is named by the server's
// prefix and the method, such as "files__resources/read", which no tool can be: its
// arguments are the params of the method, and its result's Structured is the result object.
// It is in no list of tools, and called by [Call.Method] alone.
func NewRelayed(s RelayedSpec) *Capability {
	scope := ":write"
	if s.Hints.Hints().ReadOnlyProven() {
		scope = ":read"
	}
	return &Capability{
		name: s.Prefix + s.Method, title: s.Method, summary: "Relay " + s.Method + " to the MCP server " + s.Server + ".", server: s.Server, tool: s.Method,
		scope: shared(s.Server + scope), in: newForeignSchema(json.RawMessage(`{"type":"object"}`), true), handler: s.Handler, timeout: s.Timeout,
		hints: stated(s.Hints), answers: FromWorld, declared: bridgedAlike,
		passed: &passed{rawHints: s.Hints.raw(), method: s.Method, revision: s.Revision},
	}
}

// Method answers the method of another server's that is relayed, or "" of a tool.
func (c *Capability) Method() string {
	if c.passed == nil {
		return ""
	}
	return c.method
}

// Revision answers what changes with what a relayed method answers.
func (c *Capability) Revision() string { return c.revision }

// Lists reports whether a relayed method only says what there is, as a list of tools does:
// whoever may not have what it lists is not answered by it.
func (c *Capability) Lists() bool {
	if c.Method() == "" {
		return false
	}
	return strings.HasSuffix(c.method, "/list") || c.method == RelayComplete
}

// guards answers the method whose rules decide about a relayed method: what is listed can
// be had, and what cannot be had is not listed.
func guards(method string) string {
	switch method {
	case RelayResources, RelayTemplates, RelaySubscribe, RelayUnsubscribe:
		return RelayRead
	case RelayPrompts:
		return RelayPrompt
	}
	return method
}

// relaysOf parts relayed methods into those that a principal may have and the others, by
// who decides.
func relaysOf(all []*Capability, rule func(*Capability) *Rule) (open, hidden []*Capability) {
	type key struct{ server, method string }
	may := map[key]bool{}
	for _, c := range all {
		if rule(c) == nil {
			may[key{c.server, c.method}] = true
		}
	}
	for _, c := range all {
		if may[key{c.server, c.method}] && may[key{c.server, guards(c.method)}] {
			open = append(open, c)
		} else {
			hidden = append(hidden, c)
		}
	}
	return open, hidden
}
