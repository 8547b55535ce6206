package tracker_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/capabilities/tracker"
	"github.com/seed-89b9419b/holotype/internal/store"
	"github.com/seed-89b9419b/holotype/internal/store/storetest"
)

// world is a pack over a real store, behind a door.
type world struct {
	t    *testing.T
	db   *store.DB
	reg  *capabilities.Registry
	door *capabilities.Door
	as   *capabilities.Principal
}

// open answers a world of its own, in which a test runs beside the others.
func open(t *testing.T, roster tracker.Roster) *world {
	t.Helper()
	t.Parallel()
	db := storetest.Open(t, tracker.Schema())
	t.Cleanup(func() { // whatever a test did, the log says so
		if faults, err := db.Check(context.WithoutCancel(t.Context())); err != nil || len(faults) > 0 {
			t.Errorf("the check finds %q, %v", faults, err)
		}
	})
	reg, err := capabilities.Assemble(tracker.Pack.Bind(tracker.Deps{Store: db, Roster: roster}))
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, db: db, reg: reg, as: capabilities.OwnerPrincipal()}
	w.door = capabilities.NewDoor(capabilities.DoorOptions{
		Viewer: capabilities.NewViews(capabilities.NewLive(reg), capabilities.Scopes{}), Codes: reg.Codes(),
		Log: slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelWarn})), Now: time.Now,
		Undeclared: func(c *capabilities.Capability, code capabilities.Code) {
			t.Errorf("%s answers %s, which it does not declare", c.Name(), code)
		},
	})
	return w
}

// seeded is a world with two projects: WEB with the lead ana, APP with the default
// assignee kim.
func seeded(t *testing.T) *world {
	t.Helper()
	w := open(t, nil)
	w.do("create_project", `{"key":"WEB","title":"Web","lead":"ana"}`)
	w.do("create_project", `{"key":"APP","title":"App","default_assignee":"kim"}`)
	return w
}

func (w *world) call(name, in string) (map[string]any, error) {
	res, err := w.door.Invoke(w.t.Context(), capabilities.Call{
		Name: name, Arguments: json.RawMessage(in), Principal: w.as, Surface: capabilities.InProcess,
	})
	if err != nil {
		return nil, err
	}
	var out map[string]any
	if err := json.Unmarshal(res.Structured, &out); err != nil {
		w.t.Fatalf("reading the answer of %s: %v", name, err)
	}
	if violations, err := w.output(name).Validate(res.Structured); err != nil || len(violations) > 0 {
		w.t.Errorf("the answer of %s does not pass its schema: %v %v", name, violations, err)
	}
	return out, nil
}

// outputs are the schemas of what the capabilities answer, compiled once for all worlds.
var outputs sync.Map

func (w *world) output(name string) *capabilities.Schema {
	c, _ := w.reg.Find(name)
	schema, _ := outputs.LoadOrStore(name, c.Output())
	return schema.(*capabilities.Schema)
}

// do makes a call that has to be answered.
func (w *world) do(name, in string) map[string]any {
	w.t.Helper()
	out, err := w.call(name, in)
	if err != nil {
		w.t.Fatalf("%s %.300s: %v", name, in, err)
	}
	return out
}

// refused makes a call that has to be refused with the code and, where pointer is not
// "", with a violation there; and that nothing is written by.
func (w *world) refused(name, in string, code capabilities.Code, pointer string) *capabilities.Error {
	w.t.Helper()
	before := w.last()
	_, err := w.call(name, in)
	e, ok := capabilities.AsError(err)
	switch {
	case !ok:
		w.t.Fatalf("%s %.300s: answered %v, want a refusal with %s", name, in, err, code)
	case e.Code != code:
		w.t.Fatalf("%s %.300s: refused with %s (%s), want %s", name, in, e.Code, e.Message, code)
	case pointer != "" && (len(e.Violations) == 0 || e.Violations[0].Pointer != pointer):
		w.t.Fatalf("%s %.300s: violations %v, want one at %s", name, in, e.Violations, pointer)
	}
	if after := w.last(); after != before {
		w.t.Fatalf("%s %.300s: refused, and the log went from %d to %d", name, in, before, after)
	}
	return e
}

// last answers the number of the newest change.
func (w *world) last() (seq int64) {
	w.t.Helper()
	err := store.Read(context.WithoutCancel(w.t.Context()), w.db, func(r *store.Reader) error {
		return r.Get(&seq, `SELECT coalesce(max(seq), 0) FROM changes`)
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return seq
}

// at answers what stands at a path of keys and indexes in an answer.
func at(t *testing.T, v any, path ...any) any {
	t.Helper()
	for _, step := range path {
		switch step := step.(type) {
		case string:
			m, ok := v.(map[string]any)
			if !ok {
				t.Fatalf("%v has no %q", v, step)
			}
			v = m[step]
		case int:
			l, ok := v.([]any)
			if !ok || step >= len(l) {
				t.Fatalf("%v has no item %d", v, step)
			}
			v = l[step]
		}
	}
	return v
}

// all answers one field of every item of all pages of a list, limit items a page.
func (w *world) all(name, in, field string) []string {
	w.t.Helper()
	var got []string
	args := map[string]any{}
	if err := json.Unmarshal([]byte(in), &args); err != nil {
		w.t.Fatal(err)
	}
	for range 10_000 {
		raw, err := json.Marshal(args)
		if err != nil {
			w.t.Fatal(err)
		}
		page := w.do(name, string(raw))
		for _, item := range page["items"].([]any) {
			got = append(got, item.(map[string]any)[field].(string))
		}
		if page["next_cursor"] == nil {
			return got
		}
		args["cursor"] = page["next_cursor"]
	}
	w.t.Fatalf("%s does not end", name)
	return nil
}
