package openapi_test

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v4"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/projection/httpapi/openapi"
)

// object is JSON decoded with its numbers as they are written.
type object = map[string]any

func decode(t *testing.T, data []byte) object {
	t.Helper()
	var v object
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		t.Fatal(err)
	}
	return v
}

// at follows keys into decoded JSON; nil where they lead nowhere.
func at(v any, keys ...string) any {
	for _, k := range keys {
		o, ok := v.(object)
		if !ok {
			return nil
		}
		v = o[k]
	}
	return v
}

// operation is one operation with where it stands.
type operation struct {
	method, path string
	object
}

func operations(t *testing.T, doc object) map[string]operation {
	t.Helper()
	all := map[string]operation{}
	for path, item := range at(doc, "paths").(object) {
		for method, op := range item.(object) {
			id, _ := at(op, "operationId").(string)
			if _, twice := all[id]; twice || id == "" {
				t.Errorf("%s %s: the operationId %q stands twice or is missing", method, path, id)
			}
			all[id] = operation{method, path, op.(object)}
		}
	}
	return all
}

func everything(t *testing.T) []*capabilities.Capability {
	t.Helper()
	return append(wired(t), hostile(t)...)
}

func TestEveryCapabilityIsOneOperation(t *testing.T) {
	caps := everything(t)
	doc := decode(t, document(t, caps...))
	ops := operations(t, doc)
	for c := range fixture(t).All() {
		caps = append(caps, c)
	}
	want := 0
	for _, c := range caps {
		op, ok := ops[c.Name()]
		if c.AliasOf() != "" {
			if ok {
				t.Errorf("the alias %s is an operation of its own", c.Name())
			}
			continue
		}
		want++
		if !ok {
			t.Errorf("%s is no operation", c.Name())
			continue
		}
		if r := c.Route(); op.path != r.Path || op.method != strings.ToLower(r.Method) {
			t.Errorf("%s stands at %s %s, its route is %s", c.Name(), op.method, op.path, r)
		}
		hints := object{}
		c.Hints().Each(func(key string, h capabilities.Hint) {
			if h.Known() {
				hints[key] = h == capabilities.Yes
			}
		})
		if diff := cmp.Diff(hints, op.object["x-holotype-hints"]); diff != "" {
			t.Errorf("%s: hints:\n%s", c.Name(), diff)
		}
		for _, i := range c.Codes() {
			status := json.Number(itoa(i.Status)).String()
			ref, _ := at(op.object, "responses", status, "$ref").(string)
			response := at(doc, "components", "responses", strings.TrimPrefix(ref, "#/components/responses/"))
			if codes, _ := at(response, "x-holotype-codes").([]any); !slices.Contains(codes, any(string(i.Code))) {
				t.Errorf("%s: the response %s does not name the code %s", c.Name(), status, i.Code)
			}
			if got := at(response, "content", "application/problem+json", "schema", "$ref"); got != "#/components/schemas/Problem" {
				t.Errorf("%s: the response %s is %v", c.Name(), status, got)
			}
		}
	}
	if len(ops) != want {
		t.Errorf("%d operations of %d capabilities", len(ops), want)
	}
}

func itoa(n int) string { b, _ := json.Marshal(n); return string(b) }

// held says how OpenAPI 3.1's schema object holds schemas; what is not here is
// data or an annotation. It is kept apart from the product's own table on purpose.
var held = map[string]string{
	"properties": "map", "patternProperties": "map", "dependentSchemas": "map",
	"additionalProperties": "flag", "unevaluatedProperties": "flag",
	"items": "one", "contains": "one", "not": "one", "if": "one", "then": "one", "else": "one", "propertyNames": "one",
	"unevaluatedItems": "one", "contentSchema": "one",
	"allOf": "list", "anyOf": "list", "oneOf": "list", "prefixItems": "list",
}

// plain are the other words that a schema in a document may have.
var plain = strings.Fields(`$ref type enum multipleOf maximum minimum maxLength minLength pattern format maxItems minItems uniqueItems
	maxContains minContains maxProperties minProperties required dependentRequired title description default examples deprecated
	readOnly writeOnly contentEncoding contentMediaType discriminator`)

// eachSchema visits every schema of a document.
func eachSchema(doc object, visit func(at string, schema object)) {
	var walk func(where string, v any)
	walk = func(where string, v any) {
		s, ok := v.(object)
		if !ok {
			visit(where, object{"not a schema": v})
			return
		}
		visit(where, s)
		for word, sub := range s {
			here := where + "/" + word
			switch held[word] {
			case "map":
				for key, one := range sub.(object) {
					walk(here+"/"+key, one)
				}
			case "flag":
				if _, flag := sub.(bool); !flag {
					walk(here, sub)
				}
			case "one":
				walk(here, sub)
			case "list":
				for i, one := range sub.([]any) {
					walk(here+"/"+itoa(i), one)
				}
			}
		}
	}
	var find func(where string, v any)
	find = func(where string, v any) {
		switch v := v.(type) {
		case object:
			for key, sub := range v {
				switch key {
				case "schemas":
					for name, one := range sub.(object) {
						walk(where+"/schemas/"+name, one)
					}
				case "schema":
					walk(where+"/schema", sub)
				case "examples":
				default:
					find(where+"/"+key, sub)
				}
			}
		case []any:
			for i, sub := range v {
				find(where+"/"+itoa(i), sub)
			}
		}
	}
	find("", doc)
}

