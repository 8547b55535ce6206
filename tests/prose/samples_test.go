package prose_test

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/seed-89b9419b/holotype/internal/config"
)

var fenced = regexp.MustCompile("(?ms)^```(yaml|json)\n(.*?)^```")

// TestSamplesLoad reads every configuration that a document shows, and every entry for
// a client, as the program does: without a fault, and with every server ready to start.
func TestSamplesLoad(t *testing.T) {
	seen := map[string]int{}
	files := tree(t)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if filepath.Ext(name) != ".md" || !authored(name) {
			continue
		}
		for _, m := range fenced.FindAllStringSubmatch(files[name], -1) {
			kind, sample := m[1], m[2]
			ours := kind == "yaml" && strings.Contains(sample, "mcp_servers:")
			if !ours && !(kind == "json" && strings.Contains(sample, `"mcpServers"`)) {
				continue
			}
			seen[kind]++
			file := filepath.Join(t.TempDir(), "sample."+kind)
			if err := os.WriteFile(file, []byte(sample), 0o600); err != nil {
				t.Fatal(err)
			}
			o := config.Options{Lookup: func(name string) (string, bool) { return "set and long", strings.Contains(sample, name) }}
			if ours {
				o.Path = file
			} else {
				o.MCPConfigPath = file
			}
			c, err := config.Load(o)
			if err != nil {
				t.Errorf("%s: %v in\n%s", name, err, sample)
				continue
			}
			for _, s := range c.Bridged() {
				for _, why := range s.Unresolved {
					if !strings.HasPrefix(why, "shared is false") { // it runs for seats
						t.Errorf("%s: server %q would not start: %s", name, s.Name, why)
					}
				}
			}
			for _, n := range c.Notices {
				t.Errorf("%s: %s", name, n)
			}
		}
	}
	if seen["yaml"] == 0 || seen["json"] < 2 {
		t.Errorf("the documents show %v", seen)
	}
}
