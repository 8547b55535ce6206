package identity

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"strings"
	"time"

	"github.com/seed-89b9419b/holotype/internal/config"
)

// The form of a token: the prefix, and 32 random bytes in base64url (RFC 4648 section
// 5) without padding.
const (
	prefix     = "hlt_"
	secretSize = 32
	length     = len(prefix) + 43
)

// mint answers a token that was never there before. Reading randomness does not fail:
// see package crypto/rand.
func mint() string {
	raw := make([]byte, secretSize)
	_, _ = rand.Read(raw)
	return prefix + base64.RawURLEncoding.EncodeToString(raw)
}

// Takes reports whether a text is of the form that API tokens have.
func Takes(text string) bool { return wellFormed(text) }

// wellFormed reports whether a text can be a token, so that most of what is none costs
// no look into the store.
func wellFormed(text string) bool {
	if len(text) != length || !strings.HasPrefix(text, prefix) {
		return false
	}
	for i := len(prefix); i < len(text); i++ {
		switch c := text[i]; {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '-', c == '_':
		default:
			return false
		}
	}
	return true
}

// digest is what is kept of a token. A fast hash is enough for 256 random bits: there is
// no list of likely ones to try.
type digest [sha256.Size]byte

// digestOf answers the digest of a well-formed token.
func digestOf(secret string) digest {
	var text [length]byte // a conversion of so long a string would be allocated
	copy(text[:], secret)
	return sha256.Sum256(text[:])
}

func (d digest) String() string { return hex.EncodeToString(d[:]) }

// Token is a token as it is kept, without itself.
type Token struct {
	ID, Name string
	Scopes   []string
	// Seat and Person are whom it is bound to: one of them, or neither.
	Seat, Person string
	CreatedAt    time.Time
	// CreatedBy is the author, as of [store.Author].
	CreatedBy string
	// ExpiresAt and RevokedAt are zero where it does not, or was not.
	ExpiresAt, RevokedAt time.Time
}

// State is what a token is good for.
type State string

// The closed set of states.
const (
	Active  State = "active"
	Expired State = "expired"
	Revoked State = "revoked"
	// Unbound is a token of a seat or a person that is not configured any more.
	Unbound State = "unbound"
)

// SchemaEnum lists the members.
func (State) SchemaEnum() []string {
	return []string{string(Active), string(Expired), string(Revoked), string(Unbound)}
}

// State answers what the token is good for now.
func (k *Tokens) State(t *Token) State {
	switch {
	case !t.RevokedAt.IsZero():
		return Revoked
	case t.expiredAt(k.o.Now()):
		return Expired
	case !boundIn(k.o.Config(), t.Seat, t.Person):
		return Unbound
	}
	return Active
}

// boundIn reports whether the configuration has the seat and the person, where one is
// named.
func boundIn(c *config.Config, seat, person string) bool {
	return (seat == "" || seatOf(c, seat) != nil) && (person == "" || isPerson(c, person))
}

func (t *Token) expiredAt(now time.Time) bool {
	return !t.ExpiresAt.IsZero() && !now.Before(t.ExpiresAt)
}

// idPrefix begins the id of a token, and "_" comes after it.
const idPrefix = "tok"

// IsID reports whether an id is of the form that those of tokens have: there need not be
// such a token.
func IsID(id string) bool { return strings.HasPrefix(id, idPrefix+"_") }

func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }
