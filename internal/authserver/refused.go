package authserver

import (
	"net/http"
	"strings"
)

// Refused is why a request to the token or the revocation endpoint is refused.
type Refused struct {
	// Wrong says that a code, a token or a secret was sent that is not good.
	Wrong bool
	// Token is the id of the API token behind it, where it was good once; "" is not known.
	Token string
}

// errNotGiven is that a token that is to be revoked is none of this server, or of another
// client. Whoever sent it is told nothing (RFC 7009 section 2.2).
var errNotGiven = &failure{code: invalidGrant}

// noted tells of a failure whoever counts and keeps them, and answers what is answered. What
// ended in a call has a row of its own, and what is our own fault stands in the log.
func (s *Server) noted(r *http.Request, f *failure) *failure {
	switch f.code {
	case invalidGrant, invalidClient:
		if wait := s.o.Refused(r, Refused{Wrong: true, Token: f.token}); wait > 0 {
			return &failure{
				status: http.StatusTooManyRequests, code: unavailable, retry: wait,
				words: "your address has sent too many codes and tokens that are not good: a request with a good one is served at once",
			}
		}
	case invalidRequest, invalidScope, invalidTarget, unsupportedGrant:
		s.o.Refused(r, Refused{})
	}
	return f
}

// challenge answers the scheme that a client tried to authenticate by, as far as it is one
// of two (RFC 6749 section 5.2); who sent its secret otherwise is told the usual one.
func challenge(r *http.Request) string {
	scheme, _, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if strings.EqualFold(scheme, "Bearer") {
		return `Bearer realm="oauth"`
	}
	return `Basic realm="oauth", charset="UTF-8"`
}
