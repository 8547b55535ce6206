package schema_test

import (
	"bufio"
	"encoding/json"
	"net"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-89b9419b/holotype/internal/schema"
)

func TestCompileRefuses(t *testing.T) {
	tests := []struct{ name, schema, pointer, message string }{
		{"an unknown type", `{"properties":{"a":{"type":"strng"}}}`, "/properties/a/type", `must be one of "array", "boolean", "integer", "null", "number", "object", "string": did you mean "string"?`},
		{"required that is no list", `{"required":"a"}`, "/required", "must be an array, not a string"},
		{"required: true on a property", `{"properties":{"a":{"required":true}}}`, "/properties/a/required", "must be an array, not a boolean"},
		{"properties that are null", `{"properties":null}`, "/properties", "must be an object, not null"},
		{"enum that is no list", `{"properties":{"a":{"enum":"x"}}}`, "/properties/a/enum", "must be an array, not a string"},
		{"a negative length", `{"maxLength":-1}`, "/maxLength", "must be at least 0, not -1"},
		{"a description that is no text", `{"description":{"en":"x"}}`, "/description", "must be a string, not an object"},
		{"a fault in 2019-09, nested", `{"$schema":"https://json-schema.org/draft/2019-09/schema","properties":{"a":{"type":"strng"}}}`, "/properties/a/type", `must be one of "array", "boolean", "integer", "null", "number", "object", "string": did you mean "string"?`},
		{"a fault in an unused definition", `{"$defs":{"A":{"minItems":"x"}}}`, "/$defs/A/minItems", "must be an integer, not a string"},
		{"a fault where only a reference makes it a schema", `{"$ref":"#/components/A","components":{"A":{"type":1}}}`, "/components/A/type", `must be one of "array", "boolean", "integer", "null", "number", "object", "string"`},
		{"a dangling reference", `{"properties":{"a":{"$ref":"#/$defs/Nope"}}}`, "/properties/a/$ref", `$ref "#/$defs/Nope" leads nowhere: define it or correct it`},
		{"a dangling reference nobody reaches", `{"$defs":{"A":{"$ref":"#/$defs/B"}}}`, "/$defs/A/$ref", `$ref "#/$defs/B" leads nowhere: define it or correct it`},
		{"a dangling anchor", `{"properties":{"a":{"$ref":"#here"}}}`, "/properties/a/$ref", `$ref to anchor "here" leads nowhere`},
		{"a reference to itself", `{"properties":{"a":{"$ref":"#/$defs/A"}},"$defs":{"A":{"$ref":"#/$defs/B"},"B":{"$ref":"#/$defs/A"}}}`, "/$defs/A", "the reference leads back to itself, or through too many others, so nothing could ever fit it"},
		{"a loop through allOf", `{"allOf":[{"$ref":"#"}]}`, "", "the reference leads back to itself, or through too many others, so nothing could ever fit it"},
		{"a malformed pattern", `{"properties":{"a":{"pattern":"(["}}}`, "/properties/a/pattern", "pattern \"([\" is not a regular expression: error parsing regexp: missing closing ]: `[`"},
		{"a malformed pattern as a key", `{"patternProperties":{"(":true}}`, "/patternProperties/(", "pattern \"(\" is not a regular expression: error parsing regexp: missing closing ): `(`"},
		{"look-ahead", `{"properties":{"a":{"pattern":"^(?!-)x"}}}`, "/properties/a/pattern", `pattern "^(?!-)x" needs a feature that RE2 does not have: write it without look-around and back-references`},
		{"a bomb of repeats", `{"properties":{"a":{"pattern":"(x{900})(x{900})(x{900})(x{900})(x{900})(x{900})"}}}`, "/properties/a/pattern", `pattern "(x{900})(x{900})(x{900})(x{900})(x{90..." repeats too much: shorten it, or repeat less`},
		{"many large patterns", `{"allOf":[` + strings.Repeat(`{"pattern":"(x{900})(x{900})(x{900})"},`, 8) + `{"pattern":"x"}]}`, "/allOf/7/pattern", "the patterns of this schema are too large together: shorten them, or repeat less"},
		{"a back-reference", `{"pattern":"(a)\\1"}`, "/pattern", `pattern "(a)\\1" needs a feature that RE2 does not have: write it without look-around and back-references`},
		{"an unknown dialect", `{"$schema":"urn:example:mine"}`, "/$schema", `dialect "urn:example:mine" is not known: use https://json-schema.org/draft/2020-12/schema`},
		{"http reference", `{"properties":{"a":{"$ref":"http://127.0.0.1:9/x.json#/A"}}}`, "/properties/a/$ref", `external $ref "http://127.0.0.1:9/x.json#/A" is never fetched: put the definition into $defs`},
		{"https reference", `{"$ref":"https://example.org/x.json"}`, "/$ref", `external $ref "https://example.org/x.json" is never fetched: put the definition into $defs`},
		{"file reference", `{"items":{"$ref":"file:///etc/hostname"}}`, "/items/$ref", `external $ref "file:///etc/hostname" is never fetched: put the definition into $defs`},
		{"relative file reference", `{"$ref":"other.json"}`, "/$ref", `external $ref "other.json" is never fetched: put the definition into $defs`},
		{"dynamic reference outside", `{"$dynamicRef":"https://example.org/x#a"}`, "/$dynamicRef", `external $ref "https://example.org/x#a" is never fetched: put the definition into $defs`},
		{"a reference to a meta-schema", `{"$ref":"http://json-schema.org/draft-07/schema#"}`, "/$ref", `external $ref "http://json-schema.org/draft-07/schema#" is never fetched: put the definition into $defs`},
		{"relative to a root $id", `{"$id":"http://127.0.0.1:9/root.json","properties":{"a":{"$ref":"item.json"}}}`, "/properties/a/$ref", `external $ref "http://127.0.0.1:9/item.json" is never fetched: put the definition into $defs`},
		{"no JSON", `{`, "", "this is not JSON: expected a field name in double quotes (at the root, byte 1)"},
		{"a duplicate key", `{"type":"object","type":"string"}`, "/type", `field "type" is given twice: keep one (at /type, byte 17)`},
		{"a list", `[]`, "", "must be an object, not an array"},
		{"null", `null`, "", "must be an object, not null"},
		{"a string", `"{}"`, "", "must be an object, not a string"},
		{"500 levels", strings.Repeat(`{"properties":{"c":`, 500) + "{}" + strings.Repeat("}}", 500), strings.Repeat("/properties/c", 32), "more than 64 levels of nesting: send a flatter value (at " + strings.Repeat("/properties/c", 32)[:77] + "..., byte 608)"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := schema.Compile([]byte(tt.schema))
			e, ok := schema.AsError(err)
			if !ok {
				t.Fatalf("Compile = %v, want a *schema.Error", err)
			}
			if e.Pointer != tt.pointer || e.Message != tt.message {
				t.Errorf("got  %q %s\nwant %q %s", e.Pointer, e.Message, tt.pointer, tt.message)
			}
		})
	}
}

