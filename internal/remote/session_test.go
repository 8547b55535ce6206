package remote_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-89b9419b/holotype/internal/remote"
)

const (
	askInit    = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{}}`
	initDone   = `{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-11-25"}}`
	noteInit   = `{"jsonrpc":"2.0","method":"notifications/initialized"}`
	askList    = `{"method":"tools/list","jsonrpc":"2.0","id":"l"}`
	listDone   = `{"jsonrpc":"2.0","id":"l","result":{"tools":[]}}`
	askCall    = `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"x","arguments":{"id":8}}}`
	callDone   = `{"jsonrpc":"2.0","id":7,"result":{"content":[]}}`
	cancelCall = `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}`
	askPing    = `{"jsonrpc":"2.0","id":9,"method":"ping"}`
	pingDone   = `{"jsonrpc":"2.0","id":9,"result":{}}`
	callLost   = `{"jsonrpc":"2.0","id":7,"error":{"code":-32603,"message":"the holotype that ran this call went away before it answered: ` +
		`it is unknown whether the call took effect, look before you repeat it","data":{"code":"unavailable","maybe_applied":true}}}`
	newTools = `{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`
)

// A client is this side of a session in a test.
type client struct {
	t       *testing.T
	session *remote.Session
	typed   *os.File
	shown   *bufio.Reader
}

// pipe answers a pipe of the system: what is written waits for its reader.
func pipe(t *testing.T) (r, w *os.File) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = w.Close(), r.Close() }) // a test may have closed them
	return r, w
}

func newClient(t *testing.T) *client {
	t.Helper()
	in, typed := pipe(t)
	shown, out := pipe(t)
	return &client{t, remote.NewSession(in, out), typed, bufio.NewReader(shown)}
}

// A peer is one holder in a test, and what its Serve returned.
type peer struct {
	t        *testing.T
	heard    *bufio.Reader
	says     *os.File
	stop     func()
	returned chan error
}

// pipes are the session's end of a peer.
type pipes struct {
	io.ReadCloser
	w io.WriteCloser
}

func (p pipes) Write(b []byte) (int, error) { return p.w.Write(b) }
func (p pipes) Close() error                { return errors.Join(p.ReadCloser.Close(), p.w.Close()) }
func (p pipes) CloseWrite() error           { return p.w.Close() }

// serve begins to serve the session by another peer.
func (c *client) serve(ctx context.Context) *peer {
	fromPeer, says := pipe(c.t)
	heard, toPeer := pipe(c.t)
	p := &peer{t: c.t, heard: bufio.NewReader(heard), says: says, returned: make(chan error, 1)}
	p.stop = func() { _, _ = heard.Close(), says.Close() }
	go func() { p.returned <- c.session.Serve(ctx, pipes{fromPeer, toPeer}) }()
	return p
}

func (c *client) say(lines ...string) {
	c.t.Helper()
	for _, l := range lines {
		if _, err := io.WriteString(c.typed, l+"\n"); err != nil {
			c.t.Fatal(err)
		}
	}
}

func (c *client) hears(want ...string) {
	c.t.Helper()
	expect(c.t, "the client", c.shown, want)
}

func (p *peer) hears(want ...string) {
	p.t.Helper()
	expect(p.t, "the holder", p.heard, want)
}

func (p *peer) say(lines ...string) {
	p.t.Helper()
	for _, l := range lines {
		if _, err := io.WriteString(p.says, l+"\n"); err != nil {
			p.t.Fatal(err)
		}
	}
}

func expect(t *testing.T, who string, r *bufio.Reader, want []string) {
	t.Helper()
	for _, w := range want {
		got, err := r.ReadString('\n')
		if err != nil || strings.TrimSuffix(got, "\n") != w {
			t.Fatalf("%s hears %q, %v; want %q", who, got, err, w)
		}
	}
}

func (p *peer) ends(want error) {
	p.t.Helper()
	select {
	case got := <-p.returned:
		if !errors.Is(got, want) {
			p.t.Fatalf("ended with %v, want %v", got, want)
		}
	case <-time.After(time.Minute):
		p.t.Fatal("it does not end")
	}
}

// shaken is a session whose handshake was done with the first peer.
func shaken(t *testing.T) (*client, *peer) {
	c := newClient(t)
	p := c.serve(t.Context())
	c.say(askInit)
	p.hears(askInit)
	p.say(initDone)
	c.hears(initDone)
	c.say(noteInit)
	p.hears(noteInit)
	return c, p
}

