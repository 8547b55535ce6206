package grant_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/grant"
	"github.com/seed-89b9419b/holotype/internal/store"
	"github.com/seed-89b9419b/holotype/internal/store/storetest"
)

func TestARequestIsKeptOnce(t *testing.T) {
	storetest.Each(t, func(t *testing.T, d storetest.Database) {
		w := open(t, d)
		ask := grant.Request{Holder: desk, Credential: "tok_1", Capability: "add_pin", Why: "to pin", Hours: 3, Item: grant.WorkItem{ID: "itm_1", Key: "WEB-1"}}
		first, err := w.ask(ask)
		if err != nil {
			t.Fatal(err)
		}
		want := ask
		want.ID, want.AskedAt, want.Status = first.Request.ID, w.now(), grant.Pending
		got, err := w.grants.Request(t.Context(), first.Request.ID)
		if d := cmp.Diff(want, got); err != nil || d != "" || first.Outcome != capabilities.Applied {
			t.Errorf("%v, %s (-want +got):\n%s", err, first.Outcome, d)
		}
		again, err := w.ask(grant.Request{Holder: desk, Capability: "add_pin", Why: "in other words"})
		if err != nil || again.Request.ID != want.ID || again.Request.Why != "to pin" || again.Outcome != capabilities.Unchanged {
			t.Errorf("asked again it is %+v, %v", again, err)
		}
		other := w.asked(grant.Request{Holder: grant.Holder{Kind: capabilities.Person, ID: "desk"}, Capability: "add_pin", Why: "as a person"})
		if other.ID == want.ID || other.Hours != 24 {
			t.Errorf("somebody else of that name is answered %+v", other)
		}
		if _, err := w.decide(want.ID, grant.Decision{Status: grant.Denied, Reason: "not now"}); err != nil {
			t.Fatal(err)
		}
		w.pass(time.Second)
		if next := w.asked(ask); next.ID == want.ID {
			t.Error("asked again after it was denied, it is the same request")
		}
		for name, c := range map[string]struct {
			filter grant.Filter
			want   int
		}{
			"all": {grant.Filter{}, 3}, "pending": {grant.Filter{Status: grant.Pending}, 2}, "the desk's": {grant.Filter{Of: desk}, 2},
			"what was denied to the desk": {grant.Filter{Of: desk, Status: grant.Denied}, 1}, "nobody's": {grant.Filter{Of: grant.Holder{Kind: capabilities.Seat, ID: "x"}}, 0},
		} {
			var seen []string
			for after := ""; ; {
				page, err := w.grants.Requests(t.Context(), c.filter, after, 1)
				if err != nil {
					t.Fatal(err)
				}
				if len(page) == 0 {
					break
				}
				after = page[0].ID
				seen = append(seen, after)
			}
			if len(seen) != c.want || !slices.IsSorted(seen) {
				t.Errorf("%s: %q", name, seen)
			}
		}
	})
}

func TestRequestsThatWaitAreBounded(t *testing.T) {
	w := sqlite(t)
	for i := range grant.MostPending {
		w.asked(grant.Request{Holder: desk, Capability: fmt.Sprintf("tool_%d", i), Why: "x"})
	}
	if _, err := w.ask(grant.Request{Holder: desk, Capability: "one_more", Why: "x"}); code(err) != capabilities.RateLimited {
		t.Errorf("one more is answered %v", err)
	}
	if again, err := w.ask(grant.Request{Holder: desk, Capability: "tool_0", Why: "x"}); err != nil || again.Outcome != capabilities.Unchanged {
		t.Errorf("one of them is answered %+v, %v", again, err)
	}
	w.asked(grant.Request{Holder: grant.Holder{Kind: capabilities.Seat, ID: "other"}, Capability: "one_more", Why: "x"})
}

