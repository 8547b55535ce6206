package store_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"path/filepath"
	"testing"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/store"
	"github.com/seed-89b9419b/holotype/internal/store/storetest"
)

// keeperOf is a pack that keeps the bytes of a text, and drops them.
func keeperOf(name string, db *store.DB) capabilities.Bound {
	p := capabilities.NewPack[*store.DB](capabilities.PackInfo{Name: name, Title: name, Summary: "A pack that keeps bytes."})
	write := func(do func(*store.Tx, string) error) func(context.Context, *store.DB, noteInput) (noted, error) {
		return func(ctx context.Context, db *store.DB, in noteInput) (noted, error) {
			return store.Write(ctx, db, func(tx *store.Tx) (noted, error) {
				return noted{ID: in.ID}, errors.Join(do(tx, in.ID), tx.Change(store.Change{Kind: "bytes", ID: in.ID}))
			})
		}
	}
	declare := func(verb string, do func(*store.Tx, string) error) {
		capabilities.Declare(p, capabilities.Spec{
			Name: verb + "_" + name, Title: verb, Summary: "Do so.", Effect: capabilities.Amend(capabilities.Shared), Route: "POST /" + verb + "-" + name, Delivers: "notes",
		}, write(do))
	}
	declare("keep", func(tx *store.Tx, text string) error { _, err := tx.PutBlob([]byte(text)); return err })
	declare("drop", func(tx *store.Tx, text string) error { return tx.DropBlob(storetest.Digest([]byte(text))) })
	return p.Bind(db)
}

// TestBytesOfTwoPacks: what one of them drops the other has.
func TestBytesOfTwoPacks(t *testing.T) {
	storetest.Each(t, func(t *testing.T, d storetest.Database) {
		db := d.Open(t)
		door, _ := doorOf(t, keeperOf("one", db), keeperOf("two", db))
		call := func(name string) {
			t.Helper()
			args, err := json.Marshal(noteInput{"text"})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := door.Invoke(t.Context(), capabilities.Call{Name: name, Arguments: args, Principal: capabilities.OwnerPrincipal(), Surface: capabilities.InProcess}); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
		for _, c := range []struct {
			call string
			kept bool
		}{
			{"keep_one", true},
			{"keep_two", true},
			{"drop_one", true},
			{"drop_one", true},
			{"drop_two", false},
			{"keep_one", true},
			{"keep_one", true},
			{"drop_two", true},
			{"drop_one", false},
		} {
			call(c.call)
			err := store.Read(t.Context(), db, func(r *store.Reader) error {
				_, err := r.Blob(storetest.Digest([]byte("text")))
				if errors.Is(err, sql.ErrNoRows) == c.kept {
					t.Errorf("after %s the bytes are answered %v", c.call, err)
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			if faults, err := db.Check(t.Context()); err != nil || len(faults) > 0 {
				t.Errorf("after %s the check finds %q, %v", c.call, faults, err)
			}
		}
	})
}

// TestBytesOfBeforeThereWereKeepers: a database of the first version has no keepers, and
// what it has in bytes was of one pack.
func TestBytesOfBeforeThereWereKeepers(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store.db")
	db := storetest.OpenAt(t, path, notes())
	digest := fill(t, db, "a")
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	sqlOf(t, path, `DROP TABLE blob_keepers`, `ALTER TABLE changes DROP COLUMN acting_for`, `DELETE FROM schema_store WHERE version_id >= 2`)
	wellKept(t, storetest.OpenAt(t, path, notes()), digest, 1)
	if copies, err := filepath.Glob(path + ".before-store-1-to-3.*"); err != nil || len(copies) != 1 {
		t.Errorf("the copies of before are %q, %v", copies, err)
	}
}
