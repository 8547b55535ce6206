package bridge_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/capabilities/bridge"
)

// A httpFake is a streamable HTTP server of 2025-11-25 that keeps sessions. onCall
// answers tools/call; it returns false for the good answer.
type httpFake struct {
	*httptest.Server
	onCall func(f *httpFake, w http.ResponseWriter, r *http.Request, m rpc) bool

	mu       sync.Mutex
	sessions map[string]bool
	lost     int // the status for a session that is not known; 404 unless set
	calls    int
	seen     []string // method, rpc method, session
	headers  []http.Header
	notes    chan rpc
}

func newHTTPFake(t *testing.T, onCall func(*httpFake, http.ResponseWriter, *http.Request, rpc) bool) *httpFake {
	t.Helper()
	f := &httpFake{onCall: onCall, sessions: map[string]bool{}, lost: http.StatusNotFound, notes: make(chan rpc, 16)}
	f.Server = httptest.NewServer(f)
	t.Cleanup(func() {
		f.CloseClientConnections()
		f.Close()
	})
	return f
}

func (f *httpFake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	var m rpc
	_ = json.Unmarshal(body, &m)
	session := r.Header.Get("Mcp-Session-Id")
	f.mu.Lock()
	f.seen = append(f.seen, r.Method+" "+m.Method)
	f.headers = append(f.headers, r.Header.Clone())
	known := f.sessions[session]
	f.mu.Unlock()
	switch {
	case r.Method == http.MethodDelete:
		f.forget()
	case r.Method == http.MethodGet:
		http.Error(w, "", http.StatusMethodNotAllowed)
	case m.Method == "server/discover":
		http.Error(w, "no session", http.StatusBadRequest)
	case m.Method == "initialize":
		f.mu.Lock()
		id := fmt.Sprintf("session-%d", len(f.seen))
		f.sessions[id] = true
		f.mu.Unlock()
		w.Header().Set("Mcp-Session-Id", id)
		answer(w, m, `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"http","version":"1"}}`)
	case !known:
		w.WriteHeader(f.lost)
		fmt.Fprint(w, `{"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"Session not found"}}`)
	case m.ID == nil:
		select {
		case f.notes <- m:
		default:
		}
		w.WriteHeader(http.StatusAccepted)
	case m.Method == "tools/list":
		answer(w, m, `{"tools":[`+echoTool+`,{"name":"look","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}}]}`)
	case m.Method == "tools/call":
		f.mu.Lock()
		f.calls++
		f.mu.Unlock()
		if f.onCall == nil || !f.onCall(f, w, r, m) {
			answer(w, m, text("got it"))
		}
	}
}

func (f *httpFake) forget() {
	f.mu.Lock()
	defer f.mu.Unlock()
	clear(f.sessions)
}

// ran answers how many calls arrived.
func (f *httpFake) ran() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.calls
}

// requests answers how many requests of any kind arrived.
func (f *httpFake) requests() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.seen)
}

func (f *httpFake) count(what string) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	n := 0
	for _, s := range f.seen {
		if s == what {
			n++
		}
	}
	return n
}

func answer(w http.ResponseWriter, m rpc, result string) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, result)
}

func event(m rpc, result string) string {
	return fmt.Sprintf("event: message\ndata: {\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":%s}\n\n", m.ID, result)
}

func stream(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "text/event-stream")
	w.WriteHeader(http.StatusOK)
	w.(http.Flusher).Flush()
}

func httpServer(url string) bridge.Server {
	return bridge.Server{Name: "h", URL: url, StartupTimeout: 20 * time.Second, CallTimeout: 20 * time.Second}
}

func TestStreamableHTTP(t *testing.T) {
	f := newHTTPFake(t, nil)
	s := httpServer(f.URL)
	s.Headers = map[string]string{"Authorization": "Bearer tok_0123456789", "x-api-key": "k"}
	h := run(t, s)
	if got := h.must("h__echo", `{}`); got != "got it" {
		t.Errorf("got %q", got)
	}
	if st := h.status(0); st.Transport != "http" || st.Version != "2025-11-25" || st.ServerName != "http" {
		t.Errorf("status %+v", st)
	}
	f.mu.Lock()
	for i, header := range f.headers {
		if header.Get("Authorization") != "Bearer tok_0123456789" || header.Get("X-Api-Key") != "k" || header.Get("User-Agent") != "holotype/1.0.0" {
			t.Errorf("%s carries %v", f.seen[i], header)
		}
	}
	last := f.headers[len(f.headers)-1]
	f.mu.Unlock()
	if last.Get("Mcp-Session-Id") == "" || last.Get("Mcp-Protocol-Version") != "2025-11-25" || last.Get("Mcp-Method") != "" {
		t.Errorf("a call carries %v", last)
	}
	h.stop()
	if n := f.count("DELETE "); n != 1 {
		t.Errorf("%d sessions ended", n)
	}
}

