package bridge_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/capabilities/bridge"
)

const (
	yes, no, unknown = capabilities.Yes, capabilities.No, capabilities.Unknown
)

func TestHintsAreReadOffTheWire(t *testing.T) {
	t.Parallel()
	all := func(h capabilities.Hint) capabilities.Hints {
		return capabilities.Hints{ReadOnly: h, Destructive: h, Idempotent: h, OpenWorld: h}
	}
	for _, c := range []struct {
		annotations string // "" for none
		want        capabilities.Hints
		odd         int
	}{
		{"", all(unknown), 0},
		{`null`, all(unknown), 0},
		{`{}`, all(unknown), 0},
		{`[]`, all(unknown), 0},
		{`"readOnly"`, all(unknown), 0},
		{`{"readOnlyHint":true,"destructiveHint":true,"idempotentHint":true,"openWorldHint":true}`, all(yes), 0},
		{`{"readOnlyHint":false,"destructiveHint":false,"idempotentHint":false,"openWorldHint":false}`, all(no), 0},
		{`{"readOnlyHint":"true"}`, all(unknown), 1},
		{`{"destructiveHint":"false"}`, all(unknown), 1},
		{`{"readOnlyHint":"yes"}`, all(unknown), 1},
		{`{"readOnlyHint":1}`, all(unknown), 1},
		{`{"destructiveHint":0}`, all(unknown), 1},
		{`{"readOnlyHint":null,"destructiveHint":null,"idempotentHint":null,"openWorldHint":null}`, all(unknown), 4},
		{`{"readOnlyHint":{}}`, all(unknown), 1},
		{`{"readOnlyHint":[true]}`, all(unknown), 1},
		{`{"readonlyhint":true,"DestructiveHint":true}`, all(unknown), 0},
		{`{"read_only_hint":true}`, all(unknown), 0},
		{`{"readOnly":true,"destructive":true}`, all(unknown), 0},
		{`{"title":"A title"}`, all(unknown), 0},
		{`{"title":7,"readOnlyHint":true}`, capabilities.Hints{ReadOnly: yes}, 0},
		{`{"readOnlyHint":true,"vendor/confirm":"always","audience":["user"]}`, capabilities.Hints{ReadOnly: yes}, 0},
		{`{"readOnlyHint":true}`, capabilities.Hints{ReadOnly: yes}, 0},
		{`{"readOnlyHint":false}`, capabilities.Hints{ReadOnly: no}, 0},
		{`{"destructiveHint":true}`, capabilities.Hints{Destructive: yes}, 0},
		{`{"destructiveHint":false}`, capabilities.Hints{Destructive: no}, 0},
		{`{"readOnlyHint":true,"destructiveHint":true}`, capabilities.Hints{ReadOnly: yes, Destructive: yes}, 0},
		{`{"readOnlyHint":true,"idempotentHint":false}`, capabilities.Hints{ReadOnly: yes, Idempotent: no}, 0},
		{`{"openWorldHint":true}`, capabilities.Hints{OpenWorld: yes}, 0},
		{`{"openWorldHint":false}`, capabilities.Hints{OpenWorld: no}, 0},
		{`{"readOnlyHint":true,"readOnlyHint":true}`, capabilities.Hints{ReadOnly: yes}, 0},
		{`{"readOnlyHint":true,"readOnlyHint":false}`, all(unknown), 1},
		{`{"readOnlyHint":false,"readOnlyHint":true,"readOnlyHint":true}`, all(unknown), 2},
		{`{"\u0072eadOnlyHint":true}`, capabilities.Hints{ReadOnly: yes}, 0},
	} {
		t.Run(c.annotations, func(t *testing.T) {
			t.Parallel()
			annotations := ""
			if c.annotations != "" {
				annotations = `,"annotations":` + c.annotations
			}
			h := run(t, with(fakeServer(t, "s", "good"), "FAKE_TOOLS", `{"name":"x","inputSchema":{"type":"object"}`+annotations+`}`))
			x := h.find("s__x")
			if d := cmp.Diff(c.want, x.Hints()); d != "" {
				t.Error(d)
			}
			if got := h.status(0).OddHints; got != c.odd {
				t.Errorf("%d odd hints, want %d", got, c.odd)
			}
			x.HintFacts().Each(func(key string, f capabilities.HintFact) {
				if f.Value.Known() != (f.From == capabilities.FromServer) {
					t.Errorf("%s is %s from %s", key, f.Value, f.From)
				}
			})
		})
	}
}

