// Package remote reaches a running server over the Unix socket in its data
// directory: one process holds the directory, the commands of the others attach
// to it and call, list and speak MCP through it.
//
// The socket's mode (0600) is the credential: whoever may open it owns the data
// directory, so every call runs as the principal the holder names, whatever the
// client says. Both ends are the same program: a client of another version is
// refused with a sentence, so the protocol carries no compatibility rules.
//
//	GET  /v1/view    the whole view of the owner
//	GET  /v1/absent  why a name of no view is not there now
//	POST /v1/call    one call; the answer is a stream of JSON lines: progress, then
//	                 one result or refusal. Closing the connection cancels the call
//	POST /v1/login   a fresh link that signs a browser in as the owner
//	POST /v1/leave   let the data directory go, to the process that asks; a refusal says
//	                 that the holder stays
//	POST /v1/mcp     with "Upgrade: holotype-mcp": the connection then carries
//	                 newline-delimited JSON-RPC; ?seat= is the position it is in,
//	                 and ?discovery=true lists the tools of discovery to it
//
// JSON texts travel as base64, so that results, schemas and arguments cross to
// the byte and the holder judges exactly what the caller wrote.
package remote
