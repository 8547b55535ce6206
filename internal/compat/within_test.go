package compat_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-89b9419b/holotype/internal/compat"
	"github.com/seed-89b9419b/holotype/internal/schema"
)

func read(t *testing.T, raw string) *compat.Schema {
	t.Helper()
	s, err := compat.Read([]byte(raw))
	if err != nil {
		t.Fatalf("%s: %v", raw, err)
	}
	return s
}

// within compares two schemas and holds the answer to what it promises of a witness.
func within(t *testing.T, a, b string, o compat.Options) compat.Result {
	t.Helper()
	r := compat.Within(read(t, a), read(t, b), o)
	proven := false
	for _, f := range r.Findings {
		if f.Witness == nil {
			continue
		}
		proven = true
		if !admits(t, a, f.Witness) {
			t.Errorf("the witness %s of %q does not fit the first schema %s", f.Witness, f.What, a)
		}
		if admits(t, b, f.Witness) {
			t.Errorf("the witness %s of %q fits the second schema %s", f.Witness, f.What, b)
		}
	}
	if proven != (r.Verdict == compat.No) || (len(r.Findings) == 0) != (r.Verdict == compat.Yes) {
		t.Errorf("the verdict is %s with the findings %+v", r.Verdict, r.Findings)
	}
	return r
}

func admits(t *testing.T, raw string, value []byte) bool {
	t.Helper()
	s, err := schema.CompileForeign([]byte(raw))
	if err != nil {
		t.Fatalf("%s: %v", raw, err)
	}
	return len(s.Validate(value)) == 0
}

