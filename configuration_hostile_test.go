package holotype_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/capabilities/system"
)

// TestNoChangeOfAnEntryIsLost: an entry is never shown with the version of a later one,
// so of those who add one to what they read none is overwritten.
func TestNoChangeOfAnEntryIsLost(t *testing.T) {
	c := configure(t, "")
	ok(t, c, system.PutConfigMCPServer, put("counter", system.MCPServerEntry{Command: "/nonexistent/server", Args: []string{"0"}}))
	const callers, each = 4, 15
	var all sync.WaitGroup
	for range callers {
		all.Go(func() {
			for done := 0; done < each; {
				got, err := system.GetConfigMCPServer.Call(t.Context(), c, capabilities.OwnerPrincipal(), system.GetConfigMCPServerInput{Name: "counter"})
				if err != nil {
					t.Error(err)
					return
				}
				change := put("counter", system.MCPServerEntry{})
				if err := json.Unmarshal(got.Entry, &change.Entry); err != nil {
					t.Error(err)
					return
				}
				n, err := strconv.Atoi(change.Entry.Args[0])
				if err != nil {
					t.Error(err)
					return
				}
				change.Entry.Args[0], change.IfMatch = strconv.Itoa(n+1), got.Version
				_, err = system.PutConfigMCPServer.Call(t.Context(), c, capabilities.OwnerPrincipal(), change)
				if e, refused := capabilities.AsError(err); err == nil {
					done++
				} else if !refused || e.Code != capabilities.StaleVersion {
					t.Error(err)
					return
				}
			}
		})
	}
	all.Wait()
	got := ok(t, c, system.GetConfigMCPServer, system.GetConfigMCPServerInput{Name: "counter"})
	if want := fmt.Sprintf(`{"command":"/nonexistent/server","args":["%d"]}`, callers*each); string(got.Entry) != want {
		t.Errorf("%s after %d changes", got.Entry, callers*each)
	}
}

// TestAnEntryThatIsShownCanBeGivenBack: what get_config_mcp_server answers is the entry
// that put_config_mcp_server takes, unless a value in it is not shown.
func TestAnEntryThatIsShownCanBeGivenBack(t *testing.T) {
	c := configure(t, "")
	no := false
	whole := system.MCPServerEntry{
		Command: "/nonexistent/server", Args: []string{"-v"}, Env: map[string]string{"A": "${HOME}"}, Cwd: "/", Transport: "stdio", Shared: &no,
		OptionalKeys: []string{"A"}, ToolPrefix: "p_", Allow: []string{}, Deny: []string{"x"}, StartupTimeoutSeconds: 5, CallTimeoutSeconds: 86400, Drift: "hold",
		ToolAnnotations: map[string]system.ToolAnnotation{"t": {ReadOnly: "yes", Destructive: "no", OpenWorld: "unknown", Title: "T"}},
	}
	ok(t, c, system.PutConfigMCPServer, put("whole", whole))
	first := ok(t, c, system.GetConfigMCPServer, system.GetConfigMCPServerInput{Name: "whole"})
	var shown system.MCPServerEntry
	if err := json.Unmarshal(first.Entry, &shown); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(whole, shown); d != "" {
		t.Errorf("(-given +shown)\n%s", d)
	}
	res, err := c.Invoke(t.Context(), capabilities.Call{
		Name: "put_config_mcp_server", Arguments: fmt.Appendf(nil, `{"name":"whole","entry":%s}`, first.Entry), Principal: capabilities.OwnerPrincipal(),
	})
	if err != nil || !strings.Contains(string(res.Structured), first.Version) {
		t.Errorf("given back as it was shown: %v %v", res, err)
	}

	secret := system.MCPServerEntry{Command: "/nonexistent/server", Args: []string{"--token=written-out"}, Env: map[string]string{"A/B": "written-out"}}
	ok(t, c, system.PutConfigMCPServer, put("secret", secret))
	var masked system.MCPServerEntry
	if err := json.Unmarshal(ok(t, c, system.GetConfigMCPServer, system.GetConfigMCPServerInput{Name: "secret"}).Entry, &masked); err != nil {
		t.Fatal(err)
	}
	e := refused(t, c, system.PutConfigMCPServer, put("secret", masked), capabilities.Invalid, "${NAME}")
	var pointers []string
	for _, v := range e.Violations {
		pointers = append(pointers, v.Pointer)
	}
	if d := cmp.Diff([]string{"/entry/args/0", "/entry/env/A~1B"}, pointers); d != "" {
		t.Error(d)
	}
}

// TestNothingThatIsShownOfAServerIsASecret: values written out where they should not be,
// and variables within longer texts.
func TestNothingThatIsShownOfAServerIsASecret(t *testing.T) {
	c := configure(t, "")
	if out, exit := c.run("planted-variable", "secrets", "set", "PLANTED"); exit != 0 {
		t.Fatal(out)
	}
	ok(t, c, system.PutConfigMCPServer, put("child", system.MCPServerEntry{
		Command: "/bin/sh", Args: []string{"-c", "echo wrong: ${CONNECTION#*=} >&2; exit 3", "--api-key=planted-argument", "--token", "planted-next"},
		Env: map[string]string{"CONNECTION": "key=${PLANTED}"},
	}))
	ok(t, c, system.PutConfigMCPServer, put("remote", system.MCPServerEntry{
		URL: "http://planted-user:${PLANTED}@127.0.0.1:1/${PLANTED}/planted0123456789012345678/mcp?key=planted-query", Headers: map[string]string{"X-Key": "planted-header"},
	}))
	for _, name := range []string{"child", "remote"} {
		c.until(name, func(s system.Server) bool { return s.State == system.Failing })
	}
	shown := map[string]string{}
	for _, args := range [][]string{
		{"servers"},
		{"servers", "show", "child"},
		{"servers", "show", "remote"},
		{"servers", "-o", "json"},
		{"config", "show", "--origin"},
		{"doctor"},
		{"reload"},
		{"call", "list_config_revisions"},
		{"call", "list_config_mcp_servers"},
		{"call", "list_config_settings"},
	} {
		shown[strings.Join(args, " ")], _ = c.run("", args...)
	}
	if !strings.Contains(shown["servers show child"], "wrong: [hidden]") || !strings.Contains(shown["servers show remote"], "/${PLANTED}/") {
		t.Errorf("%s\n%s", shown["servers show child"], shown["servers show remote"])
	}
	for command, out := range shown {
		if at := strings.Index(out, "planted"); at >= 0 {
			t.Errorf("%s shows %.40s", command, out[at:])
		}
	}
}

