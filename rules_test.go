package holotype_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/capabilities/system"
)

// gated is a server on the network with rules in its configuration.
type gated struct {
	*configurable
	url, token string
}

func gatedBy(t *testing.T, text string) *gated {
	t.Helper()
	c := configure(t, text)
	handler, err := c.Handler()
	if err != nil {
		t.Fatal(err)
	}
	web := httptest.NewServer(handler)
	t.Cleanup(web.Close)
	token, err := os.ReadFile(filepath.Join(c.o.Data, "owner.token"))
	if err != nil {
		t.Fatal(err)
	}
	return &gated{c, web.URL, strings.TrimSpace(string(token))}
}

// RoundTrip sends a request with the owner's token.
func (g *gated) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+g.token)
	return http.DefaultTransport.RoundTrip(r)
}

func (g *gated) http(method, path, body string) (status int, answer string) {
	g.t.Helper()
	r, err := http.NewRequestWithContext(g.t.Context(), method, g.url+path, strings.NewReader(body))
	if err != nil {
		g.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	resp, err := g.RoundTrip(r)
	if err != nil {
		g.t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	all, err := io.ReadAll(resp.Body)
	if err != nil {
		g.t.Fatal(err)
	}
	return resp.StatusCode, string(all)
}

// post sends one message of MCP and answers the session that it was answered in.
func (g *gated) post(path, session, message string) (status int, id string) {
	g.t.Helper()
	r, err := http.NewRequestWithContext(g.t.Context(), http.MethodPost, g.url+path, strings.NewReader(message))
	if err != nil {
		g.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	if session != "" {
		r.Header.Set("Mcp-Session-Id", session)
		r.Header.Set("Mcp-Protocol-Version", "2025-11-25")
	}
	resp, err := g.RoundTrip(r)
	if err != nil {
		g.t.Fatal(err)
	}
	_, _ = io.Copy(io.Discard, resp.Body)
	_ = resp.Body.Close()
	return resp.StatusCode, resp.Header.Get("Mcp-Session-Id")
}

// mcp attaches a client; changed is told of its list.
func (g *gated) mcp(path string, changed chan<- struct{}) *mcp.ClientSession {
	g.t.Helper()
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, &mcp.ClientOptions{
		ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) { changed <- struct{}{} },
	})
	session, err := client.Connect(g.t.Context(), &mcp.StreamableClientTransport{Endpoint: g.url + path, HTTPClient: &http.Client{Transport: g}}, nil)
	if err != nil {
		g.t.Fatal(err)
	}
	g.t.Cleanup(func() { _ = session.Close() })
	return session
}

func (g *gated) tools(s *mcp.ClientSession) (names []string) {
	g.t.Helper()
	for tool, err := range s.Tools(g.t.Context(), nil) {
		if err != nil {
			g.t.Fatal(err)
		}
		names = append(names, tool.Name)
	}
	return names
}

// One rule, one sentence: every list leaves out what is denied, and every surface refuses
// a call of it in the same words.
func TestRulesHoldOnEverySurface(t *testing.T) {
	g := gatedBy(t, "gate:\n  deny: [\"purge_*\"]\n  refuse: [merge_work_item]\n")
	session := g.mcp("/operator/mcp", make(chan struct{}, 16))
	listed := map[string][]string{"MCP": g.tools(session)}
	var rows struct{ Items []struct{ Name string } }
	if _, answer := g.http(http.MethodGet, "/api/v1/tools?limit=200", ""); json.Unmarshal([]byte(answer), &rows) != nil {
		t.Fatalf("no list: %s", answer)
	}
	for _, row := range rows.Items {
		listed["HTTP"] = append(listed["HTTP"], row.Name)
	}
	out, exit := g.run("", "tools", "-o", "json")
	var tools struct{ Items []struct{ Name string } }
	if exit != 0 || json.Unmarshal([]byte(out), &tools) != nil {
		t.Fatalf("exit %d: %s", exit, out)
	}
	for _, tool := range tools.Items {
		listed["CLI"] = append(listed["CLI"], tool.Name)
	}
	var document struct {
		Paths map[string]map[string]struct {
			OperationID string `json:"operationId"`
		}
	}
	if _, answer := g.http(http.MethodGet, "/openapi.json", ""); json.Unmarshal([]byte(answer), &document) != nil {
		t.Fatalf("no document: %s", answer)
	}
	for _, path := range document.Paths {
		for _, operation := range path {
			if operation.OperationID != "" {
				listed["OpenAPI"] = append(listed["OpenAPI"], operation.OperationID)
			}
		}
	}
	for surface, names := range listed {
		if slices.Contains(names, "purge_work_item") || !slices.Contains(names, "merge_work_item") || !slices.Contains(names, "list_tools") {
			t.Errorf("%s lists %q", surface, names)
		}
	}
	slices.Sort(listed["OpenAPI"])
	if !slices.Equal(listed["MCP"], listed["OpenAPI"]) || !slices.Equal(listed["MCP"], listed["HTTP"]) || !slices.Equal(listed["MCP"], listed["CLI"]) {
		t.Errorf("the lists differ: %v", listed)
	}

	for name, c := range map[string]struct{ path, sentence string }{
		"purge_work_item": {"/api/v1/trash/WEB-1", "purge_work_item is denied (gate in the configuration): ask the owner of this server"},
		"merge_work_item": {"/api/v1/work-items/WEB-1/merge", "merge_work_item is refused (gate in the configuration): ask the owner of this server"},
	} {
		method := http.MethodPost
		if name == "purge_work_item" {
			method = http.MethodDelete
		}
		status, answer := g.http(method, c.path, `{}`)
		var problem struct{ Code, Detail string }
		if json.Unmarshal([]byte(answer), &problem) != nil || status != http.StatusForbidden || problem.Code != "forbidden" || problem.Detail != c.sentence {
			t.Errorf("HTTP answers %d %s", status, answer)
		}
		r, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: name, Arguments: map[string]any{}})
		if err != nil {
			t.Fatal(err)
		}
		if text, ok := r.Content[0].(*mcp.TextContent); !r.IsError || !ok || text.Text != c.sentence {
			t.Errorf("MCP answers %+v", r)
		}
		if out, exit := g.run("", "call", name, "--json", "{}"); exit != 4 || !strings.Contains(out, c.sentence) {
			t.Errorf("the CLI exits %d: %s", exit, out)
		}
	}
}

