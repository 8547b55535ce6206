package store_test

import (
	"context"
	"database/sql"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/store"
	"github.com/seed-89b9419b/holotype/internal/store/sqlite"
	"github.com/seed-89b9419b/holotype/internal/store/storetest"
)

// troubled checks that a store says what is wrong and what to do, and refuses calls.
func troubled(t *testing.T, db *store.DB, want store.Failure) {
	t.Helper()
	s := db.State()
	if s.Err == nil || s.Failure != want || s.Advice == "" || s.Since.IsZero() {
		t.Errorf("the store says of itself %+v, want the failure %d", s, want)
	}
	_, err := add(t.Context(), db, "refused")
	if e, ok := capabilities.AsError(err); !ok || e.Code != capabilities.Unavailable {
		t.Errorf("a write is answered %v", err)
	}
}

// recovers checks that a store is well again without a restart.
func recovers(t *testing.T, db *store.DB) {
	t.Helper()
	eventually(t, "the store is well", func() bool { return db.State().Err == nil })
	if _, err := add(t.Context(), db, "recovered"); err != nil {
		t.Error(err)
	}
}

// bounded is an engine on a medium with so many pages.
type bounded struct {
	*sqlite.Engine
	pages atomic.Int64
}

func (e *bounded) Grant(ctx context.Context, c *sql.Conn, r store.Rights) error {
	if err := e.Engine.Grant(ctx, c, store.Keeping); err != nil {
		return err
	}
	var n int64
	if err := c.QueryRowContext(ctx, fmt.Sprintf("PRAGMA max_page_count = %d", e.pages.Load())).Scan(&n); err != nil {
		return err
	}
	return e.Engine.Grant(ctx, c, r)
}

func TestFullMedium(t *testing.T) {
	o := storetest.Options(t, filepath.Join(t.TempDir(), "store.db"), notes())
	own, ok := o.Engine.(*sqlite.Engine)
	if !ok {
		t.Fatalf("the engine is a %T", o.Engine)
	}
	e := &bounded{Engine: own}
	e.pages.Store(100)
	o.Engine = e
	db := storetest.Start(t, o)
	written := 0
	for {
		_, err := add(t.Context(), db, fmt.Sprintf("%0500d", written))
		if err != nil {
			break
		}
		written++
	}
	if n := count(t, db); n != written || n == 0 {
		t.Errorf("of %d notes that were answered %d are there", written, n)
	}
	// The mender may have found room for its own small row: a larger one has none.
	refuse := func() error {
		_, err := store.Write(t.Context(), db, func(tx *store.Tx) (out noted, err error) {
			_, err = tx.PutBlob(blob)
			return out, err
		})
		return err
	}
	if e, ok := capabilities.AsError(refuse()); !ok || e.Code != capabilities.Unavailable {
		t.Errorf("a write without room is answered %v", e)
	}
	e.pages.Store(1_000_000)
	recovers(t, db)
	if faults, err := db.Check(t.Context()); err != nil || len(faults) > 0 {
		t.Errorf("the check finds %q, %v", faults, err)
	}
}

// shut is an engine that cannot be opened, for as long as err is set.
type shut struct {
	*sqlite.Engine
	err atomic.Pointer[error]
}

func (e *shut) Open(ctx context.Context, use store.Use, size int) (*sql.DB, error) {
	if err := e.err.Load(); err != nil {
		return nil, *err
	}
	return e.Engine.Open(ctx, use, size)
}

func TestStoreThatCannotBeOpenedYet(t *testing.T) {
	for name, c := range map[string]struct {
		err  error
		want store.Failure
	}{
		"a read-only medium":  {&fs.PathError{Op: "open", Path: "store.db", Err: syscall.EROFS}, store.ReadOnly},
		"no permission":       {&fs.PathError{Op: "open", Path: "store.db", Err: syscall.EACCES}, store.ReadOnly},
		"a full medium":       {&fs.PathError{Op: "open", Path: "store.db", Err: syscall.ENOSPC}, store.Full},
		"a medium that fails": {errMedium, store.Lost},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel() // each waits for the mender
			o := storetest.Options(t, filepath.Join(t.TempDir(), "store.db"), notes())
			own, ok := o.Engine.(*sqlite.Engine)
			if !ok {
				t.Fatalf("the engine is a %T", o.Engine)
			}
			e := &shut{Engine: own}
			e.err.Store(&c.err)
			o.Engine = e
			db := storetest.Start(t, o)
			troubled(t, db, c.want)
			err := store.Read(t.Context(), db, func(*store.Reader) error { return nil })
			if e, ok := capabilities.AsError(err); !ok || e.Code != capabilities.Unavailable {
				t.Errorf("a read is answered %v", err)
			}
			if _, err := db.Backup(t.Context(), filepath.Join(t.TempDir(), "copy.db")); err == nil {
				t.Error("a backup is made")
			}
			e.err.Store(nil)
			recovers(t, db)
		})
	}
}

