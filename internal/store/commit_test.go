package store_test

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/fstest"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/store"
	"github.com/seed-89b9419b/holotype/internal/store/sqlite"
)

// openFaulty opens a store on an engine with a fault.
func openFaulty(t *testing.T) (*adder, *faulty) {
	t.Helper()
	e := &faulty{}
	a := openAdder(t, func(o *store.Options) {
		own, ok := o.Engine.(*sqlite.Engine)
		if !ok {
			t.Fatalf("the engine is a %T", o.Engine)
		}
		e.Engine = own
		o.Engine = e
	})
	return a, e
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
					got, refusal := a.call(context.Background(), "add_note", fmt.Sprint(i), keyed(fmt.Sprint("k", i)))
					switch {
					case refusal == nil && got.Outcome == capabilities.Applied:
						applied.Add(1)
					case codeOf(refusal) == capabilities.Unavailable:
						refused.Add(1)
						got, refusal = a.call(context.Background(), "add_note", fmt.Sprint(i), keyed(fmt.Sprint("k", i)))
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

// TestCommitThatOneWriteBreaks: a constraint that is judged at the commit refuses the
// write that broke it, and none of those beside it.
func TestCommitThatOneWriteBreaks(t *testing.T) {
	late := store.Schema{Owner: "late", Files: fstest.MapFS{"001_late.sql": {Data: []byte(`-- +goose Up
CREATE TABLE late_child (id TEXT NOT NULL PRIMARY KEY, parent TEXT NOT NULL REFERENCES notes_note (id) DEFERRABLE INITIALLY DEFERRED) {{strict}};
`)}}}
	a := openAdder(t, func(o *store.Options) { o.Schemas = append(o.Schemas, late) })
	first := make(chan struct{})
	a.inside = func(tx *store.Tx, id string) (err error) {
		switch id {
		case "first":
			<-first
		case "orphan":
			_, err = tx.Exec(`INSERT INTO late_child (id, parent) VALUES ('c', 'nobody')`)
		}
		return err
	}
	held := a.background(t.Context(), "first", capabilities.Operation{})
	var all []<-chan answered
	for i := range 6 {
		all = append(all, a.background(t.Context(), fmt.Sprint(i), capabilities.Operation{}))
	}
	orphan := a.background(t.Context(), "orphan", capabilities.Operation{})
	close(first)
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
