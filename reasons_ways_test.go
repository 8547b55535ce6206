package holotype

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/seed-89b9419b/holotype/capabilities"
)

// The ways to call a tool.
const (
	onAct    = "POST /operator/act"
	onRoute  = "its own route"
	onModern = "MCP without a session"
	onLegacy = "MCP in a session"
	onStdio  = "MCP on standard streams"
	onCLI    = "the command line"
)

// said is what a caller is told.
type said struct {
	Code     capabilities.Code
	Sentence string
}

var ownID = regexp.MustCompile(`\b(apr_[0-9a-z]{26})\b`)

// sameEverywhere calls a tool every way and compares what is said.
func (w *world) sameEverywhere(t *testing.T, f *firing, c *capabilities.Capability) {
	t.Helper()
	arguments := with(w.exampleOf(c), f.more)
	key := f.key
	if key == "" {
		key = capabilities.NewRequestID()
	}
	all := map[string]said{onAct: w.sendAct(t, c, arguments, key), onCLI: w.onCommandLine(t, c, arguments, f.key)}
	asked := arguments
	if f.key != "" { // a write takes it among its arguments
		asked = with(arguments, `"op_id":"`+f.key+`"`)
	}
	all[onModern], all[onLegacy] = w.sendMCP(t, f, c.Name(), asked)
	_, err := w.s.Client(w.who).Call(t.Context(), c.Name(), json.RawMessage(asked))
	if e, ok := capabilities.AsError(err); ok {
		all[onStdio] = said{e.Code, e.Message}
	}
	if !c.Route().IsZero() && !slices.Contains(f.but, onRoute) {
		all[onRoute] = w.sendRoute(t, c, arguments, f.key)
	}
	for _, way := range f.but {
		delete(all, way)
	}
	// Over HTTP a request without a credential is refused before anybody reads what it is
	// about, in words about credentials there.
	first := map[bool]said{}
	for _, way := range slices.Sorted(maps.Keys(all)) {
		got := all[way]
		got.Sentence = ownID.ReplaceAllString(got.Sentence, "apr_ID")
		if got.Code != f.code || !strings.Contains(got.Sentence, f.says) {
			t.Errorf("%s by %s is answered %q %q, want %s and %q", c.Name(), way, got.Code, got.Sentence, f.code, f.says)
			continue
		}
		kind := f.nobody && (way == onStdio || way == onCLI)
		if first[kind].Sentence == "" {
			first[kind] = got
		}
		if got != first[kind] && !f.words {
			t.Errorf("%s by %s is answered\n%q, elsewhere\n%q", c.Name(), way, got.Sentence, first[kind].Sentence)
		}
	}
}

// exampleOf answers arguments that a tool takes, as far as its schema says.
func (w *world) exampleOf(c *capabilities.Capability) string {
	if now, ok := w.e.registry.Find(c.AliasOf()); ok {
		c = now
	}
	all := c.Examples()
	for _, e := range all {
		if e.Refuses == "" {
			return e.In
		}
	}
	if len(all) > 0 {
		return all[0].In
	}
	return "{}"
}

// with adds a member to an object.
func with(object, member string) string {
	if member == "" {
		return object
	}
	return strings.Replace(strings.TrimSuffix(strings.TrimSpace(object), "}")+","+member+"}", "{,", "{", 1)
}

func (w *world) sendAct(t *testing.T, c *capabilities.Capability, arguments, key string) said {
	t.Helper()
	_, answer := w.send(t, http.MethodPost, "/operator/act/"+c.Name(), arguments, "Idempotency-Key", key)
	return problemOf(t, answer)
}

// problemOf reads what is said over HTTP.
func problemOf(t *testing.T, answer []byte) said {
	t.Helper()
	var p struct {
		Code   capabilities.Code
		Detail string
	}
	read(t, answer, &p)
	return said{p.Code, p.Detail}
}

