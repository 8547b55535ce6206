package oauth

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rsa"
	"encoding/json"
	"fmt"

	"github.com/go-jose/go-jose/v4"

	"github.com/seed-89b9419b/holotype/internal/config"
)

const (
	// maxKeys bounds the keys of an issuer.
	maxKeys = 200
	// maxAlike bounds those that one signature is tried with.
	maxAlike = 4
	// The bits of a key of RSA: with fewer it is no defence, and with more each check is
	// slow.
	leastRSA, mostRSA = 2048, 8192
)

// keySet are the public keys of an issuer that tokens may be signed with.
type keySet struct{ all []publicKey }

type publicKey struct {
	id, algorithm string // the algorithm is that of the key's kind, whatever it says of itself
	key           crypto.PublicKey
}

// readKeys reads a JWK set (RFC 7517). A key of another kind, use or algorithm is none of
// ours and costs itself, as does one that is malformed. One that is private, or a shared
// secret, is of no kind that [algorithmOf] knows.
func readKeys(body []byte) (*keySet, error) {
	var set struct {
		Keys []json.RawMessage `json:"keys"`
	}
	if err := json.Unmarshal(body, &set); err != nil {
		return nil, fmt.Errorf("reading the keys of the authorization server: %w", err)
	}
	if len(set.Keys) > maxKeys {
		return nil, fmt.Errorf("the authorization server has %d keys, and at most %d are taken", len(set.Keys), maxKeys)
	}
	s := &keySet{}
	for _, raw := range set.Keys {
		var k jose.JSONWebKey
		if k.UnmarshalJSON(raw) != nil || !k.Valid() || k.Use != "" && k.Use != "sig" {
			continue
		}
		if a := algorithmOf(k.Key); a != "" && (k.Algorithm == "" || k.Algorithm == a) {
			s.all = append(s.all, publicKey{k.KeyID, a, k.Key})
		}
	}
	if len(s.all) == 0 {
		return nil, fmt.Errorf("none of the %d keys of the authorization server is one for RS256, ES256 or EdDSA", len(set.Keys))
	}
	return s, nil
}

// algorithmOf answers the one algorithm that a key is used with, so that a token does not
// choose; "" is none.
func algorithmOf(key crypto.PublicKey) string {
	switch k := key.(type) {
	case *rsa.PublicKey:
		if bits := k.N.BitLen(); bits >= leastRSA && bits <= mostRSA {
			return config.AlgorithmRS256
		}
	case *ecdsa.PublicKey:
		if k.Curve == elliptic.P256() {
			return config.AlgorithmES256
		}
	case ed25519.PublicKey:
		return config.AlgorithmEdDSA
	}
	return ""
}

// find answers the keys that a token with this header may be signed with. A token that
// names none may be signed with the only one of its algorithm.
func (s *keySet) find(kid, algorithm string) (found []crypto.PublicKey) {
	for _, k := range s.all {
		if k.algorithm == algorithm && (kid == "" || k.id == kid) && len(found) < maxAlike {
			found = append(found, k.key)
		}
	}
	if kid == "" && len(found) > 1 {
		return nil
	}
	return found
}
