package holotype_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/seed-89b9419b/holotype"
	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/capabilities/system"
	"github.com/seed-89b9419b/holotype/internal/config"
)

// configurable is a server with a data directory, a configuration file and a home of
// its own.
type configurable struct {
	*holotype.Server
	t    *testing.T
	file string
	o    holotype.Options
}

func configure(t *testing.T, text string) *configurable {
	t.Helper()
	dir := t.TempDir()
	c := &configurable{t: t, file: filepath.Join(dir, "holotype.yaml")}
	c.write(text)
	env := map[string]string{"HOME": dir, "PATH": os.Getenv("PATH")}
	c.o = holotype.Options{
		Data: filepath.Join(dir, "data"), Config: c.file,
		Lookup: func(name string) (string, bool) { v, ok := env[name]; return v, ok },
	}
	c.Server = serve(t, c.o)
	return c
}

func (c *configurable) write(text string) {
	c.t.Helper()
	if err := os.WriteFile(c.file, []byte(text), 0o600); err != nil {
		c.t.Fatal(err)
	}
}

// run runs a command of the program on the same directory.
func (c *configurable) run(stdin string, args ...string) (out string, exit int) {
	c.t.Helper()
	var stdout, stderr strings.Builder
	o := c.o
	o.Config = ""
	exit = holotype.New(o).Command().Run(c.t.Context(), args, strings.NewReader(stdin), &stdout, &stderr)
	return stdout.String() + stderr.String(), exit
}

func ok[In, Out any](t *testing.T, door capabilities.Invoker, h *capabilities.Handle[In, Out], in In) Out {
	t.Helper()
	out, err := h.Call(t.Context(), door, capabilities.OwnerPrincipal(), in)
	if err != nil {
		t.Fatalf("%s: %v", h.Name(), err)
	}
	return out
}

func refused[In, Out any](t *testing.T, door capabilities.Invoker, h *capabilities.Handle[In, Out], in In, code capabilities.Code, words string) *capabilities.Error {
	t.Helper()
	_, err := h.Call(t.Context(), door, capabilities.OwnerPrincipal(), in)
	e, isRefusal := capabilities.AsError(err)
	if !isRefusal || e.Code != code || !strings.Contains(e.Message, words) {
		t.Fatalf("%s: %v, want %s with %q", h.Name(), err, code, words)
	}
	return e
}

// absent is an entry whose program does not exist: nothing runs.
func absent() system.MCPServerEntry { return system.MCPServerEntry{Command: "/nonexistent/server"} }

func put(name string, entry system.MCPServerEntry) system.PutConfigMCPServerInput {
	return system.PutConfigMCPServerInput{Name: name, Entry: entry}
}