// sendRoute calls a tool by its own route.
func (w *world) sendRoute(t *testing.T, c *capabilities.Capability, arguments, key string) said {
	t.Helper()
	var members map[string]json.RawMessage
	read(t, []byte(arguments), &members)
	route := c.Route()
	path, query := route.Path, url.Values{}
	text := func(raw json.RawMessage) string {
		var s string
		if json.Unmarshal(raw, &s) == nil {
			return s
		}
		return string(raw)
	}
	for _, name := range route.Fields {
		path = strings.ReplaceAll(path, "{"+name+"}", url.PathEscape(text(members[name])))
		delete(members, name)
	}
	body := ""
	header := []string{}
	if route.Method == http.MethodGet {
		for name, raw := range members {
			var list []json.RawMessage
			if json.Unmarshal(raw, &list) != nil {
				list = []json.RawMessage{raw}
			}
			for _, one := range list {
				query.Add(name, text(one))
			}
		}
	} else {
		if raw, ok := members["if_match"]; ok {
			header = append(header, "If-Match", `"`+text(raw)+`"`)
			delete(members, "if_match")
		}
		if raw, ok := members["if_none_match"]; ok && string(raw) == "true" {
			header = append(header, "If-None-Match", "*")
		}
		delete(members, "if_none_match")
		raw, err := json.Marshal(members)
		if err != nil {
			t.Fatal(err)
		}
		body = string(raw)
	}
	if key != "" {
		header = append(header, "Idempotency-Key", key)
	}
	if len(query) > 0 {
		path += "?" + query.Encode()
	}
	_, answer := w.send(t, route.Method, "/api/v1"+path, body, header...)
	return problemOf(t, answer)
}

// sendMCP calls a tool in both eras.
func (w *world) sendMCP(t *testing.T, f *firing, name, arguments string) (modern, legacy said) {
	t.Helper()
	address := cmp.Or(f.address, "/operator/mcp")
	call := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + name + `","arguments":` + arguments
	_, answer := w.send(t, http.MethodPost, address, call+`,`+onWire+`}}`, "Mcp-Protocol-Version", "2026-07-28", "Mcp-Method", "tools/call", "Mcp-Name", name)
	modern = resultSaid(t, answer)
	who := ""
	if w.who != nil {
		who = w.who.ID
	}
	session := f.sessions[who]
	if session == "" {
		if session, answer = w.session(t, address); session == "" {
			return modern, problemOf(t, answer)
		}
		f.sessions[who] = session
	}
	_, answer = w.send(t, http.MethodPost, address, call+`}}`, "Mcp-Protocol-Version", "2025-11-25", "Mcp-Session-Id", session)
	return modern, resultSaid(t, answer)
}

// resultSaid reads what is said over MCP, where a request without a credential gets as far
// as HTTP.
func resultSaid(t *testing.T, answer []byte) said {
	t.Helper()
	var m struct {
		Code   capabilities.Code
		Result *struct {
			Content []struct{ Text string }
			Meta    struct {
				Error struct{ Code capabilities.Code } `json:"holotype/error"`
			} `json:"_meta"`
		}
	}
	if json.Unmarshal(answer, &m) != nil || m.Result == nil || len(m.Result.Content) != 1 {
		var p struct {
			Code   capabilities.Code
			Detail string
		}
		read(t, answer, &p)
		return said{p.Code, p.Detail}
	}
	return said{m.Result.Meta.Error.Code, m.Result.Content[0].Text}
}

// onCommandLine calls a tool as a command.
func (w *world) onCommandLine(t *testing.T, c *capabilities.Capability, arguments, key string) said {
	t.Helper()
	words := []string{"call", c.Name(), "--json", "-", "-o", "json", "--yes"}
	if key != "" {
		words = append(words, "--op-id", key)
	}
	var out, errs bytes.Buffer
	if exit := w.program.Run(t.Context(), words, strings.NewReader(arguments), &out, &errs); exit == 0 {
		return said{Sentence: "it was carried out"}
	}
	lines := strings.Split(strings.TrimSpace(errs.String()), "\n")
	last := lines[len(lines)-1]
	if !strings.HasPrefix(last, "{") {
		return said{Sentence: errs.String()}
	}
	return problemOf(t, []byte(last))
}

// session opens a session of MCP, "" where none is.
func (w *world) session(t *testing.T, address string) (id string, answer []byte) {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "http://127.0.0.1"+address, strings.NewReader(
		`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	rec := httptest.NewRecorder()
	w.http.ServeHTTP(rec, r)
	if id = rec.Header().Get("Mcp-Session-Id"); id != "" {
		w.send(t, http.MethodPost, address, `{"jsonrpc":"2.0","method":"notifications/initialized"}`, "Mcp-Protocol-Version", "2025-11-25", "Mcp-Session-Id", id)
	}
	return id, rec.Body.Bytes()
}
