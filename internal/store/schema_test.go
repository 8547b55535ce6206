package store_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"time"

	sqlite3 "github.com/mattn/go-sqlite3"

	"github.com/seed-89b9419b/holotype/internal/store"
	"github.com/seed-89b9419b/holotype/internal/store/sqlite"
	"github.com/seed-89b9419b/holotype/internal/store/storetest"
)

func schemaOf(owner, statements string) store.Schema {
	return store.Schema{Owner: owner, Files: fstest.MapFS{"001_first.sql": {Data: []byte("-- +goose Up\n" + statements)}}}
}

func TestSchemasOfPacks(t *testing.T) {
	for _, c := range []struct{ name, owner, statements, says string }{
		{"an owner like the store", "store", "", "cannot own tables"},
		{"an owner like a table of the store", "changes", "", "cannot own tables"},
		{"an owner like an engine", "pg", "", "cannot own tables"},
		{"an owner with a dash", "a-b", "", "cannot own tables"},
		{"a table of another", "notes", "CREATE TABLE other_table (id TEXT);", "begins with notes_"},
		{"a table without a second part", "notes", "CREATE TABLE IF NOT EXISTS notes (id TEXT);", "begins with notes_"},
		{"a table of its own kind", "notes", "CREATE VIRTUAL TABLE notes_fts USING fts5(a);", "is plain"},
		{"a trigger", "notes", "CREATE TRIGGER t AFTER INSERT ON notes_note BEGIN SELECT 1; END;", "TRIGGER"},
		{"a foreign key that deletes", "notes", "CREATE TABLE notes_a (id TEXT REFERENCES notes_b (id) ON DELETE CASCADE);", "CASCADE"},
		{"a foreign key that clears", "notes", "CREATE TABLE notes_a (id TEXT REFERENCES notes_b (id) ON DELETE SET\n NULL);", "by themselves"},
		{"a key that replaces", "notes", "CREATE TABLE notes_a (id TEXT PRIMARY KEY ON CONFLICT REPLACE);", "ON CONFLICT"},
		{"a token that no engine has", "notes", "CREATE TABLE notes_a (id {{nonsense}});", "{{nonsense}}"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := store.Open(t.Context(), storetest.Options(t, filepath.Join(t.TempDir(), "store.db"), schemaOf(c.owner, c.statements)))
			if err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("the error is %v, want one that says %q", err, c.says)
			}
		})
	}
	t.Run("two owners of one name", func(t *testing.T) {
		if _, err := store.Open(t.Context(), storetest.Options(t, filepath.Join(t.TempDir(), "store.db"), notes(), notes())); err == nil {
			t.Error("they are taken")
		}
	})
}

// TestNewerSchemaIsRefused: an older program touches nothing of what a newer one wrote.
func TestNewerSchemaIsRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store.db")
	newer := notes()
	files, ok := newer.Files.(fstest.MapFS)
	if !ok {
		t.Fatalf("the files are %T", newer.Files)
	}
	files["002_more.sql"] = &fstest.MapFile{Data: []byte("-- +goose Up\nCREATE TABLE notes_more (id TEXT NOT NULL PRIMARY KEY);\n")}
	if err := storetest.OpenAt(t, path, newer).Close(); err != nil {
		t.Fatal(err)
	}
	before := dump(t, path)
	// A pack that is new to the database is not made on the way to the refusal.
	_, err := store.Open(t.Context(), storetest.Options(t, path, schemaOf("first", "CREATE TABLE first_table (id TEXT);"), notes()))
	if !errors.Is(err, store.ErrNewerSchema) {
		t.Errorf("the error is %v", err)
	}
	if after := dump(t, path); strings.Contains(after, "first_table") || !strings.Contains(before, "notes_more") {
		t.Errorf("the refused start changed the database:\n%s", after)
	}
	if err := storetest.OpenAt(t, path, newer).Close(); err != nil {
		t.Error(err)
	}
}

// moved is the schema of notes at a later version.
func moved(t *testing.T, statements string) store.Schema {
	t.Helper()
	s := notes()
	files, ok := s.Files.(fstest.MapFS)
	if !ok {
		t.Fatalf("the files are %T", s.Files)
	}
	files["002_more.sql"] = &fstest.MapFile{Data: []byte("-- +goose Up\n" + statements)}
	return s
}

