package faults_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/seed-89b9419b/holotype"
	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/capabilities/system"
)

// An entry is one entry of mcp_servers.
type entry map[string]any

// A product is Holotype with some servers, one of which is healthy.
type product struct {
	server *holotype.Server
	url    string
	token  string
	log    *records
	mark   string
}

// secret is what ${FAULT_TOKEN} stands for in every configuration of these tests.
const secret = "tok_4d1f0a7c59e2b836/+"

// start serves the native packs, a healthy server and the entries. The end of the
// test closes it, and fails it when a process of a server is left then.
func start(t *testing.T, entries ...entry) *product {
	t.Helper()
	p := &product{log: &records{}, mark: fmt.Sprintf("%s.%d.", strings.ReplaceAll(t.Name(), "/", "."), os.Getpid())}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	entries = append(entries, entry{"name": "healthy", "command": exe, "env": map[string]string{serveVariable: "healthy", "GORACE": "atexit_sleep_ms=10"}})
	for _, e := range entries {
		if e["command"] == nil {
			continue
		}
		env, _ := e["env"].(map[string]string)
		if env == nil {
			env = map[string]string{}
		}
		env[markVariable] = p.mark
		e["env"] = env
	}
	text, err := json.Marshal(map[string]any{"mcp_servers": entries}) // JSON is YAML
	if err != nil {
		t.Fatal(err)
	}
	config := filepath.Join(t.TempDir(), "holotype.yaml")
	if err := os.WriteFile(config, text, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { noneLeft(t, p.mark) })
	p.server = holotype.New(holotype.Options{
		Config: config, Data: holotype.InMemory, Log: slog.New(slog.NewJSONHandler(p.log, &slog.HandlerOptions{Level: slog.LevelDebug})),
		Lookup: func(name string) (string, bool) { return secret, name == "FAULT_TOKEN" },
	})
	handler, err := p.server.Handler()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		began := time.Now()
		if err := p.server.Close(); err != nil {
			t.Errorf("closing the product: %v", err)
		}
		t.Logf("closed in %s", time.Since(began).Round(time.Millisecond))
	})
	web := httptest.NewServer(handler)
	t.Cleanup(web.Close)
	p.url = web.URL
	if p.token, err = p.server.OwnerToken(); err != nil {
		t.Fatal(err)
	}
	p.await(t, "healthy", func(s system.Server) bool { return s.State == system.Running })
	if len(marked(t, p.mark)) == 0 {
		t.Fatal("the healthy server runs and its process is not found: nothing could be said of what is left")
	}
	return p
}

// rows answers list_mcp_servers by name.
func (p *product) rows(t *testing.T) map[string]system.Server {
	t.Helper()
	rows := map[string]system.Server{}
	var in system.ListMCPServersInput
	for {
		page, err := system.ListMCPServers.Call(context.WithoutCancel(t.Context()), p.server, capabilities.OwnerPrincipal(), in)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range page.Items {
			rows[s.Name] = s
		}
		if page.NextCursor == "" {
			return rows
		}
		in.Cursor = page.NextCursor
	}
}

// patience is how long a test waits for what has to come. A machine that is busy with
// everything at once needs some.
const patience = 200 * time.Second

// await polls until the row of a server fits.
func (p *product) await(t *testing.T, name string, fits func(system.Server) bool) system.Server {
	t.Helper()
	deadline := time.After(patience)
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		row := p.rows(t)[name]
		if fits(row) {
			return row
		}
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatalf("waiting for server %q, which is %+v", name, row)
		}
	}
}

// An answer is a tool result as it stands on the wire.
type answer struct {
	Content    []json.RawMessage `json:"content"`
	Structured json.RawMessage   `json:"structuredContent"`
	IsError    bool              `json:"isError"`
	Meta       struct {
		Error struct {
			Code       capabilities.Code `json:"code"`
			Maybe      bool              `json:"maybe_applied"`
			RetryAfter int               `json:"retry_after_seconds"`
		} `json:"holotype/error"`
	} `json:"_meta"`
	raw []byte
}

// text joins the texts of an answer's blocks.
func (a answer) text(t *testing.T) string {
	t.Helper()
	var all []string
	for _, raw := range a.Content {
		var b struct{ Text string }
		if err := json.Unmarshal(raw, &b); err != nil {
			t.Fatal(err)
		}
		all = append(all, b.Text)
	}
	return strings.Join(all, "\n")
}

