package main

import (
	"encoding/json"
	"strings"
	"testing"
)

// twins answers what a server sent and what is listed of it when all is well.
func twins(t *testing.T) ([]tool, *bridged) {
	t.Helper()
	var sent []tool
	read(t, &sent, `[
		{"name":"a","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true,"destructiveHint":"no","openWorldHint":false}},
		{"name":"b","inputSchema":{"$schema":"x","type":"object","maximum":9007199254740993},"outputSchema":{"type":"object"}}]`)
	b := &bridged{prefix: "up__"}
	read(t, &b.tools, `[
		{"name":"up__a","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true,"openWorldHint":false}},
		{"name":"up__b","inputSchema":{"type":"object","maximum":9007199254740993},"outputSchema":{"type":"object"}}]`)
	read(t, &b.rows, `{
		"up__a":{"hints":{"read_only":{"value":"yes"},"destructive":{"value":"unknown"},"idempotent":{"value":"unknown"},"open_world":{"value":"no"}}},
		"up__b":{"hints":{"read_only":{"value":"unknown"},"destructive":{"value":"unknown"},"idempotent":{"value":"unknown"},"open_world":{"value":"unknown"}},
			"repaired":["dialect_dropped"]}}`)
	return sent, b
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
		"a tool missing": {func(b *bridged) { b.tools = b.tools[:1]; delete(b.rows, "up__b") }, "it sends 2 tools, and 1 are listed; skipped: []|b is not listed as up__b"},
		"a tool skipped": {func(b *bridged) { b.skipped = []string{"b: too deep"} }, `skipped: ["b: too deep"]`},
		"no row":         {func(b *bridged) { b.rows["up__c"] = row{} }, "the catalogue has 3 rows, and the list 2 tools"},
		"another name":   {func(b *bridged) { b.tools[0].Name = "up__c" }, "a is not listed as up__a"},
		"a hint flipped": {func(b *bridged) {
			b.tools[0].Annotations = json.RawMessage(`{"readOnlyHint":false,"openWorldHint":false}`)
		}, `readOnlyHint is "false", sent was true`},
		"a hint lost":    {func(b *bridged) { b.tools[0].Annotations = json.RawMessage(`{"readOnlyHint":true}`) }, `openWorldHint is "", sent was false`},
		"a hint made up": {func(b *bridged) { b.tools[1].Annotations = json.RawMessage(`{"idempotentHint":false}`) }, "idempotentHint is false, which the server does not say"},
		"another row": {func(b *bridged) {
			b.rows["up__a"].Hints["destructive"] = struct {
				Value string `json:"value"`
			}{"yes"}
		}, `destructive is "yes", and the server "unknown"`},
		"another byte":    {func(b *bridged) { b.tools[0].Input = json.RawMessage(`{"type": "object"}`) }, "a: its schema is"},
		"an unnamed mend": {func(b *bridged) { b.rows["up__b"] = row{Hints: b.rows["up__b"].Hints} }, "b: its schema is"},
		"a false mend": {func(b *bridged) {
			b.rows["up__a"] = row{Hints: b.rows["up__a"].Hints, Repaired: []string{"type_added"}}
		}, "is as it was sent"},
		"a rounded number": {func(b *bridged) { b.tools[1].Input = json.RawMessage(`{"type":"object","maximum":9007199254740992}`) }, "differs from what was sent by more than [dialect_dropped]"},
		"no output schema": {func(b *bridged) { b.tools[1].Output = nil }, "b: its output_schema is"},
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
