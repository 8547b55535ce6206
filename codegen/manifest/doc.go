// Package manifest generates the files by which others find and install a program that is
// an MCP server: server.json of the MCP registry (schema of 2025-12-11), and manifest.json
// of an MCP bundle (manifest version 0.3).
package manifest
