package store_test

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/store"
	"github.com/seed-89b9419b/holotype/internal/store/sqlite"
	"github.com/seed-89b9419b/holotype/internal/store/storetest"
)

// statement is what a hostile handler runs.
type statement struct {
	// The statement.
	SQL string `json:"sql" jsonschema_description:"The statement."`
	// How it is run.
	How string `json:"how" jsonschema:"enum=get,enum=select,enum=exec,enum=write,enum=unindex,enum=drop" jsonschema_description:"How it is run."`
	// Whether the handler passes over the error.
	Quiet bool `json:"quiet,omitempty" jsonschema_description:"Whether the handler passes over the error."`
}

type ran struct {
	Rows int `json:"rows" jsonschema_description:"How many."`
}

type wrote struct {
	capabilities.Receipt
	Rows int64 `json:"rows" jsonschema_description:"How many."`
}

func runRead(ctx context.Context, db *store.DB, in statement) (ran, error) {
	if in.How == "write" {
		_, err := runWrite(ctx, db, in)
		return ran{}, err
	}
	var out ran
	err := store.Read(ctx, db, func(r *store.Reader) error {
		var rows []string
		var one any
		err := r.Get(&one, in.SQL)
		if in.How == "select" {
			err = r.Select(&rows, in.SQL)
		}
		out.Rows = len(rows)
		if in.Quiet {
			return nil
		}
		return err
	})
	return out, err
}

func runWrite(ctx context.Context, db *store.DB, in statement) (wrote, error) {
	return store.Write(ctx, db, func(tx *store.Tx) (out wrote, err error) {
		var one any
		switch in.How {
		case "unindex":
			err = tx.Unindex("note", "a")
		case "drop":
			err = tx.DropBlob(in.SQL)
		case "get":
			err = tx.Get(&one, in.SQL)
		default:
			out.Rows, err = tx.Exec(in.SQL)
		}
		if in.Quiet {
			err = nil
		}
		if err != nil {
			return out, err
		}
		return out, tx.Change(store.Change{Kind: "note", ID: "a"})
	})
}

// hostile is a pack whose handlers run whatever they are told.
type hostile struct {
	db   *store.DB
	path string
	door *capabilities.Door
	log  *lockedBuffer
}

// lockedBuffer is a log that is read while it is written.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) take() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	defer l.b.Reset()
	return l.b.String()
}

func packOf(db *store.DB) capabilities.Bound {
	p := capabilities.NewPack[*store.DB](capabilities.PackInfo{Name: "notes", Title: "Notes", Summary: "A pack that does what it must not."})
	spec := func(name string, e capabilities.Effect, route, delivers string) capabilities.Spec {
		return capabilities.Spec{Name: name, Title: name, Summary: "Run a statement.", Effect: e, Route: route, Delivers: delivers}
	}
	capabilities.Declare(p, spec("hostile_read", capabilities.Read(capabilities.Shared), "POST /hostile-read", ""), runRead)
	capabilities.Declare(p, spec("hostile_append", capabilities.Append(capabilities.Shared), "POST /hostile-append", "notes"), runWrite)
	capabilities.Declare(p, spec("hostile_amend", capabilities.Amend(capabilities.Shared), "POST /hostile-amend", "notes"), runWrite)
	return p.Bind(db)
}

// doorOf answers a door to the pack, and what it logs.
func doorOf(t *testing.T, packs ...capabilities.Bound) (*capabilities.Door, *lockedBuffer) {
	t.Helper()
	reg, err := capabilities.Assemble(packs...)
	if err != nil {
		t.Fatal(err)
	}
	log := &lockedBuffer{}
	return capabilities.NewDoor(capabilities.DoorOptions{
		Viewer: capabilities.NewViews(capabilities.NewLive(reg), capabilities.Scopes{}), Codes: reg.Codes(),
		Log: slog.New(slog.NewTextHandler(log, nil)), Now: time.Now,
		// Write itself looks into the ledger; the interceptor before it is another package.
		Interceptors: []capabilities.Interceptor{{Name: "ledger", Stage: capabilities.StageLedger, Wrap: func(next capabilities.Handler) capabilities.Handler { return next }}},
	}), log
}

