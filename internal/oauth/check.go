package oauth

import (
	"context"
	"crypto"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/json"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/config"
)

const (
	// maxToken bounds a token in bytes.
	maxToken = 16 << 10
	// leeway is how far the clocks may be apart.
	leeway = time.Minute
	// maxScopes bounds the scopes of a token.
	maxScopes = 256
)

// claims are what a token says that is in order.
type claims struct {
	issuer, subject, client string
	audience, scopes        []string
	// begins is the later of nbf and iat; zero is always.
	begins, expires time.Time
}

// check judges a token by itself: all but whether it is for this address.
func (s *Resource) check(ctx context.Context, o *config.OAuth, token string, now time.Time) (*claims, error) {
	if len(token) > maxToken {
		return nil, refuse("the access token has over %d bytes: ask the authorization server for a smaller one", maxToken)
	}
	signed, err := jose.ParseSignedCompact(token, algorithms(o))
	if err != nil || len(signed.Signatures) != 1 {
		return nil, refuse("the access token is no JWT that is signed with %s", strings.Join(o.Algorithms, ", ")).Because(err)
	}
	head := signed.Signatures[0].Protected
	if !typed(head) {
		return nil, refuse("the JWT is no access token: its header says neither at+jwt nor JWT as typ")
	}
	if _, critical := head.ExtraHeaders["crit"]; critical {
		return nil, refuse("the access token has a header crit, and this server understands no extension")
	}
	// Whose it claims to be is looked at first: tokens of others ask for no key.
	c, fault := readClaims(signed.UnsafePayloadWithoutVerification(), o)
	if fault != nil {
		return nil, fault
	}
	keys, err := s.issuerOf(o).keysFor(ctx, head.KeyID, head.Algorithm)
	if err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(keys, func(k crypto.PublicKey) bool { _, err := signed.Verify(k); return err == nil }) {
		return nil, refuse("the signature of the access token is not that of the authorization server")
	}
	return c, c.timely(now)
}

// algorithms answers those that are allowed. What the configuration can say is a closed
// set without none and without shared secrets.
func algorithms(o *config.OAuth) []jose.SignatureAlgorithm {
	all := make([]jose.SignatureAlgorithm, 0, len(o.Algorithms))
	for _, a := range o.Algorithms {
		all = append(all, jose.SignatureAlgorithm(a))
	}
	return all
}

// typed reports whether a header says that the JWT is an access token, or no more than
// that it is a JWT (RFC 9068 section 4, RFC 8725 section 3.11).
func typed(head jose.Header) bool {
	typ, _ := head.ExtraHeaders[jose.HeaderType].(string)
	switch strings.ToLower(typ) {
	case "at+jwt", "application/at+jwt", "jwt":
		return true
	}
	return false
}

// wireClaims are the claims as they stand in the token, by their exact names: the decoder
// refuses one that is there twice.
type wireClaims map[string]json.RawMessage

func readClaims(payload []byte, o *config.OAuth) (*claims, *capabilities.Error) {
	var w wireClaims
	if json.Unmarshal(payload, &w) != nil || w == nil {
		return nil, refuse("the access token holds no JSON object of claims, each of them once")
	}
	c := &claims{}
	var ok bool
	if c.issuer, ok = w.text("iss"); !ok || c.issuer != o.Issuer {
		return nil, refuse("the access token is of another issuer: this server takes those of %s", o.Issuer)
	}
	if c.subject, ok = w.text(o.SubjectClaim); !ok || c.subject == "" || len(c.subject) > 255 || strings.Contains(c.subject, "\x00") {
		return nil, refuse("the claim %s of the access token says nobody whom it is for", o.SubjectClaim)
	}
	if o.SubjectClaim == "email" && !w.verified() {
		return nil, refuse("the access token says that nobody has verified its email, which is whom it is for here")
	}
	if c.audience, ok = w.words("aud"); !ok || len(c.audience) == 0 {
		return nil, refuse("the access token says no audience")
	}
	if c.expires, ok = w.time("exp"); !ok || c.expires.IsZero() {
		return nil, refuse("the access token does not say when it expires")
	}
	if _, bound := w["cnf"]; bound { // RFC 7800: whoever takes it has to ask for the proof
		return nil, refuse("the access token is bound to a key of the client, which this server cannot ask for: use a plain bearer token")
	}
	if c.client, ok = w.client(); !ok || strings.Contains(c.client, "\x00") { // which parts what [CredentialID] is made from
		return nil, refuse("the access token names its client as something else than a text")
	}
	if c.scopes, ok = w.granted(); !ok {
		return nil, refuse("the scopes of the access token are neither a text nor a list of at most %d", maxScopes)
	}
	return c, w.begun(c)
}

