package holotype

import (
	"crypto/subtle"
	"net/http"
	"strings"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/config"
)

// authenticate answers who sends a request: whoever the embedding program says,
// else the owner by the token of the data directory, else nobody. With auth: none
// everybody who reaches the loopback is the owner.
func (s *Server) authenticate(p *place) func(*http.Request) (*capabilities.Principal, error) {
	owner := capabilities.OwnerPrincipal()
	want := []byte(p.token)
	return func(r *http.Request) (*capabilities.Principal, error) {
		if s.o.Principal != nil {
			if who := s.o.Principal(r); who != nil {
				return who, nil
			}
		}
		if p.config.Auth == config.AuthNone {
			return owner, nil
		}
		header := r.Header.Get("Authorization")
		if header == "" {
			return nil, nil
		}
		scheme, token, _ := strings.Cut(header, " ")
		if !strings.EqualFold(scheme, "Bearer") || subtle.ConstantTimeCompare([]byte(strings.TrimSpace(token)), want) != 1 {
			return nil, capabilities.Refuse(capabilities.Unauthenticated, "the bearer token is not one of this server: the owner's stands in owner.token in the data directory")
		}
		return owner, nil
	}
}
