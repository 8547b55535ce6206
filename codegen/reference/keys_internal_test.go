package reference

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-89b9419b/holotype/internal/markdown"
)

func paths(schema string) []string {
	var all []string
	for _, r := range keys([]byte(schema), markdown.Text) {
		all = append(all, r.path+": "+r.kind)
	}
	return all
}

func TestKeys(t *testing.T) {
	for _, c := range []struct {
		name, schema string
		want         []string
	}{
		{"nothing", `{}`, nil},
		{"no JSON", `{`, nil},
		{"no object", `[1]`, nil},
		{"in the schema's order", `{"properties":{"z":{"type":"string"},"a":{"type":"integer"}}}`, []string{"z: string", "a: integer"}},
		{"required", `{"properties":{"a":{"type":"string"}},"required":["a"]}`, []string{"a: string, required"}},
		{"a reference", `{"properties":{"a":{"$ref":"#/$defs/A"}},"$defs":{"A":{"type":"object","properties":{"x":{"type":"number"}}}}}`, []string{"a: object", "a.x: number"}},
		{"a reference of draft-07", `{"properties":{"a":{"$ref":"#/definitions/A~1b"}},"definitions":{"A/b":{"type":"boolean"}}}`, []string{"a: boolean"}},
		{"a reference to nothing", `{"properties":{"a":{"$ref":"#/$defs/None"},"b":{"$ref":"http://evil.example/s"}}}`, []string{"a: any", "b: any"}},
		{"the root again", `{"properties":{"a":{"$ref":"#"}}}`, []string{"a: any, the same again"}},
		{
			"a type that holds itself", `{"properties":{"t":{"$ref":"#/$defs/T"}},"$defs":{"T":{"type":"object","properties":{"n":{"type":"string"},"t":{"$ref":"#/$defs/T"}}}}}`,
			[]string{"t: object", "t.n: string", "t.t: object, the same again"},
		},
		{
			"two that hold each other", `{"properties":{"a":{"$ref":"#/$defs/A"}},"$defs":{"A":{"type":"object","properties":{"b":{"$ref":"#/$defs/B"}}},"B":{"type":"object","properties":{"a":{"$ref":"#/$defs/A"}}}}}`,
			[]string{"a: object", "a.b: object", "a.b.a: object, the same again"},
		},
		{"references in a circle", `{"properties":{"a":{"$ref":"#/$defs/A"}},"$defs":{"A":{"$ref":"#/$defs/B"},"B":{"$ref":"#/$defs/A"}}}`, []string{"a: any"}},
		{
			"one type twice", `{"properties":{"a":{"$ref":"#/$defs/A"},"b":{"$ref":"#/$defs/A"}},"$defs":{"A":{"type":"object","properties":{"x":{"type":"null"}}}}}`,
			[]string{"a: object", "a.x: null", "b: object", "b.x: null"},
		},
		{
			"arrays and maps", `{"properties":{"a":{"type":"array","items":{"type":"object","properties":{"x":{"type":"string"}}}},"m":{"type":"object","additionalProperties":{"type":"object","properties":{"y":{"type":"string"}}}}}}`,
			[]string{"a: array of object", "a[].x: string", "m: object", "m.NAME.y: string"},
		},
		{"arrays of arrays", `{"properties":{"a":{"type":"array","items":{"type":"array","items":{"type":"object","properties":{"x":{"type":"string"}}}}}}}`, []string{"a: array of array", "a[][].x: string"}},
		{"alternatives", `{"properties":{"a":{"oneOf":[{"type":"string"},{"type":"object","properties":{"x":{"type":"integer"}}},{"const":null}]}}}`, []string{"a: string, object or `null`", "a.x: integer"}},
		{"all of several", `{"allOf":[{"properties":{"a":{"type":"string"}}},{"properties":{"b":{"type":"string"}}}]}`, []string{"a: string", "b: string"}},
		{"an alternative that narrows", `{"properties":{"a":{"type":"string"}},"anyOf":[{"properties":{"a":{"const":"x"}}}]}`, []string{"a: string"}},
		{
			"limits", `{"properties":{"a":{"type":"integer","minimum":1,"maximum":9},"b":{"type":"number","exclusiveMinimum":0,"exclusiveMaximum":1},"c":{"type":"string","minLength":2},"d":{"type":"array","items":{"type":["string","null"]},"maxItems":3,"uniqueItems":true}}}`,
			[]string{"a: integer, 1 to 9", "b: number, more than 0, less than 1", "c: string, at least 2 characters", "d: array of (string or null), at most 3 items, no two alike"},
		},
		{"values", `{"properties":{"a":{"enum":["x","y z","1",1,null,true]},"b":{"const":"x"}}}`, []string{"a: `x`, `\"y z\"`, `\"1\"`, `1`, `null` or `true`", "b: `x`"}},
		{"a description within an alternative", `{"properties":{"a":{"oneOf":[{"type":"null"},{"type":"string","description":"x"}]}}}`, []string{"a: null or string"}},
		{"booleans", `{"properties":{"a":true,"b":false}}`, []string{"a: any"}},
		{"members of other types", `{"properties":{"a":{"type":7,"description":{},"enum":"x","minimum":"low","required":"a","items":3,"properties":[1],"oneOf":{}}},"required":{"a":1}}`, []string{"a: any"}},
		{"names that mean something elsewhere", `{"properties":{"__proto__":{"type":"string"},"$ref":{"type":"string"},"":{"type":"string"}}}`, []string{"__proto__: string", "$ref: string", ": string"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if d := cmp.Diff(c.want, paths(c.schema)); d != "" {
				t.Errorf("-want +got:\n%s", d)
			}
		})
	}
}

