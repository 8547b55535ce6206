package main

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/seed-89b9419b/holotype"
)

// site is the web site of a test, with a browser that follows no redirect.
type site struct {
	t     *testing.T
	shelf *holotype.Server
	url   string
	web   *http.Client
}

func start(t *testing.T) *site {
	t.Helper()
	shelf := holotype.New(options())
	t.Cleanup(func() {
		if err := shelf.Close(); err != nil {
			t.Error(err)
		}
	})
	handler, err := router(shelf)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	web := server.Client()
	web.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &site{t, shelf, server.URL, web}
}

// send sends a request; headers are "Name: value".
func (s *site) send(method, path, body string, headers ...string) (*http.Response, string) {
	s.t.Helper()
	r, err := http.NewRequestWithContext(s.t.Context(), method, s.url+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		r.Header.Set(name, value)
		if name == "Host" {
			r.Host = value
		}
	}
	resp, err := s.web.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return resp, string(data)
}

// owner answers the owner's header.
func (s *site) owner() string {
	s.t.Helper()
	token, err := s.shelf.OwnerToken()
	if err != nil {
		s.t.Fatal(err)
	}
	return "Authorization: Bearer " + token
}

const reader = "Authorization: Basic cmVhZGVyOnJlYWRz"

func TestTheSiteHasPagesOfItsOwn(t *testing.T) {
	s := start(t)
	if resp, body := s.send("GET", "/", ""); resp.StatusCode != 200 || !strings.Contains(body, "a web site") {
		t.Errorf("%d: %s", resp.StatusCode, body)
	}
	if resp, _ := s.send("GET", "/tools", ""); resp.Header.Get("Location") != "/tools/" {
		t.Errorf("/tools leads to %q", resp.Header.Get("Location"))
	}
}

func TestAccountsOfTheSite(t *testing.T) {
	s := start(t)
	for _, c := range []struct {
		name, method, path, body, credential string
		status                               int
	}{
		{"a reader reads", "GET", "/tools/api/v1/books", "", reader, 200},
		{"a reader removes", "DELETE", "/tools/api/v1/books/9780441478125", "", reader, 403},
		{"a wrong password", "GET", "/tools/api/v1/books", "", "Authorization: Basic cmVhZGVyOng=", 401},
		{"nobody", "GET", "/tools/api/v1/books", "", "X: ", 401},
		{"the owner removes", "DELETE", "/tools/api/v1/books/9780441478125", "", s.owner(), 200},
		{"the name of the site", "GET", "/tools/api/v1/books", "", reader + "\nHost: shelf.example", 200},
		{"the name of another", "GET", "/tools/api/v1/books", "", reader + "\nHost: evil.example", 403},
	} {
		t.Run(c.name, func(t *testing.T) {
			resp, body := s.send(c.method, c.path, c.body, strings.Split(c.credential, "\n")...)
			if resp.StatusCode != c.status {
				t.Fatalf("status %d, want %d: %s", resp.StatusCode, c.status, body)
			}
			if c.status < 400 {
				return
			}
			var problem struct{ Type string }
			if err := json.Unmarshal([]byte(body), &problem); err != nil {
				t.Fatal(err)
			}
			if page, _ := s.send("GET", problem.Type, ""); page.StatusCode != 200 || !strings.HasPrefix(problem.Type, base+"/docs/codes/") {
				t.Errorf("the type %q of the problem leads to %d", problem.Type, page.StatusCode)
			}
		})
	}
}

var links = regexp.MustCompile(`(?:href|action)="([^"]*)"`)

// Every link of every page stays below the path of the shelf and leads to an answer.
func TestLinksStayBelowThePath(t *testing.T) {
	s := start(t)
	pages, seen := []string{base + "/", base + "/login"}, map[string]bool{}
	for len(pages) > 0 {
		page := pages[0]
		pages = pages[1:]
		if seen[page] {
			continue
		}
		seen[page] = true
		resp, body := s.send("GET", page, "", s.owner())
		if resp.StatusCode != 200 {
			t.Errorf("%s answers %d", page, resp.StatusCode)
			continue
		}
		if !strings.HasPrefix(resp.Header.Get("Content-Type"), "text/html") {
			continue
		}
		for _, m := range links.FindAllStringSubmatch(body, -1) {
			target, err := url.Parse(strings.ReplaceAll(m[1], "&amp;", "&"))
			switch {
			case err != nil:
				t.Errorf("%s links to %q: %v", page, m[1], err)
			case target.Host != "" || target.Path == "":
			case !strings.HasPrefix(target.Path, base+"/"):
				t.Errorf("%s links to %s, which is not of the shelf", page, target.Path)
			case target.Path != base+"/logout": // a form that is sent
				pages = append(pages, target.Path)
			}
		}
	}
	if len(seen) < 30 {
		t.Errorf("only %d pages were found", len(seen))
	}
}