func TestWhatAServerSaysBesideTheHintsPasses(t *testing.T) {
	h := run(t, with(fakeServer(t, "s", "good"), "FAKE_TOOLS", `{"name":"x","title":"Top","description":"D","inputSchema":{"type":"object","properties":{}},
		"annotations":{"title":"Inner","readOnlyHint":"maybe","vendor/confirm":{"n":9007199254740993}},
		"_meta":{"a/b":[1, 2]},"icons":[{"src":"data:x"}],"execution":{"taskSupport":"optional"}},
		{"name":"y","inputSchema":{"type":"object"},"annotations":{"title":"Only inner"}}`))
	x := h.find("s__x")
	want := capabilities.BridgedExtras{
		WireName: "x", Annotations: map[string]json.RawMessage{"vendor/confirm": json.RawMessage(`{"n":9007199254740993}`)},
		Meta: json.RawMessage(`{"a/b":[1, 2]}`), Icons: json.RawMessage(`[{"src":"data:x"}]`), Execution: json.RawMessage(`{"taskSupport":"optional"}`),
	}
	if d := cmp.Diff(want, x.Extras()); d != "" {
		t.Error(d)
	}
	if x.Title() != "Top" || x.Summary() != "D" || h.find("s__y").Title() != "Only inner" {
		t.Errorf("titles %q and %q, summary %q", x.Title(), h.find("s__y").Title(), x.Summary())
	}
	if raw := string(x.HintFacts().ReadOnly.Raw); raw != `"maybe"` {
		t.Errorf("raw hint %s", raw)
	}
}

func TestABadToolCostsItself(t *testing.T) {
	deep := strings.Repeat(`{"properties":{"a":`, 40) + "{}" + strings.Repeat("}}", 40)
	bad := []string{
		`null`, `"x"`, `{}`, `{"name":42,"inputSchema":{"type":"object"}}`, `{"name":"","inputSchema":{"type":"object"}}`,
		`{"name":"no_schema"}`, `{"name":"null_schema","inputSchema":null}`, `{"name":"list_schema","inputSchema":[]}`,
		`{"name":"remote","inputSchema":{"type":"object","properties":{"a":{"$ref":"http://127.0.0.1:9/x.json"}}}}`,
		`{"name":"wrong_type","inputSchema":{"type":"object","properties":{"a":{"type":"strng"}}}}`,
		`{"name":"deep","inputSchema":` + deep + `}`,
		`{"name":"deeper","inputSchema":` + strings.Repeat("[", 50_000) + strings.Repeat("]", 50_000) + `}`,
		`{"name":"big","description":"` + strings.Repeat("x", 256<<10) + `","inputSchema":{"type":"object"}}`,
		`{"name":"first","inputSchema":{"type":"object"}}`, // the second of that name
	}
	list := append([]string{tools("first")}, bad...)
	list = append(list, tools("last"), `{"name":"out","inputSchema":{"type":"object"},"outputSchema":[]}`)
	// The list is too long for an environment: it goes through a file.
	s := with(fakeServer(t, "s", "good"), "FAKE_TOOLS_FILE", writeFile(t, strings.Join(list, ",")))
	h := run(t, s)
	if d := cmp.Diff([]string{"s__first", "s__last", "s__out"}, h.names()); d != "" {
		t.Error(d)
	}
	if n := len(h.status(0).Skipped); n != len(bad)+1 {
		t.Errorf("%d skipped, want %d: %v", n, len(bad)+1, h.status(0).Skipped)
	}
	for _, s := range h.status(0).Skipped {
		if s.Reason == "" || s.Tool == "" {
			t.Errorf("skipped without a reason or a name: %+v", s)
		}
	}
	if h.find("s__out").Output() != nil {
		t.Error("an output schema nobody can use is published")
	}
	h.must("s__last", `{}`)
}

func TestPagesOfAList(t *testing.T) {
	h := run(t, fakeServer(t, "s", "pages"))
	if d := cmp.Diff([]string{"s__t0", "s__t1", "s__t2"}, h.names()); d != "" {
		t.Error(d)
	}
	h = run(t, fakeServer(t, "s", "cursor-same"))
	if d := cmp.Diff([]string{"s__echo", "s__echoagain"}, h.names()); d != "" {
		t.Error(d)
	}
	if s := h.status(0).Skipped; len(s) != 1 || !strings.Contains(s[0].Reason, "repeats itself") {
		t.Errorf("skipped %v", s)
	}
	h = run(t, fakeServer(t, "s", "cursor-grow"))
	if s := h.status(0).Skipped; len(s) != 1 || !strings.Contains(s[0].Reason, "after 100 pages") {
		t.Errorf("skipped %v", s)
	}
}

