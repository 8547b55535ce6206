package store_test

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/store"
	"github.com/seed-89b9419b/holotype/internal/store/sqlite"
	"github.com/seed-89b9419b/holotype/internal/store/storetest"
)

// TestStatementsOfTheStoreHaveAnIndex: whatever the store runs for a call looks only at
// the rows that it needs.
func TestStatementsOfTheStoreHaveAnIndex(t *testing.T) {
	seen := &storetest.Recorder{}
	a := openAdder(t, func(o *store.Options) {
		own, ok := o.Engine.(*sqlite.Engine)
		if !ok {
			t.Fatalf("the engine is a %T", o.Engine)
		}
		o.Engine = &faulty{Engine: own, seen: seen}
	})
	a.inside = func(tx *store.Tx, id string) error {
		digest, err := tx.PutBlob([]byte(id))
		if err != nil {
			return err
		}
		return tx.Index(store.Doc{Kind: "note", ID: id, Body: digest})
	}
	for range 2 {
		if _, refusal := a.call(t.Context(), "add_note", "x", keyed("k")); refusal != nil {
			t.Fatal(refusal)
		}
	}
	_, _ = a.call(t.Context(), "add_note", "y", keyed(store.NewID("op", a.clock.now().Add(-time.Hour)))) // is refused, having looked
	op := store.Op{Principal: "p", Key: "outside", Capability: "c"}
	ctx := t.Context()
	for name, run := range map[string]func() error{
		"write": func() error {
			_, err := store.Write(ctx, a.db, func(tx *store.Tx) (out noted, err error) {
				if err = tx.Unindex("note", "x"); err == nil {
					err = tx.DropBlob("0")
				}
				return out, errors.Join(err, tx.Change(store.Change{Kind: "note", ID: "x"}))
			})
			return err
		},
		"outside": func() error {
			if _, err := a.db.Begin(ctx, op, false); err != nil {
				return err
			}
			if err := a.db.Forget(ctx, op); err != nil {
				return err
			}
			return a.db.Finish(ctx, op, []byte("{}"))
		},
		"recall": func() error { _, _, err := a.db.Recall(ctx, op); return err },
		"sweep":  func() error { _, err := a.db.SweepForTest(); return err },
		"lease": func() error {
			f, _, err := a.db.Acquire(ctx, "l", "o", time.Hour)
			if err == nil {
				_, err = a.db.Renew(ctx, f, time.Hour)
			}
			if err == nil {
				_, err = a.db.Leases(ctx, "l")
			}
			if err == nil {
				err = a.db.Release(ctx, f)
			}
			return err
		},
		"wait": func() error { return a.db.WaitFor(ctx, a.db.Head()) },
		"read": func() error {
			return store.Read(ctx, a.db, func(r *store.Reader) error {
				_, _ = r.Blob("0") // is none
				for _, q := range []store.ChangesQuery{
					{},
					{Newest: true},
					{Kind: "note", ID: "x"},
					{Kind: "note", ID: "x", Newest: true},
					{Scope: "s"},
					{Scope: "s", Newest: true},
					{Kind: "note", ID: "x", Scope: "s"},
					{Newest: true, After: a.db.Head()},
					{Scope: "s", Newest: true, After: a.db.Head()},
				} {
					q.Limit = 1
					if _, err := r.Changes(q); err != nil {
						return err
					}
				}
				for _, q := range []store.Query{{}, {Kinds: []string{"note"}, Scopes: []string{"s", "t"}}} {
					q.Text, q.Limit = "two words", 1
					if _, err := r.Search(q); err != nil {
						return err
					}
				}
				return nil
			})
		},
	} {
		if err := run(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	own := &storetest.Recorder{}
	for _, query := range seen.Statements() {
		verb, _, _ := strings.Cut(query, " ")
		if strings.HasSuffix(query, ";") { // of a schema file, which runs once
			continue
		}
		if strings.Contains("SELECT INSERT UPDATE DELETE", verb) && !strings.Contains(query, "notes_note") && !strings.Contains(query, "schema_") {
			own.Add(query)
			for _, step := range storetest.Explain(t, a.path, query) {
				if strings.Contains(step, "TEMP B-TREE") && !strings.Contains(query, "search_fts") {
					t.Errorf("it sorts what it found: %s: %s", step, query)
				}
			}
		}
	}
	if n := len(own.Statements()); n < 25 {
		t.Errorf("only %d statements were seen", n)
	}
	for _, s := range own.Scans(t, a.path, "log_head") {
		t.Errorf("it looks at every row: %s", s)
	}
	t.Run("postgres", func(t *testing.T) { indexedOnPostgres(t, own.Statements()) })
}

// indexedOnPostgres looks at the same statements there, and at those of its own.
func indexedOnPostgres(t *testing.T, queries []string) {
	d := storetest.Database{Name: "postgres", At: storetest.Postgres(t)}
	d.Open(t, notes())
	e := d.Engine(t)
	lite := storetest.Database{Name: "sqlite"}.Engine(t)
	index, _ := e.Index(store.Doc{Kind: "note", ID: "x", Title: "one"})
	wide, _ := e.Match([]string{"two", "words"}, store.Query{Limit: 1})
	narrow, _ := e.Match([]string{"word"}, store.Query{Kinds: []string{"note"}, Scopes: []string{"s", "t"}, Limit: 1})
	all := []string{index, wide, narrow}
	for _, q := range queries {
		if !strings.Contains(q, "search_fts") {
			all = append(all, strings.ReplaceAll(q, lite.Clock(), e.Clock()))
		}
	}
	for _, s := range storetest.PostgresScans(t, d.At, all, "log_head") {
		t.Errorf("it looks at every row: %s", s)
	}
	if found := storetest.PostgresScans(t, d.At, []string{`SELECT id FROM notes_note WHERE text = ?`, `SELECT id FROM notes_note ORDER BY id`}); len(found) != 2 {
		t.Errorf("of two statements that look at every row %q are found", found)
	}
	if found := storetest.PostgresScans(t, d.At, []string{`SELECT id FROM notes_note WHERE text = ?`}, "notes_note"); len(found) != 0 {
		t.Errorf("%q are found of a small table", found)
	}
}

func TestRecorderFindsScans(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store.db")
	o := storetest.Options(t, path, notes())
	seen := storetest.Record(&o)
	db := storetest.Start(t, o)
	read := func(query string) {
		err := store.Read(t.Context(), db, func(r *store.Reader) error {
			var all []string
			return r.Select(&all, query)
		})
		if e, ok := capabilities.AsError(err); ok {
			t.Fatal(e)
		}
	}
	read(`SELECT id FROM notes_note WHERE id = 'a'`)
	if found := seen.Scans(t, path); len(found) != 0 {
		t.Errorf("%q is found of what has an index", found)
	}
	read(`SELECT id FROM notes_note ORDER BY id`) // an index from end to end
	read(`SELECT m.id FROM notes_note n JOIN notes_note m ON m.text = n.text WHERE n.id = 'a'`)
	if found := seen.Scans(t, path); len(found) != 2 {
		t.Errorf("%q are found, want two", found)
	}
	if found := seen.Scans(t, path, "m", "notes_note"); len(found) != 0 {
		t.Errorf("%q is found of small tables", found)
	}
}
