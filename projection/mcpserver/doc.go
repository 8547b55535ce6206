// Package mcpserver is the MCP surface: it serves the capabilities of the caller's
// view as MCP tools, over streamable HTTP and over newline-delimited JSON-RPC on
// any pair of streams, to both eras of the protocol (the handshake of 2025-11-25
// and earlier, and the sessionless 2026-07-28) at one address.
//
// The protocol library (go-sdk) owns the handshake, sessions, subscriptions and
// notifications. Two methods are ours, because the library cannot serve them as
// they must be served: tools/list, whose hints it writes as false where nobody
// stated them, and tools/call, whose arguments and results it rounds and
// re-encodes. They are answered in two lanes by the same code:
//
//   - the fast lane reads the message before the library does and answers it when,
//     and only when, the library would certainly have accepted it;
//   - everything else goes to the library, under an id of ours and without what it
//     would round, and its receiving middleware asks the same code for the same bytes.
//     The caller's own bytes are put back into what it answers.
//
// What is wrong with a message is a JSON-RPC error on both transports, whoever finds
// it; over HTTP a request without a message is refused with a problem (RFC 9457).
//
// A caller's principal comes from the credential of each request (HTTP) or from
// whoever opened the stream (stdio), never from a session id. A session belongs to
// the principal that opened it.
//
// A call may ask its client something before it is answered (capabilities.Asker), and only
// what the client declared. In the handshake era a request of ours stands in the stream that
// answers the call. Since 2026-07-28 the question is the answer: the call goes on in a
// goroutine of its own, and the request that brings the requestState attaches to it.
//
// What bridged servers have besides tools is relayed: resources, prompts, completions and
// what they log, each for a principal that may have it. None of it is our own: a list is put
// together from theirs, a resource is known by its server's name and its own URI, and every
// request goes through the door as [capabilities.NewRelayed] presents it.
//
// What is not served is neither advertised nor answered with an empty list: it is
// refused with "method not found". [Server.SurfaceFacts] says which methods are
// which.
package mcpserver
