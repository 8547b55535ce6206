package authserver

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"strings"
)

// What a client holds is a prefix that says what it is, and 32 random bytes in base64url.
const (
	prefixAccess  = "hla_"
	prefixRefresh = "hlr_"
	prefixCode    = "hlo_"
	secretSize    = 32
	secretLength  = len(prefixAccess) + 43
)

// newSecret answers random bytes. Reading randomness does not fail: see package
// crypto/rand.
func newSecret() []byte {
	raw := make([]byte, secretSize)
	_, _ = rand.Read(raw)
	return raw
}

func mint(prefix string) string {
	return prefix + base64.RawURLEncoding.EncodeToString(newSecret())
}

// shaped reports whether a text has the form of what mint makes.
func shaped(text, prefix string) bool {
	if len(text) != secretLength || !strings.HasPrefix(text, prefix) {
		return false
	}
	_, err := base64.RawURLEncoding.Strict().DecodeString(text[len(prefix):])
	return err == nil
}

// hashOf answers what is kept of a secret. A fast hash is enough for 256 random bits.
func hashOf(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}
