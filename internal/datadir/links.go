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
	// maxLinks bounds what is remembered; the oldest goes first.
	maxLinks = 64
)

// OneTimeLinks are the tokens of login links that were given out lately. They live in memory: a restart ends them all. It is safe for use
// by several goroutines.
type OneTimeLinks struct {
	now func() time.Time

	mu   sync.Mutex
	made []link // oldest first
}

// link keeps a digest: comparing digests takes the same time wherever two tokens differ, and a dump of memory shows no token.
type link struct {
	digest  [sha256.Size]byte
	expires time.Time
	used    bool
}

// NewOneTimeLinks returns an empty set that tells the time by now.
func NewOneTimeLinks(now func() time.Time) *OneTimeLinks { return &OneTimeLinks{now: now} }

// Mint returns a new token of 43 characters that need no escaping in a URL. It can be redeemed once within ten minutes. At most 64 are
// known at a time; minting another one ends the oldest.
func (l *OneTimeLinks) Mint() string {
	secret := make([]byte, 32)
	_, _ = rand.Read(secret) // never fails: see crypto/rand
	token := base64.RawURLEncoding.EncodeToString(secret)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.expire()
	if len(l.made) == maxLinks {
		l.made = slices.Delete(l.made, 0, 1)
	}
	l.made = append(l.made, link{digest: sha256.Sum256([]byte(token)), expires: l.now().Add(linkLife)})
	return token
}

// Look reports whether a token waits to be redeemed, and whether it was redeemed within its ten minutes. It is neither when it was never
// minted, is too old or was ended by others.
func (l *OneTimeLinks) Look(token string) (waits, used bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	one := l.find(token)
	return one != nil && !one.used, one != nil && one.used
}

// Redeem reports whether a token waited to be redeemed, and ends it. Of several calls with one token, one is answered true.
func (l *OneTimeLinks) Redeem(token string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	one := l.find(token)
	if one == nil || one.used {
		return false
	}
	one.used = true
	return true
}

func (l *OneTimeLinks) find(token string) *link {
	digest := sha256.Sum256([]byte(token))
	l.expire()
	var found *link
	for i := range l.made {
		if subtle.ConstantTimeCompare(l.made[i].digest[:], digest[:]) == 1 {
			found = &l.made[i]
		}
	}
	return found
}

func (l *OneTimeLinks) expire() {
	now := l.now()
	l.made = slices.DeleteFunc(l.made, func(one link) bool { return !now.Before(one.expires) })
}
