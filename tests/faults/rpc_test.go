package faults_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/seed-89b9419b/holotype/capabilities"
)

func TestRPC(t *testing.T) {
	t.Parallel()
	ok := []call{{says: "ok"}}
	refused := []call{{says: `client said {"code":-32601`}}
	runScript(t, "rpc.mjs", []fault{
		{mode: "id-string", calls: ok},
		{
			mode: "id-null", entry: entry{"call_timeout_seconds": 1}, junk: 1,
			calls: []call{{code: capabilities.Timeout, says: `did not answer the call of "echo" within its time limit of 1s`, maybe: true}},
		},
		{mode: "id-unknown", calls: []call{{says: "ok"}, {says: "ok"}}},
		{mode: "dup", calls: []call{{says: "ok"}, {says: "ok"}}},
		{mode: "both", calls: []call{{code: capabilities.UpstreamError, says: "JSON-RPC error -32603: and an error"}}},
		{mode: "neither", calls: []call{{code: capabilities.UpstreamError, says: "neither a result nor an error", maybe: true}}},
		{mode: "err-data", calls: []call{{code: capabilities.UpstreamError, says: "JSON-RPC error -32042: needs a link"}, {code: capabilities.UpstreamError, says: "https://example.invalid/x"}}},
		{mode: "err-string", calls: []call{{code: capabilities.UpstreamError, says: "it broke"}}},
		{mode: "early", calls: ok},
		{mode: "req-ping", calls: []call{{says: "client said {} after"}}, more: atOnce},
		{mode: "req-sampling", calls: refused, more: atOnce},
		{mode: "req-roots", calls: refused, more: atOnce},
		{mode: "req-elicit", calls: refused, more: atOnce},
		{mode: "req-unknown", calls: refused, more: atOnce},
		{mode: "note-early", calls: ok},
		{mode: "note-junk", calls: ok},
		{mode: "log-storm", calls: ok},
	})
}

// atOnce fails when what a server asked its client took long to be answered.
func atOnce(t *testing.T, p *product, name string) {
	t.Helper()
	a := p.call(t, name+"__echo", `{}`)
	_, after, ok := strings.Cut(a.text(t), " after ")
	var ms int
	if _, err := fmt.Sscanf(after, "%d ms", &ms); !ok || err != nil || ms > 3000 {
		t.Errorf("the server waited for its client: %s", a.text(t))
	}
}

func TestCalls(t *testing.T) {
	t.Parallel()
	done := []call{{tool: "work", arguments: `{"ms":20,"tag":"x"}`, says: "done x"}}
	faults := []fault{
		{mode: "plain", calls: done, more: besideEachOther},
		{mode: "reorder", calls: done, more: besideEachOther},
		{mode: "serial", entry: entry{"call_timeout_seconds": 2}, calls: done, more: dropped},
		{mode: "late", calls: done, more: takenBack},
		{mode: "nocancel", calls: done, more: takenBack},
		{mode: "progress", calls: done, more: progress("1 2 3 4 5")},
		{mode: "progress-noask", calls: done, more: progress("")},
		{mode: "progress-badtoken", calls: done, more: progress("")},
		{mode: "progress-back", calls: done, more: progress("3")},
		{mode: "progress-after", calls: done, more: progress("")},
		{mode: "progress-storm", calls: done, more: growing},
		{mode: "strictargs", calls: []call{{tool: "work", arguments: `{}`, says: "done"}}},
		{mode: "nullargs", calls: []call{{tool: "work", arguments: `{}`, code: capabilities.UpstreamError, says: "takes no arguments"}, done[0]}},
	}
	for i := range faults {
		faults[i].tools = 2
	}
	runScript(t, "calls.mjs", faults)
}

// seen is what the server says it saw.
type seen struct {
	Calls       int
	MaxParallel int
	Cancels     []json.RawMessage
	Lines       []string
}

func sawOf(t *testing.T, p *product, name string) (s seen) {
	t.Helper()
	if err := json.Unmarshal([]byte(p.call(t, name+"__seen", `{}`).text(t)), &s); err != nil {
		t.Fatal(err)
	}
	return s
}
