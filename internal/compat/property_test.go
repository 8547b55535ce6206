package compat_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/seed-89b9419b/holotype/internal/compat"
	"github.com/seed-89b9419b/holotype/internal/schema"
)

// schemas draws schemas of a few words, so that two of them often have to do with one
// another.
func schemas(depth int, refs bool) *rapid.Generator[any] {
	return rapid.Custom(func(t *rapid.T) any {
		if rapid.IntRange(0, 11).Draw(t, "bare") == 0 {
			return rapid.Bool().Draw(t, "bool")
		}
		o := map[string]any{}
		put := func(key string, v any) {
			if rapid.IntRange(0, 2).Draw(t, "with "+key) == 0 {
				o[key] = v
			}
		}
		small := func(name string) int { return rapid.IntRange(0, 3).Draw(t, name) }
		kinds := []string{"null", "boolean", "integer", "number", "string"}
		if depth > 0 {
			kinds = append(kinds, "array", "object", "object")
		}
		kind := rapid.SampledFrom(kinds).Draw(t, "type")
		switch rapid.IntRange(0, 3).Draw(t, "types") {
		case 0:
			o["type"] = []any{kind, rapid.SampledFrom([]string{"null", "string", "integer"}).Filter(func(s string) bool { return s != kind }).Draw(t, "second")}
		case 1, 2:
			o["type"] = kind
		}
		switch kind {
		case "integer", "number":
			put("minimum", small("minimum"))
			put("exclusiveMaximum", small("exclusiveMaximum")+1)
			put("multipleOf", rapid.SampledFrom([]any{2, 3, 0.5}).Draw(t, "multipleOf"))
		case "string":
			put("minLength", small("minLength"))
			put("maxLength", small("maxLength"))
			put("pattern", rapid.SampledFrom([]string{"^a*$", "^[ab]+$", "b"}).Draw(t, "pattern"))
		case "array":
			put("items", schemas(depth-1, refs).Draw(t, "items"))
			put("prefixItems", []any{schemas(depth-1, refs).Draw(t, "first")})
			put("minItems", small("minItems"))
			put("maxItems", small("maxItems"))
			put("uniqueItems", true)
		case "object":
			properties := map[string]any{}
			for _, name := range []string{"a", "b"} {
				if rapid.Bool().Draw(t, "property "+name) {
					properties[name] = schemas(depth-1, refs).Draw(t, name)
				}
			}
			put("properties", properties)
			put("required", []any{rapid.SampledFrom([]string{"a", "b"}).Draw(t, "required")})
			put("additionalProperties", schemas(depth-1, refs).Draw(t, "additional"))
			put("maxProperties", small("maxProperties"))
			put("minProperties", small("minProperties"))
			put("patternProperties", map[string]any{"^a": schemas(depth-1, refs).Draw(t, "matched")})
		}
		if rapid.IntRange(0, 5).Draw(t, "enum") == 0 {
			o["enum"] = []any{nil, true, 1, 2.5, "", "a", map[string]any{"a": 1}, []any{1}}[small("from"):][:2]
		}
		if depth > 0 {
			for _, key := range []string{"anyOf", "oneOf", "allOf"} {
				if rapid.IntRange(0, 9).Draw(t, key) == 0 {
					o[key] = []any{schemas(depth-1, refs).Draw(t, key+" 0"), schemas(depth-1, refs).Draw(t, key+" 1")}
				}
			}
			if rapid.IntRange(0, 9).Draw(t, "not") == 0 {
				o["not"] = schemas(depth-1, refs).Draw(t, "not")
			}
			if refs && rapid.IntRange(0, 6).Draw(t, "ref") == 0 {
				o["properties"] = map[string]any{"a": map[string]any{"$ref": rapid.SampledFrom([]string{"#", "#/$defs/D"}).Draw(t, "$ref")}}
			}
		}
		return o
	})
}

// rooted draws a whole schema.
func rooted() *rapid.Generator[map[string]any] {
	return rapid.Custom(func(t *rapid.T) map[string]any {
		root, ok := schemas(2, true).Draw(t, "root").(map[string]any)
		if !ok {
			root = map[string]any{}
		}
		root["$defs"] = map[string]any{"D": schemas(1, false).Draw(t, "D")}
		return root
	})
}

// changed draws one like the schema, with a few things taken, put or swapped.
func changed(t *rapid.T, v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for _, key := range slices.Sorted(maps.Keys(v)) {
			if key != "$ref" && key != "$defs" && rapid.IntRange(0, 9).Draw(t, "take "+key) == 0 {
				continue
			}
			out[key] = changed(t, v[key])
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, item := range v {
			out[i] = changed(t, item)
		}
		return out
	case int:
		return max(0, v+rapid.SampledFrom([]int{0, 0, 0, 1, -1}).Draw(t, "more"))
	case bool:
		return v != (rapid.IntRange(0, 9).Draw(t, "not") == 0)
	}
	return v
}

// universe are the small values, as JSON: whatever two schemas of the few words disagree
// about, one of these mostly shows.
func universe() (all []string) {
	scalars := []string{"null", "true", "false", "-1", "0", "0.5", "1", "2", "2.5", "3", "4", "6", `""`, `"a"`, `"b"`, `"aa"`, `"ab"`, `"aaa"`, `"bbbb"`}
	few := []string{"null", "true", "-1", "0", "1", "2.5", `""`, `"a"`, `"ab"`}
	all = append(append(all, scalars...), "[]", "{}", "[[]]", "[{}]", "[1,1,1]", "[0,1,2,3]", `[null,"a",1,{}]`, `{"a":1,"b":2,"c":3,"d":4}`)
	nested := []string{"[]", "[1]", `["a"]`, "{}", `{"a":1}`, `{"a":"a"}`, `{"a":null}`, `{"a":{"a":0}}`, `{"b":true}`, `{"c":1}`, `{"a":{"a":{"a":0.5}}}`}
	for _, s := range append(slices.Clone(few), nested...) {
		all = append(all, fmt.Sprintf("[%s]", s))
		for _, name := range []string{"a", "b", "c", "ab"} {
			all = append(all, fmt.Sprintf("{%q:%s}", name, s))
		}
	}
	for _, s := range few {
		for _, u := range few {
			all = append(all, fmt.Sprintf("[%s,%s]", s, u), fmt.Sprintf(`{"a":%s,"b":%s}`, s, u))
		}
	}
	return all
}

