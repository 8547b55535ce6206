// Package system is the pack that describes this server to its callers: which
// tools there are for them, how each is projected, which MCP servers are bridged.
// Every capability of it reads and none reaches past this server.
package system
