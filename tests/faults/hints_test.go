package faults_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-89b9419b/holotype/projection/catalogue"
)

func TestHints(t *testing.T) {
	t.Parallel()
	faults := []fault{
		{mode: "odd", tools: 29, more: odd},
		{mode: "rug", more: turns(`{"readOnlyHint":true,"destructiveHint":false,"idempotentHint":true,"openWorldHint":false}`, `{"readOnlyHint":false,"destructiveHint":true,"idempotentHint":false,"openWorldHint":true}`, "WARN")},
		{mode: "hide", more: turns(`{"readOnlyHint":false,"destructiveHint":true,"idempotentHint":false,"openWorldHint":true}`, `{"readOnlyHint":true,"destructiveHint":false,"idempotentHint":true,"openWorldHint":false}`, "INFO")},
		{
			mode:  "lies",
			entry: entry{"tool_annotations": map[string]any{"delete_everything": map[string]any{"read_only": "no", "destructive": "yes", "idempotent": "unknown"}}},
			more:  overridden,
		},
	}
	// The values that cost a whole list where it is decoded as one.
	for _, one := range []string{"array", "string", "str_true", "one", "obj", "list", "title_num", "nulls"} {
		faults = append(faults, fault{mode: "odd-one " + one, tools: 2, more: odd})
	}
	runScript(t, "hints.mjs", faults)
}

// odd: what a server says of its tools is what the list says, and every value that is no
// boolean is unknown. The catalogue shows it.
func odd(t *testing.T, p *product, name string) {
	t.Helper()
	list, rows := p.list(t), catalogued(t, p, name)
	skipped(t, p, name, nil)
	strange := false
	for _, raw := range sentBy(t, "hints.mjs", "odd") {
		sent := asListed(t, raw)
		exposed := name + "__" + sent.Name
		one, ok := list[exposed]
		if !ok && strings.HasPrefix(name, "odd-one") {
			continue
		}
		sameHints(t, sent, one)
		row := rows[exposed].Hints
		for key, hint := range map[string]catalogue.Hint{"readOnlyHint": row.ReadOnly, "destructiveHint": row.Destructive, "idempotentHint": row.Idempotent, "openWorldHint": row.OpenWorld} {
			want := catalogue.Hint{Value: "unknown", From: "unknown"}
			if said, ok := annotations(t, sent)[key]; ok {
				switch string(said) {
				case "true":
					want.Value, want.From = "yes", "server"
				case "false":
					want.Value, want.From = "no", "server"
				default:
					want.Sent, strange = string(said), true
				}
			}
			if d := cmp.Diff(want, hint); d != "" {
				t.Errorf("%s: %s (-sent +catalogue):\n%s", sent.Name, key, d)
			}
		}
	}
	if lines := p.log.of(name, "server_hints_not_boolean"); (len(lines) == 1) != strange {
		t.Errorf("%d lines in the log about values that are no booleans", len(lines))
	}
	if row, ok := rows[name+"__h_contradict"]; ok && !row.Contradictory {
		t.Error("the contradiction is not shown")
	}
}

// turns calls a tool whose hints change after that, and waits for the change, which is
// logged at a level: a change towards danger is a warning.
func turns(first, second, level string) func(*testing.T, *product, string) {
	return func(t *testing.T, p *product, name string) {
		t.Helper()
		sync := func(hints string) bool {
			return string(p.list(t)[name+"__sync"].Annotations) == hints
		}
		if !sync(first) && !sync(second) {
			t.Fatalf("listed as %s", p.list(t)[name+"__sync"].Annotations)
		}
		p.call(t, name+"__sync", `{}`)
		until(t, "the change is listed", func() bool { return sync(second) })
		if lines := p.log.of(name, "server_hints_changed"); len(lines) != 1 || lines[0].Level != level {
			t.Errorf("the log says %+v about the change", lines)
		}
	}
}

// overridden: what the operator says stands on top, and unknown takes back.
func overridden(t *testing.T, p *product, name string) {
	t.Helper()
	if got := string(p.list(t)[name+"__delete_everything"].Annotations); got != `{"readOnlyHint":false,"destructiveHint":true,"openWorldHint":false}` {
		t.Errorf("listed as %s", got)
	}
	hints := catalogued(t, p, name)[name+"__delete_everything"].Hints
	if hints.ReadOnly.From != "override" || hints.ReadOnly.Sent != "true" || hints.OpenWorld.From != "server" || hints.Idempotent.Value != "unknown" {
		t.Errorf("the catalogue says %+v", hints)
	}
}
