package mcpserver_test

import (
	"encoding/json"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/rawjson"
	"github.com/seed-89b9419b/holotype/internal/wire"
	"github.com/seed-89b9419b/holotype/projection/mcpserver"
)

// What a list is said to cost is what the list that the principal is given costs: with and
// without operation keys, in part, of discovery, and whether anybody has asked for it.
func TestListsCostWhatIsListed(t *testing.T) {
	var limit atomic.Int64
	f := newFixture(t, above(&limit), func(o *mcpserver.Options) { o.Ledger = true })
	f.bridge("third", bridged(t, "third__x"), bridged(t, "third__spread", func(s *capabilities.BridgedSpec) {
		s.Input = json.RawMessage("{\n \"type\": \"object\",\n \"properties\": {}\n}")
	}))
	seat := &capabilities.Principal{ID: "desk", Kind: capabilities.Seat, Seat: "desk", Scopes: []string{"*"}}
	owner, nobody := f.people["owner"], &capabilities.Principal{ID: "nobody", Kind: capabilities.Person}
	all := []*capabilities.Principal{
		owner, owner.Narrowed(capabilities.Narrowing{ReadOnly: true}), owner.Narrowed(capabilities.Narrowing{Group: "third"}), f.people["guest"],
		seat, owner.Discovering(), seat.Discovering(), nobody,
	}
	check := func(what string) {
		t.Helper()
		got := f.server.Lists(all...)
		for i, p := range all {
			want := capabilities.ListFacts{}
			for _, raw := range f.list(p, false) {
				parts := map[string]json.RawMessage{}
				for _, part := range []string{"name", "description", "inputSchema"} {
					if value := rawjson.Member(raw, part); value != nil {
						parts[part] = value
					}
				}
				shown, err := json.Marshal(parts)
				if err != nil {
					t.Fatal(err)
				}
				want.Tools++
				want.Bytes += len(raw)
				want.Tokens += wire.Tokens(len(shown))
			}
			if d := cmp.Diff(want, got[i].ListFacts); d != "" || got[i].Finds != (want.Tools == 4) {
				t.Errorf("%s: the list of %s %+v (-listed +said):\n%s", what, p.Key(), p.Narrowing, d)
			}
		}
	}
	check("before anybody asked")
	check("after")
	if costs := f.server.Lists(all...); costs[0] == costs[4] || costs[0] == costs[1] || costs[5].Tools != 4 || costs[7] != (mcpserver.Listed{}) {
		t.Errorf("the costs are %+v", costs)
	}
	f.bridge("third", bridged(t, "third__y"))
	check("after a change")

	limit.Store(10)
	check("above the limit")
	facts := f.server.FactsFor(seat)
	whole, finds := f.server.Lists(seat)[0].ListFacts, f.server.Lists(seat.Discovering())[0].ListFacts
	limit.Store(0)
	if d := cmp.Diff(&whole, facts.Finds); d != "" || !facts.Discovery || facts.FindsAbove != 10 || whole != finds {
		t.Errorf("above the limit the facts are %+v: %s", facts, d)
	}
	if whole := f.server.Lists(seat)[0].ListFacts; *facts.List != whole {
		t.Errorf("the whole list costs %+v, want %+v", *facts.List, whole)
	}
	if facts := f.server.FactsFor(seat); facts.Discovery || facts.FindsAbove != 0 || *facts.Finds != finds {
		t.Errorf("below the limit the facts are %+v", facts)
	}
}
