// Package wire writes what crosses a surface as bytes: one MCP tool with hints
// that assert nothing more than its capability does, a tool result, a refusal as
// a problem and as tool-result metadata, and the body of an answer.
//
// The protocol library's own structs cannot say an absent hint (a false is
// written for what nobody stated) and round integers beyond 2^53, so the tools
// list, results and refusals are marshalled here, once, for every surface.
package wire
