package postgres_test

import (
	"context"
	"database/sql"
	"errors"
	"maps"
	"math"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/store"
	"github.com/seed-89b9419b/holotype/internal/store/postgres"
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
	// The id of the note.
	ID string `json:"id" jsonschema_description:"The id of the note."`
	// How many there are.
	Count int `json:"count" jsonschema_description:"How many there are."`
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

func TestEngineIsPostgreSQL(t *testing.T) {
	e := storetest.PostgresEngine(t)
	if e.Name() != "postgres" || e.Degraded() != "" {
		t.Errorf("the engine is %q, and lacks %q", e.Name(), e.Degraded())
	}
	refusal, ok := capabilities.AsError(e.Backup(t.Context(), filepath.Join(t.TempDir(), "backup")))
	if err := refusal; !ok || refusal.Code != capabilities.Invalid || !strings.Contains(refusal.Message, "pg_dump") {
		t.Errorf("a backup is answered %v, which does not say what to do", err)
	}
}

// TestSettingsHold: what durability and isolation stand on is so on every connection,
// whatever the URL, the user or the server say.
func TestSettingsHold(t *testing.T) {
	url := storetest.Postgres(t)
	storetest.Exec(t, url, `ALTER ROLE holotype SET synchronous_commit = off; ALTER ROLE holotype SET default_transaction_isolation = 'serializable'`)
	t.Cleanup(func() { storetest.Exec(t, url, `ALTER ROLE holotype RESET ALL`) })
	e := storetest.EngineAt(t, url+"&statement_timeout=0&lock_timeout=0&idle_in_transaction_session_timeout=1234&standard_conforming_strings=off")
	for _, c := range []struct {
		name string
		open func() (*sql.DB, error)
		want map[string]string
	}{
		{"writers", func() (*sql.DB, error) { return e.Open(t.Context(), store.Writer, 2) }, map[string]string{"synchronous_commit": "on", "transaction_read_only": "off"}},
		{"readers", func() (*sql.DB, error) { return e.Open(t.Context(), store.Readers, 2) }, map[string]string{"synchronous_commit": "on", "transaction_read_only": "on"}},
		{"aside", func() (*sql.DB, error) { return e.Aside(t.Context(), "audit") }, map[string]string{"synchronous_commit": "off", "transaction_read_only": "off", "search_path": "public_audit"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			pool, err := c.open()
			if err != nil {
				t.Fatal(err)
			}
			defer pool.Close()
			maps.Copy(c.want, map[string]string{
				"statement_timeout": "15s", "lock_timeout": "10s", "idle_in_transaction_session_timeout": "1234ms", "standard_conforming_strings": "on",
				"default_transaction_isolation": "read committed", "client_encoding": "UTF8", "TimeZone": "UTC",
			})
			for name, want := range c.want {
				var got string
				if err := pool.QueryRowContext(t.Context(), `SELECT current_setting($1)`, name).Scan(&got); err != nil || got != want {
					t.Errorf("%s is %q, want %q (%v)", name, got, want, err)
				}
			}
		})
	}
}

// TestUnfitDatabasesAreRefused: each with what to do about it.
func TestUnfitDatabasesAreRefused(t *testing.T) {
	url := storetest.Postgres(t)
	other := func(name, options string) string {
		database := strings.TrimPrefix(strings.Split(url, "?")[0], "postgres:///") + name
		storetest.Exec(t, url, "CREATE DATABASE "+database+" TEMPLATE template0 "+options)
		t.Cleanup(func() { storetest.Exec(t, url, "DROP DATABASE "+database+" WITH (FORCE)") })
		return strings.Replace(url, strings.TrimSuffix(database, name)+"?", database+"?", 1)
	}
	for name, c := range map[string]struct {
		url, want string
		failure   store.Failure
	}{
		"other characters":    {other("latin", "ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C'"), "ENCODING 'UTF8'", store.Other},
		"letters of a locale": {other("ctype", "ENCODING 'UTF8' LC_COLLATE 'C' LC_CTYPE 'C.UTF-8'"), "LC_CTYPE 'C'", store.Other},
		"no schema":           {url + "&search_path=nowhere", "search_path", store.Other},
		"no database":         {strings.Replace(url, "?", "none?", 1), "does not exist", store.Other},
		"no user":             {strings.Replace(url, "user=holotype", "user=nobody", 1), "does not exist", store.Other},
		"a standby":           {url + "&default_transaction_read_only=on", "takes no writes", store.ReadOnly},
		"no server":           {strings.Replace(url, "host=", "host=%2Fnowhere", 1), "nowhere", store.Lost},
	} {
		t.Run(name, func(t *testing.T) {
			e := storetest.EngineAt(t, c.url)
			pool, err := e.Open(t.Context(), store.Writer, 1)
			if err == nil {
				_ = pool.Close() // it should not be there
				t.Fatal("it is opened")
			}
			if !strings.Contains(err.Error(), c.want) || e.Classify(err) != c.failure {
				t.Errorf("it is refused as %d: %v", e.Classify(err), err)
			}
		})
	}
}

func TestSortedByALanguageIsRefused(t *testing.T) {
	url := storetest.Postgres(t)
	if rows := storetest.Exec(t, url, `SELECT 1 FROM pg_collation WHERE collname = 'und-x-icu' AND current_setting('server_version_num')::int >= 150000`); len(rows) == 0 {
		t.Log("the databases of this server are sorted as the system says")
		return
	}
	database := strings.TrimPrefix(strings.Split(url, "?")[0], "postgres:///") + "icu"
	storetest.Exec(t, url, "CREATE DATABASE "+database+" TEMPLATE template0 ENCODING 'UTF8' LOCALE_PROVIDER icu ICU_LOCALE 'en' LC_COLLATE 'C' LC_CTYPE 'C'")
	t.Cleanup(func() { storetest.Exec(t, url, "DROP DATABASE "+database+" WITH (FORCE)") })
	_, err := storetest.EngineAt(t, strings.Replace(url, "?", "icu?", 1)).Open(t.Context(), store.Writer, 1)
	if err == nil || !strings.Contains(err.Error(), "LC_COLLATE 'C'") {
		t.Errorf("it is answered %v", err)
	}
}

func TestPasswordIsNotShown(t *testing.T) {
	for _, url := range []string{"postgres://user:s3cret@host:port/db", "postgres://user:s3cret@host/db?sslmode=odd", "postgres://user:s3cret@[::1/db"} {
		if _, err := postgres.New(url); err == nil || strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%v", err)
		}
	}
}

