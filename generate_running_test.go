package holotype_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-89b9419b/holotype"
)

// What is written of a configuration has what it serves, and nothing else; what cannot be
// written is said before anything is.
func TestGenerateRunning(t *testing.T) {
	config := filepath.Join(t.TempDir(), "holotype.yaml")
	if err := os.WriteFile(config, []byte("packs: [system]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	generate := func(args ...string) (status int, errs string) {
		var out, errw bytes.Buffer
		o := holotype.Options{Data: holotype.InMemory, Lookup: func(string) (string, bool) { return "", false }}
		status = holotype.New(o).Command().Run(t.Context(), append([]string{"generate"}, args...), strings.NewReader(""), &out, &errw)
		return status, errw.String()
	}
	out := filepath.Join(t.TempDir(), "made")
	for name, refused := range map[string]struct {
		args   []string
		status int
		says   string
	}{
		"without a folder":             {[]string{"--running"}, 2, "needs --out"},
		"with an argument":             {[]string{"comments", "--running", "--out", out}, 2, "takes no argument"},
		"with an address that is none": {[]string{"--running", "--out", out, "--config", config, "--url", "tools.example"}, 1, "absolute http or https URL"},
		"before it was written":        {[]string{"--running", "--out", out, "--config", config, "--check"}, 1, "server.json: missing"},
	} {
		if status, errs := generate(refused.args...); status != refused.status || !strings.Contains(errs, refused.says) {
			t.Errorf("%s: status %d, %s", name, status, errs)
		}
	}
	if _, err := os.Stat(out); err == nil {
		t.Error("what was refused wrote something")
	}
	made := []string{"--running", "--out", out, "--config", config, "--url", "https://tools.example/x"}
	for _, args := range [][]string{made, append(made, "--check")} {
		if status, errs := generate(args...); status != 0 {
			t.Fatalf("status %d: %s", status, errs)
		}
	}
	for name, holds := range map[string]struct{ has, lacks string }{
		"openapi/openapi.json":                {`"list_tools"`, `"list_work_items"`},
		"web/client/src/calls.ts":             {"list_tools:", "list_work_items:"},
		"mcpb/manifest.json":                  {`"list_tools"`, `"list_work_items"`},
		"server.json":                         {`"https://tools.example/x/operator/mcp"`, "127.0.0.1"},
		"docs/reference/README.md":            {"list_tools", "list_work_items"},
		"man/man1/holotype-call-list_tools.1": {"list_tools", "list_work_items"},
	} {
		text, err := os.ReadFile(filepath.Join(out, filepath.FromSlash(name)))
		if err != nil || !bytes.Contains(text, []byte(holds.has)) || bytes.Contains(text, []byte(holds.lacks)) {
			t.Errorf("%s: %v, it has to hold %q and not %q", name, err, holds.has, holds.lacks)
		}
	}
}
