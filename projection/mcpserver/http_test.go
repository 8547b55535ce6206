package mcpserver_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/projection/mcpserver"
)

func TestABodyOverTheLimit(t *testing.T) {
	f := newFixture(t)
	url := f.http().URL
	session := open(t, url)
	call := func(n int) string {
		return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"text":"` + strings.Repeat("x", n) + `"}}}`
	}
	if e := send(t, "POST", url, call(mcpserver.MaxBody-len(call(0))), session); e.status != 200 {
		t.Errorf("a body at the limit: status %d", e.status)
	}
	over := call(mcpserver.MaxBody - len(call(0)) + 1)
	if e := send(t, "POST", url, over, session); e.status != 413 || e.code(t) != "too_large" {
		t.Errorf("a body over the limit: status %d, %v", e.status, e.last(t))
	}
	// The same without a length.
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, io.MultiReader(strings.NewReader(over)))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Authorization", "Bearer owner")
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusRequestEntityTooLarge {
		t.Errorf("a chunked body over the limit: status %d", res.StatusCode)
	}
}

func TestAuthenticationMayRefuseInItsOwnWords(t *testing.T) {
	f := newFixture(t, func(o *mcpserver.Options) {
		o.Authenticate = func(*http.Request) (*capabilities.Principal, error) {
			e := capabilities.Refuse(capabilities.RateLimited, "too many tries")
			e.RetryAfter = 1500 * time.Millisecond
			return nil, e
		}
	})
	e := send(t, "POST", f.http().URL, initialize)
	if e.status != 429 || e.header.Get("Retry-After") != "2" || e.last(t)["code"] != "rate_limited" {
		t.Errorf("status %d, Retry-After %q, %v", e.status, e.header.Get("Retry-After"), e.last(t))
	}
}

func TestBigIntegersSurvive(t *testing.T) {
	for _, adjust := range [][]func(*mcpserver.Options){nil, {library}} {
		f := newFixture(t, adjust...)
		url := f.http().URL
		e := send(t, "POST", url, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"text":"x","big":9007199254740993}}}`, open(t, url))
		var got struct {
			Result struct {
				Structured struct{ Big json.Number } `json:"structuredContent"`
			}
		}
		if err := json.Unmarshal(e.messages[0], &got); err != nil || got.Result.Structured.Big != "9007199254740993" {
			t.Errorf("got %s", e.messages)
		}
	}
}

