package signin_test

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-89b9419b/holotype/internal/secrets"
	"github.com/seed-89b9419b/holotype/internal/signin"
)

func TestWhatIsForgotten(t *testing.T) {
	w := newWorld(t)
	a := w.signIn(w.server())
	open, _ := w.begin()
	had, err := w.client.Forget(t.Context(), files)
	if !had || err != nil {
		t.Fatalf("forgotten: %v, %v", had, err)
	}
	if w.count("as /revoke") != 1 || len(w.refresh) != 0 {
		t.Error("the refresh token was not revoked")
	}
	w.wantState(signin.Needed, "signed out of")
	if w.value(a) != "" || len(a.Secrets()) != 0 {
		t.Error("the tokens are held on")
	}
	if _, err := w.client.Finish(t.Context(), w.approve(open)); err == nil {
		t.Error("a sign-in that was begun before counts")
	}
	if had, err := w.client.Forget(t.Context(), files); had || err != nil {
		t.Errorf("forgotten twice: %v, %v", had, err)
	}
	w.begin()
	if n := w.count("as /register"); n != 2 {
		t.Errorf("%d clients were registered, want that the first was forgotten", n)
	}
	// An account that is configured no more is forgotten as well, and whether the authorization server can be asked does not count.
	link, _ := w.begin()
	if _, err := w.client.Finish(t.Context(), w.approve(link)); err != nil {
		t.Fatal(err)
	}
	w.client.Retain(nil)
	w.answer("as /revoke", withStatus(http.StatusInternalServerError))
	if had, err := w.client.Forget(t.Context(), files); !had || err != nil {
		t.Errorf("forgotten: %v, %v", had, err)
	}
	if value := w.value(w.client.Account(w.server())); value != "" {
		t.Error("what was forgotten is there again")
	}
}

func TestAnEntryThatChanges(t *testing.T) {
	w := newWorld(t)
	a := w.signIn(w.server())
	held := w.value(a)
	for name, change := range map[string]func(s *signin.Server){
		"another URL":    func(s *signin.Server) { s.URL = w.mcp.URL + "/other" },
		"another issuer": func(s *signin.Server) { s.Issuer = "https://other.example" },
		"another client": func(s *signin.Server) { s.ClientID = "other" },
	} {
		s := w.server()
		change(&s)
		if w.client.Account(s) != a {
			t.Fatalf("%s: it is another account", name)
		}
		if w.value(a) != "" || len(a.Secrets()) != 0 {
			t.Errorf("%s: the token is for what was configured before", name)
		}
		if w.client.Account(w.server()); w.value(a) != held {
			t.Errorf("%s, and back: the sign-in is gone", name)
		}
	}
	s := w.server()
	s.Issuer, s.Scopes = w.as.URL+"/", []string{"read"} // the slash is the same URL
	if w.client.Account(s); w.value(a) != held {
		t.Error("the issuer that it was signed in at is written down, and the sign-in is gone")
	}
	// What is taken away and put back is signed in.
	w.client.Retain([]signin.Key{{Server: "other"}})
	if _, ok := w.client.Standing(files); ok || w.value(a) != "" {
		t.Error("an account that is configured no more is held on")
	}
	if w.value(w.client.Account(w.server())) != held {
		t.Error("an entry that was taken away and put back is not signed in")
	}
}

func TestSeatsDoNotMix(t *testing.T) {
	w := newWorld(t)
	all := map[string]*signin.Account{}
	for _, seat := range []string{"", "a", "b"} {
		s := w.server()
		s.Seat = seat
		all[seat] = w.client.Account(s)
	}
	link, err := w.client.Begin(t.Context(), signin.Key{Seat: "a", Server: "files"})
	if err != nil {
		t.Fatal(err)
	}
	done, err := w.client.Finish(t.Context(), w.approve(link))
	if err != nil || done.Key.Seat != "a" {
		t.Fatalf("finished: %v, %v", done, err)
	}
	w.pass(time.Minute)
	for seat, a := range all {
		if has := w.value(a) != ""; has != (seat == "a") {
			t.Errorf("seat %q has a token: %v", seat, has)
		}
	}
	all["b"].Refused(t.Context(), "", http.StatusUnauthorized, nil)
	if got, want := all["b"].Wants(), "waits for a sign-in (it asks for one): run holotype login files --seat b"; got != want {
		t.Errorf("it wants %q, want %q", got, want)
	}
}

