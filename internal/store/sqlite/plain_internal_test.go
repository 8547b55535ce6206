package sqlite

import (
	"io/fs"
	"testing"
)

// TestSchemaOfEveryBuild: a program that is built without a search has the tables of one
// all the same.
func TestSchemaOfEveryBuild(t *testing.T) {
	for _, fts := range []bool{true, false} {
		s := (&Engine{fts: fts}).Schema()
		if names, err := fs.Glob(s.Files, "*.sql"); err != nil || len(names) == 0 {
			t.Errorf("with search %t, %s has the files %q (%v)", fts, s.Owner, names, err)
		}
	}
}
