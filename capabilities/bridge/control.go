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
// limit, so that the SDK goes on with initialize on the same connection.
type controlLane struct {
	mux   *mux
	probe time.Duration

	initialized atomic.Bool  // initialize was sent
	silent      atomic.Bool  // the probe ran out
	probing     atomic.Int64 // the id of the server/discover that waits for its answer

	closeOnce sync.Once
}

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
				if id, ok := r.ID.Raw().(int64); ok {
					c.probing.CompareAndSwap(id, 0)
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

// watch answers server/discover in the server's place when it stays silent. The
// SDK drops the second answer, whichever that is.
func (c *controlLane) watch(id int64) {
	t := time.NewTimer(c.probe)
	defer t.Stop()
	select {
	case <-t.C:
	case <-c.mux.closed:
		return
	case <-c.mux.done:
		return
	}
	if !c.probing.CompareAndSwap(id, 0) {
		return
	}
	c.silent.Store(true)
	line := append([]byte(nil), `{"jsonrpc":"2.0","id":`...)
	line = appendInt(line, id)
	c.mux.toControl(append(line, `,"error":{"code":-32601,"message":"no answer to server/discover"}}`...))
}

// Close implements [mcp.Connection]. The stream itself is closed by its owner.
func (c *controlLane) Close() error {
	c.closeOnce.Do(func() { close(c.mux.closed) })
	return nil
}

func appendInt(b []byte, n int64) []byte { return strconv.AppendInt(b, n, 10) }
