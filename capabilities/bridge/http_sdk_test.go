package bridge_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/seed-89b9419b/holotype/capabilities/bridge"
)

// newSDKServer is a server of the SDK, for both lanes against somebody else's code.
func newSDKServer(schema string) *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "sdk", Version: "3"}, nil)
	s.AddTool(&mcp.Tool{Name: "echo", InputSchema: json.RawMessage(schema)}, func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: string(r.Params.Arguments)}}}, nil
	})
	return s
}

func TestModernHTTP(t *testing.T) {
	var mu sync.Mutex
	var headers []http.Header
	server := newSDKServer(`{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"}}}`)
	inner := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, &mcp.StreamableHTTPOptions{Stateless: true})
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		headers = append(headers, r.Header.Clone())
		mu.Unlock()
		inner.ServeHTTP(w, r)
	}))
	t.Cleanup(func() {
		srv.CloseClientConnections()
		srv.Close()
	})
	h := run(t, httpServer(srv.URL))
	if st := h.status(0); st.Version != "2026-07-28" || !st.Modern || st.ServerName != "sdk" {
		t.Fatalf("status %+v", st)
	}
	// The server refuses a call whose header does not say what its body says.
	if got := h.must("h__echo", `{"region":"zürich"}`); got != `{"region":"zürich"}` {
		t.Errorf("got %q", got)
	}
	mu.Lock()
	defer mu.Unlock()
	i := slices.IndexFunc(headers, func(h http.Header) bool { return h.Get("Mcp-Method") == "tools/call" })
	got := headers[i]
	if got.Get("Mcp-Name") != "echo" || got.Get("Mcp-Protocol-Version") != "2026-07-28" || got.Get("Mcp-Param-Region") != "=?base64?esO8cmljaA==?=" || got.Get("Mcp-Session-Id") != "" {
		t.Errorf("headers %v", got)
	}
}

func TestToolsChangeOverHTTP(t *testing.T) {
	for name, stateless := range map[string]bool{"modern": true, "legacy": false} {
		t.Run(name, func(t *testing.T) {
			server := newSDKServer(`{"type":"object"}`)
			srv := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, &mcp.StreamableHTTPOptions{Stateless: stateless}))
			t.Cleanup(func() {
				srv.CloseClientConnections()
				srv.Close()
			})
			h := run(t, httpServer(srv.URL))
			<-h.news
			server.AddTool(&mcp.Tool{Name: "more", InputSchema: json.RawMessage(`{"type":"object"}`)}, nil)
			select {
			case <-h.news:
			case <-h.deadline().Done():
				t.Fatalf("the new tool never came: %s", h.log.text(t))
			}
			h.find("h__more")
		})
	}
}

func TestHTTPWithServerSentEventsAsFallback(t *testing.T) {
	for _, transport := range []string{"", "http", "sse"} {
		t.Run("transport "+transport, func(t *testing.T) {
			server := newSDKServer(`{"type":"object"}`)
			srv := httptest.NewServer(mcp.NewSSEHandler(func(*http.Request) *mcp.Server { return server }, nil))
			t.Cleanup(func() {
				srv.CloseClientConnections()
				srv.Close()
			})
			s := httpServer(srv.URL)
			s.Transport = transport
			h := run(t, s)
			if st := h.status(0); st.State != bridge.StateReady || st.Transport != "sse" {
				t.Fatalf("status %+v", st)
			}
			if got := h.must("h__echo", `{"n":9007199254740993}`); got != `{"n":9007199254740993}` {
				t.Errorf("got %q", got)
			}
			server.AddTool(&mcp.Tool{Name: "more", InputSchema: json.RawMessage(`{"type":"object"}`)}, nil)
			<-h.news
			select {
			case <-h.news:
			case <-h.deadline().Done():
				t.Fatal("the new tool never came")
			}
			srv.CloseClientConnections()
			h.awaitState(0, bridge.StateReady)
		})
	}
}

func TestAnEndpointOfAnotherOriginIsRefused(t *testing.T) {
	asked := make(chan bool, 8)
	thief := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked <- true }))
	defer thief.Close()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		stream(w)
		fmt.Fprintf(w, "event: endpoint\ndata: %s/steal\n\n", thief.URL)
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	}))
	t.Cleanup(func() {
		srv.CloseClientConnections()
		srv.Close()
	})
	s := httpServer(srv.URL)
	s.Transport = bridge.TransportSSE
	h := run(t, s)
	if st := h.status(0); st.State != bridge.StateFailed || !strings.Contains(st.Reason, "another origin") {
		t.Errorf("status %+v", st)
	}
	if len(asked) != 0 {
		t.Error("another origin was asked")
	}
}

func TestABrokenNotificationStreamCostsNoCall(t *testing.T) {
	// The SDK gives its whole session up for a line like this.
	malformed := func(w http.ResponseWriter) { io.WriteString(w, "nonsense\n\n") }
	for name, get := range map[string]func(*httpFake, http.ResponseWriter, *http.Request){
		"refused": func(_ *httpFake, w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusInternalServerError)
		},
		"malformed early": func(_ *httpFake, w http.ResponseWriter, _ *http.Request) { stream(w); malformed(w) },
		"malformed at last": func(f *httpFake, w http.ResponseWriter, r *http.Request) {
			stream(w)
			select {
			case <-f.notes: // the handshake is done
				malformed(w)
			case <-r.Context().Done():
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := newHTTPFake(t, nil)
			f.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.Method == http.MethodGet {
					get(f, w, r)
					return
				}
				f.ServeHTTP(w, r)
			})
			waits := make(chan time.Duration, 8)
			o := bridge.Options{Servers: []bridge.Server{httpServer(f.URL)}}
			bridge.After(&o, func(d time.Duration) <-chan time.Time {
				waits <- d
				if d == 0 {
					return time.After(0)
				}
				return make(chan time.Time) // not in this test
			})
			h := runWith(t, o)
			for _, longest := range []time.Duration{0, 18 * time.Second} {
				if name != "malformed at last" {
					continue
				}
				select {
				case d := <-waits:
					if d > longest || longest > 0 && d < 12*time.Second {
						t.Errorf("a renewal waits %s", d)
					}
				case <-h.deadline().Done():
					t.Fatal("the end of the stream went unseen")
				}
			}
			for range 5 {
				h.must("h__echo", `{}`)
			}
			if st := h.status(0); st.State != bridge.StateReady || st.Restarts != 0 {
				t.Errorf("status %+v", st)
			}
		})
	}
}