// Somebody is told of a change of the rules when it changes what they see, and only then.
func TestChangedRulesAreAnnounced(t *testing.T) {
	g := gatedBy(t, "gate: {deny: [purge_work_item]}\nseats: [{id: desk, gate: {read_only: true}}]\n")
	all, desk := make(chan struct{}, 16), make(chan struct{}, 16)
	everybody, atDesk := g.mcp("/operator/mcp", all), g.mcp("/seats/desk/mcp", desk)
	if names := g.tools(everybody); slices.Contains(names, "purge_work_item") || !slices.Contains(names, "create_project") {
		t.Fatalf("%q", names)
	}
	if names := g.tools(atDesk); slices.Contains(names, "create_project") || !slices.Contains(names, "list_projects") {
		t.Fatalf("at the desk: %q", names)
	}
	told := func(who string, c <-chan struct{}) {
		t.Helper()
		select {
		case <-c:
		case <-time.After(10 * time.Second):
			t.Fatalf("%s is not told", who)
		}
	}
	reload := func(text string) {
		t.Helper()
		g.write(text)
		ok(t, g, system.ReloadConfig, system.ReloadConfigInput{})
	}
	// The same in other words, and what only a reader sees.
	reload("# a comment\nseats: [{id: desk, name: The desk, gate: {read_only: true}}]\ngate:\n  deny: [purge_work_item]\n")
	// What one sees and the other does not.
	reload("gate: {}\nseats: [{id: desk, gate: {read_only: true}}]\n")
	told("everybody", all)
	if names := g.tools(everybody); !slices.Contains(names, "purge_work_item") {
		t.Errorf("%q", names)
	}
	reload("gate: {}\nseats: [{id: desk}]\n")
	told("the desk", desk)
	if names := g.tools(atDesk); !slices.Contains(names, "create_project") {
		t.Errorf("at the desk: %q", names)
	}
	if len(all) != 0 || len(desk) != 0 {
		t.Errorf("%d and %d more were told", len(all), len(desk))
	}
	// What cannot be read changes nothing.
	g.write("gate: {deny: [\"*_item\"]}\nseats: [{id: desk}]\n")
	refused(t, g, system.ReloadConfig, system.ReloadConfigInput{}, capabilities.Invalid, "gate.deny[0]")
	if names := g.tools(atDesk); !slices.Contains(names, "create_project") {
		t.Errorf("at the desk: %q", names)
	}
}

