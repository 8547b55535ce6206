package store_test

import (
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/store"
	"github.com/seed-89b9419b/holotype/internal/store/storetest"
)

func keyed(id string) capabilities.Operation { return capabilities.Operation{ID: id} }

func TestDryRunChangesNothing(t *testing.T) {
	storetest.Each(t, func(t *testing.T, d storetest.Database) {
		a := openAdderOn(t, d, nil)
		before := a.dump(t)
		got, refusal := a.call(t.Context(), "add_note", "x", capabilities.Operation{ID: "k", DryRun: true})
		if refusal != nil {
			t.Fatal(refusal)
		}
		want := noted{Receipt: capabilities.Receipt{Outcome: capabilities.Applied, DryRun: true}, ID: "x", Count: 1}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("the answer differs (-want +got):\n%s", d)
		}
		if d := cmp.Diff(before, a.dump(t)); d != "" {
			t.Errorf("it changed something (-before +after):\n%s", d)
		}
		if got, refusal := a.call(t.Context(), "add_note", "x", keyed("k")); refusal != nil || got.Replayed {
			t.Errorf("the call after its dry run answers %+v, %v", got, refusal)
		}
	})
}

func TestRepeatIsAnsweredAndNotRun(t *testing.T) {
	storetest.Each(t, func(t *testing.T, d storetest.Database) {
		a := openAdderOn(t, d, nil)
		first, refusal := a.call(t.Context(), "add_note", "x", keyed("k"))
		if refusal != nil {
			t.Fatal(refusal)
		}
		again, refusal := a.call(t.Context(), "add_note", "x", keyed("k"))
		if refusal != nil {
			t.Fatal(refusal)
		}
		first.Replayed = true
		if d := cmp.Diff(first, again); d != "" {
			t.Errorf("the repeat differs (-want +got):\n%s", d)
		}
		if runs := a.runs.Load(); runs != 1 {
			t.Errorf("the handler ran %d times", runs)
		}
		t.Run("a key that the store made is one, too", func(t *testing.T) {
			first, refusal := a.call(t.Context(), "add_note", "y", capabilities.Operation{})
			if refusal != nil {
				t.Fatal(refusal)
			}
			again, refusal := a.call(t.Context(), "add_note", "y", keyed(first.OpID))
			if refusal != nil || !again.Replayed || again.Position != first.Position {
				t.Errorf("the repeat answers %+v, %v", again, refusal)
			}
		})
	})
}

func TestKeyOfAnotherCallIsRefused(t *testing.T) {
	storetest.Each(t, func(t *testing.T, d storetest.Database) {
		a := openAdderOn(t, d, nil)
		if _, refusal := a.call(t.Context(), "add_note", "x", keyed("k")); refusal != nil {
			t.Fatal(refusal)
		}
		before := a.dump(t)
		for name, call := range map[string][2]string{"other arguments": {"add_note", "y"}, "another capability": {"add_other_note", "x"}} {
			_, refusal := a.call(t.Context(), call[0], call[1], keyed("k"))
			if codeOf(refusal) != capabilities.OpIDInvalid {
				t.Errorf("%s: the refusal is %v", name, refusal)
			}
		}
		if d := cmp.Diff(before, a.dump(t)); d != "" {
			t.Errorf("it changed something (-before +after):\n%s", d)
		}
		if runs := a.runs.Load(); runs != 1 {
			t.Errorf("the handler ran %d times", runs)
		}
		other := &capabilities.Principal{ID: "other", Kind: capabilities.Person, Scopes: []string{"*"}}
		if got, refusal := a.callAs(t.Context(), other, "add_note", "z", keyed("k")); refusal != nil || got.Replayed {
			t.Errorf("another's key is answered %+v, %v", got, refusal)
		}
	})
}

func TestRefusalIsNotKept(t *testing.T) {
	storetest.Each(t, func(t *testing.T, d storetest.Database) {
		a := openAdderOn(t, d, nil)
		refuse := true
		a.inside = func(*store.Tx, string) error {
			if refuse {
				return capabilities.Refuse(capabilities.Invalid, "not now")
			}
			return nil
		}
		if _, refusal := a.call(t.Context(), "add_note", "x", keyed("k")); codeOf(refusal) != capabilities.Invalid {
			t.Fatalf("the refusal is %v", refusal)
		}
		refuse = false
		if got, refusal := a.call(t.Context(), "add_note", "x", keyed("k")); refusal != nil || got.Replayed {
			t.Errorf("the same call after a refusal answers %+v, %v", got, refusal)
		}
	})
}

