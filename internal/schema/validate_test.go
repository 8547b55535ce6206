package schema_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-89b9419b/holotype/internal/schema"
)

func mustCompile(t testing.TB, text string) *schema.Schema {
	t.Helper()
	s, err := schema.Compile([]byte(text))
	if err != nil {
		t.Fatalf("Compile(%.200s): %v", text, err)
	}
	return s
}

// render writes each violation as "pointer keyword: message".
func render(list []schema.Violation) []string {
	lines := []string{}
	for _, v := range list {
		lines = append(lines, fmt.Sprintf("%s %s: %s", v.Pointer, v.Keyword, v.Message))
	}
	return lines
}

func TestValidateMessages(t *testing.T) {
	p := func(property string) string { return `{"type":"object","properties":{"a":` + property + `}}` }
	tests := []struct {
		name, schema, data string
		want               []string
	}{
		{"type", p(`{"type":"integer"}`), `{"a":"5"}`, []string{"/a type: must be an integer, not a string"}},
		{"type, a fraction", p(`{"type":"integer"}`), `{"a":1.5}`, []string{"/a type: must be an integer, not a number with a fraction"}},
		{"type, a list", p(`{"type":["string","null"]}`), `{"a":true}`, []string{"/a type: must be null or a string, not a boolean"}},
		{"type, null", p(`{"type":"array"}`), `{"a":null}`, []string{"/a type: must be an array, not null"}},
		{"type at the root", `{"type":"object"}`, `[]`, []string{" type: must be an object, not an array"}},
		{"required", `{"required":["b","a"]}`, `{}`, []string{"/a required: is required", "/b required: is required"}},
		{"required, escaped", `{"properties":{"x":{"required":["a/b"]}}}`, `{"x":{}}`, []string{"/x/a~1b required: is required"}},
		{"enum", p(`{"enum":["open","closed",1]}`), `{"a":"opne"}`, []string{`/a enum: must be one of "open", "closed", 1: did you mean "open"?`}},
		{"enum of one", p(`{"enum":["x"]}`), `{"a":"y"}`, []string{`/a enum: must be "x"`}},
		{"enum, many", p(`{"enum":[` + manyWords(40) + `]}`), `{"a":0}`, []string{
			`/a enum: must be one of "word_number_00", "word_number_01", "word_number_02", "word_number_03", "word_number_04", "word_number_05", "word_number_06", "word_number_07", "word_number_08" or 31 more`,
		}},
		{"const", p(`{"const":{"k":[1]}}`), `{"a":0}`, []string{`/a const: must be {"k":[1]}`}},
		{"minimum", p(`{"minimum":1}`), `{"a":0}`, []string{"/a minimum: must be at least 1, not 0"}},
		{"maximum", p(`{"maximum":1.10}`), `{"a":1.25}`, []string{"/a maximum: must be at most 1.1, not 1.25"}},
		{"exclusiveMinimum", p(`{"exclusiveMinimum":0}`), `{"a":0}`, []string{"/a exclusiveMinimum: must be more than 0, not 0"}},
		{"exclusiveMaximum", p(`{"exclusiveMaximum":10}`), `{"a":10}`, []string{"/a exclusiveMaximum: must be less than 10, not 10"}},
		{"multipleOf", p(`{"multipleOf":0.1}`), `{"a":0.25}`, []string{"/a multipleOf: must be a multiple of 0.1, not 0.25"}},
		{"a huge number is cut", p(`{"maximum":1}`), `{"a":1e300}`, []string{"/a maximum: must be at most 1, not 1" + strings.Repeat("0", 36) + "..."}},
		{"minLength 1", p(`{"minLength":1}`), `{"a":""}`, []string{"/a minLength: must not be empty"}},
		{"minLength", p(`{"minLength":3}`), `{"a":"éé"}`, []string{"/a minLength: must be at least 3 characters long, not 2"}},
		{"maxLength", p(`{"maxLength":2}`), `{"a":"ééé"}`, []string{"/a maxLength: must be at most 2 characters long, not 3"}},
		{"maxLength 1", p(`{"maxLength":1}`), `{"a":"ab"}`, []string{"/a maxLength: must be at most 1 character long, not 2"}},
		{"pattern", p(`{"pattern":"^[a-z]+$"}`), `{"a":"A"}`, []string{"/a pattern: must match the pattern ^[a-z]+$"}},
		{"format date-time", p(`{"format":"date-time"}`), `{"a":"yesterday"}`, []string{"/a format: must be a date and time with zone, like 2026-01-31T09:30:00Z"}},
		{"format email", p(`{"format":"email"}`), `{"a":"x"}`, []string{"/a format: must be an e-mail address, like ada@example.org"}},
		{"format json-pointer", p(`{"format":"json-pointer"}`), `{"a":"x"}`, []string{`/a format: must have the format "json-pointer"`}},
		{"format nobody knows", p(`{"format":"no-such-format"}`), `{"a":"x"}`, []string{}},
		{"minItems", p(`{"minItems":1}`), `{"a":[]}`, []string{"/a minItems: must have at least 1 item, not 0"}},
		{"maxItems", p(`{"maxItems":2}`), `{"a":[1,2,3]}`, []string{"/a maxItems: must have at most 2 items, not 3"}},
		{"uniqueItems", p(`{"uniqueItems":true}`), `{"a":[1,2,1.0]}`, []string{"/a uniqueItems: items 0 and 2 are equal: keep one"}},
		{"contains", p(`{"contains":{"type":"string"}}`), `{"a":[1]}`, []string{"/a contains: must have at least one item of the kind the schema asks for"}},
		{"minContains", p(`{"contains":{"type":"string"},"minContains":2}`), `{"a":["x"]}`, []string{"/a minContains: must have at least 2 items of the kind the schema asks for, not 1"}},
		{"maxContains", p(`{"contains":{"type":"string"},"maxContains":1}`), `{"a":["x","y"]}`, []string{"/a maxContains: must have at most 1 item of the kind the schema asks for, not 2"}},
		{"items", p(`{"items":{"type":"string"}}`), `{"a":["x",1]}`, []string{"/a/1 type: must be a string, not a number"}},
		{"prefixItems closed", p(`{"prefixItems":[true],"items":false}`), `{"a":[1,2]}`, []string{"/a/1 items: is one item too many: remove it"}},
		{"additionalItems", `{"$schema":"http://json-schema.org/draft-07/schema#","items":[true],"additionalItems":false}`, `[1,2]`, []string{" additionalItems: has 1 item too many: remove the last"}},
		{"minProperties", p(`{"minProperties":2}`), `{"a":{"b":1}}`, []string{"/a minProperties: must have at least 2 fields, not 1"}},
		{"maxProperties", p(`{"maxProperties":1}`), `{"a":{"b":1,"c":2}}`, []string{"/a maxProperties: must have at most 1 field, not 2"}},
		{"additionalProperties, misspelt", `{"properties":{"title":{},"body":{}},"additionalProperties":false}`, `{"titel":1}`, []string{`/titel additionalProperties: unknown field "titel": did you mean "title"?`}},
		{"additionalProperties, no such thing", `{"properties":{"title":{},"body":{}},"additionalProperties":false}`, `{"zzz":1,"qq":2}`, []string{
			`/qq additionalProperties: unknown field "qq": known are "body", "title"`,
			`/zzz additionalProperties: unknown field "zzz": known are "body", "title"`,
		}},
		{
			"additionalProperties, much known", `{"properties":{"alpha":{},"beta":{},"gamma":{},"delta":{},"epsilon":{},"zeta":{},"eta":{},"theta":{},"owned_by":{}},"additionalProperties":false}`, `{"lane":1}`,
			[]string{`/lane additionalProperties: unknown field "lane": of the 9 that the schema has the nearest are "alpha", "beta", "eta"`},
		},
		{"additionalProperties, nothing known", `{"additionalProperties":false}`, `{"a":1}`, []string{`/a additionalProperties: unknown field "a": no fields are taken here, remove it`}},
		{"additionalProperties, a long name is cut", `{"additionalProperties":false}`, `{"` + strings.Repeat("n", 300) + `":1}`, []string{
			"/" + strings.Repeat("n", 253) + `... additionalProperties: unknown field "` + strings.Repeat("n", 37) + `...": no fields are taken here, remove it`,
		}},
		{"additionalProperties, control characters are shown", `{"additionalProperties":false}`, `{"\u001b[2J":1}`, []string{
			"/\x1b[2J " + `additionalProperties: unknown field "\x1b[2J": no fields are taken here, remove it`,
		}},
		{"unevaluatedProperties", `{"allOf":[{"properties":{"title":{}}}],"properties":{"body":{}},"unevaluatedProperties":false}`, `{"titel":1}`, []string{`/titel unevaluatedProperties: unknown field "titel": did you mean "title"?`}},
		{"unevaluatedItems", `{"prefixItems":[true],"unevaluatedItems":false}`, `[1,2]`, []string{"/1 unevaluatedItems: is one item too many: remove it"}},
		{"a property that is false", p(`false`), `{"a":1}`, []string{"/a properties: is not allowed here: remove it"}},
		{"false at the root", `false`, `1`, []string{" not: is not allowed here: remove it"}},
		{"propertyNames", p(`{"propertyNames":{"pattern":"^x-"}}`), `{"a":{"x-1":1,"y":2}}`, []string{`/a/y propertyNames: field name "y" must match the pattern ^x-`}},
		{"propertyNames false", `{"propertyNames":false}`, `{"a":1}`, []string{`/a propertyNames: field name "a" is not allowed here: remove it`}},
		{"patternProperties", `{"patternProperties":{"^n":{"type":"number"}}}`, `{"n1":"x"}`, []string{"/n1 type: must be a number, not a string"}},
		{"dependentRequired", `{"dependentRequired":{"card":["addr"]}}`, `{"card":1}`, []string{`/addr dependentRequired: is required beside "card"`}},
		{"dependencies", `{"$schema":"http://json-schema.org/draft-07/schema#","dependencies":{"card":["addr"]}}`, `{"card":1}`, []string{`/addr dependencies: is required beside "card"`}},
		{"dependentSchemas", `{"dependentSchemas":{"a":{"required":["b"]}}}`, `{"a":1}`, []string{"/b required: is required"}},
		{"not", p(`{"not":{"type":"string"}}`), `{"a":"x"}`, []string{"/a not: is of the kind the schema excludes: change it"}},
		{"if then", `{"if":{"required":["a"]},"then":{"required":["b"]}}`, `{"a":1}`, []string{"/b required: is required"}},
		{"if else", `{"if":{"required":["a"]},"else":{"required":["b"]}}`, `{}`, []string{"/b required: is required"}},
		{"allOf", `{"allOf":[{"required":["a"]},{"required":["b"]}]}`, `{}`, []string{"/a required: is required", "/b required: is required"}},
		{"the same complaint twice is one", `{"required":["a"],"allOf":[{"required":["a"]}]}`, `{}`, []string{"/a required: is required"}},
		{"$ref", `{"properties":{"a":{"$ref":"#/$defs/A"}},"$defs":{"A":{"type":"string"}}}`, `{"a":1}`, []string{"/a type: must be a string, not a number"}},

		{"union of types", p(`{"anyOf":[{"type":"string"},{"type":"integer"},{"type":"null"}]}`), `{"a":[]}`, []string{"/a type: must be a string or an integer or null, not an array"}},
		{"nullable union complains about its one alternative", p(`{"anyOf":[{"type":"string","minLength":2},{"type":"null"}]}`), `{"a":"x"}`, []string{"/a minLength: must be at least 2 characters long, not 1"}},
		{"union by discriminator", `{"oneOf":[` + variant("circle", "radius") + `,` + variant("square", "side") + `]}`, `{"kind":"square"}`, []string{"/side required: is required"}},
		{"union with an unknown discriminator", `{"oneOf":[` + variant("circle", "radius") + `,` + variant("square", "side") + `]}`, `{"kind":"sqare"}`, []string{`/kind enum: must be one of "circle", "square": did you mean "square"?`}},
		{"union of values", p(`{"anyOf":[{"const":"x"},{"enum":["y","z"]}]}`), `{"a":"q"}`, []string{`/a enum: must be one of "x", "y", "z"`}},
		{"union of unions of values", p(`{"anyOf":[{"anyOf":[{"const":1},{"const":2}]},{"const":3}]}`), `{"a":4}`, []string{`/a enum: must be one of 1, 2, 3`}},
		{"union of required fields", `{"type":"object","anyOf":[{"required":["id"]},{"required":["name","project"]}]}`, `{}`, []string{` anyOf: must have "id", or "name" and "project"`}},
		{"the deepest alternative speaks", `{"anyOf":[{"properties":{"a":{"type":"string"}}},{"properties":{"a":{"properties":{"b":{"type":"integer"}},"type":"object"}}}]}`, `{"a":{"b":"x"}}`, []string{"/a/b type: must be an integer, not a string"}},
		{"two alternatives at once", `{"oneOf":[{"type":"integer"},{"minimum":2}]}`, `3`, []string{" oneOf: fits alternatives 1 and 2 at once: make it fit exactly one"}},

		{"nullable as in OpenAPI 3.0", p(`{"type":"string","nullable":true,"enum":["x"]}`), `{"a":null}`, []string{}},
		{"nullable without type means nothing", p(`{"nullable":true,"enum":["x"]}`), `{"a":null}`, []string{`/a enum: must be "x"`}},
		{"several at once, sorted", `{"type":"object","required":["z"],"properties":{"b":{"type":"integer"},"a":{"maxLength":1}},"additionalProperties":false}`, `{"b":"","a":"xx","c":1}`, []string{
			"/a maxLength: must be at most 1 character long, not 2",
			"/b type: must be an integer, not a string",
			`/c additionalProperties: unknown field "c": known are "a", "b"`,
			"/z required: is required",
		}},

		{"a text that is no JSON", `{}`, `{`, []string{" syntax: this is not JSON: expected a field name in double quotes (at the root, byte 1)"}},
		{"a duplicate key", `{}`, `{"a":1,"a":2}`, []string{`/a duplicate: field "a" is given twice: keep one (at /a, byte 7)`}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := render(mustCompile(t, tt.schema).Validate([]byte(tt.data)))
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("violations of %s (-want +got):\n%s", tt.data, diff)
			}
		})
	}
}

