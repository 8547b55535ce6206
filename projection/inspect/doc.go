// Package inspect judges what an MCP server shows of itself: [Judge] turns an
// observation of the bridge into a [Report] of facts, sizes and findings. A finding
// names one thing that some client cannot cope with, or that a caller cannot learn;
// [Kinds] is the closed table of them, with the limit and whose it is.
//
// It judges what was sent and nothing else: the same bytes give the same report, and
// no server is known by name.
package inspect
