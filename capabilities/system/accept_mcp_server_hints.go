package system

import (
	"context"

	"github.com/seed-89b9419b/holotype/capabilities"
)

// AcceptMCPServerHints accepts hints that moved towards danger.
var AcceptMCPServerHints = capabilities.Declare(Pack, capabilities.Spec{
	Name:    "accept_mcp_server_hints",
	Title:   "Accept MCP server hints",
	Summary: "Accept the hints of a server's tools as they are now, after they moved towards danger: held tools run again.",
	Effect:  capabilities.Set(capabilities.Local),
	Route:   "POST /mcp-servers/{name}/accept-hints",
	Scope:   capabilities.ScopeAdmin,
	Answers: capabilities.FromProcess,
	Refuses: capabilities.Codes{capabilities.NotFound},
	Examples: []capabilities.Example{
		{Name: "a name nobody has", In: `{"name":"no-such-server"}`, Refuses: capabilities.NotFound},
	},
}, acceptMCPServerHints, needsConfiguration())

// AcceptMCPServerHintsInput names a server and its tools.
type AcceptMCPServerHintsInput struct {
	// The server's name.
	Name string `json:"name" jsonschema:"minLength=1,maxLength=64"`
	// The tools to accept, by their listed names; without it all that changed.
	Tools []string `json:"tools,omitempty"`
}

// AcceptedHints says what was accepted.
type AcceptedHints struct {
	// The tools whose changed hints are accepted now.
	Accepted []string `json:"accepted"`
}

func acceptMCPServerHints(ctx context.Context, d Deps, in AcceptMCPServerHintsInput) (AcceptedHints, error) {
	tools, err := d.Configuration.Accept(ctx, in.Name, in.Tools)
	return AcceptedHints{tools}, err
}
