package store_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	sqlite3 "github.com/mattn/go-sqlite3"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/store"
	"github.com/seed-89b9419b/holotype/internal/store/sqlite"
	"github.com/seed-89b9419b/holotype/internal/store/storetest"
)

// TestFileThatDisappears: what is open is not the database any more, so that nothing is
// answered from it and nothing is written to it, and no empty one takes its place.
func TestFileThatDisappears(t *testing.T) {
	for name, remove := range map[string]func(path string) error{
		"moved": func(path string) error { return os.Rename(path, path+".away") },
		"replaced": func(path string) error {
			return errors.Join(os.Rename(path, path+".away"), os.WriteFile(path, nil, 0o600))
		},
		"its log moved": func(path string) error { return os.Rename(path+"-wal", path+"-wal.away") },
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "store.db")
			db := storetest.OpenAt(t, path, notes())
			fill(t, db, "a")
			if err := remove(path); err != nil {
				t.Fatal(err)
			}
			// It is said without any call.
			if s := db.State(); s.Failure != store.Gone || !strings.Contains(s.Advice, "stop the server") {
				t.Errorf("the store says of itself %+v", s)
			}
			troubled(t, db, store.Gone)
			err := store.Read(t.Context(), db, func(*store.Reader) error { return nil })
			if codeOf(refusalOf(err)) != capabilities.Unavailable {
				t.Errorf("a read is answered %v", err)
			}
			if _, err := db.Check(t.Context()); codeOf(refusalOf(err)) != capabilities.Unavailable {
				t.Errorf("a check is answered %v", err)
			}
			if _, err := db.Backup(t.Context(), filepath.Join(t.TempDir(), "copy.db")); codeOf(refusalOf(err)) != capabilities.Unavailable {
				t.Errorf("a backup is answered %v", err)
			}
			if info, err := os.Stat(path); name == "moved" && !errors.Is(err, fs.ErrNotExist) || name == "replaced" && info.Size() != 0 {
				t.Errorf("a new database is there: %v", err)
			}
			if name == "its log moved" {
				if err := os.Rename(path+"-wal.away", path+"-wal"); err != nil {
					t.Fatal(err)
				}
			} else if err := os.Rename(path+".away", path); err != nil {
				t.Fatal(err)
			}
			recovers(t, db)
		})
	}
}

func refusalOf(err error) *capabilities.Error {
	refusal, _ := capabilities.AsError(err)
	return refusal
}

// TestFileThatDisappearsDuringAWrite: what was committed to it is not answered as done.
func TestFileThatDisappearsDuringAWrite(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store.db")
	o := storetest.Options(t, path, notes())
	own, ok := o.Engine.(*sqlite.Engine)
	if !ok {
		t.Fatalf("the engine is a %T", o.Engine)
	}
	e := &faulty{Engine: own}
	o.Engine = e
	db := storetest.Start(t, o)
	e.set(func(query string, run func() error) error {
		if query != "COMMIT" {
			return run()
		}
		return errors.Join(os.Rename(path, path+".away"), run())
	})
	if _, err := add(t.Context(), db, "a"); codeOf(refusalOf(err)) != capabilities.UnknownOutcome {
		t.Errorf("the write is answered %v", err)
	}
	e.set(nil)
	if err := os.Rename(path+".away", path); err != nil {
		t.Fatal(err)
	}
	recovers(t, db)
}

// TestCheckAfterWrites: writes between two checks are no damage.
func TestCheckAfterWrites(t *testing.T) {
	db := storetest.Open(t, notes())
	for round := range 4 {
		for i := range 8 {
			fill(t, db, fmt.Sprintf("note %d %d", round, i))
		}
		if faults, err := db.Check(t.Context()); err != nil || len(faults) > 0 {
			t.Fatalf("the check %d finds %q, %v", round, faults, err)
		}
	}
}

