package e2e_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-89b9419b/holotype"
	"github.com/seed-89b9419b/holotype/tests/drive"
)

// A server that is added while everything runs stands on every surface with the same
// hints, can be called, and is gone from every surface when it was removed. Sessions
// that were open before are told.
func TestAServerThatIsAddedAndRemoved(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	r := drive.Start(t, holotype.Options{})
	session := r.Stdio(t).Shake(t)
	const path = "/api/v1/config/mcp-servers/late"
	listed := func(want int) func([]json.RawMessage) bool {
		return func(tools []json.RawMessage) bool {
			late := 0
			for _, one := range tools {
				if strings.HasPrefix(parse[struct{ Name string }](t, one).Name, "late__") {
					late++
				}
			}
			return late == want
		}
	}
	everywhere := func(want words, there bool) {
		t.Helper()
		for _, p := range places(t, r) {
			got, has := p.told["late__echo"]
			if diff := cmp.Diff(want, got); has != there || there && diff != "" {
				t.Errorf("%s: there: %v, want %v (-want +got)\n%s", p.name, has, there, diff)
			}
		}
	}

	entry := fmt.Sprintf(`{"entry":{"command":%q,"env":{"E2E_SERVER":%q},"tool_annotations":{"echo":{"open_world":"no"}}}}`, exe, working)
	header := map[string]string{"Content-Type": "application/json", "If-None-Match": "*"}
	if resp, body := r.HTTP(t, http.MethodPut, path, header, []byte(entry)); resp.StatusCode != http.StatusOK {
		t.Fatalf("%d %s", resp.StatusCode, body)
	}
	session.Settled(t, listed(len(toolsOf(working))))
	everywhere(words{"yes", "unknown", "unknown", "no"}, true)
	if out, errw, exit := r.CLI(t, "", "call", "late__echo", "--text", "hello", "-o", "json"); exit != 0 || !strings.Contains(string(out), `"text":"hello"`) {
		t.Errorf("exit status %d: %s%s", exit, out, errw)
	}

	// Shown otherwise, it is not started anew.
	entry = strings.Replace(entry, `"open_world":"no"`, `"open_world":"yes"`, 1)
	if resp, body := r.HTTP(t, http.MethodPut, path, map[string]string{"Content-Type": "application/json"}, []byte(entry)); resp.StatusCode != http.StatusOK {
		t.Fatalf("%d %s", resp.StatusCode, body)
	}
	everywhere(words{"yes", "unknown", "unknown", "yes"}, true)

	if resp, body := r.HTTP(t, http.MethodDelete, path, nil, nil); resp.StatusCode != http.StatusOK {
		t.Fatalf("%d %s", resp.StatusCode, body)
	}
	session.Settled(t, listed(0))
	everywhere(words{}, false)
	if _, errw, exit := r.CLI(t, "", "call", "late__echo", "--text", "hello"); exit != 3 {
		t.Errorf("removed, its tool exits %d: %s", exit, errw)
	}
}
