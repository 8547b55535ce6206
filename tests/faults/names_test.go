package faults_test

import (
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-89b9419b/holotype"
	"github.com/seed-89b9419b/holotype/capabilities/system"
)

// TestNamesWithASlash: servers of a public registry are called io.github.some/server, and
// tools of some are called files/read. Both are reached on every surface.
func TestNamesWithASlash(t *testing.T) {
	t.Parallel()
	const server = "io.github.some/server"
	dir := t.TempDir()
	tools := filepath.Join(dir, "tools.json")
	list := `{"result":{"tools":[` + echoTool + `,` + strings.Replace(echoTool, "echo", "files/read", 1) + `,` + strings.Replace(echoTool, "echo", "a b%2Fc/é", 1) + `]}}`
	if err := os.WriteFile(tools, []byte(list), 0o600); err != nil {
		t.Fatal(err)
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(map[string]any{"mcp_servers": []any{map[string]any{
		"name": server, "command": exe, "env": map[string]string{serveVariable: tools}, "tool_prefix": "some__",
	}}})
	if err != nil {
		t.Fatal(err)
	}
	config := filepath.Join(dir, "holotype.yaml")
	if err := os.WriteFile(config, text, 0o600); err != nil {
		t.Fatal(err)
	}
	o := holotype.Options{
		Config: config, Data: filepath.Join(dir, "data"), Log: slog.New(slog.DiscardHandler),
		Lookup: func(name string) (string, bool) { return dir, name == "HOME" },
	}
	p := &product{server: holotype.New(o), log: &records{}}
	handler, err := p.server.Handler()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.server.Close(); err != nil {
			t.Errorf("closing the product: %v", err)
		}
	})
	web := httptest.NewServer(handler)
	t.Cleanup(web.Close)
	p.url = web.URL
	if p.token, err = p.server.OwnerToken(); err != nil {
		t.Fatal(err)
	}
	p.await(t, server, func(s system.Server) bool { return s.State == system.Running })

	names := p.names(t, "some__")
	if len(names) != 3 {
		t.Fatalf("listed are %q", names)
	}
	for _, name := range names {
		if a := p.call(t, name, `{"text":"over MCP"}`); a.IsError || a.text(t) != "over MCP" {
			t.Errorf("%s answers %s", name, a.raw)
		}
		var out, errs strings.Builder
		exit := holotype.New(o).Command().Run(t.Context(), []string{"call", name, "--text", "by the command"}, strings.NewReader(""), &out, &errs)
		if exit != 0 || !strings.Contains(out.String(), "by the command") {
			t.Errorf("call %s exits %d: %s%s", name, exit, out.String(), errs.String())
		}
	}

	var doc struct {
		Paths map[string]json.RawMessage `json:"paths"`
	}
	if err := json.Unmarshal(p.send(t, "GET", "/openapi.json", ""), &doc); err != nil {
		t.Fatal(err)
	}
	found := 0
	for path := range doc.Paths {
		if strings.HasPrefix(path, "/servers/") {
			found++
			if body := p.send(t, "POST", "/api/v1"+path, `{"text":"over HTTP"}`); !strings.Contains(string(body), "over HTTP") {
				t.Errorf("%s answers %s", path, body)
			}
		}
	}
	if found != len(names) {
		t.Errorf("the document has %d paths of %d tools", found, len(names))
	}
	// What is told of a server is told under its name too.
	for _, path := range []string{"/api/v1/mcp-servers/", "/api/v1/config/mcp-servers/"} {
		if body := p.send(t, "GET", path+url.PathEscape(server), ""); !strings.Contains(string(body), `"name":"`+server+`"`) {
			t.Errorf("%s answers %s", path, body)
		}
	}
}

// send sends a request over HTTP and answers the body of a good answer.
func (p *product) send(t *testing.T, method, path, body string) []byte {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, p.url+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+p.token)
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	answered, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Errorf("%s %s answers %d: %s %v", method, path, resp.StatusCode, answered, err)
	}
	return answered
}
