package gate_test

import (
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/gate"
)

// granting answers a gate with rules and grants, and its clock in milliseconds.
func granting(t testing.TB, before capabilities.Gate, yaml string, grants ...gate.Grant) (g *gate.Gate, clock *atomic.Int64) {
	t.Helper()
	clock = &atomic.Int64{}
	clock.Store(1_000_000)
	g = gate.New(before, rules(t, yaml))
	g.PutGrants(gate.CompileGrants(grants, func() time.Time { return time.UnixMilli(clock.Load()) }))
	return g, clock
}

func reasonOf(t testing.TB, g capabilities.Gate, p *capabilities.Principal, tool string) string {
	t.Helper()
	live := capabilities.NewLive(registry(t))
	live.Replace("", "far", far(t))
	_, rule, ok := capabilities.NewViews(live, g).Find(p, tool)
	switch {
	case !ok:
		t.Fatalf("there is no tool %q", tool)
	case rule == nil:
		return ""
	}
	return rule.Reason
}

func seatOf(scopes ...string) *capabilities.Principal {
	return &capabilities.Principal{ID: "s", Kind: capabilities.Seat, Seat: "s", Scopes: scopes, Credential: "tok_1"}
}

// A grant lifts what stands in the way of its holder alone, and nothing that stands in the
// way of everybody.
func TestWhatAGrantLifts(t *testing.T) {
	const base = "people: [{id: ana}]\nmcp_servers: [{name: far, command: x}]\n"
	everybody := func(rule string) string { return "gate: {" + rule + "}\nseats: [{id: s}]" }
	seat := func(rule string) string { return "seats: [{id: s, gate: {" + rule + "}}]" }
	token := func(rule string) string {
		return "seats: [{id: s}]\nprincipals: [{id: token:tok_1, gate: {" + rule + "}}]"
	}
	for name, c := range map[string]struct {
		yaml   string
		who    *capabilities.Principal
		tool   string
		before string // the reason without the grant
		after  string // the reason with it; "" is none
	}{
		"a scope that its token lacks":      {"seats: [{id: s}]", seatOf("desk:read"), "add_pin", capabilities.ReasonScope, ""},
		"a scope that the seat lacks":       {"seats: [{id: s, scopes: [\"desk:read\"]}]", seatOf("*"), "add_pin", capabilities.ReasonScope, ""},
		"a scope that it is not limited to": {"seats: [{id: s}]", &capabilities.Principal{ID: "s", Kind: capabilities.Seat, Seat: "s", Scopes: []string{"*"}, Within: []string{}}, "add_pin", capabilities.ReasonScope, ""},
		"a token's own scope":               {"", &capabilities.Principal{ID: "tok_1", Kind: capabilities.Operator, Scopes: []string{"shop:*"}, Credential: "tok_1"}, "add_pin", capabilities.ReasonScope, ""},
		"denied to the seat":                {seat(`deny: ["add_*"]`), seatOf("*"), "add_pin", gate.Denied, ""},
		"denied to the token":               {token(`deny: ["add_*"]`), seatOf("*"), "add_pin", gate.Denied, ""},
		"denied to the person":              {"principals: [{id: person:ana, gate: {deny: [add_pin]}}]", &capabilities.Principal{ID: "ana", Kind: capabilities.Person, Scopes: []string{"*"}}, "add_pin", gate.Denied, ""},
		"not allowed":                       {seat(`allow: [list_pins]`), seatOf("*"), "add_pin", gate.NotAllowed, ""},
		"not read only":                     {seat(`read_only: true`), seatOf("*"), "add_pin", gate.NotReadOnly, ""},
		"destructive":                       {seat(`no_destructive: true`), seatOf("*"), "drop_pin", gate.Destructive, ""},
		"open world":                        {token(`no_open_world: true`), seatOf("*"), "list_wares", gate.OpenWorld, ""},
		"refused":                           {seat(`refuse: [add_pin]`), seatOf("*"), "add_pin", gate.Refused, ""},
		"all of it at once":                 {"seats: [{id: s, scopes: [], gate: {deny: [\"*\"], read_only: true}}]\nprincipals: [{id: token:tok_1, gate: {refuse: [\"*\"]}}]", seatOf("shop:read"), "add_pin", capabilities.ReasonScope, ""},
		"a tool of another server":          {seat(`no_destructive: true`), seatOf("*"), "far__silent", gate.Destructive, ""},
		"the name it has, by an old one":    {seat(`deny: [add_ware]`), seatOf("*"), "put_ware", gate.Denied, ""},
		"denied to everybody":               {everybody(`deny: [add_pin]`), seatOf("*"), "add_pin", gate.Denied, gate.Denied},
		"not allowed to anybody":            {everybody(`allow: [list_pins]`), seatOf("*"), "add_pin", gate.NotAllowed, gate.NotAllowed},
		"read only for everybody":           {everybody(`read_only: true`), seatOf("*"), "add_pin", gate.NotReadOnly, gate.NotReadOnly},
		"nothing destructive for anybody":   {everybody(`no_destructive: true`), seatOf("*"), "drop_pin", gate.Destructive, gate.Destructive},
		"no open world for anybody":         {everybody(`no_open_world: true`), seatOf("*"), "list_wares", gate.OpenWorld, gate.OpenWorld},
		"refused to everybody":              {everybody(`refuse: [add_pin]`), seatOf("*"), "add_pin", gate.Refused, gate.Refused},
		"switched off":                      {"gate: {off: [desk]}\nseats: [{id: s}]", seatOf("*"), "add_pin", gate.Off, gate.Off},
		"a seat that is gone":               {"seats: [{id: x}]", seatOf("*"), "add_pin", gate.NoSeat, gate.NoSeat},
		"an address of a part":              {"seats: [{id: s}]", seatOf("*").Narrowed(capabilities.Narrowing{ReadOnly: true}), "add_pin", capabilities.ReasonNarrowed, capabilities.ReasonNarrowed},
		"denied to whom it acts for":        {"seats: [{id: s}]\nprincipals: [{id: person:ana, gate: {deny: [add_pin]}}]", acting("ana"), "add_pin", gate.Denied, gate.Denied},
		"the owner's own":                   {"principals: [{id: owner, gate: {deny: [add_pin]}}]", capabilities.OwnerPrincipal(), "add_pin", gate.Denied, gate.Denied},
	} {
		t.Run(name, func(t *testing.T) {
			none, _ := granting(t, capabilities.Scopes{}, base+c.yaml)
			if got := reasonOf(t, none, c.who, c.tool); got != c.before {
				t.Fatalf("without a grant the reason is %q, want %q", got, c.before)
			}
			granted := c.tool
			if granted == "put_ware" {
				granted = "add_ware"
			}
			g, _ := granting(t, capabilities.Scopes{}, base+c.yaml, gate.Grant{Kind: c.who.Kind, ID: c.who.ID, Capability: granted})
			if got := reasonOf(t, g, c.who, c.tool); got != c.after {
				t.Errorf("with a grant the reason is %q, want %q", got, c.after)
			}
		})
	}
}

