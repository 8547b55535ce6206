package schema_test

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/seed-89b9419b/holotype/internal/schema"
)

func TestScan(t *testing.T) {
	wide := func(n int, again string) string {
		var b strings.Builder
		b.WriteString("{")
		for i := range n {
			b.WriteString(`"k` + strings.Repeat("x", i) + `":0,`)
		}
		return b.String() + `"` + again + `":1}`
	}
	nested := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	tests := []struct {
		name, text string
		kind       schema.Kind // "" = fine
		pointer    string
		offset     int
	}{
		{"an object", ` {"a":[1,-2.5e+3,true,false,null,"x"]} `, "", "", 0},
		{"a scalar", `7`, "", "", 0},
		{"every escape", `"\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00"`, "", "", 0},
		{"four bytes a character", `"😀é"`, "", "", 0},
		{"NUL as an escape", `"\u0000"`, "", "", 0},
		{"the replacement character itself", "\"\uFFFD\"", "", "", 0},
		{"empty", ``, schema.Syntax, "", 0},
		{"only space", " \n", schema.Syntax, "", 2},
		{"byte order mark", "\xEF\xBB\xBF{}", schema.Syntax, "", 0},
		{"two values", `{} {}`, schema.Syntax, "", 3},
		{"trailing comma", `{"a":1,}`, schema.Syntax, "", 7},
		{"trailing comma in an array", `{"a":[1,]}`, schema.Syntax, "/a/1", 8},
		{"single quotes", `{'a':1}`, schema.Syntax, "", 1},
		{"no colon", `{"a" 1}`, schema.Syntax, "", 5},
		{"no closing quote", `{"a":"b`, schema.Syntax, "/a", 7},
		{"a raw newline", "{\"a\":\"b\nc\"}", schema.Syntax, "/a", 7},
		{"an unknown escape", `["\x41"]`, schema.Syntax, "/0", 2},
		{"a short escape", `"\u12"`, schema.Syntax, "", 1},
		{"leading zero", `01`, schema.Syntax, "", 0},
		{"leading plus", `+1`, schema.Syntax, "", 0},
		{"no digits after the point", `1.`, schema.Syntax, "", 0},
		{"no digits in the exponent", `1e`, schema.Syntax, "", 0},
		{"only minus", `-`, schema.Syntax, "", 0},
		{"NaN", `NaN`, schema.Syntax, "", 0},
		{"a cut word", `[tru]`, schema.Syntax, "/0", 1},
		{"a comment", `{/**/}`, schema.Syntax, "", 1},
		{"unclosed object", `{"a":1`, schema.Syntax, "", 6},
		{"unclosed array", `[1`, schema.Syntax, "", 2},
		{"not UTF-8", "{\"a\":\"caf\xe9\"}", schema.UTF8, "/a", 9},
		{"overlong UTF-8", "\"\xc0\xaf\"", schema.UTF8, "", 1},
		{"a surrogate as bytes", "\"\xed\xa0\x80\"", schema.UTF8, "", 1},
		{"not UTF-8 in a key", "{\"\xff\":1}", schema.UTF8, "", 2},
		{"a lone high surrogate", `"\ud83d"`, schema.UTF8, "", 1},
		{"a lone low surrogate", `"\ude00"`, schema.UTF8, "", 1},
		{"a high surrogate and a character", `"\ud83d\u0041"`, schema.UTF8, "", 1},
		{"a duplicate key", `{"a":1,"b":{"c":1,"c":2}}`, schema.Duplicate, "/b/c", 18},
		{"a duplicate key spelt with an escape", `{"a":1,"\u0061":2}`, schema.Duplicate, "/a", 7},
		{"an escape first", `{"\u0061":2,"a":1}`, schema.Duplicate, "/a", 12},
		{"keys that differ in case", `{"a":1,"A":2}`, "", "", 0},
		{"16 keys and a new one", wide(16, "z"), "", "", 0},
		{"16 keys and one again", wide(16, "kxx"), schema.Duplicate, "/kxx", 217},
		{"40 keys and one again", wide(40, "kx"), schema.Duplicate, "/kx", 1021},
		{"40 keys and one again as an escape", wide(40, `\u006bx`), schema.Duplicate, "/kx", 1021},
		{"40 keys and a new one", wide(40, "z"), "", "", 0},
		{"the pointer is escaped", `{"a/b~c":[0,{"x":1,"x":2}]}`, schema.Duplicate, "/a~1b~0c/1/x", 19},
		{"64 levels", nested(64), "", "", 0},
		{"65 levels", nested(65), schema.Depth, strings.Repeat("/0", 64), 64},
		{"64 objects", strings.Repeat(`{"a":`, 64) + "1" + strings.Repeat("}", 64), "", "", 0},
		{"65 objects", strings.Repeat(`{"a":`, 65) + "1" + strings.Repeat("}", 65), schema.Depth, strings.Repeat("/a", 64), 320},
		{"a million levels", strings.Repeat("[", 1_000_000), schema.Depth, strings.Repeat("/0", 64), 64},
		{"4 MiB", `"` + strings.Repeat("a", schema.MaxBytes-2) + `"`, "", "", 0},
		{"4 MiB and a byte", `"` + strings.Repeat("a", schema.MaxBytes-1) + `"`, schema.Size, "", schema.MaxBytes},
		{"a number as long as is taken", strings.Repeat("9", 1000), "", "", 0},
		{"a longer number", strings.Repeat("9", 1001), schema.Number, "", 0},
		{"a large exponent", `[1e400,-1E-400]`, "", "", 0},
		{"an exponent out of reach", `{"n":1e401}`, schema.Number, "/n", 5},
		{"an exponent that would overflow", `1e99999999999999999999`, schema.Number, "", 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := schema.Scan([]byte(tt.text))
			switch {
			case f == nil && tt.kind != "":
				t.Fatalf("Scan took it, want kind %q", tt.kind)
			case f == nil:
				return
			case f.Kind != tt.kind || f.Pointer != tt.pointer || f.Offset != tt.offset:
				t.Fatalf("Scan = kind %q pointer %q offset %d (%v), want %q %q %d", f.Kind, f.Pointer, f.Offset, f, tt.kind, tt.pointer, tt.offset)
			}
			if v := f.Violation(); v.Keyword != string(f.Kind) || v.Pointer != f.Pointer || v.Message != f.Error() {
				t.Errorf("Violation = %+v, want the fault's own facts", v)
			}
			if len(f.Error()) > 250 {
				t.Errorf("message has %d bytes: %s", len(f.Error()), f)
			}
		})
	}
}

