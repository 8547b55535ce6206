package bridge_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/capabilities/bridge"
)

// A wallet is an authorizer whose token a test changes. A token that is refused is renewed
// with the next one, where there is one.
type wallet struct {
	mu       sync.Mutex
	token    string
	next     []string
	needed   string
	refusals []string
}

func (w *wallet) Authorization(context.Context) (string, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.token == "" {
		return "", nil
	}
	return "Bearer " + w.token, nil
}

func (w *wallet) Refused(_ context.Context, value string, status int, challenges []string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.refusals = append(w.refusals, strings.Join(append([]string{value, http.StatusText(status)}, challenges...), "|"))
	if value != "" && value != "Bearer "+w.token {
		return true // it was renewed meanwhile
	}
	if len(w.next) == 0 {
		w.token, w.needed = "", "waits for a sign-in: run holotype login h"
		return false
	}
	w.token, w.next = w.next[0], w.next[1:]
	return true
}

func (w *wallet) Wants() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.needed
}

func (w *wallet) Secrets() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.DeleteFunc(append([]string{w.token}, w.next...), func(s string) bool { return s == "" })
}

func (w *wallet) held() string { return strings.Join(w.Secrets(), ",") }

func (w *wallet) put(token string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.token, w.needed = token, ""
}

// A guard lets in who has the token of the moment, and keeps what came with each request.
type guard struct {
	mu     sync.Mutex
	token  string
	spares func(method string) bool // these need none
	seen   []string                 // the Authorization header
	inner  http.Handler
}

func (g *guard) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	given := r.Header.Get("Authorization")
	g.mu.Lock()
	token := g.token
	g.seen = append(g.seen, given)
	g.mu.Unlock()
	if given != "Bearer "+token && (g.spares == nil || !g.spares(r.Header.Get("Mcp-Method"))) {
		w.Header().Set("WWW-Authenticate", `Bearer resource_metadata="https://elsewhere.example/"`)
		http.Error(w, "who are you", http.StatusUnauthorized)
		return
	}
	g.inner.ServeHTTP(w, r)
}

func (g *guard) wants(token string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.token = token
}

func (g *guard) sent() []string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return slices.Compact(slices.Clone(g.seen))
}

func serve(t *testing.T, h http.Handler) string {
	t.Helper()
	srv := httptest.NewServer(h)
	t.Cleanup(func() {
		srv.CloseClientConnections()
		srv.Close()
	})
	return srv.URL
}

// transports are the SDK's server by each of the transports, with a tool that says what it
// was called with, and by whom.
func transports() map[string]func() http.Handler {
	server := newSDKServer(`{"type":"object"}`)
	server.AddTool(&mcp.Tool{Name: "token", InputSchema: json.RawMessage(`{"type":"object"}`)}, func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "it came with " + r.Extra.Header.Get("Authorization")}}}, nil
	})
	streamable := func(stateless bool) func() http.Handler {
		return func() http.Handler {
			return mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, &mcp.StreamableHTTPOptions{Stateless: stateless})
		}
	}
	return map[string]func() http.Handler{
		"modern": streamable(true), "legacy": streamable(false),
		"sse": func() http.Handler { return mcp.NewSSEHandler(func(*http.Request) *mcp.Server { return server }, nil) },
	}
}

