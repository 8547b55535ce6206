package wire_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/wire"
)

func bridged(t *testing.T, output, native string) *capabilities.Capability {
	t.Helper()
	c, err := capabilities.NewBridged(capabilities.BridgedSpec{
		Name: "s__t", Tool: "t", Server: "s", Input: json.RawMessage(`{"type":"object","properties":{}}`),
		Output: json.RawMessage(output), NativeOutput: json.RawMessage(native),
		Handler: func(context.Context, *capabilities.Invocation) (*capabilities.Result, error) {
			return &capabilities.Result{}, nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestValuesThatAreNoObjects(t *testing.T) {
	const wrapped = `{"type":"object","properties":{"result":{"type":"array"}},"required":["result"]}`
	list, object, none := bridged(t, wrapped, `{"type":"array"}`), bridged(t, `{"type":"object","properties":{}}`, ""), bridged(t, "", "")
	for _, c := range []struct {
		name            string
		of              *capabilities.Capability
		value           string
		any, nat, older string // the structured content in a result of every kind
	}{
		{"with a schema", list, `[1,2]`, `{"result":[1,2]}`, `[1,2]`, `{"result":[1,2]}`},
		{"an object where a value may be anything", list, `{"a":1}`, `{"result":{"a":1}}`, `{"a":1}`, `{"result":{"a":1}}`},
		{"an object", object, `{"a":1}`, `{"a":1}`, `{"a":1}`, `{"a":1}`},
		{"without a schema", none, `7`, `7`, `7`, `{"result":7}`},
		{"none", none, ``, ``, ``, ``},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := &capabilities.Result{Structured: json.RawMessage(c.value), Blocks: []capabilities.Block{}}
			if c.value == "" {
				r.Structured = nil
			}
			for kind, one := range map[string]struct {
				data []byte
				want string
			}{
				"any": {wire.ToolResult(c.of, r), c.any}, "native": {wire.NativeResult(c.of, r), c.nat},
				"older": {wire.ToolResult(c.of, wire.Older(c.of, r)), c.older}, "body": {wire.Body(c.of, r), c.any},
			} {
				if got := member(t, one.data, "structuredContent"); got != one.want {
					t.Errorf("%s: %s, want %s", kind, got, one.want)
				}
			}
			if string(r.Structured) != c.value {
				t.Error("the result itself changed")
			}
		})
	}
	if got := member(t, wire.Tool(list), "outputSchema"); got != wrapped {
		t.Errorf("schema %s", got)
	}
	if got := member(t, wire.NativeTool(list), "outputSchema"); got != `{"type":"array"}` {
		t.Errorf("native schema %s", got)
	}
	if a, b := string(wire.Tool(object)), string(wire.NativeTool(object)); a != b {
		t.Errorf("%s and %s", a, b)
	}
	if wire.Older(none, nil) != nil {
		t.Error("nothing became something")
	}
}

func member(t *testing.T, data []byte, name string) string {
	t.Helper()
	var m map[string]json.RawMessage
	if err := json.Unmarshal(data, &m); err != nil {
		t.Fatalf("%v in %s", err, data)
	}
	return string(m[name])
}

func TestMembersThatNobodyHereKnows(t *testing.T) {
	c := bridged(t, "", "")
	for extra, want := range map[string]string{
		"": `{"content":[]}`, `{}`: `{"content":[]}`, ` { } `: `{"content":[]}`,
		`{"x":{},"n":9007199254740993}`: `{"content":[],"x":{},"n":9007199254740993}`,
	} {
		if d := cmp.Diff(want, string(wire.ToolResult(c, &capabilities.Result{Blocks: []capabilities.Block{}, Extra: json.RawMessage(extra)}))); d != "" {
			t.Errorf("%q: %s", extra, d)
		}
	}
	failed := &capabilities.Error{Code: capabilities.UpstreamError, Message: "m", Upstream: &capabilities.Result{Extra: json.RawMessage(`{"x":1}`)}}
	if got := member(t, wire.Refusal(failed, "r"), "x"); got != "1" {
		t.Errorf("of a failed result %q is left", got)
	}
}
