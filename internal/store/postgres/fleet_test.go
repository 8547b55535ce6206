package postgres_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/store"
	"github.com/seed-89b9419b/holotype/internal/store/storetest"
)

// rounds answers how often a disturbance is made: a few times, or as often as
// STORE_ROUNDS says.
func rounds(t *testing.T, few int) int {
	t.Helper()
	text := os.Getenv("STORE_ROUNDS")
	if text == "" {
		return few
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

type noteInput struct {
	// The id of the note.
	ID string `json:"id" jsonschema_description:"The id of the note."`
}

// node is a server of the program: a store, and a door to a pack that writes.
type node struct {
	db   *store.DB
	door *capabilities.Door
	// inside runs within every write; nil is nothing.
	inside func(id string)
}

func (n *node) write(ctx context.Context, _ *node, in noteInput) (noted, error) {
	return store.Write(ctx, n.db, func(tx *store.Tx) (noted, error) {
		if n.inside != nil {
			n.inside(in.ID)
		}
		var have int
		if err := tx.Get(&have, `SELECT coalesce(max(version), 0) FROM notes_note`); err != nil {
			return noted{}, err
		}
		// Nobody else may have taken that number meanwhile.
		if _, err := tx.Exec(`INSERT INTO notes_note (id, text, version) VALUES (?, '', ?)`, in.ID, have+1); err != nil {
			return noted{}, err
		}
		if err := tx.Index(store.Doc{Kind: "note", ID: in.ID, Title: in.ID}); err != nil {
			return noted{}, err
		}
		return noted{ID: in.ID, Count: have + 1}, tx.Change(store.Change{Kind: "note", ID: in.ID})
	})
}

// newNode opens a store on the database of a URL.
func newNode(t *testing.T, url string) *node {
	t.Helper()
	n := &node{}
	n.db = storetest.Database{Name: "postgres", At: url}.Open(t, notes())
	p := capabilities.NewPack[*node](capabilities.PackInfo{Name: "notes", Title: "Notes", Summary: "A pack of notes."})
	capabilities.Declare(p, capabilities.Spec{Name: "add_note", Title: "Add", Summary: "Add a note.", Effect: capabilities.Append(capabilities.Shared), Route: "POST /notes", Delivers: "notes"}, n.write)
	reg, err := capabilities.Assemble(p.Bind(n))
	if err != nil {
		t.Fatal(err)
	}
	n.door = capabilities.NewDoor(capabilities.DoorOptions{
		Viewer: capabilities.NewViews(capabilities.NewLive(reg), capabilities.Scopes{}), Codes: reg.Codes(), Log: slog.New(slog.DiscardHandler), Now: time.Now,
		Interceptors: []capabilities.Interceptor{{Name: "ledger", Stage: capabilities.StageLedger, Wrap: func(next capabilities.Handler) capabilities.Handler { return next }}},
	})
	return n
}

// add sends one call with an operation key, which is the id of the note.
func (n *node) add(ctx context.Context, id string) (out noted, err error) {
	args, err := json.Marshal(noteInput{id})
	if err != nil {
		return out, err
	}
	res, err := n.door.Invoke(ctx, capabilities.Call{Name: "add_note", Arguments: args, Principal: capabilities.OwnerPrincipal(), Surface: capabilities.InProcess, Operation: capabilities.Operation{ID: id}})
	if err != nil {
		return out, err
	}
	return out, json.Unmarshal(res.Structured, &out)
}

// fleet is what callers of several nodes were told.
type fleet struct {
	t       *testing.T
	nodes   []*node
	stop    atomic.Bool
	firm    bool // nobody gives up
	callers sync.WaitGroup

	mu       sync.Mutex
	acked    map[string]int // the number that each was answered
	refused  []string       // those that were told that nothing happened, and that gave up
	replayed int
	unknown  int
}

const fleetCallers = 8

// begin lets callers write to the nodes until end.
func begin(t *testing.T, nodes ...*node) *fleet {
	f := &fleet{t: t, nodes: nodes, acked: map[string]int{}}
	for c := range fleetCallers {
		f.callers.Go(func() {
			for i := 0; !f.stop.Load(); i++ {
				f.one(fmt.Sprintf("op-%d-%d", c, i), nodes[(c+i)%len(nodes)], nodes[c%len(nodes)])
			}
		})
	}
	return f
}

// patience bounds how long one operation is repeated.
const patience = 2 * time.Minute

// one sends an operation, and again until it is known what became of it. Who is told
// that nothing happened gives up every other time: then nothing may have happened.
func (f *fleet) one(id string, first, then *node) {
	at := first
	open := false // an earlier try may have happened
	for deadline := time.Now().Add(patience); ; at = then {
		out, err := at.add(context.Background(), id)
		if err == nil {
			f.mu.Lock()
			f.acked[id] = out.Count
			if out.Replayed {
				f.replayed++
			}
			f.mu.Unlock()
			return
		}
		e, ok := capabilities.AsError(err)
		switch {
		case ok && e.Code == capabilities.UnknownOutcome:
			open = true
			f.mu.Lock()
			f.unknown++
			f.mu.Unlock()
		case ok && e.Code == capabilities.Unavailable && !open && !f.firm && rand.N(2) == 0:
			f.mu.Lock()
			f.refused = append(f.refused, id)
			f.mu.Unlock()
			return
		case ok && e.Code == capabilities.Unavailable:
		default:
			f.t.Errorf("%s is answered %v", id, err)
			return
		}
		if time.Now().After(deadline) {
			f.t.Errorf("%s came to no end: %v", id, err)
			return
		}
	}
}

// acks answers how many writes were answered.
func (f *fleet) acks() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.acked)
}

// grow waits until some more writes were answered.
func (f *fleet) grow(by int) {
	f.t.Helper()
	every := time.NewTicker(5 * time.Millisecond)
	defer every.Stop()
	for from, deadline := f.acks(), time.Now().Add(patience); f.acks() < from+by; <-every.C {
		if time.Now().After(deadline) {
			f.t.Fatalf("no write is answered any more: %d were", f.acks())
		}
	}
}

// end stops the callers and compares what they were told with what is stored.
func (f *fleet) end(url string) {
	f.t.Helper()
	f.stop.Store(true)
	f.callers.Wait()
	stored := map[string]string{}
	for _, row := range storetest.Exec(f.t, url, `SELECT id, version FROM notes_note`) {
		stored[row[0]] = row[1]
	}
	for id, n := range f.acked {
		if stored[id] != strconv.Itoa(n) {
			f.t.Errorf("%s was answered as number %d, and is stored as %q", id, n, stored[id])
		}
	}
	for _, id := range f.refused {
		if _, ok := stored[id]; ok {
			f.t.Errorf("%s was told that nothing was written, and it is stored", id)
		}
	}
	if len(stored) != len(f.acked) {
		f.t.Errorf("%d are stored, and %d were answered", len(stored), len(f.acked))
	}
	n := strconv.Itoa(len(stored))
	got := storetest.Exec(f.t, url, `SELECT (SELECT count(DISTINCT version) FROM notes_note), (SELECT count(*) FROM changes), (SELECT max(seq) FROM changes), (SELECT seq FROM log_head),
		(SELECT count(*) FROM operations), (SELECT count(*) FROM search_docs)`)
	if want := strings.Repeat(n+" ", 5) + n; strings.Join(got[0], " ") != want {
		f.t.Errorf("numbers, changes, last change, head, operations and documents are %s, want %s", got[0], want)
	}
	f.t.Logf("%d writes, %d refused, %d unknown, %d replayed", len(f.acked), len(f.refused), f.unknown, f.replayed)
}
