package identity_test

import (
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/config"
	"github.com/seed-89b9419b/holotype/internal/identity"
	"github.com/seed-89b9419b/holotype/internal/store"
	"github.com/seed-89b9419b/holotype/internal/store/storetest"
)

func TestWhomATokenStandsFor(t *testing.T) {
	storetest.Each(t, func(t *testing.T, d storetest.Database) {
		w := open(t, d)
		for name, c := range map[string]struct {
			draft identity.Draft
			want  func(id string) capabilities.Principal
		}{
			"itself": {
				identity.Draft{Scopes: []string{"tracker:*", "admin"}},
				func(id string) capabilities.Principal {
					return capabilities.Principal{ID: id, Kind: capabilities.Operator, Scopes: []string{"tracker:*", "admin"}, Credential: id}
				},
			},
			"a seat of which nothing is said": {
				identity.Draft{Scopes: []string{"*"}, Seat: "desk"},
				func(id string) capabilities.Principal {
					return capabilities.Principal{ID: "desk", Kind: capabilities.Seat, Seat: "desk", Scopes: []string{"*"}, Within: []string{"*"}, Credential: id}
				},
			},
			"a seat with scopes": {
				identity.Draft{Scopes: []string{"*"}, Seat: "reader"},
				func(id string) capabilities.Principal {
					return capabilities.Principal{ID: "reader", Kind: capabilities.Seat, Seat: "reader", Scopes: []string{"*"}, Within: []string{"tracker:read"}, Credential: id}
				},
			},
			"a person": {
				identity.Draft{Scopes: []string{"*:read"}, Person: "ana"},
				func(id string) capabilities.Principal {
					return capabilities.Principal{ID: "ana", Kind: capabilities.Person, Scopes: []string{"*:read"}, Credential: id}
				},
			},
		} {
			c.draft.Name = name
			m := w.given(c.draft)
			if !strings.HasPrefix(m.Token.ID, "tok_") || !strings.HasPrefix(m.Secret, "hlt_") || len(m.Secret) != 47 {
				t.Fatalf("%s: the token %q with the id %q", name, m.Secret, m.Token.ID)
			}
			p, err := w.tokens.Principal(t.Context(), m.Secret)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if d := cmp.Diff(c.want(m.Token.ID), *p); d != "" {
				t.Errorf("%s (-want +got):\n%s", name, d)
			}
		}
	})
}

// Whoever holds the very token is told why it is good for nothing; nobody else is told
// anything.
func TestTokensThatLetNobodyIn(t *testing.T) {
	w := sqlite(t)
	good := w.given(identity.Draft{Name: "good", Scopes: []string{"*"}})
	expired := w.given(identity.Draft{Name: "expired", Scopes: []string{"*"}, Expires: "5m"})
	revoked := w.given(identity.Draft{Name: "revoked", Scopes: []string{"*"}})
	seat := w.given(identity.Draft{Name: "seat", Scopes: []string{"*"}, Seat: "desk"})
	person := w.given(identity.Draft{Name: "person", Scopes: []string{"*"}, Person: "ana"})
	for _, m := range []made{good, expired, revoked, seat, person} {
		if _, err := w.who(m.Secret); err != nil {
			t.Fatalf("%s: %v", m.Token.Name, err)
		}
	}
	if _, err := w.revoke(t.Context(), w.tokens, w.db, revoked.Token.ID); err != nil {
		t.Fatal(err)
	}
	w.pass(5 * time.Minute)
	w.configure(&config.Config{})
	for name, c := range map[string]struct{ secret, says string }{
		"no token":                  {identity.Mint(), "is not one of this server"},
		"an empty one":              {"", "is not one of this server"},
		"one of another form":       {"hlt_" + strings.Repeat("!", 43), "is not one of this server"},
		"one with more behind it":   {good.Secret + "x", "is not one of this server"},
		"one without its beginning": {strings.TrimPrefix(good.Secret, "hlt_"), "is not one of this server"},
		"its id":                    {good.Token.ID, "is not one of this server"},
		"in other letters":          {"hlt_" + strings.ToUpper(good.Secret[4:]), "is not one of this server"},
		"an expired one":            {expired.Secret, "the token " + expired.Token.ID + " expired at 2026-11-30T12:05:00Z"},
		"a revoked one":             {revoked.Secret, "the token " + revoked.Token.ID + " was revoked at 2026-11-30T12:00:00Z"},
		"one of a seat that left":   {seat.Secret, `is bound to the seat "desk", which is not configured here any more`},
		"one of a person that left": {person.Secret, `is bound to the person "ana", which is not configured here any more`},
	} {
		_, err := w.who(c.secret)
		if code(err) != capabilities.Unauthenticated || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s is answered %v, want unauthenticated that says %q", name, err, c.says)
		}
	}
	if _, err := w.who(good.Secret); err != nil {
		t.Errorf("the one beside them: %v", err)
	}
}