func TestTheAnswerFollowsAccept(t *testing.T) {
	f := newFixture(t)
	url := f.http().URL
	session := open(t, url)
	call := func(meta string) string {
		return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"text":"x","steps":2},"_meta":{` + meta + `}}}`
	}
	for _, tc := range []struct {
		accept, meta, contentType string
		messages                  int
	}{
		{"application/json, text/event-stream", "", "application/json", 1},
		{"application/json, text/event-stream", `"progressToken":"t"`, "text/event-stream", 3},
		{"application/json", `"progressToken":"t"`, "application/json", 1},
		{"text/event-stream", "", "text/event-stream", 1},
		{"*/*", "", "application/json", 1},
		{"-", "", "application/json", 1},
	} {
		e := send(t, "POST", url, call(tc.meta), session, "Accept: "+tc.accept)
		if e.status != 200 || e.contentType != tc.contentType || len(e.messages) != tc.messages {
			t.Errorf("accept %q, meta %q: status %d, %s, %d messages", tc.accept, tc.meta, e.status, e.contentType, len(e.messages))
		}
	}
	for accept, contentType := range map[string]string{
		"-": "text/event-stream", "application/json": "application/json", "text/event-stream": "text/event-stream",
	} {
		e := send(t, "POST", url, initialize, "Accept: "+accept)
		if e.status != 200 || e.contentType != contentType || e.last(t)["result"] == nil {
			t.Errorf("initialize with accept %q: status %d, %s, %s", accept, e.status, e.contentType, e.messages)
		}
	}
	listen, headers := modern("9", "subscriptions/listen", "", `"notifications":{"toolsListChanged":true}`, "")
	if e := send(t, "POST", url, listen, append(headers, "Accept: application/json")...); e.status != 406 || e.code(t) != "invalid" {
		t.Errorf("a subscription without events: status %d, %v", e.status, e.last(t))
	}
}

func TestASessionEnds(t *testing.T) {
	f := newFixture(t)
	url := f.http().URL
	list := `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`
	sessions := func() int { return f.server.SurfaceFacts().Transports[0].Sessions }

	deleted := open(t, url)
	if e := send(t, "DELETE", url, "", deleted); e.status != 204 {
		t.Errorf("DELETE: status %d", e.status)
	}
	if e := send(t, "POST", url, list, deleted); e.status != 404 {
		t.Errorf("after DELETE: status %d", e.status)
	}

	idle, used := open(t, url), open(t, url)
	f.clock.Add(mcpserver.SessionIdle * 2 / 3)
	if e := send(t, "POST", url, list, used); e.status != 200 {
		t.Errorf("in use: status %d", e.status)
	}
	f.clock.Add(mcpserver.SessionIdle * 2 / 3)
	if n := sessions(); n != 2 {
		t.Errorf("%d sessions before one is opened", n)
	}
	open(t, url) // opening one ends those that are idle
	if e := send(t, "POST", url, list, idle); e.status != 404 {
		t.Errorf("idle: status %d", e.status)
	}
	if e := send(t, "POST", url, list, used); e.status != 200 {
		t.Errorf("in use, later: status %d", e.status)
	}
	if n := sessions(); n != 2 {
		t.Errorf("%d sessions at the end", n)
	}
}

const waiting = `{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"echo","arguments":{"text":"x","fail":"wait"}}}`

func TestHandshakeEraCancellation(t *testing.T) {
	for _, lane := range []struct {
		name   string
		adjust []func(*mcpserver.Options)
	}{{"fast", nil}, {"library", []func(*mcpserver.Options){library}}} {
		t.Run(lane.name, func(t *testing.T) {
			f := newFixture(t, lane.adjust...)
			url := f.http().URL
			session, other := open(t, url), open(t, url)
			answered := make(chan exchange, 1)
			go func() { answered <- send(t, "POST", url, waiting, session) }()
			receive(t, f.deps.started, "the call")

			if e := send(t, "POST", url, strings.Replace(waiting, "wait", "", 1), session); e.status != 400 {
				t.Errorf("an id that is in use: status %d", e.status)
			}
			cancelled := `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5}}`
			send(t, "POST", url, cancelled, other) // of another session: not this call
			if len(f.deps.ended) != 0 {
				t.Fatal("another session cancelled the call")
			}
			if e := send(t, "POST", url, cancelled, session); e.status != 202 {
				t.Errorf("cancelled: status %d", e.status)
			}
			receive(t, f.deps.ended, "the cancellation")
			receive(t, answered, "the answer")
		})
	}
}

func TestALostConnectionCancelsOnlyInTheSessionlessEra(t *testing.T) {
	f := newFixture(t)
	url := f.http().URL
	learn(t, url)
	leave := func(body string, headers ...string) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		r, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader(body))
		if err != nil {
			t.Error(err)
			return
		}
		for _, h := range append(headers, "Content-Type: application/json", "Authorization: Bearer owner", "Accept: application/json, text/event-stream") {
			name, v, _ := strings.Cut(h, ": ")
			r.Header.Set(name, v)
		}
		left := make(chan error, 1)
		go func() {
			res, err := http.DefaultClient.Do(r)
			if err == nil {
				res.Body.Close()
			}
			left <- err
		}()
		receive(t, f.deps.started, "the call")
		cancel()
		if err := receive(t, left, "the client"); !errors.Is(err, context.Canceled) {
			t.Errorf("the client got %v", err)
		}
	}
	session := open(t, url)
	leave(waiting, session)
	body, headers := modern("5", "tools/call", "echo", `"name":"echo","arguments":{"text":"x","fail":"wait"}`, "")
	leave(body, headers...)
	receive(t, f.deps.ended, "the cancellation")
	if len(f.deps.ended) != 0 {
		t.Error("a lost connection cancelled a call of the handshake era")
	}
	if e := send(t, "DELETE", url, "", session); e.status != 204 {
		t.Errorf("DELETE: status %d", e.status)
	}
	receive(t, f.deps.ended, "the end of the session")
}

func TestShutdown(t *testing.T) {
	f := newFixture(t)
	url := f.http().URL
	session := open(t, url)
	stream := make(chan exchange, 1)
	go func() { stream <- send(t, "GET", url, "", session, "Accept: text/event-stream") }()
	listen, headers := modern("9", "subscriptions/listen", "", `"notifications":{"toolsListChanged":true}`, "")
	go func() { stream <- send(t, "POST", url, listen, headers...) }()
	awaitWatchers(t, f)
	answered := make(chan exchange, 1)
	go func() { answered <- send(t, "POST", url, waiting, session) }()
	receive(t, f.deps.started, "the call")
	if err := f.server.Close(); err != nil {
		t.Error(err)
	}
	receive(t, f.deps.ended, "the end of the call")
	receive(t, answered, "its answer")
	receive(t, stream, "the end of a stream")
	receive(t, stream, "the end of the other stream")
}

func TestAPanicFailsOneRequest(t *testing.T) {
	for _, adjust := range [][]func(*mcpserver.Options){nil, {library}} {
		door := &panicking{}
		f := newFixture(t, append(adjust, func(o *mcpserver.Options) { door.Invoker, o.Door = o.Door, door })...)
		url := f.http().URL
		session := open(t, url)
		call := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read_local"}}`
		door.set(true)
		e := send(t, "POST", url, call, session)
		failed, _ := e.last(t)["error"].(map[string]any)
		if failed == nil || fmt.Sprint(failed["code"]) != "-32603" || strings.Contains(fmt.Sprint(failed["message"]), "secret") {
			t.Errorf("got %v", e.last(t))
		}
		if !strings.Contains(f.log.String(), "mcp_panicked") {
			t.Errorf("the log has %s", f.log)
		}
		door.set(false)
		if e := send(t, "POST", url, call, session); e.last(t)["result"] == nil {
			t.Errorf("the next request got %v", e.last(t))
		}
	}
}

