package holotype

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/remote"
)

// buildMark tells this build from others of the same version by what it declares, bound
// or not: the names, the effects and the inputs. It is "" where that does not assemble.
func (s *Server) buildMark() string {
	reg, err := s.described()
	if err != nil {
		return "" // whatever serves says why
	}
	sum := sha256.New()
	for c := range reg.All() {
		e, _ := c.Effect()
		// A hash takes everything.
		_, _ = fmt.Fprintf(sum, "%s\n%s\n%s\n", c.Name(), e, c.Input().Raw())
	}
	return hex.EncodeToString(sum.Sum(nil)[:8])
}

// lacks answers the refusal of a name that this build declares and the holder, which is
// of another build, does not have; nil in any other case.
func (s *Server) lacks(client *remote.Client, name string) error {
	theirs := client.Build()
	if theirs == "" || theirs == s.buildMark() {
		return nil
	}
	if !s.declares(name) {
		return nil
	}
	return capabilities.Refuse(capabilities.NotFound,
		"the %s that runs is of another build than this one, and has no capability named %q: stop it, and start it again", s.o.Name, name).Because(capabilities.ErrUnknownCapability)
}

// declares reports whether this build declares the name, bound or not.
func (s *Server) declares(name string) bool {
	reg, err := s.described()
	if err != nil {
		return false // whatever serves says why
	}
	_, ours := reg.Find(name)
	return ours
}

// attachedSession calls the server that holds the data directory.
type attachedSession struct {
	*remote.Client
	server *Server
}

// Absent is that of the client, and refuses what only this build has.
func (a attachedSession) Absent(ctx context.Context, name string) error {
	if err := a.Client.Absent(ctx, name); err != nil {
		return err
	}
	return a.server.lacks(a.Client, name)
}

// Close has nothing to let go of: every request has a connection of its own.
func (attachedSession) Close() error { return nil }

// Attached answers true: another process serves.
func (attachedSession) Attached() bool { return true }

// Principal answers the owner: the socket is the owner's alone.
func (attachedSession) Principal() *capabilities.Principal { return capabilities.OwnerPrincipal() }
