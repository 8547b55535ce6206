package cli_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-89b9419b/holotype/projection/cli"
)

// offers answers what a shell would offer, without descriptions, and the directive.
func offers(w *world, words ...string) ([]string, string) {
	a := w.run(append([]string{"__complete"}, words...)...)
	lines := strings.Split(strings.TrimSpace(a.out), "\n")
	var all []string
	for _, l := range lines[:len(lines)-1] {
		word, _, _ := strings.Cut(l, "\t")
		all = append(all, word)
	}
	return all, lines[len(lines)-1]
}

func TestCompletion(t *testing.T) {
	const noFiles, files, dirs = ":4", ":0", ":16"
	for _, tc := range []struct {
		name      string
		words     []string
		want      []string // exactly these
		directive string
	}{
		{"values of an enum, without those a shell would read otherwise", []string{"call", "far__echo", "--type", ""}, []string{"x", "w"}, noFiles},
		{"values behind an equals sign", []string{"call", "far__echo", "--type=x"}, []string{"x", "w"}, noFiles},
		{"values of a field's own name", []string{"call", "add_note", "--kind", ""}, []string{"memo", "letter"}, noFiles},
		{"values of a switch", []string{"call", "add_note", "--done="}, []string{"true", "false"}, noFiles},
		{"values of a free text", []string{"call", "add_note", "--title", ""}, nil, noFiles},
		{"formats", []string{"call", "-o", ""}, []string{"table", "json"}, noFiles},
		{"formats behind a name", []string{"call", "add_note", "--output", ""}, []string{"table", "json"}, noFiles},
		{"formats elsewhere", []string{"tools", "-o", ""}, []string{"table", "json"}, noFiles},
		{"a directory", []string{"call", "--data", ""}, nil, dirs},
		{"a file", []string{"call", "add_note", "--config", ""}, nil, files},
		{"behind a word that stands alone", []string{"call", "add_note", "x", ""}, nil, noFiles},
		{"behind an unknown flag", []string{"call", "add_note", "--nope", ""}, nil, noFiles},
		{"behind an unknown name", []string{"call", "nope", ""}, nil, noFiles},
		{"a second tool", []string{"tools", "add_note", ""}, nil, noFiles},
		{"shells", []string{"completion", ""}, []string{"bash", "zsh", "fish", "powershell"}, noFiles},
		{"commands", []string{"i"}, []string{"inspect"}, noFiles},
	} {
		got, directive := offers(newWorld(t), tc.words...)
		if diff := cmp.Diff(tc.want, got); diff != "" || directive != tc.directive {
			t.Errorf("%s: directive %s, want %s: (-want +got)\n%s", tc.name, directive, tc.directive, diff)
		}
	}
}

func TestCompletionOfNamesAndFlags(t *testing.T) {
	w := newWorld(t)
	names, _ := offers(w, "--data", "d", "call", "")
	for _, want := range []string{"add_note", "far__echo", "list_tools"} {
		if !slices.Contains(names, want) {
			t.Errorf("%q lacks %s", names, want)
		}
	}
	for _, never := range []string{"new_note", "admin_only"} {
		if slices.Contains(names, never) {
			t.Errorf("%s is offered", never)
		}
	}
	// Completion starts nothing and waits for nothing.
	if diff := cmp.Diff([]cli.OpenRequest{{Data: "d"}}, w.requests); diff != "" {
		t.Error(diff)
	}
	tools, _ := offers(newWorld(t), "tools", "")
	if diff := cmp.Diff(names, tools); diff != "" {
		t.Errorf("call and tools offer different names: %s", diff)
	}
	flags, _ := offers(newWorld(t), "call", "add_note", "--title", "x", "--tags", "a", "--")
	for flag, want := range map[string]bool{"--title": false, "--tags": true, "--due-date": true, "--arg-data": true, "--yes": true, "--data": true} {
		if n := len(slices.DeleteFunc(slices.Clone(flags), func(f string) bool { return f != flag })); (n == 1) != want || n > 1 {
			t.Errorf("%s is offered %d times, want %v", flag, n, want)
		}
	}
}

func TestCompletionIsSilentOnErrors(t *testing.T) {
	for _, words := range [][]string{{"call", ""}, {"call", "add_note", "--"}, {"tools", ""}} {
		w := newWorld(t)
		w.openErr = errors.New("nobody is there")
		a := w.run(append([]string{"__complete"}, words...)...)
		if a.exit != 0 || strings.Contains(a.out+a.err, "nobody") {
			t.Errorf("%q: exit %d, %q, %q", words, a.exit, a.out, a.err)
		}
	}
}

func TestCompletionDescriptionsAreHarmless(t *testing.T) {
	a := newWorld(t).run("__complete", "call", "far")
	if strings.ContainsAny(a.out, "\x1b\u202e") || !strings.Contains(a.out, "far__echo\tDo echo.") {
		t.Errorf("%q", a.out)
	}
}

func TestCompletionScripts(t *testing.T) {
	for shell, check := range map[string][]string{"bash": {"bash", "-n"}, "zsh": {"zsh", "-n"}, "fish": {"fish", "-n"}, "powershell": nil} {
		a := newWorld(t).run("completion", shell)
		if a.exit != 0 || !strings.Contains(a.out, "holotype") || a.err != "" {
			t.Errorf("%s: exit %d, %d bytes, %q", shell, a.exit, len(a.out), a.err)
		}
		if check == nil {
			continue
		}
		program, err := exec.LookPath(check[0])
		if err != nil {
			continue // a shell that is not here cannot judge its script
		}
		script := filepath.Join(t.TempDir(), "script")
		if err := os.WriteFile(script, []byte(a.out), 0o600); err != nil {
			t.Fatal(err)
		}
		if out, err := exec.CommandContext(t.Context(), program, check[1], script).CombinedOutput(); err != nil {
			t.Errorf("%s does not read its script: %v: %s", shell, err, out)
		}
	}
	for _, args := range [][]string{{"completion"}, {"completion", "tcsh"}, {"completion", "bash", "zsh"}} {
		if a := newWorld(t).run(args...); a.exit != 2 || a.out != "" {
			t.Errorf("%q: exit %d", args, a.exit)
		}
	}
}
