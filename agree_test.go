package holotype

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/config"
	"github.com/seed-89b9419b/holotype/internal/gate"
	"github.com/seed-89b9419b/holotype/projection/cli"
	"github.com/seed-89b9419b/holotype/tests/fixture"
)

// statesVariable says on how many states the surfaces are compared.
const statesVariable = "HOLOTYPE_STATES"

// Listed is callable: whatever the rules, whoever calls and however its servers are, the
// list of MCP, the caller's OpenAPI document, the commands, the rows of the catalogue and
// the calls that pass are of the same tools, but for those that are listed and say why a
// call is refused. The surfaces are those of a running server, and the calls are made.
func TestListedIsCallableOnEverySurface(t *testing.T) {
	states := 45
	if n, err := strconv.Atoi(os.Getenv(statesVariable)); err == nil {
		states = n
	}
	for name, value := range map[string]string{"rapid.checks": strconv.Itoa(states/3 + 1), "rapid.nofailfile": "true", "rapid.shrinktime": "20s"} {
		before := flag.Lookup(name).Value.String()
		if err := flag.Set(name, value); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = flag.Set(name, before) })
	}
	w := newWorld(t)
	tried := 0
	rapid.Check(t, func(t *rapid.T) {
		w.arrange(t)
		for range 3 {
			w.who = drawPrincipal(t)
			w.agree(t)
			tried++
		}
	})
	t.Logf("%d states", tried)
}

// world is a server whose rules, caller and servers are put as a state has them.
type world struct {
	s       *Server
	e       *engine
	http    http.Handler
	file    string
	who     *capabilities.Principal
	program *cli.CLI
	config  string
	down    map[string]bool
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{file: filepath.Join(t.TempDir(), "rules.json"), down: map[string]bool{}}
	w.s = New(Options{
		Data: InMemory, Packs: []capabilities.Bound{fixture.Pack.Bind(fixture.Deps{})}, NativePacks: []string{"system"},
		Lookup:       func(string) (string, bool) { return "", false },
		Log:          slog.New(slog.DiscardHandler),
		Authenticate: func(*http.Request) (*capabilities.Principal, error) { return w.who, nil },
	})
	t.Cleanup(func() {
		if err := w.s.Close(); err != nil {
			t.Error(err)
		}
	})
	var err error
	if w.e, err = w.s.started(); err != nil {
		t.Fatal(err)
	}
	if w.http, err = w.s.Handler(); err != nil {
		t.Fatal(err)
	}
	w.program = cli.New(cli.Options{Name: "holotype", Open: func(context.Context, cli.OpenRequest) (cli.Session, error) {
		return seenBy{w.e.door, w.e.views, w.who}, nil
	}})
	return w
}

// seenBy is the command line of a principal.
type seenBy struct {
	*capabilities.Door
	*capabilities.Views
	who *capabilities.Principal
}

func (s seenBy) Principal() *capabilities.Principal   { return s.who }
func (s seenBy) Absent(context.Context, string) error { return nil }
func (s seenBy) Attached() bool                       { return true }
func (s seenBy) Close() error                         { return nil }

// fataler is what fails: a test, or one state of it.
type fataler interface {
	Helper()
	Fatalf(format string, args ...any)
	Errorf(format string, args ...any)
}

// rule puts rules in force, as a reload does.
func (w *world) rule(t fataler, text string) {
	t.Helper()
	if err := os.WriteFile(w.file, []byte(text), 0o600); err != nil {
		t.Fatalf("%v", err)
	}
	c, err := config.Load(config.Options{Path: w.file})
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	if err := w.e.checkRules(c); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	w.config = text
	w.e.settings.put(c, nil)
	w.e.rule(c)
}

// arrange draws the rules and the servers.
func (w *world) arrange(t *rapid.T) {
	text, err := json.Marshal(drawConfig(t))
	if err != nil {
		t.Fatalf("%v", err)
	}
	w.e.gate.PutGrants(gate.CompileGrants(drawGrants(t), w.e.now))
	w.rule(t, string(text))
	for _, seat := range []string{"", "desk"} {
		for _, server := range []string{"far", "near"} {
			w.down[seat+server] = rapid.Bool().Draw(t, "down "+seat+server)
			w.e.live.Replace(seat, server, w.drawTools(t, seat, server))
		}
	}
}

// drawTools answers tools of a server, whose hints are any.
func (w *world) drawTools(t *rapid.T, seat, server string) (tools []*capabilities.Capability) {
	for i := range rapid.IntRange(0, 3).Draw(t, "tools of "+seat+server) {
		hint := func(name string) capabilities.HintFact {
			return capabilities.HintFact{Value: rapid.SampledFrom([]capabilities.Hint{capabilities.Unknown, capabilities.Yes, capabilities.No}).Draw(t, name)}
		}
		tool := fmt.Sprintf("tool_%d", i)
		c, err := capabilities.NewBridged(capabilities.BridgedSpec{
			Name: server + "__" + tool, Tool: tool, Server: server, Input: []byte(`{"type":"object"}`),
			Hints: capabilities.HintFacts{ReadOnly: hint("read-only"), Destructive: hint("destructive"), Idempotent: hint("idempotent"), OpenWorld: hint("open world")},
			Handler: func(context.Context, *capabilities.Invocation) (*capabilities.Result, error) {
				if w.down[seat+server] {
					return nil, capabilities.Refuse(capabilities.Unavailable, "%s is down", server)
				}
				return &capabilities.Result{Structured: []byte(`{}`)}, nil
			},
		})
		if err != nil {
			t.Fatalf("%v", err)
		}
		tools = append(tools, c)
	}
	return tools
}

