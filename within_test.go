package holotype_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-89b9419b/holotype"
)

// A client's file that starts `mcp` and is also bridged would serve the server to
// itself without end: the child is told whose child it is.
func TestAnMCPCommandStartedByItsOwnServerEnds(t *testing.T) {
	data := filepath.Join(t.TempDir(), "data")
	run := func(variables map[string]string) (int, string) {
		var out, errw strings.Builder
		s := holotype.New(holotype.Options{Lookup: func(name string) (string, bool) {
			v, ok := variables[name]
			return v, ok
		}})
		code := s.Command().Run(t.Context(), []string{"mcp", "--data", data}, strings.NewReader(""), &out, &errw)
		return code, errw.String()
	}
	if code, said := run(nil); code != 0 {
		t.Fatalf("started by a client it exits %d: %s", code, said)
	}
	if code, said := run(map[string]string{"HOLOTYPE_WITHIN": holotype.Within(data)}); code != 1 || !strings.Contains(said, "started by the server it would attach to") {
		t.Errorf("started by its own server it exits %d: %s", code, said)
	}
	if code, said := run(map[string]string{"HOLOTYPE_WITHIN": holotype.Within(data + "2")}); code != 0 {
		t.Errorf("started by another server it exits %d: %s", code, said)
	}
}