// A schema that points at a live listener must not cause a connection.
func TestCompileNeverConnects(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	called := make(chan struct{})
	go func() {
		defer close(called)
		if c, err := l.Accept(); err == nil {
			t.Error("somebody connected")
			_ = c.Close()
		}
	}()
	target := "http://" + l.Addr().String() + "/s.json"
	for _, text := range []string{
		`{"$ref":"` + target + `"}`, `{"$schema":"` + target + `"}`, `{"$id":"` + target + `","$ref":"t.json"}`,
		`{"$id":"` + target + `","$defs":{"a":{"$id":"b/","$schema":"` + target + `"}}}`,
	} {
		if _, err := schema.Compile([]byte(text)); err == nil {
			t.Errorf("Compile(%s) was taken", text)
		}
		_, _, _ = schema.Repair([]byte(text)) // whatever it says, it must not connect
	}
	_ = l.Close()
	<-called
}

func TestCompileTakes(t *testing.T) {
	tests := []struct {
		name, schema string
		good, bad    []string
	}{
		{"true", `true`, []string{`1`}, nil},
		{"false", `false`, nil, []string{`1`}},
		{"recursive definitions", `{"properties":{"r":{"$ref":"#/$defs/N"}},"$defs":{"N":{"type":"object","properties":{"k":{"type":"array","items":{"$ref":"#/$defs/N"}}}}}}`, []string{`{"r":{"k":[{"k":[]}]}}`}, []string{`{"r":{"k":[{"k":[1]}]}}`}},
		{"recursive pointer", `{"properties":{"nodes":{"type":"array","items":{"type":"object","properties":{"kids":{"type":"array","items":{"$ref":"#/properties/nodes/items"}}}}}}}`, []string{`{"nodes":[{"kids":[{}]}]}`}, []string{`{"nodes":[{"kids":[{"kids":1}]}]}`}},
		{"recursive root", `{"type":"object","properties":{"parent":{"$ref":"#"}}}`, []string{`{"parent":{"parent":{}}}`}, []string{`{"parent":{"parent":1}}`}},
		{"mutual", `{"properties":{"a":{"$ref":"#/$defs/A"}},"$defs":{"A":{"type":"object","properties":{"b":{"$ref":"#/$defs/B"}}},"B":{"type":"object","properties":{"a":{"$ref":"#/$defs/A"}}}}}`, []string{`{"a":{"b":{"a":{}}}}`}, []string{`{"a":{"b":{"a":1}}}`}},
		{"an escaped pointer", `{"properties":{"a":{"$ref":"#/$defs/a~1b~0c%25"}},"$defs":{"a/b~c%":{"type":"string"}}}`, []string{`{"a":"x"}`}, []string{`{"a":1}`}},
		{"an anchor", `{"properties":{"a":{"$ref":"#here"}},"$defs":{"X":{"$anchor":"here","type":"string"}}}`, []string{`{"a":"x"}`}, []string{`{"a":1}`}},
		{"a dynamic anchor", `{"$dynamicAnchor":"node","type":"object","properties":{"kid":{"$dynamicRef":"#node"}}}`, []string{`{"kid":{}}`}, []string{`{"kid":1}`}},
		{"an embedded resource", `{"$id":"https://example.org/root.json","properties":{"a":{"$ref":"item.json"}},"$defs":{"i":{"$id":"item.json","type":"string"}}}`, []string{`{"a":"x"}`}, []string{`{"a":1}`}},
		{"draft-07 ignores what stands beside $ref", `{"$schema":"http://json-schema.org/draft-07/schema#","properties":{"a":{"$ref":"#/definitions/A","maxLength":1}},"definitions":{"A":{"type":"string"}}}`, []string{`{"a":"xx"}`}, []string{`{"a":1}`}},
		{"2020-12 obeys what stands beside $ref", `{"properties":{"a":{"$ref":"#/$defs/A","maxLength":1}},"$defs":{"A":{"type":"string"}}}`, []string{`{"a":"x"}`}, []string{`{"a":"xx"}`, `{"a":1}`}},
		{"draft-07 tuples", `{"$schema":"http://json-schema.org/draft-07/schema#","items":[{"type":"number"}],"additionalItems":false}`, []string{`[1]`}, []string{`[1,2]`, `["x"]`}},
		{"draft 4", `{"$schema":"http://json-schema.org/draft-04/schema#","minimum":0,"exclusiveMinimum":true}`, []string{`1`}, []string{`0`}},
		{"2019-09", `{"$schema":"https://json-schema.org/draft/2019-09/schema","type":"object","properties":{"k":{"$recursiveRef":"#"}},"$recursiveAnchor":true}`, []string{`{"k":{}}`}, []string{`{"k":1}`}},
		{"a property called $ref", `{"properties":{"$ref":{"type":"string"}}}`, []string{`{"$ref":"http://example.org"}`}, []string{`{"$ref":1}`}},
		{"what looks like a reference in data", `{"const":{"$ref":"http://example.org/x"},"default":{"$ref":"file:///x"},"examples":[{"$ref":"x"}]}`, []string{`{"$ref":"http://example.org/x"}`}, []string{`{}`}},
		{"unicode escapes in a pattern", `{"pattern":"^[\\u0041-\\u{43}]$"}`, []string{`"B"`}, []string{`"D"`}},
		{"odd keys", `{"properties":{"a b":{"type":"string"},"":{"type":"string"},"__proto__":{"type":"string"},"été 😀":{"type":"string"}}}`, []string{`{"":"x","été 😀":"y"}`}, []string{`{"":1}`, `{"__proto__":1}`}},
		{"a pattern of two nested repeats", `{"pattern":"^(a+)+$"}`, []string{`"aaaa"`}, []string{`"` + strings.Repeat("a", 5000) + `b"`}},
		{"unknown keywords", `{"type":"string","x-google-enum":["q"],"markdownDescription":"<b>","deprecated":true}`, []string{`"x"`}, []string{`1`}},
		{"a discriminated union", `{"oneOf":[` + variant("a", "x") + `,` + variant("b", "y") + `],"discriminator":{"propertyName":"kind"}}`, []string{`{"kind":"a","x":1}`}, []string{`{"kind":"a","y":1}`}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := mustCompile(t, tt.schema)
			if string(s.Raw()) != tt.schema {
				t.Errorf("Raw = %s", s.Raw())
			}
			for _, data := range tt.good {
				if got := s.Validate([]byte(data)); got != nil {
					t.Errorf("%s: %v, want valid", data, render(got))
				}
			}
			for _, data := range tt.bad {
				if got := s.Validate([]byte(data)); got == nil {
					t.Errorf("%s: valid, want a violation", data)
				}
			}
		})
	}
}

