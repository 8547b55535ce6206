package httpapi_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/seed-89b9419b/holotype/projection/httpapi"
)

// Below a path every address says so, and the requests come without it.
func TestBasePath(t *testing.T) {
	f := serve(t, func(o *httpapi.Options) { o.BasePath = "/a/tools" })
	for _, c := range []struct {
		name, method, url string
		headers           []string
		status            int
		has, not          string
	}{
		{"the catalogue", "GET", "/", nil, 200, `href="/a/tools/docs/capabilities/get_item"`, `href="/docs`},
		{"its endpoints", "GET", "/", nil, 200, "http://127.0.0.1:4280/a/tools/operator/mcp", `action="/"`},
		{"its next page", "GET", "/?q=get", nil, 200, `action="/a/tools/"`, `href="/?`},
		{"the sign-in", "GET", "/login?token=once", nil, 200, `action="/a/tools/login"`, `"/login"`},
		{"the document", "GET", "/openapi.json", nil, 200, `"url":"/a/tools/api/v1"`, `"url":"/api/v1"`},
		{"a refusal", "GET", "/api/v1/items", []string{"-Authorization"}, 401, `"type":"/a/tools/docs/codes/unauthenticated"`, `"type":"/docs`},
		{"an unknown route", "GET", "/nowhere", nil, 404, "see /a/tools/openapi.json", "StripPrefix"},
		{"a prefix that stayed", "GET", "/a/tools/livez", nil, 404, "http.StripPrefix takes off", "see /openapi.json"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := f.do(c.method, c.url, "", c.headers...)
			if w.Code != c.status || !strings.Contains(w.Body.String(), c.has) || strings.Contains(w.Body.String(), c.not) {
				t.Errorf("%d, want %d with %q and without %q:\n%s", w.Code, c.status, c.has, c.not, w.Body)
			}
		})
	}
	w := f.do("POST", "/login", "token=once", "-Authorization", "Content-Type: application/x-www-form-urlencoded")
	cookies := w.Result().Cookies()
	if w.Code != 303 || w.Header().Get("Location") != "/a/tools/" || len(cookies) != 1 || cookies[0].Path != "/a/tools/" {
		t.Errorf("signing in answers %d, leads to %q, with %v", w.Code, w.Header().Get("Location"), cookies)
	}
}

// Two programs of one host have two cookies.
func TestCookieName(t *testing.T) {
	f := serve(t, func(o *httpapi.Options) { o.CookieName = "shelf_session" })
	for cookie, status := range map[string]int{"shelf_session=good": 200, "holotype_session=good": 401} {
		if w := f.do("GET", "/api/v1/ping", "", "-Authorization", "Cookie: "+cookie); w.Code != status {
			t.Errorf("%s: %d, want %d", cookie, w.Code, status)
		}
	}
	var doc struct {
		Components struct {
			SecuritySchemes struct{ Cookie struct{ Name string } }
		}
	}
	if err := json.Unmarshal(f.do("GET", "/openapi.json", "").Body.Bytes(), &doc); err != nil {
		t.Fatal(err)
	}
	if doc.Components.SecuritySchemes.Cookie.Name != "shelf_session" {
		t.Errorf("the document names the cookie %q", doc.Components.SecuritySchemes.Cookie.Name)
	}
}

func TestCheckBasePath(t *testing.T) {
	for base, good := range map[string]bool{
		"": true, "/tools": true, "/a/b-c_d.e~f": true, "/": false, "tools": false, "/tools/": false, "//tools": false, "/a/../b": false,
		"/a b": false, "/a%20b": false, "/ä": false, "/a?b": false, "/a\"b": false,
	} {
		if err := httpapi.CheckBasePath(base); (err == nil) != good {
			t.Errorf("%q: %v", base, err)
		}
	}
}