func TestSigningInByTheLink(t *testing.T) {
	s := start(t)
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	s.web.Jar = jar
	link, err := s.shelf.SignInPath()
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(link, base+"/login?token=") {
		t.Fatalf("the link is %s", link)
	}
	resp, page := s.send("GET", link, "", "Accept: text/html")
	action := regexp.MustCompile(`<form method="post" action="([^"]*)"`).FindStringSubmatch(page)
	if resp.StatusCode != 200 || action == nil {
		t.Fatalf("%d: %s", resp.StatusCode, page)
	}
	_, token, _ := strings.Cut(link, "token=")
	resp, _ = s.send("POST", action[1], "token="+token, "Content-Type: application/x-www-form-urlencoded", "Origin: "+s.url)
	if resp.StatusCode != http.StatusSeeOther || resp.Header.Get("Location") != base+"/" {
		t.Fatalf("signing in answers %d and leads to %q", resp.StatusCode, resp.Header.Get("Location"))
	}
	if c := resp.Cookies(); len(c) != 1 || c[0].Path != base+"/" || !strings.HasPrefix(c[0].Name, "website_session_") {
		t.Errorf("the cookies are %v", c)
	}
	if resp, page := s.send("GET", base+"/", "", "Accept: text/html"); resp.StatusCode != 200 || !strings.Contains(page, "find_books") {
		t.Errorf("signed in, the catalogue answers %d", resp.StatusCode)
	}
	if resp, _ := s.send("POST", base+"/logout", "", "Origin: "+s.url); resp.Header.Get("Location") != base+"/login" {
		t.Errorf("signing out leads to %q", resp.Header.Get("Location"))
	}
	if resp, _ := s.send("GET", base+"/api/v1/books", ""); resp.StatusCode != http.StatusUnauthorized {
		t.Errorf("signed out, a call answers %d", resp.StatusCode)
	}
}

func TestTheDocumentLeadsToTheRoutes(t *testing.T) {
	s := start(t)
	_, body := s.send("GET", base+"/openapi.json", "", reader)
	var doc struct {
		Info    struct{ Title, Version string }
		Servers []struct{ URL string }
		Paths   map[string]map[string]struct{ OperationID string }
	}
	if err := json.Unmarshal([]byte(body), &doc); err != nil {
		t.Fatal(err)
	}
	if doc.Info.Title != "website" || doc.Info.Version != "3.0.0" || strings.Contains(body, "Apache") {
		t.Errorf("the document speaks of %+v, or of a licence that nobody gave", doc.Info)
	}
	if len(doc.Paths) != 1 || doc.Paths["/books"]["get"].OperationID != "find_books" {
		t.Errorf("a reader's document has the paths %v", doc.Paths)
	}
	if resp, _ := s.send("GET", doc.Servers[0].URL+"/books", "", reader); resp.StatusCode != 200 {
		t.Errorf("%s/books answers %d", doc.Servers[0].URL, resp.StatusCode)
	}
}

func TestMCPBelowThePath(t *testing.T) {
	s := start(t)
	const call = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"find_books","arguments":{"text":"hawking"},"_meta":{` +
		`"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"test","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}}}`
	resp, body := s.send("POST", base+"/operator/mcp", call, reader, "Content-Type: application/json", "Accept: application/json, text/event-stream",
		"MCP-Protocol-Version: 2026-07-28", "Mcp-Method: tools/call", "Mcp-Name: find_books")
	if resp.StatusCode != 200 || !strings.Contains(body, "A Brief History of Time") {
		t.Errorf("%d: %s", resp.StatusCode, body)
	}
}

// Who forgets to take the prefix off is told.
func TestAForgottenPrefix(t *testing.T) {
	s := start(t)
	handler, err := s.shelf.Handler()
	if err != nil {
		t.Fatal(err)
	}
	w := httptest.NewRecorder()
	r := httptest.NewRequestWithContext(t.Context(), "GET", "http://localhost"+base+"/api/v1/books", nil)
	r.SetBasicAuth("reader", "reads")
	handler.ServeHTTP(w, r)
	if w.Code != 404 || !strings.Contains(w.Body.String(), "http.StripPrefix") {
		t.Errorf("%d: %s", w.Code, w.Body)
	}
}
