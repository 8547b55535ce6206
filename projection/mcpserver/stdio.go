package mcpserver

import (
	"context"
	"errors"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/drain"
	"github.com/seed-89b9419b/holotype/internal/rawjson"
)

const (
	// drainTime is how long calls may go on after the input has ended: a caller that
	// writes its requests and closes still gets its answers.
	drainTime = 3 * time.Second
	// maxRunning bounds the calls of one stream that run at once. More wait in the
	// stream.
	maxRunning = 1024
)

// ServeStdio serves one client over newline-delimited JSON-RPC: in and out are the
// standard streams of a process, or both the connection of a Unix socket. Every call
// is the principal's. It returns nil when in ends and the calls that ran are
// answered (or were cancelled, 3 seconds later), and ctx's error when ctx ends.
//
// A line that is no message is answered with a JSON-RPC error, a line over 4 MiB
// with a refusal, a batch with an error; none of them ends the session. out carries
// JSON-RPC and nothing else. A read of in that blocks is left behind when ctx ends:
// close in to free it.
func (s *Server) ServeStdio(ctx context.Context, in io.Reader, out io.Writer, p *capabilities.Principal) error {
	count := &s.streams.stdio
	if _, ok := in.(net.Conn); ok {
		count = &s.streams.socket
	}
	count.Add(1)
	defer count.Add(-1)

	c := &stream{
		s: s, id: ownID(), principal: p, in: newLines(in), out: out,
		incoming: make(chan jsonrpc.Message), closed: make(chan struct{}), unheard: make(chan struct{}),
		slots: make(chan struct{}, maxRunning), waiting: map[string]*waiting{},
	}
	calls, cancel := context.WithCancel(ctx)
	defer cancel()
	ss, err := s.sdk.Connect(ctx, c, nil)
	if err != nil {
		return err
	}
	defer s.changes.unwatch(ss)
	go c.pump(calls)
	ended := make(chan error, 1)
	go func() { ended <- ss.Wait() }()
	select {
	case <-ctx.Done():
		err = ctx.Err()
		c.end()
		<-ended //nolint:errcheck // the session ends because it was told to: the context says why
	case err = <-ended:
	}
	cancel()
	c.running.Close()
	c.settle(nil) // a client that does not read may hold a writer for ever
	if c.inputEnded.Load() || gone(err) {
		return nil
	}
	return err
}

// gone reports whether an error says that the client closed its end.
func gone(err error) bool {
	return errors.Is(err, io.ErrClosedPipe) || errors.Is(err, net.ErrClosed) || errors.Is(err, syscall.EPIPE) || errors.Is(err, syscall.ECONNRESET)
}

// stream is one client's pair of streams. To the library it is a transport and its
// connection.
type stream struct {
	s         *Server
	id        string // of the client, among all
	principal *capabilities.Principal
	in        *lines

	incoming    chan jsonrpc.Message // to the library
	closed      chan struct{}
	closeOnce   sync.Once
	initialized atomic.Bool
	answers     atomic.Pointer[answers] // of the handshake era
	level       atomic.Pointer[string]  // of the log, that the client of that era asked for
	questions   questions
	unheard     chan struct{} // closed when the input has ended: no answer can come
	inputEnded  atomic.Bool

	write sync.Mutex
	out   io.Writer
	notes notes

	calls   inflight
	running drain.Group // the fast lane's calls, and whoever writes notes
	slots   chan struct{}

	mu      sync.Mutex
	waiting map[string]*waiting // the library's calls that are not answered, by its ids
	due     int                 // of them, those whose answer the end of the input waits for
	idle    chan struct{}       // closed when none is due; nil until asked for
}

// Connect answers the stream itself.
func (c *stream) Connect(context.Context) (mcp.Connection, error) { return c, nil }

// SessionID answers "": a stream has one client.
func (c *stream) SessionID() string { return "" }

// Close ends the stream for the library.
func (c *stream) Close() error {
	c.end()
	return nil
}

func (c *stream) end() { c.closeOnce.Do(func() { close(c.closed) }) }

// Read answers the next message for the library, or io.EOF.
func (c *stream) Read(ctx context.Context) (jsonrpc.Message, error) {
	select {
	case m := <-c.incoming:
		return m, nil
	case <-c.closed:
		return nil, io.EOF
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// send writes one line, each with one call of the writer.
func (c *stream) send(parts ...[]byte) error {
	c.write.Lock()
	defer c.write.Unlock()
	if err := c.writeNotes(); err != nil {
		return err
	}
	_, err := c.out.Write(oneLine(parts))
	return err
}

// tell sends a line that nobody waits for the fate of: a client that cannot be
// written to ends its session by closing.
func (c *stream) tell(parts ...[]byte) {
	if err := c.send(parts...); err != nil {
		c.unwritten(err)
	}
}

func (c *stream) unwritten(err error) {
	c.s.o.Log.Debug("mcp_stream_write_failed", "error", err.Error())
}

// pump reads lines until the input ends, then waits for the answers. Calls run under
// ctx.
func (c *stream) pump(ctx context.Context) {
	defer c.end()
	heard := sync.OnceFunc(func() { close(c.unheard) })
	defer heard()
	for {
		line, err := c.in.next()
		var long *longLine
		switch {
		case errors.As(err, &long):
			c.refuseLong(long)
		case err != nil:
			c.inputEnded.Store(true)
			heard()
			c.drain()
			return
		default:
			if !c.line(ctx, line) {
				return
			}
		}
	}
}

// line serves one line; false when the stream was closed.
func (c *stream) line(ctx context.Context, line []byte) bool {
	if rawjson.Space(line, 0) == len(line) {
		return true
	}
	m, fault := readMessage(line)
	if fault == nil {
		fault = c.s.misrelayed(c.principal, &m, m.params.meta.modern())
	}
	switch {
	case fault != nil:
		if !m.unanswered() {
			c.tell(failure(m.id, fault))
		}
		return true
	case m.method == noteCancelled:
		c.calls.cancel(m.params.requestID)
		return true
	case c.s.toldNothing(&m), c.questions.take(&m):
		return true
	case c.mayAnswer(&m):
		return c.fast(ctx, m)
	}
	return c.toLibrary(line, &m)
}

// drain waits until every call is answered, or drainTime.
func (c *stream) drain() {
	c.mu.Lock()
	idle := make(chan struct{})
	if c.due == 0 {
		close(idle)
	} else {
		c.idle = idle
	}
	c.mu.Unlock()
	c.settle(idle)
}

// settle waits for the fast lane's calls and, unless it is nil, for idle; at most
// drainTime.
func (c *stream) settle(idle <-chan struct{}) {
	limit := time.NewTimer(drainTime)
	defer limit.Stop()
	for _, end := range []<-chan struct{}{c.running.Idle(), idle} {
		if end == nil {
			continue
		}
		select {
		case <-end:
		case <-limit.C:
			return
		}
	}
}
