package store_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-89b9419b/holotype/internal/store"
	"github.com/seed-89b9419b/holotype/internal/store/storetest"
)

func changes(t *testing.T, db *store.DB, q store.ChangesQuery) (all []store.Logged, err error) {
	t.Helper()
	err = store.Read(t.Context(), db, func(r *store.Reader) (err error) {
		all, err = r.Changes(q)
		return err
	})
	return all, err
}

func seqs(all []store.Logged) []int64 {
	numbers := []int64{}
	for _, l := range all {
		numbers = append(numbers, l.Position.Seq)
	}
	return numbers
}

// logFour writes changes 1 to 4: of a in s, of b in s, of a in s again, of a in t.
func logFour(t *testing.T, db *store.DB) {
	t.Helper()
	for i, c := range []store.Change{{ID: "a", Scope: "s"}, {ID: "b", Scope: "s"}, {ID: "a", Scope: "s"}, {ID: "a", Scope: "t"}} {
		c.Kind, c.Version, c.Body = "note", int64(i+1), map[string]int{"n": i + 1}
		if _, err := store.Write(t.Context(), db, func(tx *store.Tx) (noted, error) { return noted{}, tx.Change(c) }); err != nil {
			t.Fatal(err)
		}
	}
}

func TestChangesAreAnsweredInOrder(t *testing.T) {
	storetest.Each(t, func(t *testing.T, d storetest.Database) {
		db := d.Open(t, notes())
		logFour(t, db)
		at := func(seq int64) store.Position {
			return store.Position{Incarnation: db.Incarnation(), Stream: "main", Seq: seq}
		}
		for _, c := range []struct {
			name string
			q    store.ChangesQuery
			want []int64
		}{
			{"everything", store.ChangesQuery{Limit: 9}, []int64{1, 2, 3, 4}},
			{"behind a position", store.ChangesQuery{After: at(2), Limit: 9}, []int64{3, 4}},
			{"the first two", store.ChangesQuery{Limit: 2}, []int64{1, 2}},
			{"the newest first", store.ChangesQuery{Newest: true, Limit: 2}, []int64{4, 3}},
			{"older than a position", store.ChangesQuery{Newest: true, After: at(3), Limit: 9}, []int64{2, 1}},
			{"of an object", store.ChangesQuery{Kind: "note", ID: "a", Limit: 9}, []int64{1, 3, 4}},
			{"of an object in a scope, newest first", store.ChangesQuery{Kind: "note", ID: "a", Scope: "s", Newest: true, Limit: 9}, []int64{3, 1}},
			{"of a scope behind a position", store.ChangesQuery{Scope: "s", After: at(1), Limit: 9}, []int64{2, 3}},
			{"of nothing", store.ChangesQuery{Scope: "none", Limit: 9}, []int64{}},
			{"behind the last", store.ChangesQuery{After: at(4), Limit: 9}, []int64{}},
		} {
			t.Run(c.name, func(t *testing.T) {
				all, err := changes(t, db, c.q)
				if err != nil {
					t.Fatal(err)
				}
				if got := seqs(all); !slices.Equal(got, c.want) {
					t.Errorf("the changes are %v, want %v", got, c.want)
				}
			})
		}
		all, err := changes(t, db, store.ChangesQuery{After: at(3), Limit: 1})
		if err != nil {
			t.Fatal(err)
		}
		got := all[0]
		if got.OpID == "" || time.Since(got.At) > time.Hour {
			t.Errorf("the change is of the operation %q at %s", got.OpID, got.At)
		}
		got.OpID, got.At = "", time.Time{}
		want := store.Logged{
			Position: at(4), Kind: "note", ID: "a", Scope: "t", Version: 4, Author: store.Author{ID: "system", Kind: "operator"},
			Capability: "-", Body: []byte(`{"n":4}`),
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("the change differs (-want +got):\n%s", d)
		}
	})
}

