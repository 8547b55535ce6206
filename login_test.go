package holotype_test

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/seed-89b9419b/holotype"
	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/datadir"
	"github.com/seed-89b9419b/holotype/internal/remote"
)

// site is a running server as a browser sees it.
type site struct {
	t      *testing.T
	server *holotype.Server
	http.Handler
}

func visit(t *testing.T, o holotype.Options) *site {
	t.Helper()
	s := serve(t, o)
	h, err := s.Handler()
	if err != nil {
		t.Fatal(err)
	}
	return &site{t, s, h}
}

// send sends a request with headers that are "Name: value".
func (s *site) send(method, path, body string, headers ...string) *httptest.ResponseRecorder {
	s.t.Helper()
	r := httptest.NewRequestWithContext(s.t.Context(), method, "http://127.0.0.1:4280"+path, strings.NewReader(body))
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		r.Header.Add(name, value)
	}
	if body != "" {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	return w
}

// signIn answers the header of a browser that has signed in.
func (s *site) signIn() (header, name string) {
	s.t.Helper()
	path, err := s.server.SignInPath()
	if err != nil {
		s.t.Fatal(err)
	}
	link, err := url.Parse(path)
	if err != nil {
		s.t.Fatal(err)
	}
	w := s.send("POST", link.Path, link.RawQuery)
	if c, err := http.ParseSetCookie(w.Header().Get("Set-Cookie")); w.Code == http.StatusSeeOther && err == nil {
		return "Cookie: " + c.Name + "=" + c.Value, c.Name
	}
	s.t.Fatalf("signing in answers %d with %v", w.Code, w.Header())
	return "", ""
}

func (s *site) in(cookie string) bool {
	return s.send("GET", "/api/v1/words", "", cookie).Code == http.StatusOK
}

// Signing out is for good, for one browser, and survives a restart, as does being
// signed in.
func TestSessionsEndForGood(t *testing.T) {
	dir := t.TempDir()
	first := visit(t, holotype.Options{Data: dir})
	stays, name := first.signIn()
	leaves, _ := first.signIn()
	if !first.in(stays) || !first.in(leaves) {
		t.Fatal("signed in, a call is refused")
	}
	if w := first.send("POST", "/logout", "", leaves); w.Code != http.StatusSeeOther {
		t.Fatalf("signing out answers %d", w.Code)
	}
	check := func(when string, s *site, want bool) {
		t.Helper()
		if s.in(stays) != want || s.in(leaves) {
			t.Errorf("%s: the one that stays is in: %v, want %v; the one that left: %v", when, s.in(stays), want, s.in(leaves))
		}
	}
	check("after signing out", first, true)
	if err := first.server.Close(); err != nil {
		t.Fatal(err)
	}
	again := visit(t, holotype.Options{Data: dir})
	check("after a restart", again, true)
	if err := again.server.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "owner.token"), []byte(datadir.NewToken()), 0o600); err != nil {
		t.Fatal(err)
	}
	changed := visit(t, holotype.Options{Data: dir})
	check("with another token", changed, false)
	// Under the new name too.
	_, value, _ := strings.Cut(stays, "=")
	if _, other := changed.signIn(); other == name || changed.in("Cookie: "+other+"="+value) {
		t.Errorf("the old value is good under the name %s", other)
	}
}

// Cookies know no ports: a browser that signs in to one server of a host stays signed
// in to the others.
func TestServersOfOneHostHaveCookiesOfTheirOwn(t *testing.T) {
	one, two := visit(t, holotype.Options{Data: t.TempDir()}), visit(t, holotype.Options{Data: t.TempDir()})
	first, name := one.signIn()
	second, other := two.signIn()
	if form := regexp.MustCompile(`^holotype_session_[0-9a-f]{8}$`); name == other || !form.MatchString(name) || !form.MatchString(other) {
		t.Errorf("the names are %q and %q", name, other)
	}
	if both := first + "; " + strings.TrimPrefix(second, "Cookie: "); !one.in(both) || !two.in(both) {
		t.Error("with both cookies a browser is not signed in to both")
	}
	if one.in(second) || two.in(first) {
		t.Error("a session of one server is one of the other")
	}
}

