package signin_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/signin"
)

// A renewal takes as long as an authorization server likes. What it brings is for the entry that it was begun for.
func TestARenewalThatOutlastsItsEntry(t *testing.T) {
	for name, change := range map[string]func(w *world){
		"another URL":    func(w *world) { s := w.server(); s.URL = w.mcp.URL + "/other"; w.client.Account(s) },
		"another issuer": func(w *world) { s := w.server(); s.Issuer = "https://other.example"; w.client.Account(s) },
		"another client": func(w *world) { s := w.server(); s.ClientID = "other"; w.client.Account(s) },
		"no entry":       func(w *world) { w.client.Retain(nil) },
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			a := w.signIn(w.server())
			asked, goOn := make(chan struct{}), make(chan struct{})
			w.answer("as /token", func(rw http.ResponseWriter, r *http.Request) {
				close(asked)
				<-goOn
				w.token(rw, r)
			})
			w.pass(59*time.Minute + 30*time.Second)
			w.value(a)
			<-asked
			change(w)
			close(goOn)
			w.client.Close(t.Context())
			if w.value(a) != "" || len(a.Secrets()) != 0 {
				t.Error("a token for what was configured before is used")
			}
			// It is kept all the same, for the one before it is worth nothing any more.
			again := signin.New(w.options)
			defer again.Close(t.Context())
			if status := w.call(again.Account(w.server())); status != http.StatusOK {
				t.Errorf("put back, a call is answered %d", status)
			}
		})
	}
}

// What goes on under the address before gets nothing of the one that is configured now.
func TestAnAccountAtAnAddress(t *testing.T) {
	w := newWorld(t)
	other := w.server()
	other.URL = w.mcp.URL + "/other"
	a := w.client.Account(other)
	before := a.At(other.URL)
	w.signIn(w.server())
	at := a.At(w.url())
	if value, err := at.Authorization(t.Context()); err != nil || value == "" || value != w.value(a) {
		t.Fatalf("the token is not there: %v", err)
	}
	if value, err := before.Authorization(t.Context()); err != nil || value != "" {
		t.Errorf("the address before gets a token, or %v", err)
	}
	// Nor does what it says count.
	if before.Refused(t.Context(), "", http.StatusForbidden, []string{`Bearer error="insufficient_scope", scope="everything"`}) {
		t.Error("the address before is asked again")
	}
	w.wantState(signin.SignedIn, "")
	if before.Wants() != "" {
		t.Errorf("the address before wants %q", before.Wants())
	}
	w.set(func() { clear(w.access); clear(w.refresh) })
	if w.call(a); at.Wants() == "" || before.Wants() != "" {
		t.Errorf("they want %q and %q", at.Wants(), before.Wants())
	}
}

// A client that is configured no more is used no more, and one that was registered is none that is configured.
func TestAClientThatIsTakenOut(t *testing.T) {
	w := newWorld(t)
	s := w.server()
	s.ClientID, s.ClientSecret, s.Issuer = "mine", mark+"configured", w.as.URL
	w.clients["mine"] = true
	a := w.signIn(s)
	held := w.value(a)
	if w.client.Account(w.server()); w.value(a) != "" || len(a.Secrets()) != 0 {
		t.Error("a token of the client that was taken out is used")
	}
	if w.client.Account(s); w.value(a) != held {
		t.Error("put back, the sign-in is gone")
	}
}

// Who stands in front of a token endpoint, or in its place for a while, ends no sign-in.
func TestAnErrorThatIsNoneOfATokenEndpoint(t *testing.T) {
	for name, c := range map[string]struct {
		status int
		body   map[string]any
	}{
		"a framework's page of what is not there": {http.StatusNotFound, map[string]any{"status": 404, "error": "Not Found"}},
		"a firewall":   {http.StatusForbidden, map[string]any{"error": "blocked"}},
		"a gateway":    {http.StatusMethodNotAllowed, map[string]any{"error": "method_not_allowed"}},
		"an own error": {http.StatusNotFound, map[string]any{"error": mark}},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			a := w.signIn(w.server())
			w.set(func() { clear(w.access) })
			w.answer("as /token", withJSON(c.status, c.body))
			if status := w.call(a); status != http.StatusUnauthorized {
				t.Errorf("a call is answered %d", status)
			}
			w.answer("as /token", nil)
			w.pass(time.Minute)
			if status := w.call(a); status != http.StatusOK {
				t.Errorf("once it is back, a call is answered %d: %s", status, a.Wants())
			}
		})
	}
}

// What stands in the query of an address may be a key to the server. Nobody else is told it.
func TestAKeyInTheAddress(t *testing.T) {
	w := newWorld(t)
	w.set(func() { w.over["mcp "+prm+"/mcp"], w.over["mcp /register"] = http.NotFound, w.register })
	s := w.server()
	s.URL += "?key=" + mark + "key"
	w.client.Account(s).Refused(t.Context(), "", http.StatusUnauthorized, nil)
	link, asked := w.begin()
	if strings.Contains(link.URL, mark) || asked.Get("resource") != w.url() {
		t.Errorf("the authorization server is told %q", asked.Get("resource"))
	}
}

// meddler keeps what is sealed, and does something first.
type meddler struct {
	signin.Sealed
	before func()
}

func (m *meddler) Store(name, value string) error {
	m.before()
	return m.Sealed.Store(name, value)
}

// The configuration may change as late as while a sign-in is being kept.
func TestAnEntryThatChangesWhileASignInIsKept(t *testing.T) {
	w := newWorld(t)
	sealed := &meddler{w.sealed, func() {}}
	w.options.Sealed = sealed
	w.client.Close(t.Context())
	w.client = signin.New(w.options)
	a := w.client.Account(w.server())
	link, _ := w.begin()
	other := w.server()
	other.URL = w.mcp.URL + "/other"
	sealed.before = func() { w.client.Account(other) }
	_, err := w.client.Finish(t.Context(), w.approve(link))
	w.refused(err, capabilities.Conflict, "configured anew meanwhile")
	if w.value(a) != "" || len(a.Secrets()) != 0 {
		t.Error("a token for what was configured before is used")
	}
	if w.client.Account(w.server()); w.call(a) != http.StatusOK {
		t.Error("put back, it is not signed in")
	}
}
