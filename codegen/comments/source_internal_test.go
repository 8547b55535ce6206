package comments

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Files that no build has together may define types as each other: looking for their fields
// ends, and finds those that there are.
func TestTypesThatAreDefinedAsEachOther(t *testing.T) {
	m := map[string]string{"B.Field": "What it is."}
	like := map[string]string{"A": "B", "B": "A", "C": "A"}
	for _, name := range []string{"A", "B", "C"} {
		copyFields(m, like, name)
	}
	want := map[string]string{"A.Field": "What it is.", "B.Field": "What it is.", "C.Field": "What it is."}
	if d := cmp.Diff(want, m); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
}