func TestSchemasUseNoWordThatGeneratorsRefuse(t *testing.T) {
	doc := decode(t, document(t, everything(t)...))
	n := 0
	eachSchema(doc, func(where string, s object) {
		n++
		for word, v := range s {
			if held[word] == "" && !slices.Contains(plain, word) && !strings.HasPrefix(word, "x-") {
				t.Errorf("%s has the word %q: %v", where, word, v)
			}
		}
		if types, ok := s["type"].([]any); ok && (len(types) != 2 || types[1] != "null" || types[0] == "null") {
			t.Errorf("%s: the type is %v", where, types)
		}
		if s["type"] == "array" && s["items"] == nil {
			t.Errorf("%s: an array without items", where)
		}
		if s["enum"] != nil && s["type"] == nil && !strings.HasSuffix(where, "/not") {
			t.Errorf("%s: values of no type", where)
		}
	})
	if n < 1000 {
		t.Errorf("only %d schemas were looked at", n)
	}
}

var componentName = regexp.MustCompile(`^[A-Z][A-Za-z0-9]*$`)

func TestReferencesLeadToComponents(t *testing.T) {
	doc := decode(t, document(t, everything(t)...))
	used := map[string]bool{}
	note := func(where, ref string) {
		path := strings.Split(strings.TrimPrefix(ref, "#/"), "/")
		if len(path) != 3 || at(doc, path...) == nil {
			t.Errorf("%s leads nowhere: %s", where, ref)
		}
		used[ref] = true
	}
	eachSchema(doc, func(where string, s object) {
		if ref, ok := s["$ref"].(string); ok {
			note(where, ref)
		}
		mapping, _ := at(s, "discriminator", "mapping").(object)
		for _, ref := range mapping {
			note(where, ref.(string))
		}
	})
	var find func(where string, v any)
	find = func(where string, v any) {
		switch v := v.(type) {
		case object:
			if ref, ok := v["$ref"].(string); ok {
				note(where, ref)
			}
			for key, sub := range v {
				if key != "examples" && key != "schemas" && key != "schema" {
					find(where+"/"+key, sub)
				}
			}
		case []any:
			for i, sub := range v {
				find(where+"/"+itoa(i), sub)
			}
		}
	}
	find("", doc)
	lower := map[string]string{}
	for kind, list := range at(doc, "components").(object) {
		for name := range list.(object) {
			if kind == "securitySchemes" {
				continue
			}
			if !componentName.MatchString(name) {
				t.Errorf("the component %s/%s has an odd name", kind, name)
			}
			if !used["#/components/"+kind+"/"+name] {
				t.Errorf("nothing refers to the component %s/%s", kind, name)
			}
			if other, twice := lower[kind+strings.ToLower(name)]; twice {
				t.Errorf("%s and %s differ in case alone", other, name)
			}
			lower[kind+strings.ToLower(name)] = name
		}
	}
}

func TestTheSameCapabilitiesGiveTheSameBytes(t *testing.T) {
	caps := everything(t)
	first := document(t, caps...)
	slices.Reverse(caps)
	if second := document(t, caps...); !bytes.Equal(first, second) {
		t.Error("the order of the capabilities changes the document")
	}
}

// TestNoDigitAndNoOrderIsLost holds the bytes of the document against what was declared.
func TestNoDigitAndNoOrderIsLost(t *testing.T) {
	doc := document(t, bridged(t, "digits", tool{
		Name:        "keep",
		InputSchema: json.RawMessage(`{"type":"object","properties":{"zeta":{"type":"number","default":1.10},"alpha":{"type":"integer","default":9007199254740993}}}`),
	}))
	want := `"DigitsKeepInput":{"type":"object","properties":{"zeta":{"type":"number","default":1.10,"format":"double"},"alpha":{"type":"integer","default":9007199254740993}}}`
	if !bytes.Contains(doc, []byte(want)) {
		t.Errorf("the document does not hold %s", want)
	}
}

func TestYAMLSaysTheSame(t *testing.T) {
	doc := document(t, everything(t)...)
	text, err := openapi.YAML(doc)
	if err != nil {
		t.Fatal(err)
	}
	// JSON is YAML: one reader reads both, with every tag and every digit.
	var left, right yaml.Node
	if err := yaml.Unmarshal(doc, &left); err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal(text, &right); err != nil {
		t.Fatal(err)
	}
	compareYAML(t, "", &left, &right)
	if bytes.Contains(text, []byte("\n  title: \"")) {
		t.Error("plain text is quoted: this is JSON, not YAML that people read")
	}
}

func compareYAML(t *testing.T, where string, a, b *yaml.Node) {
	t.Helper()
	if a.Kind != b.Kind || len(a.Content) != len(b.Content) || a.ShortTag() != b.ShortTag() || a.Kind == yaml.ScalarNode && !sameScalar(a, b) {
		t.Errorf("%s: %s %q in JSON, %s %q in YAML", where, a.ShortTag(), a.Value, b.ShortTag(), b.Value)
		return
	}
	for i := range a.Content {
		compareYAML(t, where+"/"+itoa(i), a.Content[i], b.Content[i])
	}
}

func sameScalar(a, b *yaml.Node) bool {
	if a.ShortTag() != "!!float" {
		return a.Value == b.Value
	}
	var x, y float64
	return a.Decode(&x) == nil && b.Decode(&y) == nil && x == y
}
