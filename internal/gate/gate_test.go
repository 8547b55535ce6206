package gate_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/config"
	"github.com/seed-89b9419b/holotype/internal/gate"
)

type (
	noDeps struct{}
	none   struct{}
)

func builtin(pack *capabilities.Pack[noDeps], name, route string, e capabilities.Effect, aliases ...string) {
	s := capabilities.Spec{Name: name, Title: "A tool", Summary: "Do one thing.", Effect: e, Route: route}
	for _, a := range aliases {
		s.Aliases = append(s.Aliases, capabilities.Alias{Name: a, Since: "1", Until: "3"})
	}
	capabilities.Declare(pack, s, func(context.Context, noDeps, none) (none, error) { return none{}, nil })
}

// registry has a tool of every sort that a rule tells apart.
func registry(t testing.TB) *capabilities.Registry {
	t.Helper()
	shop, desk := capabilities.NewPack[noDeps](capabilities.PackInfo{Name: "shop", Title: "Shop", Summary: "Sell things."}), capabilities.NewPack[noDeps](capabilities.PackInfo{Name: "desk", Title: "Desk", Summary: "Keep things."})
	builtin(shop, "list_wares", "GET /wares", capabilities.Read(capabilities.Shared))
	builtin(shop, "add_ware", "POST /wares", capabilities.Append(capabilities.Shared), "put_ware", "store_ware")
	builtin(shop, "drop_ware", "DELETE /ware", capabilities.Destroy(capabilities.Shared))
	builtin(desk, "list_pins", "GET /pins", capabilities.Read(capabilities.Private))
	builtin(desk, "add_pin", "POST /pins", capabilities.Append(capabilities.Private))
	builtin(desk, "drop_pin", "DELETE /pin", capabilities.Destroy(capabilities.Private))
	reg, err := capabilities.Assemble(shop.Bind(noDeps{}), desk.Bind(noDeps{}))
	if err != nil {
		t.Fatal(err)
	}
	return reg
}

