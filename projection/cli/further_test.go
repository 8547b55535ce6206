package cli_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/projection/cli"
)

// further are commands as a program would give them; seen receives what they ran with.
func further(seen *[]string) []cli.Command {
	note := func(name string) func(context.Context, cli.Invocation) error {
		return func(_ context.Context, i cli.Invocation) error {
			*seen = append(*seen, fmt.Sprintf("%s args=%q data=%q config=%q output=%s listen=%q check=%v scope=%q mode=%q none=%q", name, i.Args, i.Data, i.Config, i.Output,
				i.Text("listen"), i.Switch("check"), i.List("scope"), i.Text("mode"), i.Text("none")))
			_, err := io.Copy(i.Out, i.In)
			return err
		}
	}
	fails := map[string]error{
		"plain":    errors.New("it broke"),
		"usage":    cli.Usage("give it a file"),
		"refusal":  capabilities.Refuse(capabilities.Exists, "there is one"),
		"deadline": context.DeadlineExceeded,
	}
	return []cli.Command{
		{
			Name: "serve", Short: "Serve", Run: note("serve"),
			Flags: []cli.Flag{
				{Name: "listen", Usage: "where to listen", Word: "ADDRESS", Default: "127.0.0.1:4280"},
				{Name: "check", Short: "c", Usage: "only look", Kind: cli.Switch},
				{Name: "mode", Usage: "how", Values: []string{"fast", "slow"}, Default: "slow"},
				cli.MCPConfigFlag(),
			},
		},
		{Name: "token create", Short: "Create a token", Args: "NAME", MinArgs: 1, MaxArgs: 1, Run: note("create"), Flags: []cli.Flag{{Name: "scope", Usage: "a scope", Kind: cli.List}}},
		{Name: "token list", Short: "List tokens", Run: note("list")},
		{Name: "fail", Short: "Fail", Args: "HOW", MinArgs: 1, MaxArgs: 2, Run: func(_ context.Context, i cli.Invocation) error { return fails[i.Args[0]] }},
	}
}

func TestFurtherCommands(t *testing.T) {
	for _, tc := range []struct {
		line string
		want string
	}{
		{"serve", `serve args=[] data="" config="" output=table listen="127.0.0.1:4280" check=false scope=[] mode="slow" none=""`},
		{"--data d serve -c --listen :1 --config f -o json --mode fast", `serve args=[] data="d" config="f" output=json listen=":1" check=true scope=[] mode="fast" none=""`},
		{"token create bob --scope a:read --scope b:*", `create args=["bob"] data="" config="" output=table listen="" check=false scope=["a:read" "b:*"] mode="" none=""`},
		{"token list", `list args=[] data="" config="" output=table listen="" check=false scope=[] mode="" none=""`},
	} {
		var seen []string
		w := newWorld(t)
		w.commands, w.stdin = further(&seen), "input"
		a := w.run(strings.Fields(tc.line)...)
		if diff := cmp.Diff([]string{tc.want}, seen); diff != "" || a.exit != 0 || a.out != "input" {
			t.Errorf("%s: exit %d, out %q, err %q: (-want +got)\n%s", tc.line, a.exit, a.out, a.err, diff)
		}
		if len(w.requests) != 0 {
			t.Errorf("%s opened a session", tc.line)
		}
	}
}

func TestExitsOfFurtherCommands(t *testing.T) {
	for _, tc := range []struct {
		line string
		exit int
		want string
	}{
		{"fail plain", 1, "holotype: it broke\n"},
		{"fail usage", 2, "holotype: give it a file\nsee: holotype fail --help\n"},
		{"fail refusal", 5, "exists: there is one"},
		{"fail deadline", 1, "deadline"},
		{"fail", 2, "needs 1 arguments"},
		{"fail a b c", 2, "no more than 2"},
		{"serve now", 2, `takes no arguments, and was given "now"`},
		{"serve --port 1", 2, "unknown flag: --port"},
		{"serve --mode odd", 2, `holotype: --mode is one of fast, slow, not "odd"`},
		{"serve --listen", 2, "listen"},
		{"token", 0, ""},
		{"token lost", 2, `has no command "lost"`},
		{"tokens", 2, "unknown command"},
		{"-o xml tools", 2, `holotype: --output is table or json, not "xml"`},
		{"help lost", 2, `no help about "lost"`},
		{"help token lost", 2, `no help about "token lost"`},
		{"inspect it", 2, "a command stands behind --"},
		{"tools a b", 2, "no more than 1"},
		{"tools add_note --source builtin", 2, "leave --source"},
	} {
		var seen []string
		w := newWorld(t)
		w.commands = further(&seen)
		a := w.run(strings.Fields(tc.line)...)
		if a.exit != tc.exit || !strings.Contains(a.err, tc.want) || (a.out != "") != (tc.exit == 0) {
			t.Errorf("%s: exit %d, out %q, err %q; want exit %d and %q", tc.line, a.exit, a.out, a.err, tc.exit, tc.want)
		}
	}
}

func TestFurtherCommandsStandInTheHelp(t *testing.T) {
	var seen []string
	for line, wants := range map[string][]string{
		"":                    {"serve ", "token ", "--data DIR"},
		"token --help":        {"create ", "list "},
		"help token create":   {"holotype token create NAME", "--scope"},
		"serve --help":        {"--listen ADDRESS", "127.0.0.1:4280", "--mcp-config FILE", "--mode fast|slow"},
		"__complete serve --": {"--listen", "--mcp-config"},
	} {
		w := newWorld(t)
		w.commands = further(&seen)
		a := w.run(strings.Fields(line)...)
		for _, want := range wants {
			if a.exit != 0 || !strings.Contains(a.out, want) {
				t.Errorf("%q: exit %d, lacks %q:\n%s", line, a.exit, want, a.out)
			}
		}
	}
	w := newWorld(t)
	w.commands = further(&seen)
	got, _ := offers(w, "serve", "--mode", "")
	if diff := cmp.Diff([]string{"fast", "slow"}, got); diff != "" {
		t.Error(diff)
	}
}

func TestRunWithoutArgumentsReadsNoneOfTheProcess(t *testing.T) {
	w := newWorld(t)
	if a := w.run(); a.exit != 0 || !strings.Contains(a.out, "Usage:") {
		t.Errorf("exit %d, %q", a.exit, a.out)
	}
}

func TestVersionFlag(t *testing.T) {
	if a := newWorld(t).run("--version"); a.exit != 0 || a.out != "holotype 1.2.3\n" {
		t.Errorf("exit %d, %q", a.exit, a.out)
	}
}
