package httpapi

import (
	"container/list"
	"context"
	"sync"
	"time"

	"github.com/seed-89b9419b/holotype/capabilities"
)

const (
	// smallBody is how large a body may be that is taken in whatever else is.
	smallBody = 256 << 10
	// roomBytes is how many bytes of larger ones are taken in at once. A call holds some
	// three times as much as its body until it is answered, and the collector lets that
	// double.
	roomBytes = 32 << 20
	// keptBytes is how many of these are kept for whoever holds none: whoever sends slowly, or
	// stops, holds what they hold until the time for their bodies is over.
	keptBytes = roomBytes / 2
	// roomTime is how long a larger one waits for its turn.
	roomTime = 30 * time.Second
)

// room bounds the memory that requests with large bodies hold together: they take turns,
// the first come first. Who holds some of it gets more only while half of it stays free
// for those who hold none, so that neither one nor a few of them keep all others out.
type room struct {
	time time.Duration

	mu      sync.Mutex
	free    int64
	held    map[string]int64 // bytes, by the principal that holds them
	waiting list.List        // of *turn, as they came
}

// turn is a body that waits, or that is let in.
type turn struct {
	of    string
	bytes int64
	in    chan struct{} // closed when it is let in
}

func newRoom() *room { return &room{free: roomBytes, time: roomTime, held: map[string]int64{}} }

// take waits until there is room for so many bytes of a principal's.
func (r *room) take(ctx context.Context, of string, bytes int64) error {
	t := &turn{of, bytes, make(chan struct{})}
	r.mu.Lock()
	place := r.waiting.PushBack(t)
	r.admit()
	r.mu.Unlock()
	select {
	case <-t.in:
		return nil
	case <-ctx.Done():
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	select {
	case <-t.in: // just then
		return nil
	default:
	}
	r.waiting.Remove(place)
	r.admit() // those who waited behind it
	return ctx.Err()
}

// admit lets in who may be, of those who wait. Of one principal nobody is let in before
// whoever came before. r.mu is held.
func (r *room) admit() {
	var next *list.Element
	patient := map[string]bool{}
	for e := r.waiting.Front(); e != nil; e = next {
		next = e.Next()
		t, _ := e.Value.(*turn)
		switch {
		case patient[t.of], r.held[t.of] > 0 && r.free-t.bytes < keptBytes:
			patient[t.of] = true
		case t.bytes > r.free: // nor anybody behind it, or it would wait for ever
			return
		default:
			r.free -= t.bytes
			r.held[t.of] += t.bytes
			r.waiting.Remove(e)
			close(t.in)
		}
	}
}

// release gives back what a principal took.
func (r *room) release(of string, bytes int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.free += bytes
	if r.held[of] -= bytes; r.held[of] == 0 {
		delete(r.held, of)
	}
	r.admit()
}

// reserve waits until there is room for so many bytes of the body, until the request is
// answered.
func (x *exchange) reserve(ctx context.Context, bytes int64) *fault {
	bounded, cancel := context.WithTimeout(ctx, x.s.room.time)
	defer cancel()
	x.vacate() // of a body that was read before
	of := x.principal.Key()
	if err := x.s.room.take(bounded, of, bytes); err != nil {
		e := capabilities.Refuse(capabilities.Unavailable, "this server takes in as many large bodies at once as it has room for, and none was done meanwhile: nothing was done, send the call again")
		e.RetryAfter = x.s.room.time
		return faultOf(e)
	}
	x.reserved, x.holder = bytes, of
	return nil
}

// vacate gives back what was reserved.
func (x *exchange) vacate() {
	if x.reserved > 0 {
		x.s.room.release(x.holder, x.reserved)
		x.reserved, x.holder = 0, ""
	}
}
