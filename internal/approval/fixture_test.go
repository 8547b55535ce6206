package approval_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/approval"
	"github.com/seed-89b9419b/holotype/internal/config"
	"github.com/seed-89b9419b/holotype/internal/gate"
	"github.com/seed-89b9419b/holotype/internal/ledger"
	"github.com/seed-89b9419b/holotype/internal/store"
	"github.com/seed-89b9419b/holotype/internal/store/storetest"
)

// world is a door whose calls of one pack need approvals, and a clock that tests set.
type world struct {
	t       *testing.T
	db      *store.DB
	desk    *approval.Desk
	gate    *gate.Gate
	door    *capabilities.Door
	options capabilities.DoorOptions
	clock   *atomic.Int64 // milliseconds
	runs    atomic.Int64  // of the tool
	fails   atomic.Pointer[capabilities.Error]
	ended   atomic.Pointer[capabilities.Error] // of the caller's credential
}

type dropInput struct {
	ID  string `json:"id" jsonschema:"minLength=1" jsonschema_description:"Which."`
	Why string `json:"why,omitempty" jsonschema_description:"Why."`
}

type dropped struct {
	Runs int64 `json:"runs" jsonschema_description:"How often it ran."`
}

// everything needs an approval, one hour long.
const everything = "people: [{id: ana}]\nseats: [{id: desk}]\ngate:\n  approve:\n  - {effects: [destructive], valid_seconds: 3600}\n"

func rulesOf(t *testing.T, yaml string) *gate.Rules {
	t.Helper()
	path := filepath.Join(t.TempDir(), "config.yaml")
	if err := os.WriteFile(path, []byte(yaml), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := config.Load(config.Options{Path: path})
	if err != nil {
		t.Fatal(err)
	}
	return gate.Compile(c)
}

func open(t *testing.T, d storetest.Database, edit ...func(*approval.Options)) *world {
	t.Helper()
	clock := newClock()
	o := d.Options(t, approval.Schema())
	o.Now = func() time.Time { return time.UnixMilli(clock.Load()).UTC() }
	return openOn(t, storetest.Start(t, o), clock, edit...)
}

// newClock answers a clock that stands at noon.
func newClock() *atomic.Int64 {
	clock := &atomic.Int64{}
	clock.Store(time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC).UnixMilli())
	return clock
}

// openOn is a process on a store.
func openOn(t *testing.T, db *store.DB, clock *atomic.Int64, edit ...func(*approval.Options)) *world {
	t.Helper()
	w := &world{t: t, db: db, clock: clock, gate: gate.New(capabilities.Scopes{}, rulesOf(t, everything))}
	log := slog.New(slog.NewTextHandler(t.Output(), nil))
	o := approval.Options{Store: db, Rules: w.gate, Log: log, Program: "holotype", Now: func() time.Time { return time.UnixMilli(clock.Load()) }}
	o.Still = func(context.Context, *capabilities.Principal) error {
		if e := w.ended.Load(); e != nil {
			return e
		}
		return nil
	}
	for _, f := range edit {
		f(&o)
	}
	w.desk = approval.New(o)
	shop := capabilities.NewPack[*world](capabilities.PackInfo{Name: "shop", Title: "Shop", Summary: "Sell things."})
	capabilities.Declare(shop, capabilities.Spec{
		Name: "drop_ware", Title: "Drop ware", Summary: "Drop one.", Effect: capabilities.Destroy(capabilities.World), Route: "POST /drop",
		Aliases: []capabilities.Alias{{Name: "remove_ware", Since: "1", Until: "3"}}, Refuses: capabilities.Codes{capabilities.Conflict},
	}, func(ctx context.Context, w *world, _ dropInput) (dropped, error) {
		if err := ctx.Err(); err != nil {
			return dropped{}, err
		}
		if e := w.fails.Load(); e != nil {
			return dropped{}, e
		}
		return dropped{w.runs.Add(1)}, nil
	})
	reg, err := capabilities.Assemble(shop.Bind(w))
	if err != nil {
		t.Fatal(err)
	}
	w.options = capabilities.DoorOptions{
		Viewer: capabilities.NewViews(capabilities.NewLive(reg), w.gate), Codes: reg.Codes(), Log: log, Now: time.Now,
		Interceptors: []capabilities.Interceptor{w.desk.Interceptor(), ledger.Interceptor(db, log)},
		Undeclared: func(c *capabilities.Capability, code capabilities.Code) {
			t.Errorf("%s answers %s, which it does not declare", c.Name(), code)
		},
	}
	w.door = capabilities.NewDoor(w.options)
	return w
}