func TestATokenThatChanges(t *testing.T) {
	for name, handler := range transports() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := &wallet{}
			g := &guard{token: "token-number-one", inner: handler()}
			s := httpServer(serve(t, g))
			s.Auth = w
			if name == "sse" {
				s.Transport = bridge.TransportSSE
			}
			h := run(t, s)
			st := h.status(0)
			if st.State != bridge.StateHeld || st.Reason != "waits for a sign-in: run holotype login h" || st.NextTry.IsZero() {
				t.Fatalf("status %+v", st)
			}
			asked := len(g.sent())
			if d := cmp.Diff([]string{""}, g.sent()); d != "" {
				t.Errorf("it was sent without a sign-in (-want +got):\n%s", d)
			}

			w.put("token-number-one")
			if !h.Reauthorized(bridge.Key{Server: "h"}) {
				t.Fatal("nothing was started again")
			}
			h.awaitState(0, bridge.StateReady)
			if got := h.must("h__echo", `{"n":1}`); got != `{"n":1}` {
				t.Errorf("got %q", got)
			}
			if len(g.sent()) <= asked {
				t.Error("it was not asked anew")
			}

			// It ends in the middle: the call is served all the same, once.
			w.mu.Lock()
			w.next = []string{"token-number-two"}
			w.mu.Unlock()
			g.wants("token-number-two")
			if got := h.must("h__echo", `{"n":2}`); got != `{"n":2}` {
				t.Errorf("got %q", got)
			}
			if name != "sse" { // the header of a message is not told to a tool there
				if got := h.must("h__token", `{}`); got != "it came with Bearer [hidden]" {
					t.Errorf("got %q", got)
				}
			}

			// It is taken back.
			g.wants("another")
			e := h.refusal("h__echo", `{}`, capabilities.Unavailable)
			if !strings.Contains(e.Message, "waits for a sign-in: run holotype login h") || e.MaybeApplied {
				t.Errorf("refusal %+v", e)
			}
			if st := h.status(0); st.State != bridge.StateHeld || !strings.HasPrefix(st.Reason, "waits for a sign-in") {
				t.Errorf("status %+v", st)
			}
			// Whoever signs in then has a session of their own.
			w.put("another")
			h.Reauthorized(bridge.Key{Server: "h"})
			h.awaitState(0, bridge.StateReady)
			h.must("h__echo", `{}`)
			for _, token := range []string{"token-number-one", "token-number-two", "another"} {
				if strings.Contains(h.log.text(t), token) {
					t.Errorf("the log has the token %s", token)
				}
			}
		})
	}
}

// A server that lists to anybody and refuses calls stays reachable.
func TestAServerThatListsToAnybody(t *testing.T) {
	w := &wallet{}
	g := &guard{token: "token-number-one", inner: transports()["modern"](), spares: func(method string) bool { return method != "tools/call" }}
	s := httpServer(serve(t, g))
	s.Auth = w
	h := run(t, s)
	if st := h.status(0); st.State != bridge.StateReady || st.Tools != 2 {
		t.Fatalf("status %+v", st)
	}
	h.refusal("h__echo", `{}`, capabilities.Unavailable)
	if st := h.status(0); st.State != bridge.StateHeld || st.Phase != "call" || st.Tools != 2 {
		t.Fatalf("status %+v", st)
	}
	w.put("token-number-one")
	h.Reauthorized(bridge.Key{Server: "h"})
	h.awaitState(0, bridge.StateReady)
	h.must("h__echo", `{}`)
}

// What is configured counts, and a token goes nowhere else.
func TestAConfiguredAuthorizationIsNotReplaced(t *testing.T) {
	g := &guard{token: "configured-token", inner: transports()["modern"]()}
	w := &wallet{token: "another-token"}
	s := httpServer(serve(t, g))
	s.Auth, s.Headers = w, map[string]string{"authorization": "Bearer configured-token"}
	h := run(t, s)
	h.must("h__echo", `{}`)
	if d := cmp.Diff([]string{"Bearer configured-token"}, g.sent()); d != "" || w.refusals != nil {
		t.Errorf("it was sent (-want +got):\n%s\nrefusals %q", d, w.refusals)
	}
}

// A token that was renewed while an answer was on its way is masked in it, for a while.
func TestAFormerTokenIsMasked(t *testing.T) {
	w := &wallet{token: "token-number-one"}
	server := newSDKServer(`{"type":"object"}`)
	server.AddTool(&mcp.Tool{Name: "late", InputSchema: json.RawMessage(`{"type":"object"}`)}, func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		came := r.Extra.Header.Get("Authorization")
		w.put("token-number-two")
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: came + " and then " + w.held()}}}, nil
	})
	s := httpServer(serve(t, mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, &mcp.StreamableHTTPOptions{Stateless: true})))
	s.Auth = w
	h := run(t, s)
	if got := h.must("h__late", `{}`); got != "Bearer [hidden] and then [hidden]" {
		t.Errorf("got %q", got)
	}
}

