package signin_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/signin"
)

// mark is in every secret that the authorization server makes, so that a leak is found whatever it is of.
const mark = "SECRET-"

const comeBack = "http://127.0.0.1:9/oauth/callback"

// world is a server, its authorization server and who signs in. Every answer can be another one.
type world struct {
	t       *testing.T
	mcp, as *httptest.Server
	client  *signin.Client
	sealed  signin.Sealed
	options signin.Options

	mu       sync.Mutex
	now      time.Time
	over     map[string]http.HandlerFunc // by "mcp /path" or "as /path"
	asked    []string                    // the same, with the grant type, of every request
	forms    []url.Values                // of the token endpoint
	codes    map[string]url.Values       // what a code was asked for with
	access   map[string]bool             // what the resource takes
	refresh  map[string]bool
	clients  map[string]bool
	made     int
	lives    int
	meta     map[string]any // over the metadata of the authorization server
	resource map[string]any
	changed  []signin.Key
	log      lockedBuffer
	said     bytes.Buffer // everything that anybody was told
	hidden   []string     // what else must be nowhere
}

type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

var files = signin.Key{Server: "files"}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{
		t: t, now: time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC), over: map[string]http.HandlerFunc{}, codes: map[string]url.Values{}, access: map[string]bool{},
		refresh: map[string]bool{}, clients: map[string]bool{}, lives: 3600, meta: map[string]any{}, resource: map[string]any{}, sealed: signin.NewMemory(),
	}
	w.mcp = httptest.NewServer(w.route("mcp", map[string]http.HandlerFunc{"/.well-known/oauth-protected-resource/mcp": w.describeResource, "/mcp": w.serve}))
	w.as = httptest.NewServer(w.route("as", map[string]http.HandlerFunc{
		"/.well-known/oauth-authorization-server": w.describe, "/register": w.register, "/token": w.token, "/revoke": w.revoke,
	}))
	w.options = signin.Options{
		Sealed: w.sealed, Redirect: fixed(comeBack), Name: "Holotype", Version: "1.2.3", Program: "holotype", Now: w.clock,
		Changed: func(key signin.Key) { w.mu.Lock(); defer w.mu.Unlock(); w.changed = append(w.changed, key) },
		Log:     slog.New(slog.NewJSONHandler(&w.log, &slog.HandlerOptions{Level: slog.LevelDebug})),
	}
	w.client = signin.New(w.options)
	t.Cleanup(func() {
		w.client.Close(t.Context())
		w.mcp.CloseClientConnections()
		w.as.CloseClientConnections()
		w.mcp.Close()
		w.as.Close()
		told := w.log.String() + w.said.String() + fmt.Sprintf("%v %+v %#v", w.client, w.client, w.client)
		for _, hidden := range append(w.hidden, mark) {
			if strings.Contains(told, hidden) {
				_, after, _ := strings.Cut(told, hidden)
				t.Errorf("%q is told, before %.200q", hidden, after)
			}
		}
	})
	return w
}

func (w *world) clock() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.now
}

// pass lets time pass, by as much as the clock says.
func (w *world) pass(d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.now = w.now.Add(d)
}

func (w *world) set(f func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	f()
}

func (w *world) answer(where string, h http.HandlerFunc) { w.set(func() { w.over[where] = h }) }

func (w *world) route(of string, handlers map[string]http.HandlerFunc) http.Handler {
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		_ = r.ParseForm()
		where := of + " " + r.URL.Path
		w.mu.Lock()
		note := where
		if grant := r.PostForm.Get("grant_type"); grant != "" {
			note += " " + grant
			w.forms = append(w.forms, r.PostForm)
		}
		w.asked = append(w.asked, note)
		h := w.over[where]
		w.mu.Unlock()
		if h == nil {
			h = handlers[r.URL.Path]
		}
		if h == nil {
			http.NotFound(rw, r)
			return
		}
		h(rw, r)
	})
}

func reply(rw http.ResponseWriter, status int, body any) {
	rw.Header().Set("Content-Type", "application/json")
	rw.WriteHeader(status)
	_ = json.NewEncoder(rw).Encode(body)
}

func merged(under, over map[string]any) map[string]any {
	for name, value := range over {
		if value == nil {
			delete(under, name)
		} else {
			under[name] = value
		}
	}
	return under
}