func TestAChangedListIsReadAgain(t *testing.T) {
	h := run(t, fakeServer(t, "s", "change"))
	<-h.news
	if got := h.find("s__sync").Hints(); got != (capabilities.Hints{ReadOnly: yes}) {
		t.Fatalf("hints %v", got)
	}
	h.must("s__sync", `{}`)
	select {
	case <-h.news:
	case <-h.deadline().Done():
		t.Fatal("the new list was never published")
	}
	if got := h.find("s__sync").Hints(); got != (capabilities.Hints{Destructive: yes}) {
		t.Errorf("hints %v", got)
	}
	h.find("s__echo")
	changed := h.log.of("server_hints_changed")
	if len(changed) != 1 || changed[0]["level"] != "WARN" || !strings.HasPrefix(fmt.Sprint(changed[0]["was"]), "readOnlyHint yes, ") ||
		!strings.HasPrefix(fmt.Sprint(changed[0]["now"]), "readOnlyHint unknown, destructiveHint yes") {
		t.Errorf("logged %v", changed)
	}
}

func TestOverridesStandOnTopOfWhatTheServerSaid(t *testing.T) {
	hint := func(h capabilities.Hint) *capabilities.Hint { return &h }
	s := with(fakeServer(t, "s", "good"), "FAKE_TOOLS",
		`{"name":"both","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true,"idempotentHint":true,"openWorldHint":"?"}},`+tools("exposed", "raw"))
	s.Annotations = map[string]bridge.Override{
		"both":       {ReadOnly: hint(no), Idempotent: hint(unknown), Title: "Ours"},
		"s__both":    {ReadOnly: hint(yes)},
		"s__exposed": {OpenWorld: hint(no)},
		"nowhere":    {ReadOnly: hint(yes)},
	}
	h := run(t, s)
	both := h.find("s__both")
	want := capabilities.HintFacts{
		ReadOnly:   capabilities.HintFact{Value: no, From: capabilities.FromOverride, Raw: json.RawMessage("true")},
		Idempotent: capabilities.HintFact{Value: unknown, From: capabilities.FromOverride, Raw: json.RawMessage("true")},
		OpenWorld:  capabilities.HintFact{Raw: json.RawMessage(`"?"`)},
	}
	if d := cmp.Diff(want, both.HintFacts()); d != "" {
		t.Error(d)
	}
	if both.Title() != "Ours" {
		t.Errorf("title %q", both.Title())
	}
	if got := h.find("s__exposed").Hints(); got != (capabilities.Hints{OpenWorld: no}) {
		t.Errorf("hints %v", got)
	}
	if d := cmp.Diff([]string{"nowhere"}, h.status(0).Unlisted); d != "" {
		t.Error(d)
	}
}

