package approval_test

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/approval"
	"github.com/seed-89b9419b/holotype/internal/store/storetest"
)

func TestApprovalIsGoodForOneCall(t *testing.T) {
	storetest.Each(t, func(t *testing.T, d storetest.Database) {
		w := open(t, d)
		id := w.asks(usual())
		if again := w.asks(usual()); again != id {
			t.Errorf("sent again, it asks for %s, want %s", again, id)
		}
		w.ran(0)
		w.approve(id)
		if err := w.call(usual()); err != nil {
			t.Fatal(err)
		}
		w.ran(1)
		if next := w.asks(usual()); next == id {
			t.Error("the same approval is asked for once more")
		}
		w.ran(1)
		if diff := cmp.Diff([]string{id}, w.of(approval.Used)); diff != "" {
			t.Errorf("used (-want +got):\n%s", diff)
		}
	})
}

// What a request says is what there is to decide by.
func TestWhatAnApproverIsTold(t *testing.T) {
	w := sqlite(t, func(o *approval.Options) {
		o.Mask = func(raw json.RawMessage) json.RawMessage {
			return json.RawMessage(strings.ReplaceAll(string(raw), "hush", "[hidden]"))
		}
	})
	id := w.asks(with(func(c *capabilities.Call) {
		c.Arguments, c.Operation.ID = json.RawMessage(`{"id":"w1","why":"hush"}`), "k"
	}))
	got, err := w.desk.Get(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	noon := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	want := approval.Request{
		ID: id, Principal: "seat:desk", Capability: "drop_ware", OpID: "k", Digest: got.Digest, State: approval.Pending,
		Facts: approval.Facts{
			Title: "Drop ware", Effect: "destroy/world", Asserts: "destroys", ReadOnly: capabilities.No, Destructive: capabilities.Yes, Idempotent: capabilities.Yes, OpenWorld: capabilities.Yes,
			Source: "builtin", Kind: "seat", Seat: "desk", Credential: "tok_1", Surface: "in_process", Rule: "gate.approve[0]",
		},
		Arguments: json.RawMessage(`{"id":"w1","why":"[hidden]"}`), RequestedAt: noon, ExpiresAt: noon.Add(time.Hour),
	}
	if diff := cmp.Diff(want, got); diff != "" || len(got.Digest) != 64 {
		t.Errorf("the request (-want +got):\n%s", diff)
	}
}

func TestWhatAnApprovalIsBoundTo(t *testing.T) {
	w := sqlite(t)
	for name, c := range map[string]struct {
		sent capabilities.Call
		runs bool
	}{
		"other arguments":                {with(func(c *capabilities.Call) { c.Arguments = json.RawMessage(`{"id":"w2","why":"old"}`) }), false},
		"another principal":              {with(func(c *capabilities.Call) { c.Principal = person("ben") }), false},
		"a person by the seat's name":    {with(func(c *capabilities.Call) { c.Principal = person("desk") }), false},
		"acting for somebody":            {with(func(c *capabilities.Call) { p := seat("tok_1"); p.ActingFor = "ana"; c.Principal = p }), false},
		"an operation key":               {with(func(c *capabilities.Call) { c.Operation.ID = "k" }), false},
		"the same":                       {usual(), true},
		"another token of the same seat": {with(func(c *capabilities.Call) { c.Principal = seat("tok_2") }), true},
		"over another surface":           {with(func(c *capabilities.Call) { c.Surface = capabilities.MCP }), true},
		"under the old name":             {with(func(c *capabilities.Call) { c.Name = "remove_ware" }), true},
		"arguments spelt otherwise":      {with(func(c *capabilities.Call) { c.Arguments = json.RawMessage(` {"why": "o\u006cd", "id": "w1"}`) }), true},
	} {
		t.Run(name, func(t *testing.T) {
			id := w.asks(usual())
			w.approve(id)
			before := w.runs.Load()
			if err := w.call(c.sent); (err == nil) != c.runs {
				t.Errorf("it is answered %v", err)
			}
			if ran := w.runs.Load() > before; ran != c.runs {
				t.Errorf("it ran: %t, want %t", ran, c.runs)
			}
			if !c.runs { // the approval is as good as before
				if err := w.call(usual()); err != nil {
					t.Errorf("the call that was approved is answered %v", err)
				}
			}
		})
	}
}

func TestDenialStaysForItsTime(t *testing.T) {
	w := sqlite(t)
	id := w.asks(usual())
	if _, err := w.decide(person("ana"), id, approval.Deny, "not on a Monday"); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		is(t, w.call(usual()), capabilities.Forbidden, `person:ana denied this call of drop_ware, and said "not on a Monday"`)
	}
	w.asks(with(func(c *capabilities.Call) { c.Arguments = json.RawMessage(`{"id":"w2"}`) }))
	w.pass(time.Hour)
	if next := w.asks(usual()); next == id {
		t.Error("the denied request is asked for once more")
	}
	w.ran(0)
	if diff := cmp.Diff([]string{id}, w.of(approval.Denied)); diff != "" {
		t.Errorf("denied (-want +got):\n%s", diff)
	}
}

