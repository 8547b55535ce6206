package mcpserver_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// FuzzPost: whatever is sent, in either era, the answer is one that a client of the
// protocol reads: JSON-RPC under the id that was sent, with a code where it fails, or
// nothing at all for what wants no answer.
func FuzzPost(f *testing.F) {
	for _, tc := range corpus {
		body, _ := modern("1", tc.method, tc.tool, tc.params, tc.meta)
		f.Add([]byte(body), tc.method, tc.tool, modernVersion)
		f.Add([]byte(handshake(tc.method, tc.params, tc.meta)), "", "", "")
	}
	for _, s := range []string{
		initialize, `[]`, `{}`, `{"jsonrpc":"2.0","id":1e2,"result":{}}`, `{"jsonrpc":"2.0","id":null,"error":{"code":0,"message":""}}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`, `{"jsonrpc":"2.0","id":"\u0061","method":"ping","params":null}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"text":"a","text":"b"}},"id":2}`,
	} {
		f.Add([]byte(s), "", "", legacyVersion)
	}
	fixed := newFixture(f)
	handler := fixed.server.Handler()
	post := func(body []byte, headers ...string) *httptest.ResponseRecorder {
		r := httptest.NewRequest(http.MethodPost, "/", bytes.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Authorization", "Bearer owner")
		for _, h := range headers {
			if name, v, _ := strings.Cut(h, ": "); v != "" {
				r.Header.Set(name, v)
			}
		}
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		return w
	}
	session := post([]byte(initialize)).Header().Get("Mcp-Session-Id")
	f.Fuzz(func(t *testing.T, body []byte, method, name, version string) {
		var sent struct {
			ID     json.RawMessage
			Method string
			Params struct{ Arguments struct{ Fail string } }
		}
		_ = json.Unmarshal(body, &sent) // what is none has no method
		if strings.EqualFold(sent.Method, "subscriptions/listen") || strings.EqualFold(sent.Params.Arguments.Fail, "wait") || strings.Contains(string(body), "wait") {
			return // it would stay
		}
		for _, accept := range []string{"application/json", "text/event-stream"} {
			w := post(body, "Accept: "+accept, "Mcp-Session-Id: "+session, "Mcp-Method: "+method, "Mcp-Name: "+name, "Mcp-Protocol-Version: "+version)
			text := w.Body.Bytes()
			switch media := w.Header().Get("Content-Type"); {
			case w.Code == http.StatusAccepted && len(text) == 0:
				continue
			case media == "text/event-stream":
				_, text, _ = bytes.Cut(text[bytes.LastIndex(text, []byte("event: message\n")):], []byte("data: "))
			case media != "application/json":
				t.Fatalf("%q: status %d, %s: %s", body, w.Code, media, text)
			}
			type answer struct {
				ID     json.RawMessage
				Result json.RawMessage
				Error  *struct {
					Code    int
					Message string
				}
			}
			var got answer
			if err := json.Unmarshal(text, &got); err != nil {
				t.Fatalf("%q is answered with %q: %v", body, text, err)
			}
			if (got.Result == nil) == (got.Error == nil) || got.Error != nil && (got.Error.Code == 0 || got.Error.Message == "") {
				t.Fatalf("%q is answered with %s", body, text)
			}
			if got.Result == nil {
				continue
			}
			if diff := cmp.Diff(string(sent.ID), string(got.ID)); diff != "" {
				t.Fatalf("%q is answered under another id (-sent +got):\n%s", body, diff)
			}
		}
	})
}
