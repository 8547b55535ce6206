package httpapi_test

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/projection/httpapi"
)

func TestAdmission(t *testing.T) {
	f := serve(t, func(o *httpapi.Options) {
		o.Hosts = []string{"Tools.Example", "edge.example:8443"}
		o.Listen = "192.0.2.7:4280"
		o.Origins = []string{"https://console.example"}
		o.MCP = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) })
	})
	const get, post = "GET", "POST"
	for _, c := range []struct {
		name, method, url string
		headers           []string
		status            int
		code              string
	}{
		{"the loopback address", get, "/api/v1/ping", nil, 200, ""},
		{"the loopback name on another port", get, "/api/v1/ping", []string{"Host: localhost:9"}, 200, ""},
		{"the loopback name in capitals", get, "/api/v1/ping", []string{"Host: LOCALHOST"}, 200, ""},
		{"the loopback of version 6", get, "/api/v1/ping", []string{"Host: [::1]:4280"}, 200, ""},
		{"another loopback address", get, "/api/v1/ping", []string{"Host: 127.8.9.1:4280"}, 200, ""},
		{"the listening address", get, "/api/v1/ping", []string{"Host: 192.0.2.7:4280"}, 200, ""},
		{"a configured host on any port", get, "/api/v1/ping", []string{"Host: tools.example:80"}, 200, ""},
		{"a configured host and port", get, "/api/v1/ping", []string{"Host: EDGE.example:8443"}, 200, ""},
		{"a configured host on another port", get, "/api/v1/ping", []string{"Host: edge.example:8444"}, 403, "forbidden"},
		{"a foreign host", get, "/api/v1/ping", []string{"Host: evil.example"}, 403, "forbidden"},
		{"a foreign host on our port", get, "/api/v1/ping", []string{"Host: evil.example:4280"}, 403, "forbidden"},
		{"a host that starts like ours", get, "/api/v1/ping", []string{"Host: 127.0.0.1.evil.example"}, 403, "forbidden"},
		{"a host that ends like ours", get, "/api/v1/ping", []string{"Host: evil-localhost"}, 403, "forbidden"},
		{"no host", get, "/api/v1/ping", []string{"Host: "}, 403, "forbidden"},
		{"a host with a port that is none", get, "/api/v1/ping", []string{"Host: localhost:evil"}, 403, "forbidden"},
		{"a foreign host on a public route", get, "/livez", []string{"Host: evil.example"}, 403, "forbidden"},
		{"a foreign host on an unknown route", get, "/nothing", []string{"Host: evil.example"}, 403, "forbidden"},
		{"a foreign host on the page", get, "/", []string{"Host: evil.example"}, 403, "forbidden"},

		{"a program without an origin", post, "/api/v1/search", nil, 200, ""},
		{"our own origin", post, "/api/v1/search", []string{"Origin: http://127.0.0.1:4280"}, 200, ""},
		{"our own origin behind tls", post, "/api/v1/search", []string{"Origin: https://127.0.0.1:4280"}, 200, ""},
		{"an allowed origin", post, "/api/v1/search", []string{"Origin: https://console.example", "Sec-Fetch-Site: cross-site"}, 200, ""},
		{"a foreign origin", post, "/api/v1/search", []string{"Origin: http://evil.example"}, 403, "forbidden"},
		{"the null origin", post, "/api/v1/search", []string{"Origin: null"}, 403, "forbidden"},
		{"an empty origin", post, "/api/v1/search", []string{"Origin: "}, 403, "forbidden"},
		{"another port of this machine", post, "/api/v1/search", []string{"Origin: http://127.0.0.1:3000"}, 403, "forbidden"},
		{"an origin that starts like ours", post, "/api/v1/search", []string{"Origin: http://127.0.0.1:4280.evil.example"}, 403, "forbidden"},
		{"an allowed origin on another port", post, "/api/v1/search", []string{"Origin: https://console.example:444"}, 403, "forbidden"},
		{"a foreign origin that only reads", get, "/api/v1/ping", []string{"Origin: http://evil.example"}, 200, ""},
		{"a foreign origin on delete", "DELETE", "/api/v1/ping", []string{"Origin: http://evil.example"}, 403, "forbidden"},
		{"a foreign preflight", "OPTIONS", "/api/v1/search", []string{"Origin: http://evil.example", "Access-Control-Request-Method: POST"}, 403, "forbidden"},
		{"a foreign origin on an unknown route", post, "/nothing", []string{"Origin: http://evil.example"}, 403, "forbidden"},
		{"a foreign origin on sign-in", post, "/login", []string{"Origin: http://evil.example"}, 403, "forbidden"},
		{"a foreign origin on mcp", post, "/operator/mcp", []string{"Origin: http://evil.example"}, 403, "forbidden"},
		{"the null origin on mcp", post, "/operator/mcp", []string{"Origin: null"}, 403, "forbidden"},
		{"our own origin on mcp", post, "/operator/mcp", []string{"Origin: http://127.0.0.1:4280"}, 200, ""},
		{"another site without an origin", post, "/api/v1/search", []string{"Sec-Fetch-Site: cross-site"}, 403, "forbidden"},
		{"another port without an origin", post, "/api/v1/search", []string{"Sec-Fetch-Site: same-site"}, 403, "forbidden"},
		{"our own page without an origin", post, "/api/v1/search", []string{"Sec-Fetch-Site: same-origin"}, 200, ""},

		{"no credential", get, "/api/v1/ping", []string{"-Authorization"}, 401, "unauthenticated"},
		{"a bad credential", get, "/api/v1/ping", []string{"Authorization: Bearer guess"}, 401, "unauthenticated"},
		{"a credential that cannot be looked up", get, "/api/v1/ping", []string{"Authorization: Bearer broken"}, 500, "internal_error"},
		{"no credential on mcp", post, "/operator/mcp", []string{"-Authorization"}, 401, "unauthenticated"},
		{"no credential on the documents", get, "/openapi.json", []string{"-Authorization"}, 401, "unauthenticated"},
		{"no credential on an unknown route", get, "/nothing", []string{"-Authorization"}, 401, "unauthenticated"},
		{"no credential on the page, from a program", get, "/", []string{"-Authorization", "Accept: */*"}, 401, "unauthenticated"},
		{"no credential where none is needed", get, "/livez", []string{"-Authorization"}, 200, ""},
		{"no credential on readiness", get, "/readyz", []string{"-Authorization"}, 200, ""},
		{"no credential on the sign-in page", get, "/login", []string{"-Authorization"}, 200, ""},
		{"no credential on a style sheet", get, "/assets/style.css", []string{"-Authorization"}, 200, ""},
		{"no credential on discovery", get, "/.well-known/oauth-protected-resource", []string{"-Authorization"}, 404, "not_found"},
		{"a public word in a private path", get, "/api/v1/ping/../../../livez", []string{"-Authorization"}, 401, "unauthenticated"},
		{"a public path in disguise", get, "/%6Civez", []string{"-Authorization"}, 401, "unauthenticated"},

		{"an unknown route", get, "/nothing", nil, 404, "not_found"},
		{"an unknown api route", get, "/api/v1/nothing", nil, 404, "not_found"},
		{"a trailing slash", get, "/api/v1/ping/", nil, 404, "not_found"},
		{"a doubled slash", get, "//api/v1/ping", nil, 404, "not_found"},
		{"an escaped slash", get, "/api/v1/pages/a%2Fb", nil, 400, "invalid"},
		{"an escaped slash in small letters", get, "/api/v1/pages/a%2fb", nil, 400, "invalid"},
		{"an escaped slash anywhere", get, "/%2Fapi/v1/ping", nil, 400, "invalid"},
		{"an unknown method on a route", "BREW", "/api/v1/ping", nil, 405, "invalid"},
		{"an unknown method on none", "BREW", "/nothing", nil, 404, "not_found"},
		{"docs that are not there", get, "/docs", nil, 404, "not_found"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := f.do(c.method, c.url, "", c.headers...)
			if c.code != "" {
				wantProblem(t, w, c.status, c.code)
			} else if w.Code != c.status {
				t.Errorf("status %d, want %d: %s", w.Code, c.status, w.Body)
			}
			if w.Header().Get("X-Request-Id") == "" {
				t.Error("the answer has no X-Request-Id")
			}
			if w.Header().Get("Access-Control-Allow-Origin") != "" && c.headers[0] != "Origin: https://console.example" {
				t.Error("a foreign origin may read the answer")
			}
		})
	}
}

