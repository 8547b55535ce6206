package audit_test

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/audit"
	"github.com/seed-89b9419b/holotype/internal/store/storetest"
)

type none struct{}

type in struct {
	// What to do.
	Do string `json:"do" jsonschema_description:"What to do."`
}

type out struct {
	Text string `json:"text" jsonschema_description:"Text."`
}

// audited answers a door whose calls are noted in the database.
func audited(t *testing.T, d storetest.Database, o audit.Options) (*capabilities.Door, *audit.Log) {
	t.Helper()
	door, l := opened(t, d, o)
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
	return door, l
}

// opened is audited for a test that closes it.
func opened(t *testing.T, d storetest.Database, o audit.Options) (*capabilities.Door, *audit.Log) {
	t.Helper()
	o.Engine = d.Engine(t)
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	l, err := audit.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	pack := capabilities.NewPack[none](capabilities.PackInfo{Name: "acts", Title: "Acts", Summary: "Acts."})
	capabilities.Declare(pack, capabilities.Spec{
		Name: "act", Title: "Act", Summary: "Act.", Effect: capabilities.Set(capabilities.Local), Route: "POST /act", Rehearses: true,
		Refuses: capabilities.Codes{capabilities.Conflict},
	}, func(_ context.Context, _ none, i in) (out, error) {
		switch i.Do {
		case "refuse":
			return out{}, capabilities.Refuse(capabilities.Conflict, "no")
		case "wrong":
			return out{}, capabilities.Refuse(capabilities.Invalid, "no")
		case "too often":
			return out{}, capabilities.Refuse(capabilities.RateLimited, "no")
		case "fail":
			return out{}, errors.New("broken")
		case "panic":
			panic("boom")
		}
		return out{"secret answer"}, nil
	})
	reg, err := capabilities.Assemble(pack.Bind(none{}))
	if err != nil {
		t.Fatal(err)
	}
	return capabilities.NewDoor(capabilities.DoorOptions{
		Viewer: capabilities.NewViews(capabilities.NewLive(reg), capabilities.Scopes{}), Codes: reg.Codes(), Log: slog.New(slog.DiscardHandler),
		Now: o.Now, Interceptors: []capabilities.Interceptor{l.Interceptor()},
	}), l
}

func call(door *capabilities.Door, p *capabilities.Principal, do string, op capabilities.Operation) {
	args, _ := json.Marshal(in{do})
	_, _ = door.Invoke(context.Background(), capabilities.Call{Name: "act", Arguments: args, Principal: p, Surface: capabilities.HTTP, Operation: op, RequestID: "r-" + do})
}

func TestEveryCallIsNotedAsItEnded(t *testing.T) {
	storetest.Each(t, func(t *testing.T, d storetest.Database) {
		door, l := audited(t, d, audit.Options{})
		owner := capabilities.OwnerPrincipal()
		nobody := &capabilities.Principal{ID: "ann", Kind: capabilities.Person, Seat: "desk"}
		call(door, owner, "well", capabilities.Operation{DryRun: true})
		for _, do := range []string{"refuse", "fail", "panic"} {
			call(door, owner, do, capabilities.Operation{})
		}
		call(door, nobody, "hidden", capabilities.Operation{})
		_, _ = door.Invoke(t.Context(), capabilities.Call{Name: "act", Arguments: []byte(`{"did":"secret question"}`), Principal: owner, RequestID: "r-wrong"})
		rows, err := l.List(t.Context(), audit.Query{Limit: 100, Oldest: true})
		if err != nil {
			t.Fatal(err)
		}
		row := func(id int64, do, outcome string) audit.Row {
			return audit.Row{ID: id, RequestID: "r-" + do, Capability: "act", Source: "builtin", Principal: "owner", PrincipalKind: "owner", Surface: "http", Outcome: outcome, Times: 1, ArgumentBytes: int64(len(`{"do":""}`) + len(do))}
		}
		well, wrong, hidden := row(1, "well", audit.OK), row(6, "wrong", "invalid"), row(5, "hidden", "forbidden")
		well.DryRun, well.ResultBytes = true, int64(len(`{"text":"secret answer"}`))
		wrong.Surface, wrong.ArgumentBytes = "", int64(len(`{"did":"secret question"}`))
		hidden.Principal, hidden.PrincipalKind, hidden.Seat = "ann", "person", "desk"
		want := []audit.Row{well, row(2, "refuse", "conflict"), row(3, "fail", "internal_error"), row(4, "panic", "internal_error"), hidden, wrong}
		if diff := cmp.Diff(want, rows, cmpopts.IgnoreFields(audit.Row{}, "At", "Duration")); diff != "" {
			t.Errorf("the rows differ (-want +got):\n%s", diff)
		}
		for _, r := range rows {
			if text, _ := json.Marshal(r); strings.Contains(string(text), "secret") {
				t.Errorf("a row holds what was sent or answered: %s", text)
			}
		}
	})
}

func TestRowsOutliveTheProcessAndAge(t *testing.T) {
	storetest.Each(t, func(t *testing.T, d storetest.Database) {
		t.Run("written", func(t *testing.T) {
			door, _ := audited(t, d, audit.Options{})
			var wait sync.WaitGroup
			for range 16 {
				wait.Go(func() {
					for range 50 {
						call(door, capabilities.OwnerPrincipal(), "well", capabilities.Operation{})
					}
				})
			}
			wait.Wait()
		})
		t.Run("read by the next process", func(t *testing.T) {
			_, l := audited(t, d, audit.Options{})
			rows, err := l.List(t.Context(), audit.Query{Limit: 10_000})
			if err != nil || len(rows) != 800 {
				t.Errorf("%d rows of 800 calls (%v)", len(rows), err)
			}
		})
		t.Run("old rows go", func(t *testing.T) {
			later := func() time.Time { return time.Now().Add(100 * 24 * time.Hour) }
			_, l := audited(t, d, audit.Options{Now: later})
			audit.Sweep(l)
			rows, err := l.List(t.Context(), audit.Query{Limit: 10_000})
			if err != nil || len(rows) != 0 {
				t.Errorf("%d rows after 100 days (%v)", len(rows), err)
			}
			if n, err := audit.Kinds(t.Context(), l); err != nil || n != 0 {
				t.Errorf("%d kinds without a row (%v)", n, err)
			}
		})
	})
}

