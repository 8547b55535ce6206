package inspect_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-89b9419b/holotype/capabilities/bridge"
	"github.com/seed-89b9419b/holotype/projection/inspect"
)

func TestKindsAreWellFormed(t *testing.T) {
	name := regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)
	order := []inspect.Severity{inspect.Error, inspect.Warning, inspect.Note}
	seen, last := map[string]bool{}, 0
	for _, k := range inspect.Kinds() {
		at := slices.Index(order, k.Severity)
		if !name.MatchString(k.ID) || seen[k.ID] || slices.Contains(order, inspect.Severity(k.ID)) || at < last || k.Means == "" || k.Breaks == "" {
			t.Errorf("%+v is malformed, out of order, or there twice", k)
		}
		seen[k.ID], last = true, at
		if got, ok := inspect.KindOf(k.ID); !ok || got != k {
			t.Errorf("KindOf(%q) answers %+v", k.ID, got)
		}
	}
	if _, ok := inspect.KindOf("none"); ok {
		t.Error("an unknown id has a kind")
	}
}

func TestACleanToolHasNoFindings(t *testing.T) {
	if diff := cmp.Diff([]string{}, ids(inspect.Judge(observe(t, clean)))); diff != "" {
		t.Error(diff)
	}
}

// TestEveryKind shows each kind by the smallest thing that has it, and no other
// finding beside it.
func TestEveryKind(t *testing.T) {
	tool := func(s string) *bridge.Observation { return observe(t, s) }
	server := func(change func(*bridge.Observation)) *bridge.Observation {
		o := observe(t, clean)
		change(o)
		return o
	}
	stop := func(s bridge.Stop) *bridge.Observation {
		return server(func(o *bridge.Observation) { o.Stop = &s })
	}
	out := func(schema string) *bridge.Observation { return observe(t, changed(t, "outputSchema", schema)) }
	hints := func(json string) *bridge.Observation { return observe(t, changed(t, "annotations", json)) }
	nested := strings.Repeat(`{"type":"object","properties":{"a":`, 10) + `{"type":"string"}` + strings.Repeat(`}}`, 10)
	var many []string
	for i := range 129 {
		many = append(many, changed(t, "name", `"t`+strings.Repeat("x", i/26)+string(rune('a'+i%26))+`"`))
	}
	const reads = `"destructiveHint":false,"idempotentHint":true,"openWorldHint":false`

	shown := map[string]bool{}
	for _, tc := range []struct {
		name string
		seen *bridge.Observation
		want []string
	}{
		{"a tool without a name", tool(`{"inputSchema":{}}`), []string{"skipped-tool"}},
		{"a list that repeats itself", server(func(o *bridge.Observation) { o.ListFault = "it repeats itself" }), []string{"list-endless"}},
		{"a banner", server(func(o *bridge.Observation) { o.JunkLines, o.Junk = 3, []string{"hello"} }), []string{"junk-output"}},
		{"reads and destroys", hints(`{"readOnlyHint":true,"destructiveHint":true,"openWorldHint":false}`), []string{"contradiction /annotations"}},
		{"one name twice", observe(t, clean, clean, clean), []string{"duplicate-name /name"}},
		{"no type", tool(input(t, `{"type":null}`)), []string{"root-type /inputSchema"}},
		{"an output that is a list", out(`{"type":"array","items":{"type":"string"}}`), []string{"root-type /outputSchema/type"}},
		{"anyOf at the root", tool(input(t, `{"anyOf":[{"required":["a"]}]}`)), []string{"root-combinator /inputSchema/anyOf"}},
		{"a type that is none", tool(property(t, `{"type":"strng"}`)), []string{"schema-invalid /inputSchema/properties/a/type"}},
		{"a reference to nothing", tool(property(t, `{"$ref":"#/$defs/Gone"}`)), []string{"schema-invalid /inputSchema/properties/a/$ref"}},
		{"required that is no list", tool(input(t, `{"required":"a"}`)), []string{"schema-invalid /inputSchema/required"}},
		{"a malformed pattern", tool(property(t, `{"type":"string","pattern":"(["}`)), []string{"pattern-not-re2 /inputSchema/properties/a/pattern", "schema-invalid /inputSchema/properties/a/pattern"}},
		{"a remote reference", tool(property(t, `{"$ref":"http://127.0.0.1:9/x.json"}`)), []string{"remote-ref /inputSchema/properties/a/$ref"}},
		{"a file", tool(property(t, `{"$ref":"other.json"}`)), []string{"remote-ref /inputSchema/properties/a/$ref"}},

		{"exits at server/discover", server(func(o *bridge.Observation) { o.Discover = bridge.DiscoverExited }), []string{"discover-exited"}},
		{"ignores server/discover", server(func(o *bridge.Observation) { o.Discover = bridge.DiscoverIgnored }), []string{"discover-ignored"}},
		{"SIGKILL", stop(bridge.Stop{How: bridge.StopKill, After: time.Second}), []string{"stop-killed"}},
		{"SIGTERM", stop(bridge.Stop{How: bridge.StopTerm, After: time.Second}), []string{"stop-signalled"}},
		{"children that live on", stop(bridge.Stop{How: bridge.StopInput, Left: []string{"node"}}), []string{"left-processes"}},
		{"no annotations", tool(changed(t, "annotations", "")), []string{"unknown-hints"}},
		{"empty annotations", hints(`{}`), []string{"unknown-hints /annotations", "unknown-idempotent /annotations"}},
		{"a write that does not say whether it destroys", hints(`{"readOnlyHint":false,"idempotentHint":true,"openWorldHint":false}`), []string{"unknown-hints /annotations"}},
		{"a hint that is text", hints(`{"readOnlyHint":"true",` + reads + `}`), []string{"unknown-hints /annotations", "odd-hint /annotations/readOnlyHint"}},
		{"a hint that stands twice", hints(`{"readOnlyHint":true,"readOnlyHint":false,` + reads + `}`), []string{"unknown-hints /annotations", "odd-hint /annotations/readOnlyHint"}},
		{"a hint that is misspelt", hints(`{"readOnlyHint":true,"read_only_hint":true,` + reads + `}`), []string{"odd-hint /annotations/read_only_hint"}},
		{"a hint without its ending", hints(`{"readOnlyHint":true,"destructive":true,` + reads + `}`), []string{"odd-hint /annotations/destructive"}},
		{"annotations that are a list", hints(`[]`), []string{"unknown-hints /annotations", "unknown-idempotent /annotations", "odd-hint /annotations"}},
		{"deletes and reads", tool(changed(t, "name", `"repoDeleteFile"`)), []string{"name-says-write /name"}},
		{"reads about deleting", tool(changed(t, "name", `"get_delete_log"`)), []string{}},
		{"every character that a name may have", tool(changed(t, "name", `"azAZ09_-"`)), []string{}},
		{"a dot", tool(changed(t, "name", `"files.look"`)), []string{"name-characters /name"}},
		{"a long name", tool(changed(t, "name", `"`+strings.Repeat("x", 52)+`"`)), []string{"name-too-long /name"}},
		{"a name that just fits", tool(changed(t, "name", `"`+strings.Repeat("x", 51)+`"`)), []string{}},
		{"an escape", tool(changed(t, "description", `"a\u001b[2J"`)), []string{"invisible-characters /description"}},
		{"a right-to-left override in a schema", tool(property(t, `{"type":"string","description":"a\u202eb"}`)), []string{"invisible-characters /inputSchema/properties/a/description"}},
		{"a family in one emoji", tool(changed(t, "description", `"👨‍👩‍👧 ✔️\r\n\tok"`)), []string{}},
		{"a long description", tool(changed(t, "description", `"`+strings.Repeat("é", 1025)+`"`)), []string{"long-description /description"}},
		{"a description that just fits", tool(changed(t, "description", `"`+strings.Repeat("é", 1024)+`"`)), []string{}},
		{"no description", tool(changed(t, "description", `" "`)), []string{"no-description"}},
		{"a root that is a reference", tool(input(t, `{"$ref":"#/$defs/A","$defs":{"A":{"type":"object"}}}`)), []string{"root-ref /inputSchema/$ref"}},
		{"no properties", tool(input(t, `{"properties":null}`)), []string{"no-properties /inputSchema"}},
		{"brackets in an argument's name", tool(input(t, `{"properties":{"filter[a]":{"type":"string"}}}`)), []string{"property-name /inputSchema/properties/filter[a]"}},
		{"an array of anything", tool(property(t, `{"type":"array"}`)), []string{"array-without-items /inputSchema/properties/a"}},
		{"required and not defined", tool(input(t, `{"required":["a","b"]}`)), []string{"required-undefined /inputSchema/required/1"}},
		{"required in a branch", tool(property(t, `{"type":"object","properties":{"x":{"type":"string"}},"anyOf":[{"properties":{},"required":["x"]}]}`)), []string{}},
		{"a definition that holds itself", tool(input(t, `{"properties":{"a":{"$ref":"#/$defs/N"}},"$defs":{"N":{"type":"object","properties":{"kids":{"type":"array","items":{"$ref":"#/$defs/N"}}}}}}`)), []string{"recursion /inputSchema/$defs/N/properties/kids/items/$ref"}},
		{"two that hold each other", tool(input(t, `{"properties":{"a":{"$ref":"#/$defs/A"}},"$defs":{"A":{"properties":{"b":{"$ref":"#/$defs/B"}}},"B":{"properties":{"a":{"$ref":"#/$defs/A"}}}}}`)), []string{"recursion /inputSchema/$defs/A/properties/b/$ref"}},
		{"a definition used twice", tool(input(t, `{"properties":{"a":{"$ref":"#/$defs/A"},"b":{"$ref":"#/$defs/A"}},"$defs":{"A":{"type":"string"}}}`)), []string{}},
		{"a reference into properties", tool(input(t, `{"properties":{"a":{"type":"string"},"b":{"$ref":"#/properties/a"}}}`)), []string{"pointer-ref /inputSchema/properties/b/$ref"}},
		{"a look ahead", tool(property(t, `{"type":"string","pattern":"^(?!-)a$"}`)), []string{"pattern-not-re2 /inputSchema/properties/a/pattern"}},
		{"a look ahead in the name of properties", tool(input(t, `{"patternProperties":{"^(?!-)a$":{"type":"string"}}}`)), []string{"pattern-not-re2 /inputSchema/patternProperties/^(?!-)a$"}},
		{"a property that is named like no pattern", tool(input(t, `{"properties":{"(":{"type":"string"}}}`)), []string{"property-name /inputSchema/properties/("}},
		{"an output schema of draft-07", out(`{"$schema":"http://json-schema.org/draft-07/schema#","type":"object"}`), []string{"output-dialect /outputSchema/$schema"}},
		{"an input schema of draft-07", tool(input(t, `{"$schema":"http://json-schema.org/draft-07/schema#"}`)), []string{}},
		{"a dialect of nobody", tool(input(t, `{"$schema":"urn:mine"}`)), []string{"unknown-dialect /inputSchema/$schema"}},
		{"eleven levels", tool(property(t, nested)), []string{"deep-schema /inputSchema"}},
		{"129 tools", observe(t, many...), []string{"many-tools"}},
		{"128 tools", observe(t, many[1:]...), []string{}},
		{"a tool of 18,000 bytes", tool(input(t, `{"x":"`+strings.Repeat("x", 18_000)+`"}`)), []string{"heavy-tool"}},
		{"HTTP+SSE", server(func(o *bridge.Observation) { o.Transport = bridge.TransportSSE }), []string{"old-transport"}},
		{"a list of types", tool(property(t, `{"type":["string","null"]}`)), []string{"type-list /inputSchema/properties/a/type"}},
		{"true as a schema", tool(property(t, `true`)), []string{"boolean-subschema /inputSchema/properties/a"}},
		{"nullable", tool(property(t, `{"type":"string","nullable":true}`)), []string{"nullable /inputSchema/properties/a/nullable"}},
		{"an open input", tool(input(t, `{"additionalProperties":true}`)), []string{"open-input /inputSchema"}},
		{"no word about destroying", hints(`{"readOnlyHint":true,"openWorldHint":false}`), []string{"unstated-destructive /annotations"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got := ids(inspect.Judge(tc.seen))
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			for _, id := range got {
				id, _, _ = strings.Cut(id, " ")
				shown[id] = true
			}
		})
	}

	var heavy []string
	for i := range 90 {
		heavy = append(heavy, changed(t, "name", `"t`+strings.Repeat("x", i)+`"`, "description", `"`+strings.Repeat("d", 1000)+`"`))
	}
	r := inspect.Judge(observe(t, heavy...))
	shown["heavy-list"] = slices.Contains(ids(r), "heavy-list")
	// To the token: the rule counts two of nine bytes.
	long := func(n int) *inspect.Report {
		return inspect.Judge(observe(t, changed(t, "description", `"`+strings.Repeat("d", n)+`"`)))
	}
	for bytes, want := range map[int]bool{90_000: false, 90_001: true} {
		r := long(1 + bytes - long(1).Tools[0].ModelBytes)
		if got := slices.Contains(ids(r), "heavy-list"); got != want || r.List.Tokens != (2*bytes+8)/9 {
			t.Errorf("a list of %d tokens: found %v, want %v", r.List.Tokens, got, want)
		}
	}
	for _, k := range inspect.Kinds() {
		if !shown[k.ID] {
			t.Errorf("no case shows %s", k.ID)
		}
	}
}