func TestWhatIsDecided(t *testing.T) {
	storetest.Each(t, func(t *testing.T, d storetest.Database) {
		w := open(t, d)
		granted := grant.Decision{Status: grant.Granted}
		denied := grant.Decision{Status: grant.Denied}
		for name, c := range map[string]struct {
			hours  int
			item   string
			first  grant.Decision
			second grant.Decision // after the first
			want   capabilities.Code
			then   capabilities.Code
			lasts  time.Duration // 0 is without an end
		}{
			"for as long as it was asked for":    {hours: 5, first: granted, second: granted, lasts: 5 * time.Hour},
			"for a day where nothing was said":   {first: granted, second: denied, then: capabilities.Conflict, lasts: 24 * time.Hour},
			"shortened":                          {hours: 5, first: grant.Decision{Status: grant.Granted, Hours: 2}, second: granted, lasts: 2 * time.Hour},
			"never longer":                       {hours: 5, first: grant.Decision{Status: grant.Granted, Hours: 6}, second: denied, want: capabilities.Invalid},
			"with a work item":                   {item: "itm_open", first: granted, second: granted},
			"with a work item, for hours":        {item: "itm_open", first: grant.Decision{Status: grant.Granted, Hours: 700}, second: granted, lasts: 700 * time.Hour},
			"with a work item that is at an end": {item: "itm_ended", first: granted, second: denied, want: capabilities.Conflict},
			"denied":                             {first: denied, second: denied},
			"denied, and then granted":           {first: denied, second: granted, then: capabilities.Conflict},
		} {
			w.ended["itm_ended"] = 1 << 40
			q := grant.Request{Holder: desk, Capability: name, Why: "x", Hours: c.hours}
			if c.item != "" {
				q.Item = grant.WorkItem{ID: c.item, Key: "WEB-1"}
			}
			q = w.asked(q)
			out, err := w.decide(q.ID, c.first)
			if code(err) != c.want {
				t.Fatalf("%s: %v, want %q", name, err, c.want)
			}
			again, err := w.decide(q.ID, c.second)
			if code(err) != c.then {
				t.Fatalf("%s: then %v, want %q", name, err, c.then)
			}
			if c.want != "" { // nothing was decided by the first
				continue
			}
			if out.Outcome != capabilities.Applied || c.then == "" && (again.Outcome != capabilities.Unchanged || again.Grant != out.Grant) {
				t.Errorf("%s: answered %+v, then %+v", name, out, again)
			}
			want := grant.Grant{}
			if c.first.Status == grant.Granted {
				want = grant.Grant{ID: out.Request.Grant, Request: q.ID, Holder: desk, Capability: name, Item: q.Item, GivenAt: w.now(), GivenBy: "system"}
				if c.lasts > 0 {
					want.ExpiresAt = w.now().Add(c.lasts)
				}
			}
			if d := cmp.Diff(want, out.Grant); d != "" || (want.ID == "") != (out.Grant.ID == "") {
				t.Errorf("%s (-want +got):\n%s", name, d)
			}
		}
		if _, err := w.decide("req_none", granted); code(err) != capabilities.NotFound {
			t.Errorf("an id of nothing is answered %v", err)
		}
		if faults, err := w.db.Check(t.Context()); err != nil || len(faults) != 0 {
			t.Errorf("the check finds %q, %v", faults, err)
		}
	})
}

// What became of a work item counts from the request on: not before, and whatever it is
// when the request is decided.
func TestAnItemThatEndsMeanwhile(t *testing.T) {
	w := sqlite(t)
	item := grant.WorkItem{ID: "itm_1", Key: "WEB-1"}
	before := w.asked(grant.Request{Holder: desk, Capability: "add_pin", Why: "x", Item: item})
	w.ended["itm_1"] = w.db.Head().Seq
	after := w.asked(grant.Request{Holder: desk, Capability: "drop_pin", Why: "x", Item: item})
	if _, err := w.decide(after.ID, grant.Decision{Status: grant.Granted}); err != nil {
		t.Errorf("an item that had ended before is answered %v", err)
	}
	w.ended["itm_1"]++ // the change with the second request
	if _, err := w.decide(before.ID, grant.Decision{Status: grant.Granted}); code(err) != capabilities.Conflict {
		t.Errorf("an item that ended meanwhile is answered %v", err)
	}
}

