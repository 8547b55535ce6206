package openapi_test

import (
	"encoding/json"
	"maps"
	"math/big"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/schema"
)

// TestComponentsJudgeAsTheOriginals sends one corpus, made from each original
// schema, through the original and through its component, which says the same in
// other words. A schema that is marked opaque may accept more.
func TestComponentsJudgeAsTheOriginals(t *testing.T) {
	caps := everything(t)
	doc := decode(t, document(t, caps...))
	ops := operations(t, doc)
	schemas := at(doc, "components", "schemas").(object)
	accepted, refused, never := 0, 0, 0
	judge := func(name, side, ref string, original *capabilities.Schema) {
		if err := original.Check(); err != nil {
			t.Errorf("%s: the original %s does not compile: %v", name, side, err)
			return
		}
		component, opaque := standalone(t, schemas, ref)
		if opaque != (name == "hostile__data_like_schemas") {
			t.Errorf("%s: the %s is described as opaque: %v", name, side, opaque)
		}
		compiled, err := schema.CompileForeign(component)
		if err != nil {
			t.Errorf("%s: the component of the %s does not compile: %v\n%s", name, side, err, component)
			return
		}
		fits := 0
		for _, text := range corpus(t, original) {
			before, err := original.Validate([]byte(text))
			if err != nil {
				t.Fatal(err)
			}
			after := compiled.Validate([]byte(text))
			if len(before) == 0 {
				fits++
			}
			if (len(before) == 0) != (len(after) == 0) && !(opaque && len(after) == 0) {
				t.Errorf("%s: %s %s: the original says %v, the component %v\n%s\n%s", name, side, text, before, after, original.Raw(), component)
				return
			}
			if len(before) == 0 {
				accepted++
			} else {
				refused++
			}
		}
		if fits == 0 {
			never++
		}
	}
	for _, c := range caps {
		op := ops[c.Name()].object
		in, _ := at(op, "requestBody", "content", "application/json", "schema", "$ref").(string)
		judge(c.Name(), "input", in, c.Input())
		if c.Output() == nil {
			continue
		}
		result, _ := at(op, "responses", "200", "content", "application/json", "schema", "$ref").(string)
		out, _ := at(schemas[nameOf(result)], "properties", "structuredContent", "$ref").(string)
		judge(c.Name(), "output", out, c.Output())
	}
	t.Logf("%d values accepted, %d refused; nothing was found that fits %d schemas", accepted, refused, never)
	if accepted < 5_000 || refused < 5_000 || never > len(caps)/20 {
		t.Error("the corpus says too little")
	}
}

func nameOf(ref string) string { return strings.TrimPrefix(ref, "#/components/schemas/") }

var reference = regexp.MustCompile(`"#/components/schemas/([A-Za-z0-9]+)"`)

// standalone answers a schema that holds a component and what it refers to, and
// whether any of it is marked as opaque.
func standalone(t *testing.T, schemas object, ref string) (text []byte, opaque bool) {
	t.Helper()
	held := object{}
	todo := []string{nameOf(ref)}
	for len(todo) > 0 {
		name := todo[0]
		todo = todo[1:]
		if held[name] != nil {
			continue
		}
		if schemas[name] == nil {
			t.Fatalf("%s is no component", name)
		}
		held[name] = schemas[name]
		one, err := json.Marshal(schemas[name])
		if err != nil {
			t.Fatal(err)
		}
		opaque = opaque || strings.Contains(string(one), `"x-holotype-opaque"`)
		for _, m := range reference.FindAllSubmatch(one, -1) {
			todo = append(todo, string(m[1]))
		}
	}
	text, err := json.Marshal(object{"$ref": ref, "components": object{"schemas": held}})
	if err != nil {
		t.Fatal(err)
	}
	return text, opaque
}

// sampler makes values that a schema is about: some fit, most do not.
type sampler struct{ root any }

// corpus answers JSON texts around the schema: a value with what it requires, and
// that value with one thing changed.
func corpus(t *testing.T, original *capabilities.Schema) []string {
	t.Helper()
	root := decode(t, original.Raw())
	s := sampler{root}
	base := s.base(root, func(v object) map[string]bool {
		wrong := map[string]bool{}
		found, err := original.Validate([]byte(write(v)))
		if err != nil {
			t.Fatal(err)
		}
		for _, one := range found {
			first, _, _ := strings.Cut(strings.TrimPrefix(one.Pointer, "/"), "/")
			wrong[first] = true
		}
		return wrong
	})
	texts := []string{"null", "[]", `"x"`, "1"}
	for _, v := range s.around(root, base, 2) {
		texts = append(texts, write(v))
	}
	slices.Sort(texts)
	return slices.Compact(texts)
}

func write(v any) string { b, _ := json.Marshal(v); return string(b) }

