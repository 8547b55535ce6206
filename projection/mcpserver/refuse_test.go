package mcpserver_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-89b9419b/holotype/projection/mcpserver"
)

// rawID answers the bytes of a message's id.
func rawID(t testing.TB, message []byte) string {
	t.Helper()
	var m struct {
		ID json.RawMessage `json:"id"`
	}
	if err := json.Unmarshal(message, &m); err != nil {
		t.Fatalf("%s: %v", message, err)
	}
	return string(m.ID)
}

// request writes a request around what differs.
func request(id, method, params string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":%q,"params":%s}`, id, method, params)
}

// Whatever is refused is refused in a form that a program reads: what carries a
// message with a JSON-RPC error that has a code and our own code in its data, all
// else with a problem.
func TestWhatNeverReachesACapability(t *testing.T) {
	f := newFixture(t)
	url := f.http().URL
	session := open(t, url)
	list := `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`
	ping := `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	body, headers := modern("1", "tools/call", "echo", `"name":"echo"`, "")
	listing, plain := modern("1", "tools/list", "", "", "")
	const hello = `"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"raw","version":"1"}`
	for _, tc := range []struct {
		name, method, body string
		headers            []string
		status             int
		code               string // ours; "" where the protocol has one of its own
		rpc                string // of a JSON-RPC error; "" for a problem
		id                 string // of a JSON-RPC error
	}{
		{"no credential", "POST", list, []string{"Authorization: -", session}, 401, "unauthenticated", "", ""},
		{"a bad credential", "POST", list, []string{"Authorization: Bearer nobody", session}, 401, "unauthenticated", "", ""},
		{"no credential on GET", "GET", "", []string{"Authorization: -", session}, 401, "unauthenticated", "", ""},
		{"no credential on DELETE", "DELETE", "", []string{"Authorization: -", session}, 401, "unauthenticated", "", ""},
		{"another method", "PUT", list, []string{session}, 405, "invalid", "", ""},
		{"GET without a session", "GET", "", nil, 400, "invalid", "", ""},
		{"DELETE without a session", "DELETE", "", nil, 400, "invalid", "", ""},
		{"GET of the sessionless era", "GET", "", []string{"Mcp-Protocol-Version: " + modernVersion}, 405, "invalid", "", ""},
		{"GET of a foreign version", "GET", "", []string{session, "Mcp-Protocol-Version: 2001-01-01"}, 400, "invalid", "", ""},
		{"GET of a version of the future", "GET", "", []string{session, "Mcp-Protocol-Version: 2999-01-01"}, 400, "invalid", "", ""},
		{"GET that takes no events", "GET", "", []string{session, "Accept: application/json"}, 406, "invalid", "", ""},
		{"GET of a stream that was left", "GET", "", []string{session, "Last-Event-Id: 7_1"}, 400, "invalid", "", ""},
		{"GET of two sessions", "GET", "", []string{session, "+Mcp-Session-Id: other"}, 400, "invalid", "", ""},
		{"DELETE of two sessions", "DELETE", "", []string{session, "+Mcp-Session-Id: other"}, 400, "invalid", "", ""},
		{"an unknown session on GET", "GET", "", []string{"Mcp-Session-Id: nonsense"}, 404, "not_found", "", ""},
		{"somebody else's session on GET", "GET", "", []string{"Authorization: Bearer guest", session}, 404, "not_found", "", ""},
		{"somebody else's session on DELETE", "DELETE", "", []string{"Authorization: Bearer guest", session}, 404, "not_found", "", ""},

		{"no JSON", "POST", list, []string{"Content-Type: text/plain", session}, 415, "invalid", "-32600", "null"},
		{"no content type", "POST", list, []string{"Content-Type: -", session}, 415, "invalid", "-32600", "null"},
		{"an unknown session", "POST", list, []string{"Mcp-Session-Id: nonsense"}, 404, "not_found", "-32600", "null"},
		{"a notification to an unknown session", "POST", `{"jsonrpc":"2.0","method":"notifications/initialized"}`, []string{"Mcp-Session-Id: nonsense"}, 404, "not_found", "-32600", "null"},
		{"somebody else's session", "POST", list, []string{"Authorization: Bearer guest", session}, 404, "not_found", "-32600", "null"},
		{"no session", "POST", list, nil, 400, "invalid", "-32600", "1"},
		{"a notification without a session", "POST", `{"jsonrpc":"2.0","method":"notifications/initialized"}`, nil, 400, "invalid", "-32600", "null"},
		{"a stranger to both answers", "POST", list, []string{session, "Accept: text/html"}, 406, "invalid", "-32600", "1"},
		{"both answers refused by weight", "POST", ping, []string{session, "Accept: application/json;q=0, text/event-stream; q=0.000"}, 406, "invalid", "-32600", "1"},
		{"two sessions", "POST", ping, []string{session, "+Mcp-Session-Id: other"}, 400, "invalid", "-32020", "1"},
		{"two versions", "POST", ping, []string{session, "Mcp-Protocol-Version: 2025-11-25", "+Mcp-Protocol-Version: 2025-06-18"}, 400, "invalid", "-32020", "1"},
		{"two names", "POST", body, append(headers[:2:2], "Mcp-Name: echo", "+Mcp-Name: read_local"), 400, "invalid", "-32020", "1"},
		{"two methods", "POST", listing, append(plain[:2:2], "+Mcp-Method: tools/call"), 400, "invalid", "-32020", "1"},
		{"two of a header that mirrors an argument", "POST", body, append(headers[:3:3], "Mcp-Param-Q: a", "+Mcp-Param-Q: b"), 400, "invalid", "-32020", "1"},
		{"the end of a stream that was left", "POST", list, []string{session, "Last-Event-Id: 7_1"}, 400, "invalid", "-32600", "1"},
		{"a foreign version", "POST", list, []string{session, "Mcp-Protocol-Version: 2001-01-01"}, 400, "", "-32022", "1"},
		{"a version that is none", "POST", list, []string{session, "Mcp-Protocol-Version: zzz"}, 400, "", "-32022", "1"},
		{"a version of the future", "POST", list, []string{"Mcp-Protocol-Version: 2999-01-01"}, 400, "", "-32022", "1"},
		{"a version of the future, in both places", "POST", strings.Replace(listing, modernVersion, "2999-01-01", 1), []string{"Mcp-Protocol-Version: 2999-01-01", plain[1]}, 400, "", "-32022", "1"},

		{"an empty body", "POST", "", []string{session}, 400, "invalid", "-32700", "null"},
		{"no JSON text", "POST", "{nonsense", []string{session}, 400, "invalid", "-32700", "null"},
		{"two values", "POST", list + list, []string{session}, 400, "invalid", "-32700", "null"},
		{"no JSON after a fault of the arguments", "POST", `{"jsonrpc":"2.0","method":"tools/call","params":{"name":"echo","arguments":{"a":1,"a":2}},"id":1x}`, []string{session}, 400, "invalid", "-32700", "null"},
		{"an id given twice after a fault of the arguments", "POST", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"a":1,"a":2}},"id":2}`, []string{session}, 400, "invalid", "-32600", "2"},
		{"no object", "POST", "7", []string{session}, 400, "invalid", "-32600", "null"},
		{"null", "POST", "null", []string{session}, 400, "invalid", "-32600", "null"},
		{"a batch", "POST", "[" + list + "]", []string{session}, 400, "invalid", "-32600", "null"},
		{"a batch of the version that had them", "POST", "[" + list + "]", []string{session, "Mcp-Protocol-Version: 2025-03-26"}, 400, "invalid", "-32600", "null"},
		{"an empty batch", "POST", "[]", []string{session}, 400, "invalid", "-32600", "null"},
		{"an empty object", "POST", "{}", []string{session}, 400, "invalid", "-32600", "null"},
		{"a duplicate member", "POST", `{"jsonrpc":"2.0","id":1,"id":2,"method":"tools/list"}`, []string{session}, 400, "invalid", "-32600", "2"},
		{"arguments given twice", "POST", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"text":"a"},"arguments":{"text":"b"}}}`, []string{session}, 400, "invalid", "-32600", "1"},
		{"bad UTF-8 outside the arguments", "POST", "{\"jsonrpc\":\"2.0\",\"id\":\"\xff\",\"method\":\"tools/list\"}", []string{session}, 400, "invalid", "-32600", "null"},
		{"no version of JSON-RPC", "POST", `{"id":3,"method":"ping"}`, []string{session}, 400, "invalid", "-32600", "3"},
		{"another version of JSON-RPC", "POST", `{"jsonrpc":2.0,"id":3,"method":"ping"}`, []string{session}, 400, "invalid", "-32600", "3"},
		{"an id that is null", "POST", `{"jsonrpc":"2.0","id":null,"method":"ping"}`, []string{session}, 400, "invalid", "-32600", "null"},
		{"an id that is a truth value", "POST", `{"jsonrpc":"2.0","id":true,"method":"ping"}`, []string{session}, 400, "invalid", "-32600", "null"},
		{"an id that is an object", "POST", `{"jsonrpc":"2.0","id":{},"method":"ping"}`, []string{session}, 400, "invalid", "-32600", "null"},
		{"an id that is no integer", "POST", `{"jsonrpc":"2.0","id":1.5,"method":"ping"}`, []string{session}, 400, "invalid", "-32600", "1.5"},
		{"an id that is no integer, of a small power", "POST", `{"jsonrpc":"2.0","id":10e-2,"method":"ping"}`, []string{session}, 400, "invalid", "-32600", "10e-2"},
		{"an id of a power beyond all", "POST", `{"jsonrpc":"2.0","id":1e9999,"method":"ping"}`, []string{session}, 400, "invalid", "-32600", "1e9999"},
		{"a method that is a number", "POST", `{"jsonrpc":"2.0","id":4,"method":7}`, []string{session}, 400, "invalid", "-32600", "4"},
		{"an empty method", "POST", `{"jsonrpc":"2.0","id":4,"method":""}`, []string{session}, 400, "invalid", "-32600", "4"},
		{"a request without an id", "POST", `{"jsonrpc":"2.0","method":"tools/list"}`, []string{session}, 400, "invalid", "-32600", "null"},
		{"a notification with an id", "POST", `{"jsonrpc":"2.0","id":4,"method":"notifications/initialized"}`, []string{session}, 400, "invalid", "-32600", "4"},
		{"a request that is a response", "POST", `{"jsonrpc":"2.0","id":4,"method":"ping","result":{}}`, []string{session}, 400, "invalid", "-32600", "4"},
		{"a result and an error", "POST", `{"jsonrpc":"2.0","id":4,"result":{},"error":{"code":1,"message":"x"}}`, []string{session}, 400, "invalid", "-32600", "4"},
		{"an error that is a string", "POST", `{"jsonrpc":"2.0","id":4,"error":"x"}`, []string{session}, 400, "invalid", "-32600", "4"},
		{"a response to nothing", "POST", `{"jsonrpc":"2.0","result":{}}`, []string{session}, 400, "invalid", "-32600", "null"},

		{"no method header", "POST", body, headers[:1], 400, "", "-32020", "1"},
		{"no name header", "POST", body, headers[:2], 400, "", "-32020", "1"},
		{"another name in the header", "POST", body, append(headers[:2:2], "Mcp-Name: read_local"), 400, "", "-32020", "1"},
		{"another method in the header", "POST", body, []string{headers[0], "Mcp-Method: tools/list", headers[2]}, 400, "", "-32020", "1"},
		{"no version header", "POST", body, headers[1:], 400, "", "-32020", "1"},
		{"a version header of the other era", "POST", body, append(headers[1:3:3], "Mcp-Protocol-Version: 2025-11-25"), 400, "", "-32020", "1"},
		{"only _meta speaks the sessionless era, with a session", "POST", body, []string{session}, 400, "", "-32020", "1"},
		{"no capabilities", "POST", strings.Replace(body, "clientCapabilities", "clientX", 1), headers, 400, "", "-32602", "1"},
		{"params that are a list", "POST", request("1", "ping", "[]"), []string{session}, 200, "", "-32602", "1"},
		{"a name that is a number", "POST", request("1", "tools/call", `{"name":7}`), []string{session}, 200, "", "-32602", "1"},
		{"no name", "POST", request("1", "tools/call", `{}`), []string{session}, 200, "", "-32602", "1"},
		{"a call without params", "POST", `{"jsonrpc":"2.0","id":1,"method":"tools/call"}`, []string{session}, 200, "", "-32602", "1"},
		{"a cursor that is a number", "POST", request("1", "tools/list", `{"cursor":7}`), []string{session}, 200, "", "-32602", "1"},
		{"a _meta that is a list", "POST", request("1", "tools/list", `{"_meta":[]}`), []string{session}, 200, "", "-32602", "1"},
		{"a token that is no integer", "POST", request("1", "tools/call", `{"name":"echo","_meta":{"progressToken":1.5}}`), []string{session}, 200, "", "-32602", "1"},
		{"a token that is an object", "POST", request("1", "tools/call", `{"name":"echo","_meta":{"progressToken":{}}}`), []string{session}, 200, "", "-32602", "1"},
		{"a name that is a number, in the sessionless era", "POST", strings.Replace(body, `"name":"echo"`, `"name":7`, 1), headers, 400, "", "-32602", "1"},
		{"a subscription to nothing", "POST", strings.Replace(listing, "tools/list", "subscriptions/listen", 1), []string{plain[0], "Mcp-Method: subscriptions/listen"}, 400, "", "-32602", "1"},
		{"a subscription to what is neither true nor false", "POST", strings.Replace(strings.Replace(listing, "tools/list", "subscriptions/listen", 1), `"params":{`, `"params":{"notifications":{"toolsListChanged":"yes"},`, 1), []string{plain[0], "Mcp-Method: subscriptions/listen"}, 400, "", "-32602", "1"},
		{"a subscription to a resource that is a number", "POST", strings.Replace(strings.Replace(listing, "tools/list", "subscriptions/listen", 1), `"params":{`, `"params":{"notifications":{"resourceSubscriptions":[7]},`, 1), []string{plain[0], "Mcp-Method: subscriptions/listen"}, 400, "", "-32602", "1"},
		{"initialize in a session", "POST", initialize, []string{session}, 200, "", "-32600", "0"},
		{"initialize without params", "POST", `{"jsonrpc":"2.0","id":1,"method":"initialize"}`, nil, 200, "", "-32602", "1"},
		{"initialize with a list", "POST", request("1", "initialize", "[]"), nil, 200, "", "-32602", "1"},
		{"initialize with a version that is a number", "POST", request("1", "initialize", strings.Replace("{"+hello+"}", `"2025-11-25"`, "7", 1)), nil, 200, "", "-32602", "1"},
		{"initialize without capabilities", "POST", request("1", "initialize", strings.Replace("{"+hello+"}", `"capabilities":{},`, "", 1)), nil, 200, "", "-32602", "1"},
		{"initialize by nobody", "POST", request("1", "initialize", `{"protocolVersion":"2025-11-25","capabilities":{}}`), nil, 200, "", "-32602", "1"},
		{"initialize with what only the library reads", "POST", request("1", "initialize", strings.Replace("{"+hello+"}", `"raw"`, "7", 1)), nil, 200, "", "-32602", "1"},
		{"a method nobody knows", "POST", request("1", "tools/other", "{}"), []string{session}, 200, "", "-32601", "1"},
		{"a method that is not served", "POST", request("1", "prompts/list", "{}"), []string{session}, 200, "", "-32601", "1"},
		{"a method that the era does not have", "POST", strings.Replace(listing, "tools/list", "ping", 1), []string{plain[0], "Mcp-Method: ping"}, 404, "", "-32601", "1"},
		{"initialize in the sessionless era", "POST", strings.Replace(listing, "tools/list", "initialize", 1), []string{plain[0], "Mcp-Method: initialize"}, 404, "", "-32601", "1"},
		{"a method nobody knows, in the sessionless era", "POST", strings.Replace(listing, "tools/list", "tools/other", 1), []string{plain[0], "Mcp-Method: tools/other"}, 404, "", "-32601", "1"},
		{"a subscription in the handshake era", "POST", request("1", "subscriptions/listen", `{"notifications":{"toolsListChanged":true}}`), []string{session}, 200, "", "-32601", "1"},
		{"two content types", "POST", list, []string{session, "+Content-Type: text/plain"}, 415, "invalid", "-32600", "null"},
		{"discovery in the handshake era", "POST", request("1", "server/discover", "{}"), nil, 200, "", "-32601", "1"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			for range 2 { // what was refused once is not remembered as accepted
				e := send(t, tc.method, url, tc.body, tc.headers...)
				if e.status != tc.status || len(e.messages) != 1 {
					t.Fatalf("status %d, want %d; %s %s", e.status, tc.status, e.contentType, e.messages)
				}
				wantType := "application/json"
				switch {
				case tc.rpc == "":
					wantType = "application/problem+json"
				case tc.status == 200:
					wantType = e.contentType // as the caller takes it
				}
				got := struct{ Type, RPC, ID string }{e.contentType, e.rpc(t), ""}
				if tc.rpc != "" {
					got.ID = rawID(t, e.messages[0])
				}
				if diff := cmp.Diff(struct{ Type, RPC, ID string }{wantType, tc.rpc, tc.id}, got); diff != "" {
					t.Errorf("%s (-want +got):\n%s", e.messages, diff)
				}
				if code := e.code(t); tc.code != "" && code != tc.code {
					t.Errorf("our code is %v, want %s: %s", code, tc.code, e.messages)
				}
				if strings.Contains(string(e.messages[0]), "*mcp.") {
					t.Errorf("it names a type of the library: %s", e.messages)
				}
				if tc.status == 401 && !strings.HasPrefix(e.header.Get("WWW-Authenticate"), "Bearer") {
					t.Errorf("WWW-Authenticate is %q", e.header.Get("WWW-Authenticate"))
				}
			}
		})
	}
	if e := send(t, "POST", url, list, session); e.status != 200 {
		t.Errorf("the session of the owner: status %d", e.status)
	}
}