func TestSeveralCredentialsAreNone(t *testing.T) {
	s := visit(t, holotype.Options{})
	token, err := s.server.OwnerToken()
	if err != nil {
		t.Fatal(err)
	}
	cookie, _ := s.signIn()
	good, bad := "Authorization: Bearer "+token, "Authorization: Bearer guess"
	for name, c := range map[string]struct {
		headers []string
		status  int
	}{
		"one":                  {[]string{good}, 200},
		"a good one first":     {[]string{good, bad}, 400},
		"a bad one first":      {[]string{bad, good}, 400},
		"one twice":            {[]string{good, good}, 400},
		"one and an empty":     {[]string{good, "Authorization: "}, 400},
		"a cookie beside":      {[]string{good, cookie}, 200},
		"two beside a cookie":  {[]string{good, bad, cookie}, 400},
		"an empty one is none": {[]string{"Authorization: ", cookie}, 200},
	} {
		for _, path := range []string{"/api/v1/words", "/openapi.json"} {
			w := s.send("GET", path, "", c.headers...)
			if w.Code != c.status {
				t.Errorf("%s, %s: %d, want %d", name, path, w.Code, c.status)
			}
			if c.status >= 400 && w.Header().Get("Www-Authenticate") == "" {
				t.Errorf("%s, %s: it says nothing of how to authenticate", name, path)
			}
		}
	}
}

// served runs the command serve until the test ends and answers what it prints.
func served(t *testing.T, data string, flags ...string) (open string) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	in, out := io.Pipe()
	ended := make(chan int, 1)
	s := holotype.New(quiet(holotype.Options{Data: data}))
	go func() {
		code := s.Command().Run(ctx, append([]string{"serve", "--listen", "127.0.0.1:0"}, flags...), strings.NewReader(""), out, io.Discard)
		_ = out.Close()
		ended <- code
	}()
	t.Cleanup(func() {
		cancel()
		if code := <-ended; code != 0 {
			t.Errorf("serve ended with %d", code)
		}
	})
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		if at, ok := strings.CutPrefix(strings.TrimSpace(lines.Text()), "open "); ok {
			go func() { _, _ = io.Copy(io.Discard, in) }()
			return strings.TrimSpace(at)
		}
	}
	t.Fatal("serve does not say where it is")
	return ""
}

// linkOf asks whoever holds a data directory for a link.
func linkOf(t *testing.T, data string) (string, error) {
	t.Helper()
	dir, err := datadir.Open(data)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	return remote.Dial(dir.Dial, holotype.Version).LoginLink(ctx)
}

func page(t *testing.T, link string) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, link, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Accept", "text/html")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(body)
}

func TestARunningServerGivesFreshLinks(t *testing.T) {
	data := t.TempDir()
	links := []string{served(t, data)}
	for range 2 {
		link, err := linkOf(t, data)
		if err != nil {
			t.Fatal(err)
		}
		links = append(links, link)
	}
	for i, link := range links {
		if status, body := page(t, link); status != 200 || !strings.Contains(body, "Sign in as the owner") {
			t.Errorf("link %d, %s: %d\n%s", i, link, status, body)
		}
		at, query, _ := strings.Cut(link, "?")
		resp, err := (&http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}).
			Post(at, "application/x-www-form-urlencoded", strings.NewReader(query))
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		if resp.StatusCode != http.StatusSeeOther {
			t.Errorf("link %d signs nobody in: %d", i, resp.StatusCode)
		}
		if status, body := page(t, link); status != 401 || !strings.Contains(body, "this link was used already") || !strings.Contains(body, "run holotype login for a fresh link") {
			t.Errorf("link %d, used: %d\n%s", i, status, body)
		}
	}
}

func TestALinkWhereNobodySignsIn(t *testing.T) {
	data := t.TempDir()
	config := filepath.Join(t.TempDir(), "holotype.yaml")
	if err := os.WriteFile(config, []byte("auth: none\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	open := served(t, data, "--config", config)
	if link, err := linkOf(t, data); err != nil || link != open || strings.Contains(link, "login") {
		t.Errorf("the link is %q, %v; serve printed %q", link, err, open)
	}
	if status, _ := page(t, open); status != 200 {
		t.Errorf("it leads to status %d", status)
	}
}

// A program that mounts the handler alone knows where that is; we do not.
func TestNoLinkWithoutPagesOfOurOwn(t *testing.T) {
	data := t.TempDir()
	visit(t, holotype.Options{Data: data})
	link, err := linkOf(t, data)
	if e, ok := capabilities.AsError(err); !ok || e.Code != capabilities.Unavailable || link != "" {
		t.Errorf("got %q, %v", link, err)
	}
}
