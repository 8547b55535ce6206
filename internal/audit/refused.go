package audit

import (
	"sync"
	"time"

	"github.com/seed-89b9419b/holotype/capabilities"
)

// Refusal is a request that was refused before it reached a capability.
type Refusal struct {
	Surface capabilities.Surface
	Code    capabilities.Code
	// Reason is one word of why, such as bad_credential or foreign_host.
	Reason string
	// Principal is who sent it, nil where that is not known.
	Principal *capabilities.Principal
	// Credential is the id of a token that is good no more; "" where none is known.
	Credential string
	// From is the address that it came from; "" is not known.
	From      string
	RequestID string
}

const (
	// window is within which refusals that are alike have two rows at most: one for the
	// first, one for all that follow.
	window = time.Second
	// mostAlike is of how many kinds, and addresses, there are rows of their own in a
	// window. All others of a kind have one without an address.
	mostAlike = 64
)

// refusals counts what is refused over and over, so that whoever sends much fills neither
// the disk nor the memory. The zero value is ready.
type refusals struct {
	mu     sync.Mutex
	alike  map[alike]*repeated
	timer  *time.Timer
	closed bool
}

// alike is what refusals have in common that one row stands for.
type alike struct {
	kind         kind
	reason, from string
}

// refused is what the row of a refusal says besides; nil is that of a call.
type refused struct {
	reason, from string
	times        int64 // how many it stands for
}

// parts answers what stands in the row.
func (r *refused) parts() (reason, from string, times int64) {
	if r == nil {
		return "", "", 1
	}
	return r.reason, r.from, r.times
}

// repeated are those that came after the first, which has a row already.
type repeated struct {
	noted noted // of the first of them
	times int64
}

// Refused notes a refusal. It never waits.
func (l *Log) Refused(r Refusal) {
	k := kind{surface: string(r.Surface), outcome: string(r.Code), credential: r.Credential}
	if p := r.Principal; p != nil {
		k.principal, k.principalKind, k.seat, k.credential = p.ID, string(p.Kind), p.Seat, p.Credential
	}
	l.repeated(alike{k, r.Reason, r.From}, noted{requestID: r.RequestID, at: l.o.Now().UnixMilli()})
}

// repeated notes one of those that may come in great numbers.
func (l *Log) repeated(a alike, n noted) {
	s := &l.refusals
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return
	}
	one := s.alike[a]
	if one == nil && len(s.alike) >= mostAlike {
		a.from = ""
		one = s.alike[a]
	}
	if one == nil {
		if s.alike == nil {
			s.alike = map[alike]*repeated{}
		}
		s.alike[a] = &repeated{}
		l.noteRefused(a, n, 1)
		if s.timer == nil {
			s.timer = time.AfterFunc(window, l.settle)
		}
		return
	}
	if one.times == 0 {
		one.noted = n
	}
	one.times++
}

// noteRefused queues a row that stands for so many. There is no waiting for room: calls
// come first.
func (l *Log) noteRefused(a alike, n noted, times int64) {
	n.kind = l.kinds.shared(&a.kind)
	n.refused = &refused{a.reason, a.from, times}
	if !l.queue.put(&n) {
		l.lose(times)
	}
}

// settle ends a window: what came in it is noted, and what no longer comes is forgotten.
func (l *Log) settle() {
	s := &l.refusals
	s.mu.Lock()
	defer s.mu.Unlock()
	s.timer = nil
	if s.closed {
		return
	}
	l.settleAll()
	if len(s.alike) > 0 {
		s.timer = time.AfterFunc(window, l.settle)
	}
}

// settleAll notes what came meanwhile. mu is held.
func (l *Log) settleAll() {
	for a, one := range l.refusals.alike {
		if one.times == 0 {
			delete(l.refusals.alike, a)
			continue
		}
		l.noteRefused(a, one.noted, one.times)
		*one = repeated{}
	}
}

// closeRefusals notes what is counted. None is noted after.
func (l *Log) closeRefusals() {
	s := &l.refusals
	s.mu.Lock()
	defer s.mu.Unlock()
	l.settleAll()
	s.closed = true
	if s.timer != nil {
		s.timer.Stop()
	}
}
