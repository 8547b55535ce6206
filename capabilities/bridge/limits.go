package bridge

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/seed-89b9419b/holotype/capabilities"
)

// Limits are what one instance of a server may be asked for. 0 is no limit of its own.
type Limits struct {
	ConcurrentCalls int // that run at once; further ones wait for their turn
	CallsPerMinute  int // that begin within any 60 seconds; further ones are refused
	ResultBytes     int // of one result, as JSON; a larger one is refused whole
}

// counts reports whether calls are counted for the limits.
func (of Limits) counts() bool { return of.ConcurrentCalls > 0 || of.CallsPerMinute > 0 }

// A limiter counts the calls of one instance. The zero value is ready. The limits are
// those of the moment of a call: another configuration takes hold at once.
type limiter struct {
	mu      sync.Mutex
	running int
	queue   []*place    // the calls that wait for their turn, in the order they came
	began   []time.Time // of the calls of the last minute, oldest first, as far as they are counted
}

// A place in the queue of a limiter.
type place struct {
	turn  chan struct{} // closed when it has come
	limit int           // the calls that may run at once
}

// enter waits for the turn of a call, which ends with done. Nothing has been sent when
// it refuses. now is the clock.
func (l *limiter) enter(ctx context.Context, of Limits, now func() time.Time) (done func(), refused *failure) {
	l.mu.Lock()
	if f := l.count(of.CallsPerMinute, now); f != nil {
		l.mu.Unlock()
		return nil, f
	}
	if of.ConcurrentCalls <= 0 || len(l.queue) == 0 && l.running < of.ConcurrentCalls {
		l.running++
		l.mu.Unlock()
		return l.leave, nil
	}
	p := &place{turn: make(chan struct{}), limit: of.ConcurrentCalls}
	l.queue = append(l.queue, p)
	l.next() // the limit may be higher than that of those who wait
	l.mu.Unlock()
	select {
	case <-p.turn:
		return l.leave, nil
	case <-ctx.Done():
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if i := slices.Index(l.queue, p); i >= 0 {
		l.queue = slices.Delete(l.queue, i, i+1)
		l.next()
	} else { // its turn came in the same moment
		l.running--
		l.next()
	}
	f := interrupted(ctx, false)
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		f.code = capabilities.RateLimited
		f.text = fmt.Sprintf("runs as many calls at once as it may, which is %d (limits.concurrent_calls), and this one's turn did not come in its time", of.ConcurrentCalls)
		f.retryAfter = time.Second
	}
	return nil, f
}

// count notes one more call of this minute, or refuses it. mu is held.
func (l *limiter) count(limit int, now func() time.Time) *failure {
	if limit <= 0 {
		l.began = nil
		return nil
	}
	at := now()
	gone, _ := slices.BinarySearchFunc(l.began, at.Add(-time.Minute), func(t, since time.Time) int {
		if t.After(since) {
			return 1
		}
		return -1
	})
	l.began = l.began[gone:]
	if n := len(l.began); n >= limit {
		wait := l.began[n-limit].Add(time.Minute).Sub(at)
		return &failure{
			code: capabilities.RateLimited, retryAfter: wait,
			text: fmt.Sprintf("was called %d times within a minute, which is its limit (limits.calls_per_minute); the next call may begin in %s", limit, wait.Round(time.Second)),
		}
	}
	l.began = append(l.began, at)
	return nil
}

// waiting answers how many calls wait for their turn.
func (l *limiter) waiting() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.queue)
}

// leave ends a call.
func (l *limiter) leave() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.running--
	l.next()
}

// next lets in whoever may go now. mu is held.
func (l *limiter) next() {
	for len(l.queue) > 0 && l.running < l.limit() {
		close(l.queue[0].turn)
		l.queue = l.queue[1:]
		l.running++
	}
}

// limit is that of the call that came last: it knows the configuration best. mu is held.
func (l *limiter) limit() int { return l.queue[len(l.queue)-1].limit }

// overLimit is the failure of a result that is larger than it may be.
func (of Limits) overLimit(size int, tool string) *failure {
	if of.ResultBytes <= 0 || size <= of.ResultBytes {
		return nil
	}
	return &failure{
		code: capabilities.TooLarge, mayHaveRun: true,
		text: fmt.Sprintf("answered the call of %q with %d bytes, and its limit is %d (limits.result_bytes); ask for less", tool, size, of.ResultBytes),
	}
}
