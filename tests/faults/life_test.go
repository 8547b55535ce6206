package faults_test

import (
	"strings"
	"testing"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/capabilities/system"
)

func TestLife(t *testing.T) {
	t.Parallel()
	pid := []call{{says: "pid"}}
	steady := []fault{
		{mode: "exit-0", state: system.Failing, reason: "exited with status 0 before the handshake was done"},
		{mode: "exit-3", state: system.Failing, reason: "exited with status 3 before the handshake was done; its standard error says: fatal: cannot open database", stderr: "cannot open database"},
		{mode: "exit-sig", state: system.Failing, reason: "was ended by signal killed before the handshake was done"},
		{mode: "slow-start 4", calls: pid},
		{mode: "hang-init", entry: entry{"startup_timeout_seconds": 2}, state: system.Failing, reason: "did not finish the handshake within 2s"},
		{mode: "hang-list", entry: entry{"startup_timeout_seconds": 10}, state: system.Failing, reason: "did not list its tools within 10s"},
		{
			mode: "hang-call", entry: entry{"call_timeout_seconds": 1},
			calls: []call{{code: capabilities.Timeout, says: `server "hang-call" did not answer the call of "echo" within its time limit of 1s`, maybe: true}},
		},
		{
			mode:  "crash-call",
			calls: []call{{code: capabilities.Unavailable, says: "went away during the call: it exited with status 9; its standard error says: panic: runtime error", maybe: true}},
			after: system.Running, more: exits("exited with status 9", 1),
		},
		{mode: "ignore-term", calls: pid},
		{mode: "slow-exit 4", calls: pid},
		{
			mode:  "close-stdout",
			calls: []call{{code: capabilities.Unavailable, says: "went away during the call: it closed its standard output", maybe: true}},
			after: system.Running, more: exits("closed its standard output", 1),
		},
		{mode: "grandchild", calls: pid, more: logged("inner")},
		{mode: "grandchild-inner", calls: pid},
		{mode: "spin", calls: pid},
	}
	// What these do depends on the moment they are looked at.
	unsteady := []fault{
		{mode: "die-after-call", more: diesAfterCalls},
		{mode: "die-idle 1", more: dies("exited with status 7")},
		{mode: "flap", more: dies("exited with status 5")},
		{mode: "close-stdin", entry: entry{"startup_timeout_seconds": 6, "call_timeout_seconds": 2}, more: deaf},
	}
	all := append(steady, unsteady...)
	covers(t, modesOf(t, "life.mjs"), all)
	var entries []entry
	for _, f := range all {
		entries = append(entries, f.command("life.mjs"))
	}
	p := start(t, entries...)
	runFaults(t, p, steady)
	for _, f := range unsteady {
		t.Run(f.mode, func(t *testing.T) {
			t.Parallel()
			f.more(t, p, f.name())
			p.serves(t)
		})
	}
}

// exits looks for the lines about a server that went down, one for each time, and waits
// until it was started again.
func exits(reason string, times int) func(*testing.T, *product, string) {
	return func(t *testing.T, p *product, name string) {
		t.Helper()
		until(t, "the server is started again", func() bool { return len(p.log.of(name, "server_restarted")) >= times })
		lines := p.log.of(name, "server_exited")
		if len(lines) != times || !strings.Contains(lines[0].Cause, reason) {
			t.Errorf("the log says %+v, want %d times %q", lines, times, reason)
		}
	}
}

// waits reports whether a server is down and waits to be started again.
func waits(s system.Server) bool { return s.State == system.Failing && s.NextStart != "" }

// refuses fails unless the tool of a server that is down is listed and refuses: with
// the reason and the time, and without a doubt that anything ran.
func refuses(t *testing.T, p *product, row system.Server) {
	t.Helper()
	tool := row.Prefix + "echo"
	if _, ok := p.list(t)[tool]; !ok || row.Tools != 1 {
		t.Errorf("its tool is not listed while it is down: %+v", row)
	}
	a := p.call(t, tool, `{"text":"hello"}`)
	if e := a.Meta.Error; e.Code == "" && p.rows(t)[row.Name].State == system.Running {
		return // it was started again meanwhile
	} else if e.Code != capabilities.Unavailable || e.Maybe || e.RetryAfter == 0 || !strings.Contains(a.text(t), row.Reason) || !strings.Contains(a.text(t), "it is started again in") {
		t.Errorf("while it is down its tool answers %s", a.raw)
	}
}

// dies is a server that goes down again and again: it is started again at once, then
// after growing delays.
func dies(reason string) func(*testing.T, *product, string) {
	return func(t *testing.T, p *product, name string) {
		t.Helper()
		row := p.await(t, name, func(s system.Server) bool { return waits(s) && len(p.log.of(name, "server_exited")) >= 2 })
		if !strings.HasPrefix(row.Reason, reason) {
			t.Errorf("the reason is %q, want %q", row.Reason, reason)
		}
		refuses(t, p, row)
	}
}

func diesAfterCalls(t *testing.T, p *product, name string) {
	t.Helper()
	for deaths := range 2 {
		row := p.await(t, name, func(s system.Server) bool {
			return s.State == system.Running && len(p.log.of(name, "server_restarted")) >= deaths
		})
		call{says: "pid"}.test(t, p, row.Prefix, deaths)
	}
	row := p.await(t, name, func(s system.Server) bool { return waits(s) && len(p.log.of(name, "server_exited")) == 2 })
	if !strings.HasPrefix(row.Reason, "exited with status 0") {
		t.Errorf("the reason is %q", row.Reason)
	}
	refuses(t, p, row)
}

// deaf stops reading after the handshake, with its end of the pipe open or not. Whether
// it read the request for its tools before is up to its luck. In either case nobody
// waits longer than the limit.
func deaf(t *testing.T, p *product, name string) {
	t.Helper()
	row := p.await(t, name, func(s system.Server) bool { return s.State == system.Running || waits(s) })
	if row.State == system.Running {
		a := p.call(t, row.Prefix+"echo", `{}`)
		if e := a.Meta.Error; !e.Maybe || e.Code != capabilities.Timeout && (e.Code != capabilities.Unavailable || !strings.Contains(a.text(t), "closed its standard input and ran on")) {
			t.Errorf("a server that reads nothing answers %s", a.raw)
		}
		return
	}
	if !strings.Contains(row.Reason, "closed its standard input and ran on") && !strings.Contains(row.Reason, "did not list its tools") {
		t.Errorf("the reason is %q", row.Reason)
	}
}
