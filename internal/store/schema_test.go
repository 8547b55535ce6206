package store_test

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/seed-89b9419b/holotype/internal/store"
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