// verified reports that nothing speaks against the email of a token: an address that anybody
// may write into their profile names nobody.
func (w wireClaims) verified() bool {
	raw, there := w["email_verified"]
	return !there || string(raw) == "true" || string(raw) == `"true"` // some issuers write it as a text
}

// begun reads from when on the token is good.
func (w wireClaims) begun(c *claims) *capabilities.Error {
	for _, name := range []string{"nbf", "iat"} {
		at, ok := w.time(name)
		if !ok {
			return refuse("the claim %s of the access token is no time", name)
		}
		if at.After(c.begins) {
			c.begins = at
		}
	}
	return nil
}

// timely judges the times of a token.
func (c *claims) timely(now time.Time) error {
	switch {
	case !now.Before(c.expires.Add(leeway)):
		return refuse("the access token expired at %s: ask the authorization server for another", c.expires.UTC().Format(time.RFC3339))
	case c.begins.After(now.Add(leeway)):
		return refuse("the access token is good from %s on: the clocks of the authorization server and of this one are apart", c.begins.UTC().Format(time.RFC3339))
	}
	return nil
}

// text reads a claim that is a text; one that is not there is "".
func (w wireClaims) text(name string) (s string, ok bool) {
	raw, there := w[name]
	if !there {
		return "", true
	}
	var out *string
	if json.Unmarshal(raw, &out) != nil || out == nil {
		return "", false
	}
	return *out, true
}

// words reads a claim that is a text or a list of texts.
func (w wireClaims) words(name string) ([]string, bool) {
	if one, ok := w.text(name); ok {
		if one == "" {
			return nil, true
		}
		return []string{one}, true
	}
	var list []*string
	if json.Unmarshal(w[name], &list) != nil || list == nil || len(list) > maxScopes {
		return nil, false
	}
	all := make([]string, 0, len(list))
	for _, one := range list {
		if one == nil {
			return nil, false
		}
		all = append(all, *one)
	}
	return all, true
}

// granted reads the scopes: scope is RFC 9068's, scp that of several products. In a text
// they are parted by spaces.
func (w wireClaims) granted() ([]string, bool) {
	name := "scope"
	if _, there := w[name]; !there {
		name = "scp"
	}
	words, ok := w.words(name)
	if !ok {
		return nil, false
	}
	var all []string
	for _, text := range words {
		all = append(all, strings.Fields(text)...)
	}
	return all, len(all) <= maxScopes
}

// client reads which client the token was given to: client_id is RFC 9068's, azp that of
// OpenID Connect.
func (w wireClaims) client() (string, bool) {
	if _, there := w["client_id"]; there {
		return w.text("client_id")
	}
	return w.text("azp")
}

// time reads a claim that is a number of seconds; one that is not there is the zero time.
func (w wireClaims) time(name string) (time.Time, bool) {
	raw, there := w[name]
	if !there {
		return time.Time{}, true
	}
	var seconds *float64
	if json.Unmarshal(raw, &seconds) != nil || seconds == nil || *seconds < 1 || *seconds > 1<<40 {
		return time.Time{}, false
	}
	whole, part := math.Modf(*seconds)
	return time.Unix(int64(whole), int64(part*1e9)), true
}