func TestALostSessionIsMadeAnewOnceAndTheCallSentOnceMore(t *testing.T) {
	for _, status := range []int{http.StatusNotFound, http.StatusBadRequest} {
		t.Run(http.StatusText(status), func(t *testing.T) {
			f := newHTTPFake(t, nil)
			f.lost = status
			h := run(t, httpServer(f.URL))
			f.forget()
			var all sync.WaitGroup
			for range 8 { // all of them lose it; one makes the new one
				all.Go(func() {
					if _, err := h.call("h__echo", `{}`); err != nil {
						t.Error(err)
					}
				})
			}
			all.Wait()
			if n := f.count("POST initialize"); n != 2 {
				t.Errorf("%d sessions made", n)
			}
			if f.ran() != 8 {
				t.Errorf("%d calls ran", f.ran())
			}
		})
	}
	t.Run("lost again", func(t *testing.T) {
		f := newHTTPFake(t, nil)
		f.onCall = func(f *httpFake, w http.ResponseWriter, _ *http.Request, _ rpc) bool {
			f.forget()
			http.Error(w, "Session not found", http.StatusNotFound)
			return true
		}
		h := run(t, httpServer(f.URL))
		e := h.refusal("h__echo", `{}`, capabilities.Unavailable)
		if e.MaybeApplied || f.ran() != 2 || !strings.Contains(e.Message, "forgot the session again") {
			t.Errorf("%d calls: %s", f.ran(), e.Message)
		}
	})
}

// gzipBomb packs n MiB into next to nothing.
func gzipBomb(t *testing.T, n int) []byte {
	t.Helper()
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestSpeed)
	if err != nil {
		t.Fatal(err)
	}
	chunk := []byte(strings.Repeat("a", 1<<20))
	for range n {
		if _, err := z.Write(chunk); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestHTTPFaults(t *testing.T) {
	t.Parallel()
	bomb := gzipBomb(t, 64)
	page := `<!doctype html><title>Bad gateway</title><script>alert(1)</script>`
	status := func(code int, header, body string) func(*httpFake, http.ResponseWriter, *http.Request, rpc) bool {
		return func(_ *httpFake, w http.ResponseWriter, _ *http.Request, _ rpc) bool {
			if k, v, ok := strings.Cut(header, ": "); ok {
				w.Header().Set(k, v)
			}
			w.WriteHeader(code)
			io.WriteString(w, body)
			return true
		}
	}
	for _, c := range []struct {
		name  string
		on    func(*httpFake, http.ResponseWriter, *http.Request, rpc) bool
		code  capabilities.Code
		says  string
		maybe bool
		retry time.Duration
	}{
		{"401 is not ours", status(401, "WWW-Authenticate: Bearer", ""), capabilities.Unavailable, "asks for a credential, and none is configured (HTTP status 401); it wants Bearer", false, 0},
		{"403", status(403, "", ""), capabilities.Unavailable, "carried no credential", false, 0},
		{"422", status(422, "Content-Type: application/problem+json", `{"title":"nope"}`), capabilities.UpstreamError, "HTTP status 422", false, 0},
		{"429 says when", status(429, "Retry-After: 7", ""), capabilities.Unavailable, "HTTP status 429", false, 7 * time.Second},
		{"an endless wait is capped", status(429, "Retry-After: 86400", ""), capabilities.Unavailable, "HTTP status 429", false, time.Hour},
		{"500", status(500, "", "boom"), capabilities.UpstreamError, "HTTP status 500", true, 0},
		{"500 with words", status(500, "", `{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"inside"}}`), capabilities.UpstreamError, "inside", true, 0},
		{"a page of HTML is not shown", status(502, "Content-Type: text/html", page), capabilities.Unavailable, "HTTP status 502", true, 0},
		{"a page of HTML with 200", status(200, "Content-Type: text/html; charset=utf-8", page), capabilities.UpstreamError, "answered with text/html", true, 0},
		{"nothing", status(202, "", ""), capabilities.UpstreamError, "nothing else", true, 0},
		{"an encoding nobody asked for", status(200, "Content-Encoding: br", "xx"), capabilities.Unavailable, `in the encoding "br"`, true, 0},
		{"another answer", status(200, "", `{"jsonrpc":"2.0","id":5,"result":{}}`), capabilities.UpstreamError, "no answer to the request", true, 0},
		{"a stream cut off", func(_ *httpFake, w http.ResponseWriter, _ *http.Request, m rpc) bool {
			stream(w)
			io.WriteString(w, event(m, text("x"))[:40])
			panic(http.ErrAbortHandler)
		}, capabilities.Unavailable, "before it was whole", true, 0},
		{"a stream that ends", func(_ *httpFake, w http.ResponseWriter, _ *http.Request, _ rpc) bool {
			stream(w)
			io.WriteString(w, ": bye\n\n")
			return true
		}, capabilities.Unavailable, "before it was whole", true, 0},
		{"a stream without an end", func(_ *httpFake, w http.ResponseWriter, r *http.Request, _ rpc) bool {
			stream(w)
			chunk := []byte("data: " + strings.Repeat("z", 1<<20) + "\n")
			for r.Context().Err() == nil {
				if _, err := w.Write(chunk); err != nil {
					return true
				}
			}
			return true
		}, capabilities.TooLarge, "16777216 bytes", true, 0},
		{"a small answer that unpacks to 64 MiB", func(_ *httpFake, w http.ResponseWriter, _ *http.Request, _ rpc) bool {
			w.Header().Set("Content-Encoding", "gzip")
			w.Header().Set("Content-Type", "application/json")
			w.Write(bomb)
			return true
		}, capabilities.TooLarge, "16777216 bytes", true, 0},
		{"a connection reset", func(_ *httpFake, _ http.ResponseWriter, _ *http.Request, _ rpc) bool { panic(http.ErrAbortHandler) }, capabilities.Unavailable, "cannot be reached", true, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			f := newHTTPFake(t, c.on)
			h := run(t, httpServer(f.URL))
			e := h.refusal("h__echo", `{}`, c.code)
			if !strings.Contains(e.Message, c.says) || strings.Contains(e.Message, "script") || e.MaybeApplied != c.maybe || e.RetryAfter != c.retry {
				t.Errorf("maybe applied %v, retry %s: %s", e.MaybeApplied, e.RetryAfter, e.Message)
			}
			if e := h.refusal("h__look", `{}`, c.code); e.MaybeApplied {
				t.Errorf("a proven read may have been applied: %s", e.Message)
			}
			if f.ran() != 2 {
				t.Errorf("%d calls ran for two", f.ran())
			}
		})
	}
}