func TestParseOverride(t *testing.T) {
	hint := func(h capabilities.Hint) *capabilities.Hint { return &h }
	for _, c := range []struct {
		name  string
		entry map[string]any
		want  bridge.Override
		fails string
	}{
		{"snake case with words", map[string]any{"read_only": "yes", "open_world": "unknown"}, bridge.Override{ReadOnly: hint(yes), OpenWorld: hint(unknown)}, ""},
		{"the wire's keys with booleans", map[string]any{"readOnlyHint": false, "destructiveHint": true, "title": "T"}, bridge.Override{ReadOnly: hint(no), Destructive: hint(yes), Title: "T"}, ""},
		{"snake case of the wire's keys", map[string]any{"idempotent_hint": "no"}, bridge.Override{Idempotent: hint(no)}, ""},
		{"an unknown key", map[string]any{"readonly": true}, bridge.Override{}, `"readonly" is not a hint`},
		{"one hint twice", map[string]any{"read_only": true, "readOnlyHint": true}, bridge.Override{}, "the same hint"},
		{"another word", map[string]any{"read_only": "maybe"}, bridge.Override{}, "yes, no or unknown"},
		{"a number", map[string]any{"read_only": 1}, bridge.Override{}, "not 1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := bridge.ParseOverride(c.entry)
			if c.fails != "" {
				if err == nil || !strings.Contains(err.Error(), c.fails) {
					t.Errorf("error %v, want %q", err, c.fails)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(c.want, got); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestAllowAndDeny(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name        string
		allow, deny []string
		want        []string
	}{
		{"neither", nil, nil, []string{"s__get_a", "s__get_b", "s__put"}},
		{"an empty list keeps nothing", []string{}, nil, nil},
		{"exact", []string{"put"}, nil, []string{"s__put"}},
		{"a trailing star", []string{"get_*"}, nil, []string{"s__get_a", "s__get_b"}},
		{"a star elsewhere is itself", []string{"*_a"}, nil, nil},
		{"deny wins", []string{"*"}, []string{"get_b"}, []string{"s__get_a", "s__put"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := with(fakeServer(t, "s", "good"), "FAKE_TOOLS", tools("get_a", "get_b", "put"))
			s.Allow, s.Deny = c.allow, c.deny
			h := run(t, s)
			if d := cmp.Diff(c.want, h.names()); d != "" {
				t.Error(d)
			}
			if st := h.status(0); st.Filtered != 3-len(c.want) || len(st.Skipped) != 0 {
				t.Errorf("filtered %d, skipped %v", st.Filtered, st.Skipped)
			}
		})
	}
}

func TestNamesOnTheWireAndOff(t *testing.T) {
	wires := []string{"ok", "files.read", "größe", strings.Repeat("l", 60), "../../etc/passwd"}
	var list []string
	for _, w := range wires {
		b, err := json.Marshal(w)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, `{"name":`+string(b)+`,"inputSchema":{"type":"object"}}`)
	}
	s := with(fakeServer(t, "Great Server", "good"), "FAKE_TOOLS", strings.Join(append(list, tools("seen")), ","))
	o := bridge.Options{Servers: []bridge.Server{s}, ReservedNames: func(n string) bool { return strings.HasSuffix(n, "__ok") }}
	h := runWith(t, o)
	seen := map[string]bool{}
	for c := range h.live.Registry().All() {
		if c.Server() != "Great Server" || seen[c.Extras().WireName] {
			t.Errorf("%q stands for %q of %q", c.Name(), c.Extras().WireName, c.Server())
		}
		seen[c.Extras().WireName] = true
		if len(c.Name()) > 49 || strings.ContainsFunc(c.Name(), func(r rune) bool {
			return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-", r)
		}) {
			t.Errorf("name %q", c.Name())
		}
		if !strings.HasPrefix(c.Name(), h.status(0).Prefix) || c.Tool() != strings.TrimPrefix(c.Name(), h.status(0).Prefix) {
			t.Errorf("name %q with the tool %q", c.Name(), c.Tool())
		}
	}
	if d := cmp.Diff(slices.Sorted(maps.Keys(seen)), slices.Sorted(slices.Values(append(wires[1:], "seen")))); d != "" {
		t.Error(d)
	}
	if s := h.status(0).Skipped; len(s) != 1 || s[0].Tool != "ok" {
		t.Errorf("skipped %v", s)
	}
	// A call goes out under the wire's name.
	for c := range h.live.Registry().All() {
		if c.Extras().WireName == "files.read" {
			h.must(c.Name(), `{}`)
		}
	}
	seenName := ""
	for c := range h.live.Registry().All() {
		if c.Extras().WireName == "seen" {
			seenName = c.Name()
		}
	}
	if got := h.must(seenName, `{}`); !strings.Contains(got, `\"name\":\"files.read\"`) {
		t.Errorf("the server saw %s", got)
	}
}

func TestConfigurationFaultsComeAllAtOnce(t *testing.T) {
	_, err := bridge.New(bridge.Options{
		Servers: []bridge.Server{
			{Name: "a", Command: "x"},
			{Name: "a", Command: "x"},
			{Name: "a__b", Command: "x"},
			{Name: "Tracker", URL: "http://h/"},
			{Name: "", Command: "x"},
			{Name: "bell\a", Command: "x"},
			{Name: strings.Repeat("n", 65), Command: "x"},
			{Name: "both", Command: "x", URL: "http://h/"},
			{Name: "neither"},
			{Name: "scheme", URL: "file:///etc/hostname"},
			{Name: "prefix", Command: "x", ToolPrefix: "Has Space"},
			{Name: "transport", Command: "x", Transport: "carrier pigeon"},
			{Name: "cross", Command: "x", Transport: "http"},
			{Name: "header", URL: "http://h/", Headers: map[string]string{"a b": "x"}},
			{Name: "env", Command: "x", Env: map[string]string{"A=B": "x"}},
		},
		ReservedServers: []string{"tracker"},
		Publish:         func(string, string, []*capabilities.Capability) {}, Log: discard(), Now: now,
	})
	faults, ok := errors.AsType[bridge.Faults](err)
	if !ok {
		t.Fatalf("error %T: %v", err, err)
	}
	var got []string
	for _, f := range faults {
		got = append(got, fmt.Sprintf("%.12q %s", f.Server, f.Field))
	}
	want := []string{
		`"a" name`, `"a__b" tool_prefix`, `"a__b" tool_prefix`, `"Tracker" name`, `"" name`, `"bell\a" name`, `"nnnnnnnnnnnn" name`,
		`"both" command`, `"neither" command`, `"scheme" url`, `"prefix" tool_prefix`, `"transport" transport`, `"transport" transport`,
		`"cross" transport`, `"header" headers`, `"env" env`,
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestAServerThatDoesNotResolveIsHeldBack(t *testing.T) {
	s := fakeServer(t, "s", "good")
	s.Unresolved = []string{"env.TOKEN: the variable TOKEN is not set"}
	h := run(t, s)
	if st := h.status(0); st.State != bridge.StateHeld || !strings.Contains(st.Reason, "TOKEN is not set") {
		t.Errorf("status %+v", st)
	}
}
