package wire_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/rawjson"
	"github.com/seed-89b9419b/holotype/internal/wire"
)

type (
	thing struct {
		Description string `json:"description" jsonschema:"minLength=1" jsonschema_description:"What it is."`
		Name        string `json:"name" jsonschema_description:"Its name."`
	}
	thingInput struct {
		Name  string `json:"name" jsonschema_description:"The thing's name."`
		Thing string `json:"thing,omitempty" jsonschema_description:"Another thing."`
	}
	thingReceipt struct {
		capabilities.Receipt
		Name  string           `json:"name" jsonschema_description:"The thing's name."`
		Thing thing            `json:"thing" jsonschema_description:"The thing after the call."`
		Parts []thing          `json:"parts" jsonschema_description:"Its parts."`
		More  map[string]thing `json:"more" jsonschema_description:"More of them."`
		Note  struct {
			Name string `json:"name" jsonschema_description:"Who wrote it."`
		} `json:"note" jsonschema_description:"A note."`
	}
	thingsInput struct {
		capabilities.PageInput
	}
)

func things(t *testing.T) *capabilities.Registry {
	t.Helper()
	pack := capabilities.NewPack[struct{}](capabilities.PackInfo{Name: "things", Title: "Things", Summary: "Things."})
	capabilities.Declare(pack, capabilities.Spec{Name: "put_thing", Title: "Put", Summary: "Put it.", Effect: capabilities.Set(capabilities.Local), Route: "PUT /things/{name}"},
		func(context.Context, struct{}, thingInput) (thingReceipt, error) { return thingReceipt{}, nil })
	capabilities.Declare(pack, capabilities.Spec{Name: "list_things", Title: "List", Summary: "List them.", Effect: capabilities.Read(capabilities.Local), Route: "GET /things"},
		func(context.Context, struct{}, thingsInput) (capabilities.Page[thing], error) {
			return capabilities.Page[thing]{}, nil
		})
	reg, err := capabilities.Assemble(pack.Bind(struct{}{}))
	if err != nil {
		t.Fatal(err)
	}
	return reg
}

// words answers every description of a schema by the path of what it is about, and takes
// them out. A field that is named description is none.
func words(schema map[string]any, path string, all map[string]string) {
	if text, ok := schema["description"].(string); ok {
		all[path] = text
		delete(schema, "description")
	}
	for _, keyword := range []string{"properties", "$defs"} {
		under, _ := schema[keyword].(map[string]any)
		for name, one := range under {
			if one, ok := one.(map[string]any); ok {
				words(one, path+"/"+keyword+"/"+name, all)
			}
		}
	}
	for _, keyword := range []string{"items", "additionalProperties"} {
		if one, ok := schema[keyword].(map[string]any); ok {
			words(one, path+"/"+keyword, all)
		}
	}
}

func TestAListSaysTheSameInFewerWords(t *testing.T) {
	kept := map[string]map[string]string{
		"put_thing": {
			"/properties/thing": "The thing after the call.", "/properties/parts": "Its parts.", "/properties/more": "More of them.", "/properties/note": "A note.",
			"/properties/note/properties/name": "Who wrote it.", "/$defs/thing/properties/description": "What it is.", "/$defs/thing/properties/name": "Its name.",
		},
		"list_things": {"/$defs/thing/properties/description": "What it is.", "/$defs/thing/properties/name": "Its name."},
	}
	reg := things(t)
	for name, want := range kept {
		c, _ := reg.Find(name)
		whole, brief := map[string]any{}, map[string]any{}
		if err := json.Unmarshal(c.Output().Raw(), &whole); err != nil {
			t.Fatal(err)
		}
		listed := rawjson.Member(wire.KeyedTool(c), "outputSchema")
		if err := json.Unmarshal(listed, &brief); err != nil {
			t.Fatalf("%v: %s", err, listed)
		}
		if other := rawjson.Member(wire.Tool(c), "outputSchema"); string(other) != string(listed) {
			t.Errorf("%s: with and without a key two schemas are listed:\n%s\n%s", name, listed, other)
		}
		all, got := map[string]string{}, map[string]string{}
		words(whole, "", all)
		words(brief, "", got)
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s says (-want +got):\n%s", name, d)
		}
		if d := cmp.Diff(whole, brief); d != "" {
			t.Errorf("%s admits something else (-whole +listed):\n%s", name, d)
		}
		if len(all) <= len(got) {
			t.Errorf("%s says %v where all is said: %v", name, got, all)
		}
	}
}

// What another server says of its tool is passed on, whatever it repeats.
func TestABridgedOutputIsListedAsItIs(t *testing.T) {
	const output = `{"type":"object","description":"D","$defs":{"a":{"description":"D","type":"string"}},"properties":{"items":{"description":"The items of this page, in a fixed order."}, "b":{"description":"x"}}}`
	if got := rawjson.Member(wire.KeyedTool(bridged(t, output, "")), "outputSchema"); string(got) != output {
		t.Errorf("listed as %s", got)
	}
}

// What a model is shown is what the list has, with the key where the list has one.
func TestModelBytesAreThoseOfTheList(t *testing.T) {
	for c := range things(t).All() {
		for what, one := range map[string]struct {
			tool []byte
			got  int
		}{"plain": {wire.Tool(c), wire.ModelBytes(c)}, "keyed": {wire.KeyedTool(c), wire.KeyedModelBytes(c)}} {
			shown, err := json.Marshal(struct {
				Name        string          `json:"name"`
				Description string          `json:"description"`
				InputSchema json.RawMessage `json:"inputSchema"`
			}{c.Name(), c.Summary(), rawjson.Member(one.tool, "inputSchema")})
			if err != nil || len(shown) != one.got {
				t.Errorf("%s, %s: %d bytes, the list has %d (%v)", c.Name(), what, one.got, len(shown), err)
			}
		}
	}
}
