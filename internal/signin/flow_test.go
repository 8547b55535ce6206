package signin_test

import (
	"net/http"
	"net/url"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/signin"
)

func TestAServerThatAsksIsSignedInTo(t *testing.T) {
	w := newWorld(t)
	a := w.client.Account(w.server())
	if again := w.client.Account(w.server()); again != a {
		t.Error("there are two accounts of one key")
	}
	w.wantState(signin.SignedOut, "")
	if status := w.call(a); status != http.StatusUnauthorized {
		t.Fatalf("a call without a token is answered %d", status)
	}
	w.wantState(signin.Needed, "it asks for one")
	if got, want := a.Wants(), "waits for a sign-in (it asks for one): run holotype login files"; got != want {
		t.Errorf("it wants %q, want %q", got, want)
	}
	link, asked := w.begin()
	if want := w.clock().Add(10 * time.Minute); !link.Expires.Equal(want) {
		t.Errorf("the link expires at %v, want %v", link.Expires, want)
	}
	for name, want := range map[string]string{
		"response_type": "code", "redirect_uri": comeBack, "resource": w.url(), "code_challenge_method": "S256", "scope": "read write", "client_id": "client-1",
	} {
		if asked.Get(name) != want {
			t.Errorf("%s is %q, want %q", name, asked.Get(name), want)
		}
	}
	if len(asked.Get("state")) < 43 || len(asked.Get("code_challenge")) != 43 {
		t.Errorf("the state %q and the challenge %q are too short", asked.Get("state"), asked.Get("code_challenge"))
	}
	done, err := w.client.Finish(t.Context(), w.approve(link))
	if err != nil {
		t.Fatal(err)
	}
	if want := (signin.Finished{Key: files, Issuer: w.as.URL}); done != want {
		t.Errorf("what is finished is %v, want %v", done, want)
	}
	if status := w.call(a); status != http.StatusOK {
		t.Errorf("a call with the token is answered %d", status)
	}
	want := signin.Standing{State: signin.SignedIn, Issuer: w.as.URL, Scopes: []string{"read", "write"}, Since: w.clock(), Until: w.clock().Add(time.Hour), Renews: true}
	if diff := cmp.Diff(want, w.standing()); diff != "" {
		t.Error(diff)
	}
	if a.Wants() != "" || len(a.Secrets()) != 2 {
		t.Errorf("it wants %q and has %d secrets", a.Wants(), len(a.Secrets()))
	}
	if len(w.changed) < 2 {
		t.Errorf("nobody is told that it changed: %v", w.changed)
	}
}

func TestARestartKeepsASignIn(t *testing.T) {
	w := newWorld(t)
	w.signIn(w.server())
	again := signin.New(w.options)
	defer again.Close(t.Context())
	if status := w.call(again.Account(w.server())); status != http.StatusOK {
		t.Errorf("after a restart a call is answered %d", status)
	}
	// A client is registered once for an address to come back to.
	w.begin()
	w.begin()
	if n := w.count("as /register"); n != 1 {
		t.Errorf("%d clients were registered, want 1", n)
	}
	w.options.Redirect = fixed("http://127.0.0.1:10/oauth/callback")
	moved := signin.New(w.options)
	defer moved.Close(t.Context())
	moved.Account(w.server())
	if _, err := moved.Begin(t.Context(), files); err != nil {
		t.Fatal(err)
	}
	if n := w.count("as /register"); n != 2 {
		t.Errorf("%d clients were registered, want one more for another address", n)
	}
	w.set(func() {
		w.resource["authorization_servers"], w.meta["issuer"] = []string{w.as.URL + "/other"}, w.as.URL+"/other"
		w.over["as "+asm+"/other"] = w.describe
	})
	if _, err := moved.Begin(t.Context(), files); err != nil {
		t.Fatal(err)
	}
	if n := w.count("as /register"); n != 3 {
		t.Errorf("%d clients were registered, want one more at another authorization server", n)
	}
}

