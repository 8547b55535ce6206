// Package capabilities is the vocabulary of Holotype and its one door.
//
// A capability is one thing an assistant, a program or a person may do. It is
// declared once, in one Go file, with its effect and its types:
//
//	var CreateWorkItem = capabilities.Declare(Pack, capabilities.Spec{
//		Name:    "create_work_item",
//		Summary: "File one work item in a project.",
//		Effect:  capabilities.Append(capabilities.Shared),
//		Route:   "POST /projects/{project}/work-items",
//	}, createWorkItem)
//
// Everything else (the HTTP route, the OpenAPI operation, the MCP tool with its
// hints, the CLI command, the catalogue row, the reference page) is a projection
// of the declaration.
//
// The package has four parts. Declaring: [Spec], [Pack], [Declare], [Effect].
// Assembling: [Assemble] checks every declaration, reports every fault at once
// with its file and line, and answers an immutable [Registry]; [Live] swaps
// snapshots of it. Calling: a [Call] goes through the [Door], which looks the
// capability up, runs the interceptors, validates the raw arguments, runs the
// handler and answers a [Result] or an [*Error]. Bridging: [NewBridged] presents
// a tool of somebody else's MCP server as a capability with tri-state hints.
//
// Nothing here knows a surface: no HTTP, no MCP, no flags.
package capabilities