// A seat that comes back, or is given other scopes, counts at the next request.
func TestAnotherConfigurationCountsAtOnce(t *testing.T) {
	w := sqlite(t)
	m := w.given(identity.Draft{Name: "x", Scopes: []string{"tracker:*"}, Seat: "reader"})
	may := func() bool {
		p, err := w.tokens.Principal(t.Context(), m.Secret)
		return err == nil && p.Has("tracker:write")
	}
	if may() {
		t.Error("the seat may read alone, and its token may write")
	}
	w.configure(&config.Config{Seats: []config.Seat{{ID: "reader", Scopes: []string{"tracker:write"}}}})
	if !may() {
		t.Error("the seat may write now, and its token may not")
	}
	w.configure(&config.Config{})
	if _, err := w.who(m.Secret); code(err) != capabilities.Unauthenticated {
		t.Errorf("the seat is gone, and its token is answered %v", err)
	}
	w.configure(&config.Config{Seats: []config.Seat{{ID: "reader"}}})
	if !may() {
		t.Error("the seat is back without a limit, and its token may not write")
	}
}

func TestTokenThatWasSeenAsksNothing(t *testing.T) {
	w := sqlite(t)
	m := w.given(identity.Draft{Name: "x", Scopes: []string{"*"}})
	first, err := w.tokens.Principal(t.Context(), m.Secret)
	if err != nil {
		t.Fatal(err)
	}
	before := w.asked.Load()
	ctx := t.Context()
	allocations := testing.AllocsPerRun(1000, func() {
		if p, err := w.tokens.Principal(ctx, m.Secret); err != nil || p != first {
			t.Errorf("seen again, it is answered %v, %v", p, err)
		}
	})
	if allocations > 0 || w.asked.Load() != before {
		t.Errorf("seen again, it costs %v allocations and %d statements", allocations, w.asked.Load()-before)
	}
	w.pass(time.Second)
	if _, err := w.who(m.Secret); err != nil || w.asked.Load() != before+1 {
		t.Errorf("a second later it costs %d statements, want one: %v", w.asked.Load()-before, err)
	}
	w.pass(-time.Hour) // a clock that is set back
	if _, err := w.who(m.Secret); err != nil || w.asked.Load() != before+2 {
		t.Errorf("an hour before it was read it costs %d statements, want two: %v", w.asked.Load()-before, err)
	}
}

