package config_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-89b9419b/holotype/internal/config"
)

func TestRulesOfApprovalAreRead(t *testing.T) {
	c, err := load(t, `gate:
  approve:
  - {effects: [destructive, world, unknown, write], of: [tracker, my server]}
  - {tools: ["purge_*"], wait_seconds: 300, valid_seconds: 60}
seats:
- id: s
  gate: {approve: [{of: [tracker]}]}
principals:
- id: owner
  gate: {read_only: true}
`, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := []config.Approve{
		{Effects: []config.Danger{config.DangerDestructive, config.DangerWorld, config.DangerUnknown, config.DangerWrite}, Of: []string{"tracker", "my server"}, Valid: 24 * time.Hour},
		{Tools: []string{"purge_*"}, Wait: 5 * time.Minute, Valid: time.Minute},
	}
	if diff := cmp.Diff(want, c.Gate.Approve); diff != "" {
		t.Errorf("gate (-want +got)\n%s", diff)
	}
	if diff := cmp.Diff([]config.Approve{{Of: []string{"tracker"}, Valid: 24 * time.Hour}}, c.Seats[0].Gate.Approve); diff != "" {
		t.Errorf("the seat (-want +got)\n%s", diff)
	}
	shown := map[string]string{}
	for _, s := range c.Show() {
		if strings.HasSuffix(s.Path, ".approve") {
			shown[s.Path] = string(s.Value)
		}
	}
	wantShown := map[string]string{
		"gate.approve":         `[{"effects":["destructive","world","unknown","write"],"of":["tracker","my server"],"wait_seconds":0,"valid_seconds":86400},{"tools":["purge_*"],"wait_seconds":300,"valid_seconds":60}]`,
		"seats.s.gate.approve": `[{"of":["tracker"],"wait_seconds":0,"valid_seconds":86400}]`,
	}
	if diff := cmp.Diff(wantShown, shown); diff != "" {
		t.Errorf("what is shown (-want +got)\n%s", diff)
	}
}

func TestWhereApprovalsAreAskedFor(t *testing.T) {
	for text, want := range map[string]string{
		"gate: {read_only: true}":                                 "",
		"gate: {approve: [{of: [a]}]}\nseats: [{id: s}]":          "gate.approve",
		"seats: [{id: r}, {id: s, gate: {approve: [{of: [a]}]}}]": "seats[1].gate.approve",
		"principals: [{id: owner, gate: {approve: [{of: [a]}]}}]": "principals[0].gate.approve",
	} {
		if got := mustLoad(t, text, nil).AsksApproval(); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

func TestAnotherRuleOfApprovalIsAnotherConfiguration(t *testing.T) {
	const text = "gate: {approve: [{effects: [write], of: [a], tools: [b], wait_seconds: 1, valid_seconds: 60}]}"
	c := mustLoad(t, text, nil)
	if !c.SameRules(mustLoad(t, text, nil)) {
		t.Error("the same text is another configuration")
	}
	for _, change := range [][2]string{{"write", "world"}, {"[a]", "[c]"}, {"[b]", "[c]"}, {"wait_seconds: 1", "wait_seconds: 2"}, {"60", "61"}, {"}]", "}, {of: [a]}]"}} {
		if c.SameRules(mustLoad(t, strings.Replace(text, change[0], change[1], 1), nil)) {
			t.Errorf("%s for %s is the same configuration", change[1], change[0])
		}
	}
}

func TestFaultsOfRulesOfApproval(t *testing.T) {
	for name, c := range map[string]struct{ in, path, says string }{
		"no entry":              {"gate:\n  approve: []\n", "gate.approve", "the list is empty: leave the key out"},
		"about nothing":         {"gate:\n  approve: [{wait_seconds: 5}]\n", "gate.approve[0]", "give effects, of or tools"},
		"no effect":             {"gate:\n  approve: [{effects: []}]\n", "gate.approve[0].effects", "the list is empty"},
		"an effect that is not": {"gate:\n  approve: [{effects: [reads]}]\n", "gate.approve[0].effects[0]", "must be one of destructive, world, unknown, write"},
		"an effect twice":       {"gate:\n  approve: [{effects: [write, write]}]\n", "gate.approve[0].effects[1]", "in the list already"},
		"a pattern inside":      {"gate:\n  approve: [{tools: [\"a*b\"]}]\n", "gate.approve[0].tools[0]", "one * behind it"},
		"waits too long":        {"gate:\n  approve: [{of: [a], wait_seconds: 301}]\n", "gate.approve[0].wait_seconds", "from 0 to 300"},
		"good too shortly":      {"gate:\n  approve: [{of: [a], valid_seconds: 59}]\n", "gate.approve[0].valid_seconds", "from 60 to 2592000"},
		"an unknown key":        {"gate:\n  approve: [{packs: [a]}]\n", "gate.approve[0].packs", "no such key"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := load(t, c.in, nil)
			got := faults(t, err)
			if len(got) == 0 || got[0].Path != c.path || got[0].Line != 2 || !strings.Contains(got[0].Message, c.says) {
				t.Errorf("got %v, want %s: %q", got, c.path, c.says)
			}
		})
	}
}
