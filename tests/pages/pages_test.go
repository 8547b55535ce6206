// Package pages_test opens the pages of a server in a browser, as a person would, and has
// axe judge whether everybody can use them. make pages runs it: it needs Chromium.
package pages_test

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"strings"
	"testing"

	"github.com/seed-89b9419b/holotype"
	"github.com/seed-89b9419b/holotype/docs"
	"github.com/seed-89b9419b/holotype/tests/drive"
)

// chromium answers the path of a browser.
func chromium(t *testing.T) string {
	t.Helper()
	if at := os.Getenv("CHROMIUM"); at != "" {
		return at
	}
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if at, err := exec.LookPath(name); err == nil {
			return at
		}
	}
	t.Fatal("there is no Chromium: install it (on Debian the package chromium), or name one in the variable CHROMIUM")
	return ""
}

// pages are one of every kind, and all that people wrote.
func pages(t *testing.T) []string {
	t.Helper()
	all := []string{
		"/", "/?q=nothing-has-this-name", "/login", "/approvals", "/docs", "/docs/api", "/docs/search", "/docs/search?q=approval+wait", "/docs/search?q=nothinghasthisname",
		"/docs/reference", "/docs/reference/surfaces", "/docs/reference/codes", "/docs/reference/codes/approval_needed", "/docs/reference/config", "/docs/reference/config/mcp_servers",
		"/docs/reference/events", "/docs/reference/events/server_failed", "/docs/reference/packs/tracker", "/docs/reference/capabilities/create_work_item", "/docs/reference/capabilities/list_tools",
		"/docs/decisions",
	}
	names, err := fs.Glob(docs.Pages, "*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if name != "README.md" {
			all = append(all, "/docs/"+strings.TrimSuffix(name, path.Ext(name)))
		}
	}
	return append(all, "/docs/decisions/0011-dependencies")
}

// Nothing that axe knows is wrong with any page, the browser complains of none, none is
// wider than a telephone, and none asks another server for anything.
func TestPagesInABrowser(t *testing.T) {
	r := drive.Start(t, holotype.Options{})
	link, err := r.SignInPath()
	if err != nil {
		t.Fatal(err)
	}
	asked := pages(t)
	in, err := json.Marshal(map[string]any{"browser": chromium(t), "link": r.URL + link, "pages": asked})
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "node", "check.mjs")
	var out, errw bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(in), &out, &errw
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v: %s", err, errw.String())
	}
	var result struct {
		Looked int
		Found  []string
	}
	if err := json.Unmarshal(out.Bytes(), &result); err != nil {
		t.Fatalf("%v: %.400s", err, out.String())
	}
	if want := 4 * len(asked); result.Looked != want {
		t.Errorf("axe looked at %d pages, want %d", result.Looked, want)
	}
	for _, f := range result.Found {
		t.Error(f)
	}
}