func variant(kind, field string) string {
	return `{"type":"object","properties":{"kind":{"const":"` + kind + `"},"` + field + `":{"type":"number"}},"required":["kind","` + field + `"]}`
}

func manyWords(n int) string {
	words := make([]string, n)
	for i := range words {
		words[i] = fmt.Sprintf(`"word_number_%02d"`, i)
	}
	return strings.Join(words, ",")
}

func TestValidateJudgesIntegersExactly(t *testing.T) {
	tests := []struct {
		name, schema, data string
		valid              bool
	}{
		{"const equal", `{"const":9007199254740993}`, `9007199254740993`, true},
		{"const one off", `{"const":9007199254740993}`, `9007199254740992`, false},
		{"enum equal", `{"enum":[1,9007199254740993]}`, `9007199254740993`, true},
		{"enum one off", `{"enum":[1,9007199254740993]}`, `9007199254740994`, false},
		{"maximum equal", `{"maximum":9007199254740993}`, `9007199254740993`, true},
		{"maximum one over", `{"maximum":9007199254740993}`, `9007199254740994`, false},
		{"minimum one under", `{"minimum":9007199254740993}`, `9007199254740992`, false},
		{"multipleOf", `{"multipleOf":2}`, `9007199254740994`, true},
		{"multipleOf, odd", `{"multipleOf":2}`, `9007199254740993`, false},
		{"an integer of 40 digits", `{"type":"integer"}`, strings.Repeat("9", 40), true},
		{"40 digits, one over", `{"maximum":` + strings.Repeat("9", 39) + `8}`, strings.Repeat("9", 40), false},
		{"1.0 is an integer", `{"type":"integer"}`, `1.0`, true},
		{"1e2 is an integer", `{"type":"integer"}`, `1e2`, true},
		{"tenths add up", `{"multipleOf":0.1}`, `0.3`, true},
		{"maxLength beyond an int", `{"maxLength":9223372036854775808}`, `"x"`, true},
		{"maxItems beyond an int", `{"maxItems":1e300}`, `[1]`, true},
		{"minItems beyond an int", `{"minItems":18446744073709551616}`, `[1]`, false},
		{"unique beyond 2^53", `{"uniqueItems":true}`, `[9007199254740992,9007199254740993]`, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := mustCompile(t, tt.schema).Validate([]byte(tt.data)); (len(got) == 0) != tt.valid {
				t.Errorf("%s against %s: %v, want valid %v", tt.data, tt.schema, got, tt.valid)
			}
		})
	}
}

