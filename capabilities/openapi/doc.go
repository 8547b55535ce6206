// Package openapi presents the operations of a described HTTP API as capabilities.
//
// A [Peer] reads an OpenAPI 3.0 or 3.1 document and answers the bridge, for every
// operation that can be called, what an MCP server would say of a tool: a name, texts, an
// input schema and an output schema. The bridge does the rest as for any server: names,
// limits, overrides, state, refusals, secrets.
//
// Nothing here says what a call does. A document has a method and no effect, and a GET may
// well empty a queue: the hints are unknown until an operator states them.
//
// A document is a stranger's, and so is the API. What is read is bounded, references lead
// nowhere but within the document, no value of an argument leaves its place in a request,
// and a request goes to one origin, with the credential that is configured for it and
// nothing of the caller's but the arguments. What cannot be carried out as it is written
// costs one operation, with the reason.
package openapi
