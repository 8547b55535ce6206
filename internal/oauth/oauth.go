// Package oauth takes the access tokens of an OAuth 2.1 authorization server: this
// program as a resource server.
//
// An access token is a JWT (RFC 9068) that the configured issuer signed for this server.
// It is checked by itself at every request: nothing of it is stored, and nothing in it
// says by which key or where from it is to be checked. What clients need to get one
// stands in the metadata of RFC 9728.
package oauth

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/config"
)

// Options configure a [Resource]. All but Transport are needed.
type Options struct {
	// Config answers the configuration in force. What stands in one does not change: a
	// reload is another.
	Config func() *config.Config
	// Address is where clients reach the server when the configuration does not say, such
	// as http://127.0.0.1:4280, without a slash at its end.
	Address string
	Now     func() time.Time
	// Title is what the server is called in its metadata.
	Title string
	// Transport sends the requests to the issuer; nil is one of its own.
	Transport http.RoundTripper
}

// Resource takes access tokens. It is safe for concurrent use.
type Resource struct {
	o Options

	mu     sync.Mutex
	issuer *issuer // of the configuration that a token was last checked under
	seen   map[digest]*taken
}

type digest [sha256.Size]byte

const (
	// trusted is how long a token is not checked anew: a key that the issuer takes back
	// counts that much longer.
	trusted = time.Minute
	// mostTaken bounds what is remembered: beyond it, all is checked anew.
	mostTaken = 4096
)

// taken is a token that was in order.
type taken struct {
	under *config.Config
	at    time.Time
	ends  time.Time
	aud   []string
	who   *capabilities.Principal
}

// New answers a resource server.
func New(o Options) *Resource { return &Resource{o: o, seen: map[digest]*taken{}} }

// settings answers the entry in force, and nil where tokens of an issuer are not taken.
func (s *Resource) settings() (*config.Config, *config.OAuth) {
	c := s.o.Config()
	if c.OAuth.Issuer == "" {
		return c, nil
	}
	return c, &c.OAuth
}

// Takes reports whether a bearer token is to be judged here: it has the form of a JWT, and
// an issuer is configured. API tokens never have that form.
func (s *Resource) Takes(token string) bool {
	_, o := s.settings()
	return o != nil && strings.Count(token, ".") == 2
}

// Principal answers whom an access token stands for at the address of a request. The error
// is a refusal: [capabilities.Unauthenticated] for a token that is not in order, which is
// told to nobody but who sent it, and [capabilities.Unavailable] while the keys of the
// issuer cannot be had.
func (s *Resource) Principal(r *http.Request, token string) (*capabilities.Principal, error) {
	c, o := s.settings()
	if o == nil {
		return nil, refuse("this server takes no access tokens of an authorization server")
	}
	t, err := s.take(r.Context(), c, token)
	if err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(s.audiences(o, r), func(a string) bool { return slices.Contains(t.aud, a) }) {
		return nil, refuse("the access token is for another audience: ask the authorization server for one for %s", s.audiences(o, r)[0])
	}
	return t.who, nil
}

// audiences answers what a token may be for at the address of a request.
func (s *Resource) audiences(o *config.OAuth, r *http.Request) []string {
	if o.Audience != "" {
		return []string{o.Audience}
	}
	base := s.Address(r)
	if path := resourcePath(r.URL.Path); path != "" {
		return []string{base + path, base, base + "/"}
	}
	return []string{base, base + "/"} // which some clients write for it
}

// take answers what a token says, once it is in order by itself.
func (s *Resource) take(ctx context.Context, c *config.Config, token string) (*taken, error) {
	now := s.o.Now()
	sum := digest(sha256.Sum256([]byte(token)))
	s.mu.Lock()
	t := s.seen[sum]
	s.mu.Unlock()
	if t != nil && t.under == c && now.Before(t.ends) && !now.Before(t.at) && now.Sub(t.at) < trusted {
		return t, nil
	}
	claims, err := s.check(ctx, &c.OAuth, token, now)
	if err != nil {
		return nil, err
	}
	who, err := claims.principal(&c.OAuth)
	if err != nil {
		return nil, err
	}
	t = &taken{under: c, at: now, ends: claims.expires.Add(leeway), aud: claims.audience, who: who}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.seen) >= mostTaken {
		clear(s.seen)
	}
	s.seen[sum] = t
	return t, nil
}

// issuerOf answers the issuer of a configuration, with the keys that are known of it.
func (s *Resource) issuerOf(o *config.OAuth) *issuer {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.issuer == nil || s.issuer.name != o.Issuer || s.issuer.stated != o.JWKSURL {
		s.issuer = newIssuer(o.Issuer, o.JWKSURL, s.o.Transport, s.o.Now)
	}
	return s.issuer
}

// principal answers whom the claims stand for.
func (c *claims) principal(o *config.OAuth) (*capabilities.Principal, error) {
	id := CredentialID(c.issuer, c.subject, c.client)
	p := &capabilities.Principal{ID: id, Kind: capabilities.Operator, Scopes: scopesOf(c.scopes, o), Credential: id}
	switch person, known := o.People[c.subject]; {
	case known:
		p.ID, p.Kind = person, capabilities.Person
	case o.PeopleOnly:
		return nil, refuse("the access token is for nobody who is known here: ask the owner of this server to name you under oauth.people")
	}
	return p, nil
}

// CredentialID answers the id of what a client of an issuer holds for a subject. It stays
// the same when the token is renewed, and neither the token nor the subject is in it.
func CredentialID(issuer, subject, client string) string {
	sum := sha256.Sum256([]byte(issuer + "\x00" + subject + "\x00" + client))
	return "oauth_" + hex.EncodeToString(sum[:12])
}

func refuse(format string, args ...any) *capabilities.Error {
	return capabilities.Refuse(capabilities.Unauthenticated, format, args...)
}
