package signin_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/signin"
)

func (w *world) value(a *signin.Account) string {
	w.t.Helper()
	value, err := a.Authorization(w.t.Context())
	if err != nil {
		w.t.Fatal(err)
	}
	return value
}

// renewed waits until a token is another one than before.
func (w *world) renewed(a *signin.Account, before string) string {
	w.t.Helper()
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); {
		if now := w.value(a); now != before {
			return now
		}
		time.Sleep(time.Millisecond)
	}
	w.t.Fatal("no token is renewed")
	return ""
}

func TestATokenIsRenewed(t *testing.T) {
	w := newWorld(t)
	a := w.signIn(w.server())
	first := w.value(a)
	w.pass(time.Hour - 61*time.Second)
	if w.value(a) != first || w.count("as /token refresh_token") != 0 {
		t.Error("a token is renewed that is good for over a minute")
	}
	w.pass(2 * time.Second)
	second := w.renewed(a, first)
	if got := w.form(-1); got.Get("resource") != w.url() || got.Get("scope") != "" {
		t.Errorf("it is renewed for %q with the scope %q", got.Get("resource"), got.Get("scope"))
	}
	if status := w.call(a); status != http.StatusOK {
		t.Errorf("a call with it is answered %d", status)
	}
	// One that has ended is not used any more.
	w.pass(2 * time.Hour)
	if third := w.value(a); third == second || third == "" {
		t.Error("a token that has ended is used")
	}
	if s := w.standing(); s.State != signin.SignedIn || !s.Until.Equal(w.clock().Add(time.Hour)) || s.Since.Equal(w.clock()) {
		t.Errorf("it stands as %+v", s)
	}
}

func TestATokenThatEndsInUseIsRenewedOnce(t *testing.T) {
	w := newWorld(t)
	a := w.signIn(w.server())
	w.set(func() { clear(w.access) })
	const n = 16
	var all sync.WaitGroup
	all.Add(n)
	for range n {
		go func() {
			defer all.Done()
			if status := w.call(a); status != http.StatusOK {
				t.Errorf("a call is answered %d", status)
			}
		}()
	}
	all.Wait()
	if got := w.count("as /token refresh_token"); got != 1 {
		t.Errorf("%d calls renewed the token %d times, want once", n, got)
	}
}

func TestAClockThatIsOff(t *testing.T) {
	for name, off := range map[string]time.Duration{"an hour behind": -time.Hour, "an hour ahead": time.Hour, "years ahead": 20 * 365 * 24 * time.Hour} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.signIn(w.server())
			w.pass(off)
			again := signin.New(w.options) // which has nothing but what is sealed to go by
			defer again.Close(t.Context())
			a := again.Account(w.server())
			for range 3 {
				if status := w.call(a); status != http.StatusOK {
					t.Errorf("a call is answered %d", status)
				}
			}
			w.set(func() { clear(w.access) })
			if status := w.call(a); status != http.StatusOK {
				t.Errorf("once the token has ended, a call is answered %d", status)
			}
			if n := w.count("as /token refresh_token"); n > 2 {
				t.Errorf("the token was renewed %d times", n)
			}
		})
	}
}