// What is sent twice and says the same is what it says.
func TestAHeaderGivenTwiceAlike(t *testing.T) {
	f := newFixture(t)
	url := f.http().URL
	session := open(t, url)
	if e := send(t, "POST", url, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, session, "+"+session); e.status != 200 {
		t.Errorf("status %d: %s", e.status, e.messages)
	}
}

// A second stream of a session is refused by the library, in plain text.
func TestWhatTheLibraryRefusesInPlainText(t *testing.T) {
	f := newFixture(t)
	url := f.http().URL
	name, session, _ := strings.Cut(open(t, url), ": ")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	// One of two is refused, whichever comes second.
	refused := make(chan exchange, 2)
	for range 2 {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set(name, session)
		req.Header.Set("Authorization", "Bearer owner")
		go func() {
			res, err := http.DefaultClient.Do(req)
			if err != nil {
				return // the one that was not refused, at the end
			}
			defer res.Body.Close()
			if res.StatusCode == http.StatusOK {
				<-ctx.Done() // it stays open
				return
			}
			data, err := io.ReadAll(res.Body)
			if err != nil {
				return
			}
			refused <- exchange{status: res.StatusCode, contentType: res.Header.Get("Content-Type"), messages: []json.RawMessage{data}}
		}()
	}
	e := receive(t, refused, "the refusal")
	if e.status != 409 || e.contentType != "application/problem+json" || e.code(t) != "conflict" {
		t.Errorf("status %d, %s, %s", e.status, e.contentType, e.messages)
	}
}