// Each pair is compared in both directions: "=" is a meaning alike, "<" says that the
// first admits less, ">" that it admits more, "x" that each admits what the other does
// not, "?" that the one direction named cannot be decided.
var pairs = []struct {
	name, a, rel, b string
}{
	{"nothing and anything", `false`, "<", `true`},
	{"an empty schema and anything", `{}`, "=", `true`},
	{"annotations", `{"type":"string","title":"a","description":"b","default":"c","examples":["d"],"x-own":1}`, "=", `{"type":"string"}`},
	{"a type in a list", `{"type":["string"]}`, "=", `{"type":"string"}`},
	{"the order of types", `{"type":["string","null"]}`, "=", `{"type":["null","string"]}`},
	{"nullable", `{"type":"string","nullable":true}`, "=", `{"type":["null","string"]}`},
	{"a type more", `{"type":"string"}`, "<", `{"type":["string","null"]}`},
	{"whole numbers", `{"type":"integer"}`, "<", `{"type":"number"}`},
	{"whole numbers said twice", `{"type":["integer","number"]}`, "=", `{"type":"number"}`},
	{"whole numbers as multiples", `{"type":"number","multipleOf":1}`, "=", `{"type":"integer"}`},
	{"a type as alternatives", `{"anyOf":[{"type":"string"},{"type":"null"}]}`, "=", `{"type":["string","null"]}`},
	{"oneOf of kinds apart", `{"oneOf":[{"type":"string"},{"type":"null"}]}`, "=", `{"type":["string","null"]}`},
	{"oneOf that overlaps", `{"oneOf":[{"type":"integer"},{"type":"number","minimum":5}]}`, "<", `{"anyOf":[{"type":"integer"},{"type":"number","minimum":5}]}`},
	{"a value listed less", `{"enum":["a","b"]}`, "<", `{"enum":["c","b","a"]}`},
	{"const and enum", `{"const":1}`, "=", `{"enum":[1.0]}`},
	{"enum beside a type", `{"type":"string","enum":["a",1]}`, "=", `{"enum":["a"]}`},
	{"enum and type", `{"enum":["a","b"]}`, "<", `{"type":"string"}`},
	{"booleans listed", `{"type":"boolean"}`, "=", `{"enum":[true,false]}`},
	{"no least length", `{"type":"string","minLength":0}`, "=", `{"type":"string"}`},
	{"no least items", `{"type":"array","minItems":0}`, "=", `{"type":"array"}`},
	{"lengths", `{"type":"string","maxLength":4}`, "<", `{"type":"string","maxLength":5}`},
	{"lengths from both sides", `{"type":"string","minLength":2}`, "x", `{"type":"string","maxLength":5}`},
	{"limits", `{"type":"number","minimum":1,"maximum":2}`, "<", `{"type":"number","minimum":0,"maximum":2}`},
	{"an open limit", `{"type":"number","exclusiveMinimum":0}`, "<", `{"type":"number","minimum":0}`},
	{"an open limit of whole numbers", `{"type":"integer","exclusiveMinimum":0}`, "=", `{"type":"integer","minimum":1}`},
	{"a limit between whole numbers", `{"type":"integer","maximum":2.5}`, "=", `{"type":"integer","maximum":2}`},
	{"a limit that a type says", `{"type":"integer","minimum":0,"maximum":255}`, "<", `{"type":"integer"}`},
	{"multiples", `{"type":"integer","multipleOf":6}`, "<", `{"type":"integer","multipleOf":3}`},
	{"multiples crosswise", `{"type":"integer","multipleOf":2}`, "x", `{"type":"integer","multipleOf":3}`},
	{"a pattern", `{"type":"string","pattern":"^[a-z]+$"}`, "<", `{"type":"string"}`},
	{"patterns apart", `{"type":"string","pattern":"^[a-z]+$"}`, "x", `{"type":"string","pattern":"^[0-9]+$"}`},
	{"a format", `{"type":"string","format":"date"}`, "<", `{"type":"string"}`},
	{"formats apart", `{"type":"string","format":"date"}`, "x", `{"type":"string","format":"uuid"}`},
	{"the order of required", `{"type":"object","required":["a","b"]}`, "=", `{"type":"object","required":["b","a"]}`},
	{"a property required", `{"type":"object","required":["a"]}`, "<", `{"type":"object"}`},
	{"a property with a type", `{"type":"object","properties":{"a":{"type":"string"}}}`, "<", `{"type":"object"}`},
	{"a closed object", `{"type":"object","properties":{"a":{}},"additionalProperties":false}`, "<", `{"type":"object","properties":{"a":{}}}`},
	{"a property more in a closed object", `{"type":"object","properties":{"a":{}},"additionalProperties":false}`, "<", `{"type":"object","properties":{"a":{},"b":{"type":"integer"}},"additionalProperties":false}`},
	{"a property that cannot be", `{"type":"object","properties":{"a":false}}`, "<", `{"type":"object"}`},
	{"further properties of a type", `{"type":"object","additionalProperties":{"type":"integer"}}`, "<", `{"type":"object","additionalProperties":{"type":"number"}}`},
	{"a map by property", `{"type":"object","properties":{"a":{"type":"integer"}},"additionalProperties":false}`, "<", `{"type":"object","additionalProperties":{"type":"integer"}}`},
	{"counts of properties", `{"type":"object","minProperties":1,"maxProperties":2}`, "<", `{"type":"object","maxProperties":3}`},
	{"a count that required says", `{"type":"object","required":["a"],"minProperties":1}`, "=", `{"type":"object","required":["a"]}`},
	{"items", `{"type":"array","items":{"type":"integer"}}`, "<", `{"type":"array","items":{"type":"number"}}`},
	{"counts of items", `{"type":"array","items":{"type":"integer"},"maxItems":2}`, "<", `{"type":"array","items":{"type":"integer"},"maxItems":3}`},
	{"items once each", `{"type":"array","items":{"type":"integer"},"uniqueItems":true}`, "<", `{"type":"array","items":{"type":"integer"}}`},
	{"a tuple", `{"type":"array","prefixItems":[{"type":"integer"}],"items":{"type":"string"}}`, "x", `{"type":"array","items":{"type":"string"}}`},
	{"a tuple as it was written", `{"$schema":"http://json-schema.org/draft-07/schema#","type":"array","items":[{"type":"integer"}],"additionalItems":false}`, "=", `{"type":"array","prefixItems":[{"type":"integer"}],"items":false}`},
	{"a reference", `{"type":"object","properties":{"a":{"$ref":"#/$defs/A"}},"$defs":{"A":{"type":"string","maxLength":3}}}`, "=", `{"type":"object","properties":{"a":{"type":"string","maxLength":3}}}`},
	{"a reference beside others", `{"$ref":"#/$defs/A","maxLength":3,"$defs":{"A":{"type":"string"}}}`, "=", `{"type":"string","maxLength":3}`},
	{"a reference alone in draft 7", `{"$schema":"http://json-schema.org/draft-07/schema","properties":{"a":{"$ref":"#/definitions/A","maxLength":3}},"definitions":{"A":{"type":"string"}}}`, "=", `{"properties":{"a":{"type":"string"}}}`},
	{"a definition renamed", `{"$ref":"#/$defs/A","$defs":{"A":{"type":"string"}}}`, "=", `{"$ref":"#/$defs/B","$defs":{"B":{"type":"string"}}}`},
	{"recursion written otherwise", `{"$ref":"#/$defs/T","$defs":{"T":{"type":"object","properties":{"next":{"$ref":"#/$defs/T"}}}}}`, "=", `{"type":"object","properties":{"next":{"$ref":"#"}}}`},
	{"recursion unrolled", `{"type":"object","properties":{"next":{"type":"object","properties":{"next":{"$ref":"#"}}}}}`, "=", `{"type":"object","properties":{"next":{"$ref":"#"}}}`},
	{"recursion that narrows", `{"$ref":"#/$defs/T","$defs":{"T":{"type":"object","properties":{"v":{"type":"integer"},"next":{"$ref":"#/$defs/T"}}}}}`, "<", `{"$ref":"#/$defs/T","$defs":{"T":{"type":"object","properties":{"v":{"type":"number"},"next":{"$ref":"#/$defs/T"}}}}}`},
	{"allOf put together", `{"allOf":[{"type":"object","required":["a"]},{"properties":{"a":{"type":"string"}}}]}`, "=", `{"type":"object","required":["a"],"properties":{"a":{"type":"string"}}}`},
	{"alternatives by a tag", `{"oneOf":[{"type":"object","required":["k"],"properties":{"k":{"const":"a"}}},{"type":"object","required":["k"],"properties":{"k":{"const":"b"}}}]}`, "<", `{"oneOf":[{"type":"object","required":["k"],"properties":{"k":{"const":"a"}}},{"type":"object","required":["k"],"properties":{"k":{"const":"b"}}},{"type":"object","required":["k"],"properties":{"k":{"const":"c"}}}]}`},
	{"an alternative less", `{"anyOf":[{"type":"object","required":["a"]}]}`, "<", `{"anyOf":[{"type":"object","required":["a"]},{"type":"object","required":["b"]}]}`},
	{"alternatives beside properties", `{"type":"object","properties":{"a":{"type":"string"}},"anyOf":[{"required":["a"]},{"required":["b"]}]}`, "<", `{"type":"object","properties":{"a":{"type":"string"}}}`},
	{"the same not", `{"type":"string","not":{"const":"a"}}`, "=", `{"not":{"const":"a"},"type":"string"}`},
	{"a not more", `{"type":"string","not":{"maxLength":0}}`, "<", `{"type":"string"}`},
	{"the same condition", `{"type":"object","if":{"required":["a"]},"then":{"required":["b"]}}`, "=", `{"type":"object","then":{"required":["b"]},"if":{"required":["a"]}}`},
	{"names matched", `{"type":"object","patternProperties":{"^x-":{"type":"string"}}}`, "<", `{"type":"object"}`},
}

