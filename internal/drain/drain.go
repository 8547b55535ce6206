// Package drain counts work that is going on, so that its end can be waited for
// while more of it may still begin: what a sync.WaitGroup must not be used for.
package drain

import "sync"

// A Group counts what is going on. The zero value is empty and open. Its methods
// may be called from any goroutine.
type Group struct {
	mu      sync.Mutex
	running int
	closed  bool
	idle    chan struct{} // closed when nothing runs; nil until asked for
}

// Enter counts one more, which [Group.Leave] takes back. It answers false, and
// counts nothing, after [Group.Close].
func (g *Group) Enter() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed {
		return false
	}
	g.running++
	return true
}

// Leave takes back one [Group.Enter] that answered true.
func (g *Group) Leave() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.running--
	if g.running == 0 && g.idle != nil {
		close(g.idle)
		g.idle = nil
	}
}

// Running answers how many there are now.
func (g *Group) Running() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.running
}

// Go runs work in a goroutine of its own and counts it. It answers false, and runs
// nothing, after [Group.Close].
func (g *Group) Go(work func()) bool {
	if !g.Enter() {
		return false
	}
	go func() {
		defer g.Leave()
		work()
	}()
	return true
}

// Close lets nothing more begin. What runs goes on.
func (g *Group) Close() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.closed = true
}

// Idle answers a channel that is closed the first time that nothing runs, which may
// be now. Unless the group is closed, more may have begun by then.
func (g *Group) Idle() <-chan struct{} {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.idle != nil {
		return g.idle
	}
	idle := make(chan struct{})
	if g.running == 0 {
		close(idle)
		return idle
	}
	g.idle = idle
	return idle
}

// Wait closes the group and returns when nothing runs.
func (g *Group) Wait() {
	g.Close()
	<-g.Idle()
}
