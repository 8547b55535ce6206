package oauth_test

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/seed-89b9419b/holotype/internal/signin"
)

const (
	introspector = "the secret of the resource"
	comeBack     = "http://127.0.0.1:9/oauth/callback"
)

// providerPackages installs the authorization server where it is missing, or not the one that the lock names now. Without node or npm the test is
// skipped, and fails in CI.
func providerPackages(t *testing.T) {
	t.Helper()
	for _, program := range []string{"node", "npm"} {
		if _, err := exec.LookPath(program); err != nil {
			if os.Getenv("CI") != "" {
				t.Fatalf("%s is not in the PATH (and CI must not go without it)", program)
			}
			t.Skipf("SKIPPED: %s is not in the PATH, so no sign-in at an authorization server of other people is tried; install node 20 or newer", program)
		}
	}
	lock, err := os.Stat("package-lock.json")
	if err != nil {
		t.Fatal(err)
	}
	if installed, err := os.Stat("node_modules/.package-lock.json"); err == nil && !installed.ModTime().Before(lock.ModTime()) {
		return
	}
	if out, err := exec.Command("npm", "ci", "--no-audit", "--no-fund", "--loglevel=error").CombinedOutput(); err != nil {
		t.Fatalf("npm ci: %v\n%s", err, out)
	}
}

// provider is an authorization server of other people.
type provider struct {
	issuer string
	stop   func()
}

func startProvider(t *testing.T, port, seconds string) *provider {
	t.Helper()
	c := exec.Command("node", "provider.mjs", port, introspector, seconds)
	in, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	said := &lines{}
	c.Stderr = said
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	var stopped atomic.Bool
	p := &provider{stop: func() {
		if stopped.CompareAndSwap(false, true) {
			_ = in.Close()
			_ = c.Wait() // how it ends is nobody's business
		}
	}}
	t.Cleanup(p.stop)
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("it does not say where it is: %v\n%s", err, said.String())
	}
	p.issuer = strings.TrimSpace(line)
	return p
}

// ask posts a form to the authorization server as somebody, and answers what it says.
func (p *provider) ask(t *testing.T, path string, form url.Values, user, password string) (int, map[string]any) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, p.issuer+path, strings.NewReader(form.Encode()))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	if user != "" {
		r.SetBasicAuth(url.QueryEscape(user), url.QueryEscape(password))
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	var out map[string]any
	_ = json.Unmarshal(body, &out)
	return res.StatusCode, out
}

// active reports whether a token is one for a resource.
func (p *provider) active(t *testing.T, token, resource string) bool {
	t.Helper()
	_, got := p.ask(t, "/token/introspection", url.Values{"token": {token}}, "resource", introspector)
	return got["active"] == true && got["aud"] == resource
}

var interaction = regexp.MustCompile(`action="([^"]+)"[\s\S]*?name="prompt" value="([^"]+)"`)

// approve is a person in a browser, who signs in and agrees to everything. It answers what the browser comes back with.
func (p *provider) approve(t *testing.T, link string) url.Values {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	var back url.Values
	browser := &http.Client{Jar: jar, CheckRedirect: func(r *http.Request, _ []*http.Request) error {
		if strings.HasPrefix(r.URL.String(), comeBack) {
			back = r.URL.Query()
			return http.ErrUseLastResponse
		}
		return nil
	}}
	res, err := browser.Get(link)
	for range 5 {
		if err != nil {
			t.Fatal(err)
		}
		body, readErr := io.ReadAll(res.Body)
		_ = res.Body.Close()
		if back != nil {
			return back
		}
		page := interaction.FindStringSubmatch(string(body))
		if readErr != nil || page == nil {
			t.Fatalf("the page %s has no form: %v %.2000s", res.Request.URL, readErr, body)
		}
		res, err = browser.PostForm(page[1], url.Values{"prompt": {page[2]}, "login": {"somebody"}, "password": {"x"}})
	}
	t.Fatal("the browser does not come back")
	return nil
}

// resource is an MCP endpoint, as far as authorization goes.
type resource struct {
	*httptest.Server
	t  *testing.T
	at *provider
	a  *signin.Account
	// ended is a token that is not taken any more, whatever the authorization server says.
	ended atomic.Value
}

func newResource(t *testing.T, at *provider) *resource {
	t.Helper()
	r := &resource{t: t, at: at}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if strings.HasPrefix(req.URL.Path, "/.well-known/oauth-protected-resource") {
			w.Header().Set("Content-Type", "application/json")
			_ = json.NewEncoder(w).Encode(map[string]any{"resource": r.URL + "/mcp", "authorization_servers": []string{r.at.issuer}, "scopes_supported": []string{"read", "write"}})
			return
		}
		token, ok := strings.CutPrefix(req.Header.Get("Authorization"), "Bearer ")
		if !ok || token == r.ended.Load() || !r.at.active(t, token, r.URL+"/mcp") {
			w.Header().Set("WWW-Authenticate", `Bearer resource_metadata="`+r.URL+`/.well-known/oauth-protected-resource/mcp"`)
			w.WriteHeader(http.StatusUnauthorized)
		}
	}))
	t.Cleanup(r.Close)
	return r
}

// call makes a request as the bridge does.
func (r *resource) call() int {
	r.t.Helper()
	for again := false; ; again = true {
		value, err := r.a.Authorization(r.t.Context())
		if err != nil {
			r.t.Fatal(err)
		}
		req, err := http.NewRequestWithContext(r.t.Context(), http.MethodPost, r.URL+"/mcp", http.NoBody)
		if err != nil {
			r.t.Fatal(err)
		}
		if value != "" {
			req.Header.Set("Authorization", value)
		}
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			r.t.Fatal(err)
		}
		_ = res.Body.Close()
		if res.StatusCode != http.StatusUnauthorized || !r.a.Refused(r.t.Context(), value, res.StatusCode, res.Header.Values("WWW-Authenticate")) || again {
			return res.StatusCode
		}
	}
}

