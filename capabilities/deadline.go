package capabilities

import (
	"context"
	"sync"
	"time"
)

// running is the context of one call: what [CallFrom] answers, the deadline, and
// the invocation. It is a context.WithDeadline that starts its timer when somebody
// waits for it: most handlers never do, and the timer, its goroutine hooks and
// their memory would be a large part of a short call.
type running struct {
	context.Context //nolint:containedctx // the caller's, which this context extends
	inv             Invocation
	told            Running
	rule            *Rule // why the caller's view refuses the call; nil for a call that is served
	deadline        time.Time

	mu     sync.Mutex
	armed  context.Context //nolint:containedctx // the same context with its timer running
	cancel context.CancelFunc
	over   bool
}

// ruleKey finds the rule that refuses a call in its context.
type ruleKey struct{}

// runningUntil answers the context of a call that ends at the latest after limit.
// The caller calls end when the call is over.
func runningUntil(ctx context.Context, call *Call, c *Capability, limit time.Duration) *running {
	r := &running{
		Context: ctx, inv: Invocation{Call: *call, Capability: c}, deadline: time.Now().Add(limit),
		told: Running{
			Principal: call.Principal, Operation: call.Operation, RequestID: call.RequestID, Capability: c,
			arguments: call.Arguments, progress: call.Progress,
		},
	}
	if sooner, ok := ctx.Deadline(); ok && sooner.Before(r.deadline) {
		r.deadline = sooner
	}
	return r
}

// arm answers the context with its timer running. r.mu is held.
func (r *running) arm() context.Context {
	if r.armed == nil {
		r.armed, r.cancel = context.WithDeadline(r.Context, r.deadline)
		if r.over {
			r.cancel()
		}
	}
	return r.armed
}

// end cancels the context.
func (r *running) end() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.over = true
	if r.cancel != nil {
		r.cancel()
	}
}

// Deadline answers when the call is stopped.
func (r *running) Deadline() (time.Time, bool) { return r.deadline, true }

// Done starts the timer.
func (r *running) Done() <-chan struct{} {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.arm().Done()
}

// Err answers why the context is done, and always the same once it is.
func (r *running) Err() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.armed == nil && !r.over && r.Context.Err() == nil && time.Now().Before(r.deadline) {
		return nil
	}
	return r.arm().Err()
}

// Value answers what stands in the context. Package context finds the armed
// context through it, so that contexts derived from this one need no goroutine.
func (r *running) Value(key any) any {
	switch key {
	case callKey{}:
		return &r.told
	case ruleKey{}:
		return r.rule
	}
	r.mu.Lock()
	armed := r.armed
	r.mu.Unlock()
	if armed != nil {
		return armed.Value(key)
	}
	return r.Context.Value(key)
}