// modern is the protocol version that these tests speak.
const modern = "2026-07-28"

// post sends one MCP request of the newest era and answers the raw result.
func (p *product) post(ctx context.Context, method, name, params string) ([]byte, error) {
	body := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":{%s"_meta":{"io.modelcontextprotocol/protocolVersion":%q,"io.modelcontextprotocol/clientInfo":{"name":"faults","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}}}`,
		method, params, modern)
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, p.url+"/operator/mcp", strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	for key, value := range map[string]string{
		"Authorization": "Bearer " + p.token, "Content-Type": "application/json", "Accept": "application/json, text/event-stream",
		"Mcp-Protocol-Version": modern, "Mcp-Method": method, "Mcp-Name": name,
	} {
		if value != "" {
			req.Header.Set(key, value)
		}
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer func() { _ = resp.Body.Close() }()
	return resultOf(resp)
}

// try calls a tool over MCP.
func (p *product) try(ctx context.Context, tool, arguments string) (a answer, err error) {
	quoted, err := json.Marshal(tool)
	if err != nil {
		return a, err
	}
	a.raw, err = p.post(ctx, "tools/call", tool, `"name":`+string(quoted)+`,"arguments":`+arguments+`,`)
	if err != nil {
		return a, err
	}
	return a, json.Unmarshal(a.raw, &a)
}

// call is try for one that is answered, with whatever.
func (p *product) call(t *testing.T, tool, arguments string) answer {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	a, err := p.try(ctx, tool, arguments)
	if err != nil {
		t.Fatalf("calling %s: %v", tool, err)
	}
	return a
}

// list answers what tools/list says of every tool, by its exposed name.
func (p *product) list(t *testing.T) map[string]listed {
	t.Helper()
	all := map[string]listed{}
	params := ""
	for {
		data, err := p.post(t.Context(), "tools/list", "", params)
		if err != nil && params != "" {
			clear(all) // the list changed between two pages: another server came or went
			params = ""
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		var page struct {
			Tools []json.RawMessage
			Next  json.RawMessage `json:"nextCursor"`
		}
		if err := json.Unmarshal(data, &page); err != nil {
			t.Fatalf("%v in %.300s", err, data)
		}
		for _, raw := range page.Tools {
			one := asListed(t, raw)
			all[one.Name] = one
		}
		if page.Next == nil {
			return all
		}
		params = `"cursor":` + string(page.Next) + `,`
	}
}

// A listed is one tool of a list.
type listed struct {
	Name        string
	Title       string
	Description string
	Input       json.RawMessage `json:"inputSchema"`
	Output      json.RawMessage `json:"outputSchema"`
	Annotations json.RawMessage
	raw         json.RawMessage
}

// serves fails unless the builtins and the healthy server serve.
func (p *product) serves(t *testing.T) {
	t.Helper()
	if a := p.call(t, "healthy__echo", `{"text":"well"}`); a.IsError || a.text(t) != "well" {
		t.Errorf("the healthy server answers %s", a.raw)
	}
	if a := p.call(t, "list_tools", `{"limit":1}`); a.IsError || a.Structured == nil {
		t.Errorf("a builtin answers %s", a.raw)
	}
}

// records keeps what is logged.
type records struct {
	mu   sync.Mutex
	list []record
	text []byte
}

type record struct {
	Level  string
	Msg    string
	Server string
	Phase  string
	Reason string
	Cause  string // of a server that went down
	Error  string // of a restart that failed
	Stderr string `json:"stderr_tail"`
	Line   string
}

// Write implements [io.Writer].
func (r *records) Write(p []byte) (int, error) {
	var one record
	if err := json.Unmarshal(p, &one); err != nil {
		return 0, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.text = append(r.text, p...)
	r.list = append(r.list, one)
	return len(p), nil
}

// of answers the records of a server with a message; "" is every message of the level
// error.
func (r *records) of(server, msg string) []record {
	r.mu.Lock()
	defer r.mu.Unlock()
	var found []record
	for _, one := range r.list {
		if one.Server == server && (one.Msg == msg || msg == "" && one.Level == "ERROR") {
			found = append(found, one)
		}
	}
	return found
}

// holds reports whether a text stands anywhere in the log.
func (r *records) holds(text string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return strings.Contains(string(r.text), text)
}
