package inspect

import (
	"encoding/json"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/capabilities/bridge"
	"github.com/seed-89b9419b/holotype/internal/wire"
)

// A Report is what there is to say of one server.
type Report struct {
	Server   Server    `json:"server"`
	Session  Session   `json:"session"`
	List     List      `json:"list"`
	Tools    []Tool    `json:"tools"`    // in the order of the list
	Findings []Finding `json:"findings"` // of the server, then tool by tool
}

// Server is who answered.
type Server struct {
	Name         string          `json:"name"` // what it calls itself; "" when it does not
	Title        string          `json:"title,omitempty"`
	Version      string          `json:"version,omitempty"`
	Instructions int             `json:"instructions_bytes"`
	Capabilities json.RawMessage `json:"capabilities,omitempty"`
}

// Session is how the session went.
type Session struct {
	Transport string           `json:"transport"`
	Version   string           `json:"protocol_version"`
	Offered   []string         `json:"protocol_versions_offered,omitempty"`
	Modern    bool             `json:"modern"` // 2026-07-28 or later: no session, no handshake
	Discover  bridge.Discovery `json:"discover"`
	Handshake int64            `json:"handshake_ms"`
	List      int64            `json:"list_ms"`
	JunkLines int              `json:"junk_lines"`
	Junk      []string         `json:"junk,omitempty"`   // the first lines, with escapes
	Stderr    string           `json:"stderr,omitempty"` // the last lines, with escapes
	Stop      *Stop            `json:"stop,omitempty"`   // of a process
}

// Stop is how a process ended.
type Stop struct {
	How   bridge.StopStep `json:"how"`
	After int64           `json:"after_ms"`
	Left  []string        `json:"left"` // processes that outlived it
}

// List is the whole list of tools.
type List struct {
	Tools   int    `json:"tools"` // entries, skipped ones included
	Skipped int    `json:"skipped"`
	Pages   int    `json:"pages"`
	Bytes   int    `json:"bytes"`           // of the results of tools/list
	Tokens  int    `json:"tokens"`          // of all tools, estimated
	Rule    string `json:"tokens_estimate"` // how
	Prefix  string `json:"client_prefix"`   // what a client puts before a name
}

// TokenRule says how tokens are estimated.
const TokenRule = wire.TokenRule

// Tool is one entry of the list.
type Tool struct {
	Name       string     `json:"name"`
	OfferedAs  string     `json:"offered_as"`  // by this program
	ClientName string     `json:"client_name"` // by a client that puts mcp__, the server's name and __ before it
	Skipped    string     `json:"skipped,omitempty"`
	Hints      Hints      `json:"hints"`
	Input      Input      `json:"input"`
	Bytes      int        `json:"bytes"`       // as sent
	ModelBytes int        `json:"model_bytes"` // of what a model is shown
	Tokens     int        `json:"tokens"`
	Depth      int        `json:"depth"` // levels of the deeper of its schemas
	Findings   []string   `json:"findings"`
	kinds      []Severity // beside Findings
}

// Input says whether unknown arguments are accepted.
type Input string

// The closed set of inputs.
const (
	Open   Input = "open"
	Closed Input = "closed"
	NoRoot Input = "unknown" // there is no object to tell it by
)

// Hints are the four hints of a tool, as it was sent.
type Hints struct {
	ReadOnly    Hint `json:"read_only"`
	Destructive Hint `json:"destructive"`
	Idempotent  Hint `json:"idempotent"`
	OpenWorld   Hint `json:"open_world"`
}

// Hint is one hint: Value is Unknown for one that is absent or no boolean.
type Hint struct {
	Value capabilities.Hint `json:"value"`
	Raw   json.RawMessage   `json:"raw,omitempty"` // nil when it is absent
}

// Finding is one thing that is wrong, or worth knowing.
type Finding struct {
	ID       string   `json:"id"`
	Severity Severity `json:"severity"`
	Tool     string   `json:"tool,omitempty"`    // its name, or where it stands; "" for the server
	Pointer  string   `json:"pointer,omitempty"` // within the tool (RFC 6901)
	Reason   string   `json:"reason"`            // what it is here
	Breaks   string   `json:"breaks"`            // of its kind
}

// Count answers how many findings have the severity.
func (r *Report) Count(s Severity) int {
	n := 0
	for i := range r.Findings {
		if r.Findings[i].Severity == s {
			n++
		}
	}
	return n
}

// A Group is the findings of one kind.
type Group struct {
	Kind
	Findings []Finding
}

// Groups answers the findings by kind, in the order of [Kinds].
func (r *Report) Groups() []Group {
	var groups []Group
	for _, k := range Kinds() {
		g := Group{Kind: k}
		for _, f := range r.Findings {
			if f.ID == k.ID {
				g.Findings = append(g.Findings, f)
			}
		}
		if len(g.Findings) > 0 {
			groups = append(groups, g)
		}
	}
	return groups
}
