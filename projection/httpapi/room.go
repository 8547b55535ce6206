package httpapi

import (
	"context"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/seed-89b9419b/holotype/capabilities"
)

const (
	// smallBody is how large a body may be that is taken in whatever else is.
	smallBody = 256 << 10
	// roomBytes is how many bytes of larger ones are taken in at once. A call holds some
	// three times as much as its body until it is answered, and the collector lets that
	// double.
	roomBytes = 32 << 20
	// shareBytes is how many of these one principal may hold: whoever sends slowly, or stops,
	// holds what they hold until the time for their bodies is over.
	shareBytes = roomBytes / 2
	// roomTime is how long a larger one waits for its turn.
	roomTime = 30 * time.Second
)

// room bounds the memory that requests with large bodies hold together: they take
// turns, the first come first, and no principal keeps all others out.
type room struct {
	left *semaphore.Weighted
	time time.Duration

	mu     sync.Mutex
	shares map[string]*share // of those who hold, or wait for, a part of it
}

// share is what one principal may hold.
type share struct {
	of   string
	left *semaphore.Weighted
	uses int // of those who hold some of it, or wait
}

func newRoom() *room {
	return &room{left: semaphore.NewWeighted(roomBytes), time: roomTime, shares: map[string]*share{}}
}

// share answers the share of a principal, until it is given back.
func (r *room) share(of string) *share {
	r.mu.Lock()
	defer r.mu.Unlock()
	one := r.shares[of]
	if one == nil {
		one = &share{of: of, left: semaphore.NewWeighted(shareBytes)}
		r.shares[of] = one
	}
	one.uses++
	return one
}

func (r *room) giveBack(one *share) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if one.uses--; one.uses == 0 {
		delete(r.shares, one.of)
	}
}

// take waits until there is room for so many bytes of a principal's, and answers the share
// that they are of.
func (r *room) take(ctx context.Context, of string, bytes int64) (*share, error) {
	own := r.share(of)
	err := own.left.Acquire(ctx, bytes)
	if err == nil {
		if err = r.left.Acquire(ctx, bytes); err == nil {
			return own, nil
		}
		own.left.Release(bytes)
	}
	r.giveBack(own)
	return nil, err
}

func (r *room) release(own *share, bytes int64) {
	r.left.Release(bytes)
	own.left.Release(bytes)
	r.giveBack(own)
}

// reserve waits until there is room for so many bytes of the body, until the request is
// answered.
func (x *exchange) reserve(ctx context.Context, bytes int64) *fault {
	bounded, cancel := context.WithTimeout(ctx, x.s.room.time)
	defer cancel()
	x.vacate() // of a body that was read before
	held, err := x.s.room.take(bounded, x.principal.Key(), bytes)
	if err != nil {
		e := capabilities.Refuse(capabilities.Unavailable, "this server takes in as many large bodies at once as it has room for, and none was done meanwhile: nothing was done, send the call again")
		e.RetryAfter = x.s.room.time
		return faultOf(e)
	}
	x.reserved, x.held = bytes, held
	return nil
}

// vacate gives back what was reserved.
func (x *exchange) vacate() {
	if x.reserved > 0 {
		x.s.room.release(x.held, x.reserved)
		x.reserved, x.held = 0, nil
	}
}
