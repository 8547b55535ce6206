package mcpserver_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/seed-89b9419b/holotype/capabilities"
)

// A value that is no object, and its schema, pass as the server sent them to a client
// of 2026-07-28, and wrapped to an older one, which knows no other.
func TestValuesThatAreNoObjectsInBothEras(t *testing.T) {
	const (
		native  = `{"type":"array","items":{"type":"integer"}}`
		wrapped = `{"type":"object","properties":{"result":` + native + `},"required":["result"]}`
	)
	f := newFixture(t)
	answering := func(value string) capabilities.Handler {
		return func(context.Context, *capabilities.Invocation) (*capabilities.Result, error) {
			return &capabilities.Result{Structured: json.RawMessage(value), Blocks: []capabilities.Block{capabilities.TextBlock("x")}}, nil
		}
	}
	f.bridge("third",
		bridged(t, "third__list", func(s *capabilities.BridgedSpec) {
			s.Output, s.NativeOutput, s.Handler = json.RawMessage(wrapped), json.RawMessage(native), answering(`[1,2]`)
		}),
		bridged(t, "third__bare", func(s *capabilities.BridgedSpec) { s.Handler = answering(`7`) }),
		bridged(t, "third__fails", func(s *capabilities.BridgedSpec) {
			s.Handler = func(context.Context, *capabilities.Invocation) (*capabilities.Result, error) {
				e := capabilities.Refuse(capabilities.UpstreamError, "no")
				e.Upstream = &capabilities.Result{Structured: json.RawMessage(`[3]`), Blocks: []capabilities.Block{capabilities.TextBlock("no")}}
				return nil, e
			}
		}),
	)
	url := f.http().URL
	session := open(t, url)
	ask := func(era, method, tool string) string {
		t.Helper()
		params := ""
		if tool != "" {
			params = `"name":"` + tool + `"`
		}
		if era == "older" {
			return string(send(t, "POST", url, `{"jsonrpc":"2.0","id":1,"method":"`+method+`","params":{`+params+`}}`, session).messages[0])
		}
		body, headers := modern("1", method, tool, params, "")
		return string(send(t, "POST", url, body, headers...).messages[0])
	}
	for _, c := range []struct{ method, tool, older, modern string }{
		{"tools/call", "third__list", `"structuredContent":{"result":[1,2]}`, `"structuredContent":[1,2]`},
		{"tools/call", "third__bare", `"structuredContent":{"result":7}`, `"structuredContent":7`},
		{"tools/call", "third__fails", `"structuredContent":{"result":[3]}`, `"structuredContent":[3]`},
		{"tools/list", "", `"outputSchema":` + wrapped, `"outputSchema":` + native},
	} {
		if got := ask("older", c.method, c.tool); !strings.Contains(got, c.older) {
			t.Errorf("%s %s to an older client: %s", c.method, c.tool, got)
		}
		if got := ask("modern", c.method, c.tool); !strings.Contains(got, c.modern) {
			t.Errorf("%s %s to a modern one: %s", c.method, c.tool, got)
		}
	}
}