func TestTheAnswerToASignIn(t *testing.T) {
	for name, c := range map[string]struct {
		change func(w *world, q url.Values)
		code   capabilities.Code
		words  string
	}{
		"with a state that nobody made":           {func(_ *world, q url.Values) { q.Set("state", "x") }, capabilities.NotFound, "is not open"},
		"without a state":                         {func(_ *world, q url.Values) { q.Del("state") }, capabilities.NotFound, "is not open"},
		"with two states":                         {func(_ *world, q url.Values) { q.Add("state", "x") }, capabilities.NotFound, "is not open"},
		"after ten minutes":                       {func(w *world, _ url.Values) { w.pass(10 * time.Minute) }, capabilities.NotFound, "is not open"},
		"of another issuer":                       {func(_ *world, q url.Values) { q.Set("iss", "https://evil.example") }, capabilities.Conflict, "another authorization server"},
		"of an issuer that is written otherwise":  {func(_ *world, q url.Values) { q.Set("iss", q.Get("iss")+"/") }, capabilities.Conflict, "another authorization server"},
		"without the issuer that was promised":    {func(_ *world, q url.Values) { q.Del("iss") }, capabilities.Conflict, "does not say which"},
		"of two issuers":                          {func(_ *world, q url.Values) { q.Add("iss", "https://evil.example") }, capabilities.Conflict, "twice"},
		"with an error of another issuer":         {func(_ *world, q url.Values) { q.Set("iss", "https://evil.example"); q.Set("error", "access_denied") }, capabilities.Conflict, "another authorization server"},
		"that access was denied":                  {func(_ *world, q url.Values) { q.Set("error", "access_denied") }, capabilities.Conflict, "access was denied"},
		"with an error that nobody knows":         {func(_ *world, q url.Values) { q.Set("error", mark+"<script>") }, capabilities.Conflict, "refused it"},
		"without a code":                          {func(_ *world, q url.Values) { q.Del("code") }, capabilities.Conflict, "no code"},
		"with a code that has a line break":       {func(_ *world, q url.Values) { q.Set("code", mark+"\n") }, capabilities.Conflict, "no code"},
		"with a code that was not given":          {func(_ *world, q url.Values) { q.Set("code", mark+"other") }, capabilities.Conflict, "invalid_grant"},
		"with the code of another sign-in (PKCE)": {func(w *world, q url.Values) { q.Set("code", w.codeOfAnother()) }, capabilities.Conflict, "invalid_grant"},
		"while the server is configured anew": {func(w *world, _ url.Values) {
			w.client.Account(signin.Server{Key: files, URL: w.url(), Scopes: []string{"x"}})
		}, capabilities.Conflict, "configured anew"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			a := w.client.Account(w.server())
			w.call(a)
			link, _ := w.begin()
			q := w.approve(link)
			c.change(w, q)
			_, err := w.client.Finish(t.Context(), q)
			w.refused(err, c.code, c.words)
			if value, _ := a.Authorization(t.Context()); value != "" {
				t.Error("there is a token")
			}
			w.wantState(signin.Needed, "asks for one")
		})
	}
}

// codeOfAnother is one that somebody else was given at the same server.
func (w *world) codeOfAnother() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	code := w.secret("code")
	w.codes[code] = url.Values{"code_challenge": {"another"}, "redirect_uri": {comeBack}}
	return code
}

func TestAnAnswerCountsOnce(t *testing.T) {
	w := newWorld(t)
	w.client.Account(w.server())
	first, _ := w.begin()
	link, _ := w.begin()
	_, err := w.client.Finish(t.Context(), w.approve(first))
	w.refused(err, capabilities.NotFound, "another one was begun since")

	const n = 8
	errs := make(chan error, n)
	q := w.approve(link)
	for range n {
		go func() {
			_, err := w.client.Finish(t.Context(), q)
			errs <- err
		}()
	}
	good := 0
	for range n {
		if err := <-errs; err == nil {
			good++
		} else {
			w.refused(err, capabilities.NotFound, "is not open")
		}
	}
	if good != 1 || w.count("as /token authorization_code") != 1 {
		t.Errorf("%d of %d answers at once counted, and %d codes were sent; want one", good, n, w.count("as /token authorization_code"))
	}
}

