package store_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-89b9419b/holotype/internal/store"
	"github.com/seed-89b9419b/holotype/internal/store/sqlite"
	"github.com/seed-89b9419b/holotype/internal/store/storetest"
)

// clocked is an engine whose clock tests set.
type clocked struct {
	*sqlite.Engine
	ms atomic.Int64
}

func (e *clocked) Clock() string { return strconv.FormatInt(e.ms.Load(), 10) }

func openClocked(t *testing.T) (*store.DB, *clocked) {
	t.Helper()
	o := storetest.Options(t, filepath.Join(t.TempDir(), "store.db"), notes())
	own, ok := o.Engine.(*sqlite.Engine)
	if !ok {
		t.Fatalf("the engine is a %T", o.Engine)
	}
	e := &clocked{Engine: own}
	e.ms.Store(1_000_000)
	o.Engine = e
	return storetest.Start(t, o), e
}

func acquire(t *testing.T, db *store.DB, owner string, want bool) store.Fence {
	t.Helper()
	f, ok, err := db.Acquire(t.Context(), "seat:ada", owner, time.Second)
	if err != nil || ok != want {
		t.Fatalf("acquiring for %s answers %v, %v; want %v", owner, ok, err, want)
	}
	return f
}

func TestOneHoldsALease(t *testing.T) {
	db, _ := openClocked(t)
	var won atomic.Int32
	var wait sync.WaitGroup
	for i := range 32 {
		wait.Go(func() {
			f, ok, err := db.Acquire(t.Context(), "seat:ada", fmt.Sprint(i), time.Second)
			if err != nil {
				t.Error(err)
			}
			if ok {
				won.Add(1)
				if f != (store.Fence{Name: "seat:ada", Owner: fmt.Sprint(i), Epoch: 1}) {
					t.Errorf("the holding is %+v", f)
				}
			}
		})
	}
	wait.Wait()
	if won.Load() != 1 {
		t.Errorf("%d of 32 hold the lease", won.Load())
	}
}

func TestLeaseLapsesByTheClockOfTheDatabase(t *testing.T) {
	db, e := openClocked(t)
	first := acquire(t, db, "a", true)
	e.ms.Add(999)
	acquire(t, db, "b", false)
	if ok, err := db.Renew(t.Context(), first, time.Second); err != nil || !ok {
		t.Fatalf("renewing answers %v, %v", ok, err)
	}
	e.ms.Add(999)
	acquire(t, db, "b", false)
	e.ms.Add(1)
	if ok, err := db.Renew(t.Context(), first, time.Second); err != nil || ok {
		t.Errorf("renewing what lapsed answers %v, %v", ok, err)
	}
	second := acquire(t, db, "b", true)
	if second.Epoch != 2 {
		t.Errorf("the second holding has the epoch %d", second.Epoch)
	}
	if err := db.Release(t.Context(), first); err != nil {
		t.Errorf("releasing what another holds: %v", err)
	}
	acquire(t, db, "a", false)
	if err := db.Release(t.Context(), second); err != nil {
		t.Error(err)
	}
	if third := acquire(t, db, "b", true); third.Epoch != 3 {
		t.Errorf("the holding after a release has the epoch %d", third.Epoch)
	}
	if ok, err := db.Renew(t.Context(), second, time.Second); err != nil || ok {
		t.Errorf("renewing an earlier holding of one's own answers %v, %v", ok, err)
	}
}

func TestFenceRefusesTheWriteOfAnEarlierHolder(t *testing.T) {
	db, e := openClocked(t)
	first := acquire(t, db, "a", true)
	write := func(f store.Fence, id string) error {
		_, err := store.Write(t.Context(), db, func(tx *store.Tx) (noted, error) {
			if _, err := tx.Exec(`INSERT INTO notes_note (id, text, version) VALUES (?, '', 1)`, id); err != nil {
				return noted{}, err
			}
			if err := tx.Fence(f); err != nil {
				return noted{}, err
			}
			return noted{}, tx.Change(store.Change{Kind: "note", ID: id})
		})
		return err
	}
	if err := write(first, "held"); err != nil {
		t.Error(err)
	}
	e.ms.Add(1000)
	if err := write(first, "lapsed"); !errors.Is(err, store.ErrFenced) {
		t.Errorf("a write after the lease lapsed answers %v", err)
	}
	second := acquire(t, db, "b", true)
	if err := write(first, "taken over"); !errors.Is(err, store.ErrFenced) {
		t.Errorf("a write after another took it over answers %v", err)
	}
	stolen := second
	stolen.Owner = "a"
	if err := write(stolen, "stolen"); !errors.Is(err, store.ErrFenced) {
		t.Errorf("a write in another's name answers %v", err)
	}
	if n := count(t, db); n != 1 {
		t.Errorf("there are %d notes", n)
	}
	// A write that looks at its lease and changes nothing has changed nothing.
	got, err := store.Write(t.Context(), db, func(tx *store.Tx) (noted, error) { return noted{}, tx.Fence(second) })
	if err != nil || got.Outcome != "unchanged" {
		t.Errorf("it is answered %+v, %v", got, err)
	}
}

func TestLeasesAreListed(t *testing.T) {
	db, e := openClocked(t)
	held := acquire(t, db, "a", true)
	for _, name := range []string{"seat:", "seat", "other", "seatx"} {
		if _, _, err := db.Acquire(t.Context(), name, "b", 2*time.Second); err != nil {
			t.Fatal(err)
		}
	}
	all, err := db.Leases(t.Context(), "seat:")
	if err != nil {
		t.Fatal(err)
	}
	want := []store.Lease{{Fence: store.Fence{Name: "seat:", Owner: "b", Epoch: 1}, Expires: time.UnixMilli(1_002_000).UTC()}, {Fence: held, Expires: time.UnixMilli(1_001_000).UTC()}}
	if d := cmp.Diff(want, all); d != "" {
		t.Errorf("the leases differ (-want +got):\n%s", d)
	}
	e.ms.Add(1000)
	if all, err = db.Leases(t.Context(), "seat:a"); err != nil || len(all) != 0 {
		t.Errorf("of what lapsed %v, %v are listed", all, err)
	}
}

func TestLeaseHasASensibleClock(t *testing.T) {
	db := storetest.Open(t)
	if _, ok, err := db.Acquire(t.Context(), "x", "a", time.Hour); err != nil || !ok {
		t.Fatal(ok, err)
	}
	all, err := db.Leases(t.Context(), "")
	if err != nil || len(all) != 1 {
		t.Fatal(all, err)
	}
	if left := time.Until(all[0].Expires); left < 50*time.Minute || left > 70*time.Minute {
		t.Errorf("a lease of an hour runs for %s", left)
	}
	for _, ttl := range []time.Duration{0, -time.Second, time.Microsecond} {
		if _, _, err := db.Acquire(t.Context(), "y", "a", ttl); err == nil {
			t.Errorf("a lease for %s is given", ttl)
		}
	}
}