// Whatever the schema, the table has bounds and is made at once.
func TestKeysEnd(t *testing.T) {
	var defs, props []string
	for i := range 60 { // each definition holds the next one twice: 2^60 keys
		defs = append(defs, fmt.Sprintf(`"D%d":{"type":"object","properties":{"l":{"$ref":"#/$defs/D%d"},"r":{"$ref":"#/$defs/D%d"}}}`, i, i+1, i+1))
	}
	for i := range 5000 {
		props = append(props, fmt.Sprintf(`"p%d":{"type":"string"}`, i))
	}
	ring := make([]string, 0, 40)
	for i := range 40 { // every definition holds all of them
		var all []string
		for j := range 40 {
			all = append(all, fmt.Sprintf(`"k%d":{"$ref":"#/$defs/R%d"}`, j, j))
		}
		ring = append(ring, fmt.Sprintf(`"R%d":{"type":"object","properties":{%s}}`, i, strings.Join(all, ",")))
	}
	unions := make([]string, 0, 40)
	for i := range 40 {
		unions = append(unions, fmt.Sprintf(`"U%d":{"anyOf":[{"$ref":"#/$defs/U%d"},{"$ref":"#/$defs/U%d"},{"$ref":"#/$defs/U0"}]}`, i, i+1, i+1))
	}
	for name, schema := range map[string]string{
		"a tree that doubles":    `{"properties":{"a":{"$ref":"#/$defs/D0"}},"$defs":{` + strings.Join(defs, ",") + `}}`,
		"a wide object":          `{"properties":{` + strings.Join(props, ",") + `}}`,
		"all hold all":           `{"properties":{"a":{"$ref":"#/$defs/R0"}},"$defs":{` + strings.Join(ring, ",") + `}}`,
		"unions of unions":       `{"properties":{"a":{"$ref":"#/$defs/U0"}},"$defs":{` + strings.Join(unions, ",") + `}}`,
		"a deep object":          strings.Repeat(`{"properties":{"a":`, 2000) + `{}` + strings.Repeat(`}}`, 2000),
		"deep arrays":            `{"properties":{"a":` + strings.Repeat(`{"type":"array","items":`, 5000) + `{}` + strings.Repeat(`}`, 5000) + `}}`,
		"deep alternatives":      `{"properties":{"a":` + strings.Repeat(`{"anyOf":[`, 3000) + `{}` + strings.Repeat(`]}`, 3000) + `}}`,
		"deeper than JSON reads": strings.Repeat(`{"properties":{"a":`, 20000) + `{}` + strings.Repeat(`}}`, 20000),
	} {
		t.Run(name, func(t *testing.T) {
			rows := keys([]byte(schema), markdown.Text)
			if len(rows) > maxKeyRows+1 {
				t.Errorf("%d rows", len(rows))
			}
			if want := maxKeyDepth + 2; name == "a deep object" && len(rows) != want { // and the one that says so
				t.Errorf("%d rows, want %d", len(rows), want)
			}
			for _, r := range rows {
				if len(r.path) > 3000 || len(r.kind) > 3000 {
					t.Fatalf("a row of %d and %d bytes", len(r.path), len(r.kind))
				}
			}
			if cut := len(rows) > 0 && rows[len(rows)-1].path == "\u2026"; cut != strings.Contains("a wide object a tree that doubles all hold all a deep object", name) {
				t.Errorf("%d rows, cut %v", len(rows), cut)
			}
		})
	}
}

func TestDescriptions(t *testing.T) {
	for name, c := range map[string][2]string{
		"its own":                {`{"description":"own","oneOf":[{"description":"other"}]}`, "own"},
		"of an alternative":      {`{"oneOf":[{"type":"null"},{"description":"first"},{"description":"second"}]}`, "first"},
		"beside a reference":     {`{"$ref":"#/$defs/A","description":"beside"}`, "beside"},
		"behind a reference":     {`{"$ref":"#/$defs/A"}`, "behind"},
		"with a default":         {`{"description":"own","default":[1]}`, "own Default: `[1]`."},
		"a default alone":        {`{"default":""}`, "Default: `\"\"`."},
		"nothing at all is said": {`{}`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			rows := keyRows(fmt.Appendf(nil, `{"properties":{"a":%s},"$defs":{"A":{"description":"behind"}}}`, c[0]))
			if len(rows) != 1 || rows[0][2] != c[1] {
				t.Errorf("%q, want %q", rows, c[1])
			}
		})
	}
}

func TestLongTextIsClipped(t *testing.T) {
	long := strings.Repeat("é", 5000)
	rows := keyRows(fmt.Appendf(nil, `{"properties":{%q:{"type":"string","description":%q,"default":%q,"format":%q}}}`, long, long, long, long))
	if len(rows) != 1 {
		t.Fatalf("%d rows", len(rows))
	}
	for _, cell := range rows[0] {
		if len(cell) > 3*maxKeyText || !strings.Contains(cell, "\u2026") || strings.Contains(cell, "\ufffd") {
			t.Errorf("a cell of %d bytes", len(cell))
		}
	}
}

// What just fits stays whole.
func TestTextThatFitsIsNotClipped(t *testing.T) {
	fits := strings.Repeat("x", maxKeyText)
	if clip(fits) != fits || clip(fits+"y") != fits+"\u2026" {
		t.Errorf("%q, %q", clip(fits), clip(fits+"y"))
	}
}

func FuzzKeys(f *testing.F) {
	for _, s := range []string{`{}`, `{"properties":{"a":{"$ref":"#"}}}`, `{"properties":{"a":{"type":["x",1]}},"$defs":{"a":true}}`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, schema string) {
		if rows := keys([]byte(schema), markdown.Text); len(rows) > maxKeyRows+1 {
			t.Errorf("%d rows", len(rows))
		}
	})
}
