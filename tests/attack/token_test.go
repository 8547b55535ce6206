package attack_test

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/seed-89b9419b/holotype/tests/drive"
)

// ask sends a request without a network, from an address.
func (a *target) ask(method, path, from, token, body string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, "http://127.0.0.1"+path, strings.NewReader(body))
	r.RemoteAddr = from
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	w := httptest.NewRecorder()
	a.Handler.ServeHTTP(w, r)
	return w
}

// guess answers a token that looks as one of ours does and is none.
func guess() string {
	raw := make([]byte, 32)
	_, _ = rand.Read(raw)
	return "hlt_" + base64.RawURLEncoding.EncodeToString(raw)
}

// Ten thousand guesses are all refused, after some of them without a look, in bounded
// time and a few lines of the log; from the same address a good token is served all the
// while, one that was never seen before included, and nobody else notices anything.
func TestTenThousandWrongTokens(t *testing.T) {
	a := open(t, "")
	fresh, _ := a.made(t, `{"name":"fresh","scopes":["*:read"]}`)
	const flood, bystander = "203.0.113.7:1000", "203.0.113.8:1000"
	lines := strings.Count(a.log.String(), "\n")
	begun := time.Now()
	answers := map[int]int{}
	for i := range 10_000 {
		token := guess()
		switch i % 4 {
		case 1: // one that differs from the owner's in its last byte alone
			token = a.Token[:len(a.Token)-1] + "!"
		case 2:
			token = a.Token + "x"
		case 3:
			token = "x"
		}
		w := a.ask("GET", "/api/v1/projects", flood, token, "")
		answers[w.Code]++
		switch w.Code {
		case http.StatusUnauthorized:
			if w.Header().Get("WWW-Authenticate") != `Bearer error="invalid_token"` {
				t.Fatalf("guess %d: WWW-Authenticate is %q", i, w.Header().Get("WWW-Authenticate"))
			}
		case http.StatusTooManyRequests:
			if after, err := strconv.Atoi(w.Header().Get("Retry-After")); err != nil || after < 1 || after > 60 {
				t.Fatalf("guess %d: Retry-After is %q", i, w.Header().Get("Retry-After"))
			}
		default:
			t.Fatalf("guess %d is answered %d %s", i, w.Code, w.Body)
		}
		if body := w.Body.String(); strings.Contains(body, planted) || strings.Contains(body, token) && len(token) > 1 {
			t.Fatalf("guess %d: %s", i, body)
		}
	}
	if took := time.Since(begun); took > 30*time.Second {
		t.Errorf("it took %s", took)
	}
	if answers[http.StatusUnauthorized] < 60 || answers[http.StatusTooManyRequests] < 9000 {
		t.Errorf("answered %v: after the first ones they are to be refused at little cost", answers)
	}
	for name, token := range map[string]string{"the owner's": a.Token, "one that was seen": a.token, "one that was never seen": fresh} {
		if w := a.ask("GET", "/api/v1/projects", flood, token, ""); w.Code != http.StatusOK {
			t.Errorf("a good token is locked out, %s: %d %s", name, w.Code, w.Body)
		}
	}
	if w := a.ask("GET", "/api/v1/projects", bystander, guess(), ""); w.Code != http.StatusUnauthorized {
		t.Errorf("another address is answered %d", w.Code)
	}
	if w := a.ask("GET", "/api/v1/projects", flood, "", ""); w.Code != http.StatusUnauthorized {
		t.Errorf("without a credential it is answered %d", w.Code)
	}
	// The count of refused ones comes once a minute, and each good call has a line at debug.
	if more := strings.Count(a.log.String(), "\n") - lines; more > 100 {
		t.Errorf("the log has %d lines more", more)
	}
	a.wantNothingLogged(t, fresh)
}