func (w *world) url() string { return w.mcp.URL + "/mcp" }

func (w *world) describeResource(rw http.ResponseWriter, _ *http.Request) {
	w.mu.Lock()
	defer w.mu.Unlock()
	reply(rw, http.StatusOK, merged(map[string]any{"resource": w.url(), "authorization_servers": []string{w.as.URL}, "scopes_supported": []string{"read", "write"}}, w.resource))
}

func (w *world) describe(rw http.ResponseWriter, _ *http.Request) {
	w.mu.Lock()
	defer w.mu.Unlock()
	reply(rw, http.StatusOK, merged(map[string]any{
		"issuer": w.as.URL, "authorization_endpoint": w.as.URL + "/authorize", "token_endpoint": w.as.URL + "/token", "registration_endpoint": w.as.URL + "/register",
		"revocation_endpoint": w.as.URL + "/revoke", "response_types_supported": []string{"code"}, "code_challenge_methods_supported": []string{"S256"},
		"token_endpoint_auth_methods_supported": []string{"none", "client_secret_basic"}, "authorization_response_iss_parameter_supported": true,
	}, w.meta))
}

// secret answers one that is made for this. mu is held.
func (w *world) secret(of string) string {
	w.made++
	return fmt.Sprintf("%s%s-%d", mark, of, w.made)
}

func (w *world) register(rw http.ResponseWriter, r *http.Request) {
	var about map[string]any
	_ = json.NewDecoder(r.Body).Decode(&about)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.made++
	about["client_id"] = fmt.Sprintf("client-%d", w.made)
	w.clients[about["client_id"].(string)] = true
	reply(rw, http.StatusCreated, about)
}

func (w *world) token(rw http.ResponseWriter, r *http.Request) {
	w.mu.Lock()
	defer w.mu.Unlock()
	form := r.PostForm
	refuse := func(status int, code string) {
		reply(rw, status, map[string]any{"error": code, "error_description": mark + "words"})
	}
	if id := form.Get("client_id"); !w.clients[id] {
		if id, _, _ = r.BasicAuth(); !w.clients[id] {
			refuse(http.StatusUnauthorized, "invalid_client")
			return
		}
	}
	if form.Get("resource") != w.url() {
		refuse(http.StatusBadRequest, "invalid_target")
		return
	}
	switch form.Get("grant_type") {
	case "authorization_code":
		asked := w.codes[form.Get("code")]
		sum := sha256.Sum256([]byte(form.Get("code_verifier")))
		w.hidden = append(w.hidden, form.Get("code_verifier"), form.Get("code"))
		if asked == nil || asked.Get("code_challenge") != base64.RawURLEncoding.EncodeToString(sum[:]) || asked.Get("redirect_uri") != form.Get("redirect_uri") {
			refuse(http.StatusBadRequest, "invalid_grant")
			return
		}
		delete(w.codes, form.Get("code"))
	case "refresh_token":
		if !w.refresh[form.Get("refresh_token")] {
			refuse(http.StatusBadRequest, "invalid_grant")
			return
		}
		delete(w.refresh, form.Get("refresh_token")) // it rotates
	}
	access, refresh := w.secret("access"), w.secret("refresh")
	clear(w.access)
	w.access[access], w.refresh[refresh] = true, true
	reply(rw, http.StatusOK, map[string]any{"access_token": access, "token_type": "Bearer", "expires_in": w.lives, "refresh_token": refresh})
}

func (w *world) revoke(rw http.ResponseWriter, r *http.Request) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.refresh, r.PostForm.Get("token"))
	rw.WriteHeader(http.StatusOK)
}

// serve is the MCP endpoint, as far as authorization goes.
func (w *world) serve(rw http.ResponseWriter, r *http.Request) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); ok && w.access[token] {
		rw.WriteHeader(http.StatusOK)
		return
	}
	rw.Header().Set("WWW-Authenticate", `Bearer resource_metadata="`+w.mcp.URL+`/.well-known/oauth-protected-resource/mcp"`)
	rw.WriteHeader(http.StatusUnauthorized)
}

func (w *world) server() signin.Server { return signin.Server{Key: files, URL: w.url()} }