func TestSessionGoesOnWithAnotherHolder(t *testing.T) {
	c, p := shaken(t)
	c.say(askCall, askList)
	p.hears(askCall, askList)
	p.stop()
	c.hears(callLost)
	p.ends(remote.ErrHolderGone)

	next := c.serve(t.Context())
	next.hears(askInit)
	next.say(`{"jsonrpc":"2.0","method":"notifications/message"}`, initDone)
	c.hears(`{"jsonrpc":"2.0","method":"notifications/message"}`, newTools)
	next.hears(noteInit, askList)
	next.say(listDone)
	c.hears(listDone)
	c.say(askCall)
	next.hears(askCall)
	next.say(callDone)
	c.hears(callDone)

	// And with a third: nothing is open any more.
	next.stop()
	next.ends(remote.ErrHolderGone)
	last := c.serve(t.Context())
	last.hears(askInit)
	last.say(initDone)
	c.hears(newTools)
	last.hears(noteInit)
	c.say(askPing)
	last.hears(askPing)
	last.say(pingDone)
	c.hears(pingDone)
	_ = c.typed.Close()
	if rest, err := io.ReadAll(last.heard); len(rest) > 0 || err != nil {
		t.Errorf("at the end the holder hears %q, %v", rest, err)
	}
	last.stop()
	last.ends(nil)
}

func TestSessionWithoutAHandshakeIsTakenOverAsItIs(t *testing.T) {
	c := newClient(t)
	p := c.serve(t.Context())
	c.say(askList)
	p.hears(askList)
	p.say(listDone)
	c.hears(listDone)
	p.stop()
	p.ends(remote.ErrHolderGone)
	next := c.serve(t.Context())
	c.say(askPing)
	next.hears(askPing)
}

func TestSessionTakenOverDuringItsHandshake(t *testing.T) {
	c := newClient(t)
	p := c.serve(t.Context())
	c.say(askInit)
	p.hears(askInit)
	p.stop()
	p.ends(remote.ErrHolderGone)
	next := c.serve(t.Context())
	next.hears(askInit)
	next.say(initDone)
	c.hears(initDone)
}

func TestACancelledCallHasNoAnswer(t *testing.T) {
	c, p := shaken(t)
	c.say(askCall, cancelCall)
	p.hears(askCall, cancelCall)
	p.stop()
	p.ends(remote.ErrHolderGone)
	next := c.serve(t.Context())
	next.hears(askInit)
	next.say(initDone)
	c.hears(newTools) // and nothing about the call
}

func TestAMessageThatNobodyTookIsNotLost(t *testing.T) {
	c, p := shaken(t)
	// The holder reads no more: what is written to it fails, and so did not arrive.
	p.stop()
	p.ends(remote.ErrHolderGone)
	told := make(chan struct{})
	go func() {
		defer close(told)
		_, _ = io.WriteString(c.typed, askCall+"\n") // a test that fails closes it
	}()
	next := c.serve(t.Context())
	next.hears(askInit)
	next.say(initDone)
	c.hears(newTools)
	next.hears(noteInit, askCall)
	next.say(callDone)
	c.hears(callDone)
	<-told
}

// deaf is a peer that answers nothing and takes nothing.
type deaf struct{ closed chan struct{} }

func (d deaf) Read([]byte) (int, error)  { <-d.closed; return 0, io.EOF }
func (d deaf) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }
func (d deaf) CloseWrite() error         { return nil }

func (d deaf) Close() error {
	close(d.closed)
	return nil
}

func TestAWriteThatFailsIsRepeatedToTheNextHolder(t *testing.T) {
	c := newClient(t)
	ended := make(chan error, 1)
	go func() { ended <- c.session.Serve(t.Context(), &onceClosed{deaf: deaf{closed: make(chan struct{})}}) }()
	c.say(askCall)
	if err := <-ended; !errors.Is(err, remote.ErrHolderGone) {
		t.Fatal(err)
	}
	next := c.serve(t.Context())
	next.hears(askCall) // and the client is not told that it is unknown
	next.say(callDone)
	c.hears(callDone)
}

// onceClosed may be closed often.
type onceClosed struct {
	deaf
	done bool
}

