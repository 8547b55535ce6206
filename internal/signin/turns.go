package signin

import (
	"context"
	"sync"
)

// Turns are taken by name within this process. The zero value is ready for use.
type Turns struct {
	mu    sync.Mutex
	turns map[string]chan struct{} // a token is in it while somebody has the turn
}

// Alone implements [Sealed] for what no other process keeps.
func (t *Turns) Alone(ctx context.Context, name string, f func() error) error {
	t.mu.Lock()
	if t.turns == nil {
		t.turns = map[string]chan struct{}{}
	}
	turn := t.turns[name]
	if turn == nil {
		turn = make(chan struct{}, 1)
		t.turns[name] = turn
	}
	t.mu.Unlock()
	select {
	case turn <- struct{}{}:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	defer func() { <-turn }()
	return f()
}
