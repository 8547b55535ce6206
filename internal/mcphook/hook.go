// Package mcphook lets the tests of this module add to the MCP server what the
// product does not offer, so that tools which expect all of the protocol can be run
// against the rest. It is internal: a program made with the module cannot name the
// type, and has no hook.
package mcphook

import "github.com/modelcontextprotocol/go-sdk/mcp"

// Hook adds features of the protocol library to an MCP server. The zero value adds
// nothing.
type Hook struct {
	// Options changes what the library's server is made with; nil changes nothing.
	Options func(*mcp.ServerOptions)
	// Extend runs once on the library's finished server; nil does nothing.
	Extend func(*mcp.Server)
	// Methods are served beside the product's own.
	Methods []string
	// Tools are names that Extend gave to the library's server. Calls of them are the
	// library's to answer; they are in no view and so in no list.
	Tools []string
	// Slow makes every message take the library's lane.
	Slow bool
}
