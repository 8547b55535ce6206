package faults_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-89b9419b/holotype/capabilities/system"
)

// TestWire serves what real servers answered to tools/list: all their tools are listed,
// with the hints they sent, and with their schemas as sent but for named repairs.
func TestWire(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../testdata/wire/*.json")
	if err != nil || len(files) < 20 {
		t.Fatalf("%d recorded lists: %v", len(files), err)
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var entries []entry
	for _, file := range files {
		path, err := filepath.Abs(file)
		if err != nil {
			t.Fatal(err)
		}
		entries = append(entries, entry{"name": nameOf(file), "command": exe, "env": map[string]string{serveVariable: path}})
	}
	p := start(t, entries...)
	for _, file := range files {
		p.await(t, nameOf(file), func(s system.Server) bool { return s.State == system.Running })
	}
	list := p.list(t)
	for _, file := range files {
		t.Run(nameOf(file), func(t *testing.T) {
			t.Parallel()
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			wireFile(t, p, list, nameOf(file), data)
		})
	}
}

func nameOf(file string) string { return strings.TrimSuffix(filepath.Base(file), ".json") }

func wireFile(t *testing.T, p *product, list map[string]listed, name string, data []byte) {
	t.Helper()
	row := p.rows(t)[name]
	sent := toolsIn(t, data)
	if row.Tools != len(sent) || len(row.Skipped) > 0 || row.Reason != "" || row.JunkLines != 0 {
		t.Errorf("%d of %d tools are listed: %+v", row.Tools, len(sent), row)
	}
	rows := catalogued(t, p, name)
	bySummary := map[string]string{} // of a name that had to be cut
	for exposed, one := range list {
		if strings.HasPrefix(exposed, row.Prefix) {
			bySummary[one.Description] = exposed
		}
	}
	repaired := 0
	for _, raw := range sent {
		tool := asListed(t, raw)
		exposed := row.Prefix + tool.Name
		if _, ok := list[exposed]; !ok {
			exposed = bySummary[tool.Description]
		}
		one, ok := list[exposed]
		if !ok {
			t.Errorf("%s is not listed", tool.Name)
			continue
		}
		relays(t, rows[exposed], one, tool)
		if len(rows[exposed].Repaired) > 0 {
			repaired++
		}
	}
	if repaired != row.Repaired {
		t.Errorf("%d tools are repaired, the server's row says %d", repaired, row.Repaired)
	}
	t.Logf("%d tools, %d repaired", len(sent), repaired)
}