// agree compares what every surface offers the caller with the calls that pass.
func (w *world) agree(t fataler) {
	t.Helper()
	mcp, all := w.onMCP(t), map[string]*capabilities.Capability{}
	for c := range w.e.live.For(w.who).All() {
		all[c.Name()] = c
	}
	same := func(what string, want, got []string) {
		t.Helper()
		slices.Sort(got)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s for %+v under %s (-tools/list +it)\n%s", what, *w.who, w.config, diff)
		}
	}
	// Old names are served, and neither documented nor suggested.
	current := slices.DeleteFunc(slices.Clone(mcp), func(name string) bool { return all[name].AliasOf() != "" })
	same("the command line", current, w.onCLI(t))
	same("the OpenAPI document", current, w.onHTTP(t))
	rows, marked := w.rows(t)
	if rows != nil {
		same("the catalogue", mcp, rows)
	}
	var passed, refused, said []string
	approved := map[string]bool{}
	for _, h := range w.e.views.View(w.who).Refused {
		said = append(said, h.Capability.Name())
		approved[h.Capability.Name()] = h.Rule.Reason == capabilities.ReasonApproval
	}
	for name, c := range all {
		code, listed := w.call(t, c), slices.Contains(mcp, name)
		if approved[name] && !served(c) && code == capabilities.Invalid {
			code = capabilities.ApprovalNeeded // nobody is asked to approve a call that says nothing
		}
		switch code {
		case capabilities.Forbidden, capabilities.ApprovalNeeded:
			if listed {
				refused = append(refused, name)
			}
		case capabilities.Unavailable:
			if !w.down[w.childOf(c)+c.Server()] || !c.Bridged() {
				t.Errorf("%s is unavailable, and no server is down", name)
			}
			passed = append(passed, name)
		default:
			passed = append(passed, name)
		}
	}
	slices.Sort(refused)
	if diff := cmp.Diff(said, refused); diff != "" {
		t.Errorf("listed and refused for %+v under %s (-said +it)\n%s", *w.who, w.config, diff)
	}
	if rows != nil {
		if diff := cmp.Diff(refused, marked); diff != "" {
			t.Errorf("rows that say so for %+v under %s (-refused +marked)\n%s", *w.who, w.config, diff)
		}
	}
	same("what passes, and what is listed and refused", mcp, append(passed, refused...))
	w.parts(t, mcp)
	w.discovered(t, mcp)
}

// childOf answers the seat whose own server a tool is of.
func (w *world) childOf(c *capabilities.Capability) string {
	shared, ok := w.e.live.Registry().Find(c.Name())
	if ok && shared == c {
		return ""
	}
	return w.who.Seat
}

// parts checks that the addresses which serve a part serve one.
func (w *world) parts(t fataler, whole []string) {
	t.Helper()
	readOnly := w.list(t, "/operator/mcp/readonly")
	for _, name := range readOnly {
		c, _, _ := w.e.views.Find(w.who, name)
		if !slices.Contains(whole, name) || !c.Hints().ReadOnlyProven() {
			t.Errorf("%s is served at the read-only address", name)
		}
	}
	for _, name := range whole {
		if c, _, _ := w.e.views.Find(w.who, name); c.Hints().ReadOnlyProven() && !slices.Contains(readOnly, name) {
			t.Errorf("%s is not served at the read-only address", name)
		}
	}
	for _, group := range []string{"fixture", "far"} {
		want := slices.DeleteFunc(slices.Clone(whole), func(name string) bool {
			c, _, _ := w.e.views.Find(w.who, name)
			return c.Group() != group
		})
		if len(want) == 0 {
			continue // an address with nothing on it is none
		}
		if diff := cmp.Diff(want, w.list(t, "/operator/mcp/x/"+group)); diff != "" {
			t.Errorf("the address of %s (-want +got)\n%s", group, diff)
		}
	}
}

