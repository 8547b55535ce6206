package store_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/store"
	"github.com/seed-89b9419b/holotype/internal/store/storetest"
)

// eventually waits until something is so.
func eventually(t *testing.T, what string, so func() bool) {
	t.Helper()
	deadline := time.NewTimer(time.Minute)
	defer deadline.Stop()
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for !so() {
		select {
		case <-deadline.C:
			t.Fatalf("it did not happen in a minute that %s", what)
		case <-tick.C:
		}
	}
}

type answered struct {
	note    noted
	refusal *capabilities.Error
}

// background sends a call and answers where its answer comes.
func (a *adder) background(ctx context.Context, id string, op capabilities.Operation) <-chan answered {
	ch := make(chan answered, 1)
	go func() {
		got, refusal := a.call(ctx, "add_note", id, op)
		ch <- answered{got, refusal}
	}()
	return ch
}

// blocked opens a store in which the write of the note "slow" is running and waits for
// the answered function.
func blocked(t *testing.T, change func(*store.Options)) (a *adder, slow <-chan answered, cancel context.CancelFunc, release func()) {
	t.Helper()
	a = openAdder(t, func(o *store.Options) {
		o.WriteTime, o.Grace = time.Minute, time.Minute
		if change != nil {
			change(o)
		}
	})
	started, free := make(chan struct{}), make(chan struct{})
	a.inside = func(_ *store.Tx, id string) error {
		if id == "slow" {
			close(started)
			<-free
		}
		return nil
	}
	ctx, cancel := context.WithCancel(t.Context())
	slow = a.background(ctx, "slow", capabilities.Operation{})
	<-started
	release = sync.OnceFunc(func() { close(free) })
	t.Cleanup(release)
	return a, slow, cancel, release
}

func TestCancelledWhileItWaitsNeverHappens(t *testing.T) {
	a, slow, _, release := blocked(t, nil)
	for name, c := range map[string]struct {
		of   func(context.Context) (context.Context, context.CancelFunc)
		late bool
	}{
		"cancelled": {of: context.WithCancel},
		"late": {of: func(ctx context.Context) (context.Context, context.CancelFunc) {
			return context.WithTimeout(ctx, time.Millisecond)
		}, late: true},
	} {
		ctx, cancel := c.of(t.Context())
		waiting := a.background(ctx, "waiting", keyed("k-"+name))
		if !c.late {
			eventually(t, "the write waits", func() bool { return a.db.QueueForTest() > 0 })
			cancel()
		}
		if got := <-waiting; codeOf(got.refusal) != capabilities.Unavailable {
			t.Errorf("%s: the refusal is %v, and nothing was written", name, got.refusal)
		}
		cancel()
	}
	release()
	if got := <-slow; got.refusal != nil {
		t.Error(got.refusal)
	}
	if n := count(t, a.db); n != 1 {
		t.Errorf("there are %d notes, want the slow one alone", n)
	}
}

func TestCancelledWhileItRunsIsAnswered(t *testing.T) {
	a, slow, cancel, release := blocked(t, nil)
	cancel()
	release()
	if got := <-slow; got.refusal != nil || got.note.Outcome != capabilities.Applied {
		t.Errorf("a write that was running is answered %+v, %v", got.note, got.refusal)
	}
	if n := count(t, a.db); n != 1 {
		t.Errorf("there are %d notes", n)
	}
}

func TestNobodyWaitsForEver(t *testing.T) {
	a, slow, cancel, release := blocked(t, func(o *store.Options) { o.Grace = time.Millisecond })
	cancel()
	got := <-slow
	if codeOf(got.refusal) != capabilities.UnknownOutcome {
		t.Fatalf("a write that does not end is answered %v", got.refusal)
	}
	_, rest, _ := strings.Cut(got.refusal.Message, `op_id "`)
	key, _, found := strings.Cut(rest, `"`)
	if !found || !strings.HasPrefix(key, "op_") {
		t.Fatalf("the refusal names no operation: %s", got.refusal.Message)
	}
	release()
	again, refusal := a.call(t.Context(), "add_note", "slow", keyed(key))
	if refusal != nil || !again.Replayed {
		t.Errorf("the repeat is answered %+v, %v", again, refusal)
	}
	if n := count(t, a.db); n != 1 {
		t.Errorf("there are %d notes", n)
	}
}

// TestRunawayCostsItselfAlone: a statement without an end is ended, and what stands in
// the same commit is done all the same.
func TestRunawayCostsItselfAlone(t *testing.T) {
	const endless = `WITH RECURSIVE n (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) `
	for name, run := range map[string]func(*store.Tx) error{
		"reading": func(tx *store.Tx) error {
			var n int
			return tx.Get(&n, endless+`SELECT count(*) FROM n`)
		},
		"writing": func(tx *store.Tx) error { // SQLite ends the transaction of all with it
			_, err := tx.Exec(`WITH RECURSIVE n (x) AS (SELECT 1 UNION ALL SELECT x FROM n) INSERT INTO notes_note (id, text, version) SELECT 'n', 'x', max(x) FROM n`)
			return err
		},
		"passing over it": func(tx *store.Tx) error {
			var n int
			_ = tx.Get(&n, endless+`SELECT count(*) FROM n`) // as a handler should not
			return nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			a, held, release := openHeld(t, func(o *store.Options) { o.WriteTime = time.Second })
			a.inside = func(tx *store.Tx, id string) error {
				if id == "runaway" {
					return run(tx)
				}
				return nil
			}
			var all []<-chan answered
			for i := range 5 {
				all = append(all, a.waits(t, fmt.Sprint("before", i)))
			}
			runaway := a.waits(t, "runaway")
			for i := range 5 {
				all = append(all, a.waits(t, fmt.Sprint("after", i)))
			}
			release()
			if got := <-runaway; codeOf(got.refusal) != capabilities.Timeout {
				t.Errorf("the runaway is answered %+v, %v", got.note, got.refusal)
			}
			for _, other := range append(all, held) {
				if got := <-other; got.refusal != nil {
					t.Errorf("another is answered %v", got.refusal)
				}
			}
			if n := count(t, a.db); n != len(all)+1 {
				t.Errorf("there are %d notes, want %d", n, len(all)+1)
			}
		})
	}
}