func TestWhatIsAskedFor(t *testing.T) {
	for name, c := range map[string]struct {
		configured []string
		challenge  string
		server     any
		meta       map[string]any
		want       string
	}{
		"what is configured, and nothing else":       {[]string{"mine"}, "theirs", []string{"all"}, map[string]any{"scopes_supported": []string{"offline_access"}}, "mine"},
		"nothing, where that is configured":          {[]string{}, "theirs", []string{"all"}, nil, ""},
		"what the challenge names":                   {nil, "theirs", []string{"all"}, nil, "theirs"},
		"what the server knows":                      {nil, "", []string{"all", "more"}, nil, "all more"},
		"nothing, where nobody names anything":       {nil, "", nil, nil, ""},
		"with what makes it last":                    {nil, "theirs", []string{"all"}, map[string]any{"scopes_supported": []string{"offline_access"}}, "theirs offline_access"},
		"no scope that is none, and none that twice": {nil, `x y x b\\c é d`, nil, nil, "x y d"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.meta, w.resource = c.meta, map[string]any{"scopes_supported": c.server}
			s := w.server()
			s.Scopes = c.configured
			a := w.client.Account(s)
			a.Refused(t.Context(), "", http.StatusUnauthorized, []string{`Bearer scope="` + c.challenge + `"`, `Bearer realm="x"`}[boolTo(c.challenge == ""):])
			_, asked := w.begin()
			if got := asked.Get("scope"); got != c.want || asked.Has("scope") != (c.want != "") {
				t.Errorf("it asks for %q, want %q", got, c.want)
			}
			if consent := asked.Get("prompt") == "consent"; consent != (c.meta != nil && c.configured == nil) {
				t.Errorf("prompt is %q", asked.Get("prompt"))
			}
		})
	}
}

func boolTo(b bool) int {
	if b {
		return 1
	}
	return 0
}

func TestAServerThatWantsMore(t *testing.T) {
	w := newWorld(t)
	a := w.client.Account(w.server())
	a.Refused(t.Context(), "", http.StatusUnauthorized, []string{`Bearer scope="basic"`})
	link, _ := w.begin()
	if _, err := w.client.Finish(t.Context(), w.approve(link)); err != nil {
		t.Fatal(err)
	}
	value, _ := a.Authorization(t.Context())
	more := []string{`Bearer error="insufficient_scope", scope="write"`}
	for range 3 {
		if a.Refused(t.Context(), value, http.StatusForbidden, more) {
			t.Fatal("it is asked again for what it refuses")
		}
	}
	w.wantState(signin.Needed, "it wants more than was granted, basic write")
	if now, _ := a.Authorization(t.Context()); now != value {
		t.Error("what the token is good for cannot be done any more")
	}
	link, asked := w.begin()
	if got := asked.Get("scope"); got != "basic write" {
		t.Errorf("it asks for %q, want what was granted, too", got)
	}
	if _, err := w.client.Finish(t.Context(), w.approve(link)); err != nil {
		t.Fatal(err)
	}
	w.wantState(signin.SignedIn, "")
	if n := w.count("as /token refresh_token"); n != 0 {
		t.Errorf("%d tokens were renewed for it", n)
	}
}

func TestANarrowerGrantIsKept(t *testing.T) {
	w := newWorld(t)
	w.answer("as /token", withJSON(http.StatusOK, map[string]any{"access_token": mark + "a", "token_type": "bearer", "scope": "read"}))
	w.signIn(w.server())
	want := signin.Standing{State: signin.SignedIn, Issuer: w.as.URL, Scopes: []string{"read"}, Since: w.clock()}
	if diff := cmp.Diff(want, w.standing()); diff != "" {
		t.Error(diff)
	}
}

func TestWhatAsksForNoSignIn(t *testing.T) {
	w := newWorld(t)
	a := w.client.Account(w.server())
	for name, challenges := range map[string][]string{"for a password": {`Basic realm="x"`}, "for DPoP": {`DPoP algs="ES256"`}, "for nothing that can be read": {`Negotiate abc==`}} {
		if a.Refused(t.Context(), "", http.StatusUnauthorized, challenges) || a.Wants() != "" {
			t.Errorf("%s: it wants %q", name, a.Wants())
		}
	}
	w.wantState(signin.SignedOut, "")
	a.Refused(t.Context(), "", http.StatusUnauthorized, []string{`Negotiate abc==`, `Basic realm="x", Bearer realm="x"`})
	w.wantState(signin.Needed, "asks for one")
	if _, err := w.client.Begin(t.Context(), signin.Key{Server: "other"}); err == nil {
		t.Error("a server that is not there is signed in to")
	} else {
		w.refused(err, capabilities.NotFound, `"other"`)
	}
	if _, ok := w.client.Standing(signin.Key{Server: "other"}); ok {
		t.Error("a server that is not there stands")
	}
}
