package conformance

import (
	"context"
	"encoding/json"
	"io"
	"net/http"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/tests/sweep"
)

// Server is a running server, reached every way.
type Server struct {
	// Handler answers the HTTP surface, with MCP at /operator/mcp. Where it is nil the
	// server is another process, at URL.
	Handler http.Handler
	URL     string
	// Token is that of an owner, sent as a bearer token.
	Token string
	// Run runs a command line against the same server, without the program's name; nil
	// leaves the command line out.
	Run func(ctx context.Context, words []string, in io.Reader, out, errw io.Writer) int
	// Door calls in this process, for [Target.Prepare]; nil where there is none.
	Door capabilities.Invoker
}

// Principal is a caller beside the owner.
type Principal struct{ Name, Token string }

// Sample is one call of a capability, beside the examples that it declares.
type Sample struct {
	Name    string
	In      string            // the arguments as JSON
	Refuses capabilities.Code // what it is refused with; "" for an answer
}

// Target is what is judged.
type Target struct {
	Server
	// Registry holds the declarations: what is served beside them is judged as part of
	// lists alone.
	Registry *capabilities.Registry
	// Prepare fills the server with what the samples stand on, and answers callers that see
	// a part of what the owner sees; nil is nothing.
	Prepare func(ctx context.Context, door capabilities.Invoker) ([]Principal, error)
	// Again ends the server and answers another one that has the same store; nil leaves
	// the comparison of two out.
	Again func(ctx context.Context) (Server, error)
	// Samples are called beside the examples, by the capability's name.
	Samples map[string][]Sample
	// Writes has what writes and cannot be tried in a dry run called once, for good: the
	// server is a test's own.
	Writes bool
	// State answers what the capabilities change, in any form; nil takes what those answer
	// that read.
	State func(ctx context.Context) ([]byte, error)
	// Upstream is the name that the [Upstream] of this package is bridged under; "" leaves
	// the relay out.
	Upstream string
	// Canaries are what was planted as secrets; without any, secrets are left out.
	Canaries []sweep.Canary
}

// samples answers the calls of a capability, its examples first.
func (t Target) samples(c *capabilities.Capability) []Sample {
	var all []Sample
	for _, e := range c.Examples() {
		all = append(all, Sample{e.Name, e.In, e.Refuses})
	}
	return append(all, t.Samples[c.Name()]...)
}

// good answers arguments that are taken, as far as any are known.
func (t Target) good(c *capabilities.Capability) string {
	for _, s := range t.samples(c) {
		if s.Refuses == "" {
			return s.In
		}
	}
	return "{}"
}

// compares reports whether a capability promises the same answer everywhere.
func compares(c *capabilities.Capability) bool {
	return c.Answers() == capabilities.FromInput || c.Answers() == capabilities.FromStore
}

// answer is what one way answered.
type answer struct {
	way        string
	code       capabilities.Code // "" for a result
	said       string
	violations []capabilities.Violation
	structured json.RawMessage
	content    json.RawMessage
	status     int    // of HTTP, or the exit status
	raw        []byte // everything that came back
	unheard    string // why it is no answer of a capability; "" where it is one
}

// exchange is one call, as it was answered on every way that can carry it.
type exchange struct {
	c       *capabilities.Capability
	sample  Sample
	dry     bool
	answers []answer
}
