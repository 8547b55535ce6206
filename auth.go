package holotype

import (
	"crypto/subtle"
	"net/http"
	"net/netip"
	"strings"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/config"
)

// fromLoopback reports whether a request came over the loopback.
func fromLoopback(r *http.Request) bool {
	addr, err := netip.ParseAddrPort(r.RemoteAddr)
	return err == nil && addr.Addr().Unmap().IsLoopback()
}

// authenticate answers who sends a request: whoever the embedding program says,
// else the owner by the token of the data directory, else nobody. With auth: none
// everybody who reaches the loopback is the owner.
func (s *Server) authenticate(p *place) func(*http.Request) (*capabilities.Principal, error) {
	owner := capabilities.OwnerPrincipal()
	want := []byte(p.token)
	return func(r *http.Request) (*capabilities.Principal, error) {
		if s.o.Authenticate != nil {
			if who, err := s.o.Authenticate(r); who != nil || err != nil {
				return who, err
			}
		}
		// A program that mounts the handler may listen where we do not know.
		if p.config.Auth == config.AuthNone && fromLoopback(r) {
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
