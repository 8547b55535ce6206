package clients_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-89b9419b/holotype/tests/drive"
)

// hints are the hints of one tool that are true or false, by the protocol's names.
// One that nobody stated is absent.
type hints map[string]bool

func hintsOf(t *testing.T, annotations map[string]json.RawMessage) hints {
	t.Helper()
	h := hints{}
	for _, key := range []string{"readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"} {
		if raw, stated := annotations[key]; stated {
			h[key] = parse[bool](t, raw)
		}
	}
	return h
}

// serve serves the two servers and the missing one, and waits until each is up or
// has failed.
func serve(t *testing.T, folder string) (*drive.Spawned, []upstream) {
	t.Helper()
	packages(t)
	all := upstreams(t, folder)
	s := drive.Spawn(t, os.Getenv(programEnv), "--mcp-config", clientFile(t, all))
	for _, pattern := range []string{`msg=server_ready server=everything `, `msg=server_ready server=filesystem `, `msg=server_failed server=missing `} {
		if !s.Log.Await(regexp.MustCompile(pattern)) {
			t.Fatalf("%s did not come:\n%s", pattern, s.Log.Text())
		}
	}
	return s, all
}

// The tools of the servers stand everywhere with exactly the hints they sent, and
// the server that does not exist costs one line.
func TestBridgedServers(t *testing.T) {
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "note.txt"), []byte("kept\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s, all := serve(t, folder)
	want := map[string]hints{}
	for _, u := range all {
		for _, tool := range u.ask(t) {
			want[u.name+"__"+tool.Name] = hintsOf(t, tool.Annotations)
		}
	}
	same := func(where string, got map[string]hints) {
		t.Helper()
		maps.DeleteFunc(got, func(name string, _ hints) bool { return !strings.Contains(name, "__") })
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-sent +shown):\n%s", where, diff)
		}
	}
	for _, speaker := range s.Speakers(t) {
		listed := map[string]hints{}
		for _, raw := range speaker.List(t) {
			tool := parse[sentTool](t, raw)
			listed[tool.Name] = hintsOf(t, tool.Annotations)
		}
		same(speaker.Name, listed)
	}
	same("/openapi.json", ofOpenAPI(t, s.Get(t, "/openapi.json")))
	out, errw, exit := s.CLI(t, "", "tools", "-o", "json")
	if exit != 0 {
		t.Fatalf("holotype tools exits %d: %s", exit, errw)
	}
	same("holotype tools", ofRows(t, out))

	var lines []string
	for line := range strings.Lines(s.Log.Text()) {
		if strings.Contains(line, "level=WARN") || strings.Contains(line, "level=ERROR") {
			lines = append(lines, line)
		}
	}
	if len(lines) != 1 || !strings.Contains(lines[0], "server=missing") || !strings.Contains(lines[0], "no-such-mcp-server") || !strings.Contains(lines[0], "not in the PATH") {
		t.Errorf("the missing server costs these lines:\n%s", strings.Join(lines, ""))
	}
	t.Run("calls", func(t *testing.T) { calls(t, s, folder) })
}

// calls has a tool of both servers called over every surface.
func calls(t *testing.T, s *drive.Spawned, folder string) {
	t.Helper()
	path, err := json.Marshal(map[string]string{"path": filepath.Join(folder, "note.txt")})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ server, tool, in, says string }{
		{"everything", "echo", `{"message":"over here"}`, "over here"},
		{"everything", "get-sum", `{"a":40,"b":2}`, "42"},
		{"filesystem", "read_text_file", string(path), "kept"},
	} {
		t.Run(c.tool, func(t *testing.T) {
			resp, body := s.HTTP(t, http.MethodPost, "/api/v1/servers/"+c.server+"/tools/"+c.tool, map[string]string{"Content-Type": "application/json"}, []byte(c.in))
			if resp.StatusCode != http.StatusOK || !strings.Contains(contentOf(t, body), c.says) {
				t.Errorf("HTTP answers %d: %s", resp.StatusCode, body)
			}
			out, errw, exit := s.CLI(t, c.in, "call", c.server+"__"+c.tool, "-o", "json", "--yes", "--json", "-")
			if exit != 0 || string(out) != string(body) {
				t.Errorf("the command line exits %d: %s%s", exit, out, errw)
			}
			for _, speaker := range s.Speakers(t) {
				_, data := speaker.Call(t, c.server+"__"+c.tool, c.in)
				result := parse[struct{ Result json.RawMessage }](t, data).Result
				if contentOf(t, result) != contentOf(t, body) {
					t.Errorf("%s answers %s", speaker.Name, data)
				}
			}
		})
	}
}

func contentOf(t *testing.T, result []byte) string {
	t.Helper()
	return string(parse[struct{ Content json.RawMessage }](t, result).Content)
}

func ofOpenAPI(t *testing.T, data []byte) map[string]hints {
	t.Helper()
	got := map[string]hints{}
	doc := parse[struct {
		Paths map[string]map[string]struct {
			ID    string                     `json:"operationId"`
			Hints map[string]json.RawMessage `json:"x-holotype-hints"`
		} `json:"paths"`
	}](t, data)
	for _, methods := range doc.Paths {
		for _, op := range methods {
			got[op.ID] = hintsOf(t, op.Hints)
		}
	}
	return got
}

func ofRows(t *testing.T, data []byte) map[string]hints {
	t.Helper()
	got := map[string]hints{}
	for _, row := range parse[struct {
		Items []struct {
			Name  string `json:"name"`
			Hints map[string]struct {
				Value string `json:"value"`
			} `json:"hints"`
		}
	}](t, data).Items {
		h := hints{}
		for key, name := range map[string]string{
			"read_only": "readOnlyHint", "destructive": "destructiveHint", "idempotent": "idempotentHint", "open_world": "openWorldHint",
		} {
			if v := row.Hints[key].Value; slices.Contains([]string{"yes", "no"}, v) {
				h[name] = v == "yes"
			}
		}
		got[row.Name] = h
	}
	return got
}
