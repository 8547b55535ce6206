package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
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

// A user whose own tests fail judges nothing, and keeps nobody from it.
func TestWhatTheTestsOfASmallModuleNotice(t *testing.T) {
	files := maps.Clone(small)
	files["failing/failing_test.go"] = "package failing\n\nimport \"testing\"\n\nfunc TestIs(t *testing.T) { t.Error(\"no\") }\n"
	files["failing/failing.go"] = "package failing\n\nimport \"example.com/small/least\"\n\n// Is asks.\nfunc Is(a int) bool { return least.Two(a) }\n"
	var out, progress bytes.Buffer
	err := run(t.Context(), written(t, files), []string{"-tags", "", "-users", "./least"}, &out, &progress)
	if err == nil || !strings.Contains(err.Error(), "fewer than 80 %") || !strings.Contains(progress.String(), "small/failing fail without a change") {
		t.Errorf("got %v\n%s", err, progress.String())
	}
	const want = "" +
		"| package | changes | tried | noticed | by users only | not noticed | mean the same | score | lies between |\n" +
		"|---|---|---|---|---|---|---|---|---|\n" +
		"| `least` | 5 | 4 | 1 | 1 | 1 | 1 | 66 % | 67 to 67 % |\n" +
		"| all | 5 | 4 | 1 | 1 | 1 | 1 | 66 % | 67 to 67 % |\n\n" +
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
	if want := "| `b` | 1 | 1 | 1 | 0 | 0 | 0 | 100 % | 100 to 100 % |\n"; !strings.Contains(out.String(), want) {
		t.Errorf("got\n%s\nwithout %s", out.String(), want)
	}
}

// Every operator of a package stands on one board: in conditions and loops, one in the other and
// over several lines, of types of other packages and of its own. One change is on at a time, what
// is not reached is not run, and a constant is tried alone.
func TestChangesOnOneBoard(t *testing.T) {
	dir := written(t, map[string]string{
		"go.mod": "module example.com/board\n\ngo 1.24\n",
		"a/a.go": `package a

import "time"

const twice = 2 * 3

type size int

// Sum answers the sum of what is less than a limit.
func Sum(of []int, limit int) (sum int, left size) {
	for i := 0; i < len(of); i++ {
		if of[i]*2 > limit-
			1 || of[i] < 0 {
			left++
			continue
		}
		sum = sum + of[i]
	}
	return sum, left*1 + size(twice-6)
}

// Later answers a time.
func Later(d time.Duration, err error) time.Duration {
	if err != nil {
		return -d
	}
	return d + time.Second
}

// Never is called by no test.
func Never(a int) bool { return a == 1 }
`,
		"a/a_test.go": `package a

import (
	"errors"
	"testing"
	"time"
)

func TestAll(t *testing.T) {
	if sum, left := Sum([]int{1, 2, 5, -1, 6, 0}, 11); sum != 8 || left != 2 {
		t.Error(sum, left)
	}
	if Later(1, errors.New("no")) != -1 || Later(1, nil) != time.Second+1 {
		t.Error("wrong")
	}
}
`,
	})
	var out, progress bytes.Buffer
	err := run(t.Context(), dir, []string{"-tags", "", "-at-least", "1", "./a"}, &out, &progress)
	if err != nil {
		t.Fatal(err, progress.String())
	}
	if strings.Contains(progress.String(), "one by one") {
		t.Errorf("nothing stood on a board: %s", progress.String())
	}
	var left []string
	for line := range strings.Lines(out.String()) {
		if text, ok := strings.CutPrefix(line, "  `"); ok {
			left = append(left, strings.TrimSuffix(text, "`\n"))
		}
	}
	want := []string{"return sum, left*1 - size(twice-6)", "return sum, left/1 + size(twice-6)", "func Never(a int) bool { return a != 1 }"}
	if diff := cmp.Diff(want, left); diff != "" {
		t.Error(diff, out.String())
	}
}