func TestServersAreAddedChangedAndRemovedOverTheAPI(t *testing.T) {
	c := configure(t, "mcp_servers:\n  - {name: filed, command: /nonexistent/filed}\n")
	create := put("added", absent())
	create.IfNoneMatch = true
	first := ok(t, c, system.PutConfigMCPServer, create)
	if !first.Stored || first.Version == "" || first.ChangedBy != "owner" || first.Origin != "stored revision 1" {
		t.Errorf("added: %+v", first)
	}
	refused(t, c, system.PutConfigMCPServer, create, capabilities.Exists, `"added" is stored already`)
	refused(t, c, system.PutConfigMCPServer, put("filed", absent()), capabilities.Exists, "holotype.yaml:2")

	change := put("added", absent())
	change.Entry.Env = map[string]string{"TOKEN": "literal-secret", "OTHER": "${NAMED}"}
	change.IfMatch = "not-the-version"
	refused(t, c, system.PutConfigMCPServer, change, capabilities.StaleVersion, first.Version)
	change.IfMatch = first.Version
	second := ok(t, c, system.PutConfigMCPServer, change)
	if len(first.Notices) != 0 || len(second.Notices) != 1 || !strings.Contains(second.Notices[0], "env.TOKEN looks like a credential and is written out") {
		t.Errorf("notices: %q, then %q", first.Notices, second.Notices)
	}
	if strings.Contains(string(second.Entry), "literal-secret") || !strings.Contains(string(second.Entry), "${NAMED}") {
		t.Errorf("shown: %s", second.Entry)
	}
	if second.Version == first.Version {
		t.Error("the version did not change")
	}

	row := ok(t, c, system.GetMCPServer, system.GetMCPServerInput{Name: "added"})
	if row.State != system.Waiting || !strings.Contains(row.Reason, "NAMED") || !slices.Contains(row.Launch.Env, "TOKEN") {
		t.Errorf("status: %+v", row)
	}
	var names []string
	for _, s := range ok(t, c, system.ListConfigMCPServers, system.ListConfigMCPServersInput{}).Items {
		names = append(names, fmt.Sprintf("%s %t", s.Name, s.Stored))
	}
	if diff := cmp.Diff([]string{"added true", "filed false"}, names); diff != "" {
		t.Error(diff)
	}

	refused(t, c, system.RemoveConfigMCPServer, system.RemoveConfigMCPServerInput{Name: "filed"}, capabilities.Conflict, "take it out there")
	refused(t, c, system.RemoveConfigMCPServer, system.RemoveConfigMCPServerInput{Name: "none"}, capabilities.NotFound, "none")
	refused(t, c, system.RemoveConfigMCPServer, system.RemoveConfigMCPServerInput{Name: "added", IfMatch: first.Version}, capabilities.StaleVersion, second.Version)
	ok(t, c, system.RemoveConfigMCPServer, system.RemoveConfigMCPServerInput{Name: "added"})
	refused(t, c, system.GetMCPServer, system.GetMCPServerInput{Name: "added"}, capabilities.NotFound, "added")

	all := ok(t, c, system.ListConfigRevisions, system.ListConfigRevisionsInput{Server: "added"}).Items
	if len(all) != 3 || all[0].Revision != 3 || all[0].After != nil || all[2].Before != nil || all[1].By != "owner" {
		t.Errorf("revisions: %+v", all)
	}
	if text, err := json.Marshal(all); err != nil || strings.Contains(string(text), "literal-secret") {
		t.Errorf("revisions show a secret: %s %v", text, err)
	}
}

func TestStoredServersOutliveTheProcess(t *testing.T) {
	c := configure(t, "")
	added := ok(t, c, system.PutConfigMCPServer, put("kept", absent()))
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	if got := ok(t, serve(t, c.o), system.GetConfigMCPServer, system.GetConfigMCPServerInput{Name: "kept"}); got.Version != added.Version {
		t.Errorf("%+v is not %+v", got, added)
	}
}

func TestADryRunOfTheConfigurationChangesNothing(t *testing.T) {
	c := configure(t, "")
	send := func(name, args string) (*capabilities.Result, error) {
		return c.Invoke(t.Context(), capabilities.Call{
			Name: name, Arguments: json.RawMessage(args), Principal: capabilities.OwnerPrincipal(), Operation: capabilities.Operation{DryRun: true},
		})
	}
	res, err := send("put_config_mcp_server", `{"name":"x","entry":{"command":"/nonexistent/x"}}`)
	if err != nil || !strings.Contains(string(res.Structured), `"dry_run":true`) {
		t.Fatalf("%v %v", res, err)
	}
	if _, err := send("put_config_mcp_server", `{"name":"x","entry":{"command":"a","url":"http://127.0.0.1/"}}`); err == nil {
		t.Error("a dry run does not check")
	}
	if n := len(ok(t, c, system.ListConfigMCPServers, system.ListConfigMCPServersInput{}).Items); n != 0 {
		t.Errorf("%d servers after a dry run", n)
	}
	kept := ok(t, c, system.PutConfigMCPServer, put("x", absent()))
	if _, err := send("remove_config_mcp_server", `{"name":"x"}`); err != nil {
		t.Fatal(err)
	}
	if got := ok(t, c, system.GetConfigMCPServer, system.GetConfigMCPServerInput{Name: "x"}); got.Version != kept.Version || got.DryRun {
		t.Errorf("after the dry run of a removal: %+v", got)
	}
}

func TestAConfigurationWithAFaultChangesNothing(t *testing.T) {
	c := configure(t, "mcp_servers:\n  - {name: one, command: /nonexistent/one}\n")
	for _, tc := range []struct {
		name    string
		entry   system.MCPServerEntry
		pointer string
	}{
		{"nothing to start", system.MCPServerEntry{}, "/entry"},
		{"a look-alike", system.MCPServerEntry{Command: "x", Env: map[string]string{"A/B": "$HOME"}}, "/entry/env/A~1B"},
		{"a line break in a header", system.MCPServerEntry{URL: "http://127.0.0.1/", Headers: map[string]string{"X-A": "a\r\nb"}}, "/entry/headers/X-A"},
		{"the prefix of another", system.MCPServerEntry{Command: "x", ToolPrefix: "one__"}, "/entry/tool_prefix"},
		{"left out, and named nowhere", system.MCPServerEntry{Command: "x", OptionalKeys: []string{"TOKEN"}}, "/entry/optional_keys"},
	} {
		e := refused(t, c, system.PutConfigMCPServer, put("two", tc.entry), capabilities.Invalid, "")
		if len(e.Violations) == 0 || !strings.HasPrefix(e.Violations[0].Pointer, tc.pointer) {
			t.Errorf("%s: %s %+v", tc.name, e.Message, e.Violations)
		}
	}
	c.write("mcp_servers:\n  - {name: one, comand: x}\n  - {name: two, command: x, call_timeout_seconds: soon}\n")
	e := refused(t, c, system.ReloadConfig, system.ReloadConfigInput{}, capabilities.Invalid, "holotype.yaml:2")
	if !strings.Contains(e.Message, "comand") || !strings.Contains(e.Message, "holotype.yaml:3") || !strings.Contains(e.Message, "call_timeout_seconds") {
		t.Errorf("a fault is not said: %s", e.Message)
	}
	if got := ok(t, c, system.GetConfigMCPServer, system.GetConfigMCPServerInput{Name: "one"}); !strings.Contains(string(got.Entry), "/nonexistent/one") {
		t.Errorf("the old configuration is gone: %s", got.Entry)
	}
	c.write("listen: 127.0.0.1:4281\nmcp_servers:\n  - {name: three, command: /nonexistent/three}\n")
	r := ok(t, c, system.ReloadConfig, system.ReloadConfigInput{})
	if !slices.Equal(r.Added, []string{"three"}) || !slices.Equal(r.Removed, []string{"one"}) || len(r.Notices) != 1 || !strings.Contains(r.Notices[0], "listen") {
		t.Errorf("%+v", r)
	}
}

// upstream is an MCP server over HTTP that counts the requests it gets.
type upstream struct {
	*httptest.Server
	mcp  *mcp.Server
	seen chan http.Header
}

func upstreamServer(t *testing.T) *upstream {
	t.Helper()
	u := &upstream{mcp: mcp.NewServer(&mcp.Implementation{Name: "up", Version: "1"}, nil), seen: make(chan http.Header, 1000)}
	u.offer(&mcp.ToolAnnotations{ReadOnlyHint: true})
	handler := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return u.mcp }, nil)
	u.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case u.seen <- r.Header.Clone():
		default:
		}
		handler.ServeHTTP(w, r)
	}))
	t.Cleanup(func() {
		u.CloseClientConnections()
		u.Close()
	})
	return u
}

func (u *upstream) offer(hints *mcp.ToolAnnotations) {
	u.mcp.AddTool(&mcp.Tool{Name: "look", InputSchema: map[string]any{"type": "object"}, Annotations: hints},
		func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "seen"}}}, nil
		})
}

// until asks again until a server is as it should be.
func (c *configurable) until(name string, fits func(system.Server) bool) system.Server {
	c.t.Helper()
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		s := ok(c.t, c, system.GetMCPServer, system.GetMCPServerInput{Name: name})
		if fits(s) {
			return s
		}
		if time.Now().After(deadline) {
			c.t.Fatalf("the server stays %+v", s)
		}
	}
}

func running(s system.Server) bool { return s.State == system.Running }

