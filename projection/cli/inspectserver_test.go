package cli_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-89b9419b/holotype/projection/inspect"
)

const (
	fineTool = `{"name":"look","description":"Looks.","inputSchema":{"type":"object","properties":{},"additionalProperties":false},"annotations":{"readOnlyHint":true,"destructiveHint":false,"openWorldHint":false}}`
	oddTool  = `{"name":"a.b","description":"x\u001b[2J","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true,"destructiveHint":true}}`
)

// inspected runs inspect on this binary as a server with the tools.
func inspected(t *testing.T, tools string, flags ...string) answer {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	w := newWorld(t)
	line := slices.Concat([]string{"inspect", "--env", "FAKE_TOOLS=" + tools, "--env", "GORACE=atexit_sleep_ms=0", "--env", "HANDED"}, flags, []string{"--", exe})
	a := w.run(line...)
	if len(w.requests) != 0 {
		t.Error("it opened a session of our own server")
	}
	return a
}

func TestInspectOfACommand(t *testing.T) {
	a := inspected(t, fineTool+","+oddTool)
	if a.exit != 0 || a.err != "" {
		t.Fatalf("exit %d, %s", a.exit, a.err)
	}
	// What differs from run to run.
	text := regexp.MustCompile(`(handshake +|in |ended )\d+ ms`).ReplaceAllString(a.out, "${1}N ms")
	golden(t, "inspect-server", text)
	if strings.Contains(a.out, "\x1b") {
		t.Error("it shows a character that acts on a terminal")
	}
}

func TestInspectForPrograms(t *testing.T) {
	a := inspected(t, fineTool, "-o", "json", "--name", "mine")
	var r inspect.Report
	if err := json.Unmarshal([]byte(a.out), &r); err != nil || a.exit != 0 || a.err != "" {
		t.Fatalf("exit %d, %v, %s\n%s", a.exit, err, a.err, a.out)
	}
	if r.Server.Name != "fake\x1b[2J" || r.Session.Version != "2025-11-25" || len(r.Tools) != 1 || r.Tools[0].OfferedAs != "mine__look" || len(r.Findings) != 0 {
		t.Errorf("%+v", r)
	}
	if !strings.Contains(r.Session.Stderr, `started \u001b[2J with [hidden]`) && !strings.Contains(r.Session.Stderr, `started \u001b[2J with on`) {
		t.Errorf("standard error %q", r.Session.Stderr)
	}
	if page := inspected(t, oddTool, "-o", "markdown"); page.exit != 0 || !strings.Contains(page.out, "### error: `contradiction` (1)") {
		t.Errorf("exit %d\n%s%s", page.exit, page.out, page.err)
	}
}

// A server that keeps tools from clients that cannot be asked lists as many as it does behind a bridge.
func TestInspectCanBeAsked(t *testing.T) {
	a := inspected(t, fineTool, "-o", "json", "--env", "FAKE_ASKING_TOOL="+strings.Replace(fineTool, "look", "ask", 1))
	var r inspect.Report
	if err := json.Unmarshal([]byte(a.out), &r); err != nil || len(r.Tools) != 2 || r.Tools[1].Name != "ask" {
		t.Errorf("%v, %+v\n%s", err, r.Tools, a.err)
	}
}

func TestInspectFailsOn(t *testing.T) {
	for _, tc := range []struct {
		on   string
		exit int
		want string
	}{
		{"contradiction", 1, "holotype: --fail-on: the server has 1 of the findings named: contradiction (1)\n"},
		{"unknown-hints,contradiction", 1, "holotype: --fail-on: the server has 2 of the findings named: contradiction (1), unknown-hints (1)\n"},
		{"error", 1, "holotype: --fail-on: the server has 1 of the findings named: contradiction (1)\n"},
		{"remote-ref,old-transport", 0, ""},
	} {
		a := inspected(t, fineTool+","+oddTool, "--fail-on", tc.on, "-o", "json")
		if a.exit != tc.exit || a.err != tc.want || !json.Valid([]byte(a.out)) {
			t.Errorf("%s: exit %d, %q, want %d, %q; report: %v", tc.on, a.exit, a.err, tc.exit, tc.want, json.Valid([]byte(a.out)))
		}
	}
	if a := inspected(t, fineTool, "--fail-on", "error,warning,note"); a.exit != 0 || a.err != "" {
		t.Errorf("a server without findings: exit %d, %s", a.exit, a.err)
	}
}

func TestInspectOfAURL(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var m struct {
			ID     json.RawMessage `json:"id"`
			Method string          `json:"method"`
		}
		switch err := json.NewDecoder(r.Body).Decode(&m); {
		case r.Header.Get("X-Key") != "a: secret":
			w.WriteHeader(http.StatusUnauthorized)
			return
		case err != nil || m.ID == nil:
			w.WriteHeader(http.StatusAccepted)
			return
		}
		answers := map[string]string{
			"initialize": `"result":{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"far","version":"1"}}`,
			"tools/list": `"result":{"tools":[` + fineTool + `]}`,
		}
		body, ok := answers[m.Method]
		if !ok {
			body = `"error":{"code":-32601,"message":"no"}`
		}
		w.Header().Set("Content-Type", "application/json")
		if _, err := w.Write([]byte(`{"jsonrpc":"2.0","id":` + string(m.ID) + `,` + body + `}`)); err != nil {
			t.Error(err)
		}
	}))
	t.Cleanup(s.Close)
	a := newWorld(t).run("inspect", s.URL, "--header", "x-key: a: secret", "-o", "json")
	var r inspect.Report
	if err := json.Unmarshal([]byte(a.out), &r); err != nil || a.exit != 0 || r.Server.Name != "far" || r.Session.Transport != "http" || r.Session.Stop != nil {
		t.Errorf("exit %d, %v, %s\n%s", a.exit, err, a.err, a.out)
	}
	a = newWorld(t).run("inspect", s.URL)
	if want := "holotype: the server failed in the phase handshake: it asks for a credential, and none was given (HTTP status 401)\n" +
		"what to do: give its credential with --header, such as --header 'Authorization: Bearer TOKEN'\n"; a.exit != 1 || a.err != want || a.out != "" {
		t.Errorf("exit %d, %q, %q", a.exit, a.err, a.out)
	}
}

