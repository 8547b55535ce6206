package bridge

import (
	"slices"
	"time"
)

// A givenUp is a call that its server was told to give up. A server may go on with it all
// the same, and ask: so what comes without a word on what it is about may be about this
// call, until it is answered after all, the connection has ended, or as much time has gone
// by as a call may take. Only whoever made it is asked meanwhile.
type givenUp struct {
	id     uint32 // of the request
	person string // who made it; "" is anybody
	until  time.Time
}

// maxGivenUp bounds the calls that are kept so.
const maxGivenUp = 256

// giveUp notes that the server of a call was told to give it up.
func (s *calls) giveUp(id uint32, c *courier) {
	if c == nil { // it is asked nothing
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.forgetGivenUp(c.now())
	one := givenUp{id, c.person, c.now().Add(c.sp.conf.callTimeout())}
	if len(s.given) < maxGivenUp {
		s.given = append(s.given, one)
		return
	}
	// Those that find no room count as one of anybody's, which no answer ends.
	last := &s.given[maxGivenUp-1]
	if last.until.After(one.until) {
		one.until = last.until
	}
	*last = givenUp{until: one.until}
}

// answered notes that the server has answered a call that nobody waits for any more.
func (s *calls) answered(id uint32) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.given = slices.DeleteFunc(s.given, func(g givenUp) bool { return g.id == id && g.id != 0 })
}

// forgetGivenUp drops those whose time is over. s.mu is held.
func (s *calls) forgetGivenUp(now time.Time) {
	s.given = slices.DeleteFunc(s.given, func(g givenUp) bool { return !now.Before(g.until) })
}

// another reports whether a call was given up that is not that person's. s.mu is held.
func (s *calls) another(c *courier) bool {
	s.forgetGivenUp(c.now())
	return slices.ContainsFunc(s.given, func(g givenUp) bool { return g.person == "" || g.person != c.person })
}