func TestPairs(t *testing.T) {
	for _, p := range pairs {
		t.Run(p.name, func(t *testing.T) {
			for _, one := range []struct{ a, b, yes string }{{p.a, p.b, "=<"}, {p.b, p.a, "=>"}} {
				want := compat.No
				for _, rel := range one.yes {
					if string(rel) == p.rel {
						want = compat.Yes
					}
				}
				if r := within(t, one.a, one.b, compat.Options{}); r.Verdict != want {
					t.Errorf("%s within %s is %s, want %s: %+v", one.a, one.b, r.Verdict, want, r.Findings)
				}
			}
		})
	}
}

// What cannot be proven either way is undecided and names the keyword.
func TestUndecided(t *testing.T) {
	for name, c := range map[string]struct{ a, b, at string }{
		"patterns of one meaning":    {`{"type":"string","pattern":"^a+$"}`, `{"type":"string","pattern":"^aa*$"}`, "/pattern"},
		"a pattern nobody can run":   {`{"type":"string","pattern":"^a$"}`, `{"type":"string","pattern":"^(?=a)a$"}`, "/pattern"},
		"a format nobody knows":      {`{"type":"string"}`, `{"type":"string","format":"iban"}`, "/format"},
		"a reference that leads out": {`{"type":"string"}`, `{"$ref":"https://example.com/s.json"}`, ""},
		"a reference to nothing":     {`{"type":"string"}`, `{"$ref":"#/$defs/A"}`, ""},
		"a reference to itself":      {`{"type":"string"}`, `{"$ref":"#"}`, ""},
		"what is left over":          {`{"type":"object","unevaluatedProperties":false,"properties":{"a":true}}`, `{"type":"object","unevaluatedProperties":false,"properties":{"a":true,"b":true}}`, "/unevaluatedProperties"},
		"alternatives that join":     {`{"type":"integer","minimum":0,"maximum":20}`, `{"anyOf":[{"type":"integer","minimum":0,"maximum":9},{"type":"integer","minimum":10,"maximum":20}]}`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			r := compat.Within(read(t, c.a), read(t, c.b), compat.Options{})
			if r.Verdict != compat.Undecided || len(r.Findings) == 0 || r.Findings[0].Pointer != c.at {
				t.Errorf("%s: %+v, want undecided at %q", r.Verdict, r.Findings, c.at)
			}
		})
	}
}

