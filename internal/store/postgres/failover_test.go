package postgres_test

import (
	"context"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/store/storetest"
)

// TestFailover: the server crashes in the middle of writes, and the standby that every
// commit waited for takes its place. What was answered is there, and every operation
// ends once.
func TestFailover(t *testing.T) {
	primary := storetest.NewServer(t, "fsync=on")
	for round := range rounds(t, 1) {
		at := primary.Database(t)
		standby := primary.Standby(t)
		t.Run(strconv.Itoa(round), func(t *testing.T) { // its nodes end with it
			url := storetest.At(t, at, primary, standby)
			f := begin(t, newNode(t, url), newNode(t, url))
			f.grow(30)
			primary.Crash(t)
			standby.Promote(t)
			f.grow(30)
			f.end(url)
		})
		primary.Discard(t)
		primary = standby
	}
}

// TestCommitThatNoStandbyHas: a server that is told to wait no longer for its standby
// says of the commit that it is done, and it is lost when the standby takes over. Nobody
// is told that it is done, also who asks again.
func TestCommitThatNoStandbyHas(t *testing.T) {
	primary := storetest.NewServer(t, "fsync=on")
	at := primary.Database(t)
	standby := primary.Standby(t)
	url := storetest.At(t, at, primary, standby)
	n := newNode(t, url)
	if _, err := n.add(t.Context(), "first"); err != nil {
		t.Fatal(err)
	}
	standby.Crash(t)
	// The wait is cancelled, and it ends with its connection.
	stops := []string{"pg_cancel_backend", "pg_terminate_backend"}
	for _, id := range stops {
		for _, what := range []string{"call", "repeat"} {
			end := impatient(t, at, id)
			out, err := n.add(context.WithoutCancel(t.Context()), id)
			end()
			if e, ok := capabilities.AsError(err); !ok || e.Code != capabilities.UnknownOutcome {
				t.Errorf("the %s is answered %+v, %v", what, out, err)
			}
		}
		if rows := storetest.Exec(t, at, `SELECT 1 FROM notes_note WHERE id = '`+id+`'`); len(rows) != 1 {
			t.Error("the server does not have it, so that there is nothing to lose")
		}
	}
	primary.Crash(t)
	standby.Restart(t)
	standby.Promote(t)
	f := &fleet{t: t, firm: true, acked: map[string]int{"first": 1}}
	for _, id := range stops {
		f.one(id, n, n)
	}
	if f.replayed != 0 {
		t.Error("the standby had it")
	}
	f.end(url)
}

// impatient stops every wait for a standby, until it is ended.
func impatient(t *testing.T, at, stop string) (end func()) {
	ended := make(chan struct{})
	var all sync.WaitGroup
	all.Go(func() {
		every := time.NewTicker(20 * time.Millisecond)
		defer every.Stop()
		for {
			select {
			case <-ended:
				return
			case <-every.C:
				storetest.Exec(t, at, `SELECT `+stop+`(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'`)
			}
		}
	})
	return func() {
		close(ended)
		all.Wait()
	}
}