// Somebody with a whole network of addresses of version 6 is one caller.
func TestWrongTokensFromANetwork(t *testing.T) {
	a := open(t, "")
	for i := range 200 {
		last := a.ask("GET", "/livez", "[2001:db8::1]:1", "", "") // needs none
		if last.Code != http.StatusOK {
			t.Fatalf("an open route is answered %d", last.Code)
		}
		w := a.ask("GET", "/api/v1/projects", fmt.Sprintf("[2001:db8:0:1:%x::%x]:1", i, i+1), guess(), "")
		if i > 100 && w.Code != http.StatusTooManyRequests {
			t.Fatalf("guess %d is answered %d, want 429: one network is one caller", i, w.Code)
		}
	}
	if w := a.ask("GET", "/api/v1/projects", "[2001:db8:0:2::1]:1", guess(), ""); w.Code != http.StatusUnauthorized {
		t.Errorf("another network is answered %d", w.Code)
	}
}

// A credential in an address is none: it would stand in logs, histories and referrers.
func TestACredentialInAnAddress(t *testing.T) {
	a := open(t, "")
	for _, token := range []string{a.Token, a.token} {
		for _, name := range []string{"token", "access_token", "authorization", "Authorization", "api_key", "key", "bearer", "auth", "session", "_token"} {
			for _, path := range []string{"/api/v1/projects", "/openapi.json", "/operator/mcp", "/", "/api/v1/tokens"} {
				for _, value := range []string{token, "Bearer%20" + token} {
					a.wantRefused(t, path+" with "+name, a.raw(t, a.request("GET", path+"?"+name+"="+value, a.address, "")), 401)
				}
			}
		}
		a.wantRefused(t, "user information", a.raw(t, a.request("GET", "http://owner:"+token+"@"+a.address+"/api/v1/projects", a.address, "")), 400, 401, 403)
		for _, header := range []string{"Cookie: token=" + token, "Cookie: Authorization=Bearer " + token, "X-Api-Key: " + token, "Proxy-Authorization: Bearer " + token, "X-Authorization: Bearer " + token, "Authorization: Basic " + base64.StdEncoding.EncodeToString([]byte("owner:"+token)), "Authorization: " + token, "Authorization: Token " + token} {
			answer := a.raw(t, a.request("GET", "/api/v1/projects", a.address, "", header))
			a.wantRefused(t, "the header "+header[:12], answer, 401)
		}
		// The one-time link alone takes one, of its own, and no other.
		a.wantRefused(t, "the page to sign in with", a.raw(t, a.request("GET", "/login?token="+token, a.address, "", "Accept: text/html")), 401)
		a.wantRefused(t, "the form to sign in with", a.raw(t, a.request("POST", "/login", a.address, "token="+token, "Content-Type: application/x-www-form-urlencoded", "Origin: http://"+a.address)), 401)
	}
	a.wantNothingLogged(t)
}

