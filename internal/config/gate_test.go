package config_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-89b9419b/holotype/internal/config"
)

func TestRulesAreRead(t *testing.T) {
	c, err := load(t, `people: [{id: ana}]
gate:
  deny: ["purge_*"]
  no_open_world: true
  off: [tracker, my server]
principals:
- id: person:ana
  gate: {allow: [list_tools], refuse: ["x*"]}
- id: owner
  gate: {no_destructive: true}
seats:
- id: s
- id: t
  gate:
    read_only: true
`, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := config.Gate{Rules: config.Rules{Deny: []string{"purge_*"}, NoOpenWorld: true, Path: "gate", Line: 3}, Off: []string{"tracker", "my server"}}
	if diff := cmp.Diff(want, c.Gate); diff != "" {
		t.Errorf("gate (-want +got)\n%s", diff)
	}
	principals := []config.PrincipalRules{
		{ID: "person:ana", Rules: config.Rules{Allow: []string{"list_tools"}, Refuse: []string{"x*"}, Path: "principals[0].gate", Line: 8}, Line: 7},
		{ID: "owner", Rules: config.Rules{NoDestructive: true, Path: "principals[1].gate", Line: 10}, Line: 9},
	}
	if diff := cmp.Diff(principals, c.Principals); diff != "" {
		t.Errorf("principals (-want +got)\n%s", diff)
	}
	if diff := cmp.Diff([]config.Rules{{}, {ReadOnly: true, Path: "seats[1].gate", Line: 15}}, []config.Rules{c.Seats[0].Gate, c.Seats[1].Gate}); diff != "" {
		t.Errorf("seats (-want +got)\n%s", diff)
	}
	shown := map[string]string{}
	for _, s := range c.Show() {
		if strings.Contains(s.Path, "gate") {
			shown[s.Path] = string(s.Value)
		}
	}
	for path, value := range map[string]string{
		"gate.deny": `["purge_*"]`, "gate.off": `["tracker","my server"]`, "gate.read_only": "false", `principals["person:ana"].gate.allow`: `["list_tools"]`,
		"principals.owner.gate.no_destructive": "true", "seats.t.gate.read_only": "true",
	} {
		if !json.Valid([]byte(shown[path])) || shown[path] != value {
			t.Errorf("%s is shown as %q, want %s, in %v", path, shown[path], value, shown)
		}
	}
	if _, ok := shown["seats.s.gate.read_only"]; ok {
		t.Error("rules that were not given are shown")
	}
}

func TestFaultsOfRules(t *testing.T) {
	for name, c := range map[string]struct {
		in, path, says string
		line           int
	}{
		"a pattern with * inside":     {"gate:\n  deny: [purge_*_item]\n", "gate.deny[0]", "one * behind it", 2},
		"a pattern with * in front":   {"gate:\n  allow: [\"*_item\"]\n", "gate.allow[0]", "one * behind it", 2},
		"no pattern at all":           {"gate:\n  allow: []\n", "gate.allow", `write deny: ["*"] to allow none`, 2},
		"a pattern twice":             {"gate:\n  refuse: [a, a]\n", "gate.refuse[1]", "in the list already", 2},
		"an unknown rule":             {"gate:\n  readonly: true\n", "gate.readonly", "did you mean read_only?", 2},
		"a switch of a seat":          {"seats:\n- {id: s, gate: {off: [tracker]}}\n", "seats[0].gate.off", "no such key", 2},
		"a person who is none":        {"people: [{id: ana}]\nprincipals:\n- {id: person:anna, gate: {}}\n", "principals[0].id", "did you mean ana?", 3},
		"a seat among the principals": {"principals:\n- {id: seat:s, gate: {}}\n", "principals[0].id", "must be owner, person:", 2},
		"a principal twice":           {"principals:\n- {id: owner, gate: {}}\n- {id: owner, gate: {}}\n", "principals[1].id", "declared on line 2 already", 3},
		"a principal without rules":   {"principals:\n- {id: owner}\n", "principals[0]", "write gate for rules, rate_limits for limits", 2},
	} {
		t.Run(name, func(t *testing.T) {
			cfg, err := load(t, c.in, nil)
			got := faults(t, err)
			if cfg != nil || len(got) != 1 {
				t.Fatalf("got %v, want one fault and no config", err)
			}
			if f := got[0]; f.Path != c.path || f.Line != c.line || !strings.Contains(f.Message, c.says) {
				t.Errorf("got %v, want line %d, %s, %q", f, c.line, c.path, c.says)
			}
		})
	}
}
