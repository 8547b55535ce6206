package authserver

import (
	"context"
	"database/sql"
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/seed-89b9419b/holotype/capabilities"
)

// mostSeen bounds the access tokens that are remembered.
const mostSeen = 4096

var errAccess = capabilities.Refuse(capabilities.Unauthenticated, "the access token is none of this server, or expired: use the refresh token, or connect again")

// Takes reports whether a bearer token is to be judged here. API tokens never have that
// form.
func (s *Server) Takes(token string) bool { return strings.HasPrefix(token, prefixAccess) && s.On() }

// Principal answers whom an access token stands for at the address of a request: the API
// token that was made for the client. The error is a refusal, as of
// [identity.Tokens.Principal].
func (s *Server) Principal(r *http.Request, token string) (*capabilities.Principal, error) {
	if !shaped(token, prefixAccess) {
		return nil, errAccess
	}
	b, err := s.access(r.Context(), hashOf(token))
	if err != nil {
		return nil, err
	}
	if s.o.Now().UnixMilli() >= b.ExpiresMS {
		return nil, errAccess
	}
	if !slices.Contains(s.o.Resource.Addresses(r), b.Resource) {
		return nil, capabilities.Refuse(capabilities.Unauthenticated, "the access token is for another resource than this address: connect to it by itself")
	}
	who, err := s.o.Tokens.Standing(r.Context(), b.Token)
	if e, ok := capabilities.AsError(err); ok && e.Code == capabilities.NotFound {
		return nil, errAccess
	}
	return who, err
}

// access answers what an access token is. Nothing of it changes: that it was revoked is
// told by its API token.
func (s *Server) access(ctx context.Context, hash string) (*bearer, error) {
	s.mu.Lock()
	b, ok := s.seen[hash]
	s.mu.Unlock()
	if ok {
		return b, nil
	}
	b, err := s.bearerRow(ctx, hash)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return nil, errAccess
	case err != nil:
		return nil, err
	case b.Kind != kindAccess:
		return nil, errAccess
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.seen) >= mostSeen {
		clear(s.seen)
	}
	s.seen[hash] = b
	return b, nil
}
