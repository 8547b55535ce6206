package e2e_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-89b9419b/holotype"
	"github.com/seed-89b9419b/holotype/tests/drive"
)

// A name whose server is starting or failing is unavailable on every surface, with the
// server's state: its tools may be there a moment later. Every other name that nobody
// has is unknown.
func TestNamesOfServersThatAreNotThere(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	config := filepath.Join(t.TempDir(), "holotype.yaml")
	text := fmt.Sprintf("mcp_servers:\n  - name: gone\n    command: no-such-program\n  - name: slow\n    command: %q\n    env: {E2E_SERVER: %s}\n", exe, mute)
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	r := drive.Start(t, holotype.Options{Config: config})
	for _, c := range []struct{ server, says string }{
		{"gone", `server "gone" is `}, // starting or failing: the start is under way
		{"slow", `server "slow" is starting`},
	} {
		name := c.server + "__tool"
		for _, way := range []struct{ where, method, path, tool, in string }{
			{"a call", http.MethodPost, "/api/v1/servers/" + c.server + "/tools/tool", name, `{}`},
			{"get_tool", http.MethodGet, "/api/v1/tools/" + name, "get_tool", `{"name":"` + name + `"}`},
		} {
			var headers map[string]string
			var in []byte
			if way.method == http.MethodPost {
				headers, in = map[string]string{"Content-Type": "application/json"}, []byte(way.in)
			}
			resp, body := r.HTTP(t, way.method, way.path, headers, in)
			if got := parse[refusal](t, body); resp.StatusCode != http.StatusServiceUnavailable || got.Code != "unavailable" || got.Maybe || !strings.Contains(string(body), strings.ReplaceAll(c.says, `"`, `\"`)) {
				t.Errorf("%s of %s over HTTP: %d %s", way.where, name, resp.StatusCode, body)
			}
			_, errw, exit := r.CLI(t, "", "call", way.tool, "-o", "json", "--json", way.in)
			if got := parse[refusal](t, errw); exit != 1 || got.Code != "unavailable" {
				t.Errorf("%s of %s on the command line: %d %s", way.where, name, exit, errw)
			}
			for _, s := range r.Speakers(t) {
				_, data := s.Call(t, way.tool, way.in)
				if got := parse[struct{ Result result }](t, data).Result; !got.IsError || got.Meta.Error == nil || got.Meta.Error.Code != "unavailable" {
					t.Errorf("%s of %s, %s: %s", way.where, name, s.Name, data)
				}
			}
		}
	}
	resp, body := r.HTTP(t, http.MethodPost, "/api/v1/servers/nobody/tools/tool", map[string]string{"Content-Type": "application/json"}, []byte(`{}`))
	if resp.StatusCode != http.StatusNotFound {
		t.Errorf("a server that is not configured: %d %s", resp.StatusCode, body)
	}
	if _, errw, exit := r.CLI(t, "", "call", "nobody__tool"); exit != 3 {
		t.Errorf("a name of no server: %d %s", exit, errw)
	}
	for _, s := range r.Speakers(t) {
		if _, data := s.Call(t, "nobody__tool", `{}`); !strings.Contains(string(data), "-32602") {
			t.Errorf("a name of no server, %s: %s", s.Name, data)
		}
	}
}
