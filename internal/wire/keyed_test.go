package wire_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/rawjson"
	"github.com/seed-89b9419b/holotype/internal/wire"
)

// acts answers two writes, one of which takes nothing, and a read.
func acts(t *testing.T) *capabilities.Registry {
	t.Helper()
	type deps struct{}
	type input struct {
		Name string `json:"name,omitempty" jsonschema_description:"A name."`
	}
	type output struct{}
	type nothing struct{}
	pack := capabilities.NewPack[deps](capabilities.PackInfo{Name: "acts", Title: "Acts", Summary: "Acts."})
	run := func(context.Context, deps, input) (output, error) { return output{}, nil }
	bare := func(context.Context, deps, nothing) (output, error) { return output{}, nil }
	capabilities.Declare(pack, capabilities.Spec{Name: "write_it", Title: "W", Summary: "Write.", Effect: capabilities.Append(capabilities.Local), Route: "POST /w"}, run)
	capabilities.Declare(pack, capabilities.Spec{Name: "write_bare", Title: "W", Summary: "Write.", Effect: capabilities.Append(capabilities.Local), Route: "POST /b"}, bare)
	capabilities.Declare(pack, capabilities.Spec{Name: "read_it", Title: "R", Summary: "Read.", Effect: capabilities.Read(capabilities.Local), Route: "GET /r"}, run)
	reg, err := capabilities.Assemble(pack.Bind(deps{}))
	if err != nil {
		t.Fatal(err)
	}
	return reg
}

func TestWritesOfOurOwnTakeAKey(t *testing.T) {
	reg := acts(t)
	for name, want := range map[string]bool{"write_it": true, "write_bare": true, "read_it": false} {
		c, _ := reg.Find(name)
		var tool struct {
			InputSchema struct {
				Properties           map[string]json.RawMessage `json:"properties"`
				AdditionalProperties *bool                      `json:"additionalProperties"`
			} `json:"inputSchema"`
			OutputSchema json.RawMessage `json:"outputSchema"`
		}
		if err := json.Unmarshal(wire.KeyedTool(c), &tool); err != nil {
			t.Fatalf("%s is no JSON: %v", name, err)
		}
		if _, has := tool.InputSchema.Properties[wire.KeyArgument]; has != want {
			t.Errorf("%s has a key: %v, want %v", name, has, want)
		}
		if tool.InputSchema.AdditionalProperties == nil || *tool.InputSchema.AdditionalProperties {
			t.Errorf("%s is not closed any more", name)
		}
		if string(tool.OutputSchema) != string(c.Output().Raw()) {
			t.Errorf("%s answers %s, and the list says %s", name, c.Output().Raw(), tool.OutputSchema)
		}
	}
}

// A capability of another process may have a schema that names no property, or nothing.
func TestAKeyWhereNothingIsNamed(t *testing.T) {
	c, _ := acts(t).Find("write_it")
	for input, want := range map[string]string{
		`{}`:                `["op_id"]`,
		`{"type":"object"}`: `["type","op_id"]`,
		`{"properties":{"a":{}},"type":"object"}`:    `["a","op_id","type"]`,
		`{"type":"object","additionalProperties":0}`: `["type","additionalProperties","op_id"]`,
	} {
		d := c.Descriptor()
		d.Input = json.RawMessage(input)
		far, err := capabilities.FromDescriptor(d, func(context.Context, *capabilities.Invocation) (*capabilities.Result, error) { return nil, nil })
		if err != nil {
			t.Fatal(err)
		}
		keys := []string{}
		for key, value := range rawjson.Members(rawjson.Member(wire.KeyedTool(far), "inputSchema")) {
			if key != "properties" {
				keys = append(keys, key)
				continue
			}
			for field := range rawjson.Members(value) {
				keys = append(keys, field)
			}
		}
		if got, err := json.Marshal(keys); err != nil || string(got) != want {
			t.Errorf("%s: the members and properties are %s, want %s, %v", input, got, want, err)
		}
	}
}
