package identity_test

import (
	"testing"
	"time"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/identity"
)

func TestATokenThatStandsBehindOthers(t *testing.T) {
	w := sqlite(t)
	m := w.given(identity.Draft{Name: "x", Scopes: []string{"tracker:read"}, Expires: "1h"})
	standing := func() (string, error) {
		p, err := w.tokens.Standing(t.Context(), m.Token.ID)
		return p.Key(), err
	}
	for range 3 {
		if who, err := standing(); err != nil || who != "operator:"+m.Token.ID {
			t.Fatalf("%q: %v", who, err)
		}
	}
	before := w.asked.Load()
	if _, err := standing(); err != nil || w.asked.Load() != before {
		t.Errorf("a token that was seen asks the store: %v", err)
	}
	if _, err := w.tokens.Standing(t.Context(), "tok_none"); code(err) != capabilities.NotFound {
		t.Errorf("an id of nothing: %v", err)
	}
	// Its id lets nobody in, as a text that is sent.
	if _, err := w.tokens.Principal(t.Context(), m.Token.ID); code(err) != capabilities.Unauthenticated {
		t.Errorf("the id as a token: %v", err)
	}
	w.pass(time.Hour)
	if _, err := standing(); code(err) != capabilities.Unauthenticated {
		t.Errorf("expired: %v", err)
	}
	w.pass(-time.Hour)
	if _, err := w.revoke(t.Context(), w.tokens, w.db, m.Token.ID); err != nil {
		t.Fatal(err)
	}
	if _, err := standing(); code(err) != capabilities.Unauthenticated {
		t.Errorf("revoked: %v", err)
	}
}
