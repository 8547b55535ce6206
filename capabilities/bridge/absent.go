package bridge

import (
	"strings"

	"github.com/seed-89b9419b/holotype/capabilities"
)

// Absent answers the refusal of a name that no capability has now and that one may
// have soon: it begins with the prefix of a server that is starting or failing and
// has not told its tools. It is the refusal that they would meet, [capabilities.Unavailable]
// with the server's state and when it is tried again. It is nil for every other name,
// and for a principal that no tool of the server is for.
func (b *Bridge) Absent(p *capabilities.Principal, name string) *capabilities.Error {
	for _, s := range b.supervisors() {
		if sp := s.specNow(); s.isFor(p) && strings.HasPrefix(name, sp.conf.prefix()) {
			return s.absent(p, name)
		}
	}
	return nil
}

// AbsentAt is [Bridge.Absent] for a tool as a path names it: by its server, and by its
// name without the prefix.
func (b *Bridge) AbsentAt(p *capabilities.Principal, server, tool string) *capabilities.Error {
	for _, s := range b.supervisors() {
		if s.isFor(p) && s.key.Server == server {
			return s.absent(p, s.specNow().conf.prefix()+tool)
		}
	}
	return nil
}

// Awaited is a server that has not told what it offers.
type Awaited struct {
	Server string
	// Relays are the methods that it may have to be relayed: what is switched off is not
	// among them.
	Relays []*capabilities.Capability
}

// Awaited answers the servers that a principal could have tools of, which have not told what
// they offer and may do so at any time. One whose configuration has to be changed first is
// not awaited.
func (b *Bridge) Awaited(p *capabilities.Principal) []Awaited {
	var all []Awaited
	for _, s := range b.supervisors() {
		if !s.isFor(p) || !p.Has(s.key.Server+":read") || !s.awaited() {
			continue
		}
		sp := s.specNow()
		one := Awaited{Server: s.key.Server}
		for _, method := range anything().within(sp.conf.Relay).methods() {
			one.Relays = append(one.Relays, s.relay(sp, method, ""))
		}
		all = append(all, one)
	}
	return all
}

// awaited reports whether the server may tell for the first time what it offers.
func (s *supervisor) awaited() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch s.state {
	case StateStarting, StateFailed, StateExited, StateReady:
	case StateHeld: // it may be signed in to
		if s.phase == phaseConfiguration {
			return false
		}
	default:
		return false
	}
	return s.shown.untold()
}

// isFor reports whether the instance is one that a principal can have tools of.
func (s *supervisor) isFor(p *capabilities.Principal) bool {
	return s.key.Seat == "" || p != nil && s.key.Seat == p.Seat
}

func (s *supervisor) absent(p *capabilities.Principal, name string) *capabilities.Error {
	// Whoever may read from a server or write to it has this one, see Principal.Has.
	if !p.Has(s.key.Server + ":read") {
		return nil
	}
	s.mu.Lock()
	ready, listed := s.state == StateReady, !s.shown.untold()
	known := s.shown.shows(name)
	s.mu.Unlock()
	// A known name that is absent is being published just now.
	if ready || listed && !known {
		return nil
	}
	return s.down()
}