func (w *world) send(t fataler, method, path, body string, header ...string) (status int, answer []byte) {
	t.Helper()
	r := httptest.NewRequestWithContext(context.Background(), method, "http://127.0.0.1"+path, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	rec := httptest.NewRecorder()
	w.http.ServeHTTP(rec, r)
	if _, data, events := bytes.Cut(rec.Body.Bytes(), []byte("\ndata: ")); events {
		return rec.Code, data
	}
	return rec.Code, rec.Body.Bytes()
}

func read(t fataler, answer []byte, into any) {
	t.Helper()
	if err := json.Unmarshal(answer, into); err != nil {
		t.Fatalf("%v in %.300s", err, answer)
	}
}

const onWire = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}`

func (w *world) onMCP(t fataler) []string { t.Helper(); return w.list(t, "/operator/mcp") }

// list answers the names of tools/list at an address of MCP.
func (w *world) list(t fataler, path string) (names []string) {
	t.Helper()
	_, answer := w.send(t, http.MethodPost, path, `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{`+onWire+`}}`,
		"Mcp-Protocol-Version", "2026-07-28", "Mcp-Method", "tools/list")
	var page struct {
		Result *struct{ Tools []struct{ Name string } }
	}
	if read(t, answer, &page); page.Result == nil {
		t.Fatalf("no list at %s: %.300s", path, answer)
	}
	for _, tool := range page.Result.Tools {
		names = append(names, tool.Name)
	}
	slices.Sort(names)
	return names
}

// onHTTP answers the operations of the caller's own document.
func (w *world) onHTTP(t fataler) (names []string) {
	t.Helper()
	status, answer := w.send(t, http.MethodGet, "/openapi.json", "")
	var document struct {
		Paths map[string]map[string]json.RawMessage
	}
	if read(t, answer, &document); status != http.StatusOK {
		t.Fatalf("%d %.300s", status, answer)
	}
	for _, methods := range document.Paths {
		for _, raw := range methods {
			var operation struct{ OperationID string }
			if bytes.Contains(raw, []byte(`"operationId"`)) {
				read(t, raw, &operation)
				names = append(names, operation.OperationID)
			}
		}
	}
	return names
}

// onCLI answers the tools that the command line has for the caller.
func (w *world) onCLI(t fataler) (names []string) {
	t.Helper()
	var out, errs bytes.Buffer
	if exit := w.program.Run(context.Background(), []string{"__complete", "call", ""}, strings.NewReader(""), &out, &errs); exit != 0 {
		t.Fatalf("exit %d: %s", exit, errs.String())
	}
	for line := range strings.Lines(out.String()) {
		if name, _, _ := strings.Cut(strings.TrimSpace(line), "\t"); name != "" && name[0] != ':' {
			names = append(names, name)
		}
	}
	return names
}

// rows answers the rows of the catalogue, and those that say that calls are refused; nil
// where the caller may not list them.
func (w *world) rows(t fataler) (names, refused []string) {
	t.Helper()
	status, answer := w.send(t, http.MethodGet, "/api/v1/tools?limit=200", "")
	if status != http.StatusOK {
		return nil, nil
	}
	var page struct {
		Items []struct{ Name, Refused string }
	}
	read(t, answer, &page)
	names = []string{}
	for _, row := range page.Items {
		names = append(names, row.Name)
		if row.Refused != "" {
			refused = append(refused, row.Name)
		}
	}
	slices.Sort(refused)
	return names, refused
}

// served reports whether a capability takes no arguments, and is really called.
func served(c *capabilities.Capability) bool {
	return c.Bridged() || strings.HasPrefix(c.Name(), "effect_")
}

// call calls a tool on each surface, and answers the code that all of them have; "" is
// none. Arguments that no input takes show that a call has passed all that comes before.
func (w *world) call(t fataler, c *capabilities.Capability) capabilities.Code {
	t.Helper()
	args := `{"~":0}`
	if served(c) {
		args = `{}`
	}
	codes := map[capabilities.Surface]capabilities.Code{}
	var answer []byte
	switch route := c.Route(); {
	case c.Bridged():
		_, answer = w.send(t, http.MethodPost, "/api/v1/servers/"+c.Server()+"/tools/"+c.Tool(), args)
	case served(c) && route.Method == http.MethodGet:
		_, answer = w.send(t, route.Method, "/api/v1"+route.Path, "")
	case served(c):
		_, answer = w.send(t, route.Method, "/api/v1"+route.Path, args)
	default:
		_, answer = w.send(t, http.MethodPost, "/operator/act/"+c.Name(), args, "Idempotency-Key", "k"+capabilities.NewRequestID())
	}
	var problem struct{ Code capabilities.Code }
	read(t, answer, &problem)
	codes[capabilities.HTTP] = problem.Code
	_, answer = w.send(t, http.MethodPost, "/operator/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"`+c.Name()+`","arguments":`+args+`,`+onWire+`}}`,
		"Mcp-Protocol-Version", "2026-07-28", "Mcp-Method", "tools/call", "Mcp-Name", c.Name())
	var result struct {
		Result *struct {
			Meta struct {
				Error *struct{ Code capabilities.Code } `json:"holotype/error"`
			} `json:"_meta"`
		}
	}
	if read(t, answer, &result); result.Result == nil {
		t.Fatalf("%s: %s", c.Name(), answer)
	}
	if e := result.Result.Meta.Error; e != nil {
		codes[capabilities.MCP] = e.Code
	} else {
		codes[capabilities.MCP] = ""
	}
	first := codes[capabilities.HTTP]
	for surface, code := range codes {
		if code != first {
			t.Errorf("%s of %+v answers %q on %s and %q on HTTP under %s", c.Name(), *w.who, code, surface, first, w.config)
		}
	}
	return first
}