func acting(person string) *capabilities.Principal {
	p := seatOf("*")
	p.ActingFor = person
	return p
}

// A grant is of one capability, for one principal.
func TestWhomAGrantIsFor(t *testing.T) {
	desk := gate.Grant{Kind: capabilities.Seat, ID: "s", Capability: "add_pin"}
	g, _ := granting(t, capabilities.Scopes{}, "people: [{id: s}]\nseats: [{id: s}, {id: z}]", desk)
	for name, c := range map[string]struct {
		who  *capabilities.Principal
		tool string
		want string
	}{
		"the seat":                   {seatOf(), "add_pin", ""},
		"the seat, another token":    {&capabilities.Principal{ID: "s", Kind: capabilities.Seat, Seat: "s", Credential: "tok_2"}, "add_pin", ""},
		"another tool":               {seatOf(), "drop_pin", capabilities.ReasonScope},
		"another seat":               {&capabilities.Principal{ID: "z", Kind: capabilities.Seat, Seat: "z"}, "add_pin", capabilities.ReasonScope},
		"a person of that name":      {&capabilities.Principal{ID: "s", Kind: capabilities.Person}, "add_pin", capabilities.ReasonScope},
		"a token of that name":       {&capabilities.Principal{ID: "s", Kind: capabilities.Operator}, "add_pin", capabilities.ReasonScope},
		"whoever else sits in there": {&capabilities.Principal{ID: "x", Kind: capabilities.Person, Seat: "s"}, "add_pin", capabilities.ReasonScope},
	} {
		if got := reasonOf(t, g, c.who, c.tool); got != c.want {
			t.Errorf("%s: the reason is %q, want %q", name, got, c.want)
		}
	}
}

