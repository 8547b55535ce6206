package mcpserver

import (
	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/rawjson"
)

// acting answers the caller as it acts for whom the _meta object names; the caller itself
// where it names nobody, and beside a refusal.
func (s *Server) acting(p *capabilities.Principal, m *meta) (*capabilities.Principal, *capabilities.Error) {
	if m.actingFor == nil {
		return p, nil
	}
	person, ok := rawjson.String(m.actingFor)
	switch {
	case !ok:
		return p, capabilities.Refuse(capabilities.Invalid, "_meta %q is the id of a person, a string", MetaActingFor)
	case s.o.ActFor == nil:
		return p, capabilities.Refuse(capabilities.Invalid, "nobody acts for anybody here: leave _meta %q out", MetaActingFor)
	case p != nil && p.ActingFor != "" && p.ActingFor != person:
		return p, capabilities.Refuse(capabilities.Invalid, "_meta %q names somebody else than the request does: name one", MetaActingFor)
	}
	who, err := s.o.ActFor(p, person)
	if err == nil {
		return who, nil
	}
	if e, judged := capabilities.AsError(err); judged {
		return p, e
	}
	return p, internalError("").Because(err)
}