const moreNotes = "CREATE TABLE notes_more (id TEXT NOT NULL PRIMARY KEY);\n"

// TestCopyBeforeTheSchemaMoves: whoever wants to go back finds the database as it was.
func TestCopyBeforeTheSchemaMoves(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "store.db")
	db := storetest.OpenAt(t, path, notes())
	digest := fill(t, db, "a")
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	copies := func() []string {
		t.Helper()
		all, err := filepath.Glob(path + ".before-*")
		if err != nil {
			t.Fatal(err)
		}
		return all
	}
	if got := copies(); len(got) != 0 {
		t.Errorf("of a database that is new there are %q", got)
	}
	for range 2 {
		if err := storetest.OpenAt(t, path, moved(t, moreNotes)).Close(); err != nil {
			t.Fatal(err)
		}
	}
	got := copies()
	if len(got) != 1 || !strings.Contains(got[0], ".before-notes-1-to-2.20") {
		t.Fatalf("the copies are %q", got)
	}
	if info, err := os.Stat(got[0]); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the copy is %v, %v", info, err)
	}
	before := storetest.Options(t, path, notes())
	if _, err := store.Open(t.Context(), before); !errors.Is(err, store.ErrNewerSchema) {
		t.Errorf("the earlier version answers %v", err)
	}
	if _, err := sqlite.Restore(t.Context(), got[0], path, before); err != nil {
		t.Fatal(err)
	}
	wellKept(t, storetest.OpenAt(t, path, notes()), digest, 1)
	// What is restored is itself a copy: it moves without another.
	if _, err := sqlite.Restore(t.Context(), got[0], filepath.Join(t.TempDir(), "store.db"), storetest.Options(t, path, moved(t, moreNotes))); err != nil {
		t.Fatal(err)
	}
	if again := copies(); len(again) != 2 { // that, and what the restore replaced
		t.Errorf("the copies are %q", again)
	}
}

// TestSchemaDoesNotMoveWithoutACopy: where there is no room for one the database stays
// as it is, and calls are told so.
func TestSchemaDoesNotMoveWithoutACopy(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store.db")
	if err := storetest.OpenAt(t, path, notes()).Close(); err != nil {
		t.Fatal(err)
	}
	o := storetest.Options(t, path, moved(t, moreNotes))
	own, ok := o.Engine.(*sqlite.Engine)
	if !ok {
		t.Fatalf("the engine is a %T", o.Engine)
	}
	e := &roomless{Engine: own}
	e.full.Store(true)
	o.Engine = e
	db := storetest.Start(t, o)
	troubled(t, db, store.Full)
	if err := db.State().Err; err == nil || !strings.Contains(err.Error(), "copying the database before it is brought forward (the schema of notes from version 1 to 2)") {
		t.Errorf("the store says %v", err)
	}
	if strings.Contains(dump(t, path), "notes_more") {
		t.Error("the schema moved")
	}
	e.full.Store(false)
	recovers(t, db)
}

// roomless is an engine without room for copies.
type roomless struct {
	*sqlite.Engine
	full atomic.Bool
}

func (e *roomless) Preserve(ctx context.Context, label string, now time.Time) (string, error) {
	if e.full.Load() {
		return "", sqlite3.Error{Code: sqlite3.ErrFull}
	}
	return e.Engine.Preserve(ctx, label, now)
}

// TestSpoiltVersionOfASchema: a database that does not say what version it is of is damaged.
func TestSpoiltVersionOfASchema(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store.db")
	if err := storetest.OpenAt(t, path, notes()).Close(); err != nil {
		t.Fatal(err)
	}
	spoilTable(t, path, "schema_store")
	db := storetest.OpenAt(t, path, notes())
	troubled(t, db, store.Corrupt)
	if s := db.State(); !strings.Contains(s.Err.Error(), "which version the tables of store have cannot be read") || !strings.Contains(s.Advice, "restore") {
		t.Errorf("the store says %v: %s", s.Err, s.Advice)
	}
}