// base answers an object with every required property, each with the first sample
// that the judge does not point at.
func (s sampler) base(o object, judge func(object) map[string]bool) object {
	base := object{}
	required, _ := o["required"].([]any)
	for _, name := range required {
		key, _ := name.(string)
		sub := at(o, "properties", key)
		for i, v := range s.samples(sub, 3) {
			base[key] = v
			if i > 60 || !judge(base)[key] {
				break
			}
		}
	}
	return base
}

// around answers the base and the base with one property gone, added or changed.
func (s sampler) around(o, base object, depth int) []any {
	all := []any{base}
	with := func(key string, v any) {
		one := maps.Clone(base)
		one[key] = v
		all = append(all, one)
	}
	for key := range base {
		one := maps.Clone(base)
		delete(one, key)
		all = append(all, one)
	}
	with("zz_unknown", 1)
	with("x-y", 1)
	with("x-z", "text")
	properties, _ := o["properties"].(object)
	for _, key := range slices.Sorted(maps.Keys(properties)) {
		for _, v := range s.samples(properties[key], depth) {
			with(key, v)
		}
	}
	return all
}

// generic are values that any schema may be asked about.
var generic = []any{
	nil, true, false, "", "x", "yy", "zzz", "2024-01-01", "https://a.example/",
	object{},
	[]any{},
	[]any{"x"},
	[]any{1, "x"},
	object{"x": 1},
	object{"a": "x"},
	num("0"), num("1"), num("-1"), num("1.5"), num("3"), num("7"), num("10"), num("1e3"), num("9007199254740993"),
	num("18446744073709551615"), num("18446744073709551616"), num("-100000000000000000000"),
}

func num(s string) json.Number { return json.Number(s) }

// samples answers values around a schema, what it names itself first.
func (s sampler) samples(v any, depth int) []any {
	o, ok := v.(object)
	if !ok || depth < 0 {
		return generic
	}
	var all []any
	all = append(all, s.own(o)...)
	if ref, ok := o["$ref"].(string); ok && strings.HasPrefix(ref, "#/") {
		path := strings.Split(strings.NewReplacer("~1", "/", "~0", "~", "%25", "%").Replace(ref[2:]), "/")
		all = append(all, few(s.samples(at(s.root, path...), depth-1), 30)...)
	}
	for _, word := range []string{"anyOf", "oneOf", "allOf", "prefixItems"} {
		list, _ := o[word].([]any)
		for _, sub := range list {
			found := few(s.samples(sub, depth-1), 12)
			all = append(all, found...)
			if word == "prefixItems" {
				all = append(all, []any{found[0]}, []any{1, found[0]})
			}
		}
	}
	if items := o["items"]; items != nil {
		for _, one := range few(s.samples(items, depth-1), 15) {
			all = append(all, []any{one}, []any{one, one}, []any{one, "x"})
		}
	}
	if o["properties"] != nil {
		base := s.base(o, func(object) map[string]bool { return nil })
		all = append(all, few(s.around(o, base, depth-1), 60)...)
	}
	return append(all, generic...)
}

func few(list []any, n int) []any { return list[:min(n, len(list))] }

// own answers the values that a schema states, and those on both sides of its bounds.
func (s sampler) own(o object) []any {
	var all []any
	values, _ := o["enum"].([]any)
	all = append(all, values...)
	for _, word := range []string{"const", "default"} {
		if v, ok := o[word]; ok {
			all = append(all, v)
		}
	}
	for _, word := range []string{"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"} {
		n, ok := o[word].(json.Number)
		r, readable := new(big.Rat).SetString(n.String())
		if !ok || !readable || len(n) > 30 || strings.ContainsAny(n.String(), "eE") {
			continue
		}
		for _, step := range []string{"0", "1", "-1", "1/2", "-1/2"} {
			by, _ := new(big.Rat).SetString(step)
			all = append(all, num(strings.TrimSuffix(new(big.Rat).Add(r, by).FloatString(1), ".0")))
		}
	}
	for _, word := range []string{"minLength", "maxLength", "minItems", "maxItems"} {
		n, ok := o[word].(json.Number)
		size, err := n.Int64()
		if !ok || err != nil || size > 2_000 {
			continue
		}
		for _, k := range []int64{size - 1, size, size + 1} {
			switch {
			case k < 0:
			case strings.HasSuffix(word, "Length"):
				all = append(all, strings.Repeat("a", int(k)))
			case k < 50:
				all = append(all, slices.Repeat([]any{"x"}, int(k)))
			}
		}
	}
	switch o["format"] {
	case "uuid":
		all = append(all, "123e4567-e89b-12d3-a456-426614174000")
	case "date-time":
		all = append(all, "2024-01-01T00:00:00Z")
	case "email":
		all = append(all, "a@b.example")
	}
	return all
}