// Read for what is declared, an object that says nothing of further properties has none
// that somebody else names.
func TestDeclared(t *testing.T) {
	for _, c := range []struct {
		name, a, b string
		want       compat.Verdict
		dropped    string
	}{
		{"an argument more", `{"type":"object","properties":{"a":{}}}`, `{"type":"object","properties":{"a":{},"b":{"type":"integer"}}}`, compat.Yes, ""},
		{"an argument less", `{"type":"object","properties":{"a":{},"b":{"type":"integer"}}}`, `{"type":"object","properties":{"a":{}}}`, compat.Yes, "/properties/b"},
		{"an argument less of a closed object", `{"type":"object","properties":{"a":{},"b":{"type":"integer"}}}`, `{"type":"object","properties":{"a":{}},"additionalProperties":false}`, compat.No, ""},
		{"an object that is closed", `{"type":"object","properties":{"a":{}}}`, `{"type":"object","properties":{"a":{}},"additionalProperties":false}`, compat.No, ""},
		{"an argument more that is required", `{"type":"object","properties":{}}`, `{"type":"object","properties":{"b":{}},"required":["b"]}`, compat.No, ""},
		{"an argument more where any were welcome", `{"type":"object","additionalProperties":true}`, `{"type":"object","properties":{"b":{"type":"integer"}}}`, compat.No, ""},
		{"an argument more further in", `{"properties":{"o":{"type":"object","properties":{}}}}`, `{"properties":{"o":{"type":"object","properties":{"b":{"type":"integer"}}}}}`, compat.Yes, ""},
		{"an argument less further in", `{"properties":{"o":{"type":"object","properties":{"b":{}}}}}`, `{"properties":{"o":{"type":"object"}}}`, compat.Yes, "/properties/o/properties/b"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := within(t, c.a, c.b, compat.Options{Declared: true})
			if r.Verdict != c.want {
				t.Errorf("%s, want %s: %+v", r.Verdict, c.want, r.Findings)
			}
			if c.dropped == "" && len(r.Dropped) > 0 || c.dropped != "" && (len(r.Dropped) != 1 || r.Dropped[0].Pointer != c.dropped) {
				t.Errorf("dropped %+v, want %q", r.Dropped, c.dropped)
			}
		})
	}
}

// A finding says where and what.
func TestFindingsNameThePlace(t *testing.T) {
	r := within(t,
		`{"type":"object","properties":{"title":{"type":"string"},"n":{"type":"integer"},"state":{"enum":["open","gone"]},"old":{}},"additionalProperties":false}`,
		`{"type":"object","required":["title"],"properties":{"title":{"$ref":"#/$defs/Title"},"n":{"type":"integer","minimum":1},"state":{"enum":["open"]}},"additionalProperties":false,"$defs":{"Title":{"type":"string","maxLength":40}}}`,
		compat.Options{})
	got := map[string]string{}
	for _, f := range r.Findings {
		got[f.Pointer] = f.What
	}
	want := map[string]string{
		"/$defs/Title/maxLength": "texts of more than 40 characters",
		"/additionalProperties":  `the property "old"`,
		"/properties/n/minimum":  "numbers below 1",
		"/properties/state/enum": `the value "gone"`,
		"/required":              `objects without "title"`,
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("findings (-want +got):\n%s", d)
	}
}

func TestReadRefuses(t *testing.T) {
	for name, raw := range map[string]string{
		"no JSON": `{`, "a key twice": `{"type":"string","type":"null"}`, "a list": `[]`, "another dialect": `{"$schema":"https://json-schema.org/draft-04/schema"}`,
		"too deep": strings.Repeat(`{"not":`, 100) + `{}` + strings.Repeat(`}`, 100),
	} {
		if _, err := compat.Read([]byte(raw)); err == nil {
			t.Errorf("%s is read", name)
		}
	}
}