// far are tools of another server: one asserts nothing, one that it reads only, one that
// it reads only and destroys.
func far(t testing.TB) []*capabilities.Capability {
	t.Helper()
	yes, no := capabilities.HintFact{Value: capabilities.Yes}, capabilities.HintFact{Value: capabilities.No}
	var all []*capabilities.Capability
	for _, tool := range []struct {
		name  string
		hints capabilities.HintFacts
	}{
		{"silent", capabilities.HintFacts{}},
		{"reads", capabilities.HintFacts{ReadOnly: yes, OpenWorld: no}},
		{"torn", capabilities.HintFacts{ReadOnly: yes, Destructive: yes}},
	} {
		c, err := capabilities.NewBridged(capabilities.BridgedSpec{
			Name: "far__" + tool.name, Tool: tool.name, Server: "far", Input: []byte(`{"type":"object"}`), Hints: tool.hints,
			Handler: func(context.Context, *capabilities.Invocation) (*capabilities.Result, error) {
				return &capabilities.Result{}, nil
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, c)
	}
	return all
}

func configured(t testing.TB, yaml string) *config.Config {
	t.Helper()
	path := filepath.Join(t.TempDir(), "config.yaml")
	if err := os.WriteFile(path, []byte(yaml), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := config.Load(config.Options{Path: path})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func rules(t testing.TB, yaml string) *gate.Rules {
	t.Helper()
	return gate.Compile(configured(t, yaml))
}

func listed(t testing.TB, g capabilities.Gate, p *capabilities.Principal) (names []string) {
	t.Helper()
	live := capabilities.NewLive(registry(t))
	live.Replace("", "far", far(t))
	for _, c := range capabilities.NewViews(live, g).View(p).Listed {
		names = append(names, c.Name())
	}
	return names
}

func all(t testing.TB) []string {
	return listed(t, capabilities.Scopes{}, capabilities.OwnerPrincipal())
}

// without answers every name but some.
func without(t testing.TB, left ...string) (names []string) {
	for _, name := range all(t) {
		if !strings.Contains(" "+strings.Join(left, " ")+" ", " "+name+" ") {
			names = append(names, name)
		}
	}
	return names
}

func TestRulesTakeAway(t *testing.T) {
	owner := capabilities.OwnerPrincipal()
	ana := &capabilities.Principal{ID: "ana", Kind: capabilities.Person, Scopes: []string{"*"}}
	tok := &capabilities.Principal{ID: "tok_1", Kind: capabilities.Operator, Scopes: []string{"*"}, Credential: "tok_1"}
	seat := &capabilities.Principal{ID: "s", Kind: capabilities.Seat, Seat: "s", Scopes: []string{"*"}, Credential: "tok_1"}
	held := capabilities.OwnerPrincipal()
	held.Seat = "s"
	base := "people: [{id: ana}, {id: bob}]\nmcp_servers: [{name: far, command: x}]\n"
	everything := all(t)
	for name, c := range map[string]struct {
		yaml string
		who  *capabilities.Principal
		want []string
	}{
		"no rules":                             {"", owner, everything},
		"a list of what is left":               {"gate: {allow: [list_pins, add_*]}", owner, []string{"add_pin", "add_ware", "list_pins", "put_ware", "store_ware"}},
		"a name and its old ones":              {"gate: {allow: [add_ware]}", owner, []string{"add_ware", "put_ware", "store_ware"}},
		"an old name and the new one":          {"gate: {deny: [put_ware]}", owner, without(t, "add_ware", "put_ware", "store_ware")},
		"the beginning of an old name":         {"gate: {deny: [\"put_*\"]}", owner, without(t, "add_ware", "put_ware", "store_ware")},
		"deny wins":                            {"gate: {allow: [\"*\"], deny: [\"far__*\"]}", owner, without(t, "far__reads", "far__silent", "far__torn")},
		"nothing at all":                       {"gate: {deny: [\"*\"]}", owner, nil},
		"a name as clients show it":            {"gate: {deny: [mcp__holotype__add_pin]}", owner, without(t, "add_pin")},
		"a beginning as clients show it":       {"gate: {deny: [\"mcp__holotype__add_*\"]}", owner, without(t, "add_pin", "add_ware", "put_ware", "store_ware")},
		"everything as clients show it":        {"gate: {deny: [\"mcp__holotype__*\"]}", owner, nil},
		"another server's name never is ours":  {"gate: {deny: [mcp__other__add_pin, \"mcp__other__*\"]}", owner, everything},
		"read only":                            {"gate: {read_only: true}", owner, []string{"far__reads", "list_pins", "list_wares"}},
		"nothing destructive":                  {"gate: {no_destructive: true}", owner, without(t, "drop_ware", "drop_pin", "far__silent", "far__torn")},
		"nothing of the open world":            {"gate: {no_open_world: true}", owner, []string{"add_pin", "drop_pin", "far__reads", "list_pins"}},
		"a pack switched off":                  {"gate: {off: [shop]}", owner, without(t, "list_wares", "add_ware", "put_ware", "store_ware", "drop_ware")},
		"a server switched off":                {"gate: {off: [far]}", owner, without(t, "far__reads", "far__silent", "far__torn")},
		"what is refused stays":                {"gate: {refuse: [\"*\"]}", owner, everything},
		"the owner's own":                      {"principals: [{id: owner, gate: {deny: [add_pin]}}]", owner, without(t, "add_pin")},
		"somebody else's":                      {"principals: [{id: owner, gate: {deny: [\"*\"]}}, {id: person:bob, gate: {deny: [\"*\"]}}]", ana, everything},
		"a person's":                           {"principals: [{id: person:ana, gate: {read_only: true}}]", ana, []string{"far__reads", "list_pins", "list_wares"}},
		"a token's":                            {"principals: [{id: token:tok_1, gate: {deny: [add_pin]}}]", tok, without(t, "add_pin")},
		"a seat's":                             {"seats: [{id: s, gate: {deny: [add_pin]}}]", seat, without(t, "add_pin")},
		"a seat's, and its token's":            {"seats: [{id: s, gate: {deny: [add_pin]}}]\nprincipals: [{id: token:tok_1, gate: {deny: [drop_pin]}}]", seat, without(t, "add_pin", "drop_pin")},
		"a seat's, for the owner in it":        {"seats: [{id: s, gate: {deny: [add_pin]}}]", held, without(t, "add_pin")},
		"a seat's scopes, for the owner in it": {"seats: [{id: s, scopes: [\"desk:*\"]}]", held, []string{"add_pin", "drop_pin", "list_pins"}},
		"a seat with no scope at all":          {"seats: [{id: s, scopes: []}]", seat, nil},
		"one rule on top of another":           {"gate: {allow: [add_pin, drop_pin, list_pins]}\nseats: [{id: s, gate: {allow: [add_pin, add_ware]}}]", seat, []string{"add_pin"}},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, listed(t, gate.New(capabilities.Scopes{}, rules(t, base+c.yaml)), c.who)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// Every reason comes with a sentence that names the tool and the place of the rule, and
// no other word of the configuration.
func TestEveryReasonIsFired(t *testing.T) {
	base := "mcp_servers: [{name: far, command: x}]\n"
	fired := map[string]bool{}
	for name, c := range map[string]struct {
		yaml, tool, reason, says string
		scopes                   []string
		here                     capabilities.Narrowing
	}{
		"read-only address":   {tool: "add_pin", reason: capabilities.ReasonNarrowed, says: "only tools are that are known to change nothing", here: capabilities.Narrowing{ReadOnly: true}},
		"a seat that is gone": {yaml: "seats: [{id: x}]", tool: "list_pins", reason: gate.NoSeat, says: "the seat \"s\", which is not configured"},
		"a pack's address":    {tool: "add_pin", reason: capabilities.ReasonNarrowed, says: "only the tools of shop", here: capabilities.Narrowing{Group: "shop"}},
		"scope":               {"", "add_pin", capabilities.ReasonScope, `add_pin needs the scope "desk:write"`, []string{"shop:*"}, capabilities.Narrowing{}},
		"a seat's":            {"seats: [{id: s, scopes: [\"desk:read\"]}]", "add_pin", capabilities.ReasonScope, "seat s was not granted", nil, capabilities.Narrowing{}},
		"off":                 {"gate: {off: [desk]}", "add_pin", gate.Off, "with all of desk (gate.off", nil, capabilities.Narrowing{}},
		"denied":              {"gate: {deny: [\"add_*\"]}", "add_pin", gate.Denied, "add_pin is denied (gate in the configuration)", nil, capabilities.Narrowing{}},
		"not allowed":         {"seats: [{id: x}, {id: s, gate: {allow: [list_pins]}}]", "add_pin", gate.NotAllowed, "(seats[1].gate in", nil, capabilities.Narrowing{}},
		"read only":           {"gate: {read_only: true}", "add_pin", gate.NotReadOnly, "known to change nothing", nil, capabilities.Narrowing{}},
		"destructive":         {"gate: {no_destructive: true}", "drop_pin", gate.Destructive, "may change or remove", nil, capabilities.Narrowing{}},
		"the open":            {"gate: {no_open_world: true}", "list_wares", gate.OpenWorld, "what others read", nil, capabilities.Narrowing{}},
		"silent":              {"gate: {no_destructive: true}", "far__silent", gate.Destructive, "may change or remove", nil, capabilities.Narrowing{}},
		"refused":             {"gate: {refuse: [add_pin]}", "add_pin", gate.Refused, "add_pin is refused (gate in", nil, capabilities.Narrowing{}},
		"hiding first":        {"gate: {refuse: [add_pin]}\nseats: [{id: s, gate: {deny: [add_pin]}}]", "add_pin", gate.Denied, "is denied (seats[0].gate", nil, capabilities.Narrowing{}},
		"an old name's":       {"gate: {refuse: [add_ware]}", "put_ware", gate.Refused, "put_ware is refused", nil, capabilities.Narrowing{}},
	} {
		t.Run(name, func(t *testing.T) {
			live := capabilities.NewLive(registry(t))
			live.Replace("", "far", far(t))
			views := capabilities.NewViews(live, gate.New(capabilities.Scopes{}, rules(t, base+c.yaml)))
			who := &capabilities.Principal{ID: "s", Kind: capabilities.Operator, Scopes: c.scopes}
			if strings.Contains(c.yaml, "seats:") {
				who.Kind, who.Seat = capabilities.Seat, "s"
			}
			if c.scopes == nil {
				who.Scopes = []string{"*"}
			}
			who = who.Narrowed(c.here)
			_, rule, ok := views.Find(who, c.tool)
			if !ok || rule == nil || rule.Reason != c.reason || !strings.Contains(rule.Message, c.says) {
				t.Fatalf("got %+v, want %s: %s", rule, c.reason, c.says)
			}
			fired[rule.Reason] = true
			for _, reason := range gate.Reasons() {
				if reason.Word == rule.Reason && reason.Listed != rule.Listed {
					t.Errorf("%s is listed: %t, and the table says %t", c.tool, rule.Listed, reason.Listed)
				}
			}
		})
	}
	// What was called before is no matter of the gate's: see the tests of package ratelimit.
	fired[gate.RateLimited] = true
	// An approval keeps nobody from the call: see the tests of [gate.Gate.NeedsApproval].
	fired[capabilities.ReasonApproval] = true
	for _, reason := range gate.Reasons() {
		if !fired[reason.Word] {
			t.Errorf("the reason %s was not fired", reason.Word)
		}
	}
	if len(fired) != len(gate.Reasons()) {
		t.Errorf("the table has %d reasons, and %v were fired", len(gate.Reasons()), fired)
	}
}

func TestADecisionAllocatesNothing(t *testing.T) {
	yaml := "gate: {allow: [\"*\"], deny: [zzz, \"y*\"], refuse: [x], off: [desk], no_open_world: false}\nseats: [{id: s, scopes: [\"*\"], gate: {deny: [zzz, \"y*\"]}}]\nprincipals: [{id: token:tok_1, gate: {no_destructive: true}}]\n"
	g := gate.New(capabilities.Scopes{}, rules(t, yaml))
	who := &capabilities.Principal{ID: "s", Kind: capabilities.Seat, Seat: "s", Scopes: []string{"*"}, Credential: "tok_1"}
	for _, name := range []string{"list_wares", "put_ware"} {
		c, _ := registry(t).Find(name)
		if rule := g.Decide(who, c); rule != nil {
			t.Fatalf("%+v", rule)
		}
		if n := testing.AllocsPerRun(100, func() { g.Decide(who, c) }); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}

func TestPatternsThatStandForNothingAreSaid(t *testing.T) {
	c := configured(t, `gate:
  deny: [add_pin, add_pim, "drop*", "drip*", far__x, "f*", "mcp__holotype__add_*", mcp__other__add_pin]
seats:
- id: s
  gate: {allow: [list_wears]}
`)
	var got []string
	for _, n := range gate.Unmatched(c, registry(t), []string{"far__"}) {
		got = append(got, n.Text)
	}
	want := []string{
		`gate.deny[1]: no tool here can have the name "add_pim"`,
		`gate.deny[3]: no tool here can have a name that begins with "drip"`,
		`gate.deny[7]: no tool here can have the name "mcp__other__add_pin"`,
		`seats[0].gate.allow[0]: no tool here can have the name "list_wears"`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestUnknownNamesAreFaults(t *testing.T) {
	c := configured(t, "gate:\n  off: [shop, shoop]\n")
	faults := gate.Unknown(c, map[string]bool{"shop": true})
	if len(faults) != 1 || faults[0].Path != "gate.off[1]" || faults[0].Line != 2 || !strings.Contains(faults[0].Message, `"shoop"`) {
		t.Errorf("%v", faults)
	}
}

// Rules that are put in force count for calls at once, and for lists with the swap.
func TestRulesAreReplaced(t *testing.T) {
	live := capabilities.NewLive(registry(t))
	g := gate.New(capabilities.Scopes{}, nil)
	views := capabilities.NewViews(live, g)
	owner, told := capabilities.OwnerPrincipal(), 0
	defer views.Subscribe(func() { told++ })()
	before := views.View(owner)
	g.Put(rules(t, "gate: {deny: [add_pin]}"))
	if _, rule, _ := views.Find(owner, "add_pin"); rule == nil {
		t.Error("a call is judged by the rules before")
	}
	live.Renew()
	if after := views.View(owner); len(after.Listed) != len(before.Listed)-1 || told != 1 {
		t.Errorf("%d of %d are listed, and %d were told", len(after.Listed), len(before.Listed), told)
	}
	g.Put(nil)
	live.Renew()
	if after := views.View(owner); len(after.Listed) != len(before.Listed) {
		t.Errorf("%d of %d are listed without rules", len(after.Listed), len(before.Listed))
	}
}

func BenchmarkDecide(b *testing.B) {
	c, _ := registry(b).Find("list_wares")
	who := &capabilities.Principal{ID: "s", Kind: capabilities.Seat, Seat: "s", Scopes: []string{"*"}, Credential: "tok_1"}
	for name, yaml := range map[string]string{
		"none": "", "some": "gate: {deny: [zzz, \"y*\", \"x*\"], off: [desk]}\nseats: [{id: s, scopes: [\"*\"], gate: {allow: [\"list_*\", \"add_*\"], deny: [a, b, c, \"d*\"]}}]\nprincipals: [{id: token:tok_1, gate: {read_only: true}}]\n",
	} {
		g := gate.New(capabilities.Scopes{}, rules(b, yaml))
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				g.Decide(who, c)
			}
		})
	}
}