// What has expired counts no more from that millisecond on, and of two grants the longer
// one counts.
func TestAGrantIsJudgedByTheClock(t *testing.T) {
	until := func(ms int64) gate.Grant {
		return gate.Grant{Kind: capabilities.Seat, ID: "s", Capability: "add_pin", Until: time.UnixMilli(ms)}
	}
	g, clock := granting(t, capabilities.Scopes{}, "seats: [{id: s}]", until(3_000_000), until(2_000_000))
	for at, want := range map[int64]string{1_000_000: "", 2_500_000: "", 2_999_999: "", 3_000_000: capabilities.ReasonScope, 9_000_000: capabilities.ReasonScope} {
		clock.Store(at)
		if got := reasonOf(t, g, seatOf(), "add_pin"); got != want {
			t.Errorf("at %d the reason is %q, want %q", at, got, want)
		}
	}
	g.PutGrants(nil)
	clock.Store(0)
	if got := reasonOf(t, g, seatOf(), "add_pin"); got != capabilities.ReasonScope {
		t.Errorf("without the grant the reason is %q", got)
	}
}

// own is the gate of an embedding program: scopes, and hours of its own.
type own struct{ closed bool }

func (o own) Decide(p *capabilities.Principal, c *capabilities.Capability) *capabilities.Rule {
	if rule := (capabilities.Scopes{}).Decide(p, c); rule != nil {
		return rule
	}
	if o.closed {
		return &capabilities.Rule{Reason: "closed", Message: "the shop is closed"}
	}
	return nil
}

// A grant stands for the scope in a gate of somebody else's, and for nothing else that it
// asks for.
func TestAGrantBehindAnotherGate(t *testing.T) {
	desk := gate.Grant{Kind: capabilities.Seat, ID: "s", Capability: "add_pin"}
	limited := seatOf("desk:read")
	limited.Within = []string{"desk:read"}
	for closed, want := range map[bool]string{false: "", true: "closed"} {
		g, _ := granting(t, own{closed}, "seats: [{id: s}]", desk)
		if got := reasonOf(t, g, limited, "add_pin"); got != want {
			t.Errorf("closed %t: the reason is %q, want %q", closed, got, want)
		}
		if got := reasonOf(t, g, limited, "drop_pin"); got != capabilities.ReasonScope {
			t.Errorf("closed %t: what is not granted is refused for %q", closed, got)
		}
	}
	if d := cmp.Diff([]string{"desk:read"}, limited.Within); d != "" {
		t.Errorf("the principal was changed: %s", d)
	}
}

// grantsOf answers many grants of others, and one.
func grantsOf(one gate.Grant) []gate.Grant {
	all := []gate.Grant{one}
	for i := range 1000 {
		all = append(all, gate.Grant{Kind: capabilities.Operator, ID: fmt.Sprintf("tok_%d", i), Capability: "add_ware", Until: time.UnixMilli(9_000_000)})
	}
	return all
}

func TestADecisionWithGrantsAllocatesNothing(t *testing.T) {
	yaml := "seats: [{id: s, scopes: [\"*:read\"], gate: {deny: [add_ware]}}]\nprincipals: [{id: token:tok_1, gate: {read_only: true}}]\n"
	g, _ := granting(t, capabilities.Scopes{}, yaml, grantsOf(gate.Grant{Kind: capabilities.Seat, ID: "s", Capability: "add_ware", Until: time.UnixMilli(9_000_000)})...)
	for _, name := range []string{"add_ware", "store_ware", "list_wares"} {
		c, _ := registry(t).Find(name)
		if rule := g.Decide(seatOf("*:read"), c); rule != nil {
			t.Fatalf("%+v", rule)
		}
		who := seatOf("*:read")
		if n := testing.AllocsPerRun(100, func() { g.Decide(who, c) }); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}

func BenchmarkDecideGranted(b *testing.B) {
	c, _ := registry(b).Find("add_ware")
	yaml := "gate: {deny: [zzz, \"y*\"]}\nseats: [{id: s, scopes: [\"*:read\"], gate: {deny: [add_ware]}}]\n"
	g, _ := granting(b, capabilities.Scopes{}, yaml, grantsOf(gate.Grant{Kind: capabilities.Seat, ID: "s", Capability: "add_ware", Until: time.UnixMilli(9_000_000)})...)
	who := seatOf("*:read")
	b.ReportAllocs()
	for b.Loop() {
		if g.Decide(who, c) != nil {
			b.Fatal("it is not granted")
		}
	}
}
