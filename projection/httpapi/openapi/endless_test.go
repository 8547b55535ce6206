package openapi_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// A schema of somebody else that leads back to itself, in whatever way, has a document all
// the same: a stack that overflows takes the whole program with it.
func TestSchemasThatLeadBackToThemselves(t *testing.T) {
	for name, schema := range map[string]string{
		"by the rest of a list": `{"type":"object","properties":{"tree":{"type":"array","items":[{"type":"string"}],"additionalItems":{"$ref":"#/properties/tree"}}}}`,
		"by a word of its own":  `{"type":"object","properties":{},"oneOf":[{"type":"object"}],"discriminator":{"propertyName":"k","mapping":{"x":"#/$items"}},"$items":{"$ref":"#"}}`,
		"by a dynamic one":      `{"type":"object","$dynamicAnchor":"a","properties":{"p":{"$dynamicRef":"#a"},"q":{"$dynamicRef":"#/$x"}},"$x":{"items":{"$dynamicRef":"#/$x"}}}`,
		"by a recursive one":    `{"$schema":"https://json-schema.org/draft/2019-09/schema","type":"object","$recursiveAnchor":true,"properties":{"p":{"$recursiveRef":"#/$x"}},"$x":{"items":{"$recursiveRef":"#/$x"}}}`,
	} {
		t.Run(name, func(t *testing.T) { describe(t, bridged(t, "t", schema)) })
	}
}

// Words that nobody knows are passed on as annotations, and never as words of OpenAPI.
func TestWordsBehindADollar(t *testing.T) {
	doc := describe(t, bridged(t, "t", `{"type":"object","properties":{"p":{"$description":{"a":1},"$pattern":5,"$items":{"$ref":"#"},"x-y":{"$ref":"#"},"$z":1}}}`))
	p := inputs(t, doc)[""].(map[string]any)["properties"].(map[string]any)["p"].(map[string]any)
	for _, key := range []string{"description", "pattern", "items", "x-items", "x-y"} {
		if v, has := p[key]; has {
			t.Errorf("%s is %v", key, v)
		}
	}
	if fmt.Sprint(p["x-pattern"]) != "5" || fmt.Sprint(p["x-z"]) != "1" {
		t.Errorf("%v", p)
	}
}

// Every way that schemas refer to each other, drawn.
func TestDrawnReferencesHaveAnEnd(t *testing.T) {
	draw := rand.New(rand.NewPCG(1, 2))
	drafts := []string{"", `"$schema":"http://json-schema.org/draft-07/schema#",`, `"$schema":"https://json-schema.org/draft/2019-09/schema",`, `"$schema":"https://json-schema.org/draft/2020-12/schema",`}
	single := []string{"items", "additionalItems", "prefixItems", "contains", "not", "if", "then", "additionalProperties", "propertyNames", "unevaluatedItems", "$items", "$x", "x-z", "odd"}
	lists := []string{"items", "prefixItems", "anyOf", "oneOf", "allOf"}
	maps := []string{"properties", "$defs", "definitions", "patternProperties", "dependentSchemas", "dependencies"}
	refs := []string{"$ref", "$ref", "$dynamicRef", "$recursiveRef"}
	pick := func(from []string) string { return from[draw.IntN(len(from))] }
	pointer := func() string {
		at := "#"
		for range draw.IntN(4) {
			at += "/" + pick([]string{pick(single), pick(lists) + "/0", pick(maps) + "/a", "properties/p"})
		}
		return at
	}
	var schema func(depth int) string
	schema = func(depth int) string {
		if depth == 0 || draw.IntN(3) == 0 {
			return fmt.Sprintf(`{%q:%q}`, pick(refs), pointer())
		}
		parts := map[string]string{}
		for range 1 + draw.IntN(3) {
			switch draw.IntN(5) {
			case 0:
				parts[pick(lists)] = "[" + schema(depth-1) + "," + schema(depth-1) + "]"
			case 1:
				parts[pick(maps)] = `{"a":` + schema(depth-1) + "}"
			case 2:
				parts["discriminator"] = fmt.Sprintf(`{"propertyName":"k","mapping":{"x":%q}}`, pointer())
			case 3:
				parts[pick(refs)] = fmt.Sprintf("%q", pointer())
			default:
				parts[pick(single)] = schema(depth - 1)
			}
		}
		var all []string
		for k, v := range parts {
			all = append(all, fmt.Sprintf("%q:%s", k, v))
		}
		return "{" + strings.Join(all, ",") + "}"
	}
	for range 2000 {
		text := `{` + pick(drafts) + `"type":"object","properties":{"p":` + schema(3) + `,"q":` + schema(2) + `}` + pick([]string{"", `,"$items":` + schema(2), `,"oneOf":[` + schema(1) + `]`, `,"$defs":{"a":` + schema(2) + `}`}) + `}`
		if !json.Valid([]byte(text)) {
			t.Fatal(text)
		}
		describe(t, bridged(t, "t", text))
	}
}