func TestSecretsStartWhatWaitsForThem(t *testing.T) {
	up := upstreamServer(t)
	c := configure(t, "mcp_servers:\n  - {name: up, url: "+up.URL+", headers: {X-Key: '${UP_KEY}'}}\n")
	c.until("up", func(s system.Server) bool {
		return s.State == system.Waiting && strings.Contains(s.Reason, "secrets set UP_KEY")
	})
	if len(up.seen) != 0 {
		t.Error("it was asked without its credential")
	}
	if out, exit := c.run("planted-value-1\n", "secrets", "set", "UP_KEY"); exit != 0 || strings.Contains(out, "planted") {
		t.Fatalf("exit %d: %s", exit, out)
	}
	c.until("up", running)
	if h := <-up.seen; h.Get("X-Key") != "planted-value-1" {
		t.Errorf("sent %q", h.Get("X-Key"))
	}
	if out, exit := c.run("", "secrets", "list"); exit != 0 || strings.TrimSpace(out) != "UP_KEY" {
		t.Errorf("exit %d: %s", exit, out)
	}
	if out, exit := c.run("", "config", "show", "--origin"); exit != 0 || strings.Contains(out, "planted") || !strings.Contains(out, "${UP_KEY}") {
		t.Errorf("exit %d: %s", exit, out)
	}
	if out, exit := c.run("", "secrets", "rm", "UP_KEY"); exit != 0 {
		t.Fatalf("exit %d: %s", exit, out)
	}
	c.until("up", func(s system.Server) bool { return s.State == system.Waiting })
	if out, exit := c.run("", "secrets", "rm", "UP_KEY"); exit != 3 || !strings.Contains(out, "UP_KEY") {
		t.Errorf("exit %d: %s", exit, out)
	}
	for _, text := range []string{"", "two\nlines"} {
		if out, exit := c.run(text, "secrets", "set", "1 BAD"); exit != 2 {
			t.Errorf("exit %d: %s", exit, out)
		}
	}
	filepath.WalkDir(filepath.Dir(c.file), func(path string, d os.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			if content, err := os.ReadFile(path); err == nil && strings.Contains(string(content), "planted") {
				t.Errorf("%s holds the value", path)
			}
		}
		return nil
	})
}