func TestAnswersOverHTTPInOtherShapes(t *testing.T) {
	body := func(m rpc) string { return `{"jsonrpc":"2.0","id":` + string(m.ID) + `,"result":` + text("ok") + `}` }
	for name, on := range map[string]func(http.ResponseWriter, rpc){
		"a stream": func(w http.ResponseWriter, m rpc) { stream(w); io.WriteString(w, event(m, text("ok"))) },
		"a stream with junk": func(w http.ResponseWriter, m rpc) {
			stream(w)
			io.WriteString(w, "data: junk\n\nevent: ping\ndata: {}\n\n"+event(m, text("ok")))
		},
		"another id first": func(w http.ResponseWriter, m rpc) {
			stream(w)
			io.WriteString(w, event(rpc{ID: json.RawMessage("5")}, text("no"))+event(m, text("ok")))
		},
		"no type": func(w http.ResponseWriter, m rpc) { w.Header()["Content-Type"] = nil; io.WriteString(w, body(m)) },
		"a type in capitals": func(w http.ResponseWriter, m rpc) {
			w.Header().Set("Content-Type", "Application/JSON;Charset=UTF-8")
			io.WriteString(w, body(m))
		},
		"a mark before it":           func(w http.ResponseWriter, m rpc) { io.WriteString(w, "\ufeff"+body(m)) },
		"a batch of one":             func(w http.ResponseWriter, m rpc) { io.WriteString(w, "["+body(m)+"]") },
		"a document called a stream": func(w http.ResponseWriter, m rpc) { stream(w); io.WriteString(w, body(m)) },
		"a stream called a document": func(w http.ResponseWriter, m rpc) {
			w.Header().Set("Content-Type", "application/json")
			io.WriteString(w, event(m, text("ok")))
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := newHTTPFake(t, func(_ *httpFake, w http.ResponseWriter, _ *http.Request, m rpc) bool { on(w, m); return true })
			h := run(t, httpServer(f.URL))
			if got := h.must("h__echo", `{}`); got != "ok" {
				t.Errorf("got %q", got)
			}
		})
	}
}

