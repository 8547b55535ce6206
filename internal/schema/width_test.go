package schema_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/seed-89b9419b/holotype/internal/schema"
)

// What passes arrives as a float that keeps the bounds: a number that would not is refused where it stands.
func TestNumbersThatDoNotSurvive(t *testing.T) {
	const large, small, bound = "is too large", "is too close to 0", "arrive as the bound itself"
	for _, c := range []struct {
		schema, value string
		says          string // "" where it is taken
	}{
		{`{"type":"number"}`, `1e308`, ""},
		{`{"type":"number"}`, `1e309`, large},
		{`{"type":"number"}`, `-1e309`, large},
		{`{"type":"number"}`, `1` + strings.Repeat("0", 309), large},
		{`{"type":"number"}`, `1` + strings.Repeat("0", 308), ""},
		{`{"type":"number"}`, `1e-320`, ""},
		{`{"type":"number"}`, `1e-400`, small},
		{`{"type":"number"}`, `-1e-400`, small},
		{`{"type":"number"}`, `0.` + strings.Repeat("0", 330) + `1`, small},
		{`{"type":"number"}`, `0`, ""},
		{`{"type":"number"}`, `-0.0`, ""},
		{`{"type":"number"}`, `0.000e-400`, ""},
		{`{"type":"number"}`, `0e300`, ""},
		{`{"type":"number"}`, `0.1234567890123456789`, ""}, // rounded as every decimal is
		{`{"type":"number"}`, `9007199254740993`, ""},
		{`{"type":"number","format":"double"}`, `1e309`, large},
		{`{"type":"number","format":"decimal"}`, `1e309`, ""},
		{`{"type":"number","format":"float"}`, `1e38`, ""},
		{`{"type":"number","format":"float"}`, `1e39`, large},
		{`{"type":"number","format":"float"}`, `1e-50`, small},
		{`{"type":"number","format":"float","exclusiveMaximum":1}`, `0.99999999`, bound},
		{`{"type":["number","null"]}`, `1e-400`, small},
		{`{"type":["number","null"]}`, `null`, ""},
		{`{"type":["string","number"]}`, `"1e-400"`, ""},
		{`{"type":"integer"}`, `1e309`, ""},
		{`{}`, `1e309`, ""},
		{`{"type":"number","exclusiveMinimum":0}`, `1e-400`, small},
		{`{"type":"number","exclusiveMinimum":0}`, `1e-300`, ""},
		{`{"type":"number","exclusiveMinimum":0.1}`, `0.10000000000000000001`, bound},
		{`{"type":"number","exclusiveMinimum":0.1}`, `0.11`, ""},
		{`{"type":"number","exclusiveMaximum":1}`, `0.99999999999999999999`, bound},
		{`{"type":"number","exclusiveMaximum":1}`, `0.9999999999999999`, ""},
		{`{"type":"number","exclusiveMaximum":1}`, `0.999`, ""},
		{`{"type":"number","exclusiveMinimum":0.99999999999999999999}`, `1`, bound},
		{`{"type":"number","exclusiveMaximum":9007199254740993}`, `9007199254740992`, bound},
	} {
		t.Run(c.schema+" "+clipped(c.value), func(t *testing.T) {
			raw := []byte(`{"type":"object","properties":{"a/b":{"type":"array","items":` + c.schema + `}}}`)
			value := []byte(`{"a/b":[` + c.value + `]}`)
			own, err := schema.Compile(raw)
			if err != nil {
				t.Fatal(err)
			}
			found := own.Validate(value)
			switch {
			case c.says == "" && len(found) > 0, c.says != "" && (len(found) != 1 || found[0].Pointer != "/a~1b/0" || found[0].Keyword != "format" || !strings.Contains(found[0].Message, c.says)):
				t.Errorf("got %v, want %q", found, c.says)
			case c.says != "" && own.Accept(value):
				t.Error("the quick reading takes it")
			}
			foreign, err := schema.CompileForeign(raw)
			if err != nil {
				t.Fatal(err)
			}
			if found := foreign.Validate(value); len(found) > 0 {
				t.Errorf("a schema of others refuses it: %v", found)
			}
		})
	}
}

func clipped(s string) string { return s[:min(len(s), 40)] }

// Of numbers and bounds of every spelling, what the quick reading takes the validator takes too, and what is taken keeps its
// exclusive bounds as the float that a handler gets.
func TestQuickReadingOfFloats(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	number := func() string {
		text := []string{"", "-"}[r.IntN(2)] + []string{"0", "1", "0.1", "0.9", "99", "0.99999999999999999999", "0.10000000000000000001", "12.50", "9007199254740993"}[r.IntN(9)]
		if r.IntN(3) == 0 {
			text += []string{"e-400", "e-330", "e-3", "E2", "e307"}[r.IntN(5)]
		}
		return text
	}
	taken := 0
	for range 5000 {
		raw := fmt.Sprintf(`{"type":"number","format":%q,%q:%s}`, []string{"double", "float"}[r.IntN(2)],
			[]string{"exclusiveMinimum", "exclusiveMaximum", "minimum", "maximum"}[r.IntN(4)], number())
		s, err := schema.Compile([]byte(raw))
		if err != nil {
			t.Fatal(err)
		}
		for range 3 {
			value := number()
			found := s.Validate([]byte(value))
			if s.Accept([]byte(value)) {
				taken++
			}
			if judged := s.Judge([]byte(value)); (len(found) == 0) != judged {
				t.Fatalf("%s, %s: quickly %v, in full %v", raw, value, found, judged)
			}
			if len(found) > 0 || strings.Contains(raw, "imum\":") && !strings.Contains(raw, "exclusive") {
				continue
			}
			var doc struct {
				Format                             string
				ExclusiveMinimum, ExclusiveMaximum *float64
			}
			var f float64
			if err := json.Unmarshal([]byte(raw), &doc); err != nil {
				continue // a bound that is no float
			}
			if err := json.Unmarshal([]byte(value), &f); err != nil {
				t.Fatalf("%s takes %s, which is no float: %v", raw, value, err)
			}
			if doc.Format == "double" && (doc.ExclusiveMinimum != nil && f <= *doc.ExclusiveMinimum || doc.ExclusiveMaximum != nil && f >= *doc.ExclusiveMaximum) {
				t.Fatalf("%s takes %s, which arrives as %v", raw, value, f)
			}
		}
	}
	if taken < 50 {
		t.Errorf("the quick reading took %d only: the test shows nothing", taken)
	}
}
