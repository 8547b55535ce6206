package postgres_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-89b9419b/holotype/internal/store"
	"github.com/seed-89b9419b/holotype/internal/store/storetest"
)

// TestMoveBetweenEngines: what one engine exports the other imports, exports again as the
// same rows, and finds.
func TestMoveBetweenEngines(t *testing.T) {
	exports := map[string]string{}
	var from []byte
	storetest.Each(t, func(t *testing.T, d storetest.Database) {
		db := d.Open(t, notes())
		if from == nil {
			for i := range 150 {
				if _, err := add(t.Context(), db, fmt.Sprint("n", i)); err != nil {
					t.Fatal(err)
				}
			}
			_, err := store.Write(t.Context(), db, func(tx *store.Tx) (noted, error) {
				if _, err := tx.PutBlob(bytes.Repeat([]byte{0, 0xff, '\\'}, 200_000)); err != nil {
					return noted{}, err
				}
				return noted{}, tx.Change(store.Change{Kind: "blob", ID: "b"})
			})
			if err != nil {
				t.Fatal(err)
			}
		} else if err := db.Import(t.Context(), bytes.NewReader(from)); err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		if err := db.Export(t.Context(), &out); err != nil {
			t.Fatal(err)
		}
		from = out.Bytes()
		_, exports[d.Name], _ = strings.Cut(out.String(), "\n") // the header has the incarnation
		if n := count(t, db); n != 150 {
			t.Errorf("there are %d notes", n)
		}
		err := store.Read(t.Context(), db, func(r *store.Reader) error {
			f, err := r.Search(store.Query{Text: "text n77", Limit: 9})
			if len(f.Hits) != 1 || f.Hits[0].ID != "n77" {
				t.Errorf("the search finds %+v", f.Hits)
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
		faults, err := db.Check(t.Context())
		if err != nil || len(faults) > 0 {
			t.Errorf("the check finds %q, %v", faults, err)
		}
		if _, err := add(t.Context(), db, "next-"+d.Name); err != nil {
			t.Error(err)
		}
	})
	if _, ok := exports["postgres"]; !ok {
		t.Skip("there is one engine")
	}
	if d := cmp.Diff(exports["sqlite"], exports["postgres"]); d != "" {
		t.Errorf("the exports differ (-sqlite +postgres):\n%.2000s", d)
	}
}
