package schema_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/seed-89b9419b/holotype/internal/schema"
)

func raw(values ...string) []json.RawMessage {
	list := []json.RawMessage{}
	for _, v := range values {
		list = append(list, json.RawMessage(v))
	}
	return list
}

func TestProperties(t *testing.T) {
	one := func(property string) string { return `{"type":"object","properties":{"a":` + property + `}}` }
	tests := []struct {
		name, schema string
		want         []schema.Property
	}{
		{"none", `{"type":"object"}`, nil},
		{"a boolean schema", `true`, nil},
		{"order and required", `{"properties":{"z":{"type":"string"},"a":{"type":"integer"},"m":{}},"required":["m","z"]}`, []schema.Property{
			{Name: "z", Required: true, Types: []string{"string"}}, {Name: "a", Types: []string{"integer"}}, {Name: "m", Required: true},
		}},
		{"facts", one(`{"type":"string","format":"uri","description":"d","default":"x"}`), []schema.Property{
			{Name: "a", Types: []string{"string"}, Format: "uri", Description: "d", Default: json.RawMessage(`"x"`)},
		}},
		{"a big default", one(`{"type":"integer","default":9007199254740993}`), []schema.Property{
			{Name: "a", Types: []string{"integer"}, Default: json.RawMessage(`9007199254740993`)},
		}},
		{"nullable by type", one(`{"type":["string","null"]}`), []schema.Property{{Name: "a", Types: []string{"string"}, Nullable: true}}},
		{"nullable by anyOf", one(`{"anyOf":[{"type":"string","format":"date"},{"type":"null"}]}`), []schema.Property{{Name: "a", Types: []string{"string"}, Nullable: true, Format: "date"}}},
		{"nullable by OpenAPI", one(`{"type":"string","nullable":true}`), []schema.Property{{Name: "a", Types: []string{"string"}, Nullable: true}}},
		{"nullable by enum", one(`{"enum":["x",null]}`), []schema.Property{{Name: "a", Types: []string{"string"}, Nullable: true, Enum: raw(`"x"`)}}},
		{"enum with a type that forbids null", one(`{"type":"string","enum":["x",null]}`), []schema.Property{{Name: "a", Types: []string{"string"}, Enum: raw(`"x"`)}}},
		{"mixed enum", one(`{"enum":[1,"1",1.5,true]}`), []schema.Property{{Name: "a", Types: []string{"integer", "string", "number", "boolean"}, Enum: raw(`1`, `"1"`, `1.5`, `true`), Union: true}}},
		{"const", one(`{"const":"x"}`), []schema.Property{{Name: "a", Types: []string{"string"}, Enum: raw(`"x"`)}}},
		{"union of constants", one(`{"oneOf":[{"const":"x","description":"first"},{"const":"y"}]}`), []schema.Property{{Name: "a", Types: []string{"string"}, Enum: raw(`"x"`, `"y"`), Description: "first"}}},
		{"union with an open alternative", one(`{"anyOf":[{"const":"x"},{"type":"string"}]}`), []schema.Property{{Name: "a", Types: []string{"string"}}}},
		{"union of types", one(`{"anyOf":[{"type":"string"},{"type":"object"}]}`), []schema.Property{{Name: "a", Types: []string{"string", "object"}, Union: true, Object: true}}},
		{"union with anything", one(`{"anyOf":[{"type":"string"},{}]}`), []schema.Property{{Name: "a"}}},
		{"a type beside a union of constraints", one(`{"type":"object","anyOf":[{"required":["x"]},{"required":["y"]}]}`), []schema.Property{{Name: "a", Types: []string{"object"}, Object: true}}},
		{"array of scalars", one(`{"type":"array","items":{"type":"string","enum":["x"]}}`), []schema.Property{{Name: "a", Types: []string{"array"}, Items: &schema.Property{Types: []string{"string"}, Enum: raw(`"x"`)}}}},
		{"nullable array", one(`{"anyOf":[{"type":"array","items":{"type":"integer"}},{"type":"null"}]}`), []schema.Property{{Name: "a", Types: []string{"array"}, Nullable: true, Items: &schema.Property{Types: []string{"integer"}}}}},
		{"by reference, own words first", `{"properties":{"a":{"$ref":"#/$defs/A","description":"own","default":"x"}},"$defs":{"A":{"type":"string","description":"other","format":"uri"}}}`, []schema.Property{
			{Name: "a", Types: []string{"string"}, Description: "own", Default: json.RawMessage(`"x"`), Format: "uri"},
		}},
		{"by allOf of one", `{"properties":{"a":{"allOf":[{"$ref":"#/$defs/A"}],"description":"own"}},"$defs":{"A":{"enum":["p","q"]}}}`, []schema.Property{
			{Name: "a", Types: []string{"string"}, Description: "own", Enum: raw(`"p"`, `"q"`)},
		}},
		{"by pointer into the schema", `{"properties":{"a":{"type":"integer","description":"d"},"b":{"$ref":"#/properties/a"}}}`, []schema.Property{
			{Name: "a", Types: []string{"integer"}, Description: "d"}, {Name: "b", Types: []string{"integer"}, Description: "d"},
		}},
		{"recursion ends", `{"$ref":"#/$defs/N","$defs":{"N":{"properties":{"k":{"type":"array","items":{"$ref":"#/$defs/N"}},"n":{"$ref":"#/$defs/N"}},"required":["k"]}}}`, []schema.Property{
			{Name: "k", Required: true, Types: []string{"array"}, Items: &schema.Property{}}, {Name: "n"},
		}},
		{"allOf at the root requires, anyOf only adds", `{"properties":{"a":{}},"allOf":[{"properties":{"b":{}},"required":["a","b"]}],"anyOf":[{"properties":{"c":{}},"required":["c"]}]}`, []schema.Property{
			{Name: "a", Required: true}, {Name: "b", Required: true}, {Name: "c"},
		}},
		{"a forbidden field is none", `{"properties":{"a":false,"b":true}}`, []schema.Property{{Name: "b"}}},
		{"a property called $ref", `{"properties":{"$ref":{"type":"string"},"type":{"type":"boolean"}}}`, []schema.Property{{Name: "$ref", Types: []string{"string"}}, {Name: "type", Types: []string{"boolean"}}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := mustCompile(t, tt.schema).Properties()
			if diff := cmp.Diff(tt.want, got, cmpopts.IgnoreFields(schema.Property{}, "Raw")); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			for _, p := range got {
				if !json.Valid(p.Raw) || !strings.Contains(tt.schema, string(p.Raw)) {
					t.Errorf("Raw of %s = %s, not a piece of the schema", p.Name, p.Raw)
				}
			}
		})
	}
}