func (o *onceClosed) Close() error {
	if o.done {
		return nil
	}
	o.done = true
	return o.deaf.Close()
}

func TestHalfAnAnswerIsNotPassedOn(t *testing.T) {
	c, p := shaken(t)
	c.say(askCall)
	p.hears(askCall)
	if _, err := io.WriteString(p.says, callDone[:20]); err != nil {
		t.Fatal(err)
	}
	p.stop()
	c.hears(callLost)
}

func TestAHolderThatRefusesTheSessionEndsIt(t *testing.T) {
	c, p := shaken(t)
	p.stop()
	p.ends(remote.ErrHolderGone)
	next := c.serve(t.Context())
	next.hears(askInit)
	next.say(`{"jsonrpc":"2.0","id":0,"error":{"code":-32602,"message":"no"}}`)
	select {
	case err := <-next.returned:
		if err == nil || errors.Is(err, remote.ErrHolderGone) {
			t.Errorf("ended with %v", err)
		}
	case <-time.After(time.Minute):
		t.Error("it does not end")
	}
}

func TestAMessageTooLongToKeepGoesThrough(t *testing.T) {
	c := newClient(t)
	p := c.serve(t.Context())
	long := `{"id":1,"x":"` + strings.Repeat("x", 20<<20) + `"}`
	go func() { _, _ = io.WriteString(c.typed, long+"\n"+askPing+"\n") }()
	got, err := p.heard.ReadString('\n')
	if err != nil || got != long+"\n" {
		t.Fatalf("%d bytes of %d, %v", len(got), len(long)+1, err)
	}
	p.hears(askPing)
}

// Of a message that is too long to be kept, the rest is not a message for the next holder.
func TestTheRestOfATornMessageIsDropped(t *testing.T) {
	c := newClient(t)
	p := c.serve(t.Context())
	long := strings.Repeat("x", 10<<20)
	sent := make(chan struct{})
	go func() {
		defer close(sent)
		_, _ = io.WriteString(c.typed, long)
	}()
	if _, err := io.CopyN(io.Discard, p.heard, 9<<20); err != nil {
		t.Fatal(err)
	}
	go func() { _, _ = io.Copy(io.Discard, p.heard) }()
	<-sent
	p.stop()
	p.ends(remote.ErrHolderGone)
	next := c.serve(t.Context())
	go func() { _, _ = io.WriteString(c.typed, long+"\n"+askPing+"\n") }()
	next.hears(askPing)
}

func TestTheClientsStreamsEndASession(t *testing.T) {
	t.Run("nobody reads the answers", func(t *testing.T) {
		in, typed := pipe(t)
		shown, out := pipe(t)
		c := &client{t, remote.NewSession(in, out), typed, bufio.NewReader(shown)}
		p := c.serve(t.Context())
		_ = shown.Close()
		p.say(pingDone)
		p.ends(syscall.EPIPE)
	})
	t.Run("the context", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		c := newClient(t)
		p := c.serve(ctx)
		cancel()
		p.ends(context.Canceled)
	})
	t.Run("the holder goes when everything was said", func(t *testing.T) {
		c := newClient(t)
		p := c.serve(t.Context())
		c.say(askCall)
		p.hears(askCall)
		_ = c.typed.Close()
		if rest, err := io.ReadAll(p.heard); len(rest) > 0 || err != nil {
			t.Fatalf("the holder hears %q, %v", rest, err)
		}
		p.stop()
		c.hears(callLost)
		p.ends(nil)
	})
}

func TestKeysOfAMessageAreThoseToTheLetter(t *testing.T) {
	c := newClient(t)
	p := c.serve(t.Context())
	odd := []string{`{"ID":7,"Method":"tools/call"}`, `[]`, `no JSON`, ``, `{"jsonrpc":"2.0","id":null,"method":"tools/call"}`, `{"jsonrpc":"2.0","id":3,"result":{}}`}
	c.say(odd...)
	p.hears(odd...)
	p.stop()
	p.ends(remote.ErrHolderGone)
	_ = c.typed.Close()
	next := c.serve(t.Context())
	rest, err := io.ReadAll(next.heard)
	if diff := cmp.Diff("", string(rest)); diff != "" || err != nil {
		t.Errorf("the next holder hears %s %v", diff, err)
	}
}
