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
			Principal: call.Principal, Operation: call.Operation, RequestID: call.RequestID, Capability: c, Asks: call.Asks,
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
func (r *running) Deadline() (time.Time, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.deadline, true
}

// Hold is for an interceptor that lets a call wait for something before it runs. It
// answers the context of whoever called, which is done when they go away and knows
// nothing of the call, and resume, which moves the time limit of the call by as long as it
// waited. Where somebody waits for that limit already, it stays and bounds the wait, too.
func Hold(ctx context.Context) (caller context.Context, resume func()) {
	r, ok := ctx.Value(runningKey{}).(*running)
	if !ok {
		return beside{ctx}, func() {}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.armed != nil {
		return beside{ctx}, func() {}
	}
	begun := time.Now()
	return beside{r.Context}, func() { r.moved(time.Since(begun)) }
}

// moved moves the deadline, never beyond the caller's.
func (r *running) moved(by time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.armed != nil {
		return
	}
	r.deadline = r.deadline.Add(by)
	if sooner, ok := r.Context.Deadline(); ok && sooner.Before(r.deadline) {
		r.deadline = sooner
	}
}

// runningKey finds the call in its context.
type runningKey struct{}

// beside is a context that is of no call: what is written under it is not the call's.
type beside struct {
	context.Context //nolint:containedctx // it extends one
}

// Value answers what stands in the context, but for what is of a call.
func (b beside) Value(key any) any {
	switch key {
	case callKey{}, ruleKey{}, runningKey{}:
		return nil
	}
	return b.Context.Value(key)
}

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
	case runningKey{}:
		return r
	}
	r.mu.Lock()
	armed := r.armed
	r.mu.Unlock()
	if armed != nil {
		return armed.Value(key)
	}
	return r.Context.Value(key)
}