// TestCheckOfDamageSaysIt: damage is what a check finds, and no reason not to answer.
func TestCheckOfDamageSaysIt(t *testing.T) {
	for name, table := range map[string]string{"a pack's": "notes_note", "the log": "changes"} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "store.db")
			db := storetest.OpenAt(t, path, notes())
			fill(t, db, "a", "b")
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
			spoilTable(t, path, table)
			db = storetest.OpenAt(t, path, notes())
			for range 2 {
				faults, err := db.Check(t.Context())
				if err != nil || !strings.Contains(strings.Join(faults, "\n"), "the file is damaged: ") {
					t.Errorf("the check finds %q, %v", faults, err)
				}
			}
			if s := db.State(); s.Err != nil && strings.Contains(s.Advice, "check") {
				t.Errorf("the advice is %q", s.Advice)
			}
		})
	}
	t.Run("all of it", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "store.db")
		if err := os.WriteFile(path, []byte(strings.Repeat("no database ", 50)), 0o600); err != nil {
			t.Fatal(err)
		}
		db := storetest.OpenAt(t, path, notes())
		if faults, err := db.Check(t.Context()); err != nil || len(faults) == 0 {
			t.Errorf("the check finds %q, %v", faults, err)
		}
		if at := db.Head().String(); at != "" {
			t.Errorf("it is at %q", at)
		}
	})
}

type fullWriter struct{}

func (fullWriter) Write([]byte) (int, error) {
	return 0, &fs.PathError{Op: "write", Path: "copy", Err: syscall.ENOSPC}
}

var _ io.Writer = fullWriter{}

// fullTarget is an engine whose copies have no room.
type fullTarget struct {
	*sqlite.Engine
	err error
}

func (e fullTarget) Backup(context.Context, string) error { return e.err }

// TestTargetWithoutRoom: it is no trouble of the store.
func TestTargetWithoutRoom(t *testing.T) {
	for _, of := range []error{sqlite3.Error{Code: sqlite3.ErrFull}, errMedium} {
		o := storetest.Options(t, filepath.Join(t.TempDir(), "store.db"), notes())
		own, ok := o.Engine.(*sqlite.Engine)
		if !ok {
			t.Fatalf("the engine is a %T", o.Engine)
		}
		o.Engine = fullTarget{own, of}
		db := storetest.Start(t, o)
		for i := range 200 {
			fill(t, db, fmt.Sprintf("%d %0500d", i, i))
		}
		if err := db.Export(t.Context(), fullWriter{}); !errors.Is(err, store.ErrTarget) || !errors.Is(err, syscall.ENOSPC) {
			t.Errorf("the export is answered %v", err)
		}
		dir := t.TempDir()
		if _, err := db.Backup(t.Context(), filepath.Join(dir, "copy.db")); !errors.Is(err, store.ErrTarget) {
			t.Errorf("the backup is answered %v", err)
		}
		if s := db.State(); s.Err != nil {
			t.Errorf("the store says of itself %+v", s)
		}
		if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
			t.Errorf("it leaves %v, %v", left, err)
		}
	}
}

// TestRestoreThatEndedHalfWay: no empty database takes the place of one that a restore
// has moved away.
func TestRestoreThatEndedHalfWay(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store.db")
	if err := storetest.OpenAt(t, path, notes()).Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(path, path+sqlite.Replaced); err != nil {
		t.Fatal(err)
	}
	o := storetest.Options(t, path, notes())
	if db, err := store.Open(t.Context(), o); err == nil || !strings.Contains(err.Error(), sqlite.Replaced) {
		if err == nil {
			err = db.Close()
		}
		t.Errorf("the opening is answered %v", err)
	}
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("there is a database: %v", err)
	}
}

// TestOwnsItsFolder: the names beside the database, and in folders that it is told of, are
// the program's own.
func TestOwnsItsFolder(t *testing.T) {
	dir := t.TempDir()
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(dir, link); err != nil {
		t.Fatal(err)
	}
	other := t.TempDir()
	o := storetest.Options(t, filepath.Join(dir, "store.db"), notes())
	o.Folders = []string{other}
	db := storetest.Start(t, o)
	for path, want := range map[string]bool{
		filepath.Join(other, "x"): true, filepath.Join(other, "none", "x"): false,
		filepath.Join(dir, "x"): true, filepath.Join(link, "x"): true, filepath.Join(t.TempDir(), "x"): false, filepath.Join(dir, "none", "x"): false,
	} {
		if got := db.Owns(path); got != want {
			t.Errorf("it owns %s: %t", path, got)
		}
	}
}
