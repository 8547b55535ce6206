package bridge

import (
	"maps"
	"sync"

	"github.com/seed-89b9419b/holotype/capabilities"
)

// A Memory keeps, for every instance of a server, what it said of its tools when that
// was accepted: at first sight, or by [Bridge.Accept]. The hints are the server's own,
// without overrides, by the tools' own names. A server that is not configured any more
// is not forgotten: what it says when it comes back is compared with what it said.
//
// A bridge calls it from several goroutines, for one instance one call at a time.
// Neither side changes a map that it gave away.
type Memory interface {
	// Recall answers what was remembered last. ok is false when that is nothing.
	Recall(k Key) (hints map[string]capabilities.Hints, ok bool)
	// Remember replaces what is remembered of an instance.
	Remember(k Key, hints map[string]capabilities.Hints) error
}

// processMemory forgets with the process.
type processMemory struct {
	mu  sync.Mutex
	all map[Key]map[string]capabilities.Hints
}

// Recall implements [Memory].
func (m *processMemory) Recall(k Key) (map[string]capabilities.Hints, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	hints, ok := m.all[k]
	return maps.Clone(hints), ok
}

// Remember implements [Memory].
func (m *processMemory) Remember(k Key, hints map[string]capabilities.Hints) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.all == nil {
		m.all = map[Key]map[string]capabilities.Hints{}
	}
	m.all[k] = hints
	return nil
}
