package mcpserver_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/projection/mcpserver"
)

// listed answers the bytes of every tool on the wire, by name, in one lane.
func listed(t *testing.T, f *fixture) map[string]json.RawMessage {
	t.Helper()
	url := f.http().URL
	e := send(t, "POST", url, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, open(t, url))
	var page struct {
		Result struct{ Tools []json.RawMessage }
	}
	if err := json.Unmarshal(e.messages[0], &page); err != nil {
		t.Fatal(err)
	}
	tools := map[string]json.RawMessage{}
	for _, raw := range page.Result.Tools {
		var tool struct{ Name string }
		if err := json.Unmarshal(raw, &tool); err != nil {
			t.Fatal(err)
		}
		tools[tool.Name] = raw
	}
	return tools
}

func bothLanes(t *testing.T, test func(t *testing.T, f *fixture)) {
	t.Run("fast", func(t *testing.T) { test(t, newFixture(t)) })
	t.Run("library", func(t *testing.T) { test(t, newFixture(t, library)) })
}

// TestHintsOfEveryEffect holds the bytes of the annotations of all 20 effects.
func TestHintsOfEveryEffect(t *testing.T) {
	changes := map[string]string{
		"read":    `"readOnlyHint":true,"destructiveHint":false,"idempotentHint":true`,
		"append":  `"readOnlyHint":false,"destructiveHint":false,"idempotentHint":false`,
		"amend":   `"readOnlyHint":false,"destructiveHint":true,"idempotentHint":false`,
		"set":     `"readOnlyHint":false,"destructiveHint":true,"idempotentHint":true`,
		"destroy": `"readOnlyHint":false,"destructiveHint":true,"idempotentHint":true`,
	}
	reaches := map[string]string{"private": "false", "local": "false", "shared": "true", "world": "true"}
	bothLanes(t, func(t *testing.T, f *fixture) {
		tools := listed(t, f)
		for change, hints := range changes {
			for reach, open := range reaches {
				name := change + "_" + reach
				for _, want := range []string{
					fmt.Sprintf(`"annotations":{"title":%q,%s,"openWorldHint":%s}`, name, hints, open),
					fmt.Sprintf(`"holotype/effect":{"change":%q,"reach":%q}`, change, reach),
				} {
					if !strings.Contains(string(tools[name]), want) {
						t.Errorf("%s is on the wire as %s, without %s", name, tools[name], want)
					}
				}
			}
		}
	})
}

// TestABridgedToolAssertsWhatItsServerDid holds all 81 combinations of the four
// tri-state hints: unknown is absent, no is false.
func TestABridgedToolAssertsWhatItsServerDid(t *testing.T) {
	states := []capabilities.Hint{capabilities.Unknown, capabilities.Yes, capabilities.No}
	words := map[capabilities.Hint]string{capabilities.Yes: "true", capabilities.No: "false"}
	bothLanes(t, func(t *testing.T, f *fixture) {
		want := map[string]string{}
		var tools []*capabilities.Capability
		for i := range 81 {
			hints := [4]capabilities.Hint{states[i%3], states[i/3%3], states[i/9%3], states[i/27]}
			name := fmt.Sprintf("other__t%02d", i)
			tools = append(tools, bridged(t, name, func(s *capabilities.BridgedSpec) {
				fact := func(h capabilities.Hint) capabilities.HintFact {
					return capabilities.HintFact{Value: h, From: capabilities.FromServer}
				}
				s.Hints = capabilities.HintFacts{ReadOnly: fact(hints[0]), Destructive: fact(hints[1]), Idempotent: fact(hints[2]), OpenWorld: fact(hints[3])}
			}))
			var said []string
			for j, h := range hints {
				if h != capabilities.Unknown {
					said = append(said, fmt.Sprintf("%q:%s", capabilities.HintNames[j], words[h]))
				}
			}
			if want[name] = ""; len(said) > 0 {
				want[name] = "{" + strings.Join(said, ",") + "}"
			}
		}
		f.bridge("other", tools...)
		got := listed(t, f)
		for name, annotations := range want {
			var tool struct{ Annotations json.RawMessage }
			if err := json.Unmarshal(got[name], &tool); err != nil {
				t.Fatal(err)
			}
			if string(tool.Annotations) != annotations {
				t.Errorf("%s: annotations %s, want %s", name, tool.Annotations, annotations)
			}
		}
	})
}

// TestASchemaKeepsItsBytes: key order, big integers and unknown keywords of a
// bridged schema reach the wire; white space does not.
func TestASchemaKeepsItsBytes(t *testing.T) {
	bothLanes(t, func(t *testing.T, f *fixture) {
		f.bridge("other", bridged(t, "other__x", func(s *capabilities.BridgedSpec) {
			s.Input = json.RawMessage("{\n  \"type\": \"object\",\n  \"x-z\": 1, \"properties\": {\"b\": {\"maximum\": 9007199254740993, \"description\": \"<a> & b\"}, \"a\": {}}\n}")
		}))
		want := `"inputSchema":{"type":"object","x-z":1,"properties":{"b":{"maximum":9007199254740993,"description":"<a> & b"},"a":{}}}`
		if got := string(listed(t, f)["other__x"]); !strings.Contains(got, want) {
			t.Errorf("got %s, want %s in it", got, want)
		}
	})
}

func TestInstructionsAreBounded(t *testing.T) {
	f := newFixture(t)
	for s := range 20 {
		server := fmt.Sprintf("server%02d", s)
		var tools []*capabilities.Capability
		for i := range 50 {
			tools = append(tools, bridged(t, fmt.Sprintf("%s__t%d", server, i), func(s *capabilities.BridgedSpec) {
				s.Hints.Destructive = capabilities.HintFact{Value: capabilities.Yes, From: capabilities.FromServer}
			}))
		}
		f.bridge(server, tools...)
	}
	got := f.server.FactsFor(f.people["owner"]).Instructions
	for _, want := range []string{"1021 tools (21 of its own, ", "1016 tools (16 of its own, ", `50 of the MCP server "server00"`, "600 of 12 more"} {
		if !strings.Contains(got, want) {
			t.Errorf("got %s, without %q", got, want)
		}
	}
	if len(got) > 2048 {
		t.Errorf("%d bytes: %s", len(got), got)
	}
}

func TestFacts(t *testing.T) {
	f := newFixture(t)
	facts := f.server.SurfaceFacts()
	if facts.Surface != capabilities.MCP || facts.Name != "holotype" || facts.Version != "1.2.3" || facts.Prompts ||
		facts.ProtocolVersions[0] != modernVersion || facts.Transports[0].Address != "/operator/mcp" {
		t.Errorf("got %+v", facts)
	}
	if facts.Instructions != "" {
		t.Error("the facts that anybody may read name tools")
	}
	if got := f.server.FactsFor(f.people["guest"]).Instructions; got == "" || got == f.server.FactsFor(f.people["owner"]).Instructions {
		t.Errorf("the guest's instructions are %q", got)
	}
}

func TestNewNeedsItsParts(t *testing.T) {
	if _, err := mcpserver.New(mcpserver.Options{}); err == nil {
		t.Error("a server without a door was made")
	}
}
