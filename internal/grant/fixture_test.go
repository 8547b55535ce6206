package grant_test

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/grant"
	"github.com/seed-89b9419b/holotype/internal/store"
	"github.com/seed-89b9419b/holotype/internal/store/storetest"
)

// world is a store with grants, a clock, and work items that tests bring to their ends.
type world struct {
	t      *testing.T
	db     *store.DB
	grants *grant.Grants
	clock  atomic.Int64 // milliseconds

	mu    sync.Mutex
	puts  [][]string    // the ids of what was put in force, each time
	told  chan struct{} // something was put in force
	gone  map[grant.Holder]bool
	ended map[string]int64 // item -> the number of the change that it ended with
}

func open(t *testing.T, d storetest.Database) *world {
	t.Helper()
	w := &world{t: t, told: make(chan struct{}, 64), gone: map[grant.Holder]bool{}, ended: map[string]int64{}}
	w.clock.Store(time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC).UnixMilli())
	o := d.Options(t, grant.Schema())
	o.Now = w.now
	w.db = storetest.Start(t, o)
	w.grants = w.open(w.db)
	return w
}

func sqlite(t *testing.T) *world {
	t.Helper()
	return open(t, storetest.Database{Name: "sqlite", At: t.TempDir() + "/store.db"})
}

// open answers the grants of a store as a process has them.
func (w *world) open(db *store.DB) *grant.Grants {
	return grant.New(grant.Options{
		Store: db, Log: slog.New(slog.NewTextHandler(w.t.Output(), nil)), Now: w.now,
		Ended: func(_ *store.Reader, item string, after store.Position) (bool, error) {
			w.mu.Lock()
			defer w.mu.Unlock()
			return w.ended[item] > after.Seq, nil
		},
		There: func(_ context.Context, h grant.Holder) bool {
			w.mu.Lock()
			defer w.mu.Unlock()
			return !w.gone[h]
		},
		Put: func(all []grant.Grant) {
			ids := []string{}
			for _, one := range all {
				ids = append(ids, one.ID)
			}
			w.mu.Lock()
			defer w.mu.Unlock()
			w.puts = append(w.puts, ids)
			w.told <- struct{}{}
		},
	})
}

func (w *world) now() time.Time       { return time.UnixMilli(w.clock.Load()).UTC() }
func (w *world) pass(d time.Duration) { w.clock.Add(d.Milliseconds()) }

// inForce answers the ids of what was put in force last.
func (w *world) inForce() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.puts) == 0 {
		return nil
	}
	return w.puts[len(w.puts)-1]
}

// until waits until something was put in force that the test waits for.
func (w *world) until(what string, want func(ids []string) bool) {
	w.t.Helper()
	deadline := time.After(30 * time.Second)
	for !want(w.inForce()) {
		select {
		case <-w.told:
		case <-deadline:
			w.t.Fatalf("%s: in force are %q", what, w.inForce())
		}
	}
}

// run runs a follower for as long as the test.
func (w *world) run(follow func(context.Context)) {
	ctx, cancel := context.WithCancel(w.t.Context())
	var done sync.WaitGroup
	done.Go(func() { follow(ctx) })
	w.t.Cleanup(func() {
		cancel()
		done.Wait()
	})
}

// result is what a write of a test answers.
type result struct {
	capabilities.Receipt
	Request grant.Request
	Grant   grant.Grant
}

var desk = grant.Holder{Kind: capabilities.Seat, ID: "desk"}

func (w *world) ask(q grant.Request) (result, error) {
	w.t.Helper()
	return store.Write(w.t.Context(), w.db, func(tx *store.Tx) (out result, err error) {
		out.Request, err = w.grants.Ask(tx, q)
		return out, err
	})
}

// asked asks what has to be kept.
func (w *world) asked(q grant.Request) grant.Request {
	w.t.Helper()
	out, err := w.ask(q)
	if err != nil {
		w.t.Fatal(err)
	}
	return out.Request
}

func (w *world) decide(id string, d grant.Decision) (result, error) {
	w.t.Helper()
	out, err := store.Write(w.t.Context(), w.db, func(tx *store.Tx) (out result, err error) {
		out.Request, out.Grant, err = w.grants.Decide(tx, id, d)
		return out, err
	})
	if err := w.grants.Reload(w.t.Context()); err != nil {
		w.t.Fatal(err)
	}
	return out, err
}

// given asks for a capability and grants it.
func (w *world) given(q grant.Request) grant.Grant {
	w.t.Helper()
	out, err := w.decide(w.asked(q).ID, grant.Decision{Status: grant.Granted})
	if err != nil {
		w.t.Fatal(err)
	}
	return out.Grant
}

func (w *world) revoke(db *store.DB, id string) (result, error) {
	w.t.Helper()
	return store.Write(w.t.Context(), db, func(tx *store.Tx) (out result, err error) {
		out.Grant, err = w.grants.Revoke(tx, id)
		return out, err
	})
}

// end brings a work item to its end, with a change in the log of a store.
func (w *world) end(db *store.DB, item string) {
	w.t.Helper()
	_, err := store.Write(w.t.Context(), db, func(tx *store.Tx) (result, error) {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.ended[item] = 1 << 40
		return result{}, tx.Change(store.Change{Kind: "work_item", ID: item})
	})
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) state(id string) grant.State {
	w.t.Helper()
	all, err := w.grants.List(w.t.Context(), "", 1000)
	if err != nil {
		w.t.Fatal(err)
	}
	for i := range all {
		if all[i].ID == id {
			return w.grants.State(w.t.Context(), &all[i])
		}
	}
	w.t.Fatalf("there is no grant %s", id)
	return ""
}

func code(err error) capabilities.Code {
	if e, ok := capabilities.AsError(err); ok {
		return e.Code
	}
	return ""
}
