package system

import (
	"context"

	"github.com/seed-89b9419b/holotype/capabilities"
)

// GetMCPServer shows how one MCP server is doing.
var GetMCPServer = capabilities.Declare(Pack, capabilities.Spec{
	Name:    "get_mcp_server",
	Title:   "Get MCP server",
	Summary: "Show how one MCP server is doing: its launch, each instance with cause and last output, what it listed and what was left out.",
	Effect:  capabilities.Read(capabilities.Local),
	Route:   "GET /mcp-servers/{name}",
	Scope:   capabilities.ScopeAdmin,
	Answers: capabilities.FromProcess,
	Refuses: capabilities.Codes{capabilities.NotFound},
	Examples: []capabilities.Example{
		{Name: "a name nobody has", In: `{"name":"no-such-server"}`, Refuses: capabilities.NotFound},
	},
}, getMCPServer)

// GetMCPServerInput names a server.
type GetMCPServerInput struct {
	// The server's name.
	Name string `json:"name" jsonschema:"minLength=1,maxLength=64"`
}

func getMCPServer(_ context.Context, d Deps, in GetMCPServerInput) (Server, error) {
	for _, s := range d.Servers() {
		if s.Name == in.Name {
			return s, nil
		}
	}
	return Server{}, capabilities.Refuse(capabilities.NotFound, "no MCP server is named %q: list_mcp_servers has the names", in.Name)
}
