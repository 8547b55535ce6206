package holotype_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/seed-89b9419b/holotype/capabilities"
)

// seated is a server with the seat "desk", a token of it, and two people, one of whom
// has rules.
func seated(t *testing.T) (g *gated, token string) {
	t.Helper()
	g = gatedBy(t, `people: [{id: ada}, {id: bob}]
seats: [{id: desk, scopes: ["*"], gate: {deny: [purge_work_item]}}]
principals: [{id: "person:ada", gate: {deny: [create_project], read_only: false}}]
`)
	out, exit := g.run("", "token", "create", "--name", "desk", "--scope", "*", "--seat", "desk")
	if exit != 0 {
		t.Fatalf("exit %d: %s", exit, out)
	}
	for word := range strings.FieldsSeq(out) {
		if strings.HasPrefix(word, "hlt_") {
			return g, word
		}
	}
	t.Fatalf("no token in %q", out)
	return nil, ""
}

// send sends a request with a token and answers the status and the body.
func (g *gated) send(token, method, path, body string, header ...string) (status int, answer string) {
	g.t.Helper()
	r := httptest.NewRequestWithContext(g.t.Context(), method, g.url+path, strings.NewReader(body))
	r.Header.Set("Authorization", "Bearer "+token)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	for i := 0; i < len(header); i += 2 {
		r.Header.Add(header[i], header[i+1])
	}
	handler, err := g.Handler()
	if err != nil {
		g.t.Fatal(err)
	}
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, r)
	return w.Code, w.Body.String()
}

// tool calls a tool as a client of MCP does, of the revision without sessions.
func (g *gated) tool(token, path, name, args, meta string) string {
	g.t.Helper()
	message := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%q,"arguments":%s,"_meta":{`+
		`"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"},`+
		`"io.modelcontextprotocol/clientCapabilities":{}%s}}}`, name, args, meta)
	_, answer := g.send(token, http.MethodPost, path, message, "Mcp-Protocol-Version", "2026-07-28", "Mcp-Method", "tools/call", "Mcp-Name", name)
	return answer
}

const project = `{"key":"WEB","title":"Web"}`

func TestASeatThatActsForSomebodyMayDoWhatBothMay(t *testing.T) {
	g, token := seated(t)
	status, answer := g.send(token, http.MethodPost, "/api/v1/projects", project, "Acting-For", "ada")
	if status != http.StatusForbidden || !strings.Contains(answer, "principals[0].gate") {
		t.Errorf("what ada may not: %d %s", status, answer)
	}
	if answer := g.tool(token, "/operator/mcp", "create_project", project, `,"holotype/acting_for":"ada"`); !strings.Contains(answer, `"forbidden"`) {
		t.Errorf("what ada may not, over MCP: %s", answer)
	}
	if status, answer := g.send(token, http.MethodPost, "/api/v1/projects", project, "Acting-For", "bob"); status != http.StatusOK {
		t.Fatalf("what both may: %d %s", status, answer)
	}
	if answer := g.tool(token, "/operator/mcp", "create_work_item", `{"project":"WEB","title":"one"}`, `,"holotype/acting_for":"ada"`); strings.Contains(answer, "isError") || !strings.Contains(answer, "WEB-1") {
		t.Fatalf("what both may, over MCP: %s", answer)
	}
	if status, answer := g.send(token, http.MethodDelete, "/api/v1/work-items/WEB-1/purge", `{}`, "Acting-For", "bob"); status == http.StatusOK {
		t.Errorf("what the seat may not: %s", answer)
	}
	// Whom it was for stands with the change and with the call.
	_, activity := g.send(token, http.MethodGet, "/api/v1/activity", "")
	var page struct {
		Items []struct {
			Kind, By  string
			ActingFor string `json:"acting_for"`
		}
	}
	if err := json.Unmarshal([]byte(activity), &page); err != nil || len(page.Items) != 2 {
		t.Fatalf("%v in %s", err, activity)
	}
	for i, person := range []string{"bob", "ada"} {
		if page.Items[i].By != "desk" || page.Items[i].ActingFor != person {
			t.Errorf("%+v, want it by desk for %s", page.Items[i], person)
		}
	}
	_, calls := g.http(http.MethodGet, "/api/v1/calls?capability=create_project", "")
	for _, want := range []string{`"acting_for":"ada"`, `"acting_for":"bob"`} {
		if !strings.Contains(calls, want) {
			t.Errorf("the audit has no %s: %s", want, calls)
		}
	}
}

func TestAListIsThatOfWhomACallIsFor(t *testing.T) {
	g, token := seated(t)
	for person, listed := range map[string]bool{"ada": false, "bob": true} {
		_, rows := g.send(token, http.MethodGet, "/api/v1/tools?limit=200", "", "Acting-For", person)
		if got := strings.Contains(rows, `"create_project"`); got != listed {
			t.Errorf("%s: listed over HTTP is %t", person, got)
		}
		message := `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",` +
			`"io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"},"io.modelcontextprotocol/clientCapabilities":{},"holotype/acting_for":"` + person + `"}}}`
		_, rows = g.send(token, http.MethodPost, "/operator/mcp", message, "Mcp-Protocol-Version", "2026-07-28", "Mcp-Method", "tools/list")
		if got := strings.Contains(rows, `"create_project"`); got != listed || !strings.Contains(rows, `"list_projects"`) {
			t.Errorf("%s: listed over MCP is %t in %.300s", person, got, rows)
		}
	}
}

