package datadir

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"strconv"
	"strings"
	"time"
)

// SessionKey signs the cookies of people who logged in. It is derived from the owner's token: sessions outlive a restart, and a new token
// ends all of them.
type SessionKey struct {
	key [sha256.Size]byte
}

const (
	sessionVersion = "v1"
	// keyPurpose keeps the key apart from every other use of the token.
	keyPurpose = "holotype session key v1"
)

// NewSessionKey derives the key from the owner's token.
func NewSessionKey(ownerToken string) SessionKey {
	mac := hmac.New(sha256.New, []byte(ownerToken))
	mac.Write([]byte(keyPurpose))
	return SessionKey{key: [sha256.Size]byte(mac.Sum(nil))}
}

// String keeps the key out of logs and messages.
func (SessionKey) String() string { return "session key" }

// GoString keeps the key out of logs and messages.
func (SessionKey) GoString() string { return "session key" }

// Sign returns the value of a cookie, of characters that a cookie may have, that [SessionKey.Verify] accepts until expires, to the second.
func (k SessionKey) Sign(expires time.Time) string {
	return k.sign(sessionVersion + "." + strconv.FormatInt(expires.Unix(), 10))
}

// Verify reports whether a value was signed with this key and is still good at now. It compares in constant time and believes nothing of
// a value before its signature.
func (k SessionKey) Verify(value string, now time.Time) bool {
	i := strings.LastIndexByte(value, '.')
	if i < 0 {
		return false
	}
	claim := value[:i]
	// Whole texts are compared: decoding base64 would let line breaks through.
	if !hmac.Equal([]byte(value), []byte(k.sign(claim))) {
		return false
	}
	version, seconds, ok := strings.Cut(claim, ".")
	expires, err := strconv.ParseInt(seconds, 10, 64)
	return ok && err == nil && version == sessionVersion && now.Unix() < expires
}

func (k SessionKey) sign(claim string) string {
	mac := hmac.New(sha256.New, k.key[:])
	mac.Write([]byte(claim))
	return claim + "." + base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}