// Whatever a secret is in is printed without it, in every way that there is.
func TestNothingSecretIsPrinted(t *testing.T) {
	w := newWorld(t)
	s := w.server()
	s.ClientID, s.ClientSecret, s.Issuer = "mine", mark+"configured", w.as.URL
	w.clients["mine"] = true
	a := w.signIn(s)
	w.begin()
	link, err := w.client.Begin(t.Context(), files)
	if err != nil {
		t.Fatal(err)
	}
	memory := w.sealed
	for _, one := range []any{s, &s, a, w.client, w.standing(), memory, link} {
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
			w.tell(fmt.Sprintf(verb, one))
		}
		if text, err := json.Marshal(one); err == nil {
			w.tell(string(text))
		}
		slog.New(slog.NewTextHandler(&w.log, nil)).Info("x", "of", one)
		slog.New(slog.NewJSONHandler(&w.log, nil)).Info("x", "of", one)
	}
	if len(a.Secrets()) != 3 {
		t.Errorf("%d secrets are told to whoever masks them, want 3", len(a.Secrets()))
	}
}

// names keeps the names and sizes of what is sealed.
type names struct {
	signin.Sealed
	w    *world
	seen map[string]int
}

func (n *names) Store(name, value string) error {
	n.w.set(func() { n.seen[name] = len(value) })
	return n.Sealed.Store(name, value)
}

func TestWhatIsSealed(t *testing.T) {
	w := newWorld(t)
	sealed := &names{w.sealed, w, map[string]int{}}
	w.options.Sealed = sealed
	w.client.Close(t.Context())
	w.client = signin.New(w.options)
	large := strings.Repeat("x", 16<<10-len(mark))
	w.answer("as /token", withJSON(http.StatusOK, map[string]any{"access_token": mark + large, "token_type": "Bearer", "refresh_token": mark + large, "expires_in": "3600"}))
	a := w.signIn(w.server())
	for name, size := range sealed.seen {
		if secrets.CheckName(name) != nil || size > secrets.MaxValue {
			t.Errorf("%q with %d bytes cannot be sealed", name, size)
		}
	}
	if len(sealed.seen) != 1 || w.value(a) != "Bearer "+mark+large {
		t.Errorf("%v is sealed", sealed.seen)
	}
	if until := w.standing().Until; !until.Equal(w.clock().Add(time.Hour)) {
		t.Errorf("expires_in as a text is read as until %v", until)
	}
	// Damage is said, and a new sign-in mends it.
	for name := range sealed.seen {
		if err := w.sealed.Store(name, `{"grant":"`+mark); err != nil {
			t.Fatal(err)
		}
	}
	again := signin.New(w.options)
	defer again.Close(t.Context())
	if value := w.value(again.Account(w.server())); value != "" || !strings.Contains(w.log.String(), "sign_in_unreadable") {
		t.Errorf("what is damaged is read as a token, or nothing is said: %s", w.log.String())
	}
	for name := range sealed.seen {
		if err := w.sealed.Store(name, `{"grant":{"url":"`+w.url()+`","access":"a\r\nX-Y: b"}}`); err != nil {
			t.Fatal(err)
		}
	}
	third := signin.New(w.options)
	defer third.Close(t.Context())
	if value := w.value(third.Account(w.server())); value != "" {
		t.Errorf("%q would be a header", value)
	}
	w.answer("as /token", nil)
	if w.call(w.signIn(w.server())) != http.StatusOK {
		t.Error("what is damaged is not mended by a sign-in")
	}
}

func TestWhatThisProgramSaysOfItself(t *testing.T) {
	w := newWorld(t)
	text, err := w.client.Metadata("https://h.example/oauth/client", "https://h.example/oauth/callback")
	if err != nil {
		t.Fatal(err)
	}
	var got map[string]any
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	want := map[string]any{
		"client_id": "https://h.example/oauth/client", "client_name": "Holotype", "redirect_uris": []any{"https://h.example/oauth/callback"},
		"grant_types": []any{"authorization_code", "refresh_token"}, "response_types": []any{"code"}, "token_endpoint_auth_method": "none",
		"application_type": "web", "software_version": "1.2.3",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