func TestHintsThatMoveTowardsDangerAreHeldAcrossRestarts(t *testing.T) {
	up := upstreamServer(t)
	c := configure(t, "mcp_servers:\n  - {name: up, url: "+up.URL+", drift: hold}\n")
	c.until("up", running)
	look := capabilities.Call{Name: "up__look", Arguments: json.RawMessage(`{}`), Principal: capabilities.OwnerPrincipal()}
	if _, err := c.Invoke(t.Context(), look); err != nil {
		t.Fatal(err)
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	up.offer(nil) // it asserts nothing any more
	c.Server = serve(t, c.o)
	s := c.until("up", running)
	if len(s.Drifts) != 1 || !s.Drifts[0].Held || s.Drifts[0].Tool != "up__look" || !strings.Contains(s.Drifts[0].Change, "readOnlyHint was yes") {
		t.Errorf("drifts: %+v", s.Drifts)
	}
	_, err := c.Invoke(t.Context(), look)
	if e, isRefusal := capabilities.AsError(err); !isRefusal || !strings.Contains(e.Message, "servers accept up") {
		t.Errorf("%v", err)
	}
	refused(t, c, system.AcceptMCPServerHints, system.AcceptMCPServerHintsInput{Name: "up", Tools: []string{"none"}}, capabilities.Invalid, "none")
	refused(t, c, system.AcceptMCPServerHints, system.AcceptMCPServerHintsInput{Name: "none"}, capabilities.NotFound, "none")
	if out, exit := c.run("", "servers", "accept", "up"); exit != 0 || !strings.Contains(out, "accepted: look") {
		t.Errorf("exit %d: %s", exit, out)
	}
	if _, err := c.Invoke(t.Context(), look); err != nil {
		t.Errorf("accepted, and refused all the same: %v", err)
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	c.Server = serve(t, c.o)
	if s := c.until("up", running); len(s.Drifts) != 0 {
		t.Errorf("what was accepted is forgotten: %+v", s.Drifts)
	}
	// To take a server out and put it in again accepts nothing, for the time that its
	// hints are kept.
	noted := func() bool {
		t.Helper()
		data, err := os.ReadFile(filepath.Join(c.o.Data, "hints.json"))
		if err != nil {
			t.Fatal(err)
		}
		return strings.Contains(string(data), `"removed"`)
	}
	c.write("mcp_servers:\n")
	ok(t, c, system.ReloadConfig, system.ReloadConfigInput{})
	if !noted() {
		t.Error("nothing says since when the server is gone")
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	c.write("mcp_servers:\n  - {name: up, url: " + up.URL + ", drift: hold}\n")
	c.Server = serve(t, c.o)
	c.until("up", running)
	if noted() {
		t.Error("the server is there again, and counts as gone")
	}
}

func TestDoctorSaysWhatIsWrong(t *testing.T) {
	up := upstreamServer(t)
	c := configure(t, "mcp_servers:\n  - {name: good, url: "+up.URL+", allow: [look, gone]}\n  - {name: bad, command: /nonexistent/bad}\n"+
		"  - {name: waits, url: "+up.URL+", headers: {X-Key: '${NOBODY_SET_IT}'}}\n  - {name: seatless, command: x, shared: false}\n"+
		"  - {name: mirror, url: http://127.0.0.1:1/operator/mcp}\n")
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	out, exit := c.run("", "doctor", "--config", c.file)
	for _, want := range []string{
		"ok    the configuration has no fault", "ok    good: runs: 1 tools", "note  good: allow or deny names what it does not list: gone",
		"fault bad: ", "check its command", "fault waits: ", "secrets set NOBODY_SET_IT", "note  seatless: is not started",
		"fault mirror: ", "a server cannot bridge itself",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is not said", want)
		}
	}
	if exit != 1 || t.Failed() {
		t.Errorf("exit %d:\n%s", exit, out)
	}
	c.write("mcp_servers:\n  - {name: good, url: " + up.URL + "}\n")
	if out, exit := c.run("", "doctor", "--config", c.file); exit != 0 {
		t.Errorf("exit %d:\n%s", exit, out)
	}
	c.write("mcp_servers:\n  - {name: good, uri: x}\n")
	if out, exit := c.run("", "doctor", "--config", c.file); exit == 0 || !strings.Contains(out, "holotype.yaml:2") {
		t.Errorf("exit %d:\n%s", exit, out)
	}
}

// TestDoctorKnowsAnEntryThatLeadsBack: while the server runs, its own answer is what
// tells.
func TestDoctorKnowsAnEntryThatLeadsBack(t *testing.T) {
	c := configure(t, "mcp_servers:\n")
	handler, err := c.Handler()
	if err != nil {
		t.Fatal(err)
	}
	web := httptest.NewServer(handler)
	t.Cleanup(web.Close)
	c.write("mcp_servers:\n  - {name: mirror, url: " + web.URL + "/operator/mcp}\n")
	ok(t, c, system.ReloadConfig, system.ReloadConfigInput{})
	s := c.until("mirror", func(s system.Server) bool { return s.State == system.Failing })
	if s.NextStart != "" {
		t.Errorf("it is tried again at %s", s.NextStart)
	}
	out, exit := c.run("", "doctor")
	if exit != 1 || !strings.Contains(out, "fault mirror: leads back to this very server, which cannot bridge itself: take the entry out of its MCP servers, or correct its address\n") {
		t.Errorf("exit %d:\n%s", exit, out)
	}
	// It is tried again when somebody asks for that.
	if r := ok(t, c, system.ReloadConfig, system.ReloadConfigInput{}); !slices.Equal(r.Retried, []string{"mirror"}) {
		t.Errorf("a reload tries %q again", r.Retried)
	}
}

// TestTheEntryOfTheAPIIsThatOfTheFile: the keys are declared twice, as a shape of files
// and as a type of a capability.
func TestTheEntryOfTheAPIIsThatOfTheFile(t *testing.T) {
	var schema struct {
		Properties map[string]struct {
			OneOf []struct {
				Items struct {
					Properties map[string]json.RawMessage `json:"properties"`
				} `json:"items"`
			} `json:"oneOf"`
		} `json:"properties"`
	}
	text, err := config.Schema()
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &schema); err != nil {
		t.Fatal(err)
	}
	var file []string
	for _, form := range schema.Properties["mcp_servers"].OneOf {
		for key := range form.Items.Properties {
			if key != "name" {
				file = append(file, key)
			}
		}
	}
	var api []string
	for f := range fields(reflect.TypeFor[system.MCPServerEntry]()) {
		api = append(api, f)
	}
	slices.Sort(file)
	slices.Sort(api)
	if diff := cmp.Diff(file, api); diff != "" || len(api) == 0 {
		t.Errorf("(-file +api)\n%s", diff)
	}
}

func fields(t reflect.Type) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for f := range t.Fields() {
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			if !yield(name) {
				return
			}
		}
	}
}
