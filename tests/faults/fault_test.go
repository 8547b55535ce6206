package faults_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"net/http"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/capabilities/system"
)

// A fault is one mode of a script and what has to come of it.
type fault struct {
	mode  string // with its arguments; the server is named after it
	entry entry  // more keys of its entry

	state  system.State // after its start; "" is running
	reason string       // what the one reason says when it is not running
	stderr string       // what the log's tail of its standard error says
	tools  int          // how many are listed; 0 is 1, -1 is none
	junk   int          // lines counted as junk; -1 is some
	calls  []call       // one after the other
	// after says what the calls lead to: a state and a reason, "" for what was before.
	after       system.State
	afterReason string
	// more looks at what no column says.
	more func(t *testing.T, p *product, name string)
}

// A call is one call of a tool and what it answers.
type call struct {
	tool, arguments string // "" is echo, with the text hello
	code            capabilities.Code
	says            string // part of the texts
	maybe           bool   // it may have been applied
}

func (f fault) name() string {
	return strings.ReplaceAll(strings.Join(strings.Fields(f.mode), "-"), "_", "-")
}

// command is an entry that starts a script of this package.
func (f fault) command(script string) entry {
	e := entry{"name": f.name(), "command": "node", "args": append([]string{scriptPath(script)}, strings.Fields(f.mode)...), "call_timeout_seconds": 20}
	maps.Copy(e, f.entry)
	return e
}

func scriptPath(script string) string {
	path, err := filepath.Abs(filepath.Join("scripts", script))
	if err != nil {
		return script
	}
	return path
}

// modesOf asks a script for its modes.
func modesOf(t *testing.T, script string) []string {
	t.Helper()
	var out bytes.Buffer
	cmd := exec.CommandContext(t.Context(), "node", scriptPath(script), "--list")
	cmd.Stderr = &out
	if err := cmd.Run(); err != nil {
		t.Fatalf("%s: %v %s", script, err, out.Bytes())
	}
	_, list, ok := strings.Cut(out.String(), "modes: ")
	if !ok {
		t.Fatalf("%s names no modes: %s", script, out.Bytes())
	}
	return strings.Fields(list)
}

// covers fails unless the faults stand for exactly the modes.
func covers(t *testing.T, modes []string, faults []fault) {
	t.Helper()
	var had []string
	for _, f := range faults {
		had = append(had, strings.Fields(f.mode)[0])
	}
	slices.Sort(had)
	want := slices.Sorted(slices.Values(modes))
	if d := cmp.Diff(want, slices.Compact(had)); d != "" {
		t.Errorf("modes of the script and of the table (-script +table):\n%s", d)
	}
}

// runScript tests every mode of a script against one product that has them all.
func runScript(t *testing.T, script string, faults []fault) {
	t.Helper()
	covers(t, modesOf(t, script), faults)
	var entries []entry
	for _, f := range faults {
		entries = append(entries, f.command(script))
	}
	runFaults(t, start(t, entries...), faults)
}

// runFaults tests the faults of a product's servers, all at once.
func runFaults(t *testing.T, p *product, faults []fault) {
	t.Helper()
	for _, f := range faults {
		t.Run(f.mode, func(t *testing.T) {
			t.Parallel()
			f.test(t, p)
		})
	}
}