func TestCompileForeign(t *testing.T) {
	s, err := schema.CompileForeign([]byte(`{"properties":{"a":{"type":"string","pattern":"^(?!-)x"},"b":{"pattern":"^y"}},"patternProperties":{"^(?=z)":{"type":"integer"}}}`))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"/patternProperties/^(?=z)", "/properties/a/pattern"}, s.Unjudged()); diff != "" {
		t.Errorf("Unjudged (-want +got):\n%s", diff)
	}
	if got := s.Validate([]byte(`{"a":"-x","b":"y"}`)); len(got) == 0 {
		t.Error("the unjudged patternProperties admits every name, so a and b must be integers")
	}
	bomb := `{"properties":{"a":{"type":"string","pattern":"` + strings.Repeat("(x{900})", 2000) + `"}}}`
	if s, err := schema.CompileForeign([]byte(bomb)); err != nil || len(s.Unjudged()) != 1 || s.Validate([]byte(`{"a":"y"}`)) != nil {
		t.Errorf("a pattern too large to run here: %v, want it unjudged", err)
	}
	many := `{"allOf":[` + strings.Repeat(`{"pattern":"(x{900})(x{900})(x{900})"},`, 8) + `{"pattern":"x"}]}`
	if schema.CheckForeign([]byte(many)) == nil {
		t.Error("patterns that are too large together were taken")
	}
	if _, err := schema.CompileForeign([]byte(`{"pattern":"(["}`)); err == nil {
		t.Error("a malformed pattern was taken")
	}
	tuple := `{"items":[{"type":"number"},{"type":"string"}],"additionalItems":false}`
	if _, err := schema.Compile([]byte(tuple)); err == nil {
		t.Error("Compile took a list in items as 2020-12")
	}
	s, err = schema.CompileForeign([]byte(tuple))
	if err != nil {
		t.Fatal(err)
	}
	for data, valid := range map[string]bool{`[1,"x"]`: true, `[1]`: true, `["x"]`: false, `[1,"x",2]`: false} {
		if got := s.Validate([]byte(data)); (got == nil) != valid {
			t.Errorf("tuple %s: %v, want valid %v", data, render(got), valid)
		}
	}
	if s := mustCompile(t, `{"pattern":"x"}`); len(s.Unjudged()) != 0 {
		t.Errorf("Unjudged of an ordinary schema = %v", s.Unjudged())
	}
}

