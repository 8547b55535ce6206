package config

import (
	"bytes"
	"encoding/json"
	"testing"
	"unicode/utf8"
)

// What holds for any bytes: JSON keeps its bytes, what is blanked keeps its lines, and the reader neither fails on what it accepted nor
// accepts what is not JSON once it is plain.
func FuzzJSON(f *testing.F) {
	for _, s := range []string{
		`{"a": [1, true, null, "x\"//"], "b": {}}`, "{// x\n\"a\": 1,/* y\n*/}", `{"a":1,,}`, `[,]`, `"`, `/`, `/*`, "[1,/**/]", `{"a":1,"a":2}`, `"\`, "",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		out, open := plainJSON(data)
		if len(out) != len(data) || bytes.Count(out, []byte("\n")) != bytes.Count(data, []byte("\n")) {
			t.Fatalf("%q became %q", data, out)
		}
		if json.Valid(data) && (open >= 0 || !bytes.Equal(out, data)) {
			t.Fatalf("valid JSON %q became %q", data, out)
		}
		if !utf8.Valid(data) {
			return // refused before it comes here
		}
		d := &decoder{file: "f"}
		root := parseJSON(d, data)
		if len(d.faults) > 0 {
			for _, f := range d.faults {
				if f.Line < 0 || f.Line > 1+bytes.Count(data, []byte("\n")) {
					t.Errorf("%q: fault on line %d", data, f.Line)
				}
			}
			return
		}
		if blank := len(bytes.TrimSpace(out)) == 0; (root == nil) != blank || !blank && !json.Valid(out) {
			t.Errorf("%q: root %v, plain %q", data, root, out)
		}
	})
}