// limited is the door with another time limit of a call.
func (w *world) limited(to time.Duration) *capabilities.Door {
	o := w.options
	o.Timeout = to
	return capabilities.NewDoor(o)
}

func sqlite(t *testing.T, edit ...func(*approval.Options)) *world {
	t.Helper()
	return open(t, storetest.Database{Name: "sqlite", At: filepath.Join(t.TempDir(), "store.db")}, edit...)
}

func (w *world) pass(d time.Duration) { w.clock.Add(d.Milliseconds()) }

// seat is an assistant with a token.
func seat(token string) *capabilities.Principal {
	return &capabilities.Principal{ID: "desk", Kind: capabilities.Seat, Seat: "desk", Scopes: []string{"*"}, Credential: token}
}

func person(id string) *capabilities.Principal {
	return &capabilities.Principal{ID: id, Kind: capabilities.Person, Scopes: []string{"*", capabilities.ScopeAdmin}}
}

// usual is the call that most tests send.
func usual() capabilities.Call {
	return capabilities.Call{Name: "drop_ware", Arguments: json.RawMessage(`{"id":"w1","why":"old"}`), Principal: seat("tok_1"), Surface: capabilities.InProcess}
}

// with answers the usual call with a change.
func with(f func(*capabilities.Call)) capabilities.Call {
	c := usual()
	f(&c)
	return c
}

func (w *world) call(c capabilities.Call) error {
	_, err := w.door.Invoke(w.t.Context(), c)
	return err
}

// asks sends a call that has to be answered approval_needed, and answers the request.
func (w *world) asks(c capabilities.Call) string {
	w.t.Helper()
	err := w.call(c)
	e, ok := capabilities.AsError(err)
	if !ok || e.Code != capabilities.ApprovalNeeded || e.Approval == nil || !strings.Contains(e.Message, e.Approval.ID) {
		w.t.Fatalf("the call is answered %v, want approval_needed with a request", err)
	}
	return e.Approval.ID
}

// is fails the test unless a call is answered with a code whose sentence says something.
func is(t *testing.T, err error, code capabilities.Code, says string) {
	t.Helper()
	if e, ok := capabilities.AsError(err); !ok || e.Code != code || !strings.Contains(e.Message, says) {
		t.Errorf("it is answered %v, want %s that says %q", err, code, says)
	}
}

// decision is what a write of one answers.
type decision struct {
	capabilities.Receipt
	Request approval.Request
}

func (w *world) decide(p *capabilities.Principal, id string, v approval.Verdict, reason string) (decision, error) {
	w.t.Helper()
	defer w.desk.Woken()
	return store.Write(w.t.Context(), w.db, func(tx *store.Tx) (out decision, err error) {
		out.Request, err = w.desk.Decide(tx, p, id, v, reason)
		return out, err
	})
}

// approve decides as a person.
func (w *world) approve(id string) {
	w.t.Helper()
	if _, err := w.decide(person("ana"), id, approval.Approve, ""); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) ran(want int64) {
	w.t.Helper()
	if got := w.runs.Load(); got != want {
		w.t.Errorf("it ran %d times, want %d", got, want)
	}
}

func (w *world) of(s approval.State) (ids []string) {
	w.t.Helper()
	all, _, err := w.desk.List(w.t.Context(), s, approval.OldestFirst, "", 1000)
	if err != nil {
		w.t.Fatal(err)
	}
	for _, q := range all {
		if q.State != s {
			w.t.Errorf("%s is listed as %s, and is %s", q.ID, s, q.State)
		}
		ids = append(ids, q.ID)
	}
	return ids
}
