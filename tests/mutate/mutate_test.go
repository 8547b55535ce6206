package main

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestChangesOfASource(t *testing.T) {
	const source = `package a

func f(a, b int) int {
	for i := 0; i < b; i++ {
		a = -a + i // as in a < b
	}
	if a == b && !(a >= 2) {
		return a*b - a%b
	}
	x, y := &a, []string{"a" + "-"}
	_, _ = x, y
	return a &^ b
}
`
	found, err := changesIn("a.go", []byte(source))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range found {
		got = append(got, c.becomes())
		if c.was() == c.becomes() {
			t.Errorf("%q changes nothing", c.was())
		}
		if want := strings.Count(source[:c.offset], "\n") + 1; c.line != want {
			t.Errorf("%q is said to stand on line %d, not on %d", c.was(), c.line, want)
		}
	}
	want := []string{
		"for i := 0; i <= b; i++ {", "for i := 0; i >= b; i++ {", "for i := 0; i < b; i-- {",
		"a = -a - i // as in a < b", "a = +a + i // as in a < b",
		"if a != b && !(a >= 2) {", "if a == b && !(a > 2) {", "if a == b && !(a < 2) {",
		"return a*b + a%b", "return a/b - a%b", "return a*b - a*b",
		`x, y := &a, []string{"a" - "-"}`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// A draw can be repeated and widened, and another seed draws others.
func TestDrawsOfASeed(t *testing.T) {
	source := []byte("package a\n\nvar a, b = 1, 2\n\nvar (\n" + strings.Repeat("\t_ = a < b\n", 20) + ")\n")
	draw := func(path string, seed uint64) []int {
		all, err := changesIn("a.go", source)
		if err != nil {
			t.Fatal(err)
		}
		shuffle(all, path, seed)
		var places []int
		for _, c := range all {
			places = append(places, c.offset)
		}
		return places
	}
	one := draw("a", 1)
	if diff := cmp.Diff(one, draw("a", 1)); diff != "" {
		t.Errorf("the same seed draws others:\n%s", diff)
	}
	if cmp.Equal(one, draw("a", 2)) || cmp.Equal(one, draw("b", 1)) {
		t.Error("another seed, or another package, draws the same")
	}
}

// small is a module of a package, a package that uses it, and a page that explains a change.
var small = map[string]string{
	"go.mod": "module example.com/small\n\ngo 1.24\n",
	"least/least.go": `package least

// Of answers the lesser.
func Of(a, b int) int {
	if a < b {
		return a
	}
	return b
}

// One is looked at by a user.
func One(a int) bool { return a == 1 }

// Name answers a text.
func Name() string { return "least" + "of" }

// Two is looked at by nobody.
func Two(a int) bool { return a == 2 }
`,
	"least/least_test.go": `package least

import "testing"

func TestOf(t *testing.T) {
	if Of(1, 2) != 1 || Of(2, 1) != 1 {
		t.Error("wrong")
	}
}
`,
	"user/user.go": "package user\n\nimport \"example.com/small/least\"\n\n// Is asks.\nfunc Is(a int) bool { return least.One(a) }\n",
	"user/user_test.go": `package user

import "testing"

func TestIs(t *testing.T) {
	if !Is(1) || Is(2) {
		t.Error("wrong")
	}
}
`,
	"docs/mutation.md": "# Page\n\n- `least/least.go` as `if a <= b {`: of two equal numbers either is the lesser.\n",
}

func TestWhatTheTestsOfASmallModuleNotice(t *testing.T) {
	var out bytes.Buffer
	err := run(t.Context(), written(t, small), []string{"-tags", "", "-users", "./least"}, &out, io.Discard)
	if err == nil || !strings.Contains(err.Error(), "fewer than 80 %") {
		t.Errorf("got %v", err)
	}
	const want = "" +
		"| package | changes | tried | noticed | by users only | not noticed | mean the same |\n" +
		"|---|---|---|---|---|---|---|\n" +
		"| `least` | 5 | 4 | 1 | 1 | 1 | 1 |\n" +
		"| all | 5 | 4 | 1 | 1 | 1 | 1 |\n\n" +
		"Not noticed: a test is missing, or a line under \"Mean the same\" in docs/mutation.md.\n\n" +
		"- `least/least.go:18`: `func Two(a int) bool { return a == 2 }` becomes\n  `func Two(a int) bool { return a != 2 }`\n\n" +
		"2 of 3 noticed: 66 %.\n"
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Error(diff)
	}
}

// A package whose tests fail without a change is said, and keeps no other from its row.
func TestTestsThatFailJudgeNothing(t *testing.T) {
	const source = "\n\n// Is asks.\nfunc Is(a int) bool { return a == 1 }\n"
	dir := written(t, map[string]string{
		"go.mod":      "module example.com/failing\n\ngo 1.24\n",
		"a/a.go":      "package a" + source,
		"a/a_test.go": "package a\n\nimport \"testing\"\n\nfunc TestIs(t *testing.T) { t.Error(\"no\") }\n",
		"b/b.go":      "package b" + source,
		"b/b_test.go": "package b\n\nimport \"testing\"\n\nfunc TestIs(t *testing.T) {\n\tif !Is(1) {\n\t\tt.Error(\"no\")\n\t}\n}\n",
	})
	var out bytes.Buffer
	err := run(t.Context(), dir, []string{"-tags", "", "./a", "./b"}, &out, io.Discard)
	if err == nil || !strings.Contains(err.Error(), "example.com/failing/a fail without a change") {
		t.Errorf("got %v", err)
	}
	if want := "| `b` | 1 | 1 | 1 | 0 | 0 | 0 |\n"; !strings.Contains(out.String(), want) {
		t.Errorf("got\n%s\nwithout %s", out.String(), want)
	}
}

// written writes a module into a folder of its own.
func written(t *testing.T, files map[string]string) string {
	t.Helper()
	t.Setenv("GOFLAGS", "")
	t.Setenv("GOWORK", "off")
	dir := t.TempDir()
	for name, text := range files {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o750); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// Tests that hang have noticed the change; code that does not compile says nothing of them.
func TestWhatTheGoCommandPrints(t *testing.T) {
	failed := errors.New("exit status 1")
	for want, c := range map[string]struct {
		text string
		err  error
	}{
		unnoticed: {"ok  \ta\t0.1s\n", nil},
		noticed:   {"--- FAIL: TestA\nFAIL\ta\t0.1s\n", failed},
		endless:   {"panic: test timed out after 1m0s\n\trunning tests:\nFAIL\ta\t60s\n", failed},
		broken:    {"# a\na.go:1:1: mismatched types\nFAIL\ta [build failed]\n", failed},
	} {
		if got := verdictOf(t.Context(), []byte(c.text), c.err); got != want {
			t.Errorf("got %q, want %q of %q", got, want, c.text)
		}
	}
}

// The score counts what users notice, leaves out what means the same, and is of all packages
// together.
func TestScore(t *testing.T) {
	for name, c := range map[string]struct {
		rows []row
		fail string
	}{
		"enough":            {rows: []row{{noticed: 3, users: 1, unnoticed: 1}}},
		"too few":           {rows: []row{{noticed: 3, unnoticed: 1}}, fail: "fewer than 80 %"},
		"of two packages":   {rows: []row{{noticed: 7}, {noticed: 1, unnoticed: 2}}},
		"none that differs": {rows: []row{{alike: 9}}, fail: "no change was tried"},
	} {
		err := report(io.Discard, c.rows, 0, 1)
		if c.fail == "" && err != nil || c.fail != "" && (err == nil || !strings.Contains(err.Error(), c.fail)) {
			t.Errorf("%s: got %v, want %q", name, err, c.fail)
		}
	}
}