// TestWhatCannotBeTakenSaysWhy: no refusal of a configuration sends its reader to a log.
func TestWhatCannotBeTakenSaysWhy(t *testing.T) {
	c := configure(t, "")
	large := put("large", system.MCPServerEntry{Command: "x", Args: []string{strings.Repeat("x", 70<<10)}})
	refused(t, c, system.PutConfigMCPServer, large, capabilities.TooLarge, "at most 65536")
	e := refused(t, c, system.PutConfigMCPServer, put("system", absent()), capabilities.Invalid, "")
	if len(e.Violations) != 1 || e.Violations[0].Pointer != "/name" {
		t.Errorf("%+v", e.Violations)
	}
	if out, exit := c.run("a-value-of-it", "secrets", "set", "ANY"); exit != 0 {
		t.Fatal(out)
	}
	key := filepath.Join(filepath.Dir(c.file), ".config", "holotype", "secrets.key")
	if err := os.Chmod(key, 0o644); err != nil {
		t.Fatal(err)
	}
	refused(t, c, system.ReloadConfig, system.ReloadConfigInput{}, capabilities.Invalid, "chmod 600")
	refused(t, c, system.PutConfigMCPServer, put("any", absent()), capabilities.Invalid, "chmod 600")
	if n := len(ok(t, c, system.ListConfigMCPServers, system.ListConfigMCPServersInput{}).Items); n != 0 {
		t.Errorf("%d servers are stored", n)
	}
}

// TestATerminalIsNotActedOn: what a configuration holds is shown and not obeyed.
func TestATerminalIsNotActedOn(t *testing.T) {
	c := configure(t, "")
	ok(t, c, system.PutConfigMCPServer, put("odd", system.MCPServerEntry{Command: "/nonexistent/\u202egpj.exe", Args: []string{"\x1b]0;t\a", "\u202e"}, Env: map[string]string{"A\x1b[2J": "x"}}))
	c.until("odd", func(s system.Server) bool { return s.State == system.Failing })
	for _, args := range [][]string{{"servers"}, {"servers", "show", "odd"}, {"config", "show"}, {"doctor"}} {
		if out, _ := c.run("", args...); strings.ContainsAny(out, "\x1b\a\u202e") || !strings.Contains(out, "odd") {
			t.Errorf("%q: %q", args, out)
		}
	}
}

// TestADryRunOfAReload says what a reload would do and does none of it, and lets the
// doctor judge the files of a server that runs.
func TestADryRunOfAReload(t *testing.T) {
	c := configure(t, "mcp_servers:\n  - {name: goes, command: /nonexistent/a}\n  - {name: changes, command: /nonexistent/b}\n")
	for _, name := range []string{"goes", "changes"} {
		c.until(name, func(s system.Server) bool { return s.NextStart != "" })
	}
	rehearse := func() (r system.ReloadReport, err error) {
		res, err := c.Invoke(t.Context(), capabilities.Call{
			Name: "reload_config", Arguments: json.RawMessage(`{}`), Principal: capabilities.OwnerPrincipal(), Operation: capabilities.Operation{DryRun: true},
		})
		if err != nil {
			return r, err
		}
		return r, json.Unmarshal(res.Structured, &r)
	}
	doctor := func(words string) {
		t.Helper()
		if out, _ := c.run("", "doctor"); !strings.HasPrefix(out, words) {
			t.Errorf("the doctor says %s", out)
		}
	}
	doctor("ok    the configuration has no fault\n")
	if r, err := rehearse(); err != nil || len(r.Retried) != 2 {
		t.Errorf("%+v %v", r, err)
	}
	c.write("mcp_servers:\n  - {name: comes, command: /nonexistent/a}\n  - {name: changes, command: /nonexistent/c}\n")
	want := system.ReloadReport{Added: []string{"comes"}, Removed: []string{"goes"}, Changed: []string{"changes"}, Retried: []string{}, Notices: []string{}, DryRun: true}
	if r, err := rehearse(); err != nil || cmp.Diff(want, r) != "" {
		t.Errorf("%v %s", err, cmp.Diff(want, r))
	}
	ok(t, c, system.GetConfigMCPServer, system.GetConfigMCPServerInput{Name: "goes"})
	c.write("mcp_servers:\n  - {name: goes, comand: x}\n")
	if _, err := rehearse(); err == nil || !strings.Contains(err.Error(), "holotype.yaml:2") {
		t.Errorf("a dry run does not check: %v", err)
	}
	doctor("fault the configuration stays as it was: " + c.file + ":2: ")
}