// TestSameKeyAtOnce: sixteen callers send one call at once. It lands once, and all are
// answered the same.
func TestSameKeyAtOnce(t *testing.T) {
	storetest.Each(t, func(t *testing.T, d storetest.Database) {
		a := openAdderOn(t, d, nil)
		const callers = 16
		answers := make([]noted, callers)
		var wait sync.WaitGroup
		for i := range callers {
			wait.Go(func() {
				got, refusal := a.call(t.Context(), "add_note", "x", keyed("k"))
				if refusal != nil {
					t.Error(refusal)
				}
				answers[i] = got
			})
		}
		wait.Wait()
		replayed := 0
		for _, got := range answers {
			if got.Replayed {
				replayed++
			}
			got.Replayed = answers[0].Replayed
			if d := cmp.Diff(answers[0], got); d != "" {
				t.Errorf("two answers differ:\n%s", d)
			}
		}
		if replayed != callers-1 || count(t, a.db) != 1 {
			t.Errorf("%d of %d answers are repeats, and there are %d notes", replayed, callers, count(t, a.db))
		}
	})
}

// TestLedgerVouchesForItsTime: an operation that is not in the ledger did not happen,
// unless it is older than the ledger.
func TestLedgerVouchesForItsTime(t *testing.T) {
	storetest.Each(t, func(t *testing.T, d storetest.Database) {
		a := openAdderOn(t, d, nil)
		before := store.NewID("op", a.clock.now().Add(-time.Hour))
		if _, refusal := a.call(t.Context(), "add_note", "x", keyed(before)); codeOf(refusal) != capabilities.UnknownOutcome {
			t.Errorf("an operation of before the ledger is answered %v", refusal)
		}
		if a.runs.Load() != 0 {
			t.Error("it ran")
		}
		for id, key := range map[string]string{"y": store.NewID("op", a.clock.now()), "z": "a key of the caller's own", "w": "op_0000"} {
			if _, refusal := a.call(t.Context(), "add_note", id, keyed(key)); refusal != nil {
				t.Errorf("the operation %s is answered %v", key, refusal)
			}
		}
	})
}

// TestSweepForgetsWhatIsOld, and never takes what it forgot for what did not happen,
// whatever the clock does.
func TestSweepForgetsWhatIsOld(t *testing.T) {
	storetest.Each(t, func(t *testing.T, d storetest.Database) {
		const day = 24 * time.Hour
		a := openAdderOn(t, d, nil)
		old, refusal := a.call(t.Context(), "add_note", "old", capabilities.Operation{})
		if refusal != nil {
			t.Fatal(refusal)
		}
		a.clock.add(10 * day)
		young, refusal := a.call(t.Context(), "add_note", "young", capabilities.Operation{})
		if refusal != nil {
			t.Fatal(refusal)
		}
		sweep := func() {
			t.Helper()
			if more, err := a.db.SweepForTest(); err != nil || more {
				t.Fatalf("sweeping answers %v, %v", more, err)
			}
		}
		repeats := func(when, id, key string, want capabilities.Code) {
			t.Helper()
			got, refusal := a.call(t.Context(), "add_note", id, keyed(key))
			if codeOf(refusal) != want || want == "" && !got.Replayed {
				t.Errorf("%s the repeat of %s answers %+v, %v", when, id, got, refusal)
			}
		}
		sweep()
		repeats("while it is kept,", "old", old.OpID, "")
		a.clock.add(25 * day)
		sweep()
		repeats("after 35 days,", "old", old.OpID, capabilities.UnknownOutcome)
		repeats("after 25 days,", "young", young.OpID, "")
		a.clock.add(-34 * day)
		sweep()
		repeats("after the clock jumped back,", "old", old.OpID, capabilities.UnknownOutcome)
		repeats("after the clock jumped back,", "young", young.OpID, "")
	})
}
