package store_test

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/fstest"

	sqlite3 "github.com/mattn/go-sqlite3"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/store"
	"github.com/seed-89b9419b/holotype/internal/store/sqlite"
)

// openFaulty opens a store on an engine with a fault.
func openFaulty(t *testing.T, changes ...func(*store.Options)) (*adder, *faulty) {
	t.Helper()
	e := &faulty{}
	a := openAdder(t, func(o *store.Options) {
		for _, change := range changes {
			change(o)
		}
		own, ok := o.Engine.(*sqlite.Engine)
		if !ok {
			t.Fatalf("the engine is a %T", o.Engine)
		}
		e.Engine = own
		o.Engine = e
	})
	return a, e
}

// openHeld opens a store whose first transaction does not begin before release is
// called, so that what is sent meanwhile stands in one commit. The first write is that
// of a note "first", and held is where its answer comes.
func openHeld(t *testing.T, changes ...func(*store.Options)) (a *adder, held <-chan answered, release func()) {
	t.Helper()
	a, e := openFaulty(t, changes...)
	begins, free := make(chan struct{}), make(chan struct{})
	begin := sync.OnceFunc(func() { close(begins) })
	e.set(func(_ string, run func() error) error {
		begin()
		<-free
		return run()
	})
	held = a.background(t.Context(), "first", capabilities.Operation{})
	<-begins
	release = sync.OnceFunc(func() { close(free) })
	t.Cleanup(release)
	return a, held, release
}

// waits sends a write behind those that wait already.
func (a *adder) waits(t *testing.T, id string) <-chan answered {
	t.Helper()
	before := a.db.QueueForTest()
	sent := a.background(t.Context(), id, capabilities.Operation{})
	eventually(t, "the write waits", func() bool { return a.db.QueueForTest() == before+1 })
	return sent
}

// TestCommitWithoutVerdictIsSettled: the medium fails at the commit of sixteen writes.
// Whether they landed is found out, and every caller is told the truth.
func TestCommitWithoutVerdictIsSettled(t *testing.T) {
	for name, landed := range map[string]bool{"it landed": true, "it did not": false} {
		t.Run(name, func(t *testing.T) {
			a, e := openFaulty(t)
			var faults atomic.Int32
			e.set(func(query string, run func() error) error {
				if query != "COMMIT" || faults.Add(1) > 1 {
					return run()
				}
				if landed {
					if err := run(); err != nil {
						return err
					}
				} else {
					e.drop()
				}
				return errMedium
			})
			var wait sync.WaitGroup
			var applied, refused atomic.Int32
			for i := range 16 {
				wait.Go(func() {
					got, refusal := a.call(t.Context(), "add_note", fmt.Sprint(i), keyed(fmt.Sprint("k", i)))
					switch {
					case refusal == nil && got.Outcome == capabilities.Applied:
						applied.Add(1)
					case codeOf(refusal) == capabilities.Unavailable:
						refused.Add(1)
						got, refusal = a.call(t.Context(), "add_note", fmt.Sprint(i), keyed(fmt.Sprint("k", i)))
						if refusal != nil || got.Replayed {
							t.Errorf("the repeat is answered %+v, %v", got, refusal)
						}
					default:
						t.Errorf("a caller is answered %+v, %v", got, refusal)
					}
				})
			}
			wait.Wait()
			if faults.Load() == 0 || landed != (refused.Load() == 0) {
				t.Errorf("%d are applied, %d refused, after %d commits", applied.Load(), refused.Load(), faults.Load())
			}
			if n := count(t, a.db); n != 16 {
				t.Errorf("there are %d notes", n)
			}
		})
	}
}

// TestUnknownOutcomeNamesItsOperation: the medium fails at the commit and at every look
// at what became of it. The repeat with the same key lands once.
func TestUnknownOutcomeNamesItsOperation(t *testing.T) {
	for name, landed := range map[string]bool{"it landed": true, "it did not": false} {
		t.Run(name, func(t *testing.T) {
			a, e := openFaulty(t)
			var broken atomic.Bool
			e.set(func(query string, run func() error) error {
				switch {
				case query == "COMMIT" && landed:
					broken.Store(true)
					if err := run(); err != nil {
						return err
					}
					return errMedium
				case query == "COMMIT":
					broken.Store(true)
					e.drop()
					return errMedium
				case broken.Load():
					return errMedium
				}
				return run()
			})
			_, refusal := a.call(t.Context(), "add_note", "x", keyed("k"))
			if codeOf(refusal) != capabilities.UnknownOutcome {
				t.Fatalf("it is answered %v", refusal)
			}
			if s := a.db.State(); s.Failure != store.Lost || s.Advice == "" {
				t.Errorf("the store says of itself %+v", s)
			}
			if _, refusal := a.call(t.Context(), "add_note", "y", keyed("l")); codeOf(refusal) != capabilities.Unavailable {
				t.Errorf("a write while the medium fails is answered %v", refusal)
			}
			e.set(nil)
			got, refusal := a.call(t.Context(), "add_note", "x", keyed("k"))
			if refusal != nil || got.Replayed != landed {
				t.Errorf("the repeat is answered %+v, %v", got, refusal)
			}
			if n := count(t, a.db); n != 1 {
				t.Errorf("there are %d notes", n)
			}
			eventually(t, "the store is well", func() bool { return a.db.State().Err == nil })
		})
	}
}