// ungranted is an engine that limits nothing.
type ungranted struct{ *sqlite.Engine }

func (ungranted) Grant(context.Context, *sql.Conn, store.Rights) error { return nil }

func (u ungranted) Open(ctx context.Context, _ store.Use, size int) (*sql.DB, error) {
	return u.Engine.Open(ctx, store.Writer, size)
}

// openHostile opens a store with two notes and what may be used against it.
func openHostile(t *testing.T, guarded, granted bool) *hostile {
	t.Helper()
	h := &hostile{path: filepath.Join(t.TempDir(), "store.db")}
	h.db = storetest.OpenAt(t, h.path, notes())
	for _, id := range []string{"a", "b"} {
		if _, err := add(t.Context(), h.db, id); err != nil {
			t.Fatal(err)
		}
	}
	for _, query := range []string{
		`CREATE TABLE notes_child (id TEXT NOT NULL PRIMARY KEY, parent TEXT NOT NULL REFERENCES notes_note (id) ON DELETE CASCADE ON UPDATE CASCADE) STRICT`,
		`INSERT INTO notes_child (id, parent) VALUES ('c', 'a')`,
		`CREATE TABLE notes_plain (id TEXT NOT NULL PRIMARY KEY, text TEXT NOT NULL) STRICT`,
		`INSERT INTO notes_plain (id, text) VALUES ('a', 'as it was')`,
		`CREATE TABLE notes_trap (id TEXT NOT NULL PRIMARY KEY) STRICT`,
		`CREATE TRIGGER notes_trap_in AFTER INSERT ON notes_trap BEGIN UPDATE notes_note SET text = 'trapped'; END`,
		`CREATE TABLE notes_trap_out (id TEXT NOT NULL PRIMARY KEY) STRICT`,
		`CREATE TRIGGER notes_trap_out_in BEFORE INSERT ON notes_trap_out BEGIN DELETE FROM changes; END`,
	} {
		if err := h.db.KeepForTest(t.Context(), query); err != nil {
			t.Fatal(err)
		}
	}
	if !granted {
		if err := h.db.Close(); err != nil {
			t.Fatal(err)
		}
		o := storetest.Options(t, h.path, notes())
		e, err := sqlite.New(h.path)
		if err != nil {
			t.Fatal(err)
		}
		o.Engine = ungranted{e}
		h.db = storetest.Start(t, o)
	}
	if !guarded {
		h.db.UnguardedForTest()
	}
	h.door, h.log = doorOf(t, packOf(h.db))
	return h
}

func (h *hostile) call(ctx context.Context, name string, in statement) error {
	args, err := json.Marshal(in)
	if err != nil {
		return err
	}
	_, err = h.door.Invoke(ctx, capabilities.Call{Name: name, Arguments: args, Principal: capabilities.OwnerPrincipal(), Surface: capabilities.InProcess})
	return err
}

// dump answers every row of the database, and its schema.
func dump(t *testing.T, path string) string {
	t.Helper()
	e, err := sqlite.New(path)
	if err != nil {
		t.Fatal(err)
	}
	pool, err := e.Open(t.Context(), store.Readers, 1)
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	var b strings.Builder
	tables := strings.Fields(rowsOf(t, pool, `SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'search_fts%' ORDER BY name`))
	b.WriteString(rowsOf(t, pool, `SELECT * FROM sqlite_master ORDER BY name`) + rowsOf(t, pool, `PRAGMA user_version`))
	for _, table := range tables {
		b.WriteString(table + "\n" + rowsOf(t, pool, `SELECT * FROM `+table))
	}
	return b.String()
}

func rowsOf(t *testing.T, pool *sql.DB, query string) string {
	t.Helper()
	rows, err := pool.QueryContext(t.Context(), query)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for rows.Next() {
		values, into := make([]any, len(columns)), make([]any, len(columns))
		for i := range values {
			into[i] = &values[i]
		}
		if err := rows.Scan(into...); err != nil {
			t.Fatal(err)
		}
		for _, v := range values {
			fmt.Fprintf(&b, "%v ", v)
		}
		b.WriteByte('\n')
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}
