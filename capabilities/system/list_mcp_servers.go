package system

import (
	"context"

	"github.com/seed-89b9419b/holotype/capabilities"
)

// ListMCPServers lists the configured MCP servers.
var ListMCPServers = capabilities.Declare(Pack, capabilities.Spec{
	Name:    "list_mcp_servers",
	Title:   "List MCP servers",
	Summary: "List the MCP servers bridged here: how each is doing, why, and what it brought.",
	Effect:  capabilities.Read(capabilities.Local),
	Route:   "GET /mcp-servers",
	Scope:   capabilities.ScopeAdmin,
	Answers: capabilities.FromProcess,
	Examples: []capabilities.Example{
		{Name: "all of them", In: `{}`},
	},
}, listMCPServers)

// ListMCPServersInput pages the list.
type ListMCPServersInput struct {
	capabilities.PageInput
}

func listMCPServers(_ context.Context, d Deps, in ListMCPServersInput) (capabilities.Page[Server], error) {
	return capabilities.Paginate(d.Servers(), in.PageInput, func(s Server) string { return s.Name })
}
