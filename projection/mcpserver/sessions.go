package mcpserver

import (
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/seed-89b9419b/holotype/capabilities"
)

const (
	// sessionIdle is how long a session of the handshake era stands without a request.
	sessionIdle = time.Hour
	// maxSessions bounds the sessions that stand at once; the longest idle go first.
	maxSessions = 4096
)

// sessions are the HTTP sessions of the handshake era that stand now. The library
// keeps them too; this table knows whose they are, and is the only one that ends
// them for idleness, since the library does not see the fast lane's requests.
type sessions struct {
	now func() time.Time

	mu   sync.Mutex
	byID map[string]*session
}

// session belongs to the principal that opened it.
type session struct {
	id    string
	owner string
	ss    *mcp.ServerSession
	table *sessions
	// answers is what the client answers when it is asked, and questions what it was asked.
	answers   answers
	questions questions

	// Under the table's lock.
	principal *capabilities.Principal // as of the last request
	used      time.Time
	busy      int // requests that run now
	calls     inflight
	logLevel  string // that the client wants to be told of; "" is nothing
}

func newSessions(now func() time.Time) *sessions {
	return &sessions{now: now, byID: map[string]*session{}}
}

// ownerKey identifies a principal with its credential across its requests, whatever its
// scopes now are: a session is of the one token, and the one address, that it was opened
// with.
func ownerKey(p *capabilities.Principal) string {
	if p == nil {
		return ""
	}
	return strings.Join([]string{string(p.Kind), p.ID, p.Seat, p.Credential, p.Narrowing.Group, strconv.FormatBool(p.Narrowing.ReadOnly), strconv.FormatBool(p.Discovery)}, "\x00")
}

func (t *sessions) open(ss *mcp.ServerSession, p *capabilities.Principal, a answers) *session {
	t.mu.Lock()
	defer t.mu.Unlock()
	// The request that opened it is running.
	one := &session{id: ss.ID(), owner: ownerKey(p), ss: ss, table: t, answers: a, principal: p, used: t.now()}
	t.byID[one.id] = one
	return one
}

// acquire answers the session of that id when it stands and belongs to the
// principal. Release it after the request.
func (t *sessions) acquire(id string, p *capabilities.Principal) (s *session, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	s, ok = t.byID[id]
	if !ok || s.owner != ownerKey(p) {
		return nil, false
	}
	s.principal, s.used = p, t.now()
	s.busy++
	return s, true
}

func (s *session) release() {
	s.table.mu.Lock()
	defer s.table.mu.Unlock()
	s.busy--
	s.used = s.table.now()
}

// level answers what the client wants to be told of; "" is nothing.
func (s *session) level() string {
	s.table.mu.Lock()
	defer s.table.mu.Unlock()
	return s.logLevel
}

// setLevel says what the client of a session wants to be told of.
func (t *sessions) setLevel(id, level string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if s := t.byID[id]; s != nil {
		s.logLevel = level
	}
}

func (s *session) who() *capabilities.Principal {
	s.table.mu.Lock()
	defer s.table.mu.Unlock()
	return s.principal
}

// remove forgets a session and cancels the fast lane's calls in it.
func (t *sessions) remove(id string) {
	t.mu.Lock()
	s, ok := t.byID[id]
	delete(t.byID, id)
	t.mu.Unlock()
	if ok {
		s.calls.cancelAll()
	}
}

// idle answers the sessions that are to be ended: those nobody used for long, and
// the longest unused ones of too many.
func (t *sessions) idle() []*mcp.ServerSession {
	t.mu.Lock()
	defer t.mu.Unlock()
	var resting []*session
	for _, s := range t.byID {
		if s.busy == 0 {
			resting = append(resting, s)
		}
	}
	slices.SortFunc(resting, func(a, b *session) int { return a.used.Compare(b.used) })
	limit, over := t.now().Add(-sessionIdle), len(t.byID)-maxSessions
	var gone []*mcp.ServerSession
	for i, s := range resting {
		if i >= over && s.used.After(limit) {
			break
		}
		gone = append(gone, s.ss)
	}
	return gone
}

func (t *sessions) len() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.byID)
}
