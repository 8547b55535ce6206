package remote_test

import (
	"context"
	"encoding/json"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/remote"
	"github.com/seed-89b9419b/holotype/internal/wire"
)

// FuzzAnswers: whatever stands behind the socket answers, a call is a result or a
// refusal, and a view is one that can be shown.
func FuzzAnswers(f *testing.F) {
	for _, s := range []string{
		`{"progress":{"value":1}}` + "\n" + `{"result":{"structured":"e30="}}`, `{"refusal":{"code":"invalid","message":"no","upstream":{"blocks":["e30="]}}}`,
		`{"result":{}}`, `{}`, `{"refusal":{}}`, ``, `null`, `[]`, `{"digest":"d","listed":[{"name":"x"}]}`, `{"listed":[{"Name":"x","Refuses":["nope"],"hidden":true}]}`, `{"result":`,
	} {
		f.Add([]byte(s))
	}
	var body []byte
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Holotype-Version", "1")
		_, _ = w.Write(body) // the client may have read enough
	}))
	f.Cleanup(server.Close)
	f.Fuzz(func(t *testing.T, data []byte) {
		body = data
		c := remote.Dial(func(ctx context.Context) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, "tcp", server.Listener.Addr().String())
		}, "1")
		call := capabilities.Call{Name: "x", Progress: func(capabilities.Progress) {}}
		if res, err := c.Invoke(t.Context(), call); (res == nil) == (err == nil) {
			t.Fatalf("%q: result %v, error %v", data, res, err)
		} else if _, ok := capabilities.AsError(err); err != nil && !ok {
			t.Fatalf("%q: %v is no refusal", data, err)
		}
		if err := c.Refresh(t.Context()); err != nil {
			if _, ok := capabilities.AsError(err); !ok {
				t.Fatalf("%q: %v is no refusal", data, err)
			}
			return
		}
		for _, shown := range c.View(nil).Listed {
			if !json.Valid(wire.Tool(shown)) {
				t.Fatalf("%q: lists the tool %q", data, wire.Tool(shown))
			}
		}
	})
}

// an echo answers the arguments it is called with.
type echo struct{}

func (echo) Invoke(_ context.Context, call capabilities.Call) (*capabilities.Result, error) {
	return &capabilities.Result{Structured: call.Arguments}, nil
}

// FuzzCalls: a request that cannot be read is refused, and one that can is answered
// with lines of JSON.
func FuzzCalls(f *testing.F) {
	for _, s := range []string{`{"name":"x","arguments":"e30=","progress":true}`, `{"name":1}`, `{"arguments":"?"}`, `[]`, `null`, ``, `{"op_id":"` + strings.Repeat("x", 300) + `"}`} {
		f.Add([]byte(s))
	}
	holder := remote.Handler(remote.Options{Door: echo{}, Principal: holder(), Version: "1"})
	f.Fuzz(func(t *testing.T, data []byte) {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "http://holotype/v1/call", strings.NewReader(string(data)))
		r.Header.Set("Holotype-Version", "1")
		w := httptest.NewRecorder()
		holder.ServeHTTP(w, r)
		switch w.Code {
		case http.StatusBadRequest:
		case http.StatusOK:
			for line := range strings.Lines(w.Body.String()) {
				if !json.Valid([]byte(line)) {
					t.Fatalf("%q is answered with %q", data, line)
				}
			}
		default:
			t.Fatalf("%q: status %d", data, w.Code)
		}
	})
}
