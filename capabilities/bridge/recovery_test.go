package bridge_test

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/capabilities/bridge"
)

func TestIDsThatComeBackAsStrings(t *testing.T) {
	h := run(t, fakeServer(t, "s", "id-string"))
	if got := h.must("s__echo", `{"text":"x"}`); got != "got x" {
		t.Errorf("got %q", got)
	}
}

func TestAnOlderVersionIsSpokenWhereTheServerNamesOne(t *testing.T) {
	t.Parallel()
	h := run(t, fakeServer(t, "s", "version 2024-11-05"), fakeServer(t, "none", "version 2001-01-01"))
	h.must("s__echo", `{}`)
	if st := h.status(0); st.Version != "2024-11-05" {
		t.Errorf("version %q", st.Version)
	}
	if st := h.status(1); st.State != bridge.StateFailed || !strings.Contains(st.Reason, "Unsupported protocol version") {
		t.Errorf("a server that speaks none of ours is %s: %s", st.State, st.Reason)
	}

	f := newHTTPFake(t, nil)
	f.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if v := r.Header.Get("Mcp-Protocol-Version"); v != "" && v != "2025-03-26" {
			w.WriteHeader(http.StatusBadRequest)
			fmt.Fprintf(w, "Unsupported protocol version %s (supported: 2024-11-05, 2025-03-26)", v)
			return
		}
		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(strings.NewReader(string(body)))
		rec := httptest.NewRecorder()
		f.ServeHTTP(rec, r)
		answer := rec.Body.String()
		if strings.Contains(string(body), `"2025-03-26"`) {
			answer = strings.Replace(answer, `"protocolVersion":"2025-11-25"`, `"protocolVersion":"2025-03-26"`, 1)
		}
		maps.Copy(w.Header(), rec.Header())
		w.WriteHeader(rec.Code)
		io.WriteString(w, answer)
	})
	h = run(t, httpServer(f.URL))
	h.must("h__echo", `{}`)
	if st := h.status(0); st.Version != "2025-03-26" {
		t.Errorf("version %q: %s", st.Version, st.Reason)
	}
}

func TestANotificationThatIsAnsweredWithAFailureCostsNothing(t *testing.T) {
	f := newHTTPFake(t, nil)
	f.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if strings.Contains(string(body), "notifications/") {
			w.WriteHeader(http.StatusInternalServerError)
			return
		}
		r.Body = io.NopCloser(strings.NewReader(string(body)))
		f.ServeHTTP(w, r)
	})
	run(t, httpServer(f.URL)).must("h__echo", `{}`)
}

func TestAServerThatRefusesOurCredentialWaitsForAnother(t *testing.T) {
	var refuse atomic.Bool
	refuse.Store(true)
	f := newHTTPFake(t, func(_ *httpFake, w http.ResponseWriter, _ *http.Request, _ rpc) bool {
		if !refuse.Load() {
			return false
		}
		w.Header().Set("WWW-Authenticate", `Bearer error="invalid_token", key=tok_0123456789`)
		w.WriteHeader(http.StatusUnauthorized)
		return true
	})
	s := httpServer(f.URL)
	s.Headers = map[string]string{"Authorization": "Bearer tok_0123456789"}
	h := run(t, s)
	for range 2 {
		e := h.refusal("h__echo", `{}`, capabilities.Unavailable)
		if e.MaybeApplied || !strings.Contains(e.Message, `invalid_token", key=[hidden]`) {
			t.Errorf("refusal %q, maybe applied %v", e.Message, e.MaybeApplied)
		}
	}
	if st := h.status(0); st.State != bridge.StateHeld || st.Phase != "call" || !strings.Contains(st.Reason, "invalid_token") {
		t.Errorf("status %+v", st)
	}
	if lines := h.log.of("server_credential_refused"); len(lines) != 1 {
		t.Errorf("the log has %d lines: %v", len(lines), lines)
	}
	refuse.Store(false)
	h.must("h__echo", `{}`)
	if st := h.status(0); st.State != bridge.StateReady || st.Reason != "" {
		t.Errorf("status %+v", st)
	}
}

