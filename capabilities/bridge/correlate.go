package bridge

import (
	"encoding/json"
	"sync"

	"github.com/seed-89b9419b/holotype/internal/rawjson"
)

// calls are those that run on one connection. What a server says without saying what it
// is about belongs to the call that runs, where there is one; nobody is ever asked, or
// told, what may be another's.
type calls struct {
	server string // its configured name
	relay  Relay  // what it may ask at all

	mu      sync.Mutex
	running []*courier
	given   []givenUp // in the order of their ends, or nearly so
}

// begin notes a call until end is called.
func (s *calls) begin(c *courier) (end func()) {
	if c == nil {
		return func() {}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.running = append(s.running, c)
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		for i, one := range s.running {
			if one == c {
				s.running = append(s.running[:i:i], s.running[i+1:]...)
				return
			}
		}
	}
}

// one answers the call that a message belongs to: the one that runs, or the last one of
// those that one client has made.
func (s *calls) one() (*courier, *unasked) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.running) == 0 {
		return nil, noQuestion(codeInternal, "no call runs that this could belong to, so there is nobody to ask")
	}
	last := s.running[len(s.running)-1]
	for _, c := range s.running[:len(s.running)-1] {
		if who := c.client(); who == "" || who != last.client() {
			return nil, noQuestion(codeInternal, "calls of several clients run, and nothing says whose this belongs to: ask again when one of them runs alone")
		}
	}
	if s.another(last) {
		return nil, noQuestion(codeInternal, "a call of somebody else's was given up, and nothing says that this does not belong to it: ask again later")
	}
	return last, nil
}

// request answers a request of the server that names no call.
func (s *calls) request(m message, reply replies) {
	if on, _ := s.relay.may(m.method); !on {
		reply.now(s.refusal(m))
		return
	}
	c, no := s.one()
	if no != nil {
		reply.now(errorLine(m.id, no))
		return
	}
	c.take(m, reply)
}

// refusal answers a request of the server that nobody is asked.
func (s *calls) refusal(m message) []byte {
	if on, name := s.relay.may(m.method); name != "" && !on {
		return errorLine(m.id, switchedOff(m.method, s.server, name))
	}
	return answerRequest(m)
}

// note takes a notification of the server that is about calls, and reports whether it was
// one.
func (s *calls) note(m message) bool {
	switch m.method {
	case noteCancel:
		return s.withdraw(m.params)
	case noteMessage:
		if c, no := s.one(); no == nil && !m.tooDeep() {
			c.logMessage(m.params)
		}
	case noteElicited:
		s.mu.Lock()
		all := append([]*courier(nil), s.running...)
		s.mu.Unlock()
		for _, c := range all {
			c.completed(m.params)
		}
	default:
		return false
	}
	return true
}

// withdraw takes back a question, of whichever call it is.
func (s *calls) withdraw(params json.RawMessage) bool {
	id := string(rawjson.Member(params, "requestId"))
	s.mu.Lock()
	all := append([]*courier(nil), s.running...)
	s.mu.Unlock()
	for _, c := range all {
		if c.withdraw(id) {
			return true
		}
	}
	return false
}