// A seat does what its entry says. One that says nothing has all but what changes how the
// server is run, whoever it is that lets an assistant in.
func TestASeatRunsTheServerOnlyWhereItsEntrySaysSo(t *testing.T) {
	g := gatedBy(t, "seats: [{id: silent}, {id: named, scopes: [\"*\", admin]}, {id: empty, scopes: []}]\n")
	for seat, want := range map[string]struct{ runs, writes bool }{"silent": {false, true}, "named": {true, true}, "empty": {}} {
		token := ok(t, g, system.CreateToken, system.CreateTokenInput{Name: seat, Scopes: []string{"*", "admin"}, Seat: seat}).Token
		for who, credential := range map[string]string{"the owner's credential": g.token, "a token": token} {
			for tool, may := range map[string]bool{"list_tokens": want.runs, "create_token": want.runs, "create_project": want.writes} {
				answer := g.tool(credential, "/seats/"+seat+"/mcp", tool, `{}`, "")
				if refused := strings.Contains(answer, "needs the scope"); refused == may {
					t.Errorf("%s by %s, in the seat %s: %s", tool, who, seat, answer)
				}
			}
		}
	}
}

// The addresses that serve a part serve no more than that, whatever is called there, and
// a session of one of them is no session of another.
func TestAddressesOfAPart(t *testing.T) {
	g := gatedBy(t, "seats: [{id: desk, scopes: [\"tracker:read\"]}]\n")
	whole := g.tools(g.mcp("/operator/mcp", make(chan struct{}, 16)))
	for path, c := range map[string]struct{ in, out string }{
		"/operator/mcp/readonly":  {"list_projects", "create_project"},
		"/operator/mcp/x/tracker": {"create_project", "list_tools"},
		"/operator/mcp/x/system":  {"list_tools", "create_project"},
		"/seats/desk/mcp":         {"list_projects", "create_project"},
	} {
		session := g.mcp(path, make(chan struct{}, 16))
		names := g.tools(session)
		if !slices.Contains(names, c.in) || slices.Contains(names, c.out) || len(names) == 0 || len(names) >= len(whole) {
			t.Errorf("%s lists %q", path, names)
		}
		for _, name := range names {
			if !slices.Contains(whole, name) {
				t.Errorf("%s lists %s, which the whole does not", path, name)
			}
		}
		r, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: c.out, Arguments: map[string]any{}})
		if err != nil {
			t.Fatal(err)
		}
		if !r.IsError || !strings.Contains(r.Content[0].(*mcp.TextContent).Text, c.out) {
			t.Errorf("%s answers a call of %s with %+v", path, c.out, r)
		}
	}
	// A session of the handshake era belongs to the address that it was opened at.
	hello := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`
	list := `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`
	_, id := g.post("/operator/mcp/readonly", "", hello)
	if status, _ := g.post("/operator/mcp/readonly", id, list); id == "" || status != http.StatusOK {
		t.Errorf("the session %q is answered with %d", id, status)
	}
	for _, path := range []string{"/operator/mcp", "/operator/mcp/x/system", "/operator/mcp/find", "/seats/desk/mcp"} {
		if status, _ := g.post(path, id, list); status != http.StatusNotFound {
			t.Errorf("%s answers a session of another address with %d", path, status)
		}
	}
	for path, want := range map[string]int{"/operator/mcp/x/nobody": 404, "/operator/mcp/x/": 404, "/operator/mcp/x": 404, "/seats/nobody/mcp": 404, "/seats/desk": 404, "/operator/mcp/read": 404, "/operator/mcp/x/tracker/readonly": 404, "/operator/mcp/find/x": 404, "/seats/nobody/mcp/find": 404} {
		if status, answer := g.http(http.MethodPost, path, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`); status != want {
			t.Errorf("%s answers %d: %s", path, status, answer)
		}
	}
}

