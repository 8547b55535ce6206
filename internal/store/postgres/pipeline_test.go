package postgres_test

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/store"
	"github.com/seed-89b9419b/holotype/internal/store/storetest"
)

// TestFewRoundTrips: the write lock is held while a write waits for the server, so that
// this is what a store over a network can do at most.
func TestFewRoundTrips(t *testing.T) {
	p, through := newProxy(t, storetest.Postgres(t))
	n := newNode(t, through)
	for i := range 3 { // what is prepared once
		if _, err := n.add(t.Context(), fmt.Sprint("first-", i)); err != nil {
			t.Fatal(err)
		}
	}
	before := p.trips()
	if _, err := n.add(t.Context(), "one"); err != nil {
		t.Fatal(err)
	}
	// BEGIN; the head; a savepoint and the ledger; what the handler asks; what it inserts;
	// the document, the change, the ledger and the release; the head and COMMIT.
	if got := p.trips() - before; got > 7 {
		t.Errorf("a write of one row waits %d times for the server", got)
	}
	// Many share the first and the last.
	hold, held := make(chan struct{}), make(chan struct{})
	var once sync.Once
	n.inside = func(string) {
		once.Do(func() {
			close(held)
			<-hold
		})
	}
	var all sync.WaitGroup
	const writes = 20
	for i := range writes + 1 {
		all.Go(func() {
			if _, err := n.add(t.Context(), fmt.Sprint("many-", i)); err != nil {
				t.Error(err)
			}
		})
		if i == 0 {
			<-held
			before = p.trips()
		}
	}
	close(hold)
	all.Wait()
	if got := p.trips() - before; got > 5*(writes+1)+10 {
		t.Errorf("%d writes wait %d times for the server", writes+1, got)
	}
}

// TestDeferredFailureIsOfItsOwnWrite: what a statement that was sent later answers undoes
// the write that it is of, and no other.
func TestDeferredFailureIsOfItsOwnWrite(t *testing.T) {
	d := storetest.Database{Name: "postgres", At: storetest.Postgres(t)}
	db := d.Open(t, notes())
	storetest.Exec(t, d.At, `ALTER TABLE search_docs ADD CHECK (title <> 'bad')`)
	hold, held := make(chan struct{}), make(chan struct{})
	var once sync.Once
	write := func(id, title string, more bool) error {
		_, err := store.Write(t.Context(), db, func(tx *store.Tx) (noted, error) {
			once.Do(func() {
				close(held)
				<-hold
			})
			if _, err := tx.Exec(`INSERT INTO notes_note (id, text, version) VALUES (?, '', 1)`, id); err != nil {
				return noted{}, err
			}
			if err := tx.Index(store.Doc{Kind: "note", ID: id, Title: title}); err != nil {
				return noted{}, err
			}
			if more { // the next statement has the error
				var n int
				if err := tx.Get(&n, `SELECT count(*) FROM notes_note`); err != nil {
					return noted{}, err
				}
			}
			return noted{}, tx.Change(store.Change{Kind: "note", ID: id})
		})
		return err
	}
	errs := make([]error, 12)
	var all sync.WaitGroup
	for i := range errs {
		all.Go(func() {
			title := "good"
			if i%3 == 1 {
				title = "bad"
			}
			errs[i] = write(fmt.Sprint(i), title, i%2 == 0)
		})
		if i == 0 {
			<-held
		}
	}
	close(hold)
	all.Wait()
	for i, err := range errs {
		if bad := i%3 == 1; bad != (err != nil) {
			t.Errorf("write %d is answered %v", i, err)
		} else if bad {
			if _, refusal := capabilities.AsError(err); refusal || !strings.Contains(err.Error(), "23514") {
				t.Errorf("write %d is answered %v, which is not the server's own", i, err)
			}
		}
	}
	got := storetest.Exec(t, d.At, `SELECT (SELECT count(*) FROM notes_note), (SELECT count(*) FROM search_docs), (SELECT count(*) FROM changes), (SELECT seq FROM log_head)`)
	if want := "8 8 8 8"; strings.Join(got[0], " ") != want {
		t.Errorf("notes, documents, changes and head are %s, want %s", got[0], want)
	}
	if state := db.State(); state.Err != nil {
		t.Error(state.Err)
	}
}

// TestDryRunAndRefusalLeaveNothing: also of what waited to be sent.
func TestDryRunAndRefusalLeaveNothing(t *testing.T) {
	d := storetest.Database{Name: "postgres", At: storetest.Postgres(t)}
	db := d.Open(t, notes())
	no := capabilities.Refuse(capabilities.Conflict, "no")
	for range 3 {
		_, err := store.Write(t.Context(), db, func(tx *store.Tx) (noted, error) {
			if err := tx.Index(store.Doc{Kind: "note", ID: "x", Title: "x"}); err != nil {
				return noted{}, err
			}
			return noted{}, no
		})
		if e, ok := capabilities.AsError(err); !ok || e.Code != capabilities.Conflict {
			t.Fatal(err)
		}
	}
	got := storetest.Exec(t, d.At, `SELECT (SELECT count(*) FROM search_docs), (SELECT count(*) FROM changes), (SELECT seq FROM log_head)`)
	if want := "0 0 0"; strings.Join(got[0], " ") != want {
		t.Errorf("documents, changes and head are %s, want %s", got[0], want)
	}
}

// BenchmarkWrites is on a server that waits for its disk.
func BenchmarkWrites(b *testing.B) {
	for _, callers := range []int{1, 16, 64} {
		b.Run(fmt.Sprint(callers, " callers"), func(b *testing.B) {
			server := storetest.NewServer(b, "fsync=on")
			db := storetest.Database{Name: "postgres", At: server.Database(b)}.Open(b, notes())
			var next atomic.Int64
			b.SetParallelism(callers) // of every processor
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					id := fmt.Sprint(next.Add(1))
					_, err := store.Write(b.Context(), db, func(tx *store.Tx) (noted, error) {
						if _, err := tx.Exec(`INSERT INTO notes_note (id, text, version) VALUES (?, '', 1)`, id); err != nil {
							return noted{}, err
						}
						if err := tx.Index(store.Doc{Kind: "note", ID: id, Title: id}); err != nil {
							return noted{}, err
						}
						return noted{}, tx.Change(store.Change{Kind: "note", ID: id})
					})
					if err != nil {
						b.Error(err)
						return
					}
				}
			})
		})
	}
}
