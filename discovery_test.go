package holotype_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Whoever asks for it at an address, and whoever's list is too long, is given four tools;
// the calls that are noted are the inner ones, and the calls of seats are the seats'.
func TestDiscoveryIsServed(t *testing.T) {
	const seats = "seats: [{id: desk, scopes: [\"tracker:read\"]}]\n"
	g := gatedBy(t, seats)
	changed := make(chan struct{}, 16)
	session := g.mcp("/operator/mcp", changed)
	if n := len(g.tools(session)); n < 10 {
		t.Fatalf("%d tools are listed", n)
	}
	for _, path := range []string{"/operator/mcp/find", "/seats/desk/mcp/find"} {
		finds := g.mcp(path, make(chan struct{}, 16))
		if got := strings.Join(g.tools(finds), " "); got != "find_tools describe_tools call_read call_write" {
			t.Errorf("%s lists %s", path, got)
		}
		for tool, by := range map[string]string{"list_projects": "call_read", "create_project": "call_write"} {
			r, err := finds.CallTool(t.Context(), &mcp.CallToolParams{Name: by, Arguments: map[string]any{"name": tool}})
			if err != nil {
				t.Fatal(err)
			}
			text, _ := r.Content[0].(*mcp.TextContent)
			wants := map[bool]string{true: "tracker:write", false: "arguments"}[strings.HasPrefix(path, "/seats/")]
			if r.IsError != (tool == "create_project") || r.IsError && !strings.Contains(text.Text, wants) {
				t.Errorf("%s at %s: %s", tool, path, text.Text)
			}
		}
	}
	for path, want := range map[string]bool{"/operator/mcp/find": true, "/operator/mcp": false} {
		r, err := g.mcp(path, make(chan struct{}, 16)).CallTool(t.Context(), &mcp.CallToolParams{Name: "describe_projection"})
		if err != nil {
			t.Fatal(err)
		}
		if text, _ := r.Content[0].(*mcp.TextContent); strings.Contains(text.Text, "find them with find_tools") != want {
			t.Errorf("describe_projection at %s: %.500s", path, text.Text)
		}
	}
	hello := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}` + "\n" +
		`{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n" + `{"jsonrpc":"2.0","id":2,"method":"tools/list"}` + "\n"
	for _, seat := range [][]string{nil, {"--seat", "desk"}} {
		out, exit := g.run(hello, append([]string{"mcp", "--find"}, seat...)...)
		if exit != 0 || strings.Count(out, `"inputSchema"`) != 4 || !strings.Contains(out, `"find_tools"`) {
			t.Errorf("mcp --find %v ends with %d: %.500s", seat, exit, out)
		}
	}
	if _, rows := g.http(http.MethodGet, "/api/v1/calls?limit=50", ""); strings.Contains(rows, "call_read") || !strings.Contains(rows, "list_projects") || !strings.Contains(rows, "create_project") {
		t.Errorf("noted: %s", rows)
	}
	g.write(seats + "discovery: {above_tokens: 100}\n")
	if status, answer := g.http(http.MethodPost, "/api/v1/config/reload", "{}"); status != http.StatusOK {
		t.Fatalf("%d: %s", status, answer)
	}
	<-changed
	if got := g.tools(session); len(got) != 4 {
		t.Errorf("above the limit %v is listed", got)
	}
}
