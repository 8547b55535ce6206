package bridge

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	methodDiscover   = "server/discover"
	methodInitialize = "initialize"
	// legacyVersion is asked for when a server does not know server/discover.
	legacyVersion = "2025-11-25"
	modernVersion = "2026-07-28"
)

// A controlLane is the SDK's end of a mux: an [mcp.Transport] and its connection.
//
// A server that stays silent on server/discover is answered for after the probe's
// limit, so that the SDK goes on with initialize on the same connection. One that is
// being installed has that limit from its first word on.
type controlLane struct {
	mux   *mux
	probe time.Duration
	cold  time.Duration // for one that has not said a word; at least probe

	initialized atomic.Bool  // initialize was sent
	silent      atomic.Bool  // the probe ran out
	late        atomic.Bool  // server/discover was answered after that
	probing     atomic.Int64 // the id of the server/discover that waits for its answer
	asked       atomic.Int64 // the id of the last server/discover

	instead   chan []byte   // the answer in the server's place
	spoke     chan struct{} // closed at the first word
	spokeOnce sync.Once
	closeOnce sync.Once
}

func newControlLane(m *mux, probe, cold time.Duration) *controlLane {
	return &controlLane{mux: m, probe: probe, cold: cold, instead: make(chan []byte, 1), spoke: make(chan struct{})}
}

// heard says that the server wrote something.
func (c *controlLane) heard() { c.spokeOnce.Do(func() { close(c.spoke) }) }

// unheard reports whether server/discover was not answered, however late.
func (c *controlLane) unheard() bool { return c.silent.Load() && !c.late.Load() }

// Connect implements [mcp.Transport].
func (c *controlLane) Connect(context.Context) (mcp.Connection, error) { return c, nil }

// SessionID implements [mcp.Connection].
func (*controlLane) SessionID() string { return "" }

// Read implements [mcp.Connection]. It never fails for what the server wrote.
func (c *controlLane) Read(ctx context.Context) (jsonrpc.Message, error) {
	for {
		var line []byte
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-c.mux.closed:
			return nil, io.EOF
		case line = <-c.instead:
			return jsonrpc.DecodeMessage(line)
		case line = <-c.mux.control:
		case <-c.mux.done:
			select {
			case line = <-c.mux.control:
			default:
				return nil, io.EOF
			}
		}
		msg, err := jsonrpc.DecodeMessage(line)
		if err == nil {
			if r, ok := msg.(*jsonrpc.Response); ok {
				id, ok := r.ID.Raw().(int64)
				if ok && id == c.asked.Load() && !c.probing.CompareAndSwap(id, 0) {
					// It was answered for. What it says now counts at the next start.
					c.late.Store(c.late.Load() || r.Error == nil)
					continue
				}
			}
			return msg, nil
		}
		// Ours is valid JSON-RPC, but the SDK takes no id of another type than it sends.
		c.mux.onJunk(line)
	}
}

// Write implements [mcp.Connection].
func (c *controlLane) Write(ctx context.Context, msg jsonrpc.Message) error {
	data, err := jsonrpc.EncodeMessage(msg)
	if err != nil {
		return fmt.Errorf("encoding a message: %w", err)
	}
	req, isRequest := msg.(*jsonrpc.Request)
	if isRequest && req.Method == methodInitialize {
		select {
		case <-c.mux.done:
			return io.EOF
		default:
			c.initialized.Store(true)
		}
	}
	if id, ok := msgID(req); ok && req.Method == methodDiscover {
		c.asked.Store(id)
		c.probing.Store(id)
		go c.watch(id)
	}
	_, err = c.mux.send(ctx, append(data, '\n'))
	return err
}

func msgID(req *jsonrpc.Request) (int64, bool) {
	if req == nil {
		return 0, false
	}
	id, ok := req.ID.Raw().(int64)
	return id, ok
}

// watch answers server/discover in the server's place when it stays silent.
func (c *controlLane) watch(id int64) {
	if !c.wait(c.cold-c.probe, c.spoke) || !c.wait(c.probe, nil) {
		return
	}
	if !c.probing.CompareAndSwap(id, 0) {
		return
	}
	c.silent.Store(true)
	line := append([]byte(nil), `{"jsonrpc":"2.0","id":`...)
	line = appendInt(line, id)
	select {
	case c.instead <- append(line, `,"error":{"code":-32601,"message":"no answer to server/discover"}}`...):
	case <-c.mux.closed:
	case <-c.mux.done:
	}
}

// wait waits for the time or the event, whichever comes first. It answers false when
// the connection ended.
func (c *controlLane) wait(d time.Duration, event <-chan struct{}) bool {
	if d <= 0 {
		return true
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-event:
	case <-c.mux.closed:
		return false
	case <-c.mux.done:
		return false
	}
	return true
}

// Close implements [mcp.Connection]. The stream itself is closed by its owner.
func (c *controlLane) Close() error {
	c.closeOnce.Do(func() { close(c.mux.closed) })
	return nil
}

func appendInt(b []byte, n int64) []byte { return strconv.AppendInt(b, n, 10) }

// How long server/discover may stay unanswered. A package runner takes its time before
// the server it fetches reads anything.
const (
	probeLimit       = 3 * time.Second
	probeLimitRunner = 10 * time.Second
)

// coldLimit answers the limit for a command that has not written anything; given, when
// it is not 0, is what a test says.
func coldLimit(command string, given time.Duration) time.Duration {
	switch {
	case given != 0:
		return given
	case isRunner(command):
		return probeLimitRunner
	}
	return probeLimit
}
