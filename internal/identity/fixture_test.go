package identity_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/config"
	"github.com/seed-89b9419b/holotype/internal/identity"
	"github.com/seed-89b9419b/holotype/internal/store"
	"github.com/seed-89b9419b/holotype/internal/store/storetest"
)

// world is a store with tokens, a clock and a configuration that tests set.
type world struct {
	t      *testing.T
	db     *store.DB
	tokens *identity.Tokens
	clock  atomic.Int64 // milliseconds
	config atomic.Pointer[config.Config]
	asked  atomic.Int64           // statements that were run
	first  atomic.Pointer[func()] // runs before the next statement; nil is nothing
}

func open(t *testing.T, d storetest.Database) *world {
	t.Helper()
	w := &world{t: t}
	w.clock.Store(time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC).UnixMilli())
	w.configure(&config.Config{
		Seats:  []config.Seat{{ID: "desk"}, {ID: "reader", Scopes: []string{"tracker:read"}}},
		People: []config.Person{{ID: "ana"}},
	})
	o := d.Options(t, identity.Schema())
	o.Now = w.now
	o.Seen = func(string, []any) {
		w.asked.Add(1)
		if first := w.first.Swap(nil); first != nil {
			(*first)()
		}
	}
	w.db = storetest.Start(t, o)
	w.tokens = w.open(w.db)
	return w
}

// open answers the tokens of a store as a process has them.
func (w *world) open(db *store.DB) *identity.Tokens {
	return identity.New(identity.Options{
		Store: db, Now: w.now, Config: w.config.Load, Names: func() []string { return []string{"system", "tracker", "file system"} },
	})
}

func sqlite(t *testing.T) *world {
	t.Helper()
	return open(t, storetest.Database{Name: "sqlite", At: t.TempDir() + "/store.db"})
}

func (w *world) now() time.Time                    { return time.UnixMilli(w.clock.Load()).UTC() }
func (w *world) pass(d time.Duration)              { w.clock.Add(d.Milliseconds()) }
func (w *world) configure(c *config.Config)        { w.config.Store(c) }
func (w *world) who(secret string) (string, error) { return w.whoBy(w.tokens, secret) }

// whoBy answers the key of whom a token stands for.
func (w *world) whoBy(k *identity.Tokens, secret string) (string, error) {
	p, err := k.Principal(w.t.Context(), secret)
	if err != nil {
		return "", err
	}
	return p.Key(), nil
}

// made is what a write of a token answers.
type made struct {
	capabilities.Receipt
	Secret string `json:"secret,omitempty" jsonschema:"once"`
	Token  identity.Token
}

// create makes a token.
func (w *world) create(d identity.Draft) (made, error) {
	w.t.Helper()
	if d.By == nil {
		d.By = capabilities.OwnerPrincipal()
	}
	if err := w.tokens.Check(d); err != nil {
		return made{}, err
	}
	return store.Write(w.t.Context(), w.db, func(tx *store.Tx) (out made, err error) {
		out.Token, out.Secret, err = w.tokens.Insert(tx, d)
		return out, err
	})
}

// given makes a token that has to be made.
func (w *world) given(d identity.Draft) made {
	w.t.Helper()
	m, err := w.create(d)
	if err != nil {
		w.t.Fatal(err)
	}
	return m
}

func (w *world) revoke(ctx context.Context, k *identity.Tokens, db *store.DB, id string) (made, error) {
	defer k.Forget(id)
	return store.Write(ctx, db, func(tx *store.Tx) (out made, err error) {
		out.Token, err = k.Revoke(tx, id)
		return out, err
	})
}

func code(err error) capabilities.Code {
	if e, ok := capabilities.AsError(err); ok {
		return e.Code
	}
	return ""
}