// The library reports a refused property name with a path that later values overwrite; ours must stay right.
func TestPropertyNamePointersSurviveLaterFields(t *testing.T) {
	s := mustCompile(t, `{"additionalProperties":{"propertyNames":{"maxLength":2}}}`)
	for range 50 {
		got := render(s.Validate([]byte(`{"a":{"long":1},"b":{"x":1},"c":{"longer":1,"longest":2},"d":{}}`)))
		want := []string{
			`/a/long propertyNames: field name "long" must be at most 2 characters long, not 4`,
			`/c/longer propertyNames: field name "longer" must be at most 2 characters long, not 6`,
			`/c/longest propertyNames: field name "longest" must be at most 2 characters long, not 7`,
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("(-want +got):\n%s", diff)
		}
	}
}

func TestPropertyNamesAtOddPlaces(t *testing.T) {
	s := mustCompile(t, `{"properties":{"a/b ~%é":{"propertyNames":{"enum":["x"]}},"r":{"$ref":"#/elsewhere/A"}},"elsewhere":{"A":{"propertyNames":{"maxLength":1}}}}`)
	got := render(s.Validate([]byte(`{"a/b ~%é":{"x":1,"y":2},"r":{"ok":1}}`)))
	want := []string{`/a~1b ~0%é/y propertyNames: field name "y" must be "x"`, `/r/ok propertyNames: field name "ok" must be at most 1 character long, not 2`}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestValidateIsDeterministic(t *testing.T) {
	s := mustCompile(t, `{"type":"object","additionalProperties":false,"required":["p","q","r"],
		"properties":{"a":{"type":"integer"},"b":{"pattern":"^x"},"c":{"anyOf":[{"type":"string","pattern":"^1"},{"type":"string","maxLength":1}]}},
		"patternProperties":{"^n":{"type":"integer"},"^nn":{"minimum":5},"n$":{"type":"string","pattern":"z"}},
		"dependentRequired":{"a":["s","t"],"b":["u"]},"propertyNames":{"maxLength":3}}`)
	data := []byte(`{"a":"x","b":"y","c":"22","nn":1.5,"nnnn":"q","zzzz":1,"yyyy":2,"xxxx":3}`)
	want := render(s.Validate(data))
	if len(want) < 10 {
		t.Fatalf("only %d violations, the test would show nothing: %v", len(want), want)
	}
	for range 100 {
		if diff := cmp.Diff(want, render(s.Validate(data))); diff != "" {
			t.Fatalf("(-first +later):\n%s", diff)
		}
	}
}

func TestValidateListsAtMostOneHundred(t *testing.T) {
	s := mustCompile(t, `{"items":{"type":"string"}}`)
	got := s.Validate([]byte("[" + strings.Repeat("1,", 249) + "1]"))
	if len(got) != schema.MaxViolations {
		t.Fatalf("%d violations, want %d", len(got), schema.MaxViolations)
	}
	// Sorted as text, the first ninety-nine of /0 to /249 end with /187.
	if got[99].Pointer != "/187" {
		t.Errorf("ends with %+v", got[99])
	}
	want := schema.Violation{Keyword: "violations", Message: "only the first 99 violations are listed: fix these first"}
	if got[0] != want || got[1].Pointer != "/0" {
		t.Errorf("starts with %+v and %+v, want %+v and /0", got[0], got[1], want)
	}
}

func TestValidateLeavesItsInputAlone(t *testing.T) {
	s := mustCompile(t, `{"properties":{"a":{"type":"integer"}},"additionalProperties":false}`)
	data := []byte(`{"a":"x","b":1}`)
	first := s.Validate(data)
	if string(data) != `{"a":"x","b":1}` {
		t.Fatalf("input became %s", data)
	}
	copy(data, `{"zzzzzzzzzzzz}`)
	if diff := cmp.Diff([]string{"/a type: must be an integer, not a string", `/b additionalProperties: unknown field "b": known are "a"`}, render(first)); diff != "" {
		t.Errorf("the answer changed with the input (-want +got):\n%s", diff)
	}
}

// A recursive union, and references that double at every step, would take the library longer than anyone waits.
func TestValidateRefusesWorkWithoutBound(t *testing.T) {
	deep := strings.Repeat(`{"x":`, 60) + "1" + strings.Repeat("}", 60)
	doubling := `{"$ref":"#/$defs/d0","$defs":{`
	for i := range 40 {
		doubling += fmt.Sprintf(`"d%d":{"allOf":[{"$ref":"#/$defs/d%d"},{"$ref":"#/$defs/d%d"}]},`, i, i+1, i+1)
	}
	doubling += `"d40":{"type":"string"}}}`
	tests := []struct{ name, schema, data string }{
		{"two branches down the same field", `{"anyOf":[{"properties":{"x":{"$ref":"#"}},"required":["y"]},{"properties":{"x":{"$ref":"#"}},"required":["z"]}]}`, deep},
		{"doubling references", doubling, `1`},
		{"a wide union over a large text", `{"items":{"anyOf":[` + strings.Repeat(`{"minimum":1},`, 500) + `{"minimum":1}]}}`, "[" + strings.Repeat("0,", 100_000) + "0]"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := mustCompile(t, tt.schema).Validate([]byte(tt.data))
			if len(got) != 1 || got[0].Keyword != "complexity" {
				t.Errorf("got %v, want one violation of complexity", render(got))
			}
		})
	}
	t.Run("an ordinary recursive tree is judged", func(t *testing.T) {
		s := mustCompile(t, `{"$defs":{"N":{"type":"object","properties":{"v":{"type":"string"},"kids":{"type":"array","items":{"$ref":"#/$defs/N"}}},"additionalProperties":false}},"$ref":"#/$defs/N"}`)
		got := s.Validate([]byte(`{"kids":[{"v":"a"},{"kids":[{"v":1}]}]}`))
		if diff := cmp.Diff([]string{"/kids/1/kids/0/v type: must be a string, not a number"}, render(got)); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}
