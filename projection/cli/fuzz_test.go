package cli

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/seed-89b9419b/holotype/internal/schema"
)

const fuzzed = `{"type":"object","properties":{"s":{"type":"string"},"i":{"type":"integer"},"b":{"type":"boolean"},"l":{"type":"array","items":{"type":"string"}},
	"o":{"type":"object"},"due_date":{"type":"string"},"json":{"type":"string"},"a b":{"type":["integer","null"]}}}`

// FuzzWords: whatever words stand behind call NAME, they are flags of the tool, ours,
// or a fault that names one of them; the arguments they make are one JSON object.
func FuzzWords(f *testing.F) {
	for _, s := range []string{
		"--s\nx\n--i=5", "--b\n--b=false", "--l\na\n--l\nb", "--o\n{\"a\":1}", "--due-date\nx\n--due_date=y", "-o\njson", "-ojson", "--", "--s", "---", "-", "--=x",
		"--arg-json\nx", "--json\n{}", "--a-b=null", "--nope", "--s\n\x00\xff", "x\n--s\ny", "-h", "--i\n1e400",
	} {
		f.Add(s)
	}
	args := argumentsOf([]byte(fuzzed), false)
	f.Fuzz(func(t *testing.T, text string) {
		words := strings.Split(text, "\n")
		set, rest, err := split(words, argumentLookup(args))
		var unknown unknownFlag
		var missing missingValue
		switch {
		case err != nil && !errors.As(err, &unknown) && !errors.As(err, &missing):
			t.Fatalf("%q: %v", words, err)
		case err != nil && suggest(err, args).Error() == "":
			t.Fatalf("%q: a fault without a word", words)
		case len(rest) > len(words), len(rest) > 0 && !slices.Equal(rest, words[len(words)-len(rest):]):
			t.Fatalf("%q: the rest is %q", words, rest)
		}
		c := &called{name: "x", values: map[string][]string{}}
		c.add(set)
		for flag := range c.values {
			if _, ours := findOwn(flag); !ours {
				if _, ok := findArgument(args, flag); !ok {
					t.Fatalf("%q: %q is no flag", words, flag)
				}
			}
		}
		out, err := fields(nil, args, c, nil)
		if err != nil {
			return // a flag given twice, or bytes that are no text
		}
		var object map[string]json.RawMessage
		if fault := schema.Scan(out); fault != nil && fault.Kind != schema.Number || json.Unmarshal(out, &object) != nil {
			t.Fatalf("%q became %q: %v", words, out, fault)
		}
		for _, a := range args {
			if _, made := object[a.Name]; made != (len(c.values[a.flag]) > 0 && a.flag != "") {
				t.Fatalf("%q became %q", words, out)
			}
		}
	})
}

// FuzzJSONAndFlags: flags are added behind the members of --json and change none of
// them; a field that both give is refused.
func FuzzJSONAndFlags(f *testing.F) {
	for _, s := range []string{`{}`, `{"s":"x"}`, ` { "a" : {} } `, `{"a":1,"a":2}`, `[]`, `{`, `{"i":9007199254740993}`, `{"a":"}"}`, `{}{}`, `null`} {
		f.Add([]byte(s), "7")
	}
	args := argumentsOf([]byte(fuzzed), false)
	f.Fuzz(func(t *testing.T, data []byte, value string) {
		keys, ok := keysOf(data)
		if !ok {
			return
		}
		c := &called{name: "x", values: map[string][]string{"s": {value}}}
		out, err := fields(data, args, c, keys)
		if err != nil {
			return
		}
		var before, after map[string]json.RawMessage
		if json.Unmarshal(data, &before) != nil || json.Unmarshal(out, &after) != nil {
			t.Fatalf("%q became %q", data, out)
		}
		if len(after) != len(before)+1 {
			t.Fatalf("%q and --s %q became %q", data, value, out)
		}
		for key, was := range before {
			if string(after[key]) != string(was) {
				t.Fatalf("%q: the member %q became %q", data, key, after[key])
			}
		}
	})
}

// FuzzShown: nothing that a server says reaches a terminal as a command to it, and
// every value is shown.
func FuzzShown(f *testing.F) {
	for _, s := range []string{
		`{"items":[{"name":"a","n":9007199254740993},{"name":"b"}],"next_cursor":"c'd"}`, `{"a":"\u001b[2J","\u202e":[1,[2,{}]]}`, `"\r\n\t\u0007"`, `[[],{},null,true]`,
		`{"type":"text","text":"\u009b31m"}`, `{"type":"resource","resource":{"uri":"\u0000","text":"x"}}`, `{"type":"image","data":"!","mimeType":"a\u000ab"}`, `{"type":"\u2066"}`, `7`, `{`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var out strings.Builder
		if n, err := parseTree(data); err == nil {
			p := printer{w: &out}
			if !p.page(n) {
				p.value(n, "  ")
			}
			if out.Len() == 0 {
				t.Fatalf("%q: nothing is shown", data)
			}
		}
		out.WriteString(showBlock(data))
		for _, r := range out.String() {
			if r != '\n' && r != '\t' && hidden(r) {
				t.Fatalf("%q is shown as %q", data, out.String())
			}
		}
	})
}