// call makes a request as the bridge does, and answers its status.
func (w *world) call(a *signin.Account) int {
	w.t.Helper()
	status := 0
	for range 2 {
		value, err := a.Authorization(w.t.Context())
		if err != nil {
			w.t.Fatal(err)
		}
		r, err := http.NewRequestWithContext(w.t.Context(), http.MethodPost, w.url(), http.NoBody)
		if err != nil {
			w.t.Fatal(err)
		}
		if value != "" {
			r.Header.Set("Authorization", value)
		}
		res, err := http.DefaultClient.Do(r)
		if err != nil {
			w.t.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, res.Body)
		_ = res.Body.Close()
		if status = res.StatusCode; status != http.StatusUnauthorized && status != http.StatusForbidden {
			return status
		}
		if !a.Refused(w.t.Context(), value, status, res.Header.Values("WWW-Authenticate")) {
			break
		}
	}
	w.tell(a.Wants())
	return status
}

func (w *world) tell(all ...any) {
	w.set(func() { fmt.Fprintf(&w.said, "%+v\n", all) })
}

// approve is the authorization server with a person in front of it: it answers what the browser comes back with.
func (w *world) approve(link signin.Link) url.Values {
	w.t.Helper()
	u, err := url.Parse(link.URL)
	if err != nil {
		w.t.Fatal(err)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	code := w.secret("code")
	w.codes[code] = u.Query()
	return url.Values{"state": {u.Query().Get("state")}, "code": {code}, "iss": {w.as.URL}}
}

func (w *world) begin() (signin.Link, url.Values) {
	w.t.Helper()
	link, err := w.client.Begin(w.t.Context(), files)
	if err != nil {
		w.t.Fatalf("no sign-in begins: %v", err)
	}
	u, err := url.Parse(link.URL)
	if err != nil {
		w.t.Fatal(err)
	}
	return link, u.Query()
}

// signIn signs in and answers the account.
func (w *world) signIn(s signin.Server) *signin.Account {
	w.t.Helper()
	a := w.client.Account(s)
	link, _ := w.begin()
	if _, err := w.client.Finish(w.t.Context(), w.approve(link)); err != nil {
		w.t.Fatalf("no sign-in ends: %v", err)
	}
	return a
}

func (w *world) standing() signin.Standing {
	w.t.Helper()
	s, ok := w.client.Standing(files)
	if !ok {
		w.t.Fatal("there is no account")
	}
	w.tell(s)
	return s
}

func (w *world) wantState(state signin.State, reason string) {
	w.t.Helper()
	if s := w.standing(); s.State != state || !strings.Contains(s.Reason, reason) || reason == "" && s.Reason != "" {
		w.t.Errorf("it stands as %q (%q), want %q (%q)", s.State, s.Reason, state, reason)
	}
}

// count answers how often something was asked.
func (w *world) count(note string) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	n := 0
	for _, asked := range w.asked {
		if asked == note {
			n++
		}
	}
	return n
}

// refused fails unless an error is a refusal with a code, whose words are some.
func (w *world) refused(err error, code capabilities.Code, words string) {
	w.t.Helper()
	refusal, ok := capabilities.AsError(err)
	if !ok || refusal.Code != code || !strings.Contains(refusal.Message, words) {
		w.t.Errorf("it is answered %v, want %s with %q", err, code, words)
	}
	if err != nil {
		w.tell(err)
	}
}

func (w *world) form(i int) url.Values {
	w.mu.Lock()
	defer w.mu.Unlock()
	if i < 0 {
		i += len(w.forms)
	}
	if i < 0 || i >= len(w.forms) {
		w.t.Fatalf("there is no form %d among %d", i, len(w.forms))
	}
	return w.forms[i]
}

func redirectTo(address string) http.HandlerFunc {
	return func(rw http.ResponseWriter, r *http.Request) {
		http.Redirect(rw, r, address, http.StatusTemporaryRedirect)
	}
}

func withStatus(status int) http.HandlerFunc {
	return func(rw http.ResponseWriter, _ *http.Request) { rw.WriteHeader(status) }
}

func withJSON(status int, body any) http.HandlerFunc {
	return func(rw http.ResponseWriter, _ *http.Request) { reply(rw, status, body) }
}

func fixed(address string) func(context.Context) (string, error) {
	return func(context.Context) (string, error) { return address, nil }
}
