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

// Any YAML gives a tree or a fault, within bounds, and reading it as a configuration gives a configuration or a fault.
func FuzzYAML(f *testing.F) {
	for _, s := range []string{
		"a: 1", "- a", "&a [*a]", "a: &b {c: 1}\nd: *b\n", "? [x]\n: y", "mcp_servers:\n- {name: a, command: x, env: {A: \"${B}\"}}\n",
		"mcp_servers:\n  a: {url: http://h, type: sse, tools: [x]}\n", "!!binary x", "<<: {a: 1}", "a: |\n  x\n", "---\n---\n", "mcp_servers: {a: {command: x, disabled: true}}",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		d := &decoder{file: "f", dir: "/"}
		root := parseYAML(d, data)
		if root == nil {
			return
		}
		file, ok := fileShape().read(d, root, "")
		if !ok && len(d.faults) == 0 {
			t.Errorf("%q is refused without a word", data)
		}
		for _, e := range file.servers {
			if e.node == nil {
				continue
			}
			s, _ := serverFrom(d, e, func(string) (string, bool) { return "", false })
			if !ok || len(d.faults) > 0 || e.disabled {
				continue
			}
			if s.Command != "" && s.URL != "" || s.Command == "" && s.URL == "" && len(s.Unresolved) == 0 {
				t.Errorf("%q gives a server that cannot be reached and is not held back: %+v", data, s)
			}
		}
	})
}
