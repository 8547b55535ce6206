package audit_test

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/audit"
	"github.com/seed-89b9419b/holotype/internal/store/sqlite"
)

type none struct{}

type in struct {
	// What to do.
	Do string `json:"do" jsonschema_description:"What to do."`
}

type out struct {
	Text string `json:"text" jsonschema_description:"Text."`
}

// audited answers a door whose calls are noted in the file at path.
func audited(t *testing.T, path string, o audit.Options) (*capabilities.Door, *audit.Log) {
	t.Helper()
	e, err := sqlite.New(path)
	if err != nil {
		t.Fatal(err)
	}
	o.Engine, o.Log = e, slog.New(slog.DiscardHandler)
	if o.Now == nil {
		o.Now = time.Now
	}
	l, err := audit.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
	pack := capabilities.NewPack[none](capabilities.PackInfo{Name: "acts", Title: "Acts", Summary: "Acts."})
	capabilities.Declare(pack, capabilities.Spec{
		Name: "act", Title: "Act", Summary: "Act.", Effect: capabilities.Set(capabilities.Local), Route: "POST /act", Rehearses: true,
		Refuses: capabilities.Codes{capabilities.Conflict},
	}, func(_ context.Context, _ none, i in) (out, error) {
		switch i.Do {
		case "refuse":
			return out{}, capabilities.Refuse(capabilities.Conflict, "no")
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
	path := filepath.Join(t.TempDir(), "store.db")
	door, l := audited(t, path, audit.Options{})
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
		return audit.Row{ID: id, RequestID: "r-" + do, Capability: "act", Source: "builtin", Principal: "owner", PrincipalKind: "owner", Surface: "http", Outcome: outcome, ArgumentBytes: int64(len(`{"do":""}`) + len(do))}
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
}

func TestRowsOutliveTheProcessAndAge(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store.db")
	t.Run("written", func(t *testing.T) {
		door, _ := audited(t, path, audit.Options{})
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
		_, l := audited(t, path, audit.Options{})
		rows, err := l.List(t.Context(), audit.Query{Limit: 1000})
		if err != nil || len(rows) != 800 {
			t.Errorf("%d rows of 800 calls (%v)", len(rows), err)
		}
	})
	t.Run("old rows go", func(t *testing.T) {
		later := func() time.Time { return time.Now().Add(100 * 24 * time.Hour) }
		_, l := audited(t, path, audit.Options{Now: later})
		audit.Sweep(l)
		rows, err := l.List(t.Context(), audit.Query{Limit: 1000})
		if err != nil || len(rows) != 0 {
			t.Errorf("%d rows after 100 days (%v)", len(rows), err)
		}
	})
}

func TestAwaitEndsWithTheNextCall(t *testing.T) {
	door, l := audited(t, filepath.Join(t.TempDir(), "store.db"), audit.Options{})
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
}