// A session is of the one token that it was opened with. In the era without sessions there
// is nothing to steal: a request is its own credential's, whatever it brings along.
func TestASessionWithAnotherToken(t *testing.T) {
	a := open(t, "")
	thief, _ := a.made(t, `{"name":"thief","scopes":["system:read"]}`)
	head, data := a.HTTP(t, http.MethodPost, "/operator/mcp", map[string]string{"Content-Type": "application/json", "Accept": "application/json, text/event-stream"},
		[]byte(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"`+drive.Legacy+`","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`))
	session := head.Header.Get("Mcp-Session-Id")
	if session == "" {
		t.Fatalf("no session: %d %s", head.StatusCode, data)
	}
	stolen := func(method, id, version, body string, more ...string) string {
		headers := append([]string{"Authorization: Bearer " + thief, "Content-Type: application/json", "Accept: application/json, text/event-stream", "Mcp-Session-Id: " + id, "Mcp-Protocol-Version: " + version}, more...)
		return a.raw(t, a.request(method, "/operator/mcp", a.address, body, headers...))
	}
	call := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_projects","arguments":{}}}`
	for name, c := range map[string]struct{ method, body string }{
		"a call": {"POST", call}, "a list": {"POST", `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`}, "the stream": {"GET", ""}, "its end": {"DELETE", ""},
		"a cancellation": {"POST", `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`},
	} {
		taken, none := stolen(c.method, session, drive.Legacy, c.body), stolen(c.method, "no-such-session", drive.Legacy, c.body)
		a.wantRefused(t, name, taken, http.StatusNotFound)
		if got, want := shape(taken, session), shape(none, "no-such-session"); got != want {
			t.Errorf("%s: a session of somebody else's is answered\n%s\nand one that nobody has\n%s", name, got, want)
		}
	}
	meta := `"_meta":{"io.modelcontextprotocol/protocolVersion":"` + drive.Modern + `","io.modelcontextprotocol/clientInfo":{"name":"x","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}`
	answer := stolen("POST", session, drive.Modern, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_projects","arguments":{},`+meta+`}}`, "Mcp-Method: tools/call", "Mcp-Name: list_projects")
	if strings.Contains(answer, planted) || !strings.Contains(answer, `"code":"forbidden"`) {
		t.Errorf("in the era without sessions the thief is answered\n%s", answer)
	}
	// The owner's goes on.
	if head, data := a.HTTP(t, http.MethodPost, "/operator/mcp", map[string]string{"Content-Type": "application/json", "Accept": "application/json, text/event-stream", "Mcp-Session-Id": session, "Mcp-Protocol-Version": drive.Legacy}, []byte(call)); head.StatusCode != http.StatusOK || !strings.Contains(string(data), planted) {
		t.Errorf("the owner's own session is answered %d %s", head.StatusCode, data)
	}
	a.wantNothingLogged(t, thief)
}

// shape is an answer without what differs between any two.
func shape(answer, id string) string {
	var kept []string
	for line := range strings.Lines(answer) {
		if !strings.HasPrefix(line, "Date:") && !strings.HasPrefix(line, "X-Request-Id:") {
			kept = append(kept, line)
		}
	}
	text := strings.ReplaceAll(strings.Join(kept, ""), id, "ID")
	for {
		begin, rest, found := strings.Cut(text, `"request_id":"`)
		if !found {
			return text
		}
		_, rest, _ = strings.Cut(rest, `"`)
		text = begin + rest
	}
}

// A revoked token and one that expired let nobody in any more, not even into a session
// that goes on, whatever comes first: the end of the token or that of the connection.
func TestATokenThatEndsInASession(t *testing.T) {
	a := open(t, "")
	for _, era := range []string{drive.Legacy, drive.Modern} {
		token, id := a.made(t, `{"name":"ends","scopes":["*"]}`)
		mine := *a.Running
		mine.Token = token
		for _, s := range mine.OverHTTP(t) {
			if !strings.Contains(s.Name, era) {
				continue
			}
			if status, data := s.Call(t, "list_projects", `{}`); status != http.StatusOK || !strings.Contains(string(data), planted) {
				t.Fatalf("%s: %d %s", s.Name, status, data)
			}
			if head, data := a.HTTP(t, http.MethodDelete, "/api/v1/tokens/"+id, nil, nil); head.StatusCode != http.StatusOK {
				t.Fatalf("revoking: %d %s", head.StatusCode, data)
			}
			status, data := s.Call(t, "list_projects", `{}`)
			if status != http.StatusUnauthorized || strings.Contains(string(data), planted) || strings.Contains(string(data), token) {
				t.Errorf("%s: the next call is answered %d %s", s.Name, status, data)
			}
		}
		a.wantNothingLogged(t, token)
	}
}

// What one asks for by an id is answered in the same words whether it is malformed, is
// nobody's or is not the caller's to see.
func TestObjectsThatAreNotTheCallers(t *testing.T) {
	a := open(t, "")
	outsider, _ := a.made(t, `{"name":"outsider","scopes":["system:read"]}`)
	for name, c := range map[string]struct {
		token string
		ids   []string
		path  func(id string) (method, path string)
		body  string
	}{
		"a token, for whoever runs the server": {a.Token, []string{"tok_0197c2f0000000000000000000", "no-such-thing", strings.Repeat("y", 60)}, func(id string) (string, string) { return "DELETE", "/api/v1/tokens/" + id }, ""},
		"a token, for anybody else":            {outsider, []string{a.tokenID, "tok_0197c2f0000000000000000000", "no-such-thing"}, func(id string) (string, string) { return "DELETE", "/api/v1/tokens/" + id }, ""},
		"a project, for an outsider":           {outsider, []string{"WEB", "NONE", "not-a-key"}, func(id string) (string, string) { return "GET", "/api/v1/projects/" + id }, ""},
		"a seat's address":                     {a.token, []string{"desk", "no-such-thing", "%2e%2e"}, func(id string) (string, string) { return "POST", "/seats/" + id + "/mcp" }, "{}"},
		"a pack's address":                     {outsider, []string{"tracker", "no-such-thing"}, func(id string) (string, string) { return "POST", "/operator/mcp/x/" + id }, "{}"},
		"an old session":                       {a.token, []string{"no-such-session", "no-such-thing"}, func(string) (string, string) { return "GET", "/operator/mcp" }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			first := ""
			for _, id := range c.ids {
				method, path := c.path(id)
				headers := []string{"Authorization: Bearer " + c.token, "Content-Type: application/json", "Accept: application/json, text/event-stream"}
				if strings.HasSuffix(path, "/mcp") && method == "GET" {
					headers = append(headers, "Mcp-Session-Id: "+id, "Mcp-Protocol-Version: "+drive.Legacy)
				}
				answer := shape(a.raw(t, a.request(method, path, a.address, c.body, headers...)), strings.ReplaceAll(strings.ReplaceAll(id, "%2f", "/"), "%2e", "."))
				answer = withoutLength(answer)
				if first == "" {
					first = answer
				}
				if answer != first {
					t.Errorf("%s %s is answered\n%s\nand the first\n%s", method, path, answer, first)
				}
			}
			if got := status(t, first); got < 400 || got >= 500 {
				t.Errorf("answered %d:\n%s", got, first)
			}
		})
	}
}

// withoutLength answers an answer without its length, which the length of an id is in.
func withoutLength(answer string) string {
	var kept []string
	for line := range strings.Lines(answer) {
		if !strings.HasPrefix(line, "Content-Length:") {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "")
}

// The body of a request without a credential is not read to judge it.
func TestABodyWithoutACredentialIsNotTakenIn(t *testing.T) {
	a := open(t, "")
	answer := a.raw(t, fmt.Sprintf("POST /api/v1/projects HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\nContent-Length: 4000000\r\nExpect: 100-continue\r\n\r\n", a.address))
	a.wantRefused(t, "a large body", answer, 401)
	if strings.Contains(answer, "100 Continue") {
		t.Errorf("it is asked for the body:\n%.300s", answer)
	}
}

// waiting is a request that goes on, and how it ended.
type waiting struct {
	name string
	done chan struct{}
	said []byte
	code int
}

// A stream, and a call that waits, end with the credential that they were begun with, in
// both eras and over HTTP; one that goes on with a good credential does not.
func TestWhatGoesOnEndsWithItsToken(t *testing.T) {
	var ahead atomic.Int64
	a := openAt(t, "seats: [{id: desk}]\n", func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) })
	for name, end := range map[string]func(id string){
		"revoked": func(id string) {
			if head, data := a.HTTP(t, http.MethodDelete, "/api/v1/tokens/"+id, nil, nil); head.StatusCode != http.StatusOK {
				t.Fatalf("revoking: %d %s", head.StatusCode, data)
			}
		},
		"expired": func(string) { ahead.Add(int64(2 * time.Hour)) },
	} {
		t.Run(name, func(t *testing.T) {
			token, id := a.made(t, `{"name":"ends","scopes":["*","admin"],"expires":"1h"}`)
			stays, staysID := a.made(t, `{"name":"stays","scopes":["*","admin"]}`)
			newest := a.newestCall(t)
			all, other := a.begin(t, token, newest), a.begin(t, stays, newest)
			end(id)
			limit := time.After(20 * time.Second)
			for _, w := range all {
				select {
				case <-w.done:
				case <-limit:
					t.Fatalf("%s goes on after its token was %s", w.name, name)
				}
				if strings.Contains(string(w.said), planted) || strings.Contains(string(w.said), token) {
					t.Errorf("%s ends with %s", w.name, w.said)
				}
				refused := strings.Contains(string(w.said), `"code":"unauthenticated"`)
				if w.name == "a call over HTTP" && (w.code != http.StatusUnauthorized || !refused) || w.name == "a call over MCP, with a session" && !refused || len(w.said) > 0 && strings.HasPrefix(w.name, "a call") && !refused {
					t.Errorf("%s ends with %d %s", w.name, w.code, w.said)
				}
			}
			for _, w := range other {
				select {
				case <-w.done:
					t.Errorf("%s of another token ended with %d %s", w.name, w.code, w.said)
				default:
				}
			}
			// A call of a session outlives its connection: its token ends it.
			a.HTTP(t, http.MethodDelete, "/api/v1/tokens/"+staysID, nil, nil)
			for _, w := range other {
				<-w.done
			}
			a.wantNothingLogged(t, token)
		})
	}
}

// newestCall answers the id of the newest call that was noted.
func (a *target) newestCall(t *testing.T) int64 {
	t.Helper()
	var page struct{ Items []struct{ ID int64 } }
	if err := json.Unmarshal(a.Get(t, "/api/v1/calls?limit=1"), &page); err != nil || len(page.Items) == 0 {
		t.Fatalf("no call is noted: %v", err)
	}
	return page.Items[0].ID
}

// begin begins what goes on, by a token, and answers it when all of it was sent.
func (a *target) begin(t *testing.T, token string, newest int64) (all []*waiting) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	client := &http.Client{Transport: &http.Transport{}}
	t.Cleanup(func() {
		cancel()
		for _, w := range all {
			<-w.done
		}
	})
	do := func(ctx context.Context, method, path, body string, headers map[string]string) (*http.Response, error) {
		req, err := http.NewRequestWithContext(ctx, method, a.URL+path, strings.NewReader(body))
		if err != nil {
			return nil, err
		}
		req.Header.Set("Authorization", "Bearer "+token)
		if body != "" {
			req.Header.Set("Content-Type", "application/json")
		}
		for k, v := range headers {
			req.Header.Set(k, v)
		}
		return client.Do(req)
	}
	start := func(name, method, path, body string, headers map[string]string) {
		w := &waiting{name: name, done: make(chan struct{})}
		all = append(all, w)
		sent := make(chan struct{})
		defer func() { <-sent }()
		go func() {
			defer close(w.done)
			resp, err := do(httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{WroteRequest: func(httptrace.WroteRequestInfo) { close(sent) }}), method, path, body, headers)
			if err != nil {
				w.said = []byte(err.Error())
				return
			}
			w.code = resp.StatusCode
			w.said, _ = io.ReadAll(resp.Body) // a stream may end in the middle
			_ = resp.Body.Close()
		}()
	}
	// One nobody calls, so that no call of this test ends the wait.
	wait := fmt.Sprintf(`"capability":"nobody_calls_this","after":%d,"wait_seconds":60`, newest)
	legacy := map[string]string{"Accept": "application/json, text/event-stream", "Mcp-Protocol-Version": drive.Legacy}
	resp, err := do(ctx, "POST", "/operator/mcp", `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"`+drive.Legacy+`","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`, map[string]string{"Accept": legacy["Accept"]})
	if err != nil {
		t.Fatal(err)
	}
	_, _ = io.Copy(io.Discard, resp.Body)
	_ = resp.Body.Close()
	legacy["Mcp-Session-Id"] = resp.Header.Get("Mcp-Session-Id")
	if resp, err = do(ctx, "POST", "/operator/mcp", `{"jsonrpc":"2.0","method":"notifications/initialized"}`, legacy); err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	meta := `"_meta":{"io.modelcontextprotocol/protocolVersion":"` + drive.Modern + `","io.modelcontextprotocol/clientInfo":{"name":"x","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}`
	modern := func(method, tool string) map[string]string {
		h := map[string]string{"Accept": legacy["Accept"], "Mcp-Protocol-Version": drive.Modern, "Mcp-Method": method}
		if tool != "" {
			h["Mcp-Name"] = tool
		}
		return h
	}
	start("a call over HTTP", "GET", fmt.Sprintf("/api/v1/calls?capability=nobody_calls_this&after=%d&wait_seconds=60", newest), "", nil)
	start("a call over MCP, with a session", "POST", "/operator/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_calls","arguments":{`+wait+`}}}`, legacy)
	start("a call over MCP, without", "POST", "/operator/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_calls","arguments":{`+wait+`},`+meta+`}}`, modern("tools/call", "list_calls"))
	start("the stream of a session", "GET", "/operator/mcp", "", legacy)
	start("a subscription", "POST", "/operator/mcp", `{"jsonrpc":"2.0","id":2,"method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true},`+meta+`}}`, modern("subscriptions/listen", ""))
	return all
}
