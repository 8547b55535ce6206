package httpapi_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/projection/httpapi"
)

const browser = "Accept: text/html,application/xhtml+xml;q=0.9,*/*;q=0.8"

// wantPage checks the headers of a page of ours.
func wantPage(t *testing.T, h http.Header) {
	t.Helper()
	for key, want := range map[string]string{
		"Content-Type":            "text/html; charset=utf-8",
		"Content-Security-Policy": "default-src 'none'; style-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
		"X-Content-Type-Options":  "nosniff",
		"Referrer-Policy":         "same-origin",
		"Cache-Control":           "no-store",
	} {
		if got := h.Get(key); got != want {
			t.Errorf("%s is %q, want %q", key, got, want)
		}
	}
}

func TestCatalogue(t *testing.T) {
	f := serve(t, func(o *httpapi.Options) {
		o.Servers = func() []httpapi.ServerState {
			return []httpapi.ServerState{
				{Name: "weather", State: "running", Tools: 1},
				{Name: "news", State: "failing", Reason: "it <exited> with status 3"},
			}
		}
	})
	all := []string{"create_item", "get_item", "file_item", "manage", "x__forecast", "x__odd"}
	for _, c := range []struct {
		name, url string
		headers   []string
		has, not  []string
	}{
		{"everything", "/", nil, append(all, "mcp:weather", "append · shared", "asserts unknown", "old name of", "/docs/capabilities/get_item", "http://127.0.0.1:4280/operator/mcp"), nil},
		{"the state of the servers", "/", nil, []string{"running", "it &lt;exited&gt; with status 3", `/openapi/weather.json`}, []string{`/openapi/news.json`}},
		{"what another sees", "/", []string{"Authorization: Bearer reader"}, []string{"get_item", "hidden from you"}, []string{"create_item", "it &lt;exited&gt;", "x__odd"}},
		{"by text", "/?q=LOOK+for", nil, []string{"search_items"}, []string{"get_item"}},
		{"by source", "/?source=mcp:weather", nil, []string{"x__forecast"}, []string{"get_item", "x__odd"}},
		{"by change", "/?change=set", nil, []string{"set_item", "manage"}, []string{"create_item", "x__odd"}},
		{"by reach", "/?reach=world", nil, []string{"/docs/capabilities/refuse"}, []string{"create_item", "x__odd"}},
		{"by what the hints assert", "/?asserts=unknown", nil, []string{"x__odd"}, []string{"create_item"}},
		{"by two things", "/?source=builtin&change=read", nil, []string{"get_item"}, []string{"create_item"}},
		{"by nothing there is", "/?source=mcp:none", nil, []string{"No tool fits this filter."}, []string{"<table>"}},
		{"a page beyond the last", "/?page=99", nil, all, nil},
		{"a page that is none", "/?page=x", nil, all, nil},
		{"a filter that is markup", "/?q=%22%3E%3Cscript%3E", nil, []string{"&lt;script&gt;"}, []string{"<script"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := f.do("GET", c.url, "", c.headers...)
			if w.Code != http.StatusOK {
				t.Fatalf("status %d: %s", w.Code, w.Body)
			}
			wantPage(t, w.Header())
			page := w.Body.String()
			for _, text := range c.has {
				if !strings.Contains(page, text) {
					t.Errorf("%q is missing", text)
				}
			}
			for _, text := range c.not {
				if strings.Contains(page, ">"+text) || strings.Contains(page, "/"+text) || strings.Contains(text, " ") && strings.Contains(page, text) || strings.HasPrefix(text, "<") && strings.Contains(page, text) {
					t.Errorf("%q is on it", text)
				}
			}
		})
	}
}

func TestCatalogueShowsHostileTextAsItIs(t *testing.T) {
	f := serve(t, nil)
	f.live.Replace("", "weather", []*capabilities.Capability{bridged(t, "weather", "forecast", func(s *capabilities.BridgedSpec) {
		s.Title = "\u202Eevil\u202C<script>alert(1)</script>"
		s.Summary = "a\x00b\x1b[31mc\nd\x7f\u200Be\xffz " + strings.Repeat("long ", 200) + "</p><img src=x onerror=alert(1)>"
		s.Hints.ReadOnly = capabilities.HintFact{Value: capabilities.Unknown, From: capabilities.FromServer, Raw: json.RawMessage(`"<b>true"`)}
		s.Hints.Destructive = capabilities.HintFact{Value: capabilities.Yes, From: capabilities.FromOverride, Raw: json.RawMessage(`false`)}
	})})
	page := f.do("GET", "/?source=mcp:weather", "").Body.String()
	for _, text := range []string{
		"[U&#43;202E]evil[U&#43;202C]&lt;script&gt;", "a[U&#43;0000]b[U&#43;001B][31mc↵ d[U&#43;007F][U&#43;200B]e[U&#43;FFFD]z", "<details>", "&lt;/p&gt;&lt;img",
		"sent <code>&#34;&lt;b&gt;true&#34;</code>", "sent <code>false</code>", "override", "asserts destroys",
	} {
		if !strings.Contains(page, text) {
			t.Errorf("%q is missing", text)
		}
	}
	for _, text := range []string{"<script", "<img", "\x00", "\x1b", "\u202E", "\u200B", "\xff"} {
		if strings.Contains(page, text) {
			t.Errorf("%q is on it", text)
		}
	}
}