// panicking is a door that panics, as no door should.
type panicking struct {
	capabilities.Invoker
	mu sync.Mutex
	on bool
}

func (p *panicking) set(on bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.on = on
}

func (p *panicking) Invoke(ctx context.Context, c capabilities.Call) (*capabilities.Result, error) {
	p.mu.Lock()
	on := p.on
	p.mu.Unlock()
	if on {
		panic("a secret")
	}
	return p.Invoker.Invoke(ctx, c)
}

// TestNobodySeesAnotherList has 50 callers of two principals list and call at once,
// while the registry changes.
func TestNobodySeesAnotherList(t *testing.T) {
	f := newFixture(t)
	url := f.http().URL
	learn(t, url)
	sessions := map[string]string{"owner": open(t, url), "guest": open(t, url, "Authorization: Bearer guest")}
	swaps := [][]*capabilities.Capability{{bridged(t, "other__x")}, {bridged(t, "other__x"), bridged(t, "other__y")}, nil}
	var wg sync.WaitGroup
	stop := make(chan struct{})
	var swapping sync.WaitGroup
	swapping.Go(func() {
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
				f.bridge("other", swaps[i%len(swaps)]...)
			}
		}
	})
	for i := range 50 {
		wg.Go(func() {
			who := []string{"owner", "guest"}[i%2]
			for n := range 10 {
				body, headers := modern("1", "tools/list", "", "", "")
				if n%2 == 0 {
					body, headers = `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, []string{sessions[who]}
				}
				e := send(t, "POST", url, body, append(headers, "Authorization: Bearer "+who)...)
				if e.status != 200 {
					t.Errorf("%s: status %d", who, e.status)
					return
				}
				seesWrites := bytes.Contains(e.messages[len(e.messages)-1], []byte(`"name":"append_shared"`))
				if seesWrites != (who == "owner") {
					t.Errorf("%s was served the list of somebody else", who)
				}
			}
		})
	}
	wg.Wait()
	close(stop)
	swapping.Wait()
}

func TestPages(t *testing.T) {
	f := newFixture(t)
	f.bridge("many", many(t, 2*mcpserver.PageSize+1)...)
	url := f.http().URL
	session := open(t, url)
	var got []string
	var cursors []string
	cursor := ""
	for {
		e := send(t, "POST", url, fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":%q}}`, cursor), session)
		var page struct {
			Result struct {
				Tools      []struct{ Name string }
				NextCursor string
				TTLMs      int
				CacheScope string
			}
		}
		if err := json.Unmarshal(e.messages[0], &page); err != nil {
			t.Fatal(err)
		}
		for _, tool := range page.Result.Tools {
			got = append(got, tool.Name)
		}
		if page.Result.CacheScope != "private" || page.Result.TTLMs <= 0 {
			t.Errorf("ttlMs %d, cacheScope %q", page.Result.TTLMs, page.Result.CacheScope)
		}
		if cursor = page.Result.NextCursor; cursor == "" {
			break
		}
		cursors = append(cursors, cursor)
	}
	var want []string
	for _, c := range f.views.View(f.people["owner"]).Listed {
		want = append(want, c.Name())
	}
	if diff := cmp.Diff(want, got); diff != "" || len(cursors) != 2 {
		t.Errorf("%d cursors, the walk differs (-want +got):\n%s", len(cursors), diff)
	}
	refused := func(name, cursor string, headers ...string) {
		t.Helper()
		e := send(t, "POST", url, fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":%q}}`, cursor), headers...)
		failed, _ := e.last(t)["error"].(map[string]any)
		if failed == nil || fmt.Sprint(failed["code"]) != "-32602" {
			t.Errorf("%s: got %v", name, e.last(t))
		}
	}
	refused("a cursor of another principal's list", cursors[0], "Authorization: Bearer guest", open(t, url, "Authorization: Bearer guest"))
	refused("a changed cursor", cursors[0][:len(cursors[0])-1]+"Z", session)
	f.bridge("many", many(t, 2*mcpserver.PageSize)...)
	refused("a cursor of a list that is gone", cursors[0], session)
}

func TestInjectedArguments(t *testing.T) {
	f := newFixture(t)
	f.bridge("other", bridged(t, "other__x"))
	url := f.http().URL
	session := open(t, url)
	call := func(tool, args string) map[string]any {
		e := send(t, "POST", url, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"`+tool+`","arguments":`+args+`}}`, session)
		res, _ := e.last(t)["result"].(map[string]any)
		return res
	}
	for _, tc := range []struct {
		name, tool, args string
		refused          bool
	}{
		{"all known keys", "echo", `{"toolCallId":"c","sessionId":"s","chatInput":"hi","action":"sendMessage","wait_for_previous":false,"task_progress":"- [x]","text":"x"}`, false},
		{"a value of another kind", "echo", `{"text":"x","toolCallId":7}`, true},
		{"another action", "echo", `{"text":"x","action":"delete"}`, true},
		{"an unknown key beside it", "echo", `{"text":"x","toolCallId":"c","txet":1}`, true},
		{"a key in a nested place", "echo", `{"text":{"toolCallId":"c"}}`, true},
		{"a duplicate beside it", "echo", `{"text":"x","text":"y","toolCallId":"c"}`, true},
	} {
		if res := call(tc.tool, tc.args); (res["isError"] == true) != tc.refused {
			t.Errorf("%s: got %v", tc.name, res)
		}
	}
	// A schema that takes unknown fields is handed what was sent.
	res := call("other__x", `{"q":"a","toolCallId":"c"}`)
	if text := res["content"].([]any)[0].(map[string]any)["text"]; text != `{"q":"a","toolCallId":"c"}` {
		t.Errorf("an open schema was handed %v", text)
	}
}

// TestMirroredArguments: where a schema asks for a header that mirrors an argument,
// the two say the same.
func TestMirroredArguments(t *testing.T) {
	for _, adjust := range [][]func(*mcpserver.Options){nil, {library}} {
		f := newFixture(t, adjust...)
		f.bridge("other", bridged(t, "other__x", func(s *capabilities.BridgedSpec) {
			s.Input = json.RawMessage(`{"type":"object","properties":{"q":{"type":"string","x-mcp-header":"Query"},"in":{"type":"object","properties":{"n":{"type":"integer","x-mcp-header":"Number"}}}}}`)
		}))
		url := f.http().URL
		learn(t, url)
		for _, tc := range []struct {
			name, args string
			headers    []string
			status     int
		}{
			{"the same", `{"q":"a","in":{"n":7}}`, []string{"Mcp-Param-Query: a", "Mcp-Param-Number: 7"}, 200},
			{"encoded", `{"q":"\u00e9"}`, []string{"Mcp-Param-Query: =?base64?w6k=?="}, 200},
			{"neither", `{}`, nil, 200},
			{"a null", `{"q":null}`, nil, 200},
			{"another spelling of the number", `{"in":{"n":7}}`, []string{"Mcp-Param-Number: 7.0"}, 200},
			{"another value", `{"q":"a"}`, []string{"Mcp-Param-Query: b"}, 400},
			{"another number", `{"in":{"n":7}}`, []string{"Mcp-Param-Number: 8"}, 400},
			{"no header", `{"q":"a"}`, nil, 400},
			{"no argument", `{}`, []string{"Mcp-Param-Query: a"}, 400},
			{"broken encoding", `{"q":"a"}`, []string{"Mcp-Param-Query: =?base64?!?="}, 400},
			{"no single value", `{"q":["a"]}`, []string{"Mcp-Param-Query: a"}, 400},
		} {
			body, headers := modern("1", "tools/call", "other__x", `"name":"other__x","arguments":`+tc.args, "")
			e := send(t, "POST", url, body, append(headers, tc.headers...)...)
			if e.status != tc.status {
				t.Errorf("%s: status %d, want %d: %s", tc.name, e.status, tc.status, e.messages)
			}
			if failed, _ := e.last(t)["error"].(map[string]any); tc.status == 400 && (failed == nil || fmt.Sprint(failed["code"]) != "-32020") {
				t.Errorf("%s: got %v", tc.name, e.last(t))
			}
		}
	}
}
