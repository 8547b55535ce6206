package cli_test

import (
	"bytes"
	"context"
	"io"
	"strings"
	"testing"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/projection/cli"
)

// TestConfirmationOfBuiltins walks every effect x terminal x --yes.
func TestConfirmationOfBuiltins(t *testing.T) {
	for name, dangerous := range map[string]bool{"read_note": false, "add_note": false, "amend_note": true, "set_note": true, "destroy_note": true} {
		for _, tty := range []bool{false, true} {
			for _, yes := range []bool{false, true} {
				w := newWorld(t)
				w.tty = tty
				args := []string{"call", name, "--title", "x"}
				if yes {
					args = append(args, "--yes")
				}
				a := w.run(args...)
				asked := strings.Contains(a.err, "call it? [y/N]")
				ran := len(w.invoked) == 1
				wantAsked, wantRan, wantExit := dangerous && tty && !yes, !dangerous || yes, 0
				switch {
				case dangerous && !yes && tty:
					wantExit = 1 // nobody said yes
				case dangerous && !yes:
					wantExit = 2
				}
				if asked != wantAsked || ran != wantRan || a.exit != wantExit {
					t.Errorf("%s, terminal %v, --yes %v: asked %v, ran %v, exit %d; want %v, %v, %d (%s)", name, tty, yes, asked, ran, a.exit, wantAsked, wantRan, wantExit, a.err)
				}
				if wantExit == 2 && !strings.Contains(a.err, "--yes") {
					t.Errorf("%s: %q does not say what to give", name, a.err)
				}
			}
		}
	}
}

// TestConfirmationOfBridgedTools walks every combination of the two hints that
// decide: only what is known not to destroy, or proven to read, is not asked about.
func TestConfirmationOfBridgedTools(t *testing.T) {
	all := []capabilities.Hint{capabilities.Unknown, capabilities.Yes, capabilities.No}
	for _, readOnly := range all {
		for _, destructive := range all {
			w := newWorld(t)
			w.tty, w.stdin = true, "n\n"
			tool := bridgedTool(t, "tool", capabilities.HintFacts{ReadOnly: fact(readOnly), Destructive: fact(destructive)}, echoArguments)
			w.only(tool)
			a := w.run("call", "far__tool")
			want := destructive == capabilities.Yes || destructive == capabilities.Unknown && readOnly != capabilities.Yes
			if asked := strings.Contains(a.err, "call it?"); asked != want {
				t.Errorf("read-only %s, destructive %s: asked %v, want %v", readOnly, destructive, asked, want)
			}
			if !want {
				continue
			}
			who := `"far" says so`
			if destructive == capabilities.Unknown {
				who = `neither "far" nor this server's configuration says`
			}
			if !strings.Contains(a.err, who) || a.exit != 1 || !strings.Contains(a.err, "not run") {
				t.Errorf("read-only %s, destructive %s: exit %d, %q", readOnly, destructive, a.exit, a.err)
			}
		}
	}
}

func TestQuestionSaysWhereTheFactComesFrom(t *testing.T) {
	for _, tc := range []struct {
		name string
		fact capabilities.HintFact
		want string
	}{
		{"an override that says yes", capabilities.HintFact{Value: capabilities.Yes, From: capabilities.FromOverride}, "configuration says so"},
		{"an override that takes it back", capabilities.HintFact{From: capabilities.FromOverride, Raw: []byte("false")}, "configuration says that nobody knows"},
	} {
		w := newWorld(t)
		w.only(bridgedTool(t, "tool", capabilities.HintFacts{Destructive: tc.fact}, echoArguments))
		w.tty = true
		if a := w.run("call", "far__tool"); !strings.Contains(a.err, tc.want) {
			t.Errorf("%s: %q", tc.name, a.err)
		}
	}
	w := newWorld(t)
	w.tty = true
	if a := w.run("call", "destroy_note", "--title", "x"); !strings.Contains(a.err, "destroy_note removes something for good from what other people read and write here (declared)") {
		t.Errorf("declared: %q", a.err)
	}
}

func TestAnswersToTheQuestion(t *testing.T) {
	for typed, ran := range map[string]bool{"y\n": true, "YES\n": true, " yes \n": true, "y": true, "\n": false, "": false, "n\n": false, "yess\n": false, "\ny\n": false} {
		w := newWorld(t)
		w.tty, w.stdin = true, typed
		a := w.run("call", "destroy_note", "--title", "x")
		exit := 0
		if !ran {
			exit = 1
		}
		if (len(w.invoked) == 1) != ran || a.exit != exit {
			t.Errorf("%q: ran %v with exit %d, want %v with %d", typed, len(w.invoked) == 1, a.exit, ran, exit)
		}
	}
}

func TestNobodyIsAskedInVain(t *testing.T) {
	for _, tc := range []struct {
		name string
		args []string
		exit int
	}{
		{"a dry run changes nothing", []string{"--title", "x", "--dry-run"}, 0},
		{"wrong arguments are refused first", []string{"--titel", "x"}, 2},
		{"a violation is refused first", []string{"--title", ""}, 2},
	} {
		for _, tty := range []bool{false, true} {
			w := newWorld(t)
			w.tty = tty
			if a := w.run(append([]string{"call", "destroy_note"}, tc.args...)...); a.exit != tc.exit || strings.Contains(a.err, "call it?") {
				t.Errorf("%s, terminal %v: exit %d, %q", tc.name, tty, a.exit, a.err)
			}
		}
	}
}

// waiting is a terminal nobody types at.
type waiting struct {
	reading chan struct{}
	io.Reader
}

func (waiting) IsTerminal() bool { return true }

func (w waiting) Read(p []byte) (int, error) {
	close(w.reading)
	return w.Reader.Read(p)
}

func TestAnInterruptEndsTheQuestion(t *testing.T) {
	w := newWorld(t)
	ctx, cancel := context.WithCancel(t.Context())
	nobody, typing := io.Pipe()
	defer func() { _ = typing.Close() }()
	in := waiting{make(chan struct{}), nobody}
	go func() {
		<-in.reading
		cancel()
	}()
	var out, errw bytes.Buffer
	c := cli.New(cli.Options{Name: "holotype", Open: func(context.Context, cli.OpenRequest) (cli.Session, error) { return w, nil }})
	exit := c.Run(ctx, []string{"call", "destroy_note", "--title", "x"}, in, &out, terminal{&errw, true, 0})
	if exit != 130 || len(w.invoked) != 0 {
		t.Errorf("exit %d with %d calls, want 130 and none: %s", exit, len(w.invoked), errw.String())
	}
}

func TestAnInterruptEndsTheWaitForArguments(t *testing.T) {
	w := newWorld(t)
	ctx, cancel := context.WithCancel(t.Context())
	nobody, typing := io.Pipe()
	defer func() { _ = typing.Close() }()
	in := waiting{make(chan struct{}), nobody}
	go func() {
		<-in.reading
		cancel()
	}()
	var out, errw bytes.Buffer
	c := cli.New(cli.Options{Name: "holotype", Open: func(context.Context, cli.OpenRequest) (cli.Session, error) { return w, nil }})
	exit := c.Run(ctx, []string{"call", "read_note", "--json", "-"}, in, &out, &errw)
	if exit != 130 || len(w.invoked) != 0 || errw.String() != "holotype: interrupted\n" {
		t.Errorf("exit %d with %d calls, want 130 and none: %s", exit, len(w.invoked), errw.String())
	}
}
