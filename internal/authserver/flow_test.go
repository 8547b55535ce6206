package authserver

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/config"
	"github.com/seed-89b9419b/holotype/internal/identity"
	"github.com/seed-89b9419b/holotype/internal/oauth"
	"github.com/seed-89b9419b/holotype/internal/store"
	"github.com/seed-89b9419b/holotype/internal/store/storetest"
)

// bench is a server of its own, in front of which the owner sits.
type bench struct {
	*Server
	t    *testing.T
	made []Draft
	// during runs while a token is made, and revoked are those that were.
	during  func()
	revoked []string
}

type receipt struct {
	capabilities.Receipt
	ID string `json:"id"`
}

func newBench(t *testing.T, d storetest.Database, documents http.RoundTripper) *bench {
	t.Helper()
	b := &bench{t: t}
	c := &config.Config{OAuth: config.OAuth{Line: 1, Server: true, Address: "https://tools.example"}}
	db := storetest.Start(t, d.Options(t, identity.Schema(), Schema()))
	current := func() *config.Config { return c }
	tokens := identity.New(identity.Options{Store: db, Now: time.Now, Config: current, Names: func() []string { return []string{"tracker"} }})
	s, err := New(Options{
		Store: db, Tokens: tokens, Config: current, Now: time.Now, Log: slog.New(slog.DiscardHandler), Title: "tools",
		Resource: oauth.New(oauth.Options{Config: current, Now: time.Now}), Documents: documents,
		Make: func(ctx context.Context, d Draft) (string, error) {
			b.made = append(b.made, d)
			if b.during != nil {
				b.during()
			}
			out, err := store.Write(ctx, db, func(tx *store.Tx) (receipt, error) {
				made, _, err := tokens.Insert(tx, identity.Draft{Name: d.Name, Scopes: d.Scopes, Expires: d.Expires, Seat: d.Seat, By: capabilities.OwnerPrincipal()})
				return receipt{ID: made.ID}, err
			})
			return out.ID, err
		},
		Revoke: func(_ context.Context, id string) error {
			b.revoked = append(b.revoked, id)
			return nil
		},
		Browser: func(*http.Request) (string, bool) { return "session", true }, Key: newSecret(),
		Refused: func(*http.Request, Refused) time.Duration { return 0 },
	})
	if err != nil {
		t.Fatal(err)
	}
	b.Server = s
	return b
}