func TestOnTheStreamOfACall(t *testing.T) {
	replies := make(chan rpc, 1)
	f := newHTTPFake(t, func(f *httpFake, w http.ResponseWriter, _ *http.Request, m rpc) bool {
		stream(w)
		for _, v := range []string{"1", "1", "2"} {
			fmt.Fprintf(w, "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{\"progressToken\":%s,\"progress\":%s}}\n\n", m.Params.Meta.Token, v)
		}
		io.WriteString(w, "data: {\"jsonrpc\":\"2.0\",\"id\":\"q\",\"method\":\"sampling/createMessage\",\"params\":{}}\n\n")
		w.(http.Flusher).Flush()
		select {
		case reply := <-f.notes:
			for string(reply.ID) != `"q"` && reply.Method != "" {
				reply = <-f.notes
			}
			replies <- reply
		case <-time.After(5 * time.Second):
		}
		io.WriteString(w, event(m, text("ok")))
		return true
	})
	// What is answered to the server has an id and no method.
	f.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		var m rpc
		if json.Unmarshal(body, &m) == nil && m.ID != nil && m.Method == "" {
			f.notes <- m
			w.WriteHeader(http.StatusAccepted)
			return
		}
		r.Body = io.NopCloser(strings.NewReader(string(body)))
		f.ServeHTTP(w, r)
	})
	h := run(t, httpServer(f.URL))
	var got []float64
	r, err := h.callWith(h.deadline(), capabilities.Call{Name: "h__echo", Progress: func(p capabilities.Progress) { got = append(got, p.Value) }})
	if err != nil || firstText(t, r) != "ok" {
		t.Fatal(r, err)
	}
	if d := cmp.Diff([]float64{1, 2}, got); d != "" {
		t.Error(d)
	}
	if reply := <-replies; !strings.Contains(string(reply.Error), "-32601") {
		t.Errorf("the server's question was answered with %+v", reply)
	}
}

func TestABrokenStreamIsResumedAndTheCallNotRepeated(t *testing.T) {
	f := newHTTPFake(t, nil)
	var mu sync.Mutex
	var held rpc
	resumed := 0
	f.onCall = func(_ *httpFake, w http.ResponseWriter, _ *http.Request, m rpc) bool {
		mu.Lock()
		held = m
		mu.Unlock()
		stream(w)
		io.WriteString(w, "id: e1\nretry: 5\ndata:\n\n")
		return true
	}
	f.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet && r.Header.Get("Last-Event-ID") == "e1" {
			stream(w)
			mu.Lock()
			defer mu.Unlock()
			if resumed++; resumed == 2 {
				io.WriteString(w, event(held, text("resumed")))
			}
			return
		}
		f.ServeHTTP(w, r)
	})
	h := run(t, httpServer(f.URL))
	got := h.must("h__echo", `{}`)
	mu.Lock()
	defer mu.Unlock()
	if got != "resumed" || f.ran() != 1 || resumed != 2 {
		t.Errorf("got %q after %d calls and %d resumptions", got, f.ran(), resumed)
	}
}

func TestCancellationOverHTTP(t *testing.T) {
	started := make(chan rpc, 1)
	f := newHTTPFake(t, func(_ *httpFake, _ http.ResponseWriter, r *http.Request, m rpc) bool {
		started <- m
		<-r.Context().Done()
		return true
	})
	h := run(t, httpServer(f.URL))
	<-f.notes // initialized
	ctx, cancel := context.WithCancel(h.deadline())
	var called rpc
	go func() {
		called = <-started
		cancel()
	}()
	r, err := h.callWith(ctx, capabilities.Call{Name: "h__echo"})
	refused(t, r, err, capabilities.Timeout)
	select {
	case note := <-f.notes:
		if note.Method != "notifications/cancelled" || string(note.Params.RequestID) != string(called.ID) {
			t.Errorf("note %+v", note)
		}
	case <-h.deadline().Done():
		t.Error("the server was not told")
	}
}

func TestStoppingEndsRunningCalls(t *testing.T) {
	started := make(chan bool, 1)
	f := newHTTPFake(t, func(_ *httpFake, _ http.ResponseWriter, r *http.Request, _ rpc) bool {
		started <- true
		<-r.Context().Done()
		return true
	})
	h := run(t, httpServer(f.URL))
	go func() {
		<-started
		h.stop()
	}()
	e := h.refusal("h__echo", `{}`, capabilities.Unavailable)
	if !e.MaybeApplied || !strings.Contains(e.Message, "was stopped while the call was running") {
		t.Errorf("refusal %q", e.Message)
	}
}

