package httpapi

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/seed-89b9419b/holotype/internal/schema"
)

func TestSplice(t *testing.T) {
	const members = `"id":"7"`
	for _, c := range []struct{ name, body, want string }{
		{"absent", ``, `{"id":"7"}`},
		{"empty", `{}`, `{"id":"7"}`},
		{"empty with space", " { \n} ", " { \n" + `"id":"7"}`},
		{"fields", `{"a":1}`, `{"a":1,"id":"7"}`},
		{"space behind", "{\"a\":1}\r\n", `{"a":1,"id":"7"}`},
		{"a nested end", `{"a":{}}`, `{"a":{},"id":"7"}`},
		{"an array", `[1]`, `[1]`},
		{"no end", `{"a":1`, `{"a":1`},
		{"an end alone", `}`, `}`},
		{"a start alone", `{`, `{`},
		{"white space", " \n", " \n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := string(splice([]byte(c.body), []byte(members))); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
	if got := splice([]byte(` {} `), nil); string(got) != ` {} ` {
		t.Errorf("without members: %q", got)
	}
}

// FuzzSplice checks that splicing neither makes a broken text whole nor breaks or
// changes a good one.
func FuzzSplice(f *testing.F) {
	for _, seed := range []string{`{}`, `{"a":{}`, `{"a":"}`, `{"a":"{}`, `{"a":"\"}`, `{"a":1}}`, `{,}`, `{"a":1,}`, `{{}`, "{}\x00", `{"id":1}`, `[{}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		if len(body) == 0 {
			return
		}
		object := len(bytes.TrimLeft(body, " \n\r\t")) > 0 && bytes.TrimLeft(body, " \n\r\t")[0] == '{'
		before := json.Valid(body)
		got := splice(bytes.Clone(body), []byte(`"id":"7"`))
		if json.Valid(got) != before {
			t.Fatalf("%q was valid: %v, %q is not the same", body, before, got)
		}
		if before && object {
			var m map[string]json.RawMessage
			if err := json.Unmarshal(got, &m); err != nil || string(m["id"]) != `"7"` {
				t.Fatalf("%q became %q", body, got)
			}
		}
	})
}

// FuzzAppendText checks the short ways of an argument against the one that knows
// every type.
func FuzzAppendText(f *testing.F) {
	for _, seed := range []string{"", "0", "-0", "-", "007", "7", "-7", "123456789012345678", "1234567890123456789012", "1.5", "1e3", "true", "false", "tru", "null", "x\"\\\n\x00", "é", "\x7f", " 1", "5678901234E678", "901264E378"} {
		f.Add(seed)
	}
	compiled, err := schema.Compile([]byte(`{"type":"object","properties":{
		"s":{"type":"string"},"i":{"type":"integer"},"n":{"type":"number"},"b":{"type":"boolean"},"u":{"type":["string","integer"]},"o":{"type":["integer","null"]}}}`))
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, p := range compiled.Properties() {
			a := newArgument(p)
			got, want := a.appendText(nil, text), p.EncodeText(text)
			if f := schema.Scan(got); f != nil { // the door refuses it, for what the text is
				if f.Kind != schema.UTF8 && (f.Kind != schema.Number || string(got) != string(want)) {
					t.Fatalf("%s: %q became %q: %v", p.Name, text, got, f)
				}
				continue
			}
			if string(got) == string(want) {
				continue // it may be a number too large for what decodes below
			}
			var g, w any
			if json.Unmarshal(got, &g) != nil || json.Unmarshal(want, &w) != nil || g != w {
				t.Fatalf("%s: %q became %s, want %s", p.Name, text, got, want)
			}
		}
	})
}