func (b *bench) send(method, path, body string) *httptest.ResponseRecorder {
	b.t.Helper()
	r := httptest.NewRequestWithContext(b.t.Context(), method, "https://tools.example"+path, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	w := httptest.NewRecorder()
	b.ServeHTTP(w, r)
	return w
}

// A client with a metadata document registers nowhere, and the page names its host.
func TestAClientWithADocumentIsLetIn(t *testing.T) {
	storetest.Each(t, func(t *testing.T, d storetest.Database) {
		b := newBench(t, d, &upstream{status: http.StatusOK, kind: "application/json", body: documentOf(nil)})
		verifier := strings.Repeat("v", 43)
		sum := sha256.Sum256([]byte(verifier))
		want := url.Values{
			"response_type": {"code"}, "client_id": {clientURL}, "redirect_uri": {"https://assistant.example/cb"}, "scope": {"tracker:read"},
			"code_challenge": {base64.RawURLEncoding.EncodeToString(sum[:])}, "code_challenge_method": {"S256"},
		}
		page := b.send(http.MethodGet, AuthorizePath+"?"+want.Encode(), "").Body.String()
		_, after, found := strings.Cut(page, `name="mark" value="`)
		mark, _, _ := strings.Cut(after, `"`)
		if !found || !strings.Contains(page, "The program is the one of <strong>assistant.example</strong>") || strings.Contains(page, "anybody can use that name") {
			t.Fatalf("the page of consent: %s", page)
		}
		want.Set("mark", mark)
		want.Set("decision", "allow")
		want.Set("grant", "tracker:read")
		w := b.send(http.MethodPost, AuthorizePath, want.Encode())
		to, err := url.Parse(w.Header().Get("Location"))
		if err != nil || to.Host != "assistant.example" || to.Query().Get("code") == "" {
			t.Fatalf("%d leads to %s: %s", w.Code, to, w.Body)
		}
		w = b.send(http.MethodPost, TokenPath, url.Values{
			"grant_type": {grantCode}, "client_id": {clientURL}, "redirect_uri": {"https://assistant.example/cb"}, "code": {to.Query().Get("code")}, "code_verifier": {verifier},
		}.Encode())
		var got granted
		if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil || w.Code != http.StatusOK {
			t.Fatalf("%d %s", w.Code, w.Body)
		}
		if len(b.made) != 1 || b.made[0].Name != "Assistant (assistant.example)" {
			t.Errorf("made %+v", b.made)
		}
		who, err := b.Principal(httptest.NewRequestWithContext(t.Context(), http.MethodGet, "https://tools.example/api/v1/projects", nil), got.Access)
		if err != nil || !who.Has("tracker:read") || who.Has("tracker:write") {
			t.Errorf("%+v: %v", who, err)
		}
		// Neither a refresh token nor a code is an access token, nor is one an API token.
		for _, secret := range []string{got.Refresh, to.Query().Get("code"), prefixAccess + strings.TrimPrefix(got.Refresh, prefixRefresh)} {
			if who, err := b.Principal(httptest.NewRequestWithContext(t.Context(), http.MethodGet, "https://tools.example/", nil), secret); err == nil {
				t.Errorf("%.8s lets in %+v", secret, who)
			}
		}
		if who, err := b.o.Tokens.Principal(t.Context(), got.Access); err == nil {
			t.Errorf("an access token is taken for an API token of %+v", who)
		}
	})
}

// Clients that nobody consented to make room for others.
func TestClientsAreBounded(t *testing.T) {
	b := newBench(t, storetest.Database{Name: "sqlite", At: t.TempDir() + "/store.db"}, nil)
	ctx := t.Context()
	kept := &client{id: "client_kept", name: "kept", redirects: []string{"https://a.example/"}}
	if err := b.enrol(ctx, kept); err != nil {
		t.Fatal(err)
	}
	if err := b.keepCode(ctx, mint(prefixCode), &code{Client: kept.id, Scopes: "[]"}); err != nil {
		t.Fatal(err)
	}
	if err := store.Beside(ctx, b.o.Store, owner, func(tx *store.Tx) error {
		for range mostClients {
			if _, err := tx.Exec(insertClient, store.NewID(prefixClient, time.Now()), "flood", "[]", 0, time.Now().Add(time.Hour).UnixMilli()); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	late := &client{id: "client_late", name: "late", redirects: []string{"https://a.example/"}}
	if err := b.enrol(ctx, late); err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{kept.id, late.id} {
		if _, err := b.registered(ctx, id); err != nil {
			t.Errorf("%s is forgotten: %v", id, err)
		}
	}
	var n int
	if err := store.Read(ctx, b.o.Store, func(r *store.Reader) error { return r.Get(&n, countClients) }); err != nil || n != mostClients {
		t.Errorf("%d clients are kept (%v), want %d", n, err, mostClients)
	}
}

// A code that comes a second time before the first has an answer gives nobody anything.
func TestACodeThatComesTwiceAtOnce(t *testing.T) {
	b := newBench(t, storetest.Database{Name: "sqlite", At: t.TempDir() + "/store.db"}, nil)
	verifier, secret := strings.Repeat("v", 43), mint(prefixCode)
	sum := sha256.Sum256([]byte(verifier))
	if err := b.keepCode(t.Context(), secret, &code{
		Client: "client_x", Name: "x", Redirect: "https://a.example/", Challenge: base64.RawURLEncoding.EncodeToString(sum[:]), Resource: "https://tools.example",
		Scopes: `["*:read"]`, ExpiresMS: time.Now().Add(time.Hour).UnixMilli(),
	}); err != nil {
		t.Fatal(err)
	}
	exchange := url.Values{
		"grant_type": {grantCode}, "client_id": {"client_x"}, "redirect_uri": {"https://a.example/"}, "code": {secret}, "code_verifier": {verifier},
	}.Encode()
	b.during = func() {
		if w := b.send(http.MethodPost, TokenPath, exchange); w.Code != http.StatusBadRequest {
			t.Errorf("the second: %d %s", w.Code, w.Body)
		}
	}
	if w := b.send(http.MethodPost, TokenPath, exchange); w.Code != http.StatusBadRequest || !strings.Contains(w.Body.String(), invalidGrant) {
		t.Errorf("the first: %d %s", w.Code, w.Body)
	}
	if len(b.made) != 1 || len(b.revoked) == 0 {
		t.Errorf("made %+v, revoked %v", b.made, b.revoked)
	}
}
