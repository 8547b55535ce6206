// Package desk is an interceptor of a program that is not Holotype: it counts the
// calls of every capability and refuses writes while the desk is closed.
package desk

import (
	"context"
	"maps"
	"sync"

	"github.com/seed-89b9419b/holotype/capabilities"
)

// Desk watches the calls. The zero value is open.
type Desk struct {
	mu     sync.Mutex
	closed bool
	calls  map[string]int
}

// Close closes the desk: books stay where they are until it is opened.
func (d *Desk) Close() { d.set(true) }

// Open opens the desk again.
func (d *Desk) Open() { d.set(false) }

func (d *Desk) set(closed bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.closed = closed
}

// Calls answers how often each capability was called, the refused calls included.
func (d *Desk) Calls() map[string]int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return maps.Clone(d.calls)
}

// Interceptor answers what stands in the chain of every call.
func (d *Desk) Interceptor() capabilities.Interceptor {
	return capabilities.Interceptor{Name: "desk", Stage: capabilities.StageGate, Wrap: d.wrap}
}

func (d *Desk) wrap(next capabilities.Handler) capabilities.Handler {
	return func(ctx context.Context, inv *capabilities.Invocation) (*capabilities.Result, error) {
		if d.count(inv.Name) && inv.Capability.Writes() {
			return nil, capabilities.Refuse(capabilities.Unavailable, "the desk is closed, so %s has to wait: come back when it is open", inv.Name)
		}
		return next(ctx, inv)
	}
}

// count counts a call and reports whether the desk is closed.
func (d *Desk) count(name string) (closed bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.calls == nil {
		d.calls = map[string]int{}
	}
	d.calls[name]++
	return d.closed
}