func TestWhatEndsASignIn(t *testing.T) {
	oauthError := func(status int, code string) http.HandlerFunc {
		return withJSON(status, map[string]any{"error": code, "error_description": mark + "words"})
	}
	for name, c := range map[string]struct {
		change     func(w *world)
		reason     string
		registered int // clients, once it is signed in to again
	}{
		"a grant that was revoked":   {func(w *world) { clear(w.refresh) }, "has ended the one before", 1},
		"a client that is not known": {func(w *world) { clear(w.clients) }, "does not know this program", 2},
		"a client that may not":      {func(w *world) { w.over["as /token"] = oauthError(400, "unauthorized_client") }, "does not know this program", 2},
		"a scope that is not known":  {func(w *world) { w.over["as /token"] = oauthError(400, "invalid_scope") }, "refuses to renew", 1},
		"an error that nobody knows": {func(w *world) { w.over["as /token"] = oauthError(400, mark+"x") }, "refuses to renew", 1},
		"an authorization server that moved": {func(w *world) {
			w.over["as /token"], w.meta["token_endpoint"] = withStatus(http.StatusNotFound), w.mcp.URL+"/token"
		}, "has moved to another address", 1},
		"an authorization server that is another": {func(w *world) {
			w.over["as /token"], w.meta["issuer"] = withStatus(http.StatusNotFound), "https://evil.example"
		}, "is not what it was", 1},
		"an authorization server without PKCE": {func(w *world) {
			w.over["as /token"], w.meta["code_challenge_methods_supported"] = withStatus(http.StatusGone), nil
		}, "is not what it was", 1},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			a := w.signIn(w.server())
			w.set(func() { clear(w.access); c.change(w) })
			if status := w.call(a); status != http.StatusUnauthorized {
				t.Errorf("a call is answered %d", status)
			}
			w.wantState(signin.Needed, c.reason)
			if w.value(a) != "" || len(a.Secrets()) != 0 {
				t.Error("the tokens are held on")
			}
			if n := w.count("mcp /token refresh_token"); n != 0 {
				t.Error("the token went to another origin")
			}
			again := signin.New(w.options)
			defer again.Close(t.Context())
			if value, _ := again.Account(w.server()).Authorization(t.Context()); value != "" {
				t.Error("the tokens are there again after a restart")
			}
			w.set(func() { delete(w.over, "as /token"); clear(w.meta) })
			link, _ := w.begin()
			if _, err := w.client.Finish(t.Context(), w.approve(link)); err != nil {
				t.Fatal(err)
			}
			if status := w.call(a); status != http.StatusOK || w.count("as /register") != c.registered {
				t.Errorf("signed in to again, a call is answered %d; %d clients were registered, want %d", status, w.count("as /register"), c.registered)
			}
		})
	}
}

// A token endpoint may move as long as whoever it was that a person signed in at has it.
func TestATokenEndpointMovesWithinItsOrigin(t *testing.T) {
	w := newWorld(t)
	a := w.signIn(w.server())
	w.set(func() {
		clear(w.access)
		w.over["as /token"], w.over["as /v2/token"] = withStatus(http.StatusNotFound), w.token
		w.meta["token_endpoint"] = w.as.URL + "/v2/token"
	})
	if status := w.call(a); status != http.StatusOK {
		t.Errorf("a call is answered %d", status)
	}
	w.pass(2 * time.Minute)
	w.set(func() { clear(w.access) })
	if status := w.call(a); status != http.StatusOK || w.count("as /token refresh_token") != 1 {
		t.Errorf("the next is answered %d, and the old place was asked %d times", status, w.count("as /token refresh_token"))
	}
}

// What may pass costs nobody the sign-in, and nobody is asked in a loop.
func TestAnAuthorizationServerThatFails(t *testing.T) {
	endless := func(rw http.ResponseWriter, _ *http.Request) {
		rw.Header().Set("Content-Type", "application/json")
		chunk := []byte(strings.Repeat(" ", 64<<10))
		for range (4 << 30) / len(chunk) {
			if _, err := rw.Write(chunk); err != nil {
				return
			}
		}
	}
	for name, c := range map[string]struct {
		answer http.HandlerFunc
		reason string
	}{
		"500":                          {withStatus(http.StatusInternalServerError), "answers 500"},
		"too many requests":            {withStatus(http.StatusTooManyRequests), "answers 429"},
		"503 with an error":            {withJSON(http.StatusServiceUnavailable, map[string]any{"error": "invalid_grant"}), "answers 503"},
		"that it is unavailable":       {withJSON(http.StatusBadRequest, map[string]any{"error": "temporarily_unavailable"}), "temporarily_unavailable"},
		"a page":                       {func(rw http.ResponseWriter, _ *http.Request) { _, _ = rw.Write([]byte("<html>" + mark)) }, "something that is no token"},
		"4 GiB":                        {endless, "more than 524288 bytes"},
		"nothing, and hangs up":        {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, "cannot be reached"},
		"that it is elsewhere":         {redirectTo("https://evil.example/token"), "answers 307 in place of a token"},
		"not found, in its old place":  {withStatus(http.StatusNotFound), "answers 404 in place of a token"},
		"a token of another kind":      {withJSON(http.StatusOK, map[string]any{"access_token": mark + "a", "token_type": "DPoP"}), "no bearer token"},
		"a token without a kind":       {withJSON(http.StatusOK, map[string]any{"access_token": mark + "a"}), "no bearer token"},
		"no token":                     {withJSON(http.StatusOK, map[string]any{"token_type": "Bearer"}), "empty or over"},
		"a token with a line break":    {withJSON(http.StatusOK, map[string]any{"access_token": mark + "\r\nX: y", "token_type": "Bearer"}), "characters that tokens have not"},
		"a token of over 16 KiB":       {withJSON(http.StatusOK, map[string]any{"access_token": mark + strings.Repeat("x", 16<<10), "token_type": "Bearer"}), "empty or over"},
		"a refresh token that is none": {withJSON(http.StatusOK, map[string]any{"access_token": mark + "a", "token_type": "Bearer", "refresh_token": "a\x00"}), "characters that tokens have not"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			a := w.signIn(w.server())
			held := w.value(a)
			w.answer("as /token", c.answer)
			w.set(func() { clear(w.access) })
			for range 5 {
				if status := w.call(a); status != http.StatusUnauthorized {
					t.Errorf("a call is answered %d", status)
				}
			}
			w.wantState(signin.SignedIn, c.reason)
			if wants := a.Wants(); !strings.Contains(wants, c.reason) || !strings.Contains(wants, "tried again") {
				t.Errorf("it wants %q", wants)
			}
			if n := w.count("as /token refresh_token"); n != 1 {
				t.Errorf("5 calls asked %d times, want once", n)
			}
			w.pass(5 * time.Second)
			w.call(a)
			w.pass(5 * time.Second)
			w.call(a)
			if n := w.count("as /token refresh_token"); n != 2 {
				t.Errorf("ten seconds later it was asked %d times, want 2", n)
			}
			w.answer("as /token", nil)
			w.pass(5 * time.Minute)
			if status := w.call(a); status != http.StatusOK || w.value(a) == held {
				t.Errorf("once it works again, a call is answered %d", status)
			}
			w.wantState(signin.SignedIn, "")
		})
	}
}