func TestInspectOfWhatIsNoServer(t *testing.T) {
	for _, tc := range []struct {
		args []string
		exit int
		want string
	}{
		{[]string{"--", "no-such-command-here"}, 1, `phase start: it cannot be started: command "no-such-command-here"`},
		{[]string{"--", "false"}, 1, "phase handshake: it exited with status 1"},
		{[]string{"--", "echo", "Welcome"}, 1, `no JSON-RPC 2.0 messages: 1, the first "Welcome"`},
		{[]string{"--timeout", "100ms", "--", "sleep", "60"}, 1, "phase handshake: it did not finish the handshake within 100ms"},
		{[]string{"--", "sh", "-c", "echo 'why\x1b[2J' >&2; exit 7"}, 1, "exited with status 7 before the handshake was done; its standard error says: why\\u001b[2J\n"},
		{[]string{"--", "sh", "-c", "echo one >&2; echo two >&2; exit 7"}, 1, "says: two\nits standard error ended with:\n  one\n  two\n"},
		{[]string{"http://127.0.0.1:1/mcp"}, 1, "phase handshake: dial tcp 127.0.0.1:1"},

		{[]string{"--"}, 2, "a command has to follow --"},
		{[]string{"--", ""}, 2, "a command has to follow --"},
		{[]string{"npx", "server"}, 2, "a command stands behind --, such as: inspect -- npx server"},
		{[]string{"ftp://x/"}, 2, `"ftp://x/" is no http or https address`},
		{[]string{"http://x/", "--", "npx"}, 2, "a url or a command, not both"},
		{[]string{"--fail-on", "unknown-hint", "--", "x"}, 2, `--fail-on "unknown-hint" is no kind of finding and no severity; did you mean unknown-hints; there are error, warning, note, skipped-tool,`},
		{[]string{"--fail-on", "", "--", "x"}, 1, "start"},
		{[]string{"--timeout", "30", "--", "x"}, 2, "a time above zero with its unit"},
		{[]string{"--timeout", "-1s", "--", "x"}, 2, "a time above zero with its unit"},
		{[]string{"-o", "xml", "--", "x"}, 2, `--output is one of table, json, markdown, not "xml"`},
		{[]string{"--header", "a-secret", "http://x/"}, 2, "has no name or no colon"},
		{[]string{"--header", "a: b", "--header", "A: c", "http://x/"}, 2, `gives "A" twice`},
		{[]string{"--header", "a: b", "--", "x"}, 2, "--header is for a url"},
		{[]string{"--env", "A=b", "http://x/"}, 2, "--env is for a command"},
		{[]string{"--env", "NOT_SET_HERE", "--", "x"}, 2, `"NOT_SET_HERE" hands on a variable that is not set`},
		{[]string{"--mcp-config", "f", "--", "x"}, 2, "--mcp-config is for this server"},
		{[]string{"--list-findings", "--", "x"}, 2, "--list-findings inspects nothing"},
		{[]string{"-o", "markdown"}, 2, "--output markdown is for a server that is named"},
		{[]string{"--fail-on", "error"}, 2, "--fail-on is for a server that is named"},
		{[]string{"--name", "x"}, 2, "--name is for a server that is named"},
	} {
		w := newWorld(t)
		a := w.run(append([]string{"inspect"}, tc.args...)...)
		if a.exit != tc.exit || !strings.Contains(a.err, tc.want) || a.out != "" || len(w.requests) != 0 {
			t.Errorf("%q: exit %d, out %q, err %q; want exit %d and %q", tc.args, a.exit, a.out, a.err, tc.exit, tc.want)
		}
		if strings.Contains(a.err, "a-secret") || strings.Contains(a.err, "\x1b") {
			t.Errorf("%q: %q", tc.args, a.err)
		}
	}
}

func TestInspectListsItsFindings(t *testing.T) {
	a := newWorld(t).run("inspect", "--list-findings", "-o", "json")
	var got struct{ Kinds []inspect.Kind }
	if err := json.Unmarshal([]byte(a.out), &got); err != nil || a.exit != 0 {
		t.Fatalf("exit %d, %v, %s", a.exit, err, a.err)
	}
	if diff := cmp.Diff(inspect.Kinds(), got.Kinds); diff != "" {
		t.Error(diff)
	}
	for _, format := range []string{"table", "markdown"} {
		a := newWorld(t).run("inspect", "--list-findings", "-o", format)
		for _, k := range inspect.Kinds() {
			if a.exit != 0 || !strings.Contains(a.out, k.ID) {
				t.Errorf("%s: exit %d without %s", format, a.exit, k.ID)
			}
		}
	}
}
