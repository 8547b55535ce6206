package capabilities_test

import (
	"encoding/json"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/wire"
)

// spacedTool has white space, numbers beyond 2^53 and odd members wherever a
// server may send them.
func spacedTool(t *testing.T) *capabilities.Capability {
	t.Helper()
	c, err := capabilities.NewBridged(capabilities.BridgedSpec{
		Name: "files__read", Tool: "read", Server: "files", Title: "Read <it>", Summary: "Read\na file.",
		Input:  json.RawMessage("{ \"type\": \"object\",\n  \"properties\": {\"n\": {\"type\":\"integer\",\"maximum\":9007199254740993}} }"),
		Output: json.RawMessage("{\"type\":\"object\", \"properties\":{}}"),
		Hints: capabilities.HintFacts{
			ReadOnly:    capabilities.HintFact{Value: capabilities.No, From: capabilities.FromServer, Raw: json.RawMessage("false")},
			Destructive: capabilities.HintFact{Value: capabilities.Unknown, From: capabilities.FromOverride, Raw: json.RawMessage("true")},
			Idempotent:  capabilities.HintFact{Raw: json.RawMessage(`"ja"`)},
		},
		Extras: capabilities.BridgedExtras{
			WireName: "read", Meta: json.RawMessage(`{ "a" : 1 }`), Icons: json.RawMessage(`[ {"src":"x"} ]`), Execution: json.RawMessage(`{"taskSupport": "optional"}`),
			Annotations: map[string]json.RawMessage{"audience": json.RawMessage(`[ "user" ]`)},
		},
		Timeout: 3 * time.Second, Handler: unreachable,
	})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestDescriptorCrossesToTheByte(t *testing.T) {
	spec := echoSpec()
	spec.Aliases = []capabilities.Alias{{Name: "say", Since: "1.2", Until: "1.3"}}
	spec.Examples = []capabilities.Example{{Name: "hi", In: `{"text":"hi"}`}}
	spec.Undo, spec.Answers = "echo", capabilities.FromWorld
	pack := newPack(t)
	capabilities.Declare(pack, spec, echo)
	reg, err := capabilities.Assemble(pack.Bind(deps{}))
	if err != nil {
		t.Fatal(err)
	}
	builtin, _ := reg.Find("echo")
	alias, _ := reg.Find("say")
	for _, c := range []*capabilities.Capability{builtin, alias, spacedTool(t)} {
		sent, err := json.Marshal(c.Descriptor())
		if err != nil {
			t.Fatal(err)
		}
		var d capabilities.Descriptor
		if err := json.Unmarshal(sent, &d); err != nil {
			t.Fatal(err)
		}
		got, err := capabilities.FromDescriptor(d, unreachable)
		if err != nil {
			t.Fatalf("%s: %v", c.Name(), err)
		}
		all := cmp.Exporter(func(reflect.Type) bool { return true })
		// A handler is given, and a validator made anew.
		functions := cmp.FilterPath(func(p cmp.Path) bool {
			return slices.Contains([]string{".handler", ".kind", ".once", ".compiled", ".fault"}, p.Last().String())
		}, cmp.Ignore())
		if diff := cmp.Diff(c, got, all, functions, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", c.Name(), diff)
		}
		if diff := cmp.Diff(string(wire.Tool(c)), string(wire.Tool(got))); diff != "" {
			t.Errorf("%s: tool: %s", c.Name(), diff)
		}
		res := &capabilities.Result{Structured: json.RawMessage(`{ "said": 1 }`), Blocks: []capabilities.Block{capabilities.TextBlock("x")}}
		if diff := cmp.Diff(string(wire.Body(c, res)), string(wire.Body(got, res))); diff != "" {
			t.Errorf("%s: body: %s", c.Name(), diff)
		}
	}
}

func TestDescriptorRefusesWhatIsNotOurs(t *testing.T) {
	good := spacedTool(t).Descriptor()
	cases := []struct {
		name  string
		spoil func(d *capabilities.Descriptor)
	}{
		{"no name", func(d *capabilities.Descriptor) { d.Name = "" }},
		{"a schema that is no JSON", func(d *capabilities.Descriptor) { d.Input = []byte("{") }},
		{"an output schema that is no JSON", func(d *capabilities.Descriptor) { d.Output = []byte("{") }},
		{"a builtin without effect", func(d *capabilities.Descriptor) { d.Server = "" }},
		{"unknown answers", func(d *capabilities.Descriptor) { d.Answers = "oracle" }},
		{"a hint too few", func(d *capabilities.Descriptor) { d.Hints = d.Hints[1:] }},
		{"an unknown hint value", func(d *capabilities.Descriptor) {
			d.Hints = []capabilities.HintDescriptor{{Value: "maybe"}, {}, {}, {}}
		}},
		{"an unknown provenance", func(d *capabilities.Descriptor) {
			d.Hints = []capabilities.HintDescriptor{{Value: "yes", From: "hearsay"}, {}, {}, {}}
		}},
	}
	for _, c := range cases {
		d := good
		c.spoil(&d)
		if got, err := capabilities.FromDescriptor(d, unreachable); err == nil {
			t.Errorf("%s: got %v, want an error", c.name, got.Name())
		}
	}
	if _, err := capabilities.FromDescriptor(good, nil); err == nil {
		t.Error("no handler: got none, want an error")
	}
}