// While a token is good, nobody waits for the next one; and who has waited enough may go.
func TestATokenEndpointThatHangs(t *testing.T) {
	w := newWorld(t)
	a := w.signIn(w.server())
	asked := make(chan struct{}, 1)
	w.answer("as /token", func(_ http.ResponseWriter, r *http.Request) {
		asked <- struct{}{}
		<-r.Context().Done()
	})
	held := w.value(a)
	w.pass(time.Hour - 30*time.Second)
	early, give := context.WithCancel(t.Context())
	defer give()
	go func() {
		<-asked
		give()
	}()
	if value, _ := a.Authorization(early); value != held { // who waits for the next one gets none
		t.Error("a token that is good for half a minute is not used")
	}
	<-early.Done()
	w.pass(time.Minute)
	ctx, cancel := context.WithCancel(t.Context())
	gone := make(chan error, 1)
	go func() {
		_, err := a.Authorization(ctx)
		gone <- err
	}()
	cancel()
	if err := <-gone; !errors.Is(err, context.Canceled) {
		t.Errorf("who gave up is answered %v", err)
	}
	w.client.Close(ctx) // which does not wait for an answer either
	if w.value(a) == "" {
		t.Error("the tokens are dropped")
	}
}

// What a server says alone ends nothing: it may be about one thing, or pass.
func TestATokenThatIsRefusedAtOnce(t *testing.T) {
	w := newWorld(t)
	a := w.signIn(w.server())
	w.answer("mcp /mcp", withStatus(http.StatusUnauthorized))
	for range 3 {
		if status := w.call(a); status != http.StatusUnauthorized {
			t.Errorf("a call is answered %d", status)
		}
	}
	w.wantState(signin.Needed, "refuses the token that it was given just now")
	if n := w.count("as /token refresh_token"); n != 1 {
		t.Errorf("the token was renewed %d times, want once", n)
	}
	w.answer("mcp /mcp", nil)
	if status := w.call(a); status != http.StatusOK {
		t.Errorf("once the server takes it, a call is answered %d", status)
	}
	w.pass(2 * time.Hour)
	if status := w.call(a); status != http.StatusOK {
		t.Errorf("after the next renewal, a call is answered %d", status)
	}
	w.wantState(signin.SignedIn, "")
}

func TestATokenThatCannotBeRenewed(t *testing.T) {
	for name, c := range map[string]struct {
		lives  any
		pass   time.Duration
		reason string
		held   bool
	}{
		"which lives nobody knows how long": {nil, 24 * time.Hour, "cannot be renewed", true},
		"before its end":                    {3600, time.Minute, "cannot be renewed", true},
		"after its end":                     {3600, time.Hour, "has ended, and cannot be renewed", false},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.answer("as /token", withJSON(http.StatusOK, merged(map[string]any{"access_token": mark + "a", "token_type": "Bearer"}, map[string]any{"expires_in": c.lives})))
			a := w.signIn(w.server())
			w.pass(c.pass)
			for range 2 {
				if status := w.call(a); status != http.StatusUnauthorized {
					t.Errorf("a call is answered %d", status)
				}
			}
			w.wantState(signin.Needed, c.reason)
			if held := w.value(a) != ""; held != c.held || w.count("as /token refresh_token") != 0 {
				t.Errorf("the token is held on: %v, want %v", held, c.held)
			}
		})
	}
}