// sseFake is a server of the transport of 2024-11-05. on takes a call: it answers the
// status of the post, and what is said on the stream.
func sseFake(t *testing.T, on func(m rpc) (status int, said string)) *httptest.Server {
	t.Helper()
	says := make(chan string, 16)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			stream(w)
			io.WriteString(w, "event: endpoint\ndata: /post\n\n")
			for {
				w.(http.Flusher).Flush()
				select {
				case text := <-says:
					io.WriteString(w, text)
				case <-r.Context().Done():
					return
				}
			}
		}
		body, _ := io.ReadAll(r.Body)
		var m rpc
		_ = json.Unmarshal(body, &m)
		status := http.StatusAccepted
		switch m.Method {
		case "initialize":
			says <- event(m, `{"protocolVersion":"2024-11-05","capabilities":{"tools":{}},"serverInfo":{"name":"old","version":"1"}}`)
		case "tools/list":
			says <- event(m, `{"tools":[`+echoTool+`]}`)
		case "tools/call":
			var said string
			status, said = on(m)
			says <- said
		}
		w.WriteHeader(status)
	}))
	t.Cleanup(func() {
		srv.CloseClientConnections()
		srv.Close()
	})
	return srv
}

func TestAnEventOverTheLimitFailsOneCall(t *testing.T) {
	calls := 0
	srv := sseFake(t, func(m rpc) (int, string) {
		big := event(m, text(strings.Repeat("z", 17<<20)))
		switch calls++; calls {
		case 1:
			return http.StatusAccepted, big
		case 2:
			return http.StatusAccepted, event(m, text("small"))
		default:
			return http.StatusAccepted, strings.TrimRight(big, "\n")
		}
	})
	s := httpServer(srv.URL)
	s.Transport = bridge.TransportSSE
	s.CallTimeout = 30 * time.Second
	h := run(t, s)
	if e := h.refusal("h__echo", `{}`, capabilities.TooLarge); !strings.Contains(e.Message, "16777216 bytes") {
		t.Errorf("refusal %q", e.Message)
	}
	if got := h.must("h__echo", `{}`); got != "small" {
		t.Errorf("the next call answers %q", got)
	}
	h.refusal("h__echo", `{}`, capabilities.TooLarge)
	awaitLog(t, h, "server_exited", 1) // nothing after an event without an end could be heard
	h.awaitState(0, bridge.StateReady)
}

func TestAPostThatIsRefusedForItsCredential(t *testing.T) {
	srv := sseFake(t, func(rpc) (int, string) { return http.StatusUnauthorized, ": no\n\n" })
	s := httpServer(srv.URL)
	s.Transport = bridge.TransportSSE
	h := run(t, s)
	if e := h.refusal("h__echo", `{}`, capabilities.Unavailable); e.MaybeApplied || !strings.Contains(e.Message, "HTTP status 401") {
		t.Errorf("refusal %q, maybe applied %v", e.Message, e.MaybeApplied)
	}
	if st := h.status(0); st.State != bridge.StateHeld {
		t.Errorf("status %+v", st)
	}
}

// awaitLog waits until the log has so many lines with a message.
func awaitLog(t *testing.T, h *harness, event string, n int) []map[string]any {
	t.Helper()
	ctx := h.deadline()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for len(h.log.of(event)) < n {
		select {
		case <-ctx.Done():
			t.Fatalf("the log has no %d lines %s: %s", n, event, h.log.text(t))
		case <-tick.C:
		}
	}
	return h.log.of(event)
}

func TestALineWithoutAnEndEndsTheSession(t *testing.T) {
	h := run(t, with(fakeServer(t, "s", "too-long never-ends"), "FAKE_TOOLS", tools("echo", "pid")))
	h.refusal("s__echo", `{}`, capabilities.TooLarge)
	line := awaitLog(t, h, "server_exited", 1)[0]
	if !strings.Contains(fmt.Sprint(line["cause"]), "that did not end within 300ms") {
		t.Errorf("line %v", line)
	}
	h.awaitState(0, bridge.StateReady)
	h.must("s__pid", `{}`)
}

func TestAHabitOfExitingAfterCallsIsNamed(t *testing.T) {
	t.Parallel()
	o := bridge.Options{Servers: []bridge.Server{fakeServer(t, "s", "die-after-call")}}
	bridge.After(&o, func(time.Duration) <-chan time.Time { return time.After(0) })
	h := runWith(t, o)
	for n := range 3 {
		h.must("s__echo", `{}`)
		reason := fmt.Sprint(awaitLog(t, h, "server_exited", n+1)[n]["cause"])
		if says := strings.Contains(reason, "right after each of its last 3 calls"); says != (n == 2) {
			t.Errorf("after death %d the reason is %q", n+1, reason)
		}
		awaitLog(t, h, "server_restarted", n+1)
	}
}

