package holotype_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/seed-89b9419b/holotype"
)

// command runs a command line of Holotype itself, in memory.
func command(t *testing.T, args ...string) (status int, out, errs string) {
	t.Helper()
	var stdout, stderr strings.Builder
	status = holotype.New(quiet(holotype.Options{})).Command().Run(t.Context(), args, strings.NewReader(""), &stdout, &stderr)
	return status, stdout.String(), stderr.String()
}

// endpoint serves one tool over MCP.
func endpoint(t *testing.T, version, input string, hints *mcp.ToolAnnotations) (url string) {
	t.Helper()
	s := mcp.NewServer(&mcp.Implementation{Name: "far", Version: version}, nil)
	s.AddTool(&mcp.Tool{Name: "read", Description: "Reads.", InputSchema: json.RawMessage(input), Annotations: hints}, nil)
	h := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s }, &mcp.StreamableHTTPOptions{Stateless: true})
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-Key") != version {
			http.Error(w, "no", http.StatusUnauthorized)
			return
		}
		h.ServeHTTP(w, r)
	}))
	t.Cleanup(web.Close)
	return web.URL
}

// Anybody can gate a server of their own: two endpoints are compared, each with its own
// credential, and the version of the new one has to carry what changed.
func TestSurfaceDiffOfEndpoints(t *testing.T) {
	old := endpoint(t, "1.2.0", `{"type":"object","properties":{"q":{"type":"string"}}}`, &mcp.ToolAnnotations{ReadOnlyHint: true})
	now := endpoint(t, "1.2.1", `{"type":"object","properties":{"q":{"type":"string","maxLength":3}}}`, &mcp.ToolAnnotations{})
	args := []string{"surface", "diff", old, now, "--old-header", "X-Key: 1.2.0", "--header", "X-Key: 1.2.1"}
	status, out, errs := command(t, append(args, "-o", "json")...)
	if status != 1 || !strings.Contains(errs, "needs the version 2.0.0") {
		t.Errorf("exits %d: %s%s", status, out, errs)
	}
	var report struct {
		Verdict struct {
			Carried bool   `json:"carried"`
			Needs   string `json:"needs"`
		} `json:"verdict"`
		Changes []struct {
			Class string          `json:"class"`
			Kind  string          `json:"kind"`
			At    string          `json:"at"`
			Value json.RawMessage `json:"value"`
		} `json:"changes"`
	}
	if err := json.Unmarshal([]byte(out), &report); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	var got []string
	for _, c := range report.Changes {
		got = append(got, c.Class+" "+c.Kind+" "+c.At+" "+string(c.Value))
	}
	want := []string{"major hint-more-dangerous /hints/readOnlyHint ", `major input-narrowed /input/properties/q/maxLength {"q":"xxxx"}`}
	if d := cmp.Diff(want, got); d != "" || report.Verdict.Carried || report.Verdict.Needs != "2.0.0" {
		t.Errorf("%+v (-want +got):\n%s", report.Verdict, d)
	}
	if status, out, errs := command(t, append(args, "--new-version", "2.0.0")...); status != 0 || !strings.Contains(out, "2 major, 0 minor, 0 patch") {
		t.Errorf("a version that carries them exits %d: %s%s", status, out, errs)
	}
	// The old server's credential is not the new one's.
	if status, _, errs := command(t, "surface", "diff", old, now, "--old-header", "X-Key: 1.2.0"); status != 1 || !strings.Contains(errs, "--header") {
		t.Errorf("without a credential it exits %d: %s", status, errs)
	}
	if status, _, errs := command(t, "surface", "diff", old, now, "--header", "X-Key: 1.2.1"); status != 1 || !strings.Contains(errs, "--old-header") {
		t.Errorf("without the old credential it exits %d: %s", status, errs)
	}
}

// What is shown can be kept and compared later.
func TestSurfaceShown(t *testing.T) {
	file := filepath.Join(t.TempDir(), "surface.json")
	url := endpoint(t, "1.0.0", `{"type":"object"}`, nil)
	keep := func(args ...string) {
		t.Helper()
		status, out, errs := command(t, append([]string{"surface", "show"}, args...)...)
		if status != 0 {
			t.Fatalf("show exits %d: %s", status, errs)
		}
		if err := os.WriteFile(file, []byte(out), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	keep(url, "--header", "X-Key: 1.0.0")
	if status, out, errs := command(t, "surface", "diff", file, url, "--header", "X-Key: 1.0.0"); status != 0 || !strings.Contains(out, "nothing changed") {
		t.Errorf("compared with itself it exits %d: %s%s", status, out, errs)
	}
	if status, _, errs := command(t, "surface", "diff", file); status != 2 || !strings.Contains(errs, "like with like") {
		t.Errorf("compared with what this program declares it exits %d: %s", status, errs)
	}
	keep()
	if status, out, errs := command(t, "surface", "diff", file); status != 0 || !strings.Contains(out, "nothing changed") {
		t.Errorf("what this program declares exits %d compared with itself: %s%s", status, out, errs)
	}
}

func TestSurfaceCommandLines(t *testing.T) {
	file := filepath.Join(t.TempDir(), "surface.json")
	if err := os.WriteFile(file, []byte(`{"format":1}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		line   []string
		status int
		says   string
	}{
		"nothing to compare":          {[]string{"diff"}, 2, "the old surface"},
		"no such file":                {[]string{"diff", "nowhere.json"}, 2, "nowhere.json"},
		"no picture":                  {[]string{"diff", file}, 1, "is of"},
		"three surfaces":              {[]string{"diff", "a", "b", "c"}, 2, "more than two"},
		"three with a command":        {[]string{"diff", "a", "b", "--", "c"}, 2, "more than two"},
		"an old command and an old":   {[]string{"diff", "--old-command", "a", "b", "c"}, 2, "leave OLD out"},
		"no command behind --":        {[]string{"diff", "a", "--"}, 2, "a command has to follow"},
		"a quote that does not end":   {[]string{"diff", "--old-command", `a "b`, "c"}, 2, "within a quote"},
		"an old command of nothing":   {[]string{"diff", "--old-command", "  ", "c"}, 2, "no command"},
		"a command that is not there": {[]string{"diff", "--old-command", `'/no where/at all'  x\ y`, "c"}, 1, "/no where/at all"},
		"a header for a command":      {[]string{"diff", "--old-command", "a", "c", "--old-header", "X: y"}, 2, "--old-header"},
		"an odd time":                 {[]string{"show", "--timeout", "soon", "--", "a"}, 2, "--timeout"},
		"a command without --":        {[]string{"show", "node", "server.js"}, 2, "surface show -- node server.js"},
		"a url and a command":         {[]string{"show", "http://127.0.0.1/", "--", "a"}, 2, "not both"},
		"no url":                      {[]string{"show", "ftp://x"}, 2, "ftp://x"},
		"kinds":                       {[]string{"diff", "--list-kinds"}, 0, "input-narrowed"},
		"kinds and a surface":         {[]string{"diff", "--list-kinds", file}, 2, "leave the surfaces out"},
	} {
		t.Run(name, func(t *testing.T) {
			status, out, errs := command(t, append([]string{"surface"}, c.line...)...)
			if status != c.status || !strings.Contains(out+errs, c.says) {
				t.Errorf("exits %d, want %d with %q: %s%s", status, c.status, c.says, out, errs)
			}
		})
	}
}
