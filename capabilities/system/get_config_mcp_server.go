package system

import (
	"context"

	"github.com/seed-89b9419b/holotype/capabilities"
)

// GetConfigMCPServer shows one declared MCP server.
var GetConfigMCPServer = capabilities.Declare(Pack, capabilities.Spec{
	Name:    "get_config_mcp_server",
	Title:   "Get configured MCP server",
	Summary: "Show what the configuration declares of one MCP server, and the version a change of it needs.",
	Effect:  capabilities.Read(capabilities.Local),
	Route:   "GET /config/mcp-servers/{name}",
	Scope:   capabilities.ScopeAdmin,
	Answers: capabilities.FromProcess,
	Refuses: capabilities.Codes{capabilities.NotFound},
	Examples: []capabilities.Example{
		{Name: "a name nobody has", In: `{"name":"no-such-server"}`, Refuses: capabilities.NotFound},
	},
}, getConfigMCPServer, needsConfiguration())

// GetConfigMCPServerInput names a server.
type GetConfigMCPServerInput struct {
	// The server's name.
	Name string `json:"name" jsonschema:"minLength=1,maxLength=64"`
}

func getConfigMCPServer(_ context.Context, d Deps, in GetConfigMCPServerInput) (ConfiguredServer, error) {
	return entry(d, in.Name)
}