func TestAwaitEndsWithTheNextCall(t *testing.T) {
	storetest.Each(t, func(t *testing.T, d storetest.Database) {
		door, l := audited(t, d, audit.Options{})
		call(door, capabilities.OwnerPrincipal(), "well", capabilities.Operation{})
		done := make(chan []audit.Row)
		go func() {
			rows, err := l.Await(t.Context(), audit.Query{After: 1, Limit: 10}, time.Minute)
			if err != nil {
				t.Error(err)
			}
			done <- rows
		}()
		call(door, capabilities.OwnerPrincipal(), "refuse", capabilities.Operation{})
		if rows := <-done; len(rows) != 1 || rows[0].Outcome != "conflict" {
			t.Errorf("waited for %+v", rows)
		}
		if rows, err := l.Await(t.Context(), audit.Query{After: 2, Limit: 10}, time.Nanosecond); err != nil || len(rows) != 0 {
			t.Errorf("without patience: %v, %v", rows, err)
		}
	})
}

// TestLostConnectionCostsNoRow: a server that ended the connections while nobody used
// them has the rows of the next batch all the same.
func TestLostConnectionCostsNoRow(t *testing.T) {
	d := storetest.Database{Name: "postgres", At: storetest.Postgres(t)}
	door, l := audited(t, d, audit.Options{})
	for want := 1; want <= 2; want++ {
		call(door, capabilities.OwnerPrincipal(), "well", capabilities.Operation{})
		if rows, err := l.List(t.Context(), audit.Query{Limit: 10}); err != nil || len(rows) != want {
			t.Fatalf("%d rows of %d calls (%v)", len(rows), want, err)
		}
		storetest.Exec(t, d.At, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`)
	}
}

// TestSweepGoesOnBehindAWrongClock: rows of a time that is yet to come keep no old ones.
func TestSweepGoesOnBehindAWrongClock(t *testing.T) {
	var day atomic.Int64
	door, l := audited(t, storetest.Database{Name: "sqlite", At: filepath.Join(t.TempDir(), "store.db")}, audit.Options{
		Now: func() time.Time { return time.UnixMilli(0).Add(time.Duration(day.Load()) * 24 * time.Hour) },
	})
	for _, c := range []struct {
		day   int64
		calls int
	}{{5000, audit.SweepRows + 100}, {1, 2*audit.SweepRows + 50}, {200, 7}} {
		day.Store(c.day)
		for range c.calls {
			call(door, capabilities.OwnerPrincipal(), "well", capabilities.Operation{})
		}
	}
	for range 2 { // the second one begins where nothing is old any more
		if rows, err := l.List(t.Context(), audit.Query{Limit: 10_000}); err != nil || len(rows) == 0 {
			t.Fatalf("%d rows (%v)", len(rows), err)
		}
		audit.Sweep(l)
	}
	rows, err := l.List(t.Context(), audit.Query{Limit: 10_000})
	if err != nil || len(rows) != audit.SweepRows+100+7 {
		t.Errorf("%d rows stand (%v)", len(rows), err)
	}
}

// TestRowsAreSeenInTheirOrder: of two servers that write at once, the one whose row has
// the larger number comes later. Whoever follows the audit goes on behind the last row.
func TestRowsAreSeenInTheirOrder(t *testing.T) {
	d := storetest.Database{Name: "postgres", At: storetest.Postgres(t)}
	door, l := audited(t, d, audit.Options{})
	call(door, capabilities.OwnerPrincipal(), "well", capabilities.Operation{})
	first, err := l.List(t.Context(), audit.Query{Limit: 10})
	if err != nil || len(first) != 1 {
		t.Fatalf("%v, %v", first, err)
	}
	other, err := d.Engine(t).Aside(t.Context(), "audit")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = other.Close() }()
	tx, err := other.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tx.Rollback() }() // it is committed below
	for _, statement := range []string{
		"UPDATE audit_head SET batches = batches + 1 WHERE id = 1",
		"INSERT INTO audit_calls (at_ms, request_id, op_key, duration_us, argument_bytes, result_bytes, kind) SELECT at_ms, 'other', '', 0, 0, 0, kind FROM audit_calls",
	} {
		if _, err := tx.ExecContext(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	call(door, capabilities.OwnerPrincipal(), "well", capabilities.Operation{})
	for held := 0; held == 0; {
		var seen int
		if err := other.QueryRowContext(t.Context(), "SELECT count(*) FROM audit_calls").Scan(&seen); err != nil || seen != 1 {
			t.Fatalf("%d rows are seen before the first of them (%v)", seen, err)
		}
		if err := other.QueryRowContext(t.Context(), "SELECT count(*) FROM pg_locks WHERE NOT granted").Scan(&held); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Millisecond)
	}
	if err := tx.Commit(); err != nil {
		t.Fatal(err)
	}
	rows, err := l.List(t.Context(), audit.Query{After: first[0].ID, Limit: 10, Oldest: true})
	if err != nil || len(rows) != 2 || rows[0].RequestID != "other" {
		t.Errorf("%+v, %v", rows, err)
	}
}