func TestRedirects(t *testing.T) {
	var stolen []http.Header
	var mu sync.Mutex
	thief := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		stolen = append(stolen, r.Header.Clone())
	}))
	defer thief.Close()
	f := newHTTPFake(t, nil)
	redirect := func(status int, to string) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != "/there" {
				w.Header().Set("Location", to)
				w.WriteHeader(status)
				return
			}
			f.ServeHTTP(w, r)
		})
	}
	for _, c := range []struct {
		name   string
		status int
		to     string
		says   string // "" for a connection that works
	}{
		{"307 within the origin", 307, "/there", ""},
		{"308 within the origin", 308, "/there", ""},
		{"301 would drop the request", 301, "/there", "use that address"},
		{"302 would drop the request", 302, "/there", "use that address"},
		{"another origin", 307, thief.URL, "another origin"},
		{"another scheme", 307, "file:///etc/hostname", "another origin"},
		{"in circles", 307, "/here", "more than 5"},
	} {
		t.Run(c.name, func(t *testing.T) {
			srv := httptest.NewServer(redirect(c.status, c.to))
			defer srv.Close()
			s := httpServer(srv.URL)
			s.Headers = map[string]string{"X-Api-Key": "secret-0123456789"}
			h := run(t, s)
			if c.says == "" {
				h.must("h__echo", `{}`)
				return
			}
			if st := h.status(0); st.State != bridge.StateFailed || !strings.Contains(st.Reason, c.says) {
				t.Errorf("state %s: %s", st.State, st.Reason)
			}
		})
	}
	if len(stolen) != 0 {
		t.Errorf("another origin got %v", stolen)
	}
}

func TestFailedHandshakesOverHTTPSayWhy(t *testing.T) {
	for name, c := range map[string]struct {
		handler http.HandlerFunc
		says    string
		state   bridge.State
	}{
		"401": {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(401) }, "asks for a credential, and none is configured (HTTP status 401)", bridge.StateHeld},
		"403": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("WWW-Authenticate", `Bearer scope="x"`)
			w.WriteHeader(403)
		}, `carried no credential (HTTP status 403); it wants Bearer scope="x"`, bridge.StateHeld},
		"401, and 400 for initialize, which is open to all": {func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Mcp-Method") == "server/discover" {
				w.Header().Set("WWW-Authenticate", `Bearer scope="y"`)
				w.WriteHeader(401)
				return
			}
			w.WriteHeader(400)
			io.WriteString(w, `{"jsonrpc":"2.0","id":2,"error":{"code":-32020,"message":"no version in a header"}}`)
		}, `asks for a credential, and none is configured (HTTP status 401); it wants Bearer scope="y"`, bridge.StateHeld},
		"404": {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(404) }, "HTTP status 404", bridge.StateFailed},
		"400 with words": {func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(400)
			io.WriteString(w, `{"jsonrpc":"2.0","id":2,"error":{"code":-32000,"message":"only 2024-11-05"}}`)
		}, "only 2024-11-05", bridge.StateFailed},
		"silence": {func(_ http.ResponseWriter, r *http.Request) {
			_, _ = io.ReadAll(r.Body)
			<-r.Context().Done()
		}, "did not finish the handshake within 400ms", bridge.StateFailed},
	} {
		t.Run(name, func(t *testing.T) {
			srv := httptest.NewServer(c.handler)
			t.Cleanup(func() {
				srv.CloseClientConnections()
				srv.Close()
			})
			s := httpServer(srv.URL)
			s.StartupTimeout = 400 * time.Millisecond
			h := run(t, s)
			st := h.status(0)
			if st.State != c.state || !strings.Contains(st.Reason, c.says) {
				t.Errorf("state %s: %s", st.State, st.Reason)
			}
			if wait := time.Until(st.NextTry); c.state == bridge.StateHeld && wait < 3*time.Minute {
				t.Errorf("the credential is tried again in %s", wait)
			}
		})
	}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) }))
	old := httpServer(srv.URL)
	old.Transport = bridge.TransportSSE
	h := run(t, old)
	if st := h.status(0); st.Reason != "asks for a credential, and none is configured (HTTP status 401)" {
		t.Errorf("reason %q", st.Reason)
	}
	srv.Close()
	h = run(t, httpServer(srv.URL))
	if st := h.status(0); !strings.Contains(st.Reason, "connection refused") {
		t.Errorf("reason %q", st.Reason)
	}
}
