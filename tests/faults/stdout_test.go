package faults_test

import (
	"testing"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/capabilities/system"
)

// mute is what becomes of a server of which nothing can be understood.
var mute = entry{"startup_timeout_seconds": 6}

func TestStdoutJunk(t *testing.T) {
	t.Parallel()
	got := []call{{says: "got hello"}}
	runScript(t, "stdout-junk.mjs", []fault{
		{mode: "banner", calls: got, junk: 2},
		{mode: "emoji-banner", calls: got, junk: 1},
		{mode: "log-between", calls: got, junk: -1},
		{mode: "bom", calls: got},
		{mode: "crlf", calls: got},
		{mode: "blank-lines", calls: got},
		{mode: "pretty", entry: mute, state: system.Failing, reason: "lines of its output were no JSON-RPC 2.0 messages, each on a line of its own", junk: -1},
		{mode: "two-per-line", calls: got},
		{mode: "trailing-space", calls: got},
		{mode: "half-line", calls: got},
		{mode: "torn-utf8", calls: got},
		{mode: "truncated-last", calls: []call{{code: capabilities.UpstreamError, says: "not valid JSON", maybe: true}}, after: system.Running},
		{mode: "scalar", calls: got, junk: 4},
		{mode: "ansi", calls: got, junk: 1},
		{mode: "unterminated-banner", calls: got, junk: 1},
		{mode: "brace-banner", calls: got, junk: 2},
		{mode: "no-jsonrpc", entry: mute, state: system.Failing, reason: "lines of its output were no JSON-RPC 2.0 messages", junk: -1},
		{mode: "batch", calls: got},
		{mode: "utf16", entry: mute, state: system.Failing, reason: "lines of its output were no JSON-RPC 2.0 messages", junk: -1},
		{mode: "nul", calls: got, junk: 1},
		{mode: "json-not-rpc", calls: got, junk: 1},
	})
}
