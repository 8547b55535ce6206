package system

import (
	"context"

	"github.com/seed-89b9419b/holotype/capabilities"
)

// ListConfigMCPServers lists the declared MCP servers.
var ListConfigMCPServers = capabilities.Declare(Pack, capabilities.Spec{
	Name:    "list_config_mcp_servers",
	Title:   "List configured MCP servers",
	Summary: "List what the configuration declares of every MCP server, in its files or stored here.",
	Effect:  capabilities.Read(capabilities.Local),
	Route:   "GET /config/mcp-servers",
	Scope:   capabilities.ScopeAdmin,
	Answers: capabilities.FromProcess,
	Examples: []capabilities.Example{
		{Name: "all of them", In: `{}`},
	},
}, listConfigMCPServers, needsConfiguration())

// ListConfigMCPServersInput pages the list.
type ListConfigMCPServersInput struct {
	capabilities.PageInput
}

func listConfigMCPServers(_ context.Context, d Deps, in ListConfigMCPServersInput) (capabilities.Page[ConfiguredServer], error) {
	return capabilities.Paginate(d.Configuration.Entries(), in.PageInput, func(s ConfiguredServer) string { return s.Name })
}
