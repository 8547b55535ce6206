package cli_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/capabilities/system"
)

// configured puts servers behind the shared base for one test.
func configured(t *testing.T, servers ...system.Server) {
	t.Helper()
	b, err := shared()
	if err != nil {
		t.Fatal(err)
	}
	b.servers = servers
	t.Cleanup(func() { b.servers = nil })
}

func TestToolsSaysWhyToolsAreMissing(t *testing.T) {
	configured(t,
		system.Server{Name: "down", State: system.Failing, Reason: "exited with status 1\x1b[2J", NextStart: "2026-01-02T03:04:05Z", Tools: 3},
		system.Server{Name: "fine", State: system.Running},
		system.Server{Name: "held", State: system.Waiting, Reason: "is not started: env.TOKEN: TOKEN is not set"},
		system.Server{Name: "new", State: system.Starting},
	)
	w := newWorld(t)
	w.principal = capabilities.OwnerPrincipal() // whom the servers are shown to
	a := w.run("tools")
	want := strings.Join([]string{
		`note: server "down" is failing: it exited with status 1\u001b[2J; its 3 tools are listed and refuse; it is started again at 03:04:05 UTC`,
		`note: server "held" is waiting for credentials: it is not started: env.TOKEN: TOKEN is not set`,
		`note: server "new" is starting: it has not told its tools yet`, "",
	}, "\n")
	if diff := cmp.Diff(want, a.err); diff != "" || a.exit != 0 {
		t.Errorf("exit %d, (-want +got)\n%s", a.exit, diff)
	}
	if a := w.run("tools", "-o", "json"); a.err != "" {
		t.Errorf("for programs: %s", a.err)
	}
	if a := w.run("tools", "list_tools"); a.err != "" {
		t.Errorf("of one tool: %s", a.err)
	}
	if a := newWorld(t).run("tools"); a.err != "" {
		t.Errorf("for a caller that may not list the servers: %s", a.err)
	}
	w.alone = true
	a = w.run("tools")
	if !strings.Contains(a.err, "is failing: it exited with status 1") || strings.Contains(a.err, "started again") ||
		!strings.HasSuffix(a.err, "note: no holotype serves this data directory: its MCP servers were started for this command alone\n") {
		t.Errorf("in this process: %s", a.err)
	}
}

func TestToolsSaysThatNothingServes(t *testing.T) {
	w := newWorld(t)
	w.principal, w.alone = capabilities.OwnerPrincipal(), true
	a := w.run("tools")
	want := "note: no holotype serves this data directory, and no MCP servers are configured: start one with \"holotype serve\", or name a client's file with --mcp-config\n"
	if a.err != want || a.exit != 0 {
		t.Errorf("exit %d, %q", a.exit, a.err)
	}
}

func TestANameOfAServerThatIsNotThereYet(t *testing.T) {
	for _, line := range []string{"call soon__echo --text x", "call soon__echo", "tools soon__echo", "help call soon__echo"} {
		a := newWorld(t).run(strings.Fields(line)...)
		want := "holotype: unavailable: server \"soon\" is not running: it failed; it is started again in 9s\na retry can land in 9 s\n"
		if a.exit != 1 || !strings.HasPrefix(a.err, want) || a.out != "" {
			t.Errorf("%s: exit %d, %q %q", line, a.exit, a.err, a.out)
		}
	}
}

// TestToolsFitTheTerminal lists tools at every width a terminal is likely to have: no
// line is longer, and every tool's name, hints and summary are there.
func TestToolsFitTheTerminal(t *testing.T) {
	for _, width := range []int{80, 100, 120, 200} {
		w := newWorld(t)
		w.outTTY, w.columns = true, width
		a := w.run("tools")
		for line := range strings.Lines(a.out) {
			if n := len([]rune(strings.TrimRight(line, "\n"))); n > width {
				t.Errorf("%d columns: a line of %d: %s", width, n, line)
			}
		}
		for _, want := range []string{"far__mystery", "(unknown)", "? ? ? ?", "y n y n", "mcp:far", "builtin", "Handle one note."} {
			if !strings.Contains(a.out, want) {
				t.Errorf("%d columns: no %q in\n%s", width, want, a.out)
			}
		}
	}
}
