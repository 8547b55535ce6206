package holotype

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/seed-89b9419b/holotype/internal/config"
	"github.com/seed-89b9419b/holotype/internal/secrets"
	"github.com/seed-89b9419b/holotype/internal/signin"
)

func localFor(t *testing.T) *localCallback {
	t.Helper()
	l := &localCallback{log: slog.New(slog.DiscardHandler), serve: func() http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = w.Write([]byte(r.URL.Path)) })
	}}
	t.Cleanup(func() { l.close(context.WithoutCancel(t.Context())) })
	return l
}

// answers asks for a path where a callback is, and answers the status; 0 is nobody there.
func answers(t *testing.T, callback, path string) int {
	t.Helper()
	u, err := url.Parse(callback)
	if err != nil {
		t.Fatal(err)
	}
	u.Path = path
	c := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, u.String(), nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := c.Do(req)
	if err != nil { // refused, or let go as it was closed
		return 0
	}
	_ = resp.Body.Close()
	return resp.StatusCode
}

func closes(t *testing.T, at string) {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); answers(t, at, "/oauth/callback") != 0; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("somebody listens still")
		}
	}
}

// TestWhereBrowsersComeBackToWithoutPages: somebody listens on the loopback as long as a
// sign-in goes on, and serves nothing else.
func TestWhereBrowsersComeBackToWithoutPages(t *testing.T) {
	l := localFor(t)
	begin := func() string {
		l.begin()
		at, err := l.open(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		l.begun(time.Hour)
		return at
	}
	one, two := begin(), begin()
	if one != two || !strings.HasPrefix(one, "http://127.0.0.1:") {
		t.Errorf("two sign-ins come back to %s and %s", one, two)
	}
	for path, want := range map[string]int{"/oauth/callback": 200, "/assets/style.css": 200, "/": 404, "/api/v1/tools": 404, "/oauth/client": 404, "/login": 404} {
		if got := answers(t, one, path); got != want {
			t.Errorf("%s answers %d, want %d", path, got, want)
		}
	}
	l.end()
	if got := answers(t, one, "/oauth/callback"); got != 200 {
		t.Errorf("the other sign-in is answered %d", got)
	}
	l.end()
	closes(t, one)

	// A link that nobody follows does not keep it open.
	l.begin()
	at, err := l.open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	l.begun(time.Millisecond)
	closes(t, at)
	at = begin()
	if answers(t, at, "/oauth/callback") != 200 {
		t.Error("nobody listens for a later one")
	}
	l.close(t.Context())
	closes(t, at)
	if _, err := l.open(t.Context()); !errors.Is(err, errClosed) {
		t.Errorf("it is opened after the end: %v", err)
	}
}

func TestSealedSignIns(t *testing.T) {
	dir, key := t.TempDir(), filepath.Join(t.TempDir(), "key")
	file, err := secrets.Open(secrets.Options{File: filepath.Join(dir, "signins.age"), KeyFile: key})
	if err != nil {
		t.Fatal(err)
	}
	s := newSealedSignIns(file)
	for _, step := range []struct{ put, want string }{{"", ""}, {`{"a":1}`, `{"a":1}`}, {`{"a":2}`, `{"a":2}`}, {"", ""}} {
		if err := s.Store("s1", step.put); err != nil {
			t.Fatal(err)
		}
		if got, err := newSealedSignIns(file).Load("s1"); err != nil || got != step.want {
			t.Errorf("after %q: %q, %v", step.put, got, err)
		}
	}
	// What somebody else writes is seen, and what nobody wrote is not opened again.
	if err := newSealedSignIns(file).Store("s1", "theirs"); err != nil {
		t.Fatal(err)
	}
	if got, err := s.Load("s1"); err != nil || got != "theirs" {
		t.Errorf("it reads %q, %v", got, err)
	}
	if err := os.Remove(key); err != nil {
		t.Fatal(err)
	}
	if got, err := s.Load("s1"); err != nil || got != "theirs" {
		t.Errorf("it opens the file again: %q, %v", got, err)
	}
	if err := os.Remove(filepath.Join(dir, "signins.age")); err != nil {
		t.Fatal(err)
	}
	if got, err := s.Load("s1"); err != nil || got != "" {
		t.Errorf("after it was removed it reads %q, %v", got, err)
	}
	// One has the turn; another waits as long as it likes, and those of another name do not.
	err = s.Alone(t.Context(), "s1", func() error {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := s.Alone(ctx, "s1", func() error { t.Error("two have the turn"); return nil }); !errors.Is(err, context.Canceled) {
			t.Errorf("who waits is told %v", err)
		}
		return s.Alone(t.Context(), "s2", func() error { return errClosed })
	})
	if !errors.Is(err, errClosed) {
		t.Errorf("the error is %v", err)
	}
	if err := s.Alone(t.Context(), "s1", func() error { return nil }); err != nil {
		t.Errorf("the turn is never given back: %v", err)
	}
}

// Without a place for a key they end with the process, which is said when there is one.
func TestSignInsThatCannotBeSealed(t *testing.T) {
	var log bytes.Buffer
	sealed := (&settings{keyless: errClosed}).signIns(slog.New(slog.NewTextHandler(&log, nil)))
	for _, step := range []struct {
		value string
		said  int
	}{{"", 0}, {"one", 1}, {"two", 1}} {
		if err := sealed.Store("s1", step.value); err != nil {
			t.Fatal(err)
		}
		if got, err := sealed.Load("s1"); err != nil || got != step.value || strings.Count(log.String(), "sign_ins_not_kept") != step.said {
			t.Errorf("after %q: %q, %v, and the log says %s", step.value, got, err, &log)
		}
	}
}

// TestTheAddressesOfSignIns: a browser is sent back over https, or to this machine; and a
// document describes this server where anybody could read it.
func TestTheAddressesOfSignIns(t *testing.T) {
	for pages, want := range map[string]struct{ back, document string }{
		"https://tools.example/x":  {"https://tools.example/x/oauth/callback", "https://tools.example/x/oauth/client"},
		"http://127.0.0.1:4280":    {"http://127.0.0.1:4280/oauth/callback", ""},
		"http://[::1]:4280":        {"http://[::1]:4280/oauth/callback", ""},
		"http://localhost:4280":    {"http://localhost:4280/oauth/callback", ""},
		"https://localhost:4280":   {"https://localhost:4280/oauth/callback", ""},
		"https://10.1.2.3":         {"https://10.1.2.3/oauth/callback", ""},
		"https://169.254.1.1":      {"https://169.254.1.1/oauth/callback", ""},
		"http://192.168.1.2:4280":  {"", ""},
		"http://localhost.example": {"", ""},
	} {
		e := &engine{pages: func() string { return pages }, settings: &settings{now: &config.Config{}}}
		in := &signIns{e: e, Client: signin.New(signin.Options{})}
		back, err := in.redirect(t.Context())
		if back != want.back || (err != nil) != (want.back == "") {
			t.Errorf("%s: back to %q, %v", pages, back, err)
		}
		if got := in.document(); got != want.document {
			t.Errorf("%s: the document is at %q", pages, got)
		}
		if body, ok := in.ClientDocument(); ok != (want.document != "") || ok && !strings.Contains(string(body), want.back) {
			t.Errorf("%s: the document is %s", pages, body)
		}
	}
	// Behind a proxy of which nobody says the name there is no way back.
	e := &engine{pages: func() string { return "" }, settings: &settings{now: &config.Config{}}}
	e.settings.now.Proxy.Trusted = []netip.Prefix{netip.MustParsePrefix("10.0.0.1/32")}
	if back, err := (&signIns{e: e}).redirect(t.Context()); err == nil || !strings.Contains(err.Error(), "oauth.address") {
		t.Errorf("back to %q, %v", back, err)
	}
}
