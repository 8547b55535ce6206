// Package clientconf knows where MCP clients keep their servers, what an entry looks like
// there, and how to put one in and take it out without touching anything else.
//
// Everything that differs from client to client is data in one table, [Clients]. A file is
// changed by [Change]: with a copy of it beside it, in one step, and only when it is still
// what was read.
package clientconf
