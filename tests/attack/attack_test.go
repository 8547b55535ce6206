// Package attack_test does to a running server what somebody would who is not let in: a
// page on another site, a name that was rebound to this machine, a stolen session, odd
// paths, guessed and misplaced credentials. Each is refused, and nothing of what the
// server keeps is in what comes back, nor is any credential in its log.
package attack_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/seed-89b9419b/holotype"
	"github.com/seed-89b9419b/holotype/tests/drive"
)

// planted is text that stands in what the server keeps, and that nobody who is not let
// in may ever see.
const planted = "planted-0f9d2c71"

// target is a server with something to lose.
type target struct {
	*drive.Running
	address string // host:port
	log     *lockedBuffer
	token   string // an API token that may do everything but administer
	tokenID string
}

type lockedBuffer struct {
	mu  sync.Mutex
	all bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.all.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.all.String()
}

// open starts a server with a configuration, "" for none.
func open(t *testing.T, config string) *target {
	t.Helper()
	return openAt(t, config, nil)
}

// openAt is open with a clock; nil is the real one.
func openAt(t *testing.T, config string, now func() time.Time) *target {
	t.Helper()
	log := &lockedBuffer{}
	o := holotype.Options{Now: now, Log: slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug}))}
	if config != "" {
		o.Config = filepath.Join(t.TempDir(), "holotype.yaml")
		if err := os.WriteFile(o.Config, []byte(config), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	a := &target{Running: drive.Start(t, o), log: log}
	a.address = strings.TrimPrefix(a.URL, "http://")
	asJSON := map[string]string{"Content-Type": "application/json"}
	if head, data := a.HTTP(t, http.MethodPost, "/api/v1/projects", asJSON, []byte(`{"key":"WEB","title":"`+planted+`"}`)); head.StatusCode != http.StatusOK {
		t.Fatalf("planting: %d %s", head.StatusCode, data)
	}
	a.token, a.tokenID = a.made(t, `{"name":"x","scopes":["*"]}`)
	return a
}

// made makes a token.
func (a *target) made(t *testing.T, arguments string) (token, id string) {
	t.Helper()
	head, data := a.HTTP(t, http.MethodPost, "/api/v1/tokens", map[string]string{"Content-Type": "application/json"}, []byte(arguments))
	var made struct{ Token, ID string }
	if err := json.Unmarshal(data, &made); err != nil || head.StatusCode != http.StatusOK || made.Token == "" {
		t.Fatalf("making a token: %d %s", head.StatusCode, data)
	}
	return made.Token, made.ID
}

// raw sends bytes on a connection of its own, and answers all that comes back until the
// server closes it, or says nothing more to a request that asks it to close.
func (a *target) raw(t *testing.T, request string) string {
	t.Helper()
	conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", a.address)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	if err := conn.SetDeadline(time.Now().Add(30 * time.Second)); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(conn, request); err != nil {
		t.Fatal(err)
	}
	answer, err := io.ReadAll(conn)
	if err != nil && len(answer) == 0 {
		t.Fatalf("nothing is answered: %v", err)
	}
	return string(answer)
}

// status answers the status of a whole answer.
func status(t *testing.T, answer string) int {
	t.Helper()
	resp, err := http.ReadResponse(bufio.NewReader(strings.NewReader(answer)), nil)
	if err != nil {
		t.Fatalf("no answer is in %.200q: %v", answer, err)
	}
	_ = resp.Body.Close()
	return resp.StatusCode
}

// wantRefused holds an answer against what whoever is not let in may see: a refusal, and
// nothing that is kept.
func (a *target) wantRefused(t *testing.T, name, answer string, allowed ...int) {
	t.Helper()
	got := status(t, answer)
	fine := false
	for _, one := range allowed {
		fine = fine || got == one
	}
	if !fine {
		t.Errorf("%s: answered %d, want one of %v:\n%.400s", name, got, allowed, answer)
	}
	for _, secret := range []string{planted, a.Token, a.token} {
		if strings.Contains(answer, secret) {
			t.Errorf("%s: %q is in the answer:\n%.600s", name, secret, answer)
		}
	}
}

// wantNothingLogged looks for credentials, and for what is kept, in the log.
func (a *target) wantNothingLogged(t *testing.T, more ...string) {
	t.Helper()
	said := a.log.String()
	for _, secret := range append(more, planted, a.Token, a.token) {
		if strings.Contains(said, secret) {
			t.Errorf("the log holds %q", secret)
		}
	}
}

// projects answers how many there are.
func (a *target) projects(t *testing.T) int {
	t.Helper()
	var page struct{ Items []json.RawMessage }
	if err := json.Unmarshal(a.Get(t, "/api/v1/projects"), &page); err != nil {
		t.Fatal(err)
	}
	return len(page.Items)
}

// signIn answers the cookie of a browser that the owner is signed in with.
func (a *target) signIn(t *testing.T) *http.Cookie {
	t.Helper()
	path, err := a.SignInPath()
	if err != nil {
		t.Fatal(err)
	}
	_, one, _ := strings.Cut(path, "token=")
	req, err := http.NewRequestWithContext(context.WithoutCancel(t.Context()), http.MethodPost, a.URL+"/login", strings.NewReader("token="+one))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	resp, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	for _, c := range resp.Cookies() {
		return c
	}
	t.Fatalf("signing in is answered %d without a cookie", resp.StatusCode)
	return nil
}
