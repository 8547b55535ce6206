package store_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/store"
	"github.com/seed-89b9419b/holotype/internal/store/sqlite"
	"github.com/seed-89b9419b/holotype/internal/store/storetest"
)

// blob is longer than one row of bytes.
var blob = bytes.Repeat([]byte("0123456789abcdef\x00\xff"), 40_000)

// fill writes notes, one of them with bytes, and a lease.
func fill(t *testing.T, db *store.DB, ids ...string) (digest string) {
	t.Helper()
	for _, id := range ids {
		if _, err := add(t.Context(), db, id); err != nil {
			t.Fatal(err)
		}
	}
	_, err := store.Write(t.Context(), db, func(tx *store.Tx) (out noted, err error) {
		digest, err = tx.PutBlob(blob)
		return out, errors.Join(err, tx.Change(store.Change{Kind: "file", ID: digest}))
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := db.Acquire(t.Context(), "seat", "me", 1e12); err != nil {
		t.Fatal(err)
	}
	return digest
}

// wellKept checks a store that fill filled.
func wellKept(t *testing.T, db *store.DB, digest string, notes int) {
	t.Helper()
	if faults, err := db.Check(t.Context()); err != nil || len(faults) > 0 {
		t.Errorf("the check finds %q, %v", faults, err)
	}
	if n := count(t, db); n != notes {
		t.Errorf("there are %d notes, want %d", n, notes)
	}
	err := store.Read(t.Context(), db, func(r *store.Reader) error {
		got, err := r.Blob(digest)
		if !bytes.Equal(got, blob) {
			t.Errorf("the %d bytes came back as %d others", len(blob), len(got))
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
	if _, err := add(t.Context(), db, "after"); err != nil {
		t.Error(err)
	}
}

func TestBackupWhileCallsAreServed(t *testing.T) {
	dir := t.TempDir()
	path, copied := filepath.Join(dir, "store.db"), filepath.Join(dir, "copy.db")
	db := storetest.OpenAt(t, path, notes())
	digest := fill(t, db, "a")
	ctx, cancel := context.WithCancel(t.Context())
	var wait sync.WaitGroup
	for c := range 4 {
		wait.Go(func() {
			for i := 0; ctx.Err() == nil; i++ {
				if _, err := add(t.Context(), db, fmt.Sprintf("%d-%d", c, i)); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	at, err := db.Backup(t.Context(), copied)
	cancel()
	wait.Wait()
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(copied); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the copy is %v, %v", info, err)
	}
	again := storetest.OpenAt(t, copied, notes())
	if head := again.Head(); head.Incarnation != at.Incarnation || head.Seq < at.Seq {
		t.Errorf("the copy is at %s, and the answer was %s", head, at)
	}
	wellKept(t, again, digest, int(again.Head().Seq)-1)
	if _, err := db.Backup(t.Context(), copied); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a backup over another answers %v", err)
	}
	if _, err := db.Backup(t.Context(), filepath.Join(dir, "none", "copy.db")); err == nil {
		t.Error("a backup into a folder that is not there is taken")
	}
	if left, err := filepath.Glob(filepath.Join(dir, ".*")); err != nil || len(left) > 0 {
		t.Errorf("the backups left %v, %v", left, err)
	}
}

func TestRestoreBeginsAnotherLife(t *testing.T) {
	t.Parallel() // it waits for the patience of SQLite
	dir := t.TempDir()
	path, copied := filepath.Join(dir, "store.db"), filepath.Join(dir, "copy.db")
	db := storetest.OpenAt(t, path, notes())
	digest := fill(t, db, "a", "b")
	before := db.Head()
	if _, err := db.Backup(t.Context(), copied); err != nil {
		t.Fatal(err)
	}
	lost, err := add(t.Context(), db, "written after the backup")
	if err != nil {
		t.Fatal(err)
	}
	o := storetest.Options(t, path, notes())
	if _, err := sqlite.Restore(t.Context(), copied, path, o); err == nil || !strings.Contains(err.Error(), "running") {
		t.Errorf("restoring under a running server answers %v", err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	restored, err := sqlite.Restore(t.Context(), copied, path, o)
	if err != nil {
		t.Fatal(err)
	}
	p := restored.At
	if p.Incarnation == before.Incarnation || p.Seq != before.Seq {
		t.Errorf("the restored database is at %s, the backup was at %s", p, before)
	}
	db = storetest.OpenAt(t, path, notes())
	if head := db.Head(); head != p {
		t.Errorf("the head is %s, want %s", head, p)
	}
	if err := db.WaitFor(t.Context(), before); !errors.Is(err, store.ErrForeignPosition) {
		t.Errorf("a position of the earlier life answers %v", err)
	}
	if all, err := db.Leases(t.Context(), ""); err != nil || len(all) != 0 {
		t.Errorf("the leases of the earlier life are %v, %v", all, err)
	}
	// Nobody can say whether what the backup does not have happened.
	a := &adder{db: db}
	pack := capabilities.NewPack[*adder](capabilities.PackInfo{Name: "notes", Title: "Notes", Summary: "A pack of notes."})
	capabilities.Declare(pack, capabilities.Spec{
		Name: "add_note", Title: "Add", Summary: "Add a note.",
		Effect: capabilities.Append(capabilities.Shared), Route: "POST /notes", Delivers: "notes",
	}, a.write)
	a.door, _ = doorOf(t, pack.Bind(a))
	if _, refusal := a.call(t.Context(), "add_note", "x", keyed(lost.OpID)); codeOf(refusal) != capabilities.UnknownOutcome {
		t.Errorf("an operation of after the backup is answered %v", refusal)
	}
	wellKept(t, db, digest, 2)
	replaced := storetest.OpenAt(t, restored.Kept, notes())
	if n := count(t, replaced); n != 3 {
		t.Errorf("the database that was replaced has %d notes", n)
	}
}

func TestRestoreRefusesWhatIsNoBackup(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "store.db")
	db := storetest.OpenAt(t, path, notes())
	digest := fill(t, db, "a")
	newer := filepath.Join(dir, "newer.db")
	if _, err := db.Backup(t.Context(), newer); err != nil {
		t.Fatal(err)
	}
	damaged := filepath.Join(dir, "damaged.db")
	if _, err := db.Backup(t.Context(), damaged); err != nil {
		t.Fatal(err)
	}
	used := filepath.Join(dir, "used.db")
	inUse := storetest.OpenAt(t, used, notes())
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	spoil(t, damaged)
	other := filepath.Join(dir, "other.db")
	sqlOf(t, other, `CREATE TABLE t (id TEXT)`)
	sqlOf(t, newer, `INSERT INTO schema_notes (version_id, is_applied) VALUES (99, 1)`)
	text := filepath.Join(dir, "text.db")
	if err := os.WriteFile(text, bytes.Repeat([]byte("no database"), 1000), 0o600); err != nil {
		t.Fatal(err)
	}
	export := filepath.Join(dir, "all.ndjson")
	if err := os.WriteFile(export, []byte(`{"header":{}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, from, says string }{
		{"no file", filepath.Join(dir, "none.db"), "no such file"},
		{"a text", text, "name a file that the command backup wrote"},
		{"an export", export, "the command import reads those"},
		{"a folder", dir, "directory"},
		{"another database", other, "a database of something else"},
		{"a damaged one", damaged, "malformed"},
		{"one of a later version", newer, "a later version"},
		{"one in use", used, "a database in use"},
	} {
		if _, err := sqlite.Restore(t.Context(), c.from, path, storetest.Options(t, path, notes())); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s is answered %v, want what says %q", c.name, err, c.says)
		}
	}
	if err := inUse.Close(); err != nil {
		t.Error(err)
	}
	wellKept(t, storetest.OpenAt(t, path, notes()), digest, 1)
	if left, err := filepath.Glob(filepath.Join(dir, ".*")); err != nil || len(left) > 0 {
		t.Errorf("the refused ones left %v, %v", left, err)
	}
}

func TestCheckFindsWhatDoesNotAgree(t *testing.T) {
	for _, c := range []struct{ name, query, says string }{
		{"a hole in the log", `DELETE FROM changes WHERE seq = 2`, "some are missing"},
		{"a head that is behind", `UPDATE log_head SET seq = seq - 1`, "the head of the log"},
		{"a head that is ahead", `UPDATE log_head SET seq = seq + 1`, "the head of the log"},
		{"an operation that is ahead", `UPDATE operations SET seq = 99`, "did not reach"},
		{"other bytes", `UPDATE blobs SET data = zeroblob(3) WHERE chunk = 0`, "are others"},
		{"bytes that nobody keeps", `DELETE FROM blob_keepers`, "are kept by no pack"},
		{"bytes that are not there", `DELETE FROM blobs`, "a pack keeps them"},
		{"bytes without a part", `DELETE FROM blobs WHERE chunk = 1`, "is missing"},
		{"an index of something else", `INSERT INTO search_fts (search_fts, rowid, title, body) VALUES ('delete', 1, 'a', 'text of a')`, "does not agree"},
		{"what a pack knows", `UPDATE notes_note SET version = 0`, "a note without a version"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := notes()
			s.Check = func(r *store.Reader) (faults []string, err error) {
				var n int
				if err = r.Get(&n, `SELECT count(*) FROM notes_note WHERE version = 0`); n > 0 {
					faults = append(faults, "a note without a version")
				}
				return faults, err
			}
			path := filepath.Join(t.TempDir(), "store.db")
			db := storetest.OpenAt(t, path, s)
			fill(t, db, "a", "b")
			if faults, err := db.Check(t.Context()); err != nil || len(faults) > 0 {
				t.Fatalf("before, the check finds %q, %v", faults, err)
			}
			sqlOf(t, path, c.query)
			faults, err := db.Check(t.Context())
			if err != nil || !strings.Contains(strings.Join(faults, "\n"), c.says) {
				t.Errorf("the check finds %q, %v; want what says %q", faults, err, c.says)
			}
		})
	}
}
