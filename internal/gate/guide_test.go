package gate_test

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-89b9419b/holotype/internal/gate"
)

// The guide's table of reasons is the one of the code, and its example is a configuration.
func TestTheGuide(t *testing.T) {
	page, err := os.ReadFile("../../docs/gate.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, ok := strings.Cut(string(page), "| reason | means |\n|---|---|\n")
	if !ok {
		t.Fatal("the table is not there")
	}
	table, _, _ = strings.Cut(table, "\n\n")
	var want []string
	for _, r := range gate.Reasons() {
		want = append(want, "| `"+r.Word+"` | "+r.Means+" |")
	}
	if diff := cmp.Diff(want, strings.Split(table, "\n")); diff != "" {
		t.Errorf("(-code +page)\n%s", diff)
	}
	_, example, ok := strings.Cut(string(page), "```yaml\n")
	example, _, _ = strings.Cut(example, "```")
	if c := configured(t, example); !ok || len(c.Principals) != 2 || len(c.Seats[0].Gate.Refuse) != 1 || c.Gate.Off == nil {
		t.Errorf("the example is read as %+v", c)
	}
}
