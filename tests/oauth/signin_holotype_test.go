package oauth_test

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/seed-89b9419b/holotype/internal/signin"
)

// A server of this kind is signed in to by another one, with the clock of one an hour off.
func TestSigningInToAnotherHolotype(t *testing.T) {
	p := built(t)
	cookie := p.signIn()
	client := signin.New(signin.Options{
		Redirect: func(context.Context) (string, error) { return callback, nil }, Name: "Assistant", Version: "1", Program: "holotype",
	})
	defer client.Close(t.Context())
	key := signin.Key{Server: "other"}
	account := client.Account(signin.Server{Key: key, URL: p.URL + "/operator/mcp"})
	call := func() int {
		t.Helper()
		for again := false; ; again = true {
			value, err := account.Authorization(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			a := p.send(http.MethodPost, "/operator/mcp",
				`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`,
				"Authorization: "+value, "Content-Type: application/json", "Accept: application/json, text/event-stream")
			if a.status != http.StatusUnauthorized || !account.Refused(t.Context(), value, a.status, a.header.Values("WWW-Authenticate")) || again {
				return a.status
			}
		}
	}
	if status := call(); status != http.StatusUnauthorized || !strings.Contains(account.Wants(), "waits for a sign-in") {
		t.Fatalf("without a token a call is answered %d, and it %s", status, account.Wants())
	}
	link, err := client.Begin(t.Context(), key)
	if err != nil {
		t.Fatal(err)
	}
	u, err := url.Parse(link.URL)
	if err != nil {
		t.Fatal(err)
	}
	if done, err := client.Finish(t.Context(), p.decide(cookie, u.Query(), "allow").led(t)); err != nil || done.Issuer != p.URL {
		t.Fatalf("it ends with %v, %v", done, err)
	}
	if status := call(); status != http.StatusOK {
		t.Fatalf("signed in, a call is answered %d", status)
	}
	p.forward(61 * time.Minute)
	if status := call(); status != http.StatusOK {
		t.Errorf("an hour later for it alone, a call is answered %d", status)
	}
	if had, err := client.Forget(t.Context(), key); !had || err != nil {
		t.Errorf("forgotten: %v, %v", had, err)
	}
	for _, row := range p.rows() {
		if row.State == "active" {
			t.Errorf("signed out of, a token is good on: %+v", row)
		}
	}
}