func TestChallenge(t *testing.T) {
	f := serve(t, nil)
	for _, c := range []struct{ name, header, want string }{
		{"without a credential", "-Authorization", "Bearer"},
		{"with a bad one", "Authorization: Bearer guess", `Bearer error="invalid_token"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := f.do("GET", "/api/v1/ping", "", c.header)
			wantProblem(t, w, 401, "unauthenticated")
			if got := w.Header().Get("WWW-Authenticate"); got != c.want {
				t.Errorf("WWW-Authenticate is %q, want %q", got, c.want)
			}
		})
	}
	if w := f.do("GET", "/api/v1/ping", "", "Authorization: Bearer broken"); strings.Contains(w.Body.String(), "EOF") {
		t.Errorf("the cause is shown: %s", w.Body)
	}
	if !strings.Contains(f.log.String(), "unexpected EOF") {
		t.Errorf("the cause is not logged: %s", f.log)
	}
}

func TestAllowedOriginMayRead(t *testing.T) {
	f := serve(t, func(o *httpapi.Options) { o.Origins = []string{"https://console.example"} })
	w := f.do("OPTIONS", "/api/v1/search", "", "-Authorization", "Origin: https://console.example", "Access-Control-Request-Method: POST")
	if w.Code != http.StatusNoContent || !strings.Contains(w.Header().Get("Access-Control-Allow-Headers"), "Authorization") {
		t.Errorf("preflight: %d %v", w.Code, w.Header())
	}
	w = f.do("POST", "/api/v1/search", "", "Origin: https://console.example")
	if w.Code != http.StatusOK || w.Header().Get("Access-Control-Allow-Origin") != "https://console.example" || w.Header().Get("Access-Control-Allow-Credentials") != "" {
		t.Errorf("answer: %d %v", w.Code, w.Header())
	}
	if w := serve(t, nil).do("GET", "/api/v1/ping", "", "Origin: https://console.example"); w.Header().Get("Access-Control-Allow-Origin") != "" {
		t.Error("an origin nobody allowed may read")
	}
}

func TestOptionsAreChecked(t *testing.T) {
	for _, c := range []struct {
		name   string
		adjust func(*httpapi.Options)
	}{
		{"no door", func(o *httpapi.Options) { o.Door = nil }},
		{"no clock", func(o *httpapi.Options) { o.Now = nil }},
		{"a host with a path", func(o *httpapi.Options) { o.Hosts = []string{"tools.example/x"} }},
		{"a host with a wildcard", func(o *httpapi.Options) { o.Hosts = []string{"*.example"} }},
		{"an origin with a path", func(o *httpapi.Options) { o.Origins = []string{"https://console.example/"} }},
		{"the null origin", func(o *httpapi.Options) { o.Origins = []string{"null"} }},
		{"any origin", func(o *httpapi.Options) { o.Origins = []string{"*"} }},
	} {
		t.Run(c.name, func(t *testing.T) {
			var o httpapi.Options
			serve(t, func(good *httpapi.Options) { o = *good })
			c.adjust(&o)
			if _, err := httpapi.New(o); err == nil {
				t.Error("New accepts it")
			}
		})
	}
}

func TestRequestID(t *testing.T) {
	f := serve(t, nil)
	minted := regexp.MustCompile(`^[A-Z0-9]+-[0-9A-V]+$`)
	seen := map[string]bool{}
	for _, c := range []struct{ name, sent, want string }{
		{"none", "", ""},
		{"none again", "", ""},
		{"the caller's", "Abc_1-2", "Abc_1-2"},
		{"the longest", strings.Repeat("a", 64), strings.Repeat("a", 64)},
		{"too long", strings.Repeat("a", 65), ""},
		{"with a space", "a b", ""},
		{"with markup", "<b>", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			headers := []string{"X-Request-Id: " + c.sent}
			if c.sent == "" {
				headers = nil
			}
			got := f.do("GET", "/api/v1/ping", "", headers...).Header().Get("X-Request-Id")
			if c.want != "" && got != c.want || c.want == "" && (!minted.MatchString(got) || seen[got]) {
				t.Errorf("got %q", got)
			}
			seen[got] = true
		})
	}
}

func TestPanics(t *testing.T) {
	t.Run("before the answer", func(t *testing.T) {
		f := serve(t, func(o *httpapi.Options) {
			o.Docs = http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic("a secret of ours") })
		})
		w := f.do("GET", "/docs/x", "")
		wantProblem(t, w, 500, "internal_error")
		if strings.Contains(w.Body.String(), "secret") || !strings.Contains(f.log.String(), "a secret of ours") {
			t.Errorf("answer %s, log %s", w.Body, f.log)
		}
	})
	t.Run("within the answer", func(t *testing.T) {
		f := serve(t, func(o *httpapi.Options) {
			o.Docs = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				_, _ = w.Write([]byte("half"))
				panic("late")
			})
		})
		defer func() {
			if p := recover(); p != http.ErrAbortHandler { //nolint:errorlint // net/http compares the value itself
				t.Errorf("recovered %v, want the connection cut", p)
			}
		}()
		f.do("GET", "/docs/x", "")
	})
	t.Run("in a handler", func(t *testing.T) {
		f := serve(t, nil)
		wantProblem(t, f.do("POST", "/api/v1/refuse", `{"code":"panic"}`), 500, "internal_error")
	})
}

func TestHealth(t *testing.T) {
	for _, c := range []struct {
		name   string
		ready  error
		status int
		says   string
	}{
		{"ready", nil, 200, ""},
		{"not ready for a reason to show", capabilities.Refuse(capabilities.Unavailable, "the store is being moved"), 503, "the store is being moved"},
		{"not ready for a reason of ours", http.ErrServerClosed, 503, "this server is not ready yet"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := serve(t, func(o *httpapi.Options) { o.Ready = func() error { return c.ready } })
			wantJSON(t, f.do("GET", "/livez", "", "-Authorization"), `{"status":"ok"}`)
			w := f.do("GET", "/readyz", "", "-Authorization")
			if c.status == 200 {
				wantJSON(t, w, `{"status":"ok"}`)
				return
			}
			if p := wantProblem(t, w, c.status, "unavailable"); p.Detail != c.says {
				t.Errorf("it says %q", p.Detail)
			}
		})
	}
}

func TestMCPIsMounted(t *testing.T) {
	var got string
	var principal *capabilities.Principal
	f := serve(t, func(o *httpapi.Options) {
		o.MCP = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			var b bytes.Buffer
			_, _ = b.ReadFrom(r.Body)
			got, principal = b.String(), httpapi.PrincipalOf(r.Context())
			if err := http.NewResponseController(w).Flush(); err != nil {
				t.Errorf("the answer cannot be streamed: %v", err)
			}
		})
	})
	large := strings.Repeat("x", capabilities.MaxArguments+1)
	for _, c := range []struct {
		name, url, body string
		headers         []string
		status          int
	}{
		{"the endpoint", "/operator/mcp", "{}", nil, 200},
		{"with a slash", "/operator/mcp/", "{}", nil, 200},
		{"of unknown length", "/operator/mcp", "{}", []string{"Transfer-Encoding: chunked"}, 200},
		{"over the limit", "/operator/mcp", large, nil, 413},
		{"over the limit, of unknown length", "/operator/mcp", large, []string{"Transfer-Encoding: chunked"}, 413},
		{"at the limit, of unknown length", "/operator/mcp", large[1:], []string{"Transfer-Encoding: chunked"}, 200},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, principal = "", nil
			w := f.do("POST", c.url, c.body, c.headers...)
			if c.status == 413 {
				wantProblem(t, w, 413, "too_large")
				return
			}
			if w.Code != c.status || got != c.body || principal == nil || principal.ID != "owner" || !w.Flushed {
				t.Errorf("status %d, body of %d bytes, principal %v", w.Code, len(got), principal)
			}
		})
	}
}

func TestOverTheNetwork(t *testing.T) {
	s := httptest.NewServer(serve(t, nil))
	defer s.Close()
	for _, c := range []struct {
		name, method, path, body string
		status                   int
	}{
		{"get", "GET", "/api/v1/items/7", "", 200},
		{"head", "HEAD", "/api/v1/items/7", "", 200},
		{"post", "POST", "/api/v1/projects/WEB/items", `{"title":"x"}`, 200},
		{"over the limit", "POST", "/api/v1/search", `{"title":"` + strings.Repeat("x", capabilities.MaxArguments) + `"}`, 413},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, err := http.NewRequestWithContext(t.Context(), c.method, s.URL+c.path, strings.NewReader(c.body))
			if err != nil {
				t.Fatal(err)
			}
			if c.body == "" {
				r.Body = nil
			} else {
				r.Header.Set("Content-Type", "application/json")
			}
			r.Header.Set("Authorization", "Bearer owner")
			res, err := s.Client().Do(r)
			if err != nil {
				t.Fatal(err)
			}
			defer res.Body.Close()
			if res.StatusCode != c.status || res.ContentLength <= 0 {
				t.Errorf("status %d, length %d", res.StatusCode, res.ContentLength)
			}
		})
	}
}