func TestCompileKeepsNoGripOnItsInput(t *testing.T) {
	raw := []byte(`{"type":"string"}`)
	s := mustCompile(t, string(raw))
	s2, err := schema.Compile(raw)
	if err != nil {
		t.Fatal(err)
	}
	copy(raw, strings.Repeat(" ", len(raw)))
	if string(s2.Raw()) != string(s.Raw()) || s2.Validate([]byte(`1`)) == nil {
		t.Error("changing the input changed the schema")
	}
}

func TestSchemaIsSafeForConcurrentUse(t *testing.T) {
	s := mustCompile(t, `{"properties":{"a":{"anyOf":[{"type":"string","pattern":"^x"},{"$ref":"#"}]}},"propertyNames":{"maxLength":1},"additionalProperties":false}`)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 50 {
				_ = s.Validate([]byte(`{"a":{"a":"x"}}`))
				_ = s.Validate([]byte(`{"a":"y","bb":1}`))
				_ = s.Properties()
			}
		})
	}
	wg.Wait()
}

// wireSchema is a schema as a real server sent it.
type wireSchema struct {
	Server, Tool, Side string
	Schema             json.RawMessage
}

func wireSchemas(t testing.TB) []wireSchema {
	t.Helper()
	f, err := os.Open("testdata/wire.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var list []wireSchema
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var w wireSchema
		if err := json.Unmarshal(lines.Bytes(), &w); err != nil {
			t.Fatal(err)
		}
		list = append(list, w)
	}
	if err := lines.Err(); err != nil || len(list) < 100 {
		t.Fatalf("read %d schemas: %v", len(list), err)
	}
	return list
}

func TestWireSchemasCompileAndRepair(t *testing.T) {
	for _, w := range wireSchemas(t) {
		t.Run(w.Server+"/"+w.Tool+"/"+w.Side, func(t *testing.T) {
			published, _, err := schema.Repair(w.Schema)
			if err != nil {
				t.Fatal(err)
			}
			for _, raw := range [][]byte{w.Schema, published} {
				s, err := schema.CompileForeign(raw)
				if err != nil {
					t.Fatal(err)
				}
				_ = s.Properties()
				for _, data := range []string{`{}`, `{"unknown":1}`, `[]`, `null`} {
					for _, v := range s.Validate([]byte(data)) {
						if v.Message == "" || v.Keyword == "" || strings.Contains(v.Message, "does not fit the schema") {
							t.Errorf("%s: %+v says nothing", data, v)
						}
					}
				}
			}
			again, repairs, err := schema.Repair(published)
			if err != nil || len(repairs) != 0 || string(again) != string(published) {
				t.Errorf("repairing twice: %v %v", repairs, err)
			}
		})
	}
}
