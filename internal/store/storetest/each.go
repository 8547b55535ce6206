package storetest

import (
	"log/slog"
	"path/filepath"
	"testing"
	"time"

	"github.com/seed-89b9419b/holotype/internal/store"
	"github.com/seed-89b9419b/holotype/internal/store/postgres"
	"github.com/seed-89b9419b/holotype/internal/store/sqlite"
)

// Database is one that a test opens, as often as it likes.
type Database struct {
	// Name is that of its engine.
	Name string
	// At is the path of its file, or its URL.
	At string
}

// Each runs a test on every engine, each time with a new database.
func Each(t *testing.T, test func(t *testing.T, d Database)) {
	t.Helper()
	t.Run("sqlite", func(t *testing.T) {
		test(t, Database{Name: "sqlite", At: filepath.Join(t.TempDir(), "store.db")})
	})
	t.Run("postgres", func(t *testing.T) {
		test(t, Database{Name: "postgres", At: Postgres(t)})
	})
}

// Another answers a new database of the same engine.
func (d Database) Another(t testing.TB) Database {
	t.Helper()
	if d.Name == "postgres" {
		return Database{Name: d.Name, At: Postgres(t)}
	}
	return Database{Name: d.Name, At: filepath.Join(t.TempDir(), "store.db")}
}

// Engine answers a new engine of the database.
func (d Database) Engine(t testing.TB) store.Engine {
	t.Helper()
	var e store.Engine
	var err error
	if d.Name == "postgres" {
		e, err = postgres.New(d.At)
	} else {
		e, err = sqlite.New(d.At)
	}
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// Options answers those that [Database.Open] opens with, to be changed before [Start].
func (d Database) Options(t testing.TB, schemas ...store.Schema) store.Options {
	t.Helper()
	return store.Options{Engine: d.Engine(t), Log: slog.New(slog.DiscardHandler), Now: time.Now, Schemas: schemas}
}

// Open opens a store on the database, which is closed when the test ends.
func (d Database) Open(t testing.TB, schemas ...store.Schema) *store.DB {
	t.Helper()
	return Start(t, d.Options(t, schemas...))
}
