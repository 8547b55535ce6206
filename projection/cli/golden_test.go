package cli_test

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the goldens anew")

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name+".txt")
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s: (-want +got)\n%s", name, diff)
	}
}

// hidden is how many capabilities are hidden, which a native pack that gets another one
// changes and no golden is about.
var hidden = regexp.MustCompile(`(?m)^(hidden +scope: )\d+$`)

func TestWhatPeopleRead(t *testing.T) {
	for _, tc := range []struct{ name, line string }{
		{"help", ""},
		{"help-call", "call --help"},
		{"help-call-builtin", "call add_note --help"},
		{"help-call-odd-names", "call far__mystery -h"},
		{"help-exit-codes", "help exit-codes"},
		{"help-tools", "tools --help"},
		{"tools", "tools"},
		{"tools-one-builtin", "tools add_note"},
		{"tools-one-bridged", "tools far__mystery"},
		{"inspect", "inspect"},
		{"table-of-a-page", "call list_notes --limit 2"},
		{"table-of-blocks", "call picture"},
		{"table-of-a-bridged-result", "call far__echo --a-b 1"},
	} {
		a := newWorld(t).run(strings.Fields(tc.line)...)
		if a.exit != 0 || a.err != "" {
			t.Errorf("%s: exit %d, %s", tc.name, a.exit, a.err)
		}
		golden(t, tc.name, hidden.ReplaceAllString(a.out, "${1}N"))
		if strings.ContainsAny(a.out, "\x1b\x07\u202e\u200b\U000e0041") {
			t.Errorf("%s shows a character that acts on a terminal or hides", tc.name)
		}
	}
}

func TestHelpOfHelpIsTheSame(t *testing.T) {
	for _, tc := range []struct{ one, other string }{
		{"help call add_note", "call add_note --help"},
		{"help call add_note", "call --help add_note"},
		{"help tools", "tools -h"},
		{"help", "--help"},
	} {
		x, y := newWorld(t).run(strings.Fields(tc.one)...), newWorld(t).run(strings.Fields(tc.other)...)
		if x.exit != 0 || x.out == "" || x.out != y.out {
			t.Errorf("%q and %q differ:\n%s", tc.one, tc.other, cmp.Diff(x.out, y.out))
		}
	}
}

func TestStaticHelpNeedsNoServer(t *testing.T) {
	for _, line := range []string{"", "help", "call --help", "tools --help", "inspect --help", "help exit-codes", "completion --help", "help call"} {
		w := newWorld(t)
		if a := w.run(strings.Fields(line)...); a.exit != 0 || len(w.requests) != 0 {
			t.Errorf("%q: exit %d with %d sessions", line, a.exit, len(w.requests))
		}
	}
}
