package openapi_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/projection/httpapi/openapi"
)

func bridged(t *testing.T, name, input string) *capabilities.Capability {
	t.Helper()
	c, err := capabilities.NewBridged(capabilities.BridgedSpec{
		Name: "s__" + name, Tool: name, Server: "s", Input: json.RawMessage(input),
		Handler: func(context.Context, *capabilities.Invocation) (*capabilities.Result, error) { return nil, nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func parsed(t *testing.T, data []byte) map[string]any {
	t.Helper()
	var v map[string]any
	d := json.NewDecoder(strings.NewReader(string(data)))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		t.Fatalf("%v in %s", err, data)
	}
	return v
}

func describe(t *testing.T, caps ...*capabilities.Capability) map[string]any {
	t.Helper()
	doc, err := openapi.Document(openapi.Options{Title: "T", Version: "1"}, caps)
	if err != nil {
		t.Fatal(err)
	}
	return parsed(t, doc)
}

// inputs answers the components of the input of s__t, without their common prefix.
func inputs(t *testing.T, doc map[string]any) map[string]any {
	t.Helper()
	found := map[string]any{}
	for name, c := range doc["components"].(map[string]any)["schemas"].(map[string]any) {
		if rest, ok := strings.CutPrefix(name, "STInput"); ok {
			found[rest] = c
		}
	}
	return found
}

const draft07 = `"$schema":"http://json-schema.org/draft-07/schema#",`

func TestPropertyIsRewritten(t *testing.T) {
	for _, c := range []struct{ name, property, want string }{
		{"true is any value", `true`, `{}`},
		{"false is no value", `false`, `{"not":{}}`},
		{"a closed object keeps its flag", `{"type":"object","additionalProperties":false}`, `{"type":"object","additionalProperties":false}`},
		{"one type in a list", `{"type":["string"]}`, `{"type":"string"}`},
		{"null goes last", `{"type":["null","string"]}`, `{"type":["string","null"]}`},
		{
			"several types are alternatives, each with its words", `{"type":["string","integer","null"],"minLength":1,"minimum":2,"title":"t"}`,
			`{"title":"t","anyOf":[{"type":"string","minLength":1},{"type":"integer","minimum":2},{"type":"null"}]}`,
		},
		{"every integer is a number", `{"type":["integer","number"]}`, `{"type":"number","format":"double"}`},
		{"nullable is a type", `{"type":"string","nullable":true,"enum":["a"]}`, `{"type":["string","null"],"enum":["a",null]}`},
		{"nullable alone says nothing", `{"nullable":true}`, `{}`},
		{"const has a type", `{"const":"a"}`, `{"type":"string","enum":["a"]}`},
		{"const 1.0 is an integer", `{"const":1.0}`, `{"type":"integer","enum":[1.0]}`},
		{"const null", `{"const":null}`, `{"type":"null"}`},
		{"values have a type", `{"enum":["a",null,"a"]}`, `{"type":["string","null"],"enum":["a",null]}`},
		{"values of several types", `{"enum":["a",1]}`, `{"anyOf":[{"type":"string","enum":["a"]},{"type":"integer","enum":[1]}]}`},
		{"values that cannot be are left out", `{"type":"string","enum":["a",1]}`, `{"type":"string","enum":["a"]}`},
		{"no value fits", `{"type":"string","enum":[1],"description":"d"}`, `{"not":{},"description":"d"}`},
		{"literals are one list", `{"anyOf":[{"const":"a"},{"const":"b"},{"type":"null"}]}`, `{"anyOf":[{"type":"string","enum":["a","b"]},{"type":"null"}]}`},
		{
			"oneOf keeps lists apart that share a value", `{"oneOf":[{"enum":["a","b"]},{"enum":["b"]}]}`,
			`{"oneOf":[{"type":"string","enum":["a","b"]},{"type":"string","enum":["b"]}]}`,
		},
		{"equal alternatives of anyOf are one", `{"anyOf":[{"type":"string"},{"type":"string"}]}`, `{"anyOf":[{"type":"string"}]}`},
		{"equal alternatives of oneOf stay", `{"oneOf":[{"type":"string"},{"type":"string"}]}`, `{"oneOf":[{"type":"string"},{"type":"string"}]}`},
		{"an exclusive bound of integers", `{"type":"integer","exclusiveMinimum":0,"exclusiveMaximum":9.5}`, `{"type":"integer","format":"int32","minimum":1,"maximum":9}`},
		{"an exclusive bound of numbers", `{"type":"number","exclusiveMinimum":1.10}`, `{"type":"number","format":"double","minimum":1.10,"not":{"enum":[1.10]}}`},
		{"the stricter bound counts", `{"type":"number","minimum":2,"exclusiveMinimum":1}`, `{"type":"number","format":"double","minimum":2}`},
		{"of equal bounds the exclusive one counts", `{"type":"number","minimum":1,"exclusiveMinimum":1}`, `{"type":"number","format":"double","minimum":1,"not":{"enum":[1]}}`},
		{"a number of a width", `{"type":"number","format":"float"}`, `{"type":"number","format":"float"}`},
		{"an integer of a width", `{"type":"integer","format":"int64"}`, `{"type":"integer","format":"int64"}`},
		{"an integer of no width", `{"type":"integer"}`, `{"type":"integer"}`},
		{"an integer with one bound", `{"type":"integer","minimum":0}`, `{"type":"integer","minimum":0}`},
		{"an integer within 32 bits", `{"type":"integer","minimum":-2147483648,"maximum":2147483647}`, `{"type":"integer","format":"int32","minimum":-2147483648,"maximum":2147483647}`},
		{"an integer just beyond 32 bits", `{"type":"integer","minimum":0,"maximum":2147483648}`, `{"type":"integer","format":"int64","minimum":0,"maximum":2147483648}`},
		{"a number or null", `{"type":["number","null"]}`, `{"type":["number","null"],"format":"double"}`},
		{
			"two exclusive bounds", `{"type":"number","exclusiveMinimum":0,"exclusiveMaximum":1}`,
			`{"type":"number","format":"double","minimum":0,"maximum":1,"not":{"enum":[0]},"allOf":[{"not":{"enum":[1]}}]}`,
		},
		{"a bound beyond 64 bits", `{"type":"integer","maximum":9223372036854775808}`, `{"type":"integer","not":{"type":"integer","minimum":9223372036854775809}}`},
		{"a bound below 64 bits", `{"type":"integer","minimum":-9223372036854775809}`, `{"type":"integer","not":{"type":"integer","maximum":-9223372036854775810}}`},
		{"a width among several types", `{"type":["string","integer"],"format":"int64"}`, `{"anyOf":[{"type":"string"},{"type":"integer","format":"int64"}]}`},
		{"a form among several types", `{"type":["string","integer"],"format":"date"}`, `{"anyOf":[{"type":"string","format":"date"},{"type":"integer"}]}`},
		{"a size of as many digits as are read", `{"type":"string","minLength":10.` + strings.Repeat("0", 997) + `}`, `{"type":"string","minLength":10}`},
		{
			"unsigned 64 bits", `{"type":"integer","minimum":0,"maximum":18446744073709551615}`,
			`{"type":"integer","format":"uint64","minimum":0,"not":{"type":"integer","minimum":18446744073709551616}}`,
		},
		{"a step between integers", `{"type":"integer","multipleOf":1.5}`, `{"type":"integer","multipleOf":3}`},
		{"a size is a whole number", `{"type":"string","minLength":1e1,"maxLength":9007199254740991}`, `{"type":"string","minLength":10}`},
		{"an array has items", `{"type":"array"}`, `{"type":"array","items":{}}`},
		{"no items", `{"type":"array","prefixItems":[{"type":"string"}],"items":false}`, `{"type":"array","prefixItems":[{"type":"string"}],"items":{"not":{}}}`},
		{"an example is a list", `{"type":"string","example":"a"}`, `{"type":"string","examples":["a"]}`},
		{"a default that does not fit", `{"type":"integer","default":"1"}`, `{"type":"integer","x-holotype-default":"1"}`},
		{"no default", `{"type":"integer","default":null}`, `{"type":"integer"}`},
		{"words of the author", `{"x-a":1,"optional":true,"$comment":"c","a b":1,"externalDocs":"no"}`, `{"x-a":1,"x-optional":true}`},
		{
			"a word of another form", `{"type":"string","description":{"en":"d"},"maxLength":-1}`,
			`{"type":"string","description":"(Not described further: the value of maxLength is not one that JSON Schema knows.)","x-holotype-opaque":"the value of maxLength is not one that JSON Schema knows"}`,
		},
		{
			"a type that is none", `{"type":"strng"}`,
			`{"description":"(Not described further: the value of type is not one that JSON Schema knows.)","x-holotype-opaque":"the value of type is not one that JSON Schema knows"}`,
		},
		{"data that looks like a schema", `{"type":"object","default":{"type":["a","b"],"const":1}}`, `{"type":"object","default":{"type":["a","b"],"const":1}}`},
		{"data that looks like a reference", `{"type":"object","default":{"$ref":"#/x"},"examples":[{"a":[{"$ref":"#/x"}]}]}`, `{"type":"object"}`},
		{
			"values that look like references", `{"enum":[{"$ref":"#/x"}]}`,
			`{"description":"(Not described further: its values look like references.)","x-holotype-opaque":"its values look like references"}`,
		},
		{"a property called $ref", `{"type":"object","properties":{"$ref":{"type":"string"},"const":true}}`, `{"type":"object","properties":{"$ref":{"type":"string"},"const":{}}}`},
		{"text that is not seen", `{"description":"a\u001b[2J\u202eb\r\nc\u200dd"}`, `{"description":"a[U+001B][2J[U+202E]b\nc\u200dd"}`},
		{"a discriminator without a mapping", `{"oneOf":[{"type":"string"}],"discriminator":{"propertyName":"k"}}`, `{"oneOf":[{"type":"string"}]}`},
		{
			"dependencies are two words", `{"dependencies":{"a":["b","b"],"c":{"required":["a"]}}}`,
			`{"dependentRequired":{"a":["b"]},"dependentSchemas":{"c":{"required":["a"]}}}`,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			doc := describe(t, bridged(t, "t", `{"type":"object","properties":{"p":`+c.property+`}}`))
			got := inputs(t, doc)[""].(map[string]any)["properties"].(map[string]any)["p"]
			if diff := cmp.Diff(any(parsed(t, []byte(c.want))), got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestSchemaBecomesComponents(t *testing.T) {
	const loop = `{"description":"(Not described further: the schema leads back to itself.)","x-holotype-opaque":"the schema leads back to itself"}`
	const lost = `{"description":"(Not described further: it refers to a schema that the server did not send.)","x-holotype-opaque":"it refers to a schema that the server did not send"}`
	ref := func(name string) string { return `{"$ref":"#/components/schemas/STInput` + name + `"}` }
	root := func(p string) string { return `{"type":"object","properties":{"p":` + p + `}}` }
	for _, c := range []struct{ name, schema, want string }{
		{
			"definitions are hoisted, unused ones dropped", `{"type":"object","properties":{"p":{"$ref":"#/$defs/A"}},"$defs":{"A":{"type":"string"},"B":{}}}`,
			`{"":` + root(ref("A")) + `,"A":{"type":"string"}}`,
		},
		{
			"a pointer into the schema", `{"type":"object","properties":{"p":{"type":"array","items":{"$ref":"#/properties/q"}},"q":{"type":"string"}}}`,
			`{"":{"type":"object","properties":{"p":{"type":"array","items":` + ref("Q") + `},"q":` + ref("Q") + `}},"Q":{"type":"string"}}`,
		},
		{
			"digits of a name", `{"type":"object","properties":{"p":{"$ref":"#/$defs/a0Z9"}},"$defs":{"a0Z9":{"type":"string"}}}`,
			`{"":` + root(ref("A0Z9")) + `,"A0Z9":{"type":"string"}}`,
		},
		{"the root refers to itself", `{"type":"object","properties":{"p":{"$ref":"#"}}}`, `{"":` + root(ref("")) + `}`},
		{
			"escapes in a pointer", `{"type":"object","properties":{"p":{"$ref":"#/$defs/a~1b~0c%25"}},"$defs":{"a/b~c%":{"type":"string"}}}`,
			`{"":` + root(ref("ABC")) + `,"ABC":{"type":"string"}}`,
		},
		{
			"an anchor", `{"type":"object","properties":{"p":{"$ref":"#here"}},"$defs":{"A":{"$anchor":"here","type":"string"}}}`,
			`{"":` + root(ref("A")) + `,"A":{"type":"string"}}`,
		},
		{
			"an anchor of draft 7", `{` + draft07 + `"type":"object","properties":{"p":{"$ref":"#here"}},"definitions":{"A":{"$id":"#here","type":"string"}}}`,
			`{"":` + root(ref("A")) + `,"A":{"type":"string"}}`,
		},
		{
			"a resource of its own", `{"$id":"https://a.example/r","type":"object","properties":{"p":{"$ref":"in"}},"$defs":{"In":{"$id":"in","type":"array","items":{"$ref":"#/$defs/D"},"$defs":{"D":{"type":"string"}}},"D":{"type":"integer"}}}`,
			`{"":` + root(ref("In")) + `,"In":{"type":"array","items":` + ref("InD") + `},"InD":{"type":"string"}}`,
		},
		{
			"a dynamic reference that nothing overrides", `{"type":"object","properties":{"p":{"$dynamicRef":"#n"}},"$defs":{"N":{"$dynamicAnchor":"n","type":"string"}}}`,
			`{"":` + root(ref("N")) + `,"N":{"type":"string"}}`,
		},
		{
			"a dynamic reference that may be overridden", `{"type":"object","properties":{"p":{"$dynamicRef":"#n"}},"$defs":{"N":{"$dynamicAnchor":"n"},"M":{"$id":"m","$dynamicAnchor":"n"}}}`,
			`{"":` + root(lost) + `}`,
		},
		{
			"a recursive reference of 2019-09", `{"$schema":"https://json-schema.org/draft/2019-09/schema","type":"object","properties":{"p":{"$recursiveRef":"#"}}}`,
			`{"":` + root(ref("")) + `}`,
		},
		{
			"a reference to nothing", root(`{"$ref":"#/$defs/Gone","title":"t"}`),
			`{"":` + root(`{"title":"t",`+lost[1:]) + `}`,
		},
		{"a reference to somewhere else", root(`{"$ref":"http://127.0.0.1:9/x.json"}`), `{"":` + root(lost) + `}`},
		{
			"references in a ring", `{"type":"object","properties":{"p":{"$ref":"#/$defs/A"}},"$defs":{"A":{"$ref":"#/$defs/B"},"B":{"anyOf":[{"$ref":"#/$defs/A"}]}}}`,
			`{"":` + root(ref("A")) + `,"A":` + loop + `,"B":` + loop + `}`,
		},
		{
			"a list of itself", `{"type":"object","properties":{"p":{"$ref":"#/$defs/J"}},"$defs":{"J":{"type":["string","array"],"items":{"$ref":"#/$defs/J"}}}}`,
			`{"":` + root(ref("J")) + `,"J":{"not":{"type":"array","contains":{"not":` + ref("J") + `},"items":{}},"anyOf":[{"type":"string"},{"type":"array","items":{}}]}}`,
		},
		{
			"a tree of objects", `{"type":"object","properties":{"p":{"$ref":"#/$defs/N"}},"$defs":{"N":{"type":"object","properties":{"k":{"type":"array","items":{"$ref":"#/$defs/N"}}}}}}`,
			`{"":` + root(ref("N")) + `,"N":{"type":"object","properties":{"k":{"type":"array","items":` + ref("N") + `}}}}`,
		},
		{
			"words beside a reference", `{"type":"object","properties":{"p":{"$ref":"#/$defs/A","description":"d"},"q":{"$ref":"#/$defs/A","minLength":1}},"$defs":{"A":{"type":"string"}}}`,
			`{"":{"type":"object","properties":{"p":{"description":"d",` + ref("A")[1:] + `,"q":{"minLength":1,"allOf":[` + ref("A") + `]}}},"A":{"type":"string"}}`,
		},
		{
			"words beside a reference of draft 7", `{` + draft07 + `"type":"object","properties":{"p":{"$ref":"#/definitions/A","minLength":1,"description":"d"}},"definitions":{"A":{"type":"string"}}}`,
			`{"":` + root(`{"description":"d",`+ref("A")[1:]) + `,"A":{"type":"string"}}`,
		},
		{
			"a tuple of draft 7", `{` + draft07 + `"type":"object","properties":{"p":{"type":"array","items":[true],"additionalItems":{"type":"string"}}}}`,
			`{"":` + root(`{"type":"array","prefixItems":[{}],"items":{"type":"string"}}`) + `}`,
		},
		{
			"a word that came after draft 7", `{` + draft07 + `"type":"object","properties":{"p":{"dependentRequired":{"a":["b"]},"items":[{}]}}}`,
			`{"":` + root(`{"x-dependentRequired":{"a":["b"]},"prefixItems":[{}]}`) + `}`,
		},
		{
			"exclusive bounds of draft 4", `{"$schema":"http://json-schema.org/draft-04/schema#","type":"object","properties":{"p":{"type":"integer","minimum":3,"exclusiveMinimum":true}}}`,
			`{"":` + root(`{"type":"integer","minimum":4}`) + `}`,
		},
		{
			"a discriminator leads to components", `{"type":"object","properties":{"p":{"oneOf":[{"$ref":"#/$defs/A"}],"discriminator":{"propertyName":"k","mapping":{"a":"#/$defs/A"}}}},"$defs":{"A":{"type":"object"}}}`,
			`{"":` + root(`{"oneOf":[`+ref("A")+`],"discriminator":{"propertyName":"k","mapping":{"a":"#/components/schemas/STInputA"}}}`) + `,"A":{"type":"object"}}`,
		},
		{
			"a discriminator that leads elsewhere", `{"type":"object","properties":{"p":{"oneOf":[{"$ref":"#/$defs/A"}],"discriminator":{"propertyName":"k","mapping":{"a":"A"}}}},"$defs":{"A":{"type":"object"}}}`,
			`{"":` + root(`{"oneOf":[`+ref("A")+`]}`) + `,"A":{"type":"object"}}`,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := inputs(t, describe(t, bridged(t, "t", c.schema)))
			if diff := cmp.Diff(parsed(t, []byte(c.want)), got); diff != "" {
				t.Error(diff)
			}
		})
	}
}
