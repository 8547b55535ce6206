package holotype_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/seed-89b9419b/holotype/codegen/prose"
)

// pages lays files in the working directory of a test.
func pages(t *testing.T, files map[string]string) {
	t.Helper()
	t.Chdir(t.TempDir())
	for name, text := range files {
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// TestProse: the names and counts in text are held to what this program declares, and the
// exit status says how it is.
func TestProse(t *testing.T) {
	pages(t, map[string]string{
		"docs/good.md": "Call `list_tools`, as `GET /api/v1/tools` or `holotype tools --contains x` do; see /docs/codes/invalid.\n",
		"docs/bad.md": "Call `list_tolls`: `GET /api/v1/tolls`, `holotype tolls`, `holotype tools --contain x`, the code `invald`,\n" +
			"the event `audit_failling`, `gate.dny`, /docs/codes/invald. Holotype has 3 tools.\n",
		"docs/later.md": "Call `get_caller`.\n",
		"allow.yaml":    "allow:\n- {kind: name, text: get_caller, in: docs/later.md, why: the reader adds it}\n",
		"idle.yaml":     "allow:\n- {text: get_caller, why: the reader adds it}\n",
		"broken.yaml":   "allow:\n- {text: get_caller}\n",
	})
	for _, tt := range []struct {
		name   string
		args   []string
		status int
		out    []string
		errs   string
	}{
		{"all is true, or allowed", []string{"--allow", "allow.yaml", "--skip", "bad.md", "docs", "docs/good.md"}, 0, []string{"all that is claimed in 2 files is true"}, ""},
		{"some is not", []string{"--allow", "idle.yaml", "docs/bad.md"}, 1, []string{
			`docs/bad.md:1: "holotype tolls": there is no such command; did you mean "tools"?`, `did you mean "--contains"?`, `did you mean "GET /api/v1/tools"?`, `did you mean "list_tools"?`, `did you mean "invalid"?`,
			`docs/bad.md:2: "audit_failling"`, `did you mean "audit_failing"?`, `did you mean "deny"?`, `docs/bad.md:2: "/docs/codes/invald"`, `docs/bad.md:2: "3 tools": there are `,
			`idle.yaml: "get_caller": nothing needs this allowance`,
		}, "10 claims are not true, in 1 file"},
		{"an allowance without a reason", []string{"--allow", "broken.yaml", "docs/good.md"}, 2, nil, "has no why"},
		{"no path", nil, 2, nil, "needs 1 arguments"},
		{"a path that leads nowhere", []string{"nowhere"}, 2, nil, "nowhere: no such file"},
		{"no allowances", []string{"--allow", "nowhere", "docs"}, 2, nil, "no such file"},
		{"no pattern", []string{"--skip", "[", "docs"}, 2, nil, "is no pattern"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			status, out, errs := command(t, append([]string{"prose", "--packs"}, tt.args...)...)
			if status != tt.status || !strings.Contains(errs, tt.errs) {
				t.Errorf("exits %d, want %d with %q:\n%s%s", status, tt.status, tt.errs, out, errs)
			}
			for _, want := range tt.out {
				if !strings.Contains(out, want) {
					t.Errorf("does not say %q:\n%s", want, out)
				}
			}
		})
	}
	status, out, _ := command(t, "prose", "--packs", "-o", "json", "docs/later.md")
	var report prose.Report
	if err := json.Unmarshal([]byte(out), &report); err != nil || status != 1 {
		t.Fatalf("exits %d, %v:\n%s", status, err, out)
	}
	want := prose.Report{Files: 1, Skipped: []prose.Skipped{}, Findings: []prose.Finding{
		{File: "docs/later.md", Line: 1, Kind: prose.KindName, Claim: "get_caller", Why: "there is no such tool, code, key, member or event"},
	}}
	if diff := cmp.Diff(want, report); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestProseOfARunningConfiguration: the tools that are bridged exist, and no others.
func TestProseOfARunningConfiguration(t *testing.T) {
	url := endpoint(t, "1.0.0", `{"type":"object","properties":{"place_name":{"type":"string"}}}`, &mcp.ToolAnnotations{})
	pages(t, map[string]string{
		"holotype.yaml": fmt.Sprintf("mcp_servers:\n- {name: far, url: %q, headers: {X-Key: 1.0.0}}\n", url),
		"a.md":          "Call `far__read` with `place_name`, or `holotype call far__read --place-name x`. The `far` server has 1 tool.\n",
		"b.md":          "Call `far__raed`, `near__read`, or `holotype call far__read --place-nam x`. The `far` server has 3 tools.\n",
	})
	if status, out, errs := command(t, "prose", "--config", "holotype.yaml", "a.md"); status != 0 {
		t.Errorf("what is true exits %d:\n%s%s", status, out, errs)
	}
	status, out, _ := command(t, "prose", "--config", "holotype.yaml", "b.md")
	for _, want := range []string{`did you mean "far__read"?`, `"near__read": there is no such tool of a bridged server`, `did you mean "--place-name"?`, `"3 tools": in far there is 1`} {
		if !strings.Contains(out, want) {
			t.Errorf("exits %d without %q:\n%s", status, want, out)
		}
	}
	// Where nothing is started nothing is known of them, and nothing is said.
	if status, out, errs := command(t, "prose", "--packs", "b.md"); status != 0 {
		t.Errorf("with --packs it exits %d:\n%s%s", status, out, errs)
	}
}