func TestPropertyShapes(t *testing.T) {
	tests := []struct {
		property            string
		scalar, scalarArray bool
	}{
		{`{"type":"string"}`, true, false},
		{`{"type":["integer","null"]}`, true, false},
		{`{"type":["integer","string"]}`, true, false},
		{`{"enum":["a",1]}`, true, false},
		{`{"type":"object"}`, false, false},
		{`{"type":["string","object"]}`, false, false},
		{`{}`, false, false},
		{`{"type":"array"}`, false, false},
		{`{"type":"array","items":{"type":"string"}}`, false, true},
		{`{"type":["array","null"],"items":{"type":"boolean"}}`, false, true},
		{`{"type":"array","items":{"type":"object"}}`, false, false},
		{`{"type":"array","items":{"type":"array","items":{"type":"string"}}}`, false, false},
		{`{"type":["array","string"],"items":{"type":"string"}}`, false, false},
	}
	for _, tt := range tests {
		t.Run(tt.property, func(t *testing.T) {
			p := mustCompile(t, `{"properties":{"a":`+tt.property+`}}`).Properties()[0]
			if p.Scalar() != tt.scalar || p.ScalarArray() != tt.scalarArray {
				t.Errorf("Scalar %v ScalarArray %v, want %v %v", p.Scalar(), p.ScalarArray(), tt.scalar, tt.scalarArray)
			}
		})
	}
}

