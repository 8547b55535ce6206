package store_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/store"
	"github.com/seed-89b9419b/holotype/internal/store/storetest"
)

// notes is the schema of a pack that these tests stand in for.
func notes() store.Schema {
	return store.Schema{Owner: "notes", Files: fstest.MapFS{"001_notes.sql": {Data: []byte(`-- +goose Up
CREATE TABLE notes_note (id TEXT NOT NULL PRIMARY KEY, text TEXT NOT NULL, version {{integer}} NOT NULL) {{strict}};
`)}}}
}

type noted struct {
	capabilities.Receipt
	ID    string `json:"id" jsonschema_description:"The id."`
	Count int    `json:"count" jsonschema_description:"How many there are."`
}

func add(ctx context.Context, db *store.DB, id string) (noted, error) {
	return store.Write(ctx, db, func(tx *store.Tx) (noted, error) {
		var n int
		if err := tx.Get(&n, `SELECT count(*) FROM notes_note`); err != nil {
			return noted{}, err
		}
		if _, err := tx.Exec(`INSERT INTO notes_note (id, text, version) VALUES (?, ?, 1)`, id, "text of "+id); err != nil {
			return noted{}, err
		}
		if err := tx.Index(store.Doc{Kind: "note", ID: id, Scope: "s", Title: id, Body: "text of " + id}); err != nil {
			return noted{}, err
		}
		return noted{ID: id, Count: n + 1}, tx.Change(store.Change{Kind: "note", ID: id, Scope: "s", Version: 1})
	})
}

func count(t *testing.T, db *store.DB) (n int) {
	t.Helper()
	if err := store.Read(t.Context(), db, func(r *store.Reader) error { return r.Get(&n, `SELECT count(*) FROM notes_note`) }); err != nil {
		t.Fatal(err)
	}
	return n
}

func TestWriteIsReadAndKept(t *testing.T) {
	storetest.Each(t, func(t *testing.T, d storetest.Database) {
		t.Run("written", func(t *testing.T) {
			db := d.Open(t, notes())
			got, err := add(t.Context(), db, "a")
			if err != nil {
				t.Fatal(err)
			}
			if got.Outcome != capabilities.Applied || got.Count != 1 || !strings.HasSuffix(got.Position, ".main.1") || !strings.HasPrefix(got.OpID, "op_") {
				t.Errorf("the receipt is %+v", got)
			}
			if n := count(t, db); n != 1 {
				t.Errorf("%d notes are read after one was written", n)
			}
		})
		t.Run("read by the next process", func(t *testing.T) {
			db := d.Open(t, notes())
			if n := count(t, db); n != 1 {
				t.Errorf("%d notes are read after one was written", n)
			}
			err := store.Read(t.Context(), db, func(r *store.Reader) error {
				found, err := r.Search(store.Query{Text: "TEXT a", Limit: 5})
				if err == nil && (len(found.Hits) != 1 || found.Hits[0].ID != "a") {
					t.Errorf("the search finds %+v", found)
				}
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
		})
	})
}

func TestManyWritersShareCommits(t *testing.T) {
	storetest.Each(t, func(t *testing.T, d storetest.Database) {
		db := d.Open(t, notes())
		const callers, each = 16, 20
		var wait sync.WaitGroup
		seen := make([][]int, callers)
		for c := range callers {
			wait.Go(func() {
				for i := range each {
					got, err := add(t.Context(), db, fmt.Sprintf("%d-%d", c, i))
					if err != nil {
						t.Error(err)
						return
					}
					seen[c] = append(seen[c], got.Count)
				}
			})
		}
		wait.Wait()
		all := map[int]bool{}
		for _, s := range seen {
			for _, n := range s {
				all[n] = true
			}
		}
		if len(all) != callers*each {
			t.Errorf("%d writes saw %d different counts: one read what another then changed", callers*each, len(all))
		}
	})
}

func TestRefusalUndoesItsOwnWriteAlone(t *testing.T) {
	storetest.Each(t, func(t *testing.T, d storetest.Database) {
		db := d.Open(t, notes())
		no := capabilities.Refuse(capabilities.Conflict, "no")
		var wait sync.WaitGroup
		for i := range 40 {
			wait.Go(func() {
				if i%2 == 0 {
					if _, err := add(t.Context(), db, fmt.Sprint(i)); err != nil {
						t.Error(err)
					}
					return
				}
				_, err := store.Write(t.Context(), db, func(tx *store.Tx) (noted, error) {
					if _, err := tx.Exec(`INSERT INTO notes_note (id, text, version) VALUES (?, 'x', 1)`, fmt.Sprint(i)); err != nil {
						return noted{}, err
					}
					return noted{}, no
				})
				if !errors.Is(err, no) {
					t.Errorf("the refusal came back as %v", err)
				}
			})
		}
		wait.Wait()
		if n := count(t, db); n != 20 {
			t.Errorf("%d notes after 20 writes and 20 refusals", n)
		}
	})
}

func TestPanicReachesTheCallerAlone(t *testing.T) {
	storetest.Each(t, func(t *testing.T, d storetest.Database) {
		db := d.Open(t, notes())
		func() {
			defer func() {
				if p := recover(); p == nil || !strings.Contains(fmt.Sprint(p), "boom") {
					t.Errorf("the panic came back as %v", p)
				}
			}()
			_, _ = store.Write(t.Context(), db, func(*store.Tx) (noted, error) { panic("boom") })
		}()
		if _, err := add(t.Context(), db, "after"); err != nil {
			t.Fatal(err)
		}
	})
}

func TestNoRowIsSaid(t *testing.T) {
	storetest.Each(t, func(t *testing.T, d storetest.Database) {
		db := d.Open(t, notes())
		err := store.Read(t.Context(), db, func(r *store.Reader) error {
			var text string
			return r.Get(&text, `SELECT text FROM notes_note WHERE id = ?`, "none")
		})
		if !errors.Is(err, sql.ErrNoRows) {
			t.Errorf("a row that is not there answers %v", err)
		}
	})
}

// TestWritesThatLogNothingAreRefused: whatever changes rows says what changed.
func TestWritesThatLogNothingAreRefused(t *testing.T) {
	storetest.Each(t, func(t *testing.T, d storetest.Database) {
		db := d.Open(t, notes())
		for name, write := range map[string]func(*store.Tx) error{
			"a row": func(tx *store.Tx) error {
				_, err := tx.Exec(`INSERT INTO notes_note (id, text, version) VALUES ('x', '', 1)`)
				return err
			},
			"a document": func(tx *store.Tx) error { return tx.Index(store.Doc{Kind: "note", ID: "x"}) },
			"bytes":      func(tx *store.Tx) error { _, err := tx.PutBlob([]byte("x")); return err },
		} {
			if got, err := store.Write(t.Context(), db, func(tx *store.Tx) (noted, error) { return noted{}, write(tx) }); err == nil {
				t.Errorf("%s without a change is answered %+v", name, got)
			}
		}
		got, err := store.Write(t.Context(), db, func(tx *store.Tx) (noted, error) {
			_, err := tx.Exec(`UPDATE notes_note SET text = '' WHERE id = 'none'`)
			return noted{}, err
		})
		if err != nil || got.Outcome != capabilities.Unchanged || count(t, db) != 0 {
			t.Errorf("a write that changes nothing is answered %+v, %v", got, err)
		}
	})
}