// TestWritesJoinATransactionThatRuns: what comes while a transaction runs stands in its
// commit.
func TestWritesJoinATransactionThatRuns(t *testing.T) {
	a, e := openFaulty(t)
	begins, free := make(chan struct{}), make(chan struct{})
	begin := sync.OnceFunc(func() { close(begins) })
	var commits atomic.Int32
	e.set(func(query string, run func() error) error {
		if query == "COMMIT" {
			commits.Add(1)
			return run()
		}
		begin()
		<-free
		return run()
	})
	first := a.background(t.Context(), "first", capabilities.Operation{})
	<-begins
	second := a.waits(t, "second")
	close(free)
	for _, sent := range []<-chan answered{first, second} {
		if got := <-sent; got.refusal != nil {
			t.Error(got.refusal)
		}
	}
	if n := commits.Load(); n != 1 {
		t.Errorf("two writes are in %d commits, want 1", n)
	}
}

// TestCommitThatOneWriteBreaks: a constraint that is judged at the commit refuses the
// write that broke it, and none of those beside it.
func TestCommitThatOneWriteBreaks(t *testing.T) {
	late := store.Schema{Owner: "late", Files: fstest.MapFS{"001_late.sql": {Data: []byte(`-- +goose Up
CREATE TABLE late_child (id TEXT NOT NULL PRIMARY KEY, parent TEXT NOT NULL REFERENCES notes_note (id) DEFERRABLE INITIALLY DEFERRED) {{strict}};
`)}}}
	a, held, release := openHeld(t, func(o *store.Options) { o.Schemas = append(o.Schemas, late) })
	a.inside = func(tx *store.Tx, id string) (err error) {
		if id == "orphan" {
			_, err = tx.Exec(`INSERT INTO late_child (id, parent) VALUES ('c', 'nobody')`)
		}
		return err
	}
	var all []<-chan answered
	for i := range 6 {
		all = append(all, a.waits(t, fmt.Sprint(i)))
	}
	orphan := a.waits(t, "orphan")
	release()
	if got := <-orphan; codeOf(got.refusal) != capabilities.InternalError {
		t.Errorf("the write that broke it is answered %+v, %v", got.note, got.refusal)
	}
	for _, other := range append(all, held) {
		if got := <-other; got.refusal != nil {
			t.Errorf("another is answered %v", got.refusal)
		}
	}
	if n := count(t, a.db); n != len(all)+1 {
		t.Errorf("there are %d notes, want %d", n, len(all)+1)
	}
	if s := a.db.State(); s.Err != nil {
		t.Errorf("the store is in trouble: %v", s.Err)
	}
}

// TestConnectionThatWasLostMeanwhileIsReplaced: a server that was started again while
// nobody wrote is not seen by who writes next.
func TestConnectionThatWasLostMeanwhileIsReplaced(t *testing.T) {
	a, e := openFaulty(t)
	if _, refusal := a.call(t.Context(), "add_note", "x", keyed("k")); refusal != nil {
		t.Fatal(refusal)
	}
	var begun atomic.Int32
	e.set(func(query string, run func() error) error {
		if query != "COMMIT" && begun.Add(1) == 1 {
			return errMedium
		}
		return run()
	})
	if _, refusal := a.call(t.Context(), "add_note", "y", keyed("l")); refusal != nil {
		t.Error(refusal)
	}
	if begun.Load() != 2 {
		t.Errorf("a transaction was begun %d times, want twice", begun.Load())
	}
}

// TestBeginThatFailsRefusesAndGoesOn: whatever a transaction fails with before it has
// begun, nothing happened, and the next is tried anew.
func TestBeginThatFailsRefusesAndGoesOn(t *testing.T) {
	a, e := openFaulty(t)
	for name, fault := range map[string]error{"the medium": errMedium, "a foreign lock": sqlite3.Error{Code: sqlite3.ErrBusy}} {
		e.set(func(query string, run func() error) error {
			if query != "COMMIT" {
				return fault
			}
			return run()
		})
		if _, refusal := a.call(t.Context(), "add_note", name, keyed(name)); codeOf(refusal) != capabilities.Unavailable {
			t.Errorf("%s: a write is answered %v", name, refusal)
		}
		e.set(nil)
		if got, refusal := a.call(t.Context(), "add_note", name, keyed(name)); refusal != nil || got.Replayed {
			t.Errorf("%s: the same write after it is answered %+v, %v", name, got, refusal)
		}
	}
}
