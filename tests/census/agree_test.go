package main

import (
	"encoding/json"
	"maps"
	"strings"
	"testing"
	"time"
)

// twins answers what a server sent and what is listed of it, to clients of both versions,
// when all is well.
func twins(t *testing.T) (*direct, *bridged) {
	t.Helper()
	var sent, listed []json.RawMessage
	read(t, &sent, `[
		{"name":"a","title":"A","description":"Says \u00e4.","icons":[{"src":"x"}],"execution":{"taskSupport":"optional"},"_meta":{"n":1.0},"more":1,
			"inputSchema":{"type":"object"},"annotations":{"title":"A","readOnlyHint":true,"destructiveHint":"no","openWorldHint":false,"x":[1]}},
		{"name":"b","inputSchema":{"$schema":"x","type":"object","maximum":9007199254740993},"outputSchema":{"type":"object"}}]`)
	read(t, &listed, `[
		{"name":"up__a","title":"A","description":"Says ä.","icons":[{"src": "x"}],"execution":{"taskSupport":"optional"},"_meta":{"holotype/effect":{},"n":1.0},
			"inputSchema":{"type":"object"},"annotations":{"title":"A","readOnlyHint":true,"openWorldHint":false,"x":[1]}},
		{"name":"up__b","inputSchema":{"type":"object","maximum":9007199254740993},"outputSchema":{"type":"object"},"_meta":{"holotype/effect":{}}}]`)
	d := &direct{answer: json.RawMessage(`{"content":[{"type":"text","text":"ä"}],"_meta":{"k":1}}`)}
	b := &bridged{prefix: "up__", lists: map[string][]tool{}, answers: map[string]json.RawMessage{}}
	var err error
	if d.tools, err = tools(sent); err != nil {
		t.Fatal(err)
	}
	for _, version := range versions() {
		if b.lists[version], err = tools(listed); err != nil {
			t.Fatal(err)
		}
		b.answers[version] = json.RawMessage(`{"resultType":"complete","content":[{"type":"text","text":"\u00e4"}],"_meta":{"k":1,"holotype/x":2}}`)
	}
	read(t, &b.rows, `{
		"up__a":{"hints":{"read_only":{"value":"yes"},"destructive":{"value":"unknown"},"idempotent":{"value":"unknown"},"open_world":{"value":"no"}}},
		"up__b":{"hints":{"read_only":{"value":"unknown"},"destructive":{"value":"unknown"},"idempotent":{"value":"unknown"},"open_world":{"value":"unknown"}},
			"repaired":["dialect_dropped"]}}`)
	return d, b
}

// spoil changes a member of a tool that is listed to clients of 2026-07-28; "" drops it.
func spoil(b *bridged, i int, key, value string) {
	one := &b.lists[modern][i]
	one.members = maps.Clone(one.members)
	one.members[key] = json.RawMessage(value)
	if value == "" {
		delete(one.members, key)
	}
	if key == "annotations" {
		one.Annotations = json.RawMessage(value)
	}
}

func read(t *testing.T, into any, text string) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), into); err != nil {
		t.Fatal(err)
	}
}