// What only whoever knows the packs can judge stops the start, and a rule that stands for
// nothing is said.
func TestRulesAreJudged(t *testing.T) {
	c := configure(t, "gate:\n  off: [traker]\n")
	if _, err := c.Handler(); err == nil || !strings.Contains(err.Error(), `holotype.yaml:2: gate.off[0]: there is no pack and no MCP server "traker"`) {
		t.Errorf("%v", err)
	}
	c = configure(t, "gate:\n  off: [tracker]\n  deny: [purge_work_itm]\n")
	r := ok(t, c, system.ReloadConfig, system.ReloadConfigInput{})
	if len(r.Notices) != 1 || !strings.Contains(r.Notices[0], `holotype.yaml:3: gate.deny[0]: no tool here can have the name "purge_work_itm"`) {
		t.Errorf("%q", r.Notices)
	}
	if _, err := c.Invoke(t.Context(), capabilities.Call{Name: "list_projects", Principal: capabilities.OwnerPrincipal()}); err == nil || !strings.Contains(err.Error(), "switched off") {
		t.Errorf("%v", err)
	}
	c.write("seats:\n- id: desk\n  scopes: [\"*:read\", \"trakcer:write\", admin, \"system:*\"]\n")
	if r := ok(t, c, system.ReloadConfig, system.ReloadConfigInput{}); len(r.Notices) != 1 || !strings.Contains(r.Notices[0], `holotype.yaml:3: seats[0].scopes[1]: there is no pack and no MCP server "trakcer"`) {
		t.Errorf("%q", r.Notices)
	}
	c.write("oauth:\n  issuer: https://login.example\n  address: https://tools.example\n  scopes:\n    tools.read: [\"*:read\"]\n    tools.use: [\"tracker:*\", \"trakcer:write\"]\n")
	if r := ok(t, c, system.ReloadConfig, system.ReloadConfigInput{}); len(r.Notices) != 1 || !strings.Contains(r.Notices[0], `holotype.yaml:6: oauth.scopes["tools.use"][1]: there is no pack and no MCP server "trakcer"`) {
		t.Errorf("%q", r.Notices)
	}
	c.write("gate:\n  off: [tracker, nobody]\n")
	refused(t, c, system.ReloadConfig, system.ReloadConfigInput{}, capabilities.Invalid, `gate.off[1]: there is no pack and no MCP server "nobody"`)
}

