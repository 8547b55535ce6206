package mcpserver_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// exchange is what came back for one raw request.
type exchange struct {
	status      int
	contentType string
	header      http.Header
	messages    []json.RawMessage // the body, or the data of its events
}

// last answers the last message as a value, without what differs from call to call.
func (e exchange) last(t testing.TB) map[string]any {
	t.Helper()
	if len(e.messages) == 0 {
		return nil
	}
	return value(t, e.messages[len(e.messages)-1])
}

// code answers our code of a refusal, in whichever form it came.
func (e exchange) code(t testing.TB) any {
	t.Helper()
	last := e.last(t)
	if failed, ok := last["error"].(map[string]any); ok {
		last, _ = failed["data"].(map[string]any)
	}
	return last["code"]
}

// rpc answers the code of a JSON-RPC error, as text; "" when there is none.
func (e exchange) rpc(t testing.TB) string {
	t.Helper()
	failed, ok := e.last(t)["error"].(map[string]any)
	if !ok || failed["message"] == "" {
		return ""
	}
	return fmt.Sprint(failed["code"])
}

func value(t testing.TB, raw []byte) map[string]any {
	t.Helper()
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var v map[string]any
	if err := dec.Decode(&v); err != nil {
		t.Fatalf("%s: %v", raw, err)
	}
	forget(v)
	return v
}

// forget removes request ids.
func forget(v any) {
	switch v := v.(type) {
	case map[string]any:
		delete(v, "request_id")
		for k, x := range v {
			if s, ok := x.(string); ok && strings.Contains(s, "under request ") {
				v[k] = s[:strings.Index(s, "under request ")]
			}
			forget(x)
		}
	case []any:
		for _, x := range v {
			forget(x)
		}
	}
}

// send sends one request. Headers are "Name: value"; a value of "-" removes the
// header, and a name that begins with "+" is added to those of its name.
func send(t testing.TB, method, url, body string, headers ...string) exchange {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	r.Header.Set("Authorization", "Bearer owner")
	for _, h := range headers {
		name, v, _ := strings.Cut(h, ": ")
		if v == "-" {
			r.Header.Del(name)
			if name == "Accept" { // the client would add its own
				r.Header["Accept"] = nil
			}
			continue
		}
		if again, ok := strings.CutPrefix(name, "+"); ok {
			r.Header.Add(again, v)
			continue
		}
		r.Header.Set(name, v)
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	e := exchange{status: res.StatusCode, contentType: res.Header.Get("Content-Type"), header: res.Header}
	if e.contentType != "text/event-stream" {
		if len(data) > 0 && json.Valid(data) {
			e.messages = append(e.messages, data)
		}
		return e
	}
	for lines := bufio.NewScanner(bytes.NewReader(data)); lines.Scan(); {
		if d, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
			e.messages = append(e.messages, json.RawMessage(d))
		}
	}
	return e
}

const initialize = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"raw","version":"1"}}}`

// open opens a session of the handshake era and answers its header.
func open(t testing.TB, url string, headers ...string) string {
	t.Helper()
	e := send(t, "POST", url, initialize, headers...)
	id := e.header.Get("Mcp-Session-Id")
	if e.status != 200 || id == "" {
		t.Fatalf("initialize: status %d, session %q", e.status, id)
	}
	session := "Mcp-Session-Id: " + id
	if n := send(t, "POST", url, `{"jsonrpc":"2.0","method":"notifications/initialized"}`, append(headers, session)...); n.status != 202 {
		t.Fatalf("initialized: status %d", n.status)
	}
	return session
}

const triple = `"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"raw","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}`

// modern answers the body and headers of a request of the sessionless era. params
// are members; meta are further members of _meta.
func modern(id, method, name, params, meta string) (body string, headers []string) {
	if params != "" {
		params += ","
	}
	if meta != "" {
		meta = "," + meta
	}
	body = fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":%q,"params":{%s"_meta":{%s%s}}}`, id, method, params, triple, meta)
	headers = []string{"Mcp-Protocol-Version: " + modernVersion, "Mcp-Method: " + method}
	if name != "" {
		headers = append(headers, "Mcp-Name: "+name)
	}
	return body, headers
}

// handshake answers the body of a request of the handshake era. "null" and "none"
// stand for null and absent params.
func handshake(method, params, meta string) string {
	switch {
	case params == "none":
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":"id-1","method":%q}`, method)
	case params == "null":
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":"id-1","method":%q,"params":null}`, method)
	case meta != "":
		params += `,"_meta":{` + meta + `}`
	}
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":"id-1","method":%q,"params":{%s}}`, method, strings.TrimPrefix(params, ","))
}

// learn makes the fast lane know the client of the raw requests.
func learn(t testing.TB, url string) {
	t.Helper()
	body, headers := modern("1", "tools/list", "", "", "")
	if e := send(t, "POST", url, body, headers...); e.status != 200 || e.contentType != "text/event-stream" {
		t.Fatalf("the first request of a client is the library's: status %d, %s", e.status, e.contentType)
	}
}