// What fails without the change as well has noticed nothing.
func TestTestsThatFailNowAndThenNoticeNothing(t *testing.T) {
	t.Setenv("MUTATE_TEST_FOLDER", t.TempDir())
	dir := written(t, map[string]string{
		"go.mod":      "module example.com/moody\n\ngo 1.24\n",
		"a/a.go":      "package a\n\n// Is asks.\nfunc Is(a int) bool { return a == 1 }\n",
		"a/a_test.go": "package a\n\nimport (\n\t\"os\"\n\t\"testing\"\n)\n\nfunc TestIs(t *testing.T) {\n\tIs(1)\n\tif os.Mkdir(os.Getenv(\"MUTATE_TEST_FOLDER\")+\"/once\", 0o700) != nil {\n\t\tt.Error(\"once is enough\")\n\t}\n}\n",
	})
	var out bytes.Buffer
	_ = run(t.Context(), dir, []string{"-tags", "", "./a"}, &out, io.Discard) // fails: nothing is noticed
	if want := "| `a` | 1 | 1 | 0 | 0 | 1 | 0 | 0 % |"; !strings.Contains(out.String(), want) {
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

// Tests that hang have noticed the change.
func TestWhatTestsPrint(t *testing.T) {
	failed := errors.New("exit status 1")
	for want, c := range map[string]struct {
		text string
		err  error
	}{
		unnoticed: {"PASS\n", nil},
		noticed:   {"--- FAIL: TestA\nFAIL\n", failed},
		endless:   {"panic: test timed out after 1m0s\n\trunning tests:\n", failed},
	} {
		if got := verdictOf([]byte(c.text), c.err); got != want {
			t.Errorf("got %q, want %q of %q", got, want, c.text)
		}
	}
}

// The score counts what users notice, leaves out what means the same, and is of all packages
// together; one that lies below for certain fails too.
func TestScore(t *testing.T) {
	for name, c := range map[string]struct {
		rows    []row
		atLeast int
		fail    string
	}{
		"enough":             {rows: []row{{noticed: 3, users: 1, unnoticed: 1}}, atLeast: 80},
		"too few":            {rows: []row{{noticed: 3, unnoticed: 1}}, atLeast: 80, fail: "fewer than 80 %"},
		"all or nothing":     {rows: []row{{noticed: 99, unnoticed: 1}}, atLeast: 100, fail: "fewer than 100 %"},
		"of two packages":    {rows: []row{{noticed: 7}, {noticed: 2, unnoticed: 2}}, atLeast: 80},
		"one for certain":    {rows: []row{{noticed: 90}, {name: "a", noticed: 10, unnoticed: 10}}, atLeast: 80, fail: "a: fewer than 80 %"},
		"one that was whole": {rows: []row{{noticed: 90}, {name: "a", noticed: 7, unnoticed: 2, whole: true}}, atLeast: 80, fail: "a: fewer than 80 %"},
		"none that differs":  {rows: []row{{alike: 9}}, atLeast: 80, fail: "no change was tried"},
	} {
		err := report(io.Discard, c.rows, 0, 1, c.atLeast)
		if c.fail == "" && err != nil || c.fail != "" && (err == nil || !strings.Contains(err.Error(), c.fail)) {
			t.Errorf("%s: got %v, want %q", name, err, c.fail)
		}
	}
}

// The interval is that of Wilson: of eight among eight, and of eight among ten.
func TestWhereAScoreLies(t *testing.T) {
	for _, c := range []struct {
		of   row
		want string
	}{
		{row{noticed: 8}, "67.6 to 100.0"},
		{row{noticed: 7, users: 1, unnoticed: 2, alike: 3}, "49.0 to 94.3"},
		{row{noticed: 8, unnoticed: 2, whole: true}, "80.0 to 80.0"},
		{row{alike: 1}, "0.0 to 100.0"},
	} {
		low, high := c.of.between()
		if got := fmt.Sprintf("%.1f to %.1f", low, high); got != c.want {
			t.Errorf("got %s, want %s of %+v", got, c.want, c.of)
		}
	}
}
