package powercut_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/store"
	"github.com/seed-89b9419b/holotype/internal/store/sqlite"
	"github.com/seed-89b9419b/holotype/internal/store/storetest/powercut"
)

const fileName = "store.db"

func notes() store.Schema {
	return store.Schema{Owner: "notes", Files: fstest.MapFS{"001_notes.sql": {Data: []byte(`-- +goose Up
CREATE TABLE notes_note (id TEXT NOT NULL PRIMARY KEY, text TEXT NOT NULL) {{strict}};
`)}}}
}

type noteInput struct {
	// The id of the note.
	ID string `json:"id" jsonschema_description:"The id of the note."`
}

type noted struct {
	capabilities.Receipt
	// The id of the note.
	ID string `json:"id" jsonschema_description:"The id of the note."`
}

// text makes a note longer than a page, so that a few hundred fill the log of SQLite.
var text = strings.Repeat("a note ", 2500)

// life is a store between two cuts.
type life struct {
	db   *store.DB
	door *capabilities.Door
}

func (l *life) write(ctx context.Context, _ *life, in noteInput) (noted, error) {
	return store.Write(ctx, l.db, func(tx *store.Tx) (noted, error) {
		if _, err := tx.Exec(`INSERT INTO notes_note (id, text) VALUES (?, ?)`, in.ID, text); err != nil {
			return noted{}, err
		}
		if err := tx.Index(store.Doc{Kind: "note", ID: in.ID, Title: in.ID}); err != nil {
			return noted{}, err
		}
		return noted{ID: in.ID}, tx.Change(store.Change{Kind: "note", ID: in.ID})
	})
}

// openLife opens the store in a folder; change makes another engine of the usual one.
func openLife(ctx context.Context, folder string, change func(*sqlite.Engine) store.Engine) (*life, error) {
	own, err := sqlite.New(filepath.Join(folder, fileName))
	if err != nil {
		return nil, err
	}
	var e store.Engine = own
	if change != nil {
		e = change(own)
	}
	l := &life{}
	l.db, err = store.Open(ctx, store.Options{Engine: e, Log: slog.New(slog.DiscardHandler), Now: time.Now, Schemas: []store.Schema{notes()}})
	if err != nil {
		return nil, err
	}
	p := capabilities.NewPack[*life](capabilities.PackInfo{Name: "notes", Title: "Notes", Summary: "A pack of notes."})
	capabilities.Declare(p, capabilities.Spec{Name: "add_note", Title: "Add", Summary: "Add a note.", Effect: capabilities.Append(capabilities.Shared), Route: "POST /notes", Delivers: "notes"}, l.write)
	reg, err := capabilities.Assemble(p.Bind(l))
	if err != nil {
		return nil, err
	}
	l.door = capabilities.NewDoor(capabilities.DoorOptions{
		Viewer: capabilities.NewViews(capabilities.NewLive(reg), capabilities.Scopes{}), Codes: reg.Codes(), Log: slog.New(slog.DiscardHandler), Now: time.Now,
		Interceptors: []capabilities.Interceptor{{Name: "ledger", Stage: capabilities.StageLedger, Wrap: func(next capabilities.Handler) capabilities.Handler { return next }}},
	})
	return l, nil
}

// add sends a call whose operation key is the id of its note.
func (l *life) add(ctx context.Context, id string) (out noted, err error) {
	args, err := json.Marshal(noteInput{id})
	if err != nil {
		return out, err
	}
	res, err := l.door.Invoke(ctx, capabilities.Call{Name: "add_note", Arguments: args, Principal: capabilities.OwnerPrincipal(), Surface: capabilities.InProcess, Operation: capabilities.Operation{ID: id}})
	if err != nil {
		return out, err
	}
	return out, json.Unmarshal(res.Structured, &out)
}

// answer is what a call was answered, and a moment that was not before that.
type answer struct {
	noted
	at int
}

// history is what callers know.
type history struct {
	mu       sync.Mutex
	kept     []string // in earlier lives
	begun    map[string]bool
	answered map[string]answer
}

func newHistory() *history {
	return &history{begun: map[string]bool{}, answered: map[string]answer{}}
}

// live writes to the store in the folder, after what calls before have left open, and
// answers the recording of that.
func (h *history) live(t *testing.T, folder, prefix string, calls int, change func(*sqlite.Engine) store.Engine) *powercut.Recording {
	t.Helper()
	r, err := powercut.Begin(folder)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := r.End(); err != nil {
			t.Error(err)
		}
	}()
	l, err := openLife(t.Context(), folder, change)
	if err != nil {
		t.Fatal(err)
	}
	for id := range h.begun {
		h.one(t, r, l, id)
	}
	const callers = 8
	var wait sync.WaitGroup
	for c := range callers {
		wait.Go(func() {
			for i := range calls / callers {
				h.one(t, r, l, fmt.Sprintf("%s-%d-%d", prefix, c, i))
			}
		})
	}
	wait.Wait()
	if err := l.db.Close(); err != nil {
		t.Error(err)
	}
	return r
}

func (h *history) one(t *testing.T, r *powercut.Recording, l *life, id string) {
	out, err := l.add(t.Context(), id)
	at := r.Now()
	h.mu.Lock()
	defer h.mu.Unlock()
	if err != nil {
		t.Errorf("the call %s is answered %v", id, err)
		return
	}
	out.Replayed = true // as its repeat is answered
	h.answered[id] = answer{out, at}
	delete(h.begun, id)
}

// lost answers how much of what was answered before a moment is not in the store that
// a cut at that moment left in the folder, and fails where it is in any state between.
// What was called later may be there.
func (h *history) lost(t *testing.T, folder string, at int) (lost int) {
	t.Helper()
	l, err := openLife(t.Context(), folder, nil)
	if err != nil {
		t.Fatalf("after a cut at %d: %v", at, err)
	}
	defer func() {
		if err := l.db.Close(); err != nil {
			t.Error(err)
		}
	}()
	if faults, err := l.db.Check(t.Context()); err != nil || len(faults) > 0 {
		t.Fatalf("after a cut at %d the check finds %q, %v", at, faults, err)
	}
	var mu sync.Mutex
	var callers errgroup.Group
	callers.SetLimit(32) // one commit for many
	for id, first := range h.answered {
		callers.Go(func() error {
			again, err := l.add(t.Context(), id)
			if err != nil {
				return fmt.Errorf("the repeat of %s is answered %w", id, err)
			}
			if again.Replayed && again != first.noted {
				return fmt.Errorf("the call %s was answered %+v, and its repeat %+v", id, first.noted, again)
			}
			if !again.Replayed && first.at <= at {
				mu.Lock()
				defer mu.Unlock()
				lost++
			}
			return nil
		})
	}
	if err := callers.Wait(); err != nil {
		t.Fatalf("after a cut at %d %v", at, err)
	}
	var ids []string
	if err := store.Read(t.Context(), l.db, func(r *store.Reader) error { return r.Select(&ids, `SELECT id FROM notes_note`) }); err != nil {
		t.Fatal(err)
	}
	there := map[string]bool{}
	for _, id := range ids {
		there[id] = true
	}
	for _, id := range h.kept {
		if !there[id] {
			lost++
		}
	}
	if known := len(h.answered) + len(h.kept); len(ids) > known+len(h.begun) || len(ids)+lost < known {
		t.Errorf("after a cut at %d there are %d notes of %d calls", at, len(ids), known)
	}
	return lost
}
