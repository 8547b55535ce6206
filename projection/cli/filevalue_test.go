package cli_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-89b9419b/holotype/capabilities"
)

// file answers the path of a file with that content.
func file(t *testing.T, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "text.md")
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestTextsMayStandInFiles(t *testing.T) {
	text, links := file(t, "# Plan\n\"quoted\"\n"), file(t, `{"a": "b"}`)
	for _, tc := range []struct {
		name  string
		args  []string
		stdin string
		want  string
	}{
		{"a text", []string{"--title", "@" + text}, "", `{"title":"# Plan\n\"quoted\"\n"}`},
		{"behind an equals sign", []string{"--title=@" + text}, "", `{"title":"# Plan\n\"quoted\"\n"}`},
		{"one of a list", []string{"--tags", "a", "--tags", "@" + text, "--tags", "@@b"}, "", `{"tags":["a","# Plan\n\"quoted\"\n","@b"]}`},
		{"an object", []string{"--links", "@" + links}, "", `{"links":{"a": "b"}}`},
		{"standard input", []string{"--title", "@-"}, "in\n", `{"title":"in\n"}`},
		{"a text that begins so", []string{"--title", "@@kim look"}, "", `{"title":"@kim look"}`},
		{"two of them", []string{"--title", "@@@kim"}, "", `{"title":"@@kim"}`},
		{"within a text", []string{"--title", "a@b"}, "", `{"title":"a@b"}`},
		{"a file beside --json", []string{"--json", "-", "--title", "@" + text}, `{"count":2}`, `{"count":2,"title":"# Plan\n\"quoted\"\n"}`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := newWorld(t)
			w.stdin = tc.stdin
			var got, want any
			text := sent(t, w, w.run(append([]string{"call", "read_note"}, tc.args...)...))
			if err := errors.Join(json.Unmarshal([]byte(text), &got), json.Unmarshal([]byte(tc.want), &want)); err != nil {
				t.Fatalf("%s: %v", text, err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("sent (-want +got):\n%s", diff)
			}
		})
	}
}

func TestFilesThatCannotBeRead(t *testing.T) {
	for _, tc := range []struct {
		name string
		args []string
		exit int
		says string
	}{
		{"no such file", []string{"--title", "@kim please look"}, 2, `--title: there is no file "kim please look": a value that begins with @ names one; to begin the text itself with it, write it twice: '@@kim please look'`},
		{"no name", []string{"--title", "@"}, 2, "names no file"},
		{"a folder", []string{"--title", "@" + t.TempDir()}, 2, "it is not a plain file; what a pipe brings is read with --title @-"},
		{"no text", []string{"--title", "@" + file(t, "a\xff")}, 2, "the value of --title is not UTF-8"},
		{"too much", []string{"--title", "@" + file(t, strings.Repeat("x", 2*capabilities.MaxArguments+1))}, 2, "at most 4194304 are taken"},
		{"more than a call takes", []string{"--title", "@" + file(t, strings.Repeat("x", capabilities.MaxArguments+1))}, 2, "at most 4194304 are taken"},
		{"standard input for two", []string{"--title", "@-", "--tags", "@-"}, 2, "--tags @- reads standard input, which another flag reads already"},
		{"standard input for two, one of them --json", []string{"--title", "@-", "--json", "-"}, 2, "reads standard input, which another flag reads already"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := newWorld(t)
			a := w.run(append([]string{"call", "read_note"}, tc.args...)...)
			if a.exit != tc.exit || !strings.Contains(a.err, tc.says) {
				t.Errorf("exit %d: %s; want %d and %q", a.exit, a.err, tc.exit, tc.says)
			}
		})
	}
}

// What is wrong with the JSON of a field is said with what it looks like.
func TestRefusedJSONShowsWhatItLooksLike(t *testing.T) {
	const shape = `--deep takes JSON such as {"n":1}`
	for value, says := range map[string]string{`7`: "--deep: must be an object", `{"n":"x"}`: "--deep /n: must be an integer"} {
		a := newWorld(t).run("call", "far__echo", "--deep", value)
		if a.exit != 2 || !strings.Contains(a.err, says) || strings.Count(a.err, shape) != 1 {
			t.Errorf("%s: exit %d: %s; want %q and %q", value, a.exit, a.err, says, shape)
		}
	}
}
