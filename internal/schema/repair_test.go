package schema_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-89b9419b/holotype/internal/schema"
)

func TestRepair(t *testing.T) {
	const d7 = `"$schema":"http://json-schema.org/draft-07/schema#"`
	tests := []struct {
		name, raw, want string
		repairs         []string
	}{
		{"nothing to do", `{"type":"object","properties":{}}`, `{"type":"object","properties":{}}`, nil},
		{"odd spacing, order, numbers and keywords stay", " {\n \"x-order\" : 1.10,\t\"properties\":{ \"a\":{\"maximum\":9007199254740993} } , \"type\" :\"object\" }\n", " {\n \"x-order\" : 1.10,\t\"properties\":{ \"a\":{\"maximum\":9007199254740993} } , \"type\" :\"object\" }\n", nil},
		{"empty", `{}`, `{"type":"object","properties":{}}`, []string{"properties_added", "type_added"}},
		{"empty with space", `{ }`, `{"type":"object","properties":{} }`, []string{"properties_added", "type_added"}},
		{"no properties", `{"type":"object"}`, `{"type":"object","properties":{}}`, []string{"properties_added"}},
		{"no properties, more after type", `{ "type": "object" , "title":"x"}`, `{ "type": "object" ,"properties":{}, "title":"x"}`, []string{"properties_added"}},
		{"no type", `{"properties":{"a":{"type":"string"}}}`, `{"type":"object","properties":{"a":{"type":"string"}}}`, []string{"type_added"}},
		{"no type beside anyOf", `{"anyOf":[{"required":["a"]}]}`, `{"type":"object","properties":{},"anyOf":[{"required":["a"]}]}`, []string{"properties_added", "type_added"}},
		{"only a dialect", `{` + d7 + `}`, `{"type":"object","properties":{}}`, []string{"dialect_dropped", "properties_added", "type_added"}},
		{"dialect first", `{` + d7 + `, "type":"object","properties":{}}`, `{ "type":"object","properties":{}}`, []string{"dialect_dropped"}},
		{"dialect in the middle", `{"type":"object",` + d7 + `,"properties":{}}`, `{"type":"object","properties":{}}`, []string{"dialect_dropped"}},
		{"dialect last", "{\"type\":\"object\",\"properties\":{},\n" + d7 + "\n}", "{\"type\":\"object\",\"properties\":{}\n}", []string{"dialect_dropped"}},
		{"dialect without #, https", `{"$schema":"https://json-schema.org/draft-07/schema","type":"object","properties":{}}`, `{"type":"object","properties":{}}`, []string{"dialect_dropped"}},
		{"dialect with definitions", `{` + d7 + `,"type":"object","properties":{"a":{"$ref":"#/definitions/A"}},"definitions":{"A":{}}}`, `{"type":"object","properties":{"a":{"$ref":"#/definitions/A"}},"definitions":{"A":{}}}`, []string{"dialect_dropped"}},
		{"2020-12 marker stays", `{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","properties":{}}`, `{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","properties":{}}`, nil},
		{"around the object stays", " {} \n", " {\"type\":\"object\",\"properties\":{}} \n", []string{"properties_added", "type_added"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			raw := []byte(tt.raw)
			got, repairs, err := schema.Repair(raw)
			if err != nil {
				t.Fatal(err)
			}
			if string(got) != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
			if diff := cmp.Diff(tt.repairs, repairs); diff != "" {
				t.Errorf("repairs (-want +got):\n%s", diff)
			}
			if string(raw) != tt.raw {
				t.Errorf("the input became %s", raw)
			}
			if f := schema.Scan(got); f != nil {
				t.Errorf("published text is no JSON: %v", f)
			}
		})
	}
}

func TestRepairKeepsADialectThatMatters(t *testing.T) {
	const marker = `"$schema":"http://json-schema.org/draft-07/schema#"`
	for name, keywords := range map[string]string{
		"tuple items":                 `"items":[{}]`,
		"additionalItems":             `"additionalItems":false`,
		"dependencies":                `"dependencies":{"a":["b"]}`,
		"assertion beside $ref":       `"properties":{"a":{"$ref":"#/definitions/A","maxLength":1}},"definitions":{"A":{}}`,
		"an anchor":                   `"definitions":{"A":{"$id":"#a"}}`,
		"an embedded resource":        `"definitions":{"A":{"$id":"http://example.org/a"}}`,
		"a keyword draft-07 ignores":  `"properties":{"a":{"unevaluatedProperties":false}}`,
		"dependentRequired":           `"dependentRequired":{"a":["b"]}`,
		"prefixItems":                 `"properties":{"a":{"prefixItems":[{}]}}`,
		"a reference into no schema":  `"properties":{"a":{"$ref":"#/components/A"}},"components":{"A":{}}`,
		"a reference to an anchor":    `"properties":{"a":{"$ref":"#a"}}`,
		"a keyword nested in a union": `"anyOf":[{"items":{"items":[{}]}}]`,
	} {
		t.Run(name, func(t *testing.T) {
			got, repairs, err := schema.Repair([]byte(`{` + marker + `,"type":"object",` + keywords + `}`))
			if err != nil || slices.Contains(repairs, schema.DialectDropped) || !strings.Contains(string(got), marker) {
				t.Errorf("got %s %v %v, want the marker kept", got, repairs, err)
			}
		})
	}
	t.Run("the same words as data or names do not matter", func(t *testing.T) {
		raw := `{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","properties":{"prefixItems":{"default":{"items":[{}]}},"$ref":{"maxLength":1}}}`
		_, repairs, err := schema.Repair([]byte(raw))
		if diff := cmp.Diff([]string{"dialect_dropped"}, repairs); err != nil || diff != "" {
			t.Errorf("%v (-want +got):\n%s", err, diff)
		}
	})
}

func TestRepairRefuses(t *testing.T) {
	tests := []struct{ name, raw, pointer, message string }{
		{"an array type", `{"type":"array"}`, "/type", `a tool's schema must have the type "object", not "array"`},
		{"a list of types", `{"type":["object","null"]}`, "/type", `a tool's schema must have the type "object", not ["object","null"]`},
		{"a null type", `{"type":null}`, "/type", `a tool's schema must have the type "object", not null`},
		{"null", `null`, "", "a tool's schema must be an object, not null"},
		{"true", `true`, "", "a tool's schema must be an object, not a boolean"},
		{"a string", `"{}"`, "", "a tool's schema must be an object, not a string"},
		{"a list", `[]`, "", "a tool's schema must be an object, not an array"},
		{"no JSON", `{"a"`, "", "this is not JSON: expected ':' after the field name (at the root, byte 4)"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, _, err := schema.Repair([]byte(tt.raw))
			if e, ok := schema.AsError(err); !ok || e.Pointer != tt.pointer || e.Message != tt.message {
				t.Errorf("got %v, want %q %s", err, tt.pointer, tt.message)
			}
		})
	}
}