func TestTimeEndsARequest(t *testing.T) {
	w := sqlite(t)
	approved, pending := w.asks(usual()), w.asks(with(func(c *capabilities.Call) { c.Operation.ID = "k" }))
	w.approve(approved)
	w.pass(time.Hour - time.Millisecond)
	if got := w.of(approval.Approved); !slices.Equal(got, []string{approved}) {
		t.Errorf("a moment before, these are approved: %v", got)
	}
	w.pass(time.Millisecond)
	if next := w.asks(usual()); next == approved {
		t.Error("an approval is good beyond its time")
	}
	if diff := cmp.Diff(slices.Sorted(slices.Values([]string{approved, pending})), w.of(approval.Expired)); diff != "" {
		t.Errorf("expired (-want +got):\n%s", diff)
	}
	_, err := w.decide(person("ana"), pending, approval.Approve, "")
	is(t, err, capabilities.Conflict, "expired at 2026-11-30T13:00:00Z")
	w.ran(0)
}

func TestWhoDecides(t *testing.T) {
	w := sqlite(t, func(o *approval.Options) {
		o.Holder = func(seat string) string { return map[string]string{"desk": "dora"}[seat] }
	})
	inSeat := capabilities.OwnerPrincipal()
	inSeat.Seat = "desk"
	reader := person("ana")
	reader.Scopes = []string{"*"}
	byToken := person("ana")
	byToken.Credential = "tok_9"
	for name, c := range map[string]struct {
		asks, decides *capabilities.Principal
		says          string // "" is that it is decided
	}{
		"the owner on a seat's":          {seat("tok_1"), capabilities.OwnerPrincipal(), ""},
		"a person on a seat's":           {seat("tok_1"), person("ana"), ""},
		"a person with a token":          {seat("tok_1"), byToken, ""},
		"a person on another's":          {person("ben"), person("ana"), ""},
		"a person on the owner's":        {capabilities.OwnerPrincipal(), person("ana"), ""},
		"the owner on their own":         {capabilities.OwnerPrincipal(), capabilities.OwnerPrincipal(), "nobody approves their own: a person with the scope admin, who is not the owner, can decide"},
		"a person on their own":          {person("ana"), byToken, "nobody approves their own: the owner, or another person"},
		"who holds the seat":             {seat("tok_1"), person("dora"), "which you hold, and nobody approves their own: the owner, or another person"},
		"the seat itself":                {seat("tok_1"), seat("tok_2"), "a person decides"},
		"the owner in a seat":            {person("ben"), inSeat, "a person decides"},
		"a token of nobody":              {seat("tok_1"), &capabilities.Principal{ID: "tok_7", Kind: capabilities.Operator, Scopes: []string{"*", "admin"}, Credential: "tok_7"}, "a person decides"},
		"a person who administrates not": {seat("tok_1"), reader, "a person decides"},
		"nobody":                         {seat("tok_1"), nil, "a person decides"},
	} {
		t.Run(name, func(t *testing.T) {
			call := with(func(call *capabilities.Call) {
				call.Principal, call.Operation.ID = c.asks, strings.ReplaceAll(name, " ", "-")
			})
			id := w.asks(call)
			_, err := w.decide(c.decides, id, approval.Approve, "")
			if c.says != "" {
				is(t, err, capabilities.Forbidden, c.says)
				w.asks(call)
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if err := w.call(call); err != nil {
				t.Errorf("what was approved is answered %v", err)
			}
		})
	}
}

// What the owner's credential lets into two seats are two callers, and the owner is a third;
// each call is the owner's own all the same.
func TestTheOwnerInSeats(t *testing.T) {
	w := sqlite(t)
	from := func(seat string) capabilities.Call {
		return with(func(c *capabilities.Call) {
			p := capabilities.OwnerPrincipal()
			p.Seat, c.Principal = seat, p
		})
	}
	w.gate.Put(rulesOf(t, strings.Replace(everything, "{id: desk}", "{id: desk}, {id: door}", 1)))
	id := w.asks(from("desk"))
	if q, err := w.desk.Get(t.Context(), id); err != nil || q.Principal != "owner" || q.Facts.Seat != "desk" {
		t.Errorf("%+v, %v", q, err)
	}
	_, err := w.decide(capabilities.OwnerPrincipal(), id, approval.Approve, "")
	is(t, err, capabilities.Forbidden, "nobody approves their own")
	w.approve(id)
	w.asks(from("door"))
	w.asks(from(""))
	w.ran(0)
	if err := w.call(from("desk")); err != nil {
		t.Error(err)
	}
	w.ran(1)
}

func TestDecidingAnew(t *testing.T) {
	w := sqlite(t)
	id := w.asks(usual())
	decide := func(v approval.Verdict, reason string, want capabilities.Outcome) {
		t.Helper()
		if got, err := w.decide(person("ana"), id, v, reason); err != nil || got.Outcome != want {
			t.Errorf("%s %q is answered %s, %v, want %s", v, reason, got.Outcome, err, want)
		}
	}
	decide(approval.Approve, "", capabilities.Applied)
	decide(approval.Approve, "", capabilities.Unchanged)
	decide(approval.Deny, "thought again", capabilities.Applied)
	is(t, w.call(usual()), capabilities.Forbidden, "thought again")
	decide(approval.Approve, "", capabilities.Applied)
	if err := w.call(usual()); err != nil {
		t.Fatal(err)
	}
	_, err := w.decide(person("ana"), id, approval.Deny, "")
	is(t, err, capabilities.Conflict, "was approved and used at")
	_, err = w.decide(person("ana"), "apr_none", approval.Deny, "")
	is(t, err, capabilities.NotFound, "list_approvals")
}

func TestOneOfTwoUsesAnApproval(t *testing.T) {
	storetest.Each(t, func(t *testing.T, d storetest.Database) {
		w := open(t, d)
		w.approve(w.asks(usual()))
		const callers = 8
		answers := make(chan error, callers)
		var all sync.WaitGroup
		for range callers {
			all.Go(func() { answers <- w.call(usual()) })
		}
		all.Wait()
		close(answers)
		for err := range answers {
			if e, ok := capabilities.AsError(err); err != nil && (!ok || e.Code != capabilities.ApprovalNeeded) {
				t.Errorf("one is answered %v", err)
			}
		}
		w.ran(1)
		if pending := w.of(approval.Pending); len(pending) > 1 {
			t.Errorf("the others filed %d requests", len(pending))
		}
	})
}

func TestWhatFilesNothing(t *testing.T) {
	w := sqlite(t)
	is(t, w.call(with(func(c *capabilities.Call) { c.Arguments = json.RawMessage(`{"id":""}`) })), capabilities.Invalid, "/id")
	is(t, w.call(with(func(c *capabilities.Call) { c.Operation.ID = "a b" })), capabilities.OpIDInvalid, "visible ASCII")
	long := fmt.Sprintf(`{"id":"w1","why":%q}`, strings.Repeat("x", approval.MaxArguments))
	is(t, w.call(with(func(c *capabilities.Call) { c.Arguments = json.RawMessage(long) })), capabilities.TooLarge, "at most 65536")
	is(t, w.call(with(func(c *capabilities.Call) { c.Operation.DryRun = true })), capabilities.Unavailable, "cannot be tried in a dry run")
	hidden := with(func(c *capabilities.Call) { p := seat("tok_1"); p.Scopes = nil; c.Principal = p })
	is(t, w.call(hidden), capabilities.Forbidden, "shop:write")
	if pending := w.of(approval.Pending); len(pending) > 0 {
		t.Errorf("%d requests were filed", len(pending))
	}
	w.ran(0)
}

func TestAsManyAsOneMayHaveWaiting(t *testing.T) {
	w := sqlite(t)
	number := func(i int) capabilities.Call {
		return with(func(c *capabilities.Call) { c.Arguments = fmt.Appendf(nil, `{"id":"w%d"}`, i) })
	}
	for i := range approval.MostPending {
		w.asks(number(i))
	}
	is(t, w.call(number(approval.MostPending)), capabilities.RateLimited, "100 calls of yours wait")
	w.asks(number(3)) // which waits already
	w.asks(with(func(c *capabilities.Call) { c.Principal = person("ben") }))
	w.approve(w.asks(number(3)))
	w.asks(number(approval.MostPending))
}

// An operation that is in the ledger is answered from there, and needs nobody.
func TestRepeatNeedsNoApproval(t *testing.T) {
	w := sqlite(t)
	keyed := with(func(c *capabilities.Call) { c.Operation.ID = "k" })
	w.approve(w.asks(keyed))
	for range 3 {
		if err := w.call(keyed); err != nil {
			t.Fatal(err)
		}
	}
	w.ran(1)
	if pending := w.of(approval.Pending); len(pending) > 0 {
		t.Errorf("repeats filed %d requests", len(pending))
	}
	is(t, w.call(with(func(c *capabilities.Call) { c.Operation.ID, c.Arguments = "k", json.RawMessage(`{"id":"w2"}`) })), capabilities.OpIDInvalid, "used for another call")
}

// An approval is used by what was done, or may have been.
func TestWhatUsesAnApproval(t *testing.T) {
	applied := capabilities.Refuse(capabilities.Unavailable, "it went away")
	applied.MaybeApplied = true
	for name, c := range map[string]struct {
		fails *capabilities.Error
		used  bool
	}{
		"refused by the handler": {capabilities.Refuse(capabilities.Conflict, "not now"), false},
		"not begun":              {capabilities.Refuse(capabilities.Unavailable, "not there"), false},
		"maybe applied":          {applied, true},
		"nobody knows":           {capabilities.Refuse(capabilities.UnknownOutcome, "who knows"), true},
		"broken":                 {capabilities.Refuse(capabilities.InternalError, "oh"), true},
	} {
		t.Run(name, func(t *testing.T) {
			w := sqlite(t)
			id := w.asks(usual())
			w.approve(id)
			w.fails.Store(c.fails)
			if err := w.call(usual()); err == nil {
				t.Fatal("it is not refused")
			}
			w.fails.Store(nil)
			want := approval.Approved
			if c.used {
				want = approval.Used
			}
			if q, err := w.desk.Get(t.Context(), id); err != nil || q.State != want || q.UsedAt.IsZero() == c.used {
				t.Errorf("the request is %+v, %v, want %s", q, err, want)
			}
			if err := w.call(usual()); (err != nil) != c.used {
				t.Errorf("sent again, it is answered %v", err)
			}
		})
	}
}

// Nothing that the desk asks a store looks at every request.
func TestStatementsHaveAnIndex(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store.db")
	d := storetest.Database{Name: "sqlite", At: path}
	o := d.Options(t, approval.Schema())
	seen := storetest.Record(&o)
	w := openOn(t, storetest.Start(t, o), newClock())
	run(t, w)
	if found := seen.Scans(t, path); len(found) > 0 {
		t.Errorf("SQLite:\n%s", strings.Join(found, "\n"))
	}
	for _, query := range seen.Statements() {
		for _, step := range storetest.Explain(t, path, query) {
			if strings.Contains(step, "TEMP B-TREE") {
				t.Errorf("it sorts what it found: %s: %s", step, query)
			}
		}
	}
	pg := storetest.Database{Name: "postgres", At: storetest.Postgres(t)}
	pg.Open(t, approval.Schema())
	if found := storetest.PostgresScans(t, pg.At, seen.Statements()); len(found) > 0 {
		t.Errorf("PostgreSQL:\n%s", strings.Join(found, "\n"))
	}
}

// run has the desk ask all that it ever does, but for what many requests cause.
func run(t *testing.T, w *world) {
	t.Helper()
	id := w.asks(usual())
	w.approve(id)
	w.fails.Store(capabilities.Refuse(capabilities.Conflict, "not now"))
	if err := w.call(usual()); err == nil {
		t.Fatal("it is not refused")
	}
	for _, s := range approval.States() {
		w.of(s)
	}
	if faults, err := w.db.Check(t.Context()); err != nil || len(faults) > 0 {
		t.Errorf("the check finds %v, %v", faults, err)
	}
}

// Old requests go, and of one who asks very often those that ended.
func TestOldRequestsGo(t *testing.T) {
	w := sqlite(t)
	old := w.asks(usual())
	w.pass(time.Hour + 30*24*time.Hour)
	w.asks(with(func(c *capabilities.Call) { c.Operation.ID = "1" }))
	if _, err := w.desk.Get(t.Context(), old); err != nil {
		t.Errorf("at 30 days it is gone: %v", err)
	}
	w.pass(time.Millisecond)
	w.asks(with(func(c *capabilities.Call) { c.Operation.ID = "2" }))
	_, err := w.desk.Get(t.Context(), old)
	is(t, err, capabilities.NotFound, "list_approvals")
}

// Of one who asks very often, those that ended go before their time, the oldest first, and
// nobody else's.
func TestManyRequestsOfOnePrincipalGo(t *testing.T) {
	w := sqlite(t)
	other := w.asks(with(func(c *capabilities.Call) { c.Principal = person("bob") }))
	var filed []string
	file := func(n int) {
		for range n {
			filed = append(filed, w.asks(with(func(c *capabilities.Call) { c.Operation.ID = fmt.Sprint(len(filed)) })))
		}
	}
	const kept, most, swept = 1000, approval.MostPending, 100
	for len(filed) < kept {
		file(most)
		w.pass(time.Hour)
	}
	there := func(id string) bool {
		_, err := w.desk.Get(t.Context(), id)
		return err == nil
	}
	if !there(filed[0]) {
		t.Fatal("what is not too much went")
	}
	file(most)
	if there(filed[swept-1]) || !there(filed[swept]) || !there(other) {
		t.Errorf("of %d: the last of the oldest %d is there: %t, the next: %t, another principal's: %t", len(filed), swept, there(filed[swept-1]), there(filed[swept]), there(other))
	}
	if n := len(w.of(approval.Pending)); n != most {
		t.Errorf("%d wait, want %d: what waits does not go", n, most)
	}
}

// A page ends early where there is much to read.
func TestPagesOfLongRequests(t *testing.T) {
	w := sqlite(t)
	why := strings.Repeat("x", 60<<10)
	const filed = 12
	for i := range filed {
		w.asks(with(func(c *capabilities.Call) { c.Arguments = fmt.Appendf(nil, `{"id":"w%d","why":%q}`, i, why) }))
	}
	seen := map[string]bool{}
	for after, pages := "", 1; ; pages++ {
		all, more, err := w.desk.List(t.Context(), approval.Pending, approval.OldestFirst, after, 100)
		if err != nil || len(all) == 0 {
			t.Fatal(len(all), err)
		}
		size := 0
		for _, q := range all {
			seen[q.ID], after = true, q.ID
			size += len(q.Arguments)
		}
		if size > 600<<10 {
			t.Errorf("a page has %d bytes of arguments", size)
		}
		if !more {
			if pages != 2 || len(seen) != filed {
				t.Errorf("%d pages have %d requests", pages, len(seen))
			}
			return
		}
	}
}
