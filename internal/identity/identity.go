// Package identity knows the API tokens: it makes and revokes them, and tells which
// principal a request's own credential stands for.
//
// A token is a random text that is shown once. What is kept is its SHA-256, so that
// neither the database nor a copy of it lets anybody in. Each has scopes, may expire,
// and may be bound to a seat or to a person of the configuration, as whom it then acts.
package identity

import (
	"context"
	"crypto/sha256"
	"embed"
	"io/fs"
	"sync"
	"time"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/config"
	"github.com/seed-89b9419b/holotype/internal/store"
)

//go:embed schema/*.sql
var files embed.FS

// Schema answers the tables of the package.
func Schema() store.Schema {
	// The folder is embedded above: Sub fails on a malformed name alone.
	sub, _ := fs.Sub(files, "schema")
	return store.Schema{Owner: "identity", Files: sub, Check: check}
}

// Options configure [Tokens]. All but Fresh are needed.
type Options struct {
	// Store keeps the tokens. It was opened with [Schema].
	Store *store.DB
	Now   func() time.Time
	// Config answers the configuration in force, whose seats and people tokens are bound
	// to. What stands in one configuration does not change: a reload is another.
	Config func() *config.Config
	// Names answers the packs and servers that a scope may name.
	Names func() []string
	// Fresh is after how long a token is read again, because another process may have
	// revoked it; 0 is one second. While it is read, what was read before holds for as long
	// once more. What this process revokes counts at once.
	Fresh time.Duration
}

// Tokens are the API tokens of a store. They are safe for concurrent use.
type Tokens struct {
	o Options

	mu    sync.RWMutex
	known map[digest]*entry
	epoch uint64 // grows with every [Tokens.Forget]

	listing listing
}

const (
	defaultFresh = time.Second
	// mostKnown bounds what is remembered: beyond it, all is read anew.
	mostKnown = 4096
)

// New answers the tokens of a store.
func New(o Options) *Tokens {
	if o.Fresh == 0 {
		o.Fresh = defaultFresh
	}
	return &Tokens{o: o, known: map[digest]*entry{}}
}

// Principal answers whom a bearer token stands for now. The error is a refusal:
// [capabilities.Unauthenticated] for a token that is none, or that has expired, was
// revoked or is bound to a seat or a person that is not configured any more, which is
// told to nobody but who sent that very token; [capabilities.Unavailable] while the
// store cannot be read.
//
// A token that was seen lately costs no question of the store. One that is none is not
// remembered.
func (k *Tokens) Principal(ctx context.Context, secret string) (*capabilities.Principal, error) {
	if !wellFormed(secret) {
		return nil, errUnknown
	}
	return k.lately(ctx, digestOf(secret), "")
}

// Standing answers whom the token with an id stands for now, for what stands for it, as
// [Tokens.Principal] answers it for the token itself: what was read lately counts. The
// refusal is [capabilities.NotFound] for an id that no token has.
func (k *Tokens) Standing(ctx context.Context, id string) (*capabilities.Principal, error) {
	return k.lately(ctx, sha256.Sum256([]byte("id "+id)), id) // no token has a space
}

// lately answers whom a token stands for that is remembered by a digest. It is found by its
// id, or by its own digest where that is "".
func (k *Tokens) lately(ctx context.Context, sum digest, id string) (*capabilities.Principal, error) {
	k.mu.RLock()
	e := k.known[sum]
	k.mu.RUnlock()
	now := k.o.Now()
	if e == nil || !e.holds(now, k.o.Fresh) {
		old := e
		var err error
		e, err = k.read(ctx, sum, id, now)
		if old != nil {
			old.again.Store(false)
		}
		if err != nil {
			return nil, err
		}
	}
	return e.principal(now, k.o.Config())
}

var errUnknown = capabilities.Refuse(capabilities.Unauthenticated,
	"the bearer token is not one of this server: send the owner's, which stands in owner.token in the data directory, or one that create_token made")

// read reads a token and remembers it. It is not remembered where one was revoked
// meanwhile: what was read may be of before.
func (k *Tokens) read(ctx context.Context, sum digest, id string, now time.Time) (*entry, error) {
	k.mu.RLock()
	epoch := k.epoch
	k.mu.RUnlock()
	var t Token
	var err error
	if id == "" {
		t, err = k.byHash(ctx, sum)
	} else {
		t, err = k.byID(ctx, id)
	}
	if err != nil {
		return nil, err
	}
	e := &entry{token: t, read: now}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.epoch == epoch {
		if len(k.known) >= mostKnown {
			clear(k.known)
		}
		k.known[sum] = e
	}
	return e, nil
}

// Forget lets go of what is remembered of a token, which may have been revoked just now.
func (k *Tokens) Forget(id string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.epoch++
	for sum, e := range k.known {
		if e.token.ID == id {
			delete(k.known, sum)
		}
	}
}
