package holotype

import (
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/seed-89b9419b/holotype/capabilities/system"
	"github.com/seed-89b9419b/holotype/projection/cli"
)

// TestWhatACommandDidNotStartIsNotReported asks a command that needs no server, as
// another process can that attaches to it, how they are doing.
func TestWhatACommandDidNotStartIsNotReported(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "holotype.yaml")
	const text = `mcp_servers:
- {name: one, command: no-such-command-anywhere}
- {name: two, command: no-such-command-anywhere, env: {TOKEN: "${UNSET}"}}
- {name: three, command: no-such-command-anywhere, shared: false}
`
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	s := New(Options{Lookup: func(name string) (string, bool) { return dir, name == "HOME" }})
	for _, started := range []bool{false, true} {
		session, err := s.openQuiet(t.Context(), cli.OpenRequest{Data: filepath.Join(dir, "data"), Config: file, Err: io.Discard, All: started})
		if err != nil {
			t.Fatal(err)
		}
		page, _, err := askOf(t.Context(), session, system.ListMCPServers, system.ListMCPServersInput{})
		if err := session.Close(); err != nil {
			t.Error(err)
		}
		if err != nil {
			t.Fatal(err)
		}
		want := map[string]system.State{"one": system.NotReported, "two": system.NotReported, "three": system.NotStarted}
		if started {
			want = map[string]system.State{"one": system.Failing, "two": system.Waiting, "three": system.NotStarted}
		}
		for _, row := range page.Items {
			if row.State != want[row.Name] || row.Reason == "" {
				t.Errorf("started %t: %s is %s, %q, want %s", started, row.Name, row.State, row.Reason, want[row.Name])
			}
		}
		if len(page.Items) != len(want) {
			t.Errorf("%d rows", len(page.Items))
		}
	}
}