func TestCatalogueHasPages(t *testing.T) {
	f := serve(t, nil)
	var tools []*capabilities.Capability
	for i := range 250 {
		tools = append(tools, bridged(t, "many", fmt.Sprintf("t%03d", i), nil))
	}
	f.live.Replace("", "many", tools)
	for _, c := range []struct {
		name, url, has, not string
	}{
		{"the first", "/?source=mcp:many", `<a rel="next" href="/?page=1&amp;source=mcp%3Amany">`, `rel="prev"`},
		{"the second", "/?source=mcp:many&page=1", "Showing 101 to 200 of 250.", "x__t099"},
		{"the last", "/?source=mcp:many&page=2", "x__t249", `rel="next"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			page := f.do("GET", c.url, "").Body.String()
			if !strings.Contains(page, c.has) || strings.Contains(page, c.not) {
				t.Errorf("has %q: %v, has %q: %v", c.has, strings.Contains(page, c.has), c.not, strings.Contains(page, c.not))
			}
		})
	}
}

func TestAssets(t *testing.T) {
	f := serve(t, nil)
	w := f.do("GET", "/assets/style.css", "", "-Authorization")
	if w.Code != 200 || w.Header().Get("Content-Type") != "text/css; charset=utf-8" || w.Header().Get("X-Content-Type-Options") != "nosniff" {
		t.Errorf("%d %v", w.Code, w.Header())
	}
	if again := f.do("GET", "/assets/style.css", "", "If-None-Match: "+w.Header().Get("ETag")); again.Code != http.StatusNotModified {
		t.Errorf("again: %d", again.Code)
	}
	for _, url := range []string{"/assets/", "/assets/nothing.css", "/assets/..", "/assets/../templates/login.html"} {
		wantProblem(t, f.do("GET", url, "", "-Authorization"), 404, "not_found")
	}
}

func TestDocsAreSentAsAPage(t *testing.T) {
	f := serve(t, func(o *httpapi.Options) {
		o.Docs = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			_, _ = w.Write([]byte(r.URL.Path))
		})
	})
	for _, url := range []string{"/docs", "/docs.md", "/docs/", "/docs/codes/invalid"} {
		w := f.do("GET", url, "", "-Authorization")
		if w.Code != 200 || w.Body.String() != url || w.Header().Get("Content-Security-Policy") == "" {
			t.Errorf("%s: %d %q %v", url, w.Code, w.Body, w.Header())
		}
	}
}

func TestLogin(t *testing.T) {
	const form = "Content-Type: application/x-www-form-urlencoded"
	own := "Origin: http://127.0.0.1:4280"
	for _, c := range []struct {
		name, method, url, body string
		headers                 []string
		status                  int
		cookie                  string // "" for none
		spent                   bool
	}{
		{"the link shows a button", "GET", "/login?token=once", "", []string{browser}, 200, "", false},
		{"the link without a token asks for one", "GET", "/login", "", []string{browser}, 200, "", false},
		{"the button signs in", "POST", "/login", "token=once", []string{form, own, browser}, 303, "good", true},
		{"a program signs in", "POST", "/login", "token=once", []string{form}, 303, "good", true},
		{"another site does not", "POST", "/login", "token=once", []string{form, "Origin: http://evil.example"}, 403, "", false},
		{"a bad token, by hand", "POST", "/login", "token=guess", []string{form, own, browser}, 401, "", false},
		{"a bad token, by program", "POST", "/login", "token=guess", []string{form}, 401, "", false},
		{"a token in the address of a post", "POST", "/login?token=once", "", []string{form, own, browser}, 401, "", false},
		{"no token", "POST", "/login", "", nil, 401, "", false},
		{"no form", "POST", "/login", `{"token":"once"}`, nil, 415, "", false},
		{"a form without a type", "POST", "/login", "token=once", []string{"-Content-Type"}, 415, "", false},
		{"a form with a charset", "POST", "/login", "token=once", []string{form + "; charset=utf-8"}, 303, "good", true},
		{"a form too large", "POST", "/login", "token=once&x=" + strings.Repeat("x", 5000), []string{form}, 413, "", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := &sessions{}
			f := serve(t, func(o *httpapi.Options) { o.Sessions = s })
			w := f.do(c.method, c.url, c.body, append(c.headers, "-Authorization")...)
			if w.Code != c.status || s.spent != c.spent {
				t.Fatalf("status %d, token spent %v: %s", w.Code, s.spent, w.Body)
			}
			if strings.Contains(strings.Join(c.headers, ""), browser) && c.status != 303 && c.status != 403 {
				wantPage(t, w.Header())
			}
			cookies := w.Result().Cookies()
			if c.cookie == "" {
				if len(cookies) > 0 {
					t.Errorf("it sets %v", cookies)
				}
				return
			}
			if len(cookies) != 1 || cookies[0].Name != "holotype_session" || cookies[0].Value != c.cookie || !cookies[0].HttpOnly ||
				cookies[0].SameSite != http.SameSiteStrictMode || cookies[0].Path != "/" || !cookies[0].Expires.After(now) {
				t.Errorf("cookies: %v", cookies)
			}
			if w.Header().Get("Location") != "/" {
				t.Errorf("it leads to %q", w.Header().Get("Location"))
			}
		})
	}
	t.Run("a link works once", func(t *testing.T) {
		for command, remedy := range map[string]string{"": "take a fresh link from the server", "shelf login": "run shelf login for a fresh link"} {
			s := &sessions{}
			f := serve(t, func(o *httpapi.Options) { o.Sessions, o.LoginCommand = s, command })
			if w := f.do("POST", "/login", "token=once", "-Authorization", form); w.Code != 303 || !s.until.After(now) {
				t.Fatalf("status %d, until %v", w.Code, s.until)
			}
			for name, c := range map[string]struct {
				url, body, says string
			}{
				"the link again":        {"/login?token=once", "", "this link was used already, and each works once: " + remedy},
				"its button again":      {"/login", "token=once", "this link was used already, and each works once: " + remedy},
				"a link of no server":   {"/login?token=guess", "", "is of no link of this server, is over ten minutes old or was made before the server started: " + remedy},
				"a button of no server": {"/login", "token=guess", "is of no link of this server, is over ten minutes old or was made before the server started: " + remedy},
			} {
				method := "GET"
				if c.body != "" {
					method = "POST"
				}
				w := f.do(method, c.url, c.body, "-Authorization", browser, form)
				page := w.Body.String()
				if w.Code != 401 || !strings.Contains(page, c.says) || strings.Contains(page, "Sign in as the owner") || strings.Contains(page, `type="hidden"`) {
					t.Errorf("%s: %d\n%s", name, w.Code, page)
				}
				if command != "" && !strings.Contains(page, "<code>shelf login</code>") {
					t.Errorf("%s: the page does not name the command:\n%s", name, page)
				}
			}
			if p := wantProblem(t, f.do("POST", "/login", "token=once", "-Authorization", form), 401, "unauthenticated"); !strings.Contains(p.Detail, remedy) {
				t.Errorf("a program is told %q", p.Detail)
			}
			// Who follows the link once more and is signed in wants to be inside.
			if w := f.do("GET", "/login?token=once", "", "-Authorization", browser, "Cookie: holotype_session=good"); w.Code != 303 || w.Header().Get("Location") != "/" {
				t.Errorf("a signed-in browser: %d to %q", w.Code, w.Header().Get("Location"))
			}
		}
	})
	t.Run("signing in again ends the session before", func(t *testing.T) {
		ended := false
		f := serve(t, func(o *httpapi.Options) { o.Sessions = onEnd{&sessions{}, func() { ended = true }} })
		if w := f.do("POST", "/login", "token=once", "-Authorization", form, "Cookie: holotype_session=good"); w.Code != 303 || !ended {
			t.Errorf("status %d, ended %v", w.Code, ended)
		}
	})
	t.Run("a session that cannot be kept", func(t *testing.T) {
		s := &sessions{broken: true}
		f := serve(t, func(o *httpapi.Options) { o.Sessions = s })
		w := f.do("POST", "/login", "token=once", "-Authorization", form)
		if p := wantProblem(t, w, 500, "internal_error"); strings.Contains(p.Detail, "disk") || len(w.Result().Cookies()) != 0 {
			t.Errorf("%q, %v", p.Detail, w.Result().Cookies())
		}
		if !strings.Contains(f.log.String(), "a secret of the disk") {
			t.Error("the cause is not in the log")
		}
		w = f.do("POST", "/logout", "", "-Authorization", "Cookie: holotype_session=good")
		wantProblem(t, w, 500, "internal_error")
		if len(w.Result().Cookies()) != 1 || w.Result().Cookies()[0].Value != "" || !s.ended {
			t.Errorf("the cookie stays: %v", w.Result().Cookies())
		}
	})
	t.Run("the token is escaped", func(t *testing.T) {
		page := serve(t, func(o *httpapi.Options) { o.Sessions = anyLink{&sessions{}} }).do("GET", "/login?token=%22%3E%3Cscript%3E", "", browser).Body.String()
		if strings.Contains(page, "<script") || !strings.Contains(page, `value="&#34;&gt;&lt;script&gt;"`) {
			t.Errorf("page: %s", page)
		}
	})
}

// anyLink takes every token for a link that waits.
type anyLink struct{ httpapi.Sessions }

func (anyLink) Look(string) (waits, used bool) { return true, false }

// onEnd tells when a session is ended.
type onEnd struct {
	httpapi.Sessions
	ended func()
}

func (o onEnd) End(value string) error {
	o.ended()
	return o.Sessions.End(value)
}

func TestSigningOutEndsTheSession(t *testing.T) {
	f := serve(t, nil)
	const cookie = "Cookie: holotype_session=good"
	for _, c := range []struct {
		method, url string
		status      int
	}{
		{"GET", "/api/v1/ping", 200}, {"POST", "/logout", 303}, {"GET", "/api/v1/ping", 401}, {"GET", "/", 401}, {"POST", "/logout", 401},
	} {
		if w := f.do(c.method, c.url, "", "-Authorization", cookie); w.Code != c.status {
			t.Errorf("%s %s: %d, want %d", c.method, c.url, w.Code, c.status)
		}
	}
}

func TestSession(t *testing.T) {
	for _, c := range []struct {
		name, method, url string
		headers           []string
		status            int
	}{
		{"the page", "GET", "/", []string{"Cookie: holotype_session=good", browser}, 200},
		{"a call", "GET", "/api/v1/ping", []string{"Cookie: holotype_session=good"}, 200},
		{"a write from our page", "POST", "/api/v1/search", []string{"Cookie: holotype_session=good", "Origin: http://127.0.0.1:4280"}, 200},
		{"beside another's cookie", "GET", "/api/v1/ping", []string{"Cookie: holotype_session=bad; holotype_session=good"}, 200},
		{"a bad cookie", "GET", "/api/v1/ping", []string{"Cookie: holotype_session=bad"}, 401},
		{"a bad cookie on the page", "GET", "/", []string{"Cookie: holotype_session=bad", browser}, 401},
		{"a page on another port reads", "GET", "/api/v1/ping", []string{"Cookie: holotype_session=good", "Sec-Fetch-Site: same-site"}, 401},
		{"a page on another port reads, and says so", "GET", "/api/v1/ping", []string{"Cookie: holotype_session=good", "Origin: http://127.0.0.1:3000"}, 401},
		{"a bad token is not made good", "GET", "/api/v1/ping", []string{"Cookie: holotype_session=good", "Authorization: Bearer guess"}, 401},
		{"signing out", "POST", "/logout", []string{"Cookie: holotype_session=good", "Origin: http://127.0.0.1:4280"}, 303},
		{"signing out twice", "POST", "/logout", []string{browser}, 401},
		{"another site signs out", "POST", "/logout", []string{"Cookie: holotype_session=good", "Origin: http://evil.example"}, 403},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := serve(t, nil)
			headers := append([]string{"-Authorization"}, c.headers...)
			w := f.do(c.method, c.url, "", headers...)
			if w.Code != c.status {
				t.Errorf("status %d, want %d: %s", w.Code, c.status, w.Body)
			}
			if c.status == 401 && strings.Contains(strings.Join(c.headers, ""), browser) && !strings.Contains(w.Body.String(), `action="/login"`) {
				t.Errorf("a person is not shown how to sign in: %s", w.Body)
			}
			if c.url == "/logout" && c.status == 303 && w.Result().Cookies()[0].Value != "" {
				t.Errorf("the cookie stays: %v", w.Result().Cookies())
			}
		})
	}
	t.Run("no sessions", func(t *testing.T) {
		f := serve(t, func(o *httpapi.Options) { o.Sessions = nil })
		wantProblem(t, f.do("GET", "/login", "", "-Authorization"), 404, "not_found")
		wantProblem(t, f.do("GET", "/", "", "-Authorization", browser, "Cookie: holotype_session=good"), 401, "unauthenticated")
	})
}