// What a grant is for does not become more by being renewed.
func TestWhatIsMissingIsMissingAfterARenewal(t *testing.T) {
	w := newWorld(t)
	a := w.signIn(w.server())
	a.Refused(t.Context(), w.value(a), http.StatusForbidden, []string{`Bearer error="insufficient_scope", scope="admin"`})
	w.pass(2 * time.Hour)
	if status := w.call(a); status != http.StatusOK || w.count("as /token refresh_token") != 1 {
		t.Errorf("a call is answered %d", status)
	}
	w.wantState(signin.Needed, "it wants more than was granted, read write admin")
}

// Processes that share what is sealed do not use a refresh token twice: a server that rotates ends everything then.
func TestTwoProcessesRenewOnce(t *testing.T) {
	w := newWorld(t)
	other := signin.New(w.options)
	defer other.Close(t.Context())
	b := other.Account(w.server())
	a := w.signIn(w.server())
	w.pass(5 * time.Second)
	if w.value(b) != w.value(a) {
		t.Fatal("what one process signed in to is not there for the other")
	}
	w.set(func() { clear(w.access) })
	var all sync.WaitGroup
	all.Add(8)
	for i := range 8 {
		go func() {
			defer all.Done()
			if status := w.call([]*signin.Account{a, b}[i%2]); status != http.StatusOK {
				t.Errorf("a call is answered %d", status)
			}
		}()
	}
	all.Wait()
	if n := w.count("as /token refresh_token"); n != 1 {
		t.Errorf("two processes renewed %d times, want once", n)
	}
	if had, err := w.client.Forget(t.Context(), files); !had || err != nil {
		t.Errorf("forgotten: %v, %v", had, err)
	}
	w.set(func() { clear(w.access) })
	if status := w.call(b); status != http.StatusUnauthorized || w.value(b) != "" {
		t.Errorf("signed out of by one, a call of the other is answered %d", status)
	}
}

// broken is what cannot be written.
type broken struct {
	signin.Sealed
	mu   sync.Mutex
	full bool
}

func (b *broken) Store(name, value string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.full {
		return errors.New("no space left")
	}
	return b.Sealed.Store(name, value)
}

func (b *broken) fill(full bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.full = full
}

func TestWhatIsSealedBeforeItIsUsed(t *testing.T) {
	w := newWorld(t)
	disk := &broken{Sealed: w.sealed}
	w.options.Sealed = disk
	w.client.Close(t.Context())
	w.client = signin.New(w.options)
	a := w.signIn(w.server())
	disk.fill(true)
	w.set(func() { clear(w.access) })
	// The refresh token of before is worth nothing any more: what came in its place is used, and that it is not kept is said.
	if status := w.call(a); status != http.StatusOK {
		t.Errorf("a call is answered %d", status)
	}
	if log := w.log.String(); !strings.Contains(log, "sign_in_not_kept") || !strings.Contains(log, "no space left") {
		t.Errorf("the log does not say so: %s", log)
	}
	w.pass(2 * time.Minute)
	w.set(func() { clear(w.access) })
	disk.fill(false)
	if status := w.call(a); status != http.StatusOK {
		t.Errorf("the next is answered %d", status)
	}
	again := signin.New(w.options)
	defer again.Close(t.Context())
	if b := again.Account(w.server()); w.value(b) != w.value(a) {
		t.Error("what could be kept again is not there after a restart")
	}
	disk.fill(true)
	_, err := w.client.Forget(t.Context(), files)
	w.refused(err, capabilities.Unavailable, "was not forgotten")
}

func TestMemoryGivesUpItsTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := signin.NewMemory()
		in, out := make(chan struct{}), make(chan struct{})
		defer close(out)
		go func() {
			_ = m.Alone(t.Context(), "a", func() error { close(in); <-out; return nil })
		}()
		<-in
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := m.Alone(ctx, "a", func() error { return nil }); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("it waits for its turn until %v", err)
		}
		failed := errors.New("failed")
		if err := m.Alone(t.Context(), "b", func() error { return failed }); !errors.Is(err, failed) {
			t.Errorf("another name is answered %v", err)
		}
	})
}
