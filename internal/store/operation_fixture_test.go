package store_test

import (
	"context"
	"encoding/json"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/store"
	"github.com/seed-89b9419b/holotype/internal/store/storetest"
)

type noteInput struct {
	// The id of the note.
	ID string `json:"id" jsonschema_description:"The id of the note."`
}

// adder is a pack whose one kind of write can be looked into.
type adder struct {
	db     *store.DB
	path   string
	door   *capabilities.Door
	clock  *clock
	runs   atomic.Int64
	inside func(tx *store.Tx, id string) error // runs within every write; nil is nothing
}

// clock is a time that tests set.
type clock struct{ ms atomic.Int64 }

func (c *clock) now() time.Time      { return time.UnixMilli(c.ms.Load()) }
func (c *clock) add(d time.Duration) { c.ms.Add(d.Milliseconds()) }

func (a *adder) write(ctx context.Context, _ *adder, in noteInput) (noted, error) {
	return store.Write(ctx, a.db, func(tx *store.Tx) (noted, error) {
		a.runs.Add(1)
		if a.inside != nil {
			if err := a.inside(tx, in.ID); err != nil {
				return noted{}, err
			}
		}
		var n int
		if err := tx.Get(&n, `SELECT count(*) FROM notes_note`); err != nil {
			return noted{}, err
		}
		if _, err := tx.Exec(`INSERT INTO notes_note (id, text, version) VALUES (?, '', 1)`, in.ID); err != nil {
			return noted{}, err
		}
		return noted{ID: in.ID, Count: n + 1}, tx.Change(store.Change{Kind: "note", ID: in.ID})
	})
}

// openAdder opens a store on SQLite that change may configure, with a clock at a fixed
// time.
func openAdder(t *testing.T, change func(*store.Options)) *adder {
	t.Helper()
	return openAdderOn(t, storetest.Database{Name: "sqlite", At: filepath.Join(t.TempDir(), "store.db")}, change)
}

// openAdderOn opens it on a database of any engine.
func openAdderOn(t *testing.T, d storetest.Database, change func(*store.Options)) *adder {
	t.Helper()
	a := &adder{path: d.At, clock: &clock{}}
	a.clock.ms.Store(time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC).UnixMilli())
	o := d.Options(t, notes())
	o.Now = a.clock.now
	if change != nil {
		change(&o)
	}
	a.db = storetest.Start(t, o)
	p := capabilities.NewPack[*adder](capabilities.PackInfo{Name: "notes", Title: "Notes", Summary: "A pack of notes."})
	spec := capabilities.Spec{Name: "add_note", Title: "Add", Summary: "Add a note.", Effect: capabilities.Append(capabilities.Shared), Route: "POST /notes", Delivers: "notes"}
	capabilities.Declare(p, spec, a.write)
	spec.Name, spec.Route = "add_other_note", "POST /other-notes"
	capabilities.Declare(p, spec, a.write)
	a.door, _ = doorOf(t, p.Bind(a))
	return a
}

// dump answers everything that the store keeps.
func (a *adder) dump(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	if err := a.db.Export(t.Context(), &b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// call sends one call and answers its result, or the code of its refusal.
func (a *adder) call(ctx context.Context, name, id string, op capabilities.Operation) (noted, *capabilities.Error) {
	return a.callAs(ctx, capabilities.OwnerPrincipal(), name, id, op)
}

func (a *adder) callAs(ctx context.Context, p *capabilities.Principal, name, id string, op capabilities.Operation) (out noted, refusal *capabilities.Error) {
	args, err := json.Marshal(noteInput{id})
	if err == nil {
		var res *capabilities.Result
		res, err = a.door.Invoke(ctx, capabilities.Call{Name: name, Arguments: args, Principal: p, Surface: capabilities.InProcess, Operation: op})
		if err == nil {
			err = json.Unmarshal(res.Structured, &out)
		}
	}
	if err == nil {
		return out, nil
	}
	if e, ok := capabilities.AsError(err); ok {
		return out, e
	}
	return out, capabilities.Refuse(capabilities.InternalError, "the call failed in the test: %v", err)
}

func codeOf(e *capabilities.Error) capabilities.Code {
	if e == nil {
		return ""
	}
	return e.Code
}