// TestPanicOfAFirstTryIsForgotten: what is run again because another broke the commit is
// judged by its second run.
func TestPanicOfAFirstTryIsForgotten(t *testing.T) {
	a, held, release := openHeld(t, func(o *store.Options) { o.WriteTime = time.Second })
	tries := 0
	a.inside = func(tx *store.Tx, id string) error {
		switch id {
		case "flaky":
			if tries++; tries == 1 {
				panic("once")
			}
		case "runaway":
			_, err := tx.Exec(`WITH RECURSIVE n (x) AS (SELECT 1 UNION ALL SELECT x FROM n) INSERT INTO notes_note (id, text, version) SELECT 'n', 'x', max(x) FROM n`)
			return err
		}
		return nil
	}
	flaky, runaway := a.waits(t, "flaky"), a.waits(t, "runaway")
	release()
	if got := <-runaway; codeOf(got.refusal) != capabilities.Timeout {
		t.Errorf("the runaway is answered %v", got.refusal)
	}
	for _, other := range []<-chan answered{held, flaky} {
		if got := <-other; got.refusal != nil {
			t.Errorf("another is answered %v", got.refusal)
		}
	}
	if tries != 2 {
		t.Errorf("the flaky one ran %d times", tries)
	}
}

func TestRunawayReadIsEnded(t *testing.T) {
	storetest.Each(t, func(t *testing.T, d storetest.Database) {
		a := openAdderOn(t, d, nil)
		for range 20 { // more than there are connections
			ctx, cancel := context.WithTimeout(t.Context(), 5*time.Millisecond)
			err := store.Read(ctx, a.db, func(r *store.Reader) error {
				var n int
				return r.Get(&n, `WITH RECURSIVE n (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n`)
			})
			cancel()
			if err == nil {
				t.Fatal("it has an end")
			}
		}
		if n := count(t, a.db); n != 0 {
			t.Errorf("there are %d notes", n)
		}
		if s := a.db.State(); s.Err != nil {
			t.Errorf("the store is in trouble: %v", s.Err)
		}
	})
}

func TestCloseRefusesWhatWaits(t *testing.T) {
	a, slow, _, release := blocked(t, nil)
	waiting := a.background(t.Context(), "waiting", capabilities.Operation{})
	eventually(t, "the write waits", func() bool { return a.db.QueueForTest() > 0 })
	closed := make(chan error, 1)
	go func() { closed <- a.db.Close() }()
	if got := <-waiting; codeOf(got.refusal) != capabilities.Unavailable {
		t.Errorf("what waits is answered %v", got.refusal)
	}
	release()
	if got := <-slow; got.refusal != nil {
		t.Errorf("what runs is answered %v", got.refusal)
	}
	if err := <-closed; err != nil {
		t.Error(err)
	}
	if _, refusal := a.call(t.Context(), "add_note", "late", capabilities.Operation{}); codeOf(refusal) != capabilities.Unavailable {
		t.Errorf("a write after the close is answered %v", refusal)
	}
	err := store.Read(t.Context(), a.db, func(*store.Reader) error { return nil })
	if e, ok := capabilities.AsError(err); !ok || e.Code != capabilities.Unavailable {
		t.Errorf("a read after the close is answered %v", err)
	}
}

// TestReaderEndsWithItsFunction: a handler that keeps one gets an error, and no
// connection that somebody else uses.
func TestReaderEndsWithItsFunction(t *testing.T) {
	storetest.Each(t, func(t *testing.T, d storetest.Database) {
		a := openAdderOn(t, d, nil)
		var kept *store.Reader
		if err := store.Read(t.Context(), a.db, func(r *store.Reader) error { kept = r; return nil }); err != nil {
			t.Fatal(err)
		}
		var n int
		if err := kept.Get(&n, `SELECT count(*) FROM notes_note`); err == nil {
			t.Error("it answers")
		}
		var tx *store.Tx
		a.inside = func(t *store.Tx, _ string) error { tx = t; return nil }
		if _, refusal := a.call(t.Context(), "add_note", "x", capabilities.Operation{}); refusal != nil {
			t.Fatal(refusal)
		}
		if _, err := tx.Exec(`INSERT INTO notes_note (id, text, version) VALUES ('y', '', 1)`); err == nil {
			t.Error("it writes")
		}
		if err := tx.Index(store.Doc{Kind: "note", ID: "y"}); err == nil {
			t.Error("it indexes")
		}
	})
}