// An administrator sees what somebody else sees, and nobody else does.
func TestAnAdministratorSeesWhatOthersSee(t *testing.T) {
	g := gatedBy(t, "people: [{id: ana}]\nseats: [{id: desk, scopes: [\"tracker:read\"]}]\nprincipals: [{id: person:ana, gate: {allow: [list_tools], refuse: [list_tools]}}]\n")
	names := func(in system.ListToolsInput) (all []string) {
		in.Limit = 1000
		for _, row := range ok(t, g, system.ListTools, in).Items {
			all = append(all, row.Name)
		}
		return all
	}
	if got, want := names(system.ListToolsInput{AsInput: system.AsInput{As: "seat:desk"}}), g.tools(g.mcp("/seats/desk/mcp", make(chan struct{}, 16))); !slices.Equal(got, want) || len(got) == 0 {
		t.Errorf("the seat is said to see %q and sees %q", got, want)
	}
	if own, hidden := names(system.ListToolsInput{}), names(system.ListToolsInput{AsInput: system.AsInput{As: "seat:desk"}, Hidden: true}); !slices.Equal(own, hidden) {
		t.Errorf("with what is hidden there are %d tools, want %d", len(hidden), len(own))
	}
	for _, row := range ok(t, g, system.ListTools, system.ListToolsInput{AsInput: system.AsInput{As: "person:ana"}, Hidden: true}).Items {
		listed := row.Name == "list_tools"
		if (row.Hidden == "") != listed || (row.Refused != "") != listed {
			t.Errorf("%s: hidden because %q, refused because %q", row.Name, row.Hidden, row.Refused)
		}
	}
	desk := ok(t, g, system.DescribeProjection, system.DescribeProjectionInput{AsInput: system.AsInput{As: "seat:desk"}})
	own := ok(t, g, system.DescribeProjection, system.DescribeProjectionInput{})
	if desk.Bytes == 0 || desk.Tokens == 0 || desk.Bytes >= own.Bytes || desk.Tokens >= own.Tokens || desk.Hidden[capabilities.ReasonScope] == 0 || len(desk.Tools)+desk.Hidden[capabilities.ReasonScope] != len(own.Tools) {
		t.Errorf("%d tools, %d bytes, %d tokens, hidden %v; the owner's %d, %d, %d", len(desk.Tools), desk.Bytes, desk.Tokens, desk.Hidden, len(own.Tools), own.Bytes, own.Tokens)
	}
	made := ok(t, g, system.CreateToken, system.CreateTokenInput{Name: "reader", Scopes: []string{"tracker:read"}})
	if got := names(system.ListToolsInput{AsInput: system.AsInput{As: "token:" + made.ID}}); !slices.Contains(got, "list_projects") || slices.Contains(got, "create_project") {
		t.Errorf("the token is said to see %q", got)
	}
	for _, who := range []string{"seat:nobody", "person:bob", "token:tok_none", "seat:", "somebody"} {
		_, err := system.ListTools.Call(t.Context(), g, capabilities.OwnerPrincipal(), system.ListToolsInput{AsInput: system.AsInput{As: who}})
		if e, isRefusal := capabilities.AsError(err); !isRefusal || e.Code != capabilities.Invalid {
			t.Errorf("%s: %v", who, err)
		}
	}
	reader := &capabilities.Principal{ID: "x", Kind: capabilities.Operator, Scopes: []string{"*"}}
	for _, in := range []system.ListToolsInput{{AsInput: system.AsInput{As: "owner"}}, {Hidden: true}} {
		_, err := system.ListTools.Call(t.Context(), g, reader, in)
		if e, isRefusal := capabilities.AsError(err); !isRefusal || e.Code != capabilities.Forbidden {
			t.Errorf("%+v: %v", in, err)
		}
	}
}

// A seat that is taken out of the configuration leaves nothing to whoever sits in it, the
// owner included, however long the session goes on.
func TestASeatThatIsGoneLetsNothingPass(t *testing.T) {
	g := gatedBy(t, "seats: [{id: desk, scopes: [\"tracker:read\"]}]\n")
	seated := capabilities.OwnerPrincipal()
	seated.Seat = "desk"
	view := func(name string) error {
		_, err := g.Invoke(t.Context(), capabilities.Call{Name: name, Principal: seated, Arguments: json.RawMessage(`{}`)})
		return err
	}
	if err := view("list_projects"); err != nil {
		t.Fatal(err)
	}
	g.write("seats: [{id: door}]\n")
	ok(t, g, system.ReloadConfig, system.ReloadConfigInput{})
	for _, name := range []string{"list_projects", "list_tokens"} {
		if e, isRefusal := capabilities.AsError(view(name)); !isRefusal || e.Code != capabilities.Forbidden || !strings.Contains(e.Message, `the seat "desk", which is not configured here any more`) {
			t.Errorf("%s: %v", name, e)
		}
	}
	if status, answer := g.http(http.MethodPost, "/seats//mcp", `{}`); status != http.StatusNotFound {
		t.Errorf("a seat without a name is answered %d: %s", status, answer)
	}
}