func TestScanMessagesSayWhatToFix(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"duplicate", `{"a":1,"a":2}`, `field "a" is given twice: keep one (at /a, byte 7)`},
		{"depth", strings.Repeat("[", 65), `more than 64 levels of nesting: send a flatter value (at ` + strings.Repeat("/0", 38) + `/..., byte 64)`},
		{"utf8", "[\"\xff\"]", `the text is not valid UTF-8: encode it as UTF-8 (at /0, byte 2)`},
		{"syntax", `{"a":tru}`, `this is not JSON: the word is not true, false or null (at /a, byte 5)`},
		{"empty", ``, `this is not JSON: the text is empty, send a value (at the root, byte 0)`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if f := schema.Scan([]byte(tt.text)); f == nil || f.Error() != tt.want {
				t.Errorf("got  %v\nwant %s", f, tt.want)
			}
		})
	}
}

func TestScanAllocatesNothing(t *testing.T) {
	data := []byte(`{"a":[{"b":"c","d":[1,2,3]},{"b":"é","d":[]}],"e":{"f":null},"g":true,"h":-1.5e3}`)
	if n := testing.AllocsPerRun(100, func() { schema.Scan(data) }); n != 0 {
		t.Errorf("Scan allocates %v times, want 0", n)
	}
}

// FuzzScan holds Scan to encoding/json: what it takes is JSON, and what it refuses beyond that it refuses for a reason of ours.
func FuzzScan(f *testing.F) {
	for _, seed := range []string{
		`{"a":[1,2.5,{"b":null}],"c":"\u00e9\ud83d\ude00"}`, `[`, `{"a":1,"a":2}`, "\"\xff\"", `"\ud800"`, `1e999`, `-0.0e-1`, " [ true , false ] ", `{"":{"":[]}}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		fault, valid := schema.Scan(data), json.Valid(data)
		switch {
		case fault == nil && !valid:
			t.Fatalf("Scan took %q, which is not JSON", data)
		case fault == nil && !utf8.Valid(data):
			t.Fatalf("Scan took %q, which is not UTF-8", data)
		case fault != nil && valid && fault.Kind == schema.Syntax:
			t.Fatalf("Scan calls %q a syntax fault, encoding/json takes it: %v", data, fault)
		case fault == nil:
			if _, err := schema.Canonical(data); err != nil {
				t.Fatalf("Canonical refuses what Scan took: %v", err)
			}
		}
	})
}
