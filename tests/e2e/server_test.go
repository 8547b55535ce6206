package e2e_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-89b9419b/holotype"
	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/tests/drive"
	"github.com/seed-89b9419b/holotype/tests/fixture"
)

// overrides are what the operator says about three of the upstream's tools.
const overrides = `
    tool_annotations:
      h_yyyy: {read_only: unknown, title: Taken back}
      none: {read_only: yes, destructive: no}
      words: {open_world: no}
`

// start serves the fixture, the native packs and the servers of this program, and
// waits until all their tools are listed.
func start(t *testing.T) *drive.Running {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	entry := func(name, mode, more string) string {
		return fmt.Sprintf("  - name: %s\n    command: %q\n    env: {E2E_SERVER: %s}%s\n", name, exe, mode, strings.TrimRight(more, "\n"))
	}
	config := filepath.Join(t.TempDir(), "holotype.yaml")
	text := "mcp_servers:\n" + entry("plain", everyHint, "") + entry("told", everyHint, overrides) + entry("works", working, "")
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	r := drive.Start(t, holotype.Options{Packs: []capabilities.Bound{fixture.Pack.Bind(fixture.Deps{})}, Config: config})
	want := 2*len(toolsOf(everyHint)) + len(toolsOf(working))
	r.Stdio(t).Shake(t).Settled(t, func(tools []json.RawMessage) bool {
		bridged := 0
		for _, one := range tools {
			if strings.Contains(parse[struct{ Name string }](t, one).Name, "__") {
				bridged++
			}
		}
		return bridged == want
	})
	return r
}

// parse decodes JSON into a type.
func parse[T any](t *testing.T, data []byte) T {
	t.Helper()
	var v T
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatalf("reading %.500s: %v", data, err)
	}
	return v
}
