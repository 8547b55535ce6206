// Package signin signs in to other people's MCP servers: it is a client of OAuth 2.1 as the authorization of MCP has it (2025-11-25 and 2026-07-28, "Authorization").
//
// An [Account] is what one instance of a server is signed in by. Its tokens are for that server alone (RFC 8707), come from the authorization
// server that the server named (RFC 9728, 8414) and are sealed at rest. They go to no other origin, and no token of a caller is ever
// among them.
package signin
