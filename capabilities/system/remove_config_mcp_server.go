package system

import (
	"context"

	"github.com/seed-89b9419b/holotype/capabilities"
)

// RemoveConfigMCPServer removes one stored MCP server.
var RemoveConfigMCPServer = capabilities.Declare(Pack, capabilities.Spec{
	Name:      "remove_config_mcp_server",
	Title:     "Remove configured MCP server",
	Summary:   "Remove an MCP server that was added here: it is stopped, and its tools are gone. What stands in a file stays.",
	Effect:    capabilities.Destroy(capabilities.Local),
	Route:     "DELETE /config/mcp-servers/{name}",
	Scope:     capabilities.ScopeAdmin,
	Answers:   capabilities.FromProcess,
	Rehearses: true,
	Refuses:   capabilities.Codes{capabilities.NotFound, capabilities.Conflict, capabilities.StaleVersion},
	Examples: []capabilities.Example{
		{Name: "a name nobody has", In: `{"name":"no-such-server"}`, Refuses: capabilities.NotFound},
	},
}, removeConfigMCPServer, needsConfiguration())

// RemoveConfigMCPServerInput names a stored server.
type RemoveConfigMCPServerInput struct {
	// The server's name.
	Name string `json:"name" jsonschema:"minLength=1,maxLength=64"`
	// Remove it only when it still has this version.
	IfMatch string `json:"if_match,omitempty" jsonschema:"maxLength=128"`
}

func removeConfigMCPServer(ctx context.Context, d Deps, in RemoveConfigMCPServerInput) (ConfiguredServer, error) {
	return d.Configuration.Remove(ctx, change(ctx, in.Name, nil, in.IfMatch, false))
}
