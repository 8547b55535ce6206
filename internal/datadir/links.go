package datadir

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"slices"
	"sync"
	"time"
)

const (
	linkLife = 10 * time.Minute
	// maxLinks bounds what can be waiting; the oldest goes first.
	maxLinks = 64
)

// OneTimeLinks are the tokens of login links that were given out and not used yet. They live in memory: a restart ends them all. It is
// safe for use by several goroutines.
type OneTimeLinks struct {
	now func() time.Time

	mu      sync.Mutex
	waiting []link // oldest first
}

// link keeps a digest: comparing digests takes the same time wherever two tokens differ, and a dump of memory shows no token.
type link struct {
	digest  [sha256.Size]byte
	expires time.Time
}

// NewOneTimeLinks returns an empty set that tells the time by now.
func NewOneTimeLinks(now func() time.Time) *OneTimeLinks { return &OneTimeLinks{now: now} }

// Mint returns a new token of 43 characters that need no escaping in a URL. It can be redeemed once within ten minutes. At most 64 wait at
// a time; minting another one ends the oldest.
func (l *OneTimeLinks) Mint() string {
	secret := make([]byte, 32)
	_, _ = rand.Read(secret) // never fails: see crypto/rand
	token := base64.RawURLEncoding.EncodeToString(secret)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.expire()
	if len(l.waiting) == maxLinks {
		l.waiting = slices.Delete(l.waiting, 0, 1)
	}
	l.waiting = append(l.waiting, link{sha256.Sum256([]byte(token)), l.now().Add(linkLife)})
	return token
}

// Redeem reports whether a token is waiting, and ends it. Of several calls with one token, one is answered true.
func (l *OneTimeLinks) Redeem(token string) bool {
	digest := sha256.Sum256([]byte(token))
	l.mu.Lock()
	defer l.mu.Unlock()
	l.expire()
	found := -1
	for i := range l.waiting {
		if subtle.ConstantTimeCompare(l.waiting[i].digest[:], digest[:]) == 1 {
			found = i
		}
	}
	if found < 0 {
		return false
	}
	l.waiting = slices.Delete(l.waiting, found, found+1)
	return true
}

func (l *OneTimeLinks) expire() {
	now := l.now()
	l.waiting = slices.DeleteFunc(l.waiting, func(w link) bool { return !now.Before(w.expires) })
}
