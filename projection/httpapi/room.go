package httpapi

import (
	"context"
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
	// roomTime is how long a larger one waits for its turn.
	roomTime = 30 * time.Second
)

// room bounds the memory that requests with large bodies hold together: they take
// turns, the first come first.
type room struct {
	left *semaphore.Weighted
	time time.Duration
}

func usualRoom() room { return room{semaphore.NewWeighted(roomBytes), roomTime} }

// reserve waits until there is room for so many bytes of the body, until the request is
// answered.
func (x *exchange) reserve(ctx context.Context, bytes int64) *fault {
	bounded, cancel := context.WithTimeout(ctx, x.s.room.time)
	defer cancel()
	if x.s.room.left.Acquire(bounded, bytes) != nil {
		e := capabilities.Refuse(capabilities.Unavailable, "this server takes in as many large bodies at once as it has room for, and none was done meanwhile: nothing was done, send the call again")
		e.RetryAfter = x.s.room.time
		return faultOf(e)
	}
	x.reserved += bytes
	return nil
}

// vacate gives back what was reserved.
func (x *exchange) vacate() {
	if x.reserved > 0 {
		x.s.room.left.Release(x.reserved)
		x.reserved = 0
	}
}
