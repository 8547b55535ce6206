package wire_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/wire"
)

func TestWritesOfOurOwnTakeAKey(t *testing.T) {
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
	for name, want := range map[string]bool{"write_it": true, "write_bare": true, "read_it": false} {
		c, _ := reg.Find(name)
		var tool struct {
			InputSchema struct {
				Properties           map[string]json.RawMessage `json:"properties"`
				AdditionalProperties *bool                      `json:"additionalProperties"`
			} `json:"inputSchema"`
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
	}
}
