package authserver

import (
	"context"
	"database/sql"
	"errors"
	"net/http"
	"net/url"
)

// revoke serves RFC 7009: it ends the connection that a token is of, whichever of its two
// it is. A token that is none is revoked already.
func (s *Server) revoke(w http.ResponseWriter, r *http.Request) {
	form, f := readForm(w, r)
	if f == nil {
		f = identified(r, form)
	}
	if f == nil {
		f = s.end(r, form)
	}
	if f != nil {
		f = s.noted(r, f)
	}
	if f != nil && f != errNotGiven {
		s.fail(w, r, f)
		return
	}
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(http.StatusOK)
}

func (s *Server) end(r *http.Request, form url.Values) *failure {
	secret := form.Get("token")
	if secret == "" {
		return &failure{code: invalidRequest, words: "token is missing"}
	}
	if !shaped(secret, prefixAccess) && !shaped(secret, prefixRefresh) {
		return errNotGiven
	}
	b, err := s.bearerRow(r.Context(), hashOf(secret))
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return errNotGiven
	case err != nil:
		return s.failed(r, "revocation_failed", err)
	case form.Has("client_id") && form.Get("client_id") != b.Client:
		return errNotGiven
	}
	if _, err := s.endGrant(r.Context(), b.Token); err != nil {
		return s.failed(r, "token_not_revoked", err)
	}
	return nil
}

// endGrant revokes the API token that a client has something of, also when whoever asked for
// it has gone, and reports whether it did. One that is over is left alone: whoever still has
// what was good once does not make the server write by it.
func (s *Server) endGrant(ctx context.Context, token string) (ended bool, err error) {
	ctx = context.WithoutCancel(ctx)
	over, err := s.o.Tokens.Over(ctx, token)
	if over || err != nil {
		return false, err
	}
	return true, s.o.Revoke(ctx, token)
}
