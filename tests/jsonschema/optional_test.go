package jsonschema_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the figures of the optional tests")

// TestOptional counts, file by file, the optional tests that the door answers as the
// suite does. The figures of testdata/<draft>.optional are not a goal: they make a
// change of what formats and patterns mean visible, whoever causes it.
func TestOptional(t *testing.T) {
	for _, d := range drafts {
		t.Run(d.name, func(t *testing.T) {
			passed, total := map[string]int{}, map[string]int{}
			var files []string
			for _, g := range read(t, d) {
				if !g.optional() {
					continue
				}
				if total[g.File] == 0 {
					files = append(files, g.File)
				}
				total[g.File] += len(g.Tests)
				for _, o := range judge(g, d) {
					if o.right {
						passed[g.File]++
					}
				}
			}
			slices.Sort(files)
			var got strings.Builder
			for _, file := range files {
				fmt.Fprintf(&got, "%s %d of %d\n", strings.TrimPrefix(file, "optional/"), passed[file], total[file])
			}
			name := filepath.Join("testdata", d.name+".optional")
			if *update {
				if err := os.WriteFile(name, []byte(got.String()), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got.String()); diff != "" {
				t.Errorf("%s (-want +got):\n%s", name, diff)
			}
		})
	}
}