func TestNoProgressAfterTheAnswer(t *testing.T) {
	h := run(t, fakeServer(t, "s", "progress-after"))
	for range 20 {
		_, err := h.callWith(h.deadline(), capabilities.Call{Name: "s__echo", Progress: func(capabilities.Progress) {
			t.Error("progress that was sent after the answer reached the caller")
		}})
		if err != nil {
			t.Fatal(err)
		}
	}
}

func TestAResultThatMissesItsOutputSchemaIsTheServersFault(t *testing.T) {
	tool := `{"name":"echo","inputSchema":{"type":"object"},"outputSchema":{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}}`
	read := strings.Replace(strings.Replace(tool, "echo", "look", 1), `"inputSchema"`, `"annotations":{"readOnlyHint":true},"inputSchema"`, 1)
	h := run(t, with(fakeServer(t, "s", "good"), "FAKE_TOOLS", tool+","+read))
	for _, c := range []struct{ name, result, says string }{
		{"fits", `{"content":[],"structuredContent":{"n":9007199254740993,"more":[]}}`, ""},
		{"none", `{"content":[{"type":"text","text":"n is 1"}]}`, "there is no structured content"},
		{"another type", `{"content":[{"type":"text","text":"n is 1"}],"structuredContent":{"n":"one"}}`, "/n: "},
		{"duplicate keys are no verdict", `{"content":[],"structuredContent":{"n":1,"n":1}}`, ""},
		{"too deep to be judged", `{"content":[],"structuredContent":{"n":1,"d":` + strings.Repeat("[", 70) + strings.Repeat("]", 70) + `}}`, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			arguments := fmt.Sprintf(`{"result":%q}`, c.result)
			if c.says == "" {
				if _, err := h.call("s__echo", arguments); err != nil {
					t.Fatal(err)
				}
				return
			}
			e := h.refusal("s__echo", arguments, capabilities.UpstreamError)
			if !strings.Contains(e.Message, `server "s" broke its own contract`) || !strings.Contains(e.Message, c.says) || !e.MaybeApplied {
				t.Errorf("refusal %q, maybe applied %v", e.Message, e.MaybeApplied)
			}
			if len(e.Upstream.Blocks) != 2 || !strings.Contains(string(e.Upstream.Blocks[1]), "n is 1") || e.Upstream.Structured != nil {
				t.Errorf("what the server said is %s", e.Upstream.Blocks)
			}
			if e := h.refusal("s__look", arguments, capabilities.UpstreamError); e.MaybeApplied {
				t.Errorf("a proven read may have been applied: %s", e.Message)
			}
		})
	}
	// An error is not judged.
	if e := h.refusal("s__echo", `{"result":"{\"isError\":true,\"content\":[{\"type\":\"text\",\"text\":\"boom\"}]}"}`, capabilities.UpstreamError); !strings.Contains(e.Message, "boom") {
		t.Errorf("refusal %q", e.Message)
	}
}

func TestAMissingDirectoryIsNamed(t *testing.T) {
	s := fakeServer(t, "s", "good")
	s.Cwd = t.TempDir() + "/missing"
	h := run(t, s)
	if st := h.status(0); !strings.Contains(st.Reason, s.Cwd+" is no directory") {
		t.Errorf("reason %q", st.Reason)
	}
}

func TestAServerIsReadyWhenItsToolsAreListed(t *testing.T) {
	var started *bridge.Bridge
	states := make(chan bridge.State, 1)
	o := bridge.Options{Servers: []bridge.Server{fakeServer(t, "s", "good")}, Log: discard(), Now: now, Publish: func(string, string, []*capabilities.Capability) {
		states <- started.Status()[0].State
	}}
	bridge.Hurry(&o)
	b, err := bridge.New(o)
	if err != nil {
		t.Fatal(err)
	}
	started = b
	b.Start(t.Context())
	if err := b.Ready(t.Context(), "s"); err != nil {
		t.Error(err)
	}
	if s := <-states; s != bridge.StateStarting {
		t.Errorf("the server is %s before its tools are known", s)
	}
	if err := b.Stop(t.Context()); err != nil {
		t.Error(err)
	}
}
