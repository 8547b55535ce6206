// Package broadcast wakes everybody who waits for the next change of something.
package broadcast

import "sync"

// Broadcast is ready to use as its zero value, and safe for concurrent use.
type Broadcast struct {
	mu sync.Mutex
	ch chan struct{}
}

// Next answers a channel that is closed by the next [Broadcast.Wake]. Whoever looks at
// what may have changed asks for it before they look.
func (b *Broadcast) Next() <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.ch == nil {
		b.ch = make(chan struct{})
	}
	return b.ch
}

// Wake wakes everybody who waits.
func (b *Broadcast) Wake() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.ch != nil {
		close(b.ch)
		b.ch = nil
	}
}
