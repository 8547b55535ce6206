package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-89b9419b/holotype/capabilities/bridge"
	"github.com/seed-89b9419b/holotype/projection/inspect"
)

// everyEnv names the variable that has every server asked.
const everyEnv = "HOLOTYPE_CENSUS"

// kept is the page of the product.
const kept = "../../docs/" + pageName

// Every server is relayed as it is, and the page says so word for word.
func TestEveryServer(t *testing.T) {
	if os.Getenv(everyEnv) == "" {
		t.Skip("SKIPPED: it takes every server of servers.json; make census and make soak set " + everyEnv)
	}
	dir := t.TempDir()
	var table bytes.Buffer
	err := run(t.Context(), []string{"-holotype", os.Getenv(programEnv), "-docs", dir}, &table, t.Output())
	t.Log("\n" + table.String())
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join(dir, pageName))
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile(kept)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(string(got), "\n")); diff != "" {
		t.Errorf("the page is another one; make census writes it (-kept +now):\n%s", diff)
	}
}

// The page that is kept is of the servers of servers.json, in their versions.
func TestThePageIsOfTheseServers(t *testing.T) {
	page, err := os.ReadFile(kept)
	if err != nil {
		t.Fatal(err)
	}
	all, err := servers()
	if err != nil {
		t.Fatal(err)
	}
	var want, got []string
	for _, s := range all {
		if s.Offline == "" {
			want = append(want, s.Package+" "+s.Version)
		} else if !strings.Contains(string(page), "\n- "+s.Package+" "+s.Version+": ") {
			t.Errorf("%s %s is not among those that do not start", s.Package, s.Version)
		}
		if !strings.HasPrefix(s.Integrity, "sha512-") {
			t.Errorf("%s has no hash", s.Package)
		}
	}
	_, first, _ := strings.Cut(string(page), "\n|---")
	for line := range strings.Lines(first) {
		cells := strings.Split(line, " | ")
		if len(cells) < 3 {
			if len(got) > 0 {
				break
			}
			continue
		}
		got = append(got, strings.TrimPrefix(cells[0], "| ")+" "+cells[1])
	}
	if !slices.IsSorted(want) {
		t.Error("servers.json is not sorted by name")
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("run make census (-servers.json +page):\n%s", diff)
	}
	if len(want) < atLeast {
		t.Errorf("%d servers", len(want))
	}
}

// made answers what there is to say of a server that lists some tools.
func made(t *testing.T, name, tools string) *result {
	t.Helper()
	seen, err := bridge.Observe(alias, json.RawMessage(`{"tools":[`+tools+`]}`))
	if err != nil {
		t.Fatal(err)
	}
	report := inspect.Judge(seen)
	n := 2
	r := &result{server: server{Package: name, Version: "1.0.0"}, report: report, direct: &direct{version: legacy, prompts: &n}}
	r.verdict = &verdict{sent: len(report.Tools), listed: len(report.Tools), same: len(report.Tools)}
	return r
}

// The page says what the servers said: the numbers of two servers, made by hand.
func TestPage(t *testing.T) {
	a := made(t, "a", `{"name":"x","description":"X","inputSchema":{"type":"object","properties":{},"additionalProperties":false},"annotations":{"readOnlyHint":true,"destructiveHint":true,"idempotentHint":false,"openWorldHint":false}},
		{"name":"y.z","description":"Y","inputSchema":{"type":"object","properties":{},"additionalProperties":false}}`)
	b := made(t, "b", `{"name":"x","description":"X","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":false}}`)
	b.verdict.called, b.Call = true, &call{Tool: "x"}
	out := &result{server: server{Package: "c", Version: "2.0.0", Offline: "fetch failed"}, failed: errFor("fetch failed")}
	page := string(write([]*result{b, out, a}))
	for _, want := range []string{
		"2 servers that others published on npm, with 3 tools",
		"- Servers that state no hint at all: 0. Of the 3 tools, 1 state none of the four, and 1 all of them.\n",
		"they only read and that they destroy: 1.",
		"- Servers that offer resources: 0; prompts: 2.\n",
		"\nreadOnlyHint    █████████████████▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒·················  true    1  false    1  absent    1\n",
		"\n| a | 1.0.0 | 2025-11-25 | 2 | 1 / 0 / 1 | 1 / 0 / 1 | 0 / 1 / 1 | 0 / 1 / 1 | 1 |\n| b | 1.0.0 | 2025-11-25 | 1 | 0 / 1 / 0 |",
		"| contradiction | error | readOnlyHint and destructiveHint are both true | 1 | 1 |\n",
		"| a | contradiction 1, unknown-hints 1, name-characters 1 | 0 |\n| b | unknown-hints 1, no-properties 1 | 0 |\n",
		"| b | 1 | 0 | 1 | 0 | x |\n",
		"- c 2.0.0: \"fetch failed\"\n",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page has no %q", want)
		}
	}
	if again := string(write([]*result{a, b, out})); again != page {
		t.Errorf("in another order it is another page:\n%s", cmp.Diff(page, again))
	}
	if t.Failed() {
		t.Log(page)
	}
}

// A bar is as wide as it should be, whatever the shares.
func TestBar(t *testing.T) {
	for _, one := range []struct {
		counts [3]int
		want   string
	}{
		{[3]int{1, 1, 2}, "█▒··"}, {[3]int{0, 0, 0}, ""}, {[3]int{0, 0, 9}, "····"}, {[3]int{1, 1, 1}, "█▒▒·"}, {[3]int{1000, 1, 0}, "████"},
	} {
		if got := bar(one.counts, 4); got != one.want {
			t.Errorf("%v is drawn %q, want %q", one.counts, got, one.want)
		}
	}
}
