package schema_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/seed-89b9419b/holotype/internal/schema"
)

// certainWords are keywords and what may stand under them, right and wrong.
var certainWords = []string{
	"type", "title", "description", "$comment", "format", "default", "const", "examples", "enum", "minimum", "maximum", "exclusiveMinimum",
	"exclusiveMaximum", "minLength", "maxItems", "minProperties", "uniqueItems", "readOnly", "deprecated", "required", "pattern", "properties",
	"items", "additionalProperties", "allOf", "anyOf", "oneOf", "$schema", "$id", "id", "$ref", "$defs", "not", "nullable", "multipleOf",
	"propertyNames", "patternProperties", "prefixItems", "dependencies", "$anchor", "x-more",
}

var certainValues = []string{
	`"string"`, `"integer"`, `"object"`, `"nonsense"`, `"date"`, `""`, `"^a+$"`, `"("`, `"(?=a)"`, `"\u0061"`, `"#"`, `"#/nowhere"`, `0`, `-1`, `1`, `1.5`, `1e3`, `-0`,
	`99999999999999999999`, `true`, `false`, `null`, `[]`, `{}`, `["a"]`, `["a","a"]`, `["a","\u0061"]`, `[1]`, `[{}]`, `[true]`, `[{"type":"string"}]`, `{"a":{}}`,
	`{"a":true}`, `{"a":1}`, `{"a":{"type":"object"}}`, `{"type":"string"}`, `{"type":"nonsense"}`, `"http://json-schema.org/draft-07/schema#"`,
	`"http://json-schema.org/draft-04/schema#"`, `"https://json-schema.org/draft/2019-09/schema"`, `"https://json-schema.org/draft/2020-12/schema"`,
}

// What is called certain compiles: every keyword with every value, alone, in the depth and marked as draft-07; then some at a time.
func TestCertainSchemasCompile(t *testing.T) {
	var all []string
	for _, w := range certainWords {
		for _, v := range certainValues {
			one := fmt.Sprintf(`{%q:%s}`, w, v)
			all = append(all, one, fmt.Sprintf(`{"properties":{"a":{"items":{"anyOf":[%s]}}}}`, one),
				fmt.Sprintf(`{"$schema":"http://json-schema.org/draft-07/schema#",%q:%s}`, w, v))
		}
	}
	random := rand.New(rand.NewPCG(3, 4))
	for range 2_000 {
		words := slices.Clone(certainWords)
		random.Shuffle(len(words), func(i, j int) { words[i], words[j] = words[j], words[i] })
		text := ""
		for _, w := range words[:1+random.IntN(4)] {
			text += fmt.Sprintf(`,%q:%s`, w, certainValues[random.IntN(len(certainValues))])
		}
		all = append(all, "{"+text[1:]+"}")
	}
	all = append(all, corpusSchemas...)
	for _, w := range wireSchemas(t) {
		all = append(all, string(w.Schema))
	}
	certain, refused := 0, 0
	for _, text := range all {
		raw := []byte(text)
		if schema.Scan(raw) != nil {
			continue
		}
		_, err := schema.CompileForeign(raw)
		if err != nil {
			refused++
		}
		if got := schema.CheckForeign(raw); fmt.Sprint(got) != fmt.Sprint(err) {
			t.Errorf("%s: CheckForeign says %v, CompileForeign %v", text, got, err)
		}
		if schema.Certain(raw) {
			certain++
		}
	}
	if certain < 500 || refused < 500 {
		t.Fatalf("the corpus shows little: %d are certain, %d do not compile", certain, refused)
	}
}

// What tools publish most is certain, or judging it without compiling gains nothing.
func TestUsualSchemasAreCertain(t *testing.T) {
	for name, text := range map[string]string{
		"constraints": `{"type":"object","properties":{"project":{"type":"string","minLength":1,"pattern":"^[a-z]+$"},"limit":{"type":"integer","minimum":1,"maximum":500,"default":20},` +
			`"state":{"type":"string","enum":["open","closed"]},"labels":{"type":"array","items":{"type":"string"},"maxItems":5}},"required":["project"],"additionalProperties":false}`,
		"optional as a union": `{"type":"object","title":"args","properties":{"q":{"anyOf":[{"type":"string"},{"type":"null"}],"default":null,"title":"Q"}}}`,
		"marked":              `{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","properties":{}}`,
	} {
		t.Run(name, func(t *testing.T) {
			if !schema.Certain([]byte(text)) {
				t.Errorf("%s is compiled to be judged", text)
			}
		})
	}
	certain, all := 0, wireSchemas(t)
	for _, w := range all {
		if schema.Certain(w.Schema) {
			certain++
		}
	}
	if certain*2 < len(all) {
		t.Errorf("%d of %d schemas of real servers are certain", certain, len(all))
	} else {
		t.Logf("%d of %d schemas of real servers are certain", certain, len(all))
	}
}