func TestAnotherConfigurationOfTheSignInStartsAnew(t *testing.T) {
	g := &guard{token: "token-number-one", inner: transports()["modern"]()}
	s := httpServer(serve(t, g))
	s.Auth, s.AuthAs = &wallet{token: "token-number-one"}, "first"
	h := run(t, s)
	sameChanges(t, bridge.Changes{Unchanged: []bridge.Key{{Server: "h"}}}, h.apply(s))
	s.AuthAs = "second"
	sameChanges(t, bridge.Changes{Changed: []bridge.Key{{Server: "h"}}}, h.apply(s))
	if h.Reauthorized(bridge.Key{Server: "other"}) {
		t.Error("an unknown server was started again")
	}
	if h.Reauthorized(bridge.Key{Seat: "a", Server: "h"}) {
		t.Error("that of another seat was started again")
	}
}

// A token that was held no longer than a call took is masked in its answer, whatever the
// configuration was meanwhile.
func TestATokenOfOneCallIsMasked(t *testing.T) {
	for name, reloads := range map[string]bool{"as configured": false, "configured anew meanwhile": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := &wallet{token: "token-number-one"}
			server := newSDKServer(`{"type":"object"}`)
			var came []string // only one call runs at a time
			server.AddTool(&mcp.Tool{Name: "late", InputSchema: json.RawMessage(`{"type":"object"}`)}, func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				came = append(came, r.Extra.Header.Get("Authorization"))
				w.put("token-number-three")
				return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: strings.Join(came, ", ") + ", " + w.held()}}}, nil
			})
			s := httpServer(serve(t, mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, &mcp.StreamableHTTPOptions{Stateless: true})))
			s.Auth = w
			h := run(t, s)
			w.put("token-number-two")
			if got := h.must("h__late", `{}`); got != "Bearer [hidden], [hidden]" {
				t.Errorf("got %q", got)
			}
			if reloads {
				s.CallTimeout = time.Minute
				sameChanges(t, bridge.Changes{Changed: []bridge.Key{{Server: "h"}}}, h.apply(s))
			}
			if got := h.must("h__late", `{}`); got != "Bearer [hidden], Bearer [hidden], [hidden]" {
				t.Errorf("and then %q", got)
			}
		})
	}
}

// What a server says beside its answer, and what is too long to be quoted whole, has no
// token in it.
func TestATokenIsMaskedBesideTheAnswer(t *testing.T) {
	long := "token-" + strings.Repeat("0123456789", 300)
	w := &wallet{token: long}
	server := newSDKServer(`{"type":"object"}`)
	server.AddTool(&mcp.Tool{Name: "tells", InputSchema: json.RawMessage(`{"type":"object"}`)}, func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		came := r.Extra.Header.Get("Authorization")
		_ = r.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: r.Params.GetProgressToken(), Progress: 1, Message: "with " + came})
		return nil, &jsonrpc.Error{Code: -32000, Message: "it came with " + came}
	})
	s := httpServer(serve(t, mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, nil)))
	s.Auth = w
	h := run(t, s)
	var told []string
	_, err := h.callWith(h.deadline(), capabilities.Call{Name: "h__tells", Progress: func(p capabilities.Progress) { told = append(told, p.Message) }})
	e, ok := capabilities.AsError(err)
	if !ok || !strings.Contains(e.Message, "it came with Bearer [hidden] ... (") {
		t.Errorf("it is refused with %v", err)
	}
	if d := cmp.Diff([]string{"with Bearer [hidden] ... (3018 bytes)"}, told); d != "" {
		t.Error(d)
	}
}
