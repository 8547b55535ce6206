package inspect_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/capabilities/bridge"
	"github.com/seed-89b9419b/holotype/projection/inspect"
)

var update = flag.Bool("update", false, "write the goldens anew")

// TestWire judges the lists of public servers and compares what is found, by count.
func TestWire(t *testing.T) {
	lists := wire(t)
	var got strings.Builder
	for _, name := range slices.Sorted(maps.Keys(lists)) {
		r := inspect.Judge(lists[name])
		fmt.Fprintf(&got, "%s: %d tools, %d bytes, about %d tokens, %s\n", name, r.List.Tools, r.List.Bytes, r.List.Tokens, r.Summary())
		for _, g := range r.Groups() {
			fmt.Fprintf(&got, "  %-22s %d\n", g.ID, len(g.Findings))
		}
		sum := 0
		for i := range r.Tools {
			sum += r.Tools[i].Tokens
			if h, f := r.Tools[i].Hints, lists[name].Tools[i].Hints; h.ReadOnly.Value != f.ReadOnly.Value || !bytes.Equal(h.Destructive.Raw, f.Destructive.Raw) {
				t.Errorf("%s: hints of %s are not those sent", name, r.Tools[i].Name)
			}
		}
		if sum != r.List.Tokens {
			t.Errorf("%s: the tools have %d tokens and the list %d", name, sum, r.List.Tokens)
		}
	}
	file := filepath.Join("testdata", "wire.golden")
	if *update {
		if err := os.WriteFile(file, []byte(got.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got.String(), "\n")); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestReport(t *testing.T) {
	odd := changed(t, "name", `"rm"`, "annotations", `{"readOnlyHint":"no","destructiveHint":true,"idempotentHint":true,"openWorldHint":false}`)
	o := observe(t, odd, `7`)
	o.Name, o.Number, o.Transport, o.Version, o.Discover = "a server", "1.0", bridge.TransportStdio, "2025-11-25", bridge.DiscoverRefused
	o.Handshake, o.List, o.Capabilities = 1500*time.Millisecond, 2*time.Millisecond, json.RawMessage(`{"tools":{"listChanged":true},"logging":{}}`)
	o.Stop = &bridge.Stop{How: bridge.StopInput, After: 20 * time.Millisecond}
	r := inspect.Judge(o)
	kind := func(id, tool, pointer, reason string) inspect.Finding {
		k, ok := inspect.KindOf(id)
		if !ok {
			t.Fatal(id)
		}
		return inspect.Finding{ID: id, Severity: k.Severity, Tool: tool, Pointer: pointer, Reason: reason, Breaks: k.Breaks}
	}
	raw := func(s string) json.RawMessage { return json.RawMessage(s) }
	shown := `{"name":"rm","description":"Looks.","inputSchema":{"type":"object","properties":{"a":{"type":"string"}},"additionalProperties":false}}`
	tokens := (len(shown)*2 + 8) / 9
	want := &inspect.Report{
		Server: inspect.Server{Name: "a server", Version: "1.0", Capabilities: o.Capabilities},
		Session: inspect.Session{
			Transport: "stdio", Version: "2025-11-25", Discover: bridge.DiscoverRefused, Handshake: 1500, List: 2,
			Stop: &inspect.Stop{How: bridge.StopInput, After: 20, Left: []string{}},
		},
		List: inspect.List{Tools: 2, Skipped: 1, Pages: 1, Bytes: o.ListBytes, Tokens: tokens, Rule: inspect.TokenRule, Prefix: "mcp__server__"},
		Tools: []inspect.Tool{
			{
				Name: "rm", OfferedAs: "server__rm", ClientName: "mcp__server__rm", Input: inspect.Closed, Bytes: len(odd), ModelBytes: len(shown), Tokens: tokens, Depth: 2,
				Hints: inspect.Hints{
					ReadOnly:    inspect.Hint{Raw: raw(`"no"`)},
					Destructive: inspect.Hint{Value: capabilities.Yes, Raw: raw("true")},
					Idempotent:  inspect.Hint{Value: capabilities.Yes, Raw: raw("true")},
					OpenWorld:   inspect.Hint{Value: capabilities.No, Raw: raw("false")},
				},
				Findings: []string{"unknown-hints", "odd-hint"},
			},
			{Input: inspect.NoRoot, Bytes: 1, Skipped: "it is not an object", Findings: []string{"skipped-tool"}},
		},
		Findings: []inspect.Finding{
			kind("unknown-hints", "rm", "/annotations", "not stated: readOnlyHint"),
			kind("odd-hint", "rm", "/annotations/readOnlyHint", `readOnlyHint is "no", which is no boolean, or stands twice with two values`),
			kind("skipped-tool", "number 2", "", "it is not an object"),
		},
	}
	if diff := cmp.Diff(asJSON(t, want), asJSON(t, r)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	facts := [][2]string{
		{"identity", "a server 1.0"},
		{"protocol", "2025-11-25 over stdio; server/discover refused"},
		{"capabilities", "logging, tools (listChanged)"},
		{"instructions", "0 bytes"},
		{"handshake", "1500 ms"},
		{"list", fmt.Sprintf("2 tools on 1 page, %d bytes, about %d tokens, in 2 ms", o.ListBytes, tokens)},
		{"stop", "ended 20 ms after its input was closed"},
		{"skipped", "1 tool"},
	}
	if diff := cmp.Diff(facts, r.Facts()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if got := r.Tools[0].Severities() + "; " + r.Tools[1].Severities() + "; " + r.Summary(); got != "2 warnings; 1 error; 1 error, 2 warnings, 0 notes" {
		t.Error(got)
	}
}

func asJSON(t *testing.T, v any) any {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	var out any
	if err := json.Unmarshal(b, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

func TestSchemasThatOthersWroteAreJudgedOnce(t *testing.T) {
	// A reference may lead to an $id within the schema: nothing is remote then.
	r := inspect.Judge(observe(t, input(t, `{"properties":{"a":{"$ref":"item.json"}},"$defs":{"i":{"$id":"item.json","type":"string"}}}`)))
	if slices.Contains(ids(r), "remote-ref /inputSchema/properties/a/$ref") {
		t.Error(ids(r))
	}
	// What the short look doubts goes to the judge of calls, and is fine there.
	for _, schema := range []string{
		`{"properties":{"a":{"type":"number","multipleOf":0.5}}}`,
		`{"properties":{"a":{"$ref":"#x"}},"$defs":{"x":{"$anchor":"x","type":"string"}}}`,
		`{"$schema":"http://json-schema.org/draft-07/schema#","properties":{"a":{"type":"array","items":[{"type":"string"}]}}}`,
		`{"properties":{"a":{"type":"string","pattern":"\\u0041"}}}`,
	} {
		for _, id := range ids(inspect.Judge(observe(t, input(t, schema)))) {
			if strings.HasPrefix(id, "schema-invalid") {
				t.Errorf("%s: %s", schema, id)
			}
		}
	}
}

func TestManyReferencesAreJudgedInTime(t *testing.T) {
	var defs strings.Builder
	for i := range 4000 {
		fmt.Fprintf(&defs, `,"d%d":{"$ref":"#/$defs/d%d"}`, i, i+1)
	}
	began := time.Now()
	r := inspect.Judge(observe(t, input(t, `{"properties":{"a":{"$ref":"#/$defs/d0"}},"$defs":{"d4000":{"type":"string"}`+defs.String()+`}}`)))
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("took %s", took)
	}
	if len(r.Tools) != 1 || slices.ContainsFunc(ids(r), func(id string) bool { return strings.HasPrefix(id, "recursion") }) {
		t.Errorf("%d tools, %v", len(r.Tools), ids(r))
	}
}

const hostile = `"<img src=x onerror=alert(1)> ](javascript:x) | ` + "```" + ` \u001b[2J \u202e"`

func TestMarkdownHoldsWhatAServerWrites(t *testing.T) {
	o := observe(t, changed(t, "name", hostile), property(t, `{"type":"string","nullable":`+hostile+`}`))
	o.Name, o.Junk, o.JunkLines = "<b>\n# x", []string{"| <i>"}, 1
	page := string(inspect.Judge(o).Markdown())
	for _, bad := range []string{"<img", "<b>", "<i>", "\n# x", "\x1b", "\u202e", "](javascript"} {
		outside := strings.Join(strings.Split(page, "`"), "")
		if strings.Contains(page, bad) && (strings.ContainsAny(bad, "\x1b\n\u202e") || !insideCode(page, bad)) {
			t.Errorf("%q stands in it as it was written:\n%s", bad, outside)
		}
	}
	for _, want := range []string{"## Findings: ", "| name | offered as |", "### error: `junk-output` (1)"} {
		if !strings.Contains(page, want) {
			t.Errorf("%q is absent:\n%s", want, page)
		}
	}
}

// insideCode reports whether a text stands in code spans alone: an odd number of
// runs of backticks is before it on its line.
func insideCode(page, text string) bool {
	for line := range strings.Lines(page) {
		for rest := line; ; {
			before, after, ok := strings.Cut(rest, text)
			if !ok {
				break
			}
			if strings.Count(strings.TrimSuffix(line, after), "`")%2 == 0 && !strings.Contains(before, "````") {
				return false
			}
			rest = after
		}
	}
	return true
}

func FuzzJudge(f *testing.F) {
	for _, o := range wire(f) {
		f.Add([]byte(o.Tools[0].Raw))
	}
	for _, text := range []string{
		clean, "{}", "7", `{"name":"a","inputSchema":{"$ref":"#"}}`, `{"name":"a","inputSchema":{"items":[true,{"$ref":"#/items/1"}]},"annotations":[]}`,
		`{"name":"a","inputSchema":{"$schema":"","properties":{"b":{"$ref":""},"a":{"$ref":"#/properties/a/~1%zz"}},"required":[1,"b"],"type":[null]}}`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, tool []byte) {
		o, err := bridge.Observe("s", json.RawMessage(fmt.Sprintf(`{"tools":[%s]}`, tool)))
		if err != nil {
			return
		}
		r := inspect.Judge(o)
		if len(r.Tools) != len(o.Tools) {
			t.Fatalf("%d entries have %d rows", len(o.Tools), len(r.Tools))
		}
		for _, found := range r.Findings {
			if _, ok := inspect.KindOf(found.ID); !ok || found.Reason == "" || found.Breaks == "" {
				t.Errorf("%+v is of no kind, or says nothing", found)
			}
		}
		first, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		again, err := json.Marshal(inspect.Judge(o))
		if err != nil || !bytes.Equal(first, again) {
			t.Errorf("the same list has two reports (%v):\n%s\n%s", err, first, again)
		}
		page := string(r.Markdown())
		if page == "" || !utf8.ValidString(page) {
			t.Errorf("the page is empty, or no UTF-8: %q", page)
		}
		if i := strings.IndexFunc(page, func(c rune) bool { return c != '\n' && unicode.IsControl(c) }); i >= 0 {
			t.Errorf("a control character stands in the page: %q", page[max(0, i-20):min(len(page), i+20)])
		}
	})
}

// BenchmarkJudge1000 judges 1,000 tools made of the public ones.
func BenchmarkJudge1000(b *testing.B) {
	lists := wire(b)
	o := &bridge.Observation{Alias: "server"}
	for len(o.Tools) < 1000 {
		for _, name := range slices.Sorted(maps.Keys(lists)) {
			o.Tools = append(o.Tools, lists[name].Tools...)
		}
	}
	o.Tools = o.Tools[:1000]
	for b.Loop() {
		inspect.Judge(o)
	}
}
