package signin

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"time"
)

// How a client shows an authorization server that it is itself (RFC 7591 section 2).
const (
	methodNone  = "none"
	methodBasic = "client_secret_basic"
	methodPost  = "client_secret_post"
)

// identity is what a client is known by at an authorization server.
type identity struct {
	ID     string `json:"id"`
	Secret string `json:"secret,omitempty"`
	Method string `json:"method"`
}

// registration is an identity that was made for us. It is good for the issuer and the redirect alone that it was made with.
type registration struct {
	Issuer   string    `json:"issuer"`
	Redirect string    `json:"redirect"`
	Client   identity  `json:"client"`
	Until    time.Time `json:"until,omitzero"`
}

// fits reports whether a registration can be used.
func (r *registration) fits(issuer, redirect string, now time.Time) bool {
	return r != nil && r.Issuer == issuer && r.Redirect == redirect && (r.Until.IsZero() || now.Before(r.Until.Add(-attemptTime)))
}

// grant is what a sign-in was answered, with all that it is bound to.
type grant struct {
	// URL is that of the MCP endpoint, Resource how that names itself.
	URL      string `json:"url"`
	Resource string `json:"resource"`
	Issuer   string `json:"issuer"`
	// Token and Revocation are the endpoints that a token of this grant may be sent to.
	Token      string   `json:"token"`
	Revocation string   `json:"revocation,omitempty"`
	Reach      reach    `json:"reach,omitempty"`
	Client     identity `json:"client"`
	// Given says that the client is one of the configuration, and not made for us.
	Given bool `json:"given,omitempty"`

	Access  string        `json:"access"`
	Refresh string        `json:"refresh,omitempty"`
	Scopes  []string      `json:"scopes,omitempty"`
	Since   time.Time     `json:"since"`
	At      time.Time     `json:"at"`    // when the access token was received
	Lives   time.Duration `json:"lives"` // 0 is not known
	// Pressed says that the access token was asked for because the server refused the one before it.
	Pressed bool `json:"pressed,omitempty"`
}

// record is what is sealed of an account.
type record struct {
	Registration *registration `json:"registration,omitempty"`
	Grant        *grant        `json:"grant,omitempty"`
}

// Nothing that holds a secret is printed, whatever the verb, and none is logged.

// Format writes what it is.
func (identity) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, "a client") }

// Format writes what it is.
func (registration) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, "a registration") }

// Format writes what it is.
func (grant) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, "a grant") }

// Format writes what it is.
func (record) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, "a record") }

// Format writes the key and the URL.
func (s Server) Format(f fmt.State, _ rune) {
	_, _ = fmt.Fprintf(f, "{%s %s %s}", s.Seat, s.Key.Server, s.URL)
}

// LogValue is what [Server.Format] writes.
func (s Server) LogValue() slog.Value { return slog.StringValue(fmt.Sprint(s)) }

// MarshalJSON writes the key and the URL.
func (s Server) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Seat   string `json:"seat,omitempty"`
		Server string `json:"server"`
		URL    string `json:"url"`
	}{s.Seat, s.Key.Server, s.URL})
}

// Digest is equal for two servers that are configured the same, the secret included, which it does not tell.
func (s Server) Digest() string {
	h := sha256.New()
	for _, text := range append([]string{s.Seat, s.Key.Server, s.URL, s.ClientID, s.ClientSecret, s.Issuer, fmt.Sprint(s.Scopes == nil)}, s.Scopes...) {
		_, _ = fmt.Fprintf(h, "%d:%s", len(text), text) // never fails: see hash.Hash
	}
	return hex.EncodeToString(h.Sum(nil))
}

// maxRecord bounds a record, which can be that of a few tokens of 16 KiB each.
const maxRecord = 60 << 10

// sealedName is what the record of an account is kept under. Names of servers and seats are no names of secrets.
func (k Key) sealedName() string {
	sum := sha256.Sum256([]byte(k.Seat + "\x00" + k.Server))
	return "s" + hex.EncodeToString(sum[:16])
}

