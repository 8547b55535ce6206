package mcpserver

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// waiting is a call that the library is to answer.
type waiting struct {
	*running
	method string
}

// toLibrary hands a message on; false when the stream was closed.
func (c *stream) toLibrary(line []byte, m *message) bool {
	who := newCaller(c.principal, m)
	who.stream = c
	own := ""
	if m.isCall() {
		one, ok := c.calls.begin(m.id, nil)
		if !ok {
			c.tell(failure(m.id, idInUse()))
			return true
		}
		own, who.calls, who.running = ownID(), &c.calls, one
	}
	decoded, err := jsonrpc.DecodeMessage(c.s.forLibrary(line, m, own))
	if err != nil { // it was judged
		if m.isCall() {
			c.calls.end(who.running)
			c.tell(failure(m.id, invalidRequest("this is no JSON-RPC 2.0 message: "+clip(err.Error()))))
		}
		return true
	}
	if r, ok := decoded.(*jsonrpc.Request); ok {
		r.Extra = &mcp.RequestExtra{TokenInfo: who.token()}
		if m.isCall() {
			c.expect(own, &waiting{who.running, m.method})
		}
	}
	select {
	case c.incoming <- decoded:
		return true
	case <-c.closed:
		return false
	}
}

// due reports whether the end of the input waits for the answer. That of a
// subscription comes when it ends.
func (w *waiting) due() bool { return w.method != methodListen }

// expect notes a call that the library is to answer.
func (c *stream) expect(own string, w *waiting) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.waiting[own] = w
	if w.due() {
		c.due++
	}
}

// take answers the call that the library answers now, or nil. Tell with taken when
// the answer is written.
func (c *stream) take(own string) *waiting {
	c.mu.Lock()
	defer c.mu.Unlock()
	w := c.waiting[own]
	delete(c.waiting, own)
	return w
}

func (c *stream) taken(w *waiting) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !w.due() {
		return
	}
	if c.due--; c.due == 0 && c.idle != nil {
		close(c.idle)
		c.idle = nil
	}
}

// Write sends a message of the library, under the ids of the client.
func (c *stream) Write(_ context.Context, m jsonrpc.Message) error {
	r, isResponse := m.(*jsonrpc.Response)
	if !isResponse {
		data, err := jsonrpc.EncodeMessage(m)
		if err != nil {
			return err
		}
		if r, ok := m.(*jsonrpc.Request); ok && r.Method == noteProgress {
			c.note(data)
			return nil
		}
		return c.send(c.named(data))
	}
	own, _ := r.ID.Raw().(string)
	w := c.take(own)
	if w == nil { // the library answers what it was asked, once
		return fmt.Errorf("the answer is to no request of the client")
	}
	defer c.taken(w)
	if c.calls.end(w.running) && w.method != methodInitialize {
		return nil // the client has stopped waiting
	}
	if r.Error == nil {
		return c.send(answer(w.id, restored(r.Result, own, w.id))...)
	}
	failed, coded := errors.AsType[*jsonrpc.Error](r.Error)
	if !coded {
		failed = &jsonrpc.Error{Message: r.Error.Error()}
	}
	return c.send(failure(w.id, mended(w.method, failed)))
}

// named answers a notification with the client's id of the subscription that it
// belongs to.
func (c *stream) named(data []byte) []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	for own, w := range c.waiting {
		if w.method == methodListen && bytes.Contains(data, []byte(own)) {
			return restored(data, own, w.id)
		}
	}
	return data
}