// However many use a token whose time to be read again has come, one of them reads it,
// and nobody waits for that as long as what was read is not too old.
func TestOneReadsAgainForAll(t *testing.T) {
	w := sqlite(t)
	m := w.given(identity.Draft{Name: "x", Scopes: []string{"*"}})
	if _, err := w.who(m.Secret); err != nil {
		t.Fatal(err)
	}
	w.pass(1500 * time.Millisecond)
	before := w.asked.Load()
	reading, goOn, ended := make(chan struct{}), make(chan struct{}), make(chan error)
	hold := func() {
		close(reading)
		<-goOn
	}
	w.first.Store(&hold)
	go func() {
		_, err := w.who(m.Secret)
		ended <- err
	}()
	<-reading
	for range 100 {
		if _, err := w.who(m.Secret); err != nil {
			t.Errorf("while it is read: %v", err)
		}
	}
	if n := w.asked.Load() - before; n != 1 {
		t.Errorf("while it is read, %d statements are run, want that one", n)
	}
	w.pass(500 * time.Millisecond)
	if _, err := w.who(m.Secret); err != nil || w.asked.Load()-before != 2 {
		t.Errorf("when what was read is too old, %d statements are run, want another: %v", w.asked.Load()-before, err)
	}
	close(goOn)
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

func TestWrongTokensAreNotRemembered(t *testing.T) {
	w := sqlite(t)
	for range 10_000 {
		if _, err := w.who(identity.Mint()); code(err) != capabilities.Unauthenticated {
			t.Fatalf("a wrong token is answered %v", err)
		}
	}
	if n := w.tokens.Known(); n > 0 {
		t.Errorf("%d wrong tokens are remembered", n)
	}
	before := w.asked.Load()
	for range 10_000 {
		_, _ = w.who("hlt_not-one-at-all")
	}
	if n := w.asked.Load() - before; n > 0 {
		t.Errorf("texts that can be no token cost %d statements", n)
	}
}

// Another process of a fleet knows of a revocation within the time that the options say.
func TestRevokedElsewhere(t *testing.T) {
	storetest.Each(t, func(t *testing.T, d storetest.Database) {
		w := open(t, d)
		m := w.given(identity.Draft{Name: "x", Scopes: []string{"*"}})
		elsewhere := d.Open(t, identity.Schema())
		there := w.open(elsewhere)
		for _, k := range []*identity.Tokens{w.tokens, there} {
			if _, err := w.whoBy(k, m.Secret); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := w.revoke(t.Context(), there, elsewhere, m.Token.ID); err != nil {
			t.Fatal(err)
		}
		if _, err := w.whoBy(there, m.Secret); code(err) != capabilities.Unauthenticated {
			t.Errorf("where it was revoked it is answered %v", err)
		}
		w.pass(2 * time.Second)
		if _, err := w.who(m.Secret); code(err) != capabilities.Unauthenticated {
			t.Errorf("two seconds later it is answered %v elsewhere", err)
		}
	})
}

// However many use a token while it is revoked: once that is answered, nobody does.
func TestRevokedWhileItIsUsed(t *testing.T) {
	w := sqlite(t)
	for range 20 {
		m := w.given(identity.Draft{Name: "x", Scopes: []string{"*"}})
		var revoked atomic.Bool
		var users sync.WaitGroup
		begun := make(chan struct{}, 8)
		for range 4 {
			users.Go(func() {
				begun <- struct{}{}
				for {
					known := revoked.Load()
					_, err := w.who(m.Secret)
					switch {
					case err != nil && code(err) != capabilities.Unauthenticated:
						t.Errorf("it is answered %v", err)
						return
					case err == nil && known:
						t.Error("it was revoked, and lets somebody in")
						return
					case err != nil:
						return
					}
					w.tokens.Forget("another") // so that it is read again and again
				}
			})
		}
		<-begun
		if _, err := w.revoke(t.Context(), w.tokens, w.db, m.Token.ID); err != nil {
			t.Error(err)
		}
		revoked.Store(true)
		users.Wait()
		if _, err := w.who(m.Secret); code(err) != capabilities.Unauthenticated {
			t.Errorf("at rest it is answered %v", err)
		}
	}
}

func TestRevokingTwiceChangesNothing(t *testing.T) {
	w := sqlite(t)
	m := w.given(identity.Draft{Name: "x", Scopes: []string{"*"}})
	first, err := w.revoke(t.Context(), w.tokens, w.db, m.Token.ID)
	if err != nil || first.Outcome != capabilities.Applied {
		t.Fatalf("revoking answers %q, %v", first.Outcome, err)
	}
	w.pass(time.Hour)
	again, err := w.revoke(t.Context(), w.tokens, w.db, m.Token.ID)
	if err != nil || again.Outcome != capabilities.Unchanged || !again.Token.RevokedAt.Equal(first.Token.RevokedAt) {
		t.Errorf("revoking again answers %q of %v, %v", again.Outcome, again.Token.RevokedAt, err)
	}
	if _, err := w.revoke(t.Context(), w.tokens, w.db, m.Secret); code(err) != capabilities.NotFound || strings.Contains(err.Error(), m.Secret) {
		t.Errorf("revoking by the token itself answers %v", err)
	}
}

func TestList(t *testing.T) {
	w := sqlite(t)
	var want []string
	for _, name := range []string{"a", "b", "c", "d", "e"} {
		w.pass(time.Second)
		want = append(want, w.given(identity.Draft{Name: name, Scopes: []string{"*:read", "tracker:*"}, Expires: "1d"}).Token.ID)
	}
	var got []string
	for after := ""; ; {
		page, err := w.tokens.List(t.Context(), after, 2)
		if err != nil {
			t.Fatal(err)
		}
		for _, one := range page {
			got, after = append(got, one.ID), one.ID
			if d := cmp.Diff([]string{"*:read", "tracker:*"}, one.Scopes); d != "" || one.ExpiresAt.Sub(one.CreatedAt) != 24*time.Hour {
				t.Errorf("%s until %s (-want +got):\n%s", one.ID, one.ExpiresAt, d)
			}
		}
		if len(page) < 2 {
			break
		}
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("ids (-want +got):\n%s", d)
	}
}

func TestState(t *testing.T) {
	w := sqlite(t)
	plain := w.given(identity.Draft{Name: "plain", Scopes: []string{"*"}, Expires: "1h"}).Token
	seat := w.given(identity.Draft{Name: "seat", Scopes: []string{"*"}, Seat: "desk"}).Token
	state := func(of identity.Token) identity.State { return w.tokens.State(&of) }
	if a, b := state(plain), state(seat); a != identity.Active || b != identity.Active {
		t.Errorf("they are %s and %s, want active", a, b)
	}
	w.pass(time.Hour)
	w.configure(&config.Config{})
	if a, b := state(plain), state(seat); a != identity.Expired || b != identity.Unbound {
		t.Errorf("they are %s and %s, want expired and unbound", a, b)
	}
	plain.RevokedAt = w.now()
	if a := state(plain); a != identity.Revoked {
		t.Errorf("it is %s, want revoked", a)
	}
}

// A token whose row cannot be read is found by whoever checks the store, and lets nobody
// in meanwhile.
func TestSpoiltTokenIsFound(t *testing.T) {
	w := sqlite(t)
	m := w.given(identity.Draft{Name: "x", Scopes: []string{"*"}})
	if faults, err := w.db.Check(t.Context()); err != nil || len(faults) > 0 {
		t.Fatalf("a sound store has the faults %q, %v", faults, err)
	}
	_, err := store.Write(t.Context(), w.db, func(tx *store.Tx) (made, error) {
		if _, err := tx.Exec(`UPDATE identity_tokens SET scopes = '["*"' WHERE id = ?`, m.Token.ID); err != nil {
			return made{}, err
		}
		return made{}, tx.Change(store.Change{Kind: "token", ID: m.Token.ID})
	})
	if err != nil {
		t.Fatal(err)
	}
	if faults, err := w.db.Check(t.Context()); err != nil || len(faults) != 1 || !strings.Contains(faults[0], m.Token.ID) {
		t.Errorf("the faults are %q, %v", faults, err)
	}
	if p, err := w.tokens.Principal(t.Context(), m.Secret); err == nil {
		t.Errorf("it stands for %+v", p)
	}
}

func TestEveryStatementHasAnIndex(t *testing.T) {
	path := t.TempDir() + "/store.db"
	storetest.OpenAt(t, path, identity.Schema())
	for name, query := range identity.Statements() {
		for _, step := range storetest.Explain(t, path, query) {
			if strings.Contains(step, "SCAN") || strings.Contains(step, "TEMP B-TREE") {
				t.Errorf("%s: %s", name, step)
			}
		}
	}
}

// Whoever has sent many wrong tokens costs a question of the store a second with all that
// follow, and is let in with a right one whether it is remembered or not.
func TestManyWrongTokensCostLittle(t *testing.T) {
	w := sqlite(t)
	right := w.given(identity.Draft{Name: "right", Scopes: []string{"*"}})
	revoked := w.given(identity.Draft{Name: "revoked", Scopes: []string{"*"}})
	if _, err := w.revoke(t.Context(), w.tokens, w.db, revoked.Token.ID); err != nil {
		t.Fatal(err)
	}
	sparing := func(secret string) error {
		_, err := w.tokens.Sparing(t.Context(), secret)
		return err
	}
	before := w.asked.Load()
	for range 1000 {
		if err := sparing(identity.Mint()); code(err) != capabilities.Unauthenticated {
			t.Fatalf("a wrong token is answered %v", err)
		}
	}
	if n := w.asked.Load() - before; n != 1 {
		t.Errorf("1000 wrong tokens ran %d statements, want 1", n)
	}
	if err := sparing(right.Secret); err != nil {
		t.Errorf("the right token is answered %v", err)
	}
	if err := sparing(revoked.Secret); code(err) != capabilities.Unauthenticated || !strings.Contains(err.Error(), "was revoked") {
		t.Errorf("the revoked token is answered %v", err)
	}
	late := w.given(identity.Draft{Name: "late", Scopes: []string{"*"}})
	if err := sparing(late.Secret); code(err) != capabilities.Unauthenticated {
		t.Errorf("the list was read again for a token: %v", err)
	}
	w.pass(time.Second)
	if err := sparing(late.Secret); err != nil {
		t.Errorf("a second after it was made a token is answered %v", err)
	}
}
