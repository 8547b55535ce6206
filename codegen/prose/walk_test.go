package prose_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-89b9419b/holotype/codegen/prose"
)

func lay(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		p := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// TestFiles walks a folder that holds what folders hold, and says of everything that it
// does not read why.
func TestFiles(t *testing.T) {
	t.Chdir(t.TempDir())
	const wrong = "`list_tool`\n"
	lay(t, ".", map[string]string{
		"docs/a.md": wrong, "docs/b.go": "package b\n\n// F is list_tool.\nfunc F() {}\n", "docs/old/c.md": wrong, "docs/d_old.md": wrong, "docs/e.bin": wrong,
		"docs/.git/x.md": wrong, "docs/.hidden.md": wrong, "docs/node_modules/x.md": wrong, "docs/dist/x.md": wrong, "docs/b_test.go": "package b\n\n// F is list_tool.\n",
		"docs/binary.md": "x\x00y", "docs/latin.md": "ok\n`list_tool` caf\xe9\n", "docs/closed.md": wrong, "docs/shut/x.md": wrong, "NOTES": wrong,
	})
	if err := os.Symlink("..", "docs/loop"); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate("docs/closed.md", 0); err != nil {
		t.Fatal(err)
	}
	huge, err := os.Create("docs/huge.md")
	if err != nil {
		t.Fatal(err)
	}
	if err := huge.Truncate(100 << 20); err != nil { // without its blocks
		t.Fatal(err)
	}
	if err := huge.Close(); err != nil {
		t.Fatal(err)
	}
	c, err := prose.New(prose.Options{Truth: small()})
	if err != nil {
		t.Fatal(err)
	}
	report, err := c.Files(prose.Walk{Paths: []string{"docs", "NOTES", "docs/a.md"}, Skip: []string{"*_old.md", "docs/old"}})
	if err != nil {
		t.Fatal(err)
	}
	const noName = `there is no such tool, code, key, member or event; did you mean "list_tools"?`
	want := []string{
		`NOTES:1: "list_tool": ` + noName,
		`docs/a.md:1: "list_tool": ` + noName,
		`docs/b.go:3: "list_tool": ` + noName,
		`docs/binary.md: it is no text: byte 1 is zero`,
		`docs/huge.md: it is larger than 4 MiB, and is not read: split it, or leave it out with a pattern`,
		`docs/latin.md:2: "list_tool": ` + noName,
		`docs/latin.md:2: this line is not UTF-8: the rest of the file was read all the same`,
		`docs/shut/x.md:1: "list_tool": ` + noName,
	}
	var got []string
	for _, f := range report.Findings {
		got = append(got, f.String())
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]prose.Skipped{{File: "docs/loop", Why: "it is a link, and links are not followed"}}, report.Skipped); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if report.Files != 8 {
		t.Errorf("%d files were read, want 8", report.Files)
	}
}

// TestUnreadableFilesAreFound: what may not be opened, or not be read, is a finding. To root
// everything is open, so a file is asked for whose reading fails.
func TestUnreadableFilesAreFound(t *testing.T) {
	c, err := prose.New(prose.Options{Truth: small()})
	if err != nil {
		t.Fatal(err)
	}
	paths, want := []string{"docs"}, 2
	t.Chdir(t.TempDir())
	lay(t, ".", map[string]string{"docs/closed.md": "x\n", "docs/shut/x.md": "x\n"})
	if os.Geteuid() == 0 {
		paths, want = []string{"/proc/self/mem"}, 1
	} else {
		for _, p := range []string{"docs/closed.md", "docs/shut"} {
			if err := os.Chmod(p, 0); err != nil {
				t.Fatal(err)
			}
		}
		t.Cleanup(func() { _ = os.Chmod("docs/shut", 0o700) }) // so that it can be removed
	}
	report, err := c.Files(prose.Walk{Paths: paths})
	if err != nil || len(report.Findings) != want || !strings.Contains(report.Findings[0].Why, "it cannot be read: ") {
		t.Errorf("what cannot be read is %+v, %v", report, err)
	}
}

