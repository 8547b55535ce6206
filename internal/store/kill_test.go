package store_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/store"
	"github.com/seed-89b9419b/holotype/internal/store/sqlite"
	"github.com/seed-89b9419b/holotype/internal/store/storetest"
)

// event is what a writing process says: that a call with a key begins, or its answer.
type event struct {
	Key   string `json:"key"`
	Ended bool   `json:"ended,omitempty"`
	Note  noted  `json:"note"`
}

// open binds an adder to a door of its own.
func (a *adder) open() error {
	p := capabilities.NewPack[*adder](capabilities.PackInfo{Name: "notes", Title: "Notes", Summary: "A pack of notes."})
	capabilities.Declare(p, capabilities.Spec{
		Name: "add_note", Title: "Add", Summary: "Add a note.",
		Effect: capabilities.Append(capabilities.Shared), Route: "POST /notes", Delivers: "notes",
	}, a.write)
	reg, err := capabilities.Assemble(p.Bind(a))
	if err != nil {
		return err
	}
	a.door = capabilities.NewDoor(capabilities.DoorOptions{
		Viewer: capabilities.NewViews(capabilities.NewLive(reg), capabilities.Scopes{}), Codes: reg.Codes(), Log: slog.New(slog.DiscardHandler), Now: time.Now,
		Interceptors: []capabilities.Interceptor{{Name: "ledger", Stage: capabilities.StageLedger, Wrap: func(next capabilities.Handler) capabilities.Handler { return next }}},
	})
	return nil
}

const killCallers = 16

// writeForEver writes with sixteen callers and says what it does, until it is killed.
func writeForEver(place string) error {
	prefix, path := place[:12], place[12:]
	e, err := sqlite.New(path)
	if err != nil {
		return err
	}
	ctx := context.Background()
	db, err := store.Open(ctx, store.Options{Engine: e, Log: slog.New(slog.NewTextHandler(os.Stderr, nil)), Now: time.Now, Schemas: []store.Schema{notes()}})
	if err != nil {
		return err
	}
	a := &adder{db: db}
	if err := a.open(); err != nil {
		return err
	}
	var mu sync.Mutex
	out := json.NewEncoder(os.Stdout)
	say := func(e event) {
		mu.Lock()
		defer mu.Unlock()
		if err := out.Encode(e); err != nil {
			os.Exit(2)
		}
	}
	for c := range killCallers {
		go func() {
			for i := 0; ; i++ {
				key := prefix + strconv.Itoa(c) + "-" + strconv.Itoa(i)
				say(event{Key: key})
				note, refusal := a.call(ctx, "add_note", key, keyed(key))
				if refusal != nil {
					fmt.Fprintln(os.Stderr, refusal)
					os.Exit(3)
				}
				say(event{Key: key, Ended: true, Note: note})
			}
		}()
	}
	select {}
}

// TestKilledWhileItWrites: a process is killed at any moment. What it was answered is
// there, what it was not is there once or not at all, and the same call sent again is
// answered as the first was, or lands once.
func TestKilledWhileItWrites(t *testing.T) {
	rounds := 20
	if n, err := strconv.Atoi(os.Getenv("HOLOTYPE_KILL_ROUNDS")); err == nil {
		rounds = n
	}
	path := filepath.Join(t.TempDir(), "store.db")
	if err := storetest.OpenAt(t, path, notes()).Close(); err != nil {
		t.Fatal(err)
	}
	total, landed := 0, 0
	for round := range rounds {
		answered, begun := killOne(t, fmt.Sprintf("%011d-", round), path)
		db := storetest.OpenAt(t, path, notes())
		a := &adder{db: db}
		if err := a.open(); err != nil {
			t.Fatal(err)
		}
		for key, first := range answered {
			again, refusal := a.call(t.Context(), "add_note", key, keyed(key))
			first.Replayed = true
			if refusal != nil || again != first {
				t.Fatalf("round %d: the call %s was answered %+v, and its repeat %+v, %v", round, key, first, again, refusal)
			}
		}
		for key := range begun {
			again, refusal := a.call(t.Context(), "add_note", key, keyed(key))
			if refusal != nil {
				t.Fatalf("round %d: the repeat of the call %s is answered %v", round, key, refusal)
			}
			if again.Replayed {
				landed++
			}
		}
		total += len(answered) + len(begun)
		if n := count(t, db); n != total {
			t.Fatalf("round %d: there are %d notes of %d calls", round, n, total)
		}
		if faults, err := db.Check(t.Context()); err != nil || len(faults) > 0 {
			t.Fatalf("round %d: the check finds %q, %v", round, faults, err)
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if total < rounds {
		t.Errorf("%d calls in %d rounds are too few to say anything", total, rounds)
	}
	t.Logf("%d calls, of which %d landed and were not answered", total, landed)
}

// killOne lets a process write and kills it after some answers. It answers the calls
// that were answered, and those that were begun and were not.
func killOne(t *testing.T, prefix, path string) (answered map[string]noted, begun map[string]bool) {
	t.Helper()
	cmd, lines, _ := child(t, "write "+prefix+path)
	answered, begun = map[string]noted{}, map[string]bool{}
	after := 1 + rand.IntN(150) //nolint:gosec // it has to differ, and no more
	for lines.Scan() {
		var e event
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			break // the last line may be cut
		}
		if !e.Ended {
			begun[e.Key] = true
			continue
		}
		delete(begun, e.Key)
		answered[e.Key] = e.Note
		if len(answered) == after {
			if err := cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
		}
	}
	_ = cmd.Wait() // it was killed
	if len(answered) < after {
		t.Fatalf("the process ended by itself after %d answers", len(answered))
	}
	return answered, begun
}
