package authserver

import (
	"crypto/sha256"
	"crypto/subtle"
	"database/sql"
	"encoding/base64"
	"encoding/json"
	"errors"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/seed-89b9419b/holotype/capabilities"
)

const (
	// codeHolds is how long a code may be exchanged.
	codeHolds = 2 * time.Minute
	// accessHolds is how long an access token is good, refreshHolds how long a refresh token
	// waits to be used.
	accessHolds  = time.Hour
	refreshHolds = 30 * 24 * time.Hour
	// grantHolds is after how long the owner is asked again, as the lifetime of a token.
	grantHolds = "90d"

	maxForm = 16 << 10
)

// granted is what the token endpoint answers (RFC 6749 section 5.1).
type granted struct {
	Access  string `json:"access_token"`
	Type    string `json:"token_type"`
	Seconds int    `json:"expires_in"`
	Refresh string `json:"refresh_token"`
	Scope   string `json:"scope"`
}

// token serves the token endpoint.
func (s *Server) token(w http.ResponseWriter, r *http.Request) {
	form, f := readForm(w, r)
	if f == nil {
		f = identified(r, form)
	}
	if f != nil {
		s.fail(w, r, s.noted(r, f))
		return
	}
	var out *granted
	switch form.Get("grant_type") {
	case grantCode:
		out, f = s.exchange(r, form)
	case grantRefresh:
		out, f = s.refresh(r, form)
	case "":
		f = &failure{code: invalidRequest, words: "grant_type is missing"}
	default:
		f = &failure{code: unsupportedGrant, words: "grant_type is neither authorization_code nor refresh_token"}
	}
	if f != nil {
		s.fail(w, r, s.noted(r, f))
		return
	}
	w.Header().Set("Pragma", "no-cache")
	s.json(w, r, http.StatusOK, out)
}

// readForm reads the body of a request: every parameter once (RFC 6749 section 3.2), but
// for resource, and none in the URL.
func readForm(w http.ResponseWriter, r *http.Request) (url.Values, *failure) {
	const form = "application/x-www-form-urlencoded"
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != form {
		return nil, &failure{code: invalidRequest, words: "parameters travel in the body: send them as " + form}
	}
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	if err := r.ParseForm(); err != nil {
		return nil, &failure{code: invalidRequest, words: "the parameters cannot be read, or have over 16384 bytes"}
	}
	if r.URL.RawQuery != "" {
		return nil, &failure{code: invalidRequest, words: "parameters travel in the body, and some are in the URL"}
	}
	if name := twice(r.PostForm); name != "" {
		return nil, &failure{code: invalidRequest, words: name + " is there twice"}
	}
	return r.PostForm, nil
}

// twice answers a parameter of ours that is there more than once.
func twice(v url.Values) string {
	for _, name := range []string{
		"grant_type", "client_id", "code", "code_verifier", "redirect_uri", "refresh_token", "scope", "token", "token_type_hint", "response_type",
		"code_challenge", "code_challenge_method", "state", "resource", "decision", "seat", "mark", "response_mode",
	} {
		if len(v[name]) > 1 {
			return name
		}
	}
	return ""
}

// identified takes over the id of a client that is in the header, as libraries do that have
// no secret to send. A secret is refused: no client here has one.
func identified(r *http.Request, form url.Values) *failure {
	user, secret, ok := r.BasicAuth()
	if !ok {
		if r.Header.Get("Authorization") == "" && form.Get("client_secret") == "" {
			return nil
		}
		return &failure{code: invalidClient, words: "clients have no secret here: send client_id alone", status: http.StatusUnauthorized}
	}
	id, err := url.QueryUnescape(user) // RFC 6749 section 2.3.1
	if err != nil || secret != "" || form.Get("client_id") != "" && form.Get("client_id") != id {
		return &failure{code: invalidClient, words: "clients have no secret here: send client_id alone", status: http.StatusUnauthorized}
	}
	form.Set("client_id", id)
	return nil
}

var errGrant = &failure{code: invalidGrant, words: "the code is none of this server, was used, or expired: begin again"}

// exchange gives a client what the owner consented to.
func (s *Server) exchange(r *http.Request, form url.Values) (*granted, *failure) {
	secret, verifier := form.Get("code"), form.Get("code_verifier")
	if !verifies(verifier) {
		return nil, &failure{code: invalidRequest, words: "code_verifier is missing, or is not 43 to 128 characters of RFC 7636: PKCE is needed"}
	}
	if !shaped(secret, prefixCode) {
		return nil, errGrant
	}
	if err := s.knows(r.Context(), secret); errors.Is(err, sql.ErrNoRows) {
		return nil, errGrant // whoever guesses makes nobody wait for a write
	}
	c, again, err := s.takeCode(r.Context(), secret)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return nil, errGrant
	case err != nil:
		return nil, s.failed(r, "code_not_taken", err)
	case again:
		return nil, s.spoilt(r, c.Token.String)
	}
	if f := c.fits(form, verifier, s.o.Now()); f != nil {
		return nil, f
	}
	var scopes []string
	if err := json.Unmarshal([]byte(c.Scopes), &scopes); err != nil {
		return nil, s.failed(r, "code_unreadable", err)
	}
	id, err := s.o.Make(r.Context(), Draft{Name: c.Name, Scopes: scopes, Expires: grantHolds, Seat: c.Seat})
	if err != nil {
		return nil, s.failed(r, "token_not_made", err)
	}
	out, f := s.hand(r, bearer{Token: id, Client: c.Client, Resource: c.Resource, Scopes: c.Scopes}, secret, "")
	if f != nil { // nobody holds anything for it
		if _, err := s.endGrant(r.Context(), id); err != nil {
			return nil, s.failed(r, "token_not_revoked", err)
		}
	}
	return out, f
}

