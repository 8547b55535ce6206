package httpapi

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/capabilities/system"
	"github.com/seed-89b9419b/holotype/internal/approval"
	"github.com/seed-89b9419b/holotype/internal/grant"
)

// Arguments are shown a member a line, with nothing in them that does not show.
func TestArgumentsShown(t *testing.T) {
	deep := strings.Repeat(`[`, 400) + strings.Repeat("1,", 1000) + "1" + strings.Repeat(`]`, 400)
	for name, c := range map[string]struct{ in, want string }{
		"a member a line": {`{"a":1,"b":[true]}`, "{\n  \"a\": 1,\n  \"b\": [\n    true\n  ]\n}"},
		"nothing":         {`{}`, "{}"},
		"numbers stay":    {`{"n":1.00e5}`, "{\n  \"n\": 1.00e5\n}"},
		"signs":           {"{\"a\":\"x\u202Ey\u200B\"}", "{\n  \"a\": \"x[U+202E]y[U+200B]\"\n}"},
		"escapes stay":    {`{"a":"\u202e\n"}`, "{\n  \"a\": \"\\u202e\\n\"\n}"},
		"deep":            {deep, deep},
		"no JSON":         {"{\"a\"\x00", "{\"a\"[U+0000]"},
	} {
		if got := argumentsShown(json.RawMessage(c.in)); got != c.want {
			t.Errorf("%s: %s", name, cmp.Diff(c.want, got))
		}
	}
}

// Each state has its words, and each hint too, none of them the same as another's.
func TestWordsOfRequests(t *testing.T) {
	seen := map[string]bool{}
	for _, s := range approval.States() {
		w := stateOfCall(&system.Approval{State: s})
		if w.Word == "" || w.Class == "" || seen[w.Word] {
			t.Errorf("the state %s is %+v", s, w)
		}
		seen[w.Word] = true
	}
	if w := stateOfCall(&system.Approval{State: approval.Expired, DecidedBy: "owner"}); seen[w.Word] {
		t.Errorf("an approval that was not used is %+v", w)
	}
	seen = map[string]bool{}
	for _, s := range grant.Status("").SchemaEnum() {
		if w := stateOfTool(&system.CapabilityRequestRow{Status: grant.Status(s)}); w.Word == "" || seen[w.Word] {
			t.Errorf("the status %s is %+v", s, w)
		} else {
			seen[w.Word] = true
		}
	}
	seen = map[string]bool{}
	for _, v := range []capabilities.Hint{capabilities.Yes, capabilities.No, capabilities.Unknown} {
		for _, w := range inWords(hintsOf(capabilities.Hints{ReadOnly: v, Destructive: v, Idempotent: v, OpenWorld: v})) {
			if w.Text == "" || seen[w.Text] || w.Sure != (v != capabilities.Unknown) {
				t.Errorf("%s is %+v", v, w)
			}
			seen[w.Text] = true
		}
	}
	for _, c := range []struct{ principal, seat, person, want string }{
		{"owner", "", "", "owner"},
		{"owner", "desk", "", "owner in the seat desk"},
		{"seat:desk", "desk", "ada", "seat desk for ada"},
		{"person:ada", "", "", "person ada"},
		{"operator:tok_1", "", "", "operator tok_1"},
	} {
		if got := fromWhom(c.principal, c.seat, c.person); got != c.want {
			t.Errorf("%+v is %q", c, got)
		}
	}
	for text, want := range map[string]stamped{
		"2026-11-30T12:00:00Z":      {"2026-11-30T12:00:00Z", "2026-11-30 12:00 UTC"},
		"2026-11-30T13:30:00+01:00": {"2026-11-30T13:30:00+01:00", "2026-11-30 12:30 UTC"},
		"soon":                      {"", "soon"}, "": {},
	} {
		if got := stampedAt(text); got != want {
			t.Errorf("%q is %+v", text, got)
		}
	}
}

// What shows nothing is named, so that nobody approves what they cannot see.
func TestWhatShowsNothingIsNamed(t *testing.T) {
	for _, r := range []rune{0x00AD, 0x034F, 0x115F, 0x1160, 0x17B4, 0x180B, 0x180E, 0x200B, 0x202E, 0x2028, 0x2060, 0x2800, 0x3164, 0xFE0F, 0xFEFF, 0xFFA0, 0xE0041, 0xE0100} {
		if shown(string(r)) == string(r) {
			t.Errorf("%U is not named", r)
		}
	}
	for _, r := range "aé日本 -é" {
		if shown(string(r)) != string(r) {
			t.Errorf("%U is named", r)
		}
	}
}