func TestWhoMayNotActForSomebodyIsRefused(t *testing.T) {
	g, token := seated(t)
	for name, c := range map[string]struct {
		token, path string
		header      []string
		says        string
	}{
		"the owner":            {g.token, "/api/v1/projects", []string{"Acting-For", "ada"}, "only a seat acts for somebody"},
		"nobody":               {token, "/api/v1/projects", []string{"Acting-For", "eve"}, "no person of the configuration"},
		"an empty name":        {token, "/api/v1/projects", []string{"Acting-For", ""}, "no person of the configuration"},
		"the seat itself":      {token, "/api/v1/projects", []string{"Acting-For", "desk"}, "no person of the configuration"},
		"two":                  {token, "/api/v1/projects", []string{"Acting-For", "ada", "Acting-For", "bob"}, "2 times"},
		"a page that is not":   {token, "/api/v1/none", []string{"Acting-For", "eve"}, "no person of the configuration"},
		"in another's seat":    {token, "/seats/none/mcp", []string{"Acting-For", "ada"}, "not your seat"},
		"from the seat's path": {token, "/seats/desk/mcp", []string{"Acting-For", "eve"}, "no person of the configuration"},
	} {
		t.Run(name, func(t *testing.T) {
			status, answer := g.send(c.token, http.MethodPost, c.path, project, c.header...)
			if status != http.StatusBadRequest && status != http.StatusForbidden || !strings.Contains(answer, c.says) {
				t.Errorf("%d %s", status, answer)
			}
		})
	}
	for name, c := range map[string]struct{ token, path, meta, says string }{
		"the owner":                {g.token, "/operator/mcp", `"ada"`, "only a seat acts for somebody"},
		"nobody":                   {token, "/operator/mcp", `"eve"`, "no person of the configuration"},
		"a number":                 {token, "/operator/mcp", `7`, "is the id of a person"},
		"null":                     {token, "/operator/mcp", `null`, "is the id of a person"},
		"the owner, in no seat":    {g.token, "/operator/mcp/readonly", `"ada"`, "only a seat"},
		"the seat's own address":   {token, "/seats/desk/mcp", `"eve"`, "no person of the configuration"},
		"the owner, in the seat":   {g.token, "/seats/desk/mcp", `"eve"`, "no person of the configuration"},
		"a key that is ours alone": {token, "/operator/mcp", `["ada"]`, "is the id of a person"},
	} {
		t.Run("MCP, "+name, func(t *testing.T) {
			if answer := g.tool(c.token, c.path, "list_projects", `{}`, `,"holotype/acting_for":`+c.meta); !strings.Contains(answer, c.says) || !strings.Contains(answer, `"isError":true`) {
				t.Errorf("%s", answer)
			}
		})
	}
	if answer := g.tool(g.token, "/seats/desk/mcp", "list_projects", `{}`, `,"holotype/acting_for":"ada"`); strings.Contains(answer, `"isError"`) {
		t.Errorf("the owner in the seat, for ada: %s", answer)
	}
}

