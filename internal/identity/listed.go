package identity

import (
	"context"
	"encoding/hex"
	"sync"
	"time"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/store"
)

const (
	selectHashes = `SELECT hash FROM identity_tokens`

	// listFor is how long the list of all digests stands.
	listFor = time.Second
)

// listing is the digests of all tokens, as of the last time that they were wanted.
type listing struct {
	mu   sync.Mutex
	all  map[digest]struct{}
	read time.Time
	err  error // why it could not be read
}

// Sparing answers as [Tokens.Principal] does, for callers who have sent many tokens that
// are none: however many more they send, all of them together cost one question of the
// store a second. A token that was made in another process within this second may not be
// known yet.
func (k *Tokens) Sparing(ctx context.Context, secret string) (*capabilities.Principal, error) {
	if !wellFormed(secret) {
		return nil, errUnknown
	}
	sum := digestOf(secret)
	k.mu.RLock()
	_, remembered := k.known[sum]
	k.mu.RUnlock()
	if !remembered {
		switch there, err := k.listed(ctx, sum); {
		case err != nil:
			return nil, err
		case !there:
			return nil, errUnknown
		}
	}
	return k.Principal(ctx, secret)
}

// listed reports whether a token with a digest is in the list.
func (k *Tokens) listed(ctx context.Context, sum digest) (bool, error) {
	l := &k.listing
	l.mu.Lock()
	defer l.mu.Unlock()
	if now := k.o.Now(); l.all == nil && l.err == nil || now.Sub(l.read).Abs() >= listFor {
		// Whoever asks may leave: the answer is for those who come after as well.
		l.all, l.err = k.hashes(context.WithoutCancel(ctx))
		l.read = now
	}
	_, there := l.all[sum]
	return there, l.err
}

// hashes reads the digests of all tokens.
func (k *Tokens) hashes(ctx context.Context) (all map[digest]struct{}, err error) {
	err = store.Read(ctx, k.o.Store, func(r *store.Reader) error {
		var texts []string
		if err := r.Select(&texts, selectHashes); err != nil {
			return err
		}
		all = make(map[digest]struct{}, len(texts))
		for _, text := range texts {
			var sum digest
			if n, err := hex.Decode(sum[:], []byte(text)); err == nil && n == len(sum) && len(text) == 2*len(sum) {
				all[sum] = struct{}{}
			}
		}
		return nil
	})
	return all, err
}