// Every way to disagree makes exactly its complaint.
func TestDisagreementsAreSeen(t *testing.T) {
	for name, c := range map[string]struct {
		spoil func(b *bridged)
		says  string
	}{
		"nothing":        {func(*bridged) {}, ""},
		"a tool missing": {func(b *bridged) { b.lists[modern] = b.lists[modern][:1] }, "to a client of 2026-07-28: it sends 2 tools, and 1 are listed; skipped: []|the catalogue has 2 rows, and the list 1 tools|b is not listed as up__b"},
		"a tool skipped": {func(b *bridged) { b.skipped = []string{"b: too deep"} }, `skipped: ["b: too deep"]|skipped: ["b: too deep"]`},
		"no row":         {func(b *bridged) { b.rows["up__c"] = row{} }, "the catalogue has 3 rows, and the list 2 tools|the catalogue has 3 rows"},
		"another name":   {func(b *bridged) { b.lists[modern][0].Name = "up__c" }, "a is not listed as up__a"},
		"a hint flipped": {func(b *bridged) {
			spoil(b, 0, "annotations", `{"title":"A","readOnlyHint":false,"openWorldHint":false,"x":[1]}`)
		}, `readOnlyHint is "false", sent was true`},
		"a hint lost":    {func(b *bridged) { spoil(b, 0, "annotations", `{"title":"A","readOnlyHint":true,"x":[1]}`) }, `openWorldHint is "", sent was false`},
		"a hint made up": {func(b *bridged) { spoil(b, 1, "annotations", `{"idempotentHint":false}`) }, "idempotentHint is false, which the server does not say"},
		"another title":  {func(b *bridged) { spoil(b, 0, "title", `"B"`) }, `a: its title is "B", sent was "A"`},
		"no title":       {func(b *bridged) { spoil(b, 0, "annotations", `{"readOnlyHint":true,"openWorldHint":false,"x":[1]}`) }, "its title in the annotations is"},
		"words made up":  {func(b *bridged) { spoil(b, 1, "description", `"B"`) }, `b: its description is "B", sent was `},
		"an icon lost":   {func(b *bridged) { spoil(b, 0, "icons", "") }, "a: its icons is"},
		"no execution":   {func(b *bridged) { spoil(b, 0, "execution", "") }, "a: its execution is"},
		"_meta lost":     {func(b *bridged) { spoil(b, 0, "_meta", `{"holotype/effect":{}}`) }, "a: its n in _meta is , sent was 1.0"},
		"_meta made up":  {func(b *bridged) { spoil(b, 1, "_meta", `{"own":1}`) }, "b: its own in _meta is 1, sent was "},
		"annotation lost": {func(b *bridged) {
			spoil(b, 0, "annotations", `{"title":"A","readOnlyHint":true,"openWorldHint":false}`)
		}, "a: its x in the annotations is"},
		"unknown relayed": {func(b *bridged) { spoil(b, 0, "more", "1") }, "a: its more is 1, sent was "},
		"another answer":  {func(b *bridged) { b.answers[legacy] = json.RawMessage(`{"content":[],"_meta":{"k":1}}`) }, "to a client of 2025-11-25 its call: its content is []"},
		"answer's _meta":  {func(b *bridged) { b.answers[modern] = json.RawMessage(`{"content":[{"type":"text","text":"ä"}]}`) }, "its k in _meta is , sent was 1"},
		"a failed call": {func(b *bridged) {
			b.answers[modern] = json.RawMessage(`{"isError":true,"content":[{"type":"text","text":"ä"}],"_meta":{"k":1}}`)
		}, `its call answers {"isError":true`},
		"another row": {func(b *bridged) {
			b.rows["up__a"].Hints["destructive"] = struct {
				Value string `json:"value"`
			}{"yes"}
		}, `destructive is "yes", and the server "unknown"|destructive is "yes"`},
		"another byte":    {func(b *bridged) { b.lists[modern][0].Input = json.RawMessage(`{"type": "object"}`) }, "a: its schema is"},
		"an unnamed mend": {func(b *bridged) { b.rows["up__b"] = row{Hints: b.rows["up__b"].Hints} }, "b: its schema is|b: its schema is"},
		"a false mend": {func(b *bridged) {
			b.rows["up__a"] = row{Hints: b.rows["up__a"].Hints, Repaired: []string{"type_added"}}
		}, "is as it was sent|is as it was sent"},
		"a rounded number": {func(b *bridged) {
			b.lists[modern][1].Input = json.RawMessage(`{"type":"object","maximum":9007199254740992}`)
		}, "differs from what was sent by more than [dialect_dropped]"},
		"no output schema": {func(b *bridged) { b.lists[modern][1].Output = nil }, "b: its output_schema is"},
	} {
		t.Run(name, func(t *testing.T) {
			sent, b := twins(t)
			c.spoil(b)
			v := agree(sent, b, nil)
			want := strings.Split(c.says, "|")
			if c.says == "" {
				want = nil
			}
			if len(v.wrong) != len(want) {
				t.Fatalf("it says %q, want %q", v.wrong, want)
			}
			for i := range want {
				if !strings.Contains(v.wrong[i], want[i]) {
					t.Errorf("it says %q, want %q", v.wrong[i], want[i])
				}
			}
		})
	}
}

// A server that fails, leaves something or starts against expectation is no success.
func TestResultsAreJudged(t *testing.T) {
	failed := &result{failed: errFor("fetch failed")}
	for name, c := range map[string]struct {
		r    result
		cut  bool
		says string
	}{
		"well":                 {result{verdict: &verdict{}}, true, ""},
		"failed":               {*failed, true, "fetch failed"},
		"expected":             {result{server: server{Offline: "fetch failed"}, failed: failed.failed}, true, ""},
		"for another reason":   {result{server: server{Offline: "no key"}, failed: failed.failed}, true, "it fails otherwise"},
		"against expectation":  {result{server: server{Offline: "no key"}, verdict: &verdict{}}, true, "it starts offline now"},
		"with the network":     {result{server: server{Offline: "no key"}, verdict: &verdict{}}, false, ""},
		"something is left":    {result{verdict: &verdict{}, left: []string{"bridged: 1 node"}}, true, "left running after it was bridged: 1 node"},
		"the verdict is wrong": {result{verdict: &verdict{wrong: []string{"no"}}}, true, "no"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := strings.Join(c.r.wrong(c.cut), "; "); c.says == "" && got != "" || !strings.Contains(got, c.says) {
				t.Errorf("it says %q, want %q", got, c.says)
			}
		})
	}
}

type errFor string

func (e errFor) Error() string { return string(e) }

// What would make the page another one tomorrow, or elsewhere, is no success.
func TestWhatChangesIsSeen(t *testing.T) {
	now := time.Date(2026, 2, 3, 23, 0, 0, 0, time.FixedZone("west", -3600*3))
	for text, says := range map[string]string{
		"fine": "", "of 2026-02-03": "names the day,", "as of 2026-02-04.": "names the day in UTC,", "in /x/y/work": "names its directory,",
	} {
		sent, err := tools([]json.RawMessage{json.RawMessage(`{"name":"a","description":"` + text + `"}`)})
		if err != nil {
			t.Fatal(err)
		}
		v := &verdict{}
		v.judgeRepeatable(sent, "/x/y", now)
		if got := strings.Join(v.wrong, "; "); (says == "") != (got == "") || !strings.Contains(got, says) {
			t.Errorf("of %q it says %q", text, got)
		}
	}
}