func TestGrantsEnd(t *testing.T) {
	storetest.Each(t, func(t *testing.T, d storetest.Database) {
		w := open(t, d)
		hour := w.given(grant.Request{Holder: desk, Capability: "for_an_hour", Why: "x", Hours: 1})
		day := w.given(grant.Request{Holder: desk, Capability: "for_a_day", Why: "x"})
		bound := w.given(grant.Request{Holder: desk, Capability: "with_an_item", Why: "x", Item: grant.WorkItem{ID: "itm_1", Key: "WEB-1"}})
		if got := w.inForce(); len(got) != 3 {
			t.Fatalf("in force are %q", got)
		}
		puts := len(w.puts)
		if err := w.grants.Reload(t.Context()); err != nil || len(w.puts) != puts {
			t.Errorf("what did not change is put in force again: %v", err)
		}
		w.pass(time.Hour)
		if err := w.grants.Reload(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got, want := w.inForce(), []string{day.ID, bound.ID}; !slices.Equal(got, want) {
			t.Errorf("after an hour %q are in force, want %q", got, want)
		}
		out, err := w.revoke(w.db, day.ID)
		if err != nil || out.Outcome != capabilities.Applied || out.Grant.EndedAt != w.now() {
			t.Errorf("revoking answers %+v, %v", out, err)
		}
		w.pass(time.Minute)
		for id, want := range map[string]grant.Cause{day.ID: grant.Revoked, hour.ID: ""} {
			again, err := w.revoke(w.db, id)
			if err != nil || again.Outcome != capabilities.Unchanged || again.Grant.Ended != want || again.Grant.EndedAt == w.now() {
				t.Errorf("revoking what has ended answers %+v, %v", again, err)
			}
		}
		if _, err := w.revoke(w.db, "grt_none"); code(err) != capabilities.NotFound {
			t.Errorf("an id of nothing is answered %v", err)
		}
		if err := w.grants.Reload(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := w.inForce(); !slices.Equal(got, []string{bound.ID}) {
			t.Errorf("after revoking %q are in force", got)
		}
		// What is read anew does not count with an item that is at its end, before anybody
		// has written that down.
		w.ended["itm_1"] = 1 << 40
		if err := w.grants.Reload(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := w.inForce(); len(got) != 0 {
			t.Errorf("with the item at its end %q are in force", got)
		}
		for id, want := range map[string]grant.State{hour.ID: grant.Expired, day.ID: grant.WasRevoked, bound.ID: grant.Active} {
			if got := w.state(id); got != want {
				t.Errorf("the state of %s is %s, want %s", id, got, want)
			}
		}
		w.gone[desk] = true
		if got := w.state(bound.ID); got != grant.Void {
			t.Errorf("without its holder it is %s", got)
		}
	})
}

// Whoever follows the store sees what another process writes there, withdraws what ends
// with a work item, and does so for good.
func TestGrantsAreFollowed(t *testing.T) {
	storetest.Each(t, func(t *testing.T, d storetest.Database) {
		w := open(t, d)
		o := d.Options(t, grant.Schema())
		if d.Name == "sqlite" { // which one process has alone
			o.Engine = nil
		}
		other := w.db
		if o.Engine != nil {
			o.Now = w.now
			other = storetest.Start(t, o)
		}
		before := w.given(grant.Request{Holder: desk, Capability: "before", Why: "x", Item: grant.WorkItem{ID: "itm_0", Key: "WEB-0"}})
		w.end(w.db, "itm_0") // while nobody follows
		w.run(w.grants.Follow)
		w.until("an item that ended before", func(ids []string) bool { return len(ids) == 0 })
		bound := w.given(grant.Request{Holder: desk, Capability: "bound", Why: "x", Item: grant.WorkItem{ID: "itm_1", Key: "WEB-1"}})
		free := w.given(grant.Request{Holder: desk, Capability: "free", Why: "x"})
		w.end(other, "itm_2") // nothing is bound to it
		w.end(other, "itm_1")
		w.until("an item that ends", func(ids []string) bool { return slices.Equal(ids, []string{free.ID}) })
		if _, err := w.revoke(other, free.ID); err != nil {
			t.Fatal(err)
		}
		w.until("what another revokes", func(ids []string) bool { return len(ids) == 0 })
		w.mu.Lock()
		clear(w.ended) // opened again, as if it had never ended
		w.mu.Unlock()
		if err := w.grants.Reload(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := w.inForce(); len(got) != 0 {
			t.Errorf("in force again are %q", got)
		}
		for id, want := range map[string]grant.State{before.ID: grant.Withdrawn, bound.ID: grant.Withdrawn, free.ID: grant.WasRevoked} {
			if got := w.state(id); got != want {
				t.Errorf("the state of %s is %s, want %s", id, got, want)
			}
		}
	})
}

func TestWhatExpiresLeavesTheLists(t *testing.T) {
	w := sqlite(t)
	w.run(w.grants.Expire)
	first := w.given(grant.Request{Holder: desk, Capability: "for_an_hour", Why: "x", Hours: 1})
	second := w.given(grant.Request{Holder: desk, Capability: "for_two", Why: "x", Hours: 2})
	w.until("both", func(ids []string) bool { return slices.Equal(ids, []string{first.ID, second.ID}) })
	w.pass(time.Hour)
	w.until("the second", func(ids []string) bool { return slices.Equal(ids, []string{second.ID}) })
	w.pass(time.Hour)
	w.until("none", func(ids []string) bool { return len(ids) == 0 })
}

func TestWhatDoesNotBelongTogetherIsFound(t *testing.T) {
	w := sqlite(t)
	given := w.given(grant.Request{Holder: desk, Capability: "add_pin", Why: "x"})
	_, err := store.Write(t.Context(), w.db, func(tx *store.Tx) (out result, err error) {
		if _, err := tx.Exec(`UPDATE grant_given SET id = 'grt_other', request = 'req_other' WHERE id = ?`, given.ID); err != nil {
			return out, err
		}
		return out, tx.Change(store.Change{Kind: "capability_grant", ID: given.ID})
	})
	if err != nil {
		t.Fatal(err)
	}
	faults, err := w.db.Check(t.Context())
	if all := strings.Join(faults, "; "); err != nil || len(faults) != 2 || !strings.Contains(all, given.Request) || !strings.Contains(all, "grt_other") {
		t.Errorf("the faults are %q, %v", faults, err)
	}
}

func TestEveryStatementHasAnIndex(t *testing.T) {
	path := t.TempDir() + "/store.db"
	storetest.OpenAt(t, path, grant.Schema())
	for name, query := range grant.Statements() {
		for _, step := range storetest.Explain(t, path, query) {
			if strings.Contains(step, "SCAN") || strings.Contains(step, "TEMP B-TREE") {
				t.Errorf("%s: %s", name, step)
			}
		}
	}
}

type (
	noDeps struct{}
	none   struct{}
)

func TestWhatCanBeGranted(t *testing.T) {
	pack := capabilities.NewPack[noDeps](capabilities.PackInfo{Name: "desk", Title: "Desk", Summary: "Keep things."})
	for _, s := range []capabilities.Spec{
		{Name: "list_pins", Route: "GET /pins", Effect: capabilities.Read(capabilities.Local)},
		{Name: "drop_pin", Route: "DELETE /pin", Effect: capabilities.Destroy(capabilities.Shared)},
		{Name: "list_keys", Route: "GET /keys", Effect: capabilities.Read(capabilities.Local), Scope: capabilities.ScopeAdmin},
		{Name: "make_key", Route: "POST /keys", Effect: capabilities.Append(capabilities.Local), Scope: capabilities.ScopeAdmin},
	} {
		s.Title, s.Summary = "A tool", "Do one thing."
		capabilities.Declare(pack, s, func(context.Context, noDeps, none) (none, error) { return none{}, nil })
	}
	reg, err := capabilities.Assemble(pack.Bind(noDeps{}))
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]bool{"list_pins": true, "drop_pin": true, "list_keys": true, "make_key": false} {
		if c, _ := reg.Find(name); grant.Grantable(c) != want {
			t.Errorf("%s can be granted: %t", name, !want)
		}
	}
}
