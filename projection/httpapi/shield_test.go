package httpapi_test

import (
	"crypto/tls"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/projection/httpapi"
)

// wantShield holds the headers of an answer against what every answer has.
func wantShield(t *testing.T, name string, h http.Header) {
	t.Helper()
	html := strings.HasPrefix(h.Get("Content-Type"), "text/html")
	for key, want := range map[string]string{
		"Content-Security-Policy":      `default-src 'none'; .*frame-ancestors 'none'`,
		"Cross-Origin-Resource-Policy": `same-origin`,
		"X-Content-Type-Options":       `nosniff`,
		"Referrer-Policy":              `no-referrer|same-origin`,
		"X-Request-Id":                 `[A-Za-z0-9_-]{1,64}`,
	} {
		if got := h.Values(key); len(got) != 1 || !regexp.MustCompile("^("+want+")$").MatchString(got[0]) {
			t.Errorf("%s: the header %s is %q, want %s", name, key, got, want)
		}
	}
	if html && (h.Get("X-Frame-Options") != "DENY" || h.Get("Cross-Origin-Opener-Policy") != "same-origin") {
		t.Errorf("%s: a page with the headers %v", name, h)
	}
	for _, never := range []string{"Server", "X-Powered-By", "Access-Control-Allow-Credentials"} {
		if h.Get(never) != "" {
			t.Errorf("%s: the header %s is %q", name, never, h.Get(never))
		}
	}
}

// Every route that is registered, and everything that reaches none, is answered with the
// same shield, and what needs a credential is kept by nobody.
func TestEveryAnswerIsShielded(t *testing.T) {
	mounted := func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		w.Header().Set("Cache-Control", "no-cache, no-transform")
		w.WriteHeader(http.StatusOK)
	}
	f := serve(t, func(o *httpapi.Options) {
		o.MCP, o.Docs, o.Origins = http.HandlerFunc(mounted), http.HandlerFunc(mounted), []string{"https://console.example"}
		o.Metrics = counted
		o.Seat = func(p *capabilities.Principal, _ string) (*capabilities.Principal, error) { return p, nil }
	})
	field := regexp.MustCompile(`\{[a-z_]+\}`)
	open := regexp.MustCompile(`^/(livez|readyz|login|docs.*|\.well-known/.*|assets/.*)$`)
	served := append(f.server.SurfaceFacts().Served, "GET /docs", "GET /docs/x", "GET /assets/style.css", "POST /operator/mcp", "GET /operator/mcp", "DELETE /operator/mcp")
	if len(served) < 20 {
		t.Fatalf("only %d routes are said to be served", len(served))
	}
	for _, route := range served {
		method, pattern, _ := strings.Cut(route, " ")
		path := field.ReplaceAllString(pattern, "x")
		for name, headers := range map[string][]string{
			"as the owner": nil, "as nobody": {"-Authorization"}, "with a bad token": {"Authorization: Bearer x"}, "in a browser": {"-Authorization", "Accept: text/html"},
			"from another site": {"Origin: https://evil.example"}, "to another host": {"Host: evil.example"}, "from an allowed site": {"Origin: https://console.example"},
			"to be cached": {"If-None-Match: *"}, "of another kind": {"Accept: image/png"},
		} {
			w := httptest.NewRecorder()
			f.ServeHTTP(w, request(method, path, "", headers...))
			wantShield(t, route+" "+name, w.Header())
			control := w.Header().Get("Cache-Control")
			switch {
			case strings.Contains(control, "no-store"), strings.HasPrefix(control, "private, "):
			case !open.MatchString(path) || control == "":
				t.Errorf("%s %s: %d may be kept: Cache-Control is %q", route, name, w.Code, control)
			}
			if w.Header().Get("Strict-Transport-Security") != "" {
				t.Errorf("%s %s: promised TLS without any", route, name)
			}
		}
	}
	for _, path := range []string{"/nowhere", "//", "/api/v1", "/api/v1/../livez", "/docs%2fx", "/assets/nothing.css"} {
		for _, method := range []string{"GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "TRACE", "QUERY"} {
			w := httptest.NewRecorder()
			f.ServeHTTP(w, request(method, path, ""))
			wantShield(t, method+" "+path, w.Header())
		}
	}
	w := httptest.NewRecorder()
	f.ServeHTTP(w, request("OPTIONS", "/api/v1/ping", "", "Origin: https://console.example", "Access-Control-Request-Method: GET"))
	wantShield(t, "a preflight", w.Header())
	over := request("GET", "/livez", "")
	over.TLS = &tls.ConnectionState{}
	w = httptest.NewRecorder()
	f.ServeHTTP(w, over)
	if got := w.Header().Get("Strict-Transport-Security"); got != "max-age=31536000" {
		t.Errorf("over TLS the header Strict-Transport-Security is %q", got)
	}
}
