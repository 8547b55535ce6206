package mcpserver

import "sync"

// trust remembers which descriptions of a client (its clientInfo and
// clientCapabilities in _meta, as bytes) the library has accepted. The fast lane
// does not judge them: a request whose description is not known yet takes the
// library's lane, once.
type trust struct {
	mu   sync.RWMutex
	seen map[string]struct{}
}

const (
	maxTrusted      = 1024
	maxTrustedBytes = 4096
)

// description is the part of a request that [trust] remembers, or nil when it is
// too large or there is none.
func (m *meta) description(buf []byte) []byte {
	if m.clientCapabilities == nil || len(m.clientCapabilities)+len(m.clientInfo) > maxTrustedBytes {
		return nil
	}
	buf = append(buf[:0], m.clientInfo...)
	buf = append(buf, 0)
	return append(buf, m.clientCapabilities...)
}

func (t *trust) knows(m *meta) bool {
	var buf [512]byte
	key := m.description(buf[:0])
	if key == nil {
		return false
	}
	t.mu.RLock()
	defer t.mu.RUnlock()
	_, ok := t.seen[string(key)]
	return ok
}

func (t *trust) learn(m *meta) {
	key := m.description(nil)
	if key == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.seen == nil || len(t.seen) >= maxTrusted {
		t.seen = map[string]struct{}{}
	}
	t.seen[string(key)] = struct{}{}
}