func TestFileThatIsNoDatabase(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store.db")
	if err := os.WriteFile(path, []byte("this is a text, and it is longer than the header of a database, which has a hundred bytes of its own"), 0o600); err != nil {
		t.Fatal(err)
	}
	db := storetest.OpenAt(t, path, notes())
	troubled(t, db, store.Corrupt)
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	recovers(t, db)
}

func TestDamagedPageIsSaidAndStays(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store.db")
	db := storetest.OpenAt(t, path, notes())
	fill(t, db, "a", "b")
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	spoilTable(t, path, "notes_note")
	db = storetest.OpenAt(t, path, notes())
	err := store.Read(t.Context(), db, func(r *store.Reader) error {
		var n int
		return r.Get(&n, `SELECT count(*) FROM notes_note WHERE text <> 'x'`)
	})
	if e, ok := capabilities.AsError(err); !ok || e.Code != capabilities.Unavailable {
		t.Errorf("a read of it is answered %v", err)
	}
	if s := db.State(); s.Failure != store.Corrupt {
		t.Errorf("the store says of itself %+v", s)
	}
	// What is known to be damaged takes no write, wherever the damage is.
	if _, _, err := db.Acquire(t.Context(), "x", "y", time.Second); err == nil {
		t.Error("a write is answered")
	} else if e, ok := capabilities.AsError(err); !ok || e.Code != capabilities.Unavailable {
		t.Errorf("a write is answered %v", err)
	}
	if s := db.State(); s.Failure != store.Corrupt {
		t.Errorf("after a write the store says of itself %+v", s)
	}
}

func TestForeignProcessHoldsTheDatabase(t *testing.T) {
	t.Parallel() // it waits for the patience of SQLite
	path := filepath.Join(t.TempDir(), "store.db")
	db := storetest.OpenAt(t, path, notes())
	release := foreign(t, path, "IMMEDIATE")
	_, err := add(t.Context(), db, "refused")
	if e, ok := capabilities.AsError(err); !ok || e.Code != capabilities.Unavailable {
		t.Errorf("a write is answered %v", err)
	}
	if s := db.State(); s.Failure != store.Busy {
		t.Errorf("the store says of itself %+v", s)
	}
	if n := count(t, db); n != 0 { // reads go on
		t.Errorf("there are %d notes", n)
	}
	release()
	recovers(t, db)
}

func TestForeignProcessHoldsTheDatabaseAtTheStart(t *testing.T) {
	t.Parallel() // it waits for the patience of SQLite
	path := filepath.Join(t.TempDir(), "store.db")
	if err := storetest.OpenAt(t, path, notes()).Close(); err != nil {
		t.Fatal(err)
	}
	release := foreign(t, path, "EXCLUSIVE")
	db := storetest.OpenAt(t, path, notes())
	troubled(t, db, store.Busy)
	release()
	recovers(t, db)
}

// TestForeignProcessSeesThatItIsOpen: an open store holds the lock of its file, whatever
// this process opens and closes: without it another that comes and goes takes away the
// log of the file, with what was committed since.
func TestForeignProcessSeesThatItIsOpen(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store.db")
	storetest.OpenAt(t, path, notes())
	_, lines, _ := child(t, "look "+path)
	if !lines.Scan() || lines.Text() != "held" {
		t.Errorf("the lock of an open database is %q", lines.Text())
	}
}

// TestClockThatJumpsBack: the log goes on, and what was answered stays answered.
func TestClockThatJumpsBack(t *testing.T) {
	a := openAdder(t, nil)
	first, refusal := a.call(t.Context(), "add_note", "first", capabilities.Operation{})
	if refusal != nil {
		t.Fatal(refusal)
	}
	a.clock.add(-365 * 24 * time.Hour)
	second, refusal := a.call(t.Context(), "add_note", "second", keyed("k"))
	if refusal != nil || second.Count != 2 {
		t.Fatalf("the call after it is answered %+v, %v", second, refusal)
	}
	for id, key := range map[string]string{"first": first.OpID, "second": "k"} {
		if got, refusal := a.call(t.Context(), "add_note", id, keyed(key)); refusal != nil || !got.Replayed {
			t.Errorf("the repeat of %s is answered %+v, %v", id, got, refusal)
		}
	}
	all, err := changes(t, a.db, store.ChangesQuery{Limit: 9})
	if err != nil || len(all) != 2 || all[1].Position.Seq != 2 {
		t.Errorf("the log is %+v, %v", all, err)
	}
}