func text(t *rapid.T, v any) []byte {
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// A yes is true of every value, a no is shown by its witness, and both hold for the judge of every
// call.
func TestAnswersAreTrue(t *testing.T) {
	said, all := map[compat.Verdict]int{}, universe()
	told := 0 // values of the first schema that were asked about
	rapid.Check(t, func(t *rapid.T) {
		first := rooted().Draw(t, "first")
		var second any
		if rapid.IntRange(0, 3).Draw(t, "apart") == 0 {
			second = rooted().Draw(t, "second")
		} else {
			second = changed(t, first)
		}
		a, b := text(t, first), text(t, second)
		judgeA, err := schema.CompileForeign(a)
		if err != nil {
			t.Skip(err)
		}
		judgeB, err := schema.CompileForeign(b)
		if err != nil {
			t.Skip(err)
		}
		one, err := compat.Read(a)
		if err != nil {
			t.Fatal(err)
		}
		two, err := compat.Read(b)
		if err != nil {
			t.Fatal(err)
		}
		r := compat.Within(one, two, compat.Options{})
		said[r.Verdict]++
		for _, f := range r.Findings {
			if f.Witness != nil && (len(judgeA.Validate(f.Witness)) > 0 || len(judgeB.Validate(f.Witness)) == 0) {
				t.Fatalf("%s is no witness of %q:\n%s\n%s", f.Witness, f.What, a, b)
			}
		}
		if r.Verdict != compat.Yes {
			return
		}
		for _, v := range all {
			if len(judgeA.Validate([]byte(v))) > 0 {
				continue
			}
			told++
			if found := judgeB.Validate([]byte(v)); len(found) > 0 {
				t.Fatalf("yes, and %s fits the first and not the second: %+v\n%s\n%s", v, found, a, b)
			}
		}
	})
	t.Logf("verdicts %v, %d values", said, told)
	if said[compat.Yes] < 5 || said[compat.No] < 5 || told < 500 {
		t.Errorf("the draw shows too little: %v, %d values", said, told)
	}
}

// What is hostile is bounded, and never a yes that was not proven.
func TestHostileSchemasAreBounded(t *testing.T) {
	wide := func(n int, each func(i int) string) string {
		all := make([]string, n)
		for i := range all {
			all[i] = each(i)
		}
		return strings.Join(all, ",")
	}
	doubling := func(leaf string) string { // 2^40 paths to the leaf
		return fmt.Sprintf(`{"$ref":"#/$defs/d0","$defs":{%s,"d40":%s}}`, wide(40, func(i int) string {
			return fmt.Sprintf(`"d%d":{"anyOf":[{"$ref":"#/$defs/d%d"},{"type":"object","properties":{"p":{"$ref":"#/$defs/d%[2]d"}},"required":["p%[1]d"]}]}`, i, i+1)
		}), leaf)
	}
	product := func() string { // 4^32 choices
		return fmt.Sprintf(`{"allOf":[%s]}`, wide(32, func(i int) string {
			return fmt.Sprintf(`{"anyOf":[%s]}`, wide(4, func(j int) string { return fmt.Sprintf(`{"required":["p%d%d"]}`, i, j) }))
		}))
	}
	large := func(last string) string {
		return fmt.Sprintf(`{"enum":[%s,%q]}`, wide(30_000, func(i int) string { return fmt.Sprintf(`"value%d"`, i) }), last)
	}
	many := func(last string) string {
		return fmt.Sprintf(`{"type":"object","properties":{%s,"last":{"type":%q}}}`, wide(5_000, func(i int) string { return fmt.Sprintf(`"p%d":{"type":"string","maxLength":5}`, i) }), last)
	}
	for name, c := range map[string]struct {
		a, b string
		want compat.Verdict
	}{
		"references that double":       {doubling(`{"type":"string"}`), doubling(`{"type":"string","format":"unheard-of"}`), compat.Undecided},
		"choices that multiply":        {product(), `{"type":"object"}`, compat.Undecided},
		"a long list":                  {large("z"), large("y"), compat.No},
		"many properties":              {many("string"), many("integer"), compat.No},
		"many properties, one meaning": {many("string"), many("string") + " ", compat.Yes},
		"a chain of references": {fmt.Sprintf(`{"$ref":"#/$defs/d0","$defs":{%s,"d5000":{}}}`, wide(5000, func(i int) string {
			return fmt.Sprintf(`"d%d":{"$ref":"#/$defs/d%d"}`, i, i+1)
		})), `{"type":"string"}`, compat.Undecided},
	} {
		t.Run(name, func(t *testing.T) {
			a, b := read(t, c.a), read(t, c.b)
			begin := time.Now()
			r := compat.Within(a, b, compat.Options{})
			if took := time.Since(begin); took > 20*time.Second { // a tenth of it on a slow machine; without a bound, years
				t.Errorf("took %s", took)
			} else {
				t.Logf("took %s", took)
			}
			if r.Verdict != c.want {
				t.Errorf("%s, want %s: %.300v", r.Verdict, c.want, r.Findings)
			}
		})
	}
}
