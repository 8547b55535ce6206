package catalogue_test

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/projection/catalogue"
)

// far is a tool of another server.
func far(t *testing.T, tool string, more capabilities.BridgedSpec) *capabilities.Capability {
	t.Helper()
	more.Name, more.Tool, more.Server = "far__"+tool, tool, "far"
	if more.Input == nil {
		more.Input = json.RawMessage(`{"type":"object"}`)
	}
	more.Handler = func(context.Context, *capabilities.Invocation) (*capabilities.Result, error) { return nil, nil }
	c, err := capabilities.NewBridged(more)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// A row says what was sent where the value does not, and how the hints moved.
func TestRowOfABridgedTool(t *testing.T) {
	r := catalogue.RowOf(far(t, "look", capabilities.BridgedSpec{
		Input: json.RawMessage(`{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}}}`),
		Hints: capabilities.HintFacts{
			ReadOnly:    capabilities.HintFact{Value: capabilities.Yes, From: capabilities.FromServer, Raw: json.RawMessage(`true`)},
			Destructive: capabilities.HintFact{Value: capabilities.No, From: capabilities.FromOverride, Raw: json.RawMessage(`true`)},
			Idempotent:  capabilities.HintFact{Raw: json.RawMessage(`"yes"`)},
			OpenWorld:   capabilities.HintFact{Value: capabilities.Yes, From: capabilities.FromOverride},
		},
		Extras: capabilities.BridgedExtras{Drift: &capabilities.HintDrift{
			Changed: []string{"readOnlyHint"}, Since: time.Date(2026, 11, 30, 13, 0, 0, 0, time.FixedZone("", 3600)), Held: true,
		}},
	}))
	want := catalogue.Hints{
		ReadOnly:    catalogue.Hint{Value: "yes", From: "server"},
		Destructive: catalogue.Hint{Value: "no", From: "override", Sent: "true"},
		Idempotent:  catalogue.Hint{Value: "unknown", From: "unknown", Sent: `"yes"`},
		OpenWorld:   catalogue.Hint{Value: "yes", From: "override"},
	}
	if d := cmp.Diff(want, r.Hints); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
	if d := cmp.Diff(&catalogue.HintDrift{Changed: []string{"readOnlyHint"}, Since: "2026-11-30T12:00:00Z", Held: true}, r.Drift); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
	if r.Arguments != 2 || r.Effect != nil || r.Source != "mcp:far" {
		t.Errorf("%+v", r)
	}
	if plain := catalogue.RowOf(far(t, "see", capabilities.BridgedSpec{})); plain.Drift != nil || plain.Arguments != 0 {
		t.Errorf("%+v", plain)
	}
}

// Of a view a row says why a tool is hidden or refused, each its own reason.
func TestRowsOfAView(t *testing.T) {
	reads := capabilities.HintFacts{ReadOnly: capabilities.HintFact{Value: capabilities.Yes, From: capabilities.FromServer}}
	writes := capabilities.HintFacts{ReadOnly: capabilities.HintFact{Value: capabilities.No, From: capabilities.FromServer}}
	look, save := far(t, "look", capabilities.BridgedSpec{Hints: reads}), far(t, "save", capabilities.BridgedSpec{Hints: writes})
	gone, lost := far(t, "gone", capabilities.BridgedSpec{}), far(t, "lost", capabilities.BridgedSpec{})
	v := &capabilities.View{
		Listed:  []*capabilities.Capability{look, save},
		Hidden:  []capabilities.Hidden{{Capability: gone, Rule: capabilities.Rule{Message: "it is gone"}}, {Capability: lost, Rule: capabilities.Rule{Message: "it is lost"}}},
		Refused: []capabilities.Hidden{{Capability: save, Rule: capabilities.Rule{Message: "not today"}}},
	}
	rows := append(catalogue.Rows(v), catalogue.RowIn(v, gone), catalogue.RowIn(v, lost))
	var got [][3]string
	for _, r := range rows {
		got = append(got, [3]string{r.Name, r.Refused, r.Hidden})
	}
	want := [][3]string{{"far__look", "", ""}, {"far__save", "not today", ""}, {"far__gone", "", "it is gone"}, {"far__lost", "", "it is lost"}}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
	if d := cmp.Diff([]string{"far__save"}, catalogue.Writers(v)); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
}

// The words of a change are each there once.
func TestWordsOfAChange(t *testing.T) {
	if d := cmp.Diff([]string{"read", "append", "amend", "set", "destroy"}, catalogue.Change("").SchemaEnum()); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
}
