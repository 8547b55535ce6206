// Package bridge presents the tools of other MCP servers as capabilities.
//
// [New] checks a configuration, [Bridge.Start] starts every server at once and
// returns, and Publish is called with a server's tools whenever they are first
// known or change. A server that fails costs its own tools only. [Bridge.Apply] takes
// another configuration while everything runs, and touches what it changes.
//
// A server is shared by all, or there is an instance of it for every seat, each with a
// child and credentials of its own: a [Key] tells them apart. An instance has one
// supervisor for as long as it is configured, and a turn in it for every way of being
// started; what a turn started ends with it, before the next one starts anything.
//
// What servers say of their tools is remembered ([Memory]): hints that move towards
// danger are marked until [Bridge.Accept], and hold the tool back where that is
// configured.
//
// Every connection has two lanes. The control lane is the SDK's client: handshake,
// protocol versions, notifications. The data lane is our own: tools/list and
// tools/call as raw bytes in an id space of its own, so that big integers, unknown
// blocks and structured content pass untouched, one bad tool costs itself and one
// unreadable answer costs one call. Over a child's pipes and over the HTTP+SSE
// transport of 2024-11-05 a multiplexer shares the stream between them; over
// streamable HTTP the data lane posts beside the SDK, in the same session.
//
// A server may speak another protocol than MCP: a [Peer] says what there is to call of it and
// calls it, and everything else here holds for it as for any.
//
// A server is a stranger. Everything it sends is bounded, nothing it sends can end
// the session or the process, what it says of its tools is three-valued, and it is
// given no environment and no header but its own. It is not isolated: a child runs
// with the rights of this process.
//
// What a server says beside answers goes to the client of the call it belongs to, where it
// is known which that is: a courier carries the questions of one call and what is logged
// during it, and calls tells which of them an unmarked message is about. A server since
// 2026-07-28 asks by its answers, and converse goes on with it. What a server offers besides
// tools is presented as capabilities that are no tools, see [capabilities.NewRelayed].
package bridge
