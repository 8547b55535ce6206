package mcpserver

import (
	"context"
	"encoding/json"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// inflight are the calls of one session or stream that run now, in whichever lane, by
// their ids. The zero value is ready.
type inflight struct {
	mu    sync.Mutex
	calls map[string]*running
}

// running is one call.
type running struct {
	id  json.RawMessage // as its caller wrote it
	key string          // of the id

	// Under the table's lock.
	cancel    context.CancelFunc // nil where nothing runs yet that could be cancelled
	cancelled bool               // by the caller
	handled   bool               // by the library, which may outlast the request
}

func idInUse() *jsonrpc.Error { return invalidRequest("a request of this id is running") }

// begin notes a call; a nil cancel is one that [inflight.handle] brings. ok is false
// when one of that id runs already.
func (f *inflight) begin(id json.RawMessage, cancel context.CancelFunc) (r *running, ok bool) {
	key := idKey(id)
	f.mu.Lock()
	defer f.mu.Unlock()
	if _, taken := f.calls[key]; taken {
		return nil, false
	}
	if f.calls == nil {
		f.calls = map[string]*running{}
	}
	r = &running{id: id, key: key, cancel: cancel}
	f.calls[key] = r
	return r, true
}

// handle answers a context for a call that the library handles, which ends with it or
// when the call is cancelled. Call done when it is handled.
func (f *inflight) handle(ctx context.Context, r *running) (_ context.Context, done func()) {
	ctx, cancel := context.WithCancel(ctx)
	f.mu.Lock()
	defer f.mu.Unlock()
	r.cancel, r.handled = cancel, true
	if r.cancelled {
		cancel()
	}
	if _, taken := f.calls[r.key]; !taken { // its request ended before the library came to it
		f.calls[r.key] = r
	}
	return ctx, func() {
		cancel()
		f.end(r)
	}
}

// leave forgets a call whose request has ended, unless the library still handles it.
func (f *inflight) leave(r *running) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !r.handled {
		f.forget(r)
	}
}

// end forgets a call and reports whether its caller cancelled it.
func (f *inflight) end(r *running) (cancelled bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.forget(r)
	return r.cancelled
}

func (f *inflight) forget(r *running) {
	if f.calls[r.key] == r {
		delete(f.calls, r.key)
	}
}

// cancel ends the call of that id, if one runs.
func (f *inflight) cancel(id json.RawMessage) {
	if !isID(id) {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if r, ok := f.calls[idKey(id)]; ok {
		r.stop()
	}
}

func (f *inflight) cancelAll() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, r := range f.calls {
		r.stop()
	}
}

func (r *running) stop() {
	r.cancelled = true
	if r.cancel != nil {
		r.cancel()
	}
}