func TestFilesRefuses(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.Symlink("b", "a"); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("a", "b"); err != nil {
		t.Fatal(err)
	}
	c, err := prose.New(prose.Options{Truth: small()})
	if err != nil {
		t.Fatal(err)
	}
	for says, w := range map[string]prose.Walk{
		"nowhere: no such file": {Paths: []string{"nowhere"}},
		"a: too many levels":    {Paths: []string{"a"}},
		`"[" is no pattern`:     {Paths: []string{"."}, Skip: []string{"["}},
	} {
		if _, err := c.Files(w); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%+v is answered with %v, want %q", w, err, says)
		}
	}
	if err := syscall.Mkfifo("pipe.md", 0o600); err != nil {
		t.Fatal(err)
	}
	report, err := c.Files(prose.Walk{Paths: []string{"pipe.md"}})
	if err != nil || len(report.Findings) != 1 || !strings.Contains(report.Findings[0].Why, "no regular file") {
		t.Errorf("a pipe is %+v, %v", report, err)
	}
}

// TestNoTextHurts gives the checker texts that no one writes: they end, and cost what their
// size costs.
func TestNoTextHurts(t *testing.T) {
	for name, text := range map[string]string{
		"brackets":   strings.Repeat("[", 5_000),
		"backticks":  strings.Repeat("`", 5_001),
		"underlines": "a" + strings.Repeat("_a", 5_000),
		"numbers":    strings.Repeat("one two three ", 1_000),
		"quotes":     strings.Repeat("'\"`", 2_000),
		"braces":     strings.Repeat("${`", 2_000),
		"tags":       strings.Repeat("<a href='/x'>", 1_000),
		"actions":    strings.Repeat("{{", 5_000),
		"keys":       strings.Repeat("gate: {deny: [", 500),
		"aliases":    "a: &a [x]\n" + strings.Repeat("gate: [*a, *a]\n", 100) + "listen: &b [*b]\n",
		"arrows":     strings.Repeat(">", 5_000),
		"unknown":    manyNames(500),
		"escapes":    strings.Repeat("<!-- prose: allow x y z -->\n", 500),
		"zero":       "\x00",
		"nothing":    "",
	} {
		t.Run(name, func(t *testing.T) {
			for _, file := range []string{"x.md", "x.go", "x.html", "x.tsx", "x.yaml", "x.json"} {
				check(t, file, text)
				check(t, file, "package x\n\n// "+text+"\nvar x = `"+text+"`\n")
			}
		})
	}
}

// manyNames are names that are near to one that exists, and do not.
func manyNames(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "list_tool%d ", i)
		if i%10 == 9 {
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// TestTooMuchIsSaid: a text of which nothing is true is left at some line, which is said.
func TestTooMuchIsSaid(t *testing.T) {
	got := check(t, "x.md", manyNames(5000))
	if n := len(got); n < 1000 || n > 1100 || !strings.Contains(got[n-1], "nothing below it was looked up") {
		t.Errorf("%d findings, the last %q", n, got[len(got)-1])
	}
}

func FuzzCheck(f *testing.F) {
	for _, seed := range []string{"`list_tool` 3 tools\n```yaml\ngate: {dny: x}\n```\n", "package x\n//prose:allow a b c\n", "<code>x</code>{{.A}}", "f(`a${b}`) // x", "| `a_b` | 12 tools |\n|--|--|\n"} {
		f.Add(seed)
	}
	c, err := prose.New(prose.Options{Truth: small()})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text string) {
		lines := 1 + bytes.Count([]byte(text), []byte("\n"))
		for _, file := range []string{"x.md", "x.go", "x.html", "x.tsx", "x.yaml", "x.json"} {
			for _, found := range c.Check(file, text) {
				if found.Line < 1 || found.Line > lines {
					t.Errorf("%s: line %d of %d in %q", file, found.Line, lines, text)
				}
			}
		}
	})
}