func TestChangesRefuseWhatIsNoQuestion(t *testing.T) {
	storetest.Each(t, func(t *testing.T, d storetest.Database) {
		db := d.Open(t, notes())
		logFour(t, db)
		here := db.Incarnation()
		for _, c := range []struct {
			name    string
			q       store.ChangesQuery
			foreign bool
		}{
			{"no limit", store.ChangesQuery{}, false},
			{"too many", store.ChangesQuery{Limit: store.MostChanges + 1}, false},
			{"an id without a kind", store.ChangesQuery{ID: "a", Limit: 1}, false},
			{"another incarnation", store.ChangesQuery{Limit: 1, After: store.Position{Incarnation: "x", Stream: "main", Seq: 1}}, true},
			{"another stream", store.ChangesQuery{Limit: 1, After: store.Position{Incarnation: here, Stream: "x", Seq: 1}}, true},
			{"the future", store.ChangesQuery{Limit: 1, After: store.Position{Incarnation: here, Stream: "main", Seq: 5}}, true},
		} {
			if _, err := changes(t, db, c.q); err == nil || errors.Is(err, store.ErrForeignPosition) != c.foreign {
				t.Errorf("%s: the error is %v", c.name, err)
			}
		}
	})
}

// TestTailMissesNothing: what is written before and while somebody follows the log is
// seen once, in order, whatever the number of writers.
func TestTailMissesNothing(t *testing.T) {
	storetest.Each(t, func(t *testing.T, d storetest.Database) {
		db := d.Open(t, notes())
		const callers, each = 4, 100
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		for c := range callers {
			go func() {
				for i := range each {
					if _, err := add(ctx, db, fmt.Sprintf("%d-%d", c, i)); err != nil {
						t.Error(err)
						cancel()
						return
					}
				}
			}()
		}
		next := int64(1)
		for l, err := range db.Tail(ctx, store.Position{}) {
			if err != nil {
				t.Fatal(err)
			}
			if l.Position.Seq != next {
				t.Fatalf("change %d follows %d", l.Position.Seq, next-1)
			}
			if next++; next > callers*each {
				break
			}
		}
		if next <= callers*each {
			t.Errorf("the log ended before change %d", next)
		}
	})
}

func TestTailEnds(t *testing.T) {
	storetest.Each(t, func(t *testing.T, d storetest.Database) {
		db := d.Open(t, notes())
		t.Run("with its context, without an error", func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			logFour(t, db)
			for l, err := range db.Tail(ctx, store.Position{}) {
				if err != nil {
					t.Fatal(err)
				}
				if l.Position.Seq == 4 {
					cancel()
				}
			}
			cancel()
		})
		t.Run("at once for a position of elsewhere", func(t *testing.T) {
			for _, err := range db.Tail(t.Context(), store.Position{Incarnation: "x", Stream: "main"}) {
				if !errors.Is(err, store.ErrForeignPosition) {
					t.Errorf("the error is %v", err)
				}
			}
		})
		t.Run("with the store", func(t *testing.T) {
			done := make(chan error, 1)
			go func() {
				for _, err := range db.Tail(t.Context(), db.Head()) {
					done <- err
				}
				close(done)
			}()
			if err := db.Close(); err != nil {
				t.Error(err)
			}
			if err := <-done; err == nil {
				t.Error("the log of a closed store goes on")
			}
		})
	})
}

func TestWaitForAPosition(t *testing.T) {
	storetest.Each(t, func(t *testing.T, d storetest.Database) {
		db := d.Open(t, notes())
		p := db.Head()
		if p.Seq != 0 || p.Incarnation == "" {
			t.Errorf("the head of an empty log is %s", p)
		}
		p.Seq = 4
		waited := make(chan error, 1)
		go func() { waited <- db.WaitFor(t.Context(), p) }()
		logFour(t, db)
		if err := <-waited; err != nil {
			t.Error(err)
		}
		if got := db.Head(); got != p {
			t.Errorf("the head is %s, want %s", got, p)
		}
		over, cancel := context.WithCancel(t.Context())
		cancel()
		p.Seq = 5
		if err := db.WaitFor(over, p); !errors.Is(err, context.Canceled) {
			t.Errorf("waiting for what never comes answers %v", err)
		}
		p.Incarnation = "x"
		if err := db.WaitFor(t.Context(), p); !errors.Is(err, store.ErrForeignPosition) {
			t.Errorf("waiting for another incarnation answers %v", err)
		}
	})
}