func TestEncodeText(t *testing.T) {
	tests := []struct{ name, property, text, want string }{
		{"a string stays text", `{"type":"string"}`, `5`, `"5"`},
		{"a string is never parsed", `{"type":"string"}`, `{"a":1}`, `"{\"a\":1}"`},
		{"a nullable string takes null as text", `{"type":["string","null"]}`, `null`, `"null"`},
		{"quotes, newlines, unicode", `{"type":"string"}`, "a\"b\n\\é", `"a\"b\u000a\\é"`},
		{"nothing", `{"type":"string"}`, ``, `""`},
		{"bytes that are no UTF-8 stay, for the scan to refuse", `{"type":"string"}`, "\xff", "\"\xff\""},
		{"integer", `{"type":"integer"}`, `42`, `42`},
		{"integer with every digit", `{"type":"integer"}`, `9007199254740993`, `9007199254740993`},
		{"negative", `{"type":"integer"}`, `-7`, `-7`},
		{"not an integer's spelling", `{"type":"integer"}`, `007`, `"007"`},
		{"a word for an integer", `{"type":"integer"}`, `many`, `"many"`},
		{"a fraction for an integer stays a number", `{"type":"integer"}`, `1.5`, `1.5`},
		{"space is not part of a literal", `{"type":"integer"}`, ` 5`, `" 5"`},
		{"null for an integer", `{"type":"integer"}`, `null`, `"null"`},
		{"null for a nullable integer", `{"type":["integer","null"]}`, `null`, `null`},
		{"number", `{"type":"number"}`, `1e3`, `1e3`},
		{"a whole number", `{"type":"number"}`, `3`, `3`},
		{"infinity", `{"type":"number"}`, `Infinity`, `"Infinity"`},
		{"boolean", `{"type":"boolean"}`, `true`, `true`},
		{"another spelling of boolean", `{"type":"boolean"}`, `True`, `"True"`},
		{"a number for a boolean", `{"type":"boolean"}`, `1`, `"1"`},
		{"union takes the integer", `{"type":["string","integer"]}`, `5`, `5`},
		{"union takes a quoted string", `{"type":["string","integer"]}`, `"5"`, `"5"`},
		{"union takes other text", `{"type":["string","integer"]}`, `5.5`, `"5.5"`},
		{"union with an object", `{"type":["string","object"]}`, ` {"a": 1} `, `{"a": 1}`},
		{"union with an object, broken", `{"type":["string","object"]}`, `{"a": }`, `"{\"a\": }"`},
		{"object", `{"type":"object"}`, `{"a":9007199254740993}`, `{"a":9007199254740993}`},
		{"a list for an object", `{"type":"object"}`, `[1]`, `"[1]"`},
		{"a duplicate key is handed on", `{"type":"object"}`, `{"a":1,"a":2}`, `{"a":1,"a":2}`},
		{"array", `{"type":"array","items":{"type":"string"}}`, `["a"]`, `["a"]`},
		{"one item for an array", `{"type":"array","items":{"type":"string"}}`, `a`, `"a"`},
		{"anything", `{}`, `[1]`, `[1]`},
		{"any word", `{}`, `word`, `"word"`},
		{"enum of integers", `{"enum":[1,2]}`, `2`, `2`},
		{"enum of strings", `{"enum":["1","2"]}`, `2`, `"2"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := mustCompile(t, `{"properties":{"a":`+tt.property+`}}`).Properties()[0]
			if got := string(p.EncodeText(tt.text)); got != tt.want {
				t.Errorf("EncodeText(%q) = %s, want %s", tt.text, got, tt.want)
			}
		})
	}
}

func TestNearest(t *testing.T) {
	known := []string{"title", "body", "labels", "assignee_id", "id", "due_date", "to"}
	tests := []struct{ name, want string }{
		{"titel", "title"},
		{"Title", "title"},
		{"tilte", "title"},
		{"lables", "labels"},
		{"label", "labels"},
		{"assigneeId", "assignee_id"},
		{"dueDate", "due_date"},
		{"due-date", "due_date"},
		{"ID", "id"},
		{"title", ""},
		{"zzz", ""},
		{"", ""},
		{"x", ""},
		{"ab", ""},
		{"description", ""},
		{strings.Repeat("t", 500), ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, ok := schema.Nearest(tt.name, known)
			if got != tt.want || ok != (tt.want != "") {
				t.Errorf("Nearest(%q) = %q %v, want %q", tt.name, got, ok, tt.want)
			}
		})
	}
}

func TestCanonical(t *testing.T) {
	tests := []struct{ name, a, b string }{
		{"order and space", ` { "b" : [ 1 , 2 ] , "a" : null } `, `{"a":null,"b":[1,2]}`},
		{"escapes", `"\u0041\/\u00e9\u000a"`, `"A/é\n"`},
		{"keys by their meaning", `{"\u0062":1,"a":2}`, `{"a":2,"b":1}`},
		{"not escaped for HTML", `"<&>\u003c"`, `"<&><"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a, err := schema.Canonical([]byte(tt.a))
			if err != nil {
				t.Fatal(err)
			}
			b, err := schema.Canonical([]byte(tt.b))
			if err != nil || string(a) != string(b) {
				t.Errorf("%s and %s (%v), want the same", a, b, err)
			}
		})
	}
	got, err := schema.Canonical([]byte(`{"n":1.0,"m":9007199254740993,"e":1E2}`))
	if want := `{"e":1E2,"m":9007199254740993,"n":1.0}`; err != nil || string(got) != want {
		t.Errorf("numbers: %s %v, want %s", got, err, want)
	}
	if _, err := schema.Canonical([]byte(`{"a":1,"a":1}`)); err == nil {
		t.Error("a duplicate key was taken")
	}
	if _, err := schema.Canonical([]byte(strings.Repeat("[", 500) + strings.Repeat("]", 500))); err != nil {
		t.Errorf("500 levels: %v", err)
	}
}
