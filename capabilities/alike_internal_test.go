package capabilities

import (
	"context"
	"encoding/json"
	"testing"
	"time"
	"unsafe"

	"github.com/google/go-cmp/cmp"
)

func plainSpec() BridgedSpec {
	return BridgedSpec{
		Name: "s__list", Tool: "list", Server: "s", Title: "List", Summary: "Lists.", Timeout: time.Second,
		Input: json.RawMessage(`{"type":"object","properties":{}}`), Extras: BridgedExtras{WireName: "list"},
		Hints: HintFacts{
			ReadOnly:  HintFact{Value: Yes, From: FromServer, Raw: json.RawMessage("true")},
			OpenWorld: HintFact{Value: No, From: FromServer, Raw: json.RawMessage("false")},
		},
		Handler: func(context.Context, *Invocation) (*Result, error) { return &Result{}, nil },
	}
}

// A bridge holds ten thousand tools: what all have alike is held once.
func TestBridgedToolsShareWhatTheyHaveAlike(t *testing.T) {
	if size := unsafe.Sizeof(Capability{}); size > 176 {
		t.Errorf("a capability takes %d bytes, and %d bridged tools are common", size, 10_000)
	}
	c, err := NewBridged(plainSpec())
	if err != nil {
		t.Fatal(err)
	}
	crossed, err := FromDescriptor(c.Descriptor(), c.handler)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []*Capability{c, crossed} {
		if c.declared != bridgedAlike || c.passed != nothingPassed {
			t.Errorf("a plain tool has parts of its own: %+v, %+v", c.declared, c.passed)
		}
		if d := cmp.Diff(plainSpec().Hints, c.HintFacts()); d != "" {
			t.Errorf("facts: (-want +got)\n%s", d)
		}
		if d := cmp.Diff(Route{Method: "POST", Path: "/servers/s/tools/list"}, c.Route()); d != "" {
			t.Errorf("route: (-want +got)\n%s", d)
		}
		if c.Scope() != "s:read" || c.Extras().WireName != "list" {
			t.Errorf("scope %q, name at its server %q", c.Scope(), c.Extras().WireName)
		}
	}
}

// What a tool has beside that is its own, and says the same after it has crossed.
func TestBridgedToolsKeepWhatIsTheirs(t *testing.T) {
	for name, change := range map[string]func(*BridgedSpec){
		"a hint that is no boolean":    func(s *BridgedSpec) { s.Hints.Idempotent.Raw = json.RawMessage(`"maybe"`) },
		"an override":                  func(s *BridgedSpec) { s.Hints.ReadOnly.Value, s.Hints.ReadOnly.From = No, FromOverride },
		"a value without what said so": func(s *BridgedSpec) { s.Hints.ReadOnly.Raw = nil },
		"metadata":                     func(s *BridgedSpec) { s.Extras.Meta = json.RawMessage(`{"a":1}`) },
		"an annotation":                func(s *BridgedSpec) { s.Extras.Annotations = map[string]json.RawMessage{"x": json.RawMessage("1")} },
		"a repair":                     func(s *BridgedSpec) { s.Input = json.RawMessage(`{}`) },
	} {
		spec := plainSpec()
		change(&spec)
		c, err := NewBridged(spec)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if c.passed == nothingPassed || len(nothingPassed.repaired) > 0 {
			t.Errorf("%s: it is shared", name)
		}
		if d := cmp.Diff(spec.Hints, c.HintFacts()); d != "" {
			t.Errorf("%s: facts: (-want +got)\n%s", name, d)
		}
		crossed, err := FromDescriptor(c.Descriptor(), c.handler)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if d := cmp.Diff(c.Descriptor(), crossed.Descriptor()); d != "" {
			t.Errorf("%s: (-want +got)\n%s", name, d)
		}
	}
	other, err := NewBridged(plainSpec())
	if err != nil {
		t.Fatal(err)
	}
	d := other.Descriptor()
	d.Route.Path = "/elsewhere"
	crossed, err := FromDescriptor(d, other.handler)
	if err != nil || crossed.Route().Path != "/elsewhere" {
		t.Errorf("a route of its own: %v, %v", crossed.Route(), err)
	}
}