// One finding stands for all places of its kind, and says how many there are where that is more
// than the one that it shows.
func TestAFindingSaysOfHowManyPlacesItIsTheFirst(t *testing.T) {
	for description, want := range map[string]string{
		`"a\u202eb"`: "U+202E", `"a\u202eb \u200b"`: "U+202E, U+200B",
	} {
		one := inspect.Judge(observe(t, changed(t, "description", description)))
		if len(one.Findings) != 1 || one.Findings[0].Reason != want {
			t.Errorf("%s: %+v", description, one.Findings)
		}
	}
	lists := inspect.Judge(observe(t, input(t, `{"properties":{"a":{"type":["string","null"]},"b":{"type":["string","null"]},"c":{"type":["string","null"]}}}`)))
	if len(lists.Findings) != 1 || !strings.HasSuffix(lists.Findings[0].Reason, ", the first of 3 places") {
		t.Errorf("%+v", lists.Findings)
	}
	more := inspect.Judge(observe(t, input(t, `{"properties":{"a":{"type":"string","description":"a\u202eb"},"b":{"type":"string","title":"\u200b"}}}`)))
	if len(more.Findings) != 1 || more.Findings[0].Reason != "U+202E, the first of 2 places" {
		t.Errorf("%+v", more.Findings)
	}
}