// A problem names a page that stands below the path where the server is mounted.
func TestAProblemNamesAPageThatStands(t *testing.T) {
	f := newFixture(t, func(o *mcpserver.Options) { o.Path = "/a/tools/operator/mcp" })
	if e := send(t, "GET", f.http().URL, ""); e.last(t)["type"] != "/a/tools/docs/codes/invalid" {
		t.Errorf("got %v", e.last(t))
	}
}

// What nothing is told by is taken and not answered.
func TestNotificationsAndResponsesAreTaken(t *testing.T) {
	f := newFixture(t)
	url := f.http().URL
	session := open(t, url)
	p := f.pipe(t.Context())
	p.start()
	_, headers := modern("1", "tools/list", "", "", "")
	for _, body := range []string{
		`{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}`,
		`{"jsonrpc":"2.0","method":"notifications/nobody_knows","params":{"x":1}}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled"}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":{}}}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"never"}}`,
		`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1}}`,
		`{"jsonrpc":"2.0","id":99,"result":{}}`,
		`{"jsonrpc":"2.0","id":"x","error":{"code":-1,"message":"no"}}`,
		`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"what?"}}`,
	} {
		if e := send(t, "POST", url, body, session); e.status != 202 || len(e.messages) != 0 {
			t.Errorf("%s: status %d, %s", body, e.status, e.messages)
		}
		if method := []string{"notifications/roots/list_changed", "notifications/nobody_knows"}; slices.ContainsFunc(method, func(m string) bool { return strings.Contains(body, m) }) {
			if e := send(t, "POST", url, body, headers[0], "Mcp-Method: notifications/x"); e.status != 202 {
				t.Errorf("%s in the sessionless era: status %d, %s", body, e.status, e.messages)
			}
		}
		p.write(body + "\n")
	}
	for _, body := range []string{ // as wrong as they are, nothing is said to them
		`{"jsonrpc":"2.0","method":"tools/list"}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":[]}`,
		`{"jsonrpc":"2.0","result":{}}`,
		`{"jsonrpc":"2.0","id":{},"error":7}`,
	} {
		p.write(body + "\n")
	}
	if got := p.ask(`{"jsonrpc":"2.0","id":7,"method":"ping"}`); got != `{"jsonrpc":"2.0","id":7,"result":{}}` {
		t.Errorf("the next line is %s", got)
	}
}

// A client's description of itself that nobody judged, in the era that has none, is
// not taken for one that was.
func TestADescriptionIsTrustedOnceItWasJudged(t *testing.T) {
	f := newFixture(t)
	url := f.http().URL
	const described = `"io.modelcontextprotocol/clientInfo":7,"io.modelcontextprotocol/clientCapabilities":{}`
	if e := send(t, "POST", url, request("1", "ping", `{"_meta":{`+described+`}}`), open(t, url)); e.status != 200 {
		t.Fatalf("status %d: %s", e.status, e.messages)
	}
	_, headers := modern("1", "tools/list", "", "", "")
	body := request("1", "tools/list", `{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",`+described+`}}`)
	if e := send(t, "POST", url, body, headers...); e.status != 400 || e.rpc(t) != "-32602" {
		t.Errorf("status %d: %s", e.status, e.messages)
	}
}