// An authorization server that nobody here wrote: what is renewed in use, revoked, stolen and forgotten.
func TestSigningInAtAnAuthorizationServerOfOthers(t *testing.T) {
	providerPackages(t)
	as := startProvider(t, "0", "3600")
	r := newResource(t, as)
	log := &lines{}
	client := signin.New(signin.Options{
		Redirect: func(context.Context) (string, error) { return comeBack, nil }, Name: "Holotype", Version: "1", Program: "holotype", Log: slog.New(slog.NewJSONHandler(log, nil)),
	})
	defer client.Close(t.Context())
	key := signin.Key{Server: "files"}
	r.a = client.Account(signin.Server{Key: key, URL: r.URL + "/mcp"})
	secrets := map[string]bool{}
	signIn := func() {
		t.Helper()
		link, err := client.Begin(t.Context(), key)
		if err != nil {
			t.Fatal(err)
		}
		done, err := client.Finish(t.Context(), as.approve(t, link.URL))
		if err != nil || done.Issuer != as.issuer {
			t.Fatalf("it ends with %v, %v", done, err)
		}
		if status := r.call(); status != http.StatusOK {
			t.Fatalf("signed in, a call is answered %d", status)
		}
		for _, secret := range r.a.Secrets() {
			secrets[secret] = true
		}
	}
	needs := func(reason string) {
		t.Helper()
		if status := r.call(); status != http.StatusUnauthorized {
			t.Errorf("a call is answered %d", status)
		}
		if s, _ := client.Standing(key); s.State != signin.Needed || !strings.Contains(s.Reason, reason) {
			t.Errorf("it stands as %s (%s), want that a sign-in is needed because %q", s.State, s.Reason, reason)
		}
	}
	refreshToken := func() string {
		t.Helper()
		if len(r.a.Secrets()) < 2 {
			t.Fatal("there is no refresh token")
		}
		return r.a.Secrets()[1]
	}

	needs("asks for one")
	signIn()
	s, _ := client.Standing(key)
	if slices.Sort(s.Scopes); !s.Renews || !slices.Equal(s.Scopes, []string{"read", "write"}) {
		t.Errorf("it was granted %v, and renews: %v", s.Scopes, s.Renews)
	}
	link, err := client.Begin(t.Context(), key)
	if err != nil {
		t.Fatal(err)
	}
	u, err := url.Parse(link.URL)
	if err != nil {
		t.Fatal(err)
	}
	id := u.Query().Get("client_id")

	// A refresh token that was revoked.
	if status, _ := as.ask(t, "/token/revocation", url.Values{"token": {refreshToken()}, "client_id": {id}}, "", ""); status != http.StatusOK {
		t.Fatalf("revoking is answered %d", status)
	}
	needs("has ended the one before")
	signIn()

	// An access token that is refused in use is renewed, and the refresh token with it.
	held := refreshToken()
	r.ended.Store(r.a.Secrets()[0])
	if status := r.call(); status != http.StatusOK || refreshToken() == held {
		t.Errorf("after the access token has ended, a call is answered %d: %s", status, r.a.Wants())
	}

	// An answer of another sign-in does not count, and one counts once.
	link, err = client.Begin(t.Context(), key)
	if err != nil {
		t.Fatal(err)
	}
	back := as.approve(t, link.URL)
	wrong := url.Values{"code": back["code"], "iss": back["iss"], "state": {"another"}}
	if _, err := client.Finish(t.Context(), wrong); err == nil {
		t.Error("a code with another state counts")
	}
	if _, err := client.Finish(t.Context(), back); err != nil {
		t.Error(err)
	}
	if _, err := client.Finish(t.Context(), back); err == nil {
		t.Error("an answer counts twice")
	}

	// One that was stolen and used first: the server ends all of it, for the thief too.
	stolen := url.Values{"grant_type": {"refresh_token"}, "refresh_token": {refreshToken()}, "client_id": {id}, "resource": {r.URL + "/mcp"}}
	status, got := as.ask(t, "/token", stolen, "", "")
	thief, _ := got["access_token"].(string)
	if status != http.StatusOK || !as.active(t, thief, r.URL+"/mcp") {
		t.Fatalf("the thief is answered %d %v", status, got)
	}
	r.ended.Store(r.a.Secrets()[0])
	needs("has ended the one before")
	if as.active(t, thief, r.URL+"/mcp") {
		t.Error("the thief has a token on")
	}
	signIn()

	// An authorization server that has forgotten everything: the client is registered anew.
	as.stop()
	again := startProvider(t, as.issuer[strings.LastIndex(as.issuer, ":")+1:], "4")
	as.stop, as.issuer = again.stop, again.issuer
	needs("does not know this program")
	signIn()

	// Tokens that end in a few seconds, in use: no call fails, and the tokens are others.
	first := refreshToken()
	for deadline := time.Now().Add(time.Minute); refreshToken() == first; {
		if status := r.call(); status != http.StatusOK || time.Now().After(deadline) {
			t.Fatalf("while tokens end, a call is answered %d", status)
		}
	}
	last := refreshToken()
	if had, err := client.Forget(t.Context(), key); !had || err != nil {
		t.Errorf("forgotten: %v, %v", had, err)
	}
	needs("signed out of")
	if as.active(t, last, r.URL+"/mcp") {
		t.Error("what was forgotten is good on")
	}
	for secret := range secrets {
		if strings.Contains(log.String(), secret) {
			t.Error("the log has a token")
		}
	}
}
