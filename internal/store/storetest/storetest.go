// Package storetest opens stores for tests.
package storetest

import (
	"crypto/sha256"
	"encoding/hex"
	"log/slog"
	"path/filepath"
	"testing"
	"time"

	"github.com/seed-89b9419b/holotype/internal/store"
	"github.com/seed-89b9419b/holotype/internal/store/sqlite"
)

// Open answers a new store on SQLite in a folder of the test, with the tables of the
// schemas. It is closed when the test ends.
func Open(t testing.TB, schemas ...store.Schema) *store.DB {
	t.Helper()
	return OpenAt(t, filepath.Join(t.TempDir(), "store.db"), schemas...)
}

// OpenAt opens the database at path.
func OpenAt(t testing.TB, path string, schemas ...store.Schema) *store.DB {
	t.Helper()
	return Start(t, Options(t, path, schemas...))
}

// Options answers those that [OpenAt] opens with, to be changed before [Start].
func Options(t testing.TB, path string, schemas ...store.Schema) store.Options {
	t.Helper()
	e, err := sqlite.New(path)
	if err != nil {
		t.Fatal(err)
	}
	return store.Options{Engine: e, Log: slog.New(slog.DiscardHandler), Now: time.Now, Schemas: schemas}
}

// Start opens a store, which is closed when the test ends.
func Start(t testing.TB, o store.Options) *store.DB {
	t.Helper()
	db, err := store.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Errorf("closing the store: %v", err)
		}
	})
	return db
}

// Digest answers the digest under which a store keeps bytes.
func Digest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