func (f fault) test(t *testing.T, p *product) {
	t.Helper()
	name := f.name()
	want := f.state
	if want == "" {
		want = system.Running
	}
	row := p.await(t, name, func(s system.Server) bool { return s.State == want })
	f.oneReason(t, p, row)
	tools := max(f.tools, 0)
	if f.tools == 0 && want == system.Running {
		tools = 1
	}
	if row.Tools != tools {
		t.Errorf("%d tools are listed, want %d; skipped: %v", row.Tools, tools, row.Skipped)
	}
	p.serves(t)
	for i, c := range f.calls {
		c.test(t, p, row.Prefix, i)
	}
	if f.after != "" {
		row = p.await(t, name, func(s system.Server) bool { return s.State == f.after && strings.Contains(s.Reason, f.afterReason) })
	}
	row = p.rows(t)[name]
	if row.JunkLines != f.junk && !(f.junk < 0 && row.JunkLines > 0) {
		t.Errorf("%d junk lines, want %d", row.JunkLines, f.junk)
	}
	if some := len(p.log.of(name, "server_junk")); (row.JunkLines > 0) != (some == 1) {
		t.Errorf("%d lines in the log about %d junk lines", some, row.JunkLines)
	}
	if f.more != nil {
		f.more(t, p, name)
	}
	p.serves(t)
	for _, left := range p.log.of(name, "server_stderr") {
		if strings.ContainsFunc(left.Line, func(r rune) bool { return r < ' ' && r != '\t' }) {
			t.Errorf("a line of standard error is logged unescaped: %q", left.Line)
		}
	}
}

// oneReason fails unless a server that runs has no reason, and one that does not has
// exactly one, the same in its row and in the log.
func (f fault) oneReason(t *testing.T, p *product, row system.Server) {
	t.Helper()
	lines := p.log.of(row.Name, "")
	if row.State == system.Running {
		if row.Reason != "" || len(lines) > 0 {
			t.Errorf("it runs, and its reason is %q and the log says %v", row.Reason, lines)
		}
		return
	}
	if f.reason == "" || !strings.Contains(row.Reason, f.reason) {
		t.Errorf("the reason is %q, want %q", row.Reason, f.reason)
	}
	if strings.ContainsFunc(row.Reason, func(r rune) bool { return r < ' ' }) || len(row.Reason) > 1500 {
		t.Errorf("the reason is not one bounded line: %q", row.Reason)
	}
	if len(lines) != 1 || lines[0].Reason != row.Reason || lines[0].Phase == "" {
		t.Errorf("the log says %+v, want one line with the reason %q", lines, row.Reason)
	}
	if f.stderr != "" && (len(lines) == 0 || !strings.Contains(lines[0].Stderr, f.stderr)) {
		t.Errorf("the log has not %q of its standard error: %+v", f.stderr, lines)
	}
}

func (c call) test(t *testing.T, p *product, prefix string, i int) {
	t.Helper()
	tool, arguments := c.tool, c.arguments
	if tool == "" {
		tool = "echo"
	}
	if arguments == "" {
		arguments = `{"text":"hello"}`
	}
	a := p.call(t, prefix+tool, arguments)
	said := a.text(t)
	if a.Meta.Error.Code != c.code || a.IsError != (c.code != "") || a.Meta.Error.Maybe != c.maybe || !strings.Contains(said, c.says) {
		t.Errorf("call %d of %s answers %q (maybe applied: %v) %.1000s; want %q (%v) %q", i+1, tool, a.Meta.Error.Code, a.Meta.Error.Maybe, said, c.code, c.maybe, c.says)
	}
}

// resultOf reads the result out of an answer over HTTP, which is one document or a
// stream of events whose last one it is.
func resultOf(resp *http.Response) ([]byte, error) {
	var message []byte
	if !strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream") {
		data, err := io.ReadAll(resp.Body)
		if err != nil {
			return nil, err
		}
		message = data
	} else {
		in := bufio.NewReader(resp.Body)
		for {
			line, err := in.ReadBytes('\n')
			if event, ok := bytes.CutPrefix(line, []byte("data: ")); ok {
				message = event
			}
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				return nil, err
			}
		}
	}
	var m struct {
		Result json.RawMessage
		Error  json.RawMessage
	}
	if err := json.Unmarshal(message, &m); err != nil {
		return nil, err
	}
	if m.Result == nil {
		return nil, errors.New(resp.Status + " " + string(message[:min(len(message), 500)]))
	}
	return m.Result, nil
}