// TestFailedTransactionIsNotCommitted: the server answers such a COMMIT with ROLLBACK,
// and with no error.
func TestFailedTransactionIsNotCommitted(t *testing.T) {
	e := storetest.PostgresEngine(t)
	pool, err := e.Open(t.Context(), store.Writer, 1)
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	t.Run("by a statement", func(t *testing.T) {
		conn, err := pool.Conn(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		if _, err := conn.ExecContext(t.Context(), e.Begin()); err != nil {
			t.Fatal(err)
		}
		if _, err := conn.ExecContext(t.Context(), `SELECT 1 / 0`); err == nil || !e.InTransaction(conn) {
			t.Fatalf("a division by zero is answered %v, and the transaction stands: %t", err, e.InTransaction(conn))
		}
		if _, err := conn.ExecContext(t.Context(), `COMMIT`); err == nil {
			t.Error("it is committed")
		}
		if e.InTransaction(conn) {
			t.Error("it stands")
		}
	})
	t.Run("by package sql", func(t *testing.T) {
		tx, err := pool.BeginTx(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := tx.ExecContext(t.Context(), `SELECT 1 / 0`); err == nil {
			t.Fatal("a division by zero is answered")
		}
		if err := tx.Commit(); err == nil {
			t.Error("it is committed")
		}
	})
}

// TestStatementIsCancelledAndTheConnectionStays: a caller whose time is over costs
// nobody else anything, and its error is that of its context.
func TestStatementIsCancelledAndTheConnectionStays(t *testing.T) {
	e := storetest.PostgresEngine(t)
	pool, err := e.Open(t.Context(), store.Writer, 1)
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	conn, err := pool.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := conn.ExecContext(t.Context(), e.Begin()); err != nil {
		t.Fatal(err)
	}
	if _, err := conn.ExecContext(t.Context(), "SAVEPOINT job"); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := conn.ExecContext(ctx, `SELECT pg_sleep(60)`); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("it is answered %v", err)
	}
	if !e.InTransaction(conn) {
		t.Fatal("the transaction is lost")
	}
	for _, query := range []string{"ROLLBACK TO job", "RELEASE job", "COMMIT"} {
		if _, err := conn.ExecContext(t.Context(), query); err != nil {
			t.Errorf("%s: %v", query, err)
		}
	}
}

// TestValuesComeBackAsTheyWent: in the types that the other engine answers.
func TestValuesComeBackAsTheyWent(t *testing.T) {
	pool, err := storetest.PostgresEngine(t).Open(t.Context(), store.Writer, 1)
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	for _, c := range []struct {
		cast       string
		give, want any
	}{
		{"BIGINT", math.MaxInt64, int64(math.MaxInt64)},
		{"BIGINT", math.MinInt64, int64(math.MinInt64)},
		{"INTEGER", 7, int64(7)},
		{"BIGINT", true, int64(1)},
		{"BOOLEAN", false, int64(0)},
		{"TEXT", "it's \\ \u00e9 \U0001F600", "it's \\ \u00e9 \U0001F600"},
		{"TEXT", "", ""},
		{"TEXT", []byte("bytes as text"), "bytes as text"},
		{"TEXT", 12, "12"},
		{"BYTEA", []byte{0, 1, 0xff, '\\'}, []byte{0, 1, 0xff, '\\'}},
		{"BYTEA", []byte{}, []byte{}},
		{"BYTEA", "text as bytes", []byte("text as bytes")},
		{"BYTEA", []byte(nil), nil},
		{"TEXT", nil, nil},
		{"DOUBLE PRECISION", 0.1, 0.1},
		{"NUMERIC", 3, "3"},
		{"TIMESTAMPTZ", time.Date(2026, 1, 2, 3, 4, 5, 678900000, time.UTC), time.Date(2026, 1, 2, 3, 4, 5, 678900000, time.UTC)},
		{"TIMESTAMP", time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)},
	} {
		var got any
		if err := pool.QueryRowContext(t.Context(), `SELECT CAST($1 AS `+c.cast+`)`, c.give).Scan(&got); err != nil {
			t.Errorf("%v as %s: %v", c.give, c.cast, err)
			continue
		}
		if at, ok := got.(time.Time); ok {
			got = at.UTC()
		}
		if d := cmp.Diff(c.want, got); d != "" {
			t.Errorf("%v as %s (-want +got):\n%s", c.give, c.cast, d)
		}
	}
	if _, err := pool.ExecContext(t.Context(), `SELECT CAST($1 AS TEXT)`, "nul\x00"); err == nil {
		t.Error("a text with NUL is taken")
	}
}

// TestServersComeForwardOneAtATime: several that start at once on a new database.
func TestServersComeForwardOneAtATime(t *testing.T) {
	d := storetest.Database{Name: "postgres", At: storetest.Postgres(t)}
	opened := make(chan *store.DB)
	const servers = 4
	for range servers {
		o := d.Options(t, notes())
		go func() {
			db, err := store.Open(context.WithoutCancel(t.Context()), o)
			if err != nil {
				t.Error(err)
			}
			opened <- db
		}()
	}
	incarnations := map[string]bool{}
	for range servers {
		if db := <-opened; db != nil {
			if state := db.State(); state.Err != nil {
				t.Error(state.Err)
			}
			incarnations[db.Incarnation()] = true
			if err := db.Close(); err != nil {
				t.Error(err)
			}
		}
	}
	if len(incarnations) != 1 {
		t.Errorf("they are of %d incarnations", len(incarnations))
	}
}
