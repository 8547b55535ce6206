package clients_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-89b9419b/holotype/tests/drive"
)

// seen is what a client saw.
type seen struct {
	Version      string                `json:"version"`
	Server       struct{ Name string } `json:"server"`
	Instructions string                `json:"instructions"`
	Tools        []sentTool            `json:"tools"`
	Calls        []seenCall            `json:"calls"`
}

// seenCall is the answer to one call: a result, or the protocol's error.
type seenCall struct {
	Result *struct {
		IsError    bool            `json:"isError"`
		Content    json.RawMessage `json:"content"`
		Structured json.RawMessage `json:"structuredContent"`
		Meta       struct {
			Error struct {
				Code string `json:"code"`
			} `json:"holotype/error"`
		} `json:"_meta"`
	} `json:"result"`
	Code int `json:"code"`
}

type call struct {
	Name      string         `json:"name"`
	Arguments map[string]any `json:"arguments"`
}

// made are the calls of every client, in the order in which judge reads the answers.
func made() []call {
	return []call{
		{"get_tool", map[string]any{"name": "list_tools"}},
		{"everything__echo", map[string]any{"message": "hello"}},
		{"list_tools", map[string]any{"limit": 0}},
		{"no_such_tool", map[string]any{}},
	}
}

// The clients of three libraries list, call and are refused, over both transports
// and in every era they speak.
func TestClients(t *testing.T) {
	s, _ := serve(t, t.TempDir())
	listed := map[string]hints{}
	for _, raw := range s.Speakers(t)[0].List(t) {
		tool := parse[sentTool](t, raw)
		listed[tool.Name] = hintsOf(t, tool.Annotations)
	}
	for _, c := range []struct {
		name    string
		version string
		flat    bool // the library has no word for a hint that nobody stated
		connect func(t *testing.T, overHTTP bool) seen
	}{
		{"typescript sdk 1", drive.Legacy, false, javascript(s, "sdk", "")},
		{"typescript client 2, legacy", drive.Legacy, false, javascript(s, "client", "legacy")},
		{"typescript client 2, auto", drive.Modern, false, javascript(s, "client", "auto")},
		{"go sdk, legacy", drive.Legacy, true, golang(s, drive.Legacy)},
		{"go sdk", drive.Modern, true, golang(s, "")},
	} {
		for transport, overHTTP := range map[string]bool{"http": true, "stdio": false} {
			t.Run(c.name+" over "+transport, func(t *testing.T) {
				t.Parallel()
				got := c.connect(t, overHTTP)
				if got.Version != c.version || got.Server.Name != "holotype" || got.Instructions == "" {
					t.Errorf("agreed on %q with %q, want %q; instructions %q", got.Version, got.Server.Name, c.version, got.Instructions)
				}
				tools := map[string]hints{}
				for _, tool := range got.Tools {
					tools[tool.Name] = hintsOf(t, tool.Annotations)
				}
				if c.flat {
					flatten(t, listed, tools)
				} else if diff := cmp.Diff(listed, tools); diff != "" {
					t.Errorf("the tools it sees (-wire +seen):\n%s", diff)
				}
				judge(t, got.Calls)
			})
		}
	}
}

// judge reads the answers to [made].
func judge(t *testing.T, answers []seenCall) {
	t.Helper()
	if len(answers) != len(made()) {
		t.Fatalf("%d answers", len(answers))
	}
	own, bridged, refused, unknown := answers[0], answers[1], answers[2], answers[3]
	if own.Result == nil || own.Result.IsError || parse[struct{ Name string }](t, own.Result.Structured).Name != "list_tools" {
		t.Errorf("a call of our own answers %+v", own)
	}
	if bridged.Result == nil || bridged.Result.IsError || !bytes.Contains(bridged.Result.Content, []byte("hello")) {
		t.Errorf("a bridged call answers %+v", bridged)
	}
	if refused.Result == nil || !refused.Result.IsError || refused.Result.Meta.Error.Code != "invalid" || refused.Result.Structured != nil {
		t.Errorf("a refused call answers %+v", refused)
	}
	if unknown.Result != nil || unknown.Code != -32602 {
		t.Errorf("a call of a name that nobody has answers %+v", unknown)
	}
}

// flatten compares what is stated; the library answers false for the rest.
func flatten(t *testing.T, listed, tools map[string]hints) {
	t.Helper()
	if len(tools) != len(listed) {
		t.Errorf("it sees %d tools of %d", len(tools), len(listed))
	}
	for name, want := range listed {
		for key, value := range want {
			if got, stated := tools[name][key]; !stated || got != value {
				t.Errorf("%s: %s is %v, want %v", name, key, got, value)
			}
		}
	}
}

// javascript connects with one of the two libraries.
func javascript(s *drive.Spawned, library, era string) func(*testing.T, bool) seen {
	return func(t *testing.T, overHTTP bool) seen {
		t.Helper()
		spec := reach(s, overHTTP)
		spec["library"], spec["era"], spec["calls"] = library, era, made()
		var out bytes.Buffer
		cmd, errw := client(t, spec)
		cmd.Stdout = &out
		if err := cmd.Run(); err != nil {
			t.Fatalf("%v\n%s", err, errw.String())
		}
		return parse[seen](t, out.Bytes())
	}
}