// load reads a record. One that cannot be read is none, which is told.
func (c *Client) load(key Key) (record, error) {
	text, err := c.o.Sealed.Load(key.sealedName())
	if err != nil {
		return record{}, fmt.Errorf("reading the sign-in to %s: %w", key.Server, err)
	}
	var r record
	if text == "" {
		return r, nil
	}
	if json.Unmarshal([]byte(text), &r) != nil { // what json would say may quote
		return record{}, fmt.Errorf("reading the sign-in to %s: it is damaged; sign in again", key.Server)
	}
	if g := r.Grant; g != nil && (judgeToken(g.Access) != nil || g.Refresh != "" && judgeToken(g.Refresh) != nil || g.Reach < 0 || g.Reach > allAddresses) {
		r.Grant = nil
	}
	return r, nil
}

func (c *Client) store(key Key, r record) error {
	text := ""
	if r.Registration != nil || r.Grant != nil {
		b, err := json.Marshal(r)
		if err != nil || len(b) > maxRecord {
			return errors.New("what is signed in with cannot be written down, or is too large")
		}
		text = string(b)
	}
	if err := c.o.Sealed.Store(key.sealedName(), text); err != nil {
		return fmt.Errorf("keeping the sign-in to %s: %w", key.Server, err)
	}
	return nil
}

// of reports whether a grant is one of a server as it is configured now.
func (g *grant) of(s Server) bool {
	if g == nil || g.URL != s.URL || s.Issuer != "" && !sameIssuer(g.Issuer, s.Issuer) {
		return false
	}
	if s.ClientID == "" {
		return !g.Given // a client that was taken out is not to be used
	}
	return g.Client.ID == s.ClientID && g.Client.Secret == s.ClientSecret
}

// age is how long ago the access token was received. A clock that has been put back says nothing.
func (g *grant) age(now time.Time) (time.Duration, bool) {
	age := now.Sub(g.At)
	return age, age >= 0
}

// early is how long before its end an access token is renewed.
func (g *grant) early() time.Duration { return min(time.Minute, g.Lives/2) }

// stale reports whether the access token ends soon, and can be renewed.
func (g *grant) stale(now time.Time) bool {
	age, _ := g.age(now)
	return g.Refresh != "" && g.Lives > 0 && age >= g.Lives-g.early()
}

// secrets are all that a grant holds.
func (g *grant) secrets() []string {
	if g == nil {
		return nil
	}
	return slices.DeleteFunc([]string{g.Access, g.Refresh, g.Client.Secret}, func(s string) bool { return s == "" })
}

const maxToken = 16 << 10

// judgeToken answers what is wrong with a token as part of a header, or of a form. It does not quote it.
func judgeToken(token string) error {
	if token == "" || len(token) > maxToken {
		return faultf("a token is empty or over %d bytes", maxToken)
	}
	for _, c := range []byte(token) {
		if c <= ' ' || c > '~' {
			return faultf("a token has characters that tokens have not")
		}
	}
	return nil
}

// judgeSecret is [judgeToken] for what a client is registered by, which may have blanks (RFC 6749 appendix A.2).
func judgeSecret(text string, most int) error {
	if len(text) > most {
		return faultf("what a client is known by is over %d bytes", most)
	}
	for _, c := range []byte(text) {
		if c < ' ' || c > '~' {
			return faultf("what a client is known by has characters that it must not have")
		}
	}
	return nil
}

// scopeTokens answers the scopes of a text (RFC 6749 section 3.3): what is none is left out, as is what is too much.
func scopeTokens(texts ...string) []string {
	const most, longest = 100, 256
	var out []string
	for _, text := range texts {
		for one := range strings.FieldsSeq(text) {
			if len(out) < most && len(one) <= longest && isScope(one) && !slices.Contains(out, one) {
				out = append(out, one)
			}
		}
	}
	return out
}

func isScope(text string) bool {
	for _, c := range []byte(text) {
		if c < '!' || c > '~' || c == '"' || c == '\\' {
			return false
		}
	}
	return true
}