func TestAToolIsCalledByNameWithAnOperationKey(t *testing.T) {
	g, token := seated(t)
	act := func(token, tool, body string, header ...string) (int, string) {
		return g.send(token, http.MethodPost, "/operator/act/"+tool, body, header...)
	}
	status, answer := act(token, "create_project", project)
	if status != http.StatusBadRequest || !strings.Contains(answer, "Idempotency-Key") || !strings.Contains(answer, `"op_id_invalid"`) {
		t.Errorf("without a key: %d %s", status, answer)
	}
	if status, answer := act(token, "list_projects", `{}`); status != http.StatusBadRequest {
		t.Errorf("a read without a key: %d %s", status, answer)
	}
	if status, answer := g.send(token, http.MethodPost, "/operator/act/create_project?dry_run=true", project, "Idempotency-Key", "k0"); status != http.StatusOK || !strings.Contains(answer, "dry_run") {
		t.Errorf("a dry run: %d %s", status, answer)
	}
	if status, answer := act(token, "create_project", project, "Idempotency-Key", "k1"); status != http.StatusOK {
		t.Fatalf("with a key: %d %s", status, answer)
	}
	if status, answer := act(token, "create_project", project, "Idempotency-Key", "k1"); status != http.StatusOK || !strings.Contains(answer, `"replayed":true`) {
		t.Errorf("once more: %d %s", status, answer)
	}
	for what, c := range map[string][2]string{
		"other arguments": {"create_project", `{"key":"APP","title":"App"}`},
		"another tool":    {"create_label", `{"project":"WEB","name":"bug","colour":"red"}`},
	} {
		if status, answer := act(token, c[0], c[1], "Idempotency-Key", "k1"); status != http.StatusBadRequest || !strings.Contains(answer, `"op_id_invalid"`) {
			t.Errorf("%s with the key: %d %s", what, status, answer)
		}
	}
	// A key is its principal's.
	if status, answer := act(g.token, "create_project", `{"key":"APP","title":"App"}`, "Idempotency-Key", "k1"); status != http.StatusOK || strings.Contains(answer, "replayed\":true") {
		t.Errorf("somebody else's key of the same letters: %d %s", status, answer)
	}
	_, item := act(token, "create_work_item", `{"project":"WEB","title":"one"}`, "Idempotency-Key", "k2")
	if !strings.Contains(item, "WEB-1") {
		t.Fatalf("%s", item)
	}
	// All arguments travel in the body, those that have a header elsewhere, too.
	if status, answer := act(token, "update_work_item", `{"item":"WEB-1","title":"two","if_match":1}`, "Idempotency-Key", "k3"); status != http.StatusOK {
		t.Errorf("if_match in the body: %d %s", status, answer)
	}
	if status, answer := act(token, "update_work_item", `{"item":"WEB-1","title":"three"}`, "Idempotency-Key", "k4", "If-Match", `"1"`); status != http.StatusBadRequest {
		t.Errorf("If-Match as a header: %d %s", status, answer)
	}
	if status, answer := act(token, "purge_work_item", `{"item":"WEB-1"}`, "Idempotency-Key", "k5"); status != http.StatusForbidden {
		t.Errorf("what the seat may not: %d %s", status, answer)
	}
	if status, answer := act(token, "no_such_tool", `{}`, "Idempotency-Key", "k6"); status != http.StatusNotFound {
		t.Errorf("a tool there is not: %d %s", status, answer)
	}
	if status, _ := g.send(token, http.MethodGet, "/operator/act/list_projects", ""); status != http.StatusMethodNotAllowed {
		t.Errorf("GET: %d", status)
	}
}

// A call inside the process cannot say whom it is for but by its principal.
func TestAPrincipalThatActsForSomebodyHasViewsOfItsOwn(t *testing.T) {
	g, _ := seated(t)
	desk := &capabilities.Principal{ID: "desk", Kind: capabilities.Seat, Seat: "desk", Scopes: []string{"*"}}
	for person, want := range map[string]bool{"ada": false, "bob": true, "": true} {
		own := *desk
		own.ActingFor = person
		found := false
		tools, err := g.Client(&own).Tools(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, tool := range tools {
			found = found || tool.Name == "create_project"
		}
		if found != want {
			t.Errorf("for %q: create_project is listed is %t", person, found)
		}
	}
}
