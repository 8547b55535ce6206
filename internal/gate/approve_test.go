package gate_test

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/gate"
)

// office are tools that differ in what rules of approval ask about.
func office(t testing.TB) *capabilities.Live {
	t.Helper()
	live := capabilities.NewLive(registry(t))
	live.Replace("", "far", far(t))
	return live
}

// asked answers the tools that a principal's view has as waiting for a person, and fails
// the test where a call would be kept from running by the rule itself.
func asked(t testing.TB, live *capabilities.Live, g *gate.Gate, p *capabilities.Principal) (names []string) {
	t.Helper()
	views := capabilities.NewViews(live, g)
	for _, refused := range views.View(p).Refused {
		name := refused.Capability.Name()
		if refused.Rule.Reason != capabilities.ReasonApproval || !refused.Rule.Listed {
			continue
		}
		names = append(names, name)
		if _, rule, ok := views.Find(p, name); !ok || rule != nil {
			t.Errorf("%s: the call is refused by %+v", name, rule)
		}
	}
	return names
}

func TestWhichCallsNeedAnApproval(t *testing.T) {
	owner := capabilities.OwnerPrincipal()
	ana := &capabilities.Principal{ID: "ana", Kind: capabilities.Person, Scopes: []string{"*"}}
	seat := &capabilities.Principal{ID: "s", Kind: capabilities.Seat, Seat: "s", Scopes: []string{"*"}, Credential: "tok_1"}
	forAna := *seat
	forAna.ActingFor = "ana"
	const base = "mcp_servers: [{name: far, command: x}]\npeople: [{id: ana}]\n"
	for name, c := range map[string]struct {
		yaml string
		who  *capabilities.Principal
		want []string
	}{
		"none":                            {"gate: {deny: [zzz]}", owner, nil},
		"destructive":                     {"gate: {approve: [{effects: [destructive]}]}", owner, []string{"drop_pin", "drop_ware", "far__silent", "far__torn"}},
		"world":                           {"gate: {approve: [{effects: [world]}]}", owner, []string{"far__silent", "far__torn"}},
		"unknown":                         {"gate: {approve: [{effects: [unknown]}]}", owner, []string{"far__silent"}},
		"write":                           {"gate: {approve: [{effects: [write]}]}", owner, []string{"add_pin", "add_ware", "drop_pin", "drop_ware", "far__silent", "far__torn", "put_ware", "store_ware"}},
		"one effect of two":               {"gate: {approve: [{effects: [unknown, world]}]}", owner, []string{"far__silent", "far__torn"}},
		"a pack":                          {"gate: {approve: [{of: [desk]}]}", owner, []string{"add_pin", "drop_pin", "list_pins"}},
		"a server":                        {"gate: {approve: [{of: [far]}]}", owner, []string{"far__reads", "far__silent", "far__torn"}},
		"a name":                          {"gate: {approve: [{tools: [add_pin]}]}", owner, []string{"add_pin"}},
		"an old name":                     {"gate: {approve: [{tools: [put_ware]}]}", owner, []string{"add_ware", "put_ware", "store_ware"}},
		"all that is given":               {"gate: {approve: [{effects: [write], of: [shop, far], tools: [\"drop_*\", \"far__*\"]}]}", owner, []string{"drop_ware", "far__silent", "far__torn"}},
		"one entry of two":                {"gate: {approve: [{of: [shop], effects: [destructive]}, {tools: [list_pins]}]}", owner, []string{"drop_ware", "list_pins"}},
		"the owner's":                     {"principals: [{id: owner, gate: {approve: [{tools: [add_pin]}]}}]", owner, []string{"add_pin"}},
		"the owner's, for another":        {"principals: [{id: owner, gate: {approve: [{tools: [add_pin]}]}}]", ana, nil},
		"a person's":                      {"principals: [{id: person:ana, gate: {approve: [{tools: [add_pin]}]}}]", ana, []string{"add_pin"}},
		"a token's":                       {"seats: [{id: s}]\nprincipals: [{id: token:tok_1, gate: {approve: [{tools: [add_pin]}]}}]", seat, []string{"add_pin"}},
		"a seat's":                        {"seats: [{id: s, gate: {approve: [{tools: [add_pin]}]}}]", seat, []string{"add_pin"}},
		"of whom it is for":               {"seats: [{id: s}]\nprincipals: [{id: person:ana, gate: {approve: [{tools: [add_pin]}]}}]", &forAna, []string{"add_pin"}},
		"what is hidden is not asked for": {"gate: {deny: [add_pin], approve: [{of: [desk]}]}", owner, []string{"drop_pin", "list_pins"}},
		"what is refused is refused":      {"gate: {refuse: [add_pin], approve: [{of: [desk]}]}", owner, []string{"drop_pin", "list_pins"}},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, asked(t, office(t), gate.New(capabilities.Scopes{}, rules(t, base+c.yaml)), c.who)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestWhatARuleOfApprovalSays(t *testing.T) {
	g := gate.New(capabilities.Scopes{}, rules(t, `gate:
  approve:
  - {tools: [list_*]}
  - {tools: [add_pin], wait_seconds: 10, valid_seconds: 60}
seats:
- id: s
  gate: {approve: [{of: [desk], wait_seconds: 300, valid_seconds: 2592000}]}
`))
	seat := &capabilities.Principal{ID: "s", Kind: capabilities.Seat, Seat: "s", Scopes: []string{"*"}}
	for tool, want := range map[string]capabilities.ApprovalNeed{
		"list_wares": {Path: "gate.approve[0]", Valid: 24 * time.Hour},
		"add_pin":    {Path: "gate.approve[1]", Wait: 5 * time.Minute, Valid: time.Minute},
		"drop_pin":   {Path: "seats[0].gate.approve[0]", Wait: 5 * time.Minute, Valid: 30 * 24 * time.Hour},
	} {
		c, _ := registry(t).Find(tool)
		got, needed := g.NeedsApproval(seat, c)
		if diff := cmp.Diff(want, got); diff != "" || !needed {
			t.Errorf("%s: %t (-want +got)\n%s", tool, needed, diff)
		}
	}
}

// A server that changes a hint towards danger has its next call asked about.
func TestHintsThatChangeAreAskedAbout(t *testing.T) {
	live := office(t)
	g := gate.New(capabilities.Scopes{}, rules(t, "mcp_servers: [{name: far, command: x}]\ngate: {approve: [{effects: [destructive], of: [far], tools: [far__reads]}]}"))
	owner := capabilities.OwnerPrincipal()
	if got := asked(t, live, g, owner); got != nil {
		t.Errorf("before, %v are asked about", got)
	}
	silent, err := capabilities.NewBridged(capabilities.BridgedSpec{
		Name: "far__reads", Tool: "reads", Server: "far", Input: []byte(`{"type":"object"}`),
		Handler: func(context.Context, *capabilities.Invocation) (*capabilities.Result, error) {
			return &capabilities.Result{}, nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	live.Replace("", "far", []*capabilities.Capability{silent})
	if diff := cmp.Diff([]string{"far__reads"}, asked(t, live, g, owner)); diff != "" {
		t.Errorf("after (-want +got)\n%s", diff)
	}
}

// The decision needs no approval, or nobody could ever give one.
func TestDecisionNeedsNoApproval(t *testing.T) {
	pack := capabilities.NewPack[noDeps](capabilities.PackInfo{Name: "system", Title: "System", Summary: "Run it."})
	builtin(pack, gate.Decision, "POST /decision", capabilities.Set(capabilities.Local))
	builtin(pack, "decide_another", "POST /another", capabilities.Set(capabilities.Local))
	reg, err := capabilities.Assemble(pack.Bind(noDeps{}))
	if err != nil {
		t.Fatal(err)
	}
	g := gate.New(capabilities.Scopes{}, rules(t, "gate: {approve: [{tools: [\"*\"]}]}"))
	if diff := cmp.Diff([]string{"decide_another"}, asked(t, capabilities.NewLive(reg), g, capabilities.OwnerPrincipal())); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestAskingAllocatesNothing(t *testing.T) {
	who := &capabilities.Principal{ID: "s", Kind: capabilities.Seat, Seat: "s", Scopes: []string{"*"}, Credential: "tok_1"}
	c, _ := registry(t).Find("add_pin")
	for name, yaml := range map[string]string{
		"no rule": "gate: {deny: [zzz]}", "a rule about others": "seats: [{id: s, gate: {approve: [{effects: [destructive], tools: [\"drop_*\"]}]}}]",
		"a rule about it": "gate: {approve: [{of: [desk]}]}\nseats: [{id: s}]",
	} {
		g := gate.New(capabilities.Scopes{}, rules(t, yaml))
		if n := testing.AllocsPerRun(100, func() { g.NeedsApproval(who, c) }); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}

func TestNamesInRulesOfApproval(t *testing.T) {
	c := configured(t, `gate:
  approve:
  - {of: [shop, shoop]}
  - {tools: [add_pin, add_pim]}
seats:
- id: s
  gate: {approve: [{of: [dask]}, {tools: ["drip*"]}]}
`)
	var got []string
	for _, n := range gate.Unmatched(c, registry(t), nil) {
		got = append(got, n.Text)
	}
	for _, f := range gate.Unknown(c, map[string]bool{"shop": true}) {
		got = append(got, f.Path+": "+f.Message)
	}
	want := []string{
		`gate.approve[1].tools[1]: no tool here can have the name "add_pim"`,
		`seats[0].gate.approve[1].tools[0]: no tool here can have a name that begins with "drip"`,
		`gate.approve[0].of[1]: there is no pack and no MCP server "shoop"`,
		`seats[0].gate.approve[0].of[0]: there is no pack and no MCP server "dask"`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// The example of the page about approvals is a configuration, and means what the page says.
func TestTheGuideToApprovals(t *testing.T) {
	page, err := os.ReadFile("../../docs/approvals.md")
	if err != nil {
		t.Fatal(err)
	}
	_, example, ok := strings.Cut(string(page), "```yaml\n")
	example, _, _ = strings.Cut(example, "```")
	if all := configured(t, example).Seats[0].Gate.Approve; !ok || len(all) != 2 || all[1].Wait != time.Minute || all[0].Valid != 24*time.Hour {
		t.Errorf("the example is read as %+v", all)
	}
	_, table, _ := strings.Cut(string(page), "| key | about |\n|---|---|\n")
	table, _, _ = strings.Cut(table, "\n\n")
	for _, key := range []string{"effects", "of", "tools", "wait_seconds", "valid_seconds", "destructive", "world", "unknown", "write"} {
		if !strings.Contains(table, "`"+key+"`") {
			t.Errorf("the table does not have %s", key)
		}
	}
}

// What a server lists waits for nobody, and what is read does.
func TestListsOfAServerNeedNoApproval(t *testing.T) {
	g := gate.New(capabilities.Scopes{}, rules(t, "mcp_servers: [{name: far, command: x}]\ngate: {approve: [{of: [far]}]}"))
	for method, want := range map[string]bool{
		capabilities.RelayResources: false, capabilities.RelayTemplates: false, capabilities.RelayPrompts: false, capabilities.RelayComplete: false,
		capabilities.RelayRead: true, capabilities.RelayPrompt: true,
	} {
		c := capabilities.NewRelayed(capabilities.RelayedSpec{Server: "far", Prefix: "far__", Method: method})
		if _, needed := g.NeedsApproval(capabilities.OwnerPrincipal(), c); needed != want {
			t.Errorf("%s: needs an approval: %t", method, needed)
		}
	}
}

// A pattern names what is relayed as it names tools.
func TestPatternsNameWhatIsRelayed(t *testing.T) {
	live := capabilities.NewLive(registry(t))
	var all []*capabilities.Capability
	for _, method := range []string{capabilities.RelayResources, capabilities.RelayRead, capabilities.RelayPrompts, capabilities.RelayPrompt} {
		all = append(all, capabilities.NewRelayed(capabilities.RelayedSpec{Server: "far", Prefix: "far__", Method: method}))
	}
	live.Replace("", "far", all)
	for rule, want := range map[string]int{"deny: [far__resources/*]": 2, "deny: ['far__*']": 0, "deny: [far__prompts/get]": 2, "allow: [far__torn]": 0, "read_only: true": 0, "deny: [zzz]": 4} {
		g := gate.New(capabilities.Scopes{}, rules(t, "mcp_servers: [{name: far, command: x}]\ngate: {"+rule+"}"))
		if n := len(capabilities.NewViews(live, g).View(capabilities.OwnerPrincipal()).Relays); n != want {
			t.Errorf("%s leaves %d, want %d", rule, n, want)
		}
	}
}