// fits judges what a client sends with a code. It is taken then, right or wrong.
func (c *code) fits(form url.Values, verifier string, now time.Time) *failure {
	sum := sha256.Sum256([]byte(verifier))
	challenge := base64.RawURLEncoding.EncodeToString(sum[:])
	switch {
	case now.UnixMilli() >= c.ExpiresMS, form.Get("client_id") != c.Client, form.Get("redirect_uri") != c.Redirect:
		return errGrant
	case subtle.ConstantTimeCompare([]byte(challenge), []byte(c.Challenge)) != 1:
		return &failure{code: invalidGrant, words: "code_verifier is not what code_challenge was made from"}
	case form.Has("resource") && form.Get("resource") != c.Resource:
		return &failure{code: invalidTarget, words: "resource is another one than in the authorization request"}
	}
	return nil
}

// verifies reports whether a text may be a code verifier (RFC 7636 section 4.1).
func verifies(s string) bool {
	return len(s) >= 43 && len(s) <= 128 && !strings.ContainsFunc(s, func(c rune) bool {
		return (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && !strings.ContainsRune("-._~", c)
	})
}

// refresh gives a client new tokens for a refresh token, which is used up by it.
func (s *Server) refresh(r *http.Request, form url.Values) (*granted, *failure) {
	gone := &failure{code: invalidGrant, words: "the refresh token is none of this server, was used, expired or was revoked: begin again"}
	secret := form.Get("refresh_token")
	if !shaped(secret, prefixRefresh) {
		return nil, gone
	}
	b, err := s.bearerRow(r.Context(), hashOf(secret))
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return nil, gone
	case err != nil:
		return nil, s.failed(r, "refresh_failed", err)
	case b.Kind != kindRefresh || b.Client != form.Get("client_id"):
		return nil, gone
	case b.UsedMS.Valid:
		return nil, s.spoilt(r, b.Token)
	case s.o.Now().UnixMilli() >= b.ExpiresMS:
		return nil, gone
	case form.Has("resource") && form.Get("resource") != b.Resource:
		return nil, &failure{code: invalidTarget, words: "resource is another one than the tokens are for"}
	}
	if f := b.holds(form.Get("scope")); f != nil {
		return nil, f
	}
	if _, err := s.o.Tokens.Bearer(r.Context(), b.Token); err != nil {
		if e, ok := capabilities.AsError(err); ok && e.Code != capabilities.Unavailable {
			return nil, gone
		}
		return nil, s.failed(r, "refresh_failed", err)
	}
	return s.hand(r, *b, "", secret)
}

// holds judges the scopes that a refresh asks for: what was granted, or less, which gets
// what was granted and is told so.
func (b *bearer) holds(scope string) *failure {
	var scopes []string
	if err := json.Unmarshal([]byte(b.Scopes), &scopes); err != nil {
		return &failure{status: http.StatusInternalServerError, code: serverError, words: "this server failed"}
	}
	for one := range strings.FieldsSeq(scope) {
		if !slices.Contains(scopes, one) && known(one) {
			return &failure{code: invalidScope, words: "scope asks for more than was granted: begin again"}
		}
	}
	return nil
}

// hand makes and keeps what a client gets.
func (s *Server) hand(r *http.Request, b bearer, from, spent string) (*granted, *failure) {
	p := pair{mint(prefixAccess), mint(prefixRefresh)}
	switch err := s.give(r.Context(), p, b, from, spent); {
	case errors.Is(err, errTwice):
		return nil, s.spoilt(r, b.Token)
	case err != nil:
		return nil, s.failed(r, "tokens_not_kept", err)
	}
	var scopes []string
	if err := json.Unmarshal([]byte(b.Scopes), &scopes); err != nil {
		return nil, s.failed(r, "scopes_unreadable", err)
	}
	return &granted{p.access, "Bearer", int(accessHolds / time.Second), p.refresh, strings.Join(scopes, " ")}, nil
}

// spoilt ends what a code or a refresh token was good for that came twice: one of the two
// who sent it is not whom it was given to, and nobody knows which (RFC 9700 section 4.14).
func (s *Server) spoilt(r *http.Request, token string) *failure {
	if token != "" {
		ended, err := s.endGrant(r.Context(), token)
		if ended {
			s.o.Log.WarnContext(r.Context(), "oauth_token_reused", "token", token)
		}
		if err != nil {
			return s.failed(r, "token_not_revoked", err)
		}
	}
	return &failure{code: invalidGrant, words: "it was used before, so that everything it was good for is revoked: begin again", token: token}
}
