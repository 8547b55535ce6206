package mcpserver_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/seed-89b9419b/holotype/internal/rawjson"
	"github.com/seed-89b9419b/holotype/projection/mcpserver"
)

func TestSkim(t *testing.T) {
	for _, tc := range []struct{ name, text, id, method string }{
		{"the usual", `{"jsonrpc":"2.0","id":7,"method":"a/b","params":{"id":1,"method":"x"}}`, "7", "a/b"},
		{"the id last", `{"params":[{"id":"no"}],"method":"a","id":"i\"d"}`, `"i\"d"`, "a"},
		{"braces in strings", `{"params":"}{\"id\":1,","id":2}`, "2", ""},
		{"none", `{"params":{"id":1}}`, "", ""},
		{"a long id", `{"id":"` + strings.Repeat("x", 300) + `","method":"m"}`, "", "m"},
		{"no message", `nonsense, "id":1`, "", ""},
		{"never closed", `{"id":1,"method":"m"`, "1", ""},
	} {
		if id, method := mcpserver.Skim([]byte(tc.text)); id != tc.id || method != tc.method {
			t.Errorf("%s: id %s, method %q; want %s, %q", tc.name, id, method, tc.id, tc.method)
		}
	}
}

// FuzzReadMessage: reading never panics, a message that reads well is JSON, and an
// error answers JSON.
func FuzzReadMessage(f *testing.F) {
	for _, tc := range corpus {
		body, _ := modern("1", tc.method, tc.tool, tc.params, tc.meta)
		f.Add([]byte(body))
	}
	f.Add([]byte(`[{"jsonrpc":"2.0","id":1,"method":"ping"}]`))
	f.Add([]byte(`{"jsonrpc":"2.0","method":"tools/call","params":{"name":"a","arguments":{"a":1,"a":2}},"id":1x}`))
	f.Add([]byte(`{"jsonrpc":"2.0","id":1,"id":"\ud800","method":"tools/call","params":{"arguments":{"a":1,"a":`))
	f.Add([]byte("{\"jsonrpc\":\"2.0\",\"\x8f\":1,\"id\"d800\""))
	f.Fuzz(func(t *testing.T, data []byte) {
		id, failed := mcpserver.ReadMessage(data)
		if failed == nil {
			// A fault in the arguments alone is the door's to judge, but no fault of syntax.
			if rawjson.Valid(data, rawjson.AnyDepth) != nil {
				t.Errorf("%q was read as a message", data)
			}
			if id != nil && !json.Valid(id) {
				t.Errorf("%q has the id %q", data, id)
			}
			return
		}
		if answer := mcpserver.Failure(id, failed); !json.Valid(answer) {
			t.Errorf("%q is answered with %q", data, answer)
		}
		mcpserver.Skim(data)
	})
}