// corpus are params of tools/call and tools/list, good and bad, and whether the
// fast lane is to take them.
var corpus = []struct {
	name, method, tool, params, meta string
	fast                             bool
}{
	{"a call", "tools/call", "echo", `"name":"echo","arguments":{"text":"hi"}`, "", true},
	{"white space", "tools/call", "echo", "\n \"name\" :\t\"echo\" , \"arguments\" : { \"text\" : \"hi\" } \n", "", true},
	{"escapes", "tools/call", "echo", `"name":"\u0065cho","arguments":{"te\u0078t":"\ud83d\ude00 \"\\"}`, "", true},
	{"a big integer", "tools/call", "echo", `"name":"echo","arguments":{"text":"x","big":9007199254740993}`, "", true},
	{"no arguments", "tools/call", "read_local", `"name":"read_local"`, "", true},
	{"null arguments", "tools/call", "read_local", `"name":"read_local","arguments":null`, "", true},
	{"arguments that are a string", "tools/call", "echo", `"name":"echo","arguments":"hi"`, "", true},
	{"an unknown field", "tools/call", "echo", `"name":"echo","arguments":{"text":"x","txet":1}`, "", true},
	{"a duplicate argument", "tools/call", "echo", `"name":"echo","arguments":{"text":"x","text":"y"}`, "", true},
	{"arguments 65 levels deep", "tools/call", "echo", `"name":"echo","arguments":` + strings.Repeat(`{"a":`, 65) + "1" + strings.Repeat("}", 65), "", true},
	{"arguments 64 levels deep", "tools/call", "echo", `"name":"echo","arguments":` + strings.Repeat(`{"a":`, 64) + "1" + strings.Repeat("}", 64), "", true},
	{"bad UTF-8 in an argument", "tools/call", "echo", "\"name\":\"echo\",\"arguments\":{\"text\":\"\xff\"}", "", true},
	{"a lone surrogate", "tools/call", "echo", `"name":"echo","arguments":{"text":"\ud800"}`, "", true},
	{"a name in no view", "tools/call", "nobody", `"name":"nobody"`, "", true},
	{"a bridged tool", "tools/call", "other__x", `"name":"other__x","arguments":{"q":"a", "big":9007199254740993}`, "", true},
	{"an injected key", "tools/call", "echo", `"name":"echo","arguments":{"text":"x","toolCallId":"call_1"}`, "", true},
	{"a refusal", "tools/call", "echo", `"name":"echo","arguments":{"text":"x","fail":"not_found"}`, "", true},
	{"a failure", "tools/call", "echo", `"name":"echo","arguments":{"text":"x","fail":"plain"}`, "", true},
	{"a panic", "tools/call", "echo", `"name":"echo","arguments":{"text":"x","fail":"panic"}`, "", true},
	{"an operation", "tools/call", "append_local", `"name":"append_local"`, `"holotype/op_id":"k-1"`, true},
	{"a bad operation", "tools/call", "append_local", `"name":"append_local"`, `"holotype/op_id":"a b"`, true},
	{"an operation that is a number", "tools/call", "append_local", `"name":"append_local"`, `"holotype/op_id":7`, true},
	{"a dry run", "tools/call", "append_local", `"name":"append_local"`, `"holotype/dry_run":true`, true},
	{"a dry run of what only reads", "tools/call", "read_local", `"name":"read_local"`, `"holotype/dry_run":true`, true},
	{"a dry run that is a word", "tools/call", "append_local", `"name":"append_local"`, `"holotype/dry_run":"yes"`, true},
	{"progress", "tools/call", "echo", `"name":"echo","arguments":{"text":"x","steps":2}`, `"progressToken":7`, false},
	{"a list", "tools/list", "", ``, "", true},
	{"an empty cursor", "tools/list", "", `"cursor":""`, "", true},
	{"a bad cursor", "tools/list", "", `"cursor":"nonsense"`, "", true},
	{"a cursor that is a number", "tools/list", "", `"cursor":7`, "", false},
	{"a name that is a number", "tools/call", "7", `"name":7`, "", false},
	{"params that are null", "tools/list", "", "null", "", false},
	{"no params", "tools/list", "", "none", "", false},
	{"a requestState", "tools/call", "read_local", `"name":"read_local","requestState":"x"`, "", true},
	{"answers to questions nobody asked", "tools/call", "read_local", `"name":"read_local","inputResponses":{"a":7},"requestState":null`, "", true},
	{"answers that are none", "tools/call", "read_local", `"name":"read_local","inputResponses":[]`, "", false},
	{"another method", "prompts/list", "", ``, "", false},
	{"an unknown method", "tools/other", "", ``, "", false},
}

// TestBothLanesGiveTheSameAnswer sends one corpus to a server with the fast lane and
// to one without, in both eras.
func TestBothLanesGiveTheSameAnswer(t *testing.T) {
	lane := func(f *fixture) *httptest.Server {
		f.bridge("other", bridged(t, "other__x"))
		return f.http()
	}
	fast, slow := lane(newFixture(t)), lane(newFixture(t, library))
	learn(t, fast.URL)
	sessions := map[string]string{fast.URL: open(t, fast.URL), slow.URL: open(t, slow.URL)}
	for _, tc := range corpus {
		for _, era := range []string{"legacy", "modern"} {
			if era == "modern" && (tc.params == "null" || tc.params == "none") {
				continue // the sessionless era has its version in params
			}
			t.Run(era+"/"+tc.name, func(t *testing.T) {
				ask := func(url string) exchange {
					if era == "modern" {
						body, headers := modern(`"id-1"`, tc.method, tc.tool, tc.params, tc.meta)
						return send(t, "POST", url, body, headers...)
					}
					return send(t, "POST", url, handshake(tc.method, tc.params, tc.meta), sessions[url])
				}
				got, want := ask(fast.URL), ask(slow.URL)
				if got.status != want.status {
					t.Errorf("status %d, the library's lane %d", got.status, want.status)
				}
				if diff := cmp.Diff(want.last(t), got.last(t)); diff != "" {
					t.Errorf("the answer differs (-library +fast):\n%s", diff)
				}
				if len(got.messages) != len(want.messages) {
					t.Errorf("%d messages, the library's lane %d", len(got.messages), len(want.messages))
				}
				if wasFast := got.header.Get("Content-Length") != ""; tc.fast && !wasFast {
					t.Errorf("the library answered (%s)", got.contentType)
				}
			})
		}
	}
}
