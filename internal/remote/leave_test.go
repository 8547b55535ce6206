package remote_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/remote"
)

// serveHere begins to serve the session by a peer in this process.
func (c *client) serveHere(ctx context.Context, leave chan struct{}) *peer {
	p := &peer{t: c.t, returned: make(chan error, 1)}
	begun := make(chan struct{})
	fromPeer, says := pipe(c.t)
	heard, toPeer := pipe(c.t)
	p.heard, p.says, p.stop = bufio.NewReader(heard), says, func() { _ = says.Close() }
	go func() {
		p.returned <- c.session.ServeHere(ctx, leave, func(_ context.Context, in io.Reader, out io.Writer) error {
			close(begun)
			go func() {
				_, _ = io.Copy(toPeer, in) // the end of the session is what ends it
				_ = toPeer.Close()
			}()
			_, err := io.Copy(out, fromPeer)
			return err
		})
	}()
	<-begun
	return p
}

func TestASessionLeavesAHolderThatLetsItGo(t *testing.T) {
	c := newClient(t)
	leave := make(chan struct{})
	p := c.serveHere(t.Context(), leave)
	c.say(askInit)
	p.hears(askInit)
	p.say(initDone)
	c.hears(initDone)
	c.say(noteInit, askCall)
	p.hears(noteInit, askCall)
	close(leave)
	if rest, err := io.ReadAll(p.heard); len(rest) > 0 || err != nil {
		t.Fatalf("a holder that is left hears %q, %v", rest, err)
	}
	c.say(askList) // after which the holder was left: it is for the next one
	p.say(callDone)
	c.hears(callDone)
	p.stop()
	p.ends(remote.ErrHolderGone)

	next := c.serve(t.Context())
	next.hears(askInit)
	next.say(initDone)
	c.hears(newTools)
	next.hears(noteInit, askList)
	next.say(listDone)
	c.hears(listDone)
	_ = c.typed.Close()
	if rest, err := io.ReadAll(next.heard); len(rest) > 0 || err != nil {
		t.Fatalf("the next holder hears %q, %v", rest, err)
	}
	next.stop()
	next.ends(nil)
}

func TestACallThatDoesNotEndIsAnsweredWhenItsHolderIsLeft(t *testing.T) {
	c := newClient(t)
	leave := make(chan struct{})
	p := c.serveHere(t.Context(), leave)
	c.say(askCall)
	p.hears(askCall)
	close(leave)
	p.stop()
	c.hears(callLost)
	p.ends(remote.ErrHolderGone)
}

func TestWhatAHolderHereSaysAtTheEndIsHeard(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	c := newClient(t)
	p := c.serveHere(ctx, nil)
	c.say(askCall)
	p.hears(askCall)
	cancel()
	p.say(callDone)
	p.stop()
	c.hears(callDone)
	p.ends(context.Canceled)
}

func TestTheEndOfAHolderHereIsTheEndOfItsSession(t *testing.T) {
	c := newClient(t)
	failed := errors.New("no such seat")
	err := c.session.ServeHere(t.Context(), nil, func(context.Context, io.Reader, io.Writer) error { return failed })
	if !errors.Is(err, failed) {
		t.Errorf("got %v, want %v", err, failed)
	}
}

func TestLeave(t *testing.T) {
	for name, tc := range map[string]struct {
		leave func() error
		want  string // of the refusal; "" for none
	}{
		"a holder that never does": {nil, "does not give it away"},
		"one that stays":           {func() error { return capabilities.Refuse(capabilities.Unavailable, "it stays") }, "it stays"},
		"one that goes":            {func() error { return nil }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			o := newFixture(t).options()
			o.Leave = tc.leave
			err := remote.Dial(serve(t, remote.Handler(o)), "1.2.3").Leave(t.Context())
			e, refused := capabilities.AsError(err)
			if refused != (tc.want != "") || refused && (e.Code != capabilities.Unavailable || !strings.Contains(e.Message, tc.want)) {
				t.Errorf("got %v, want %q", err, tc.want)
			}
		})
	}
	nobody := func(context.Context) (net.Conn, error) { return nil, errors.New("nobody is there") }
	if err := remote.Dial(nobody, "1.2.3").Leave(t.Context()); !errors.Is(err, remote.ErrHolderGone) {
		t.Errorf("got %v, want %v", err, remote.ErrHolderGone)
	}
	if _, refused := capabilities.AsError(remote.Dial(serve(t, remote.Handler(newFixture(t).options())), "1.2.2").Leave(t.Context())); !refused {
		t.Error("a holder of another version is not told from one that goes")
	}
}

// TestLeavingEndsTheInputOfASession has a holder that answers when its input has ended:
// what the client says after that is not lost.
func TestLeavingEndsTheInputOfASession(t *testing.T) {
	o := newFixture(t).options()
	leaving := make(chan struct{})
	o.Leaving = leaving
	heard := make(chan string, 1)
	o.ServeMCP = func(_ context.Context, in io.Reader, out io.Writer) error {
		lines := bufio.NewReader(in)
		first, _ := lines.ReadString('\n') // what is missing shows below
		heard <- first
		rest, err := io.ReadAll(lines)
		if err == nil {
			_, err = fmt.Fprintf(out, "%s, then %q\n", strings.TrimSpace(first), rest)
		}
		return err
	}
	c := newClient(t)
	client := remote.Dial(serve(t, remote.Handler(o)), "1.2.3")
	done := make(chan error, 1)
	go func() { done <- client.PipeMCP(t.Context(), c.session) }()
	c.say("said")
	if got := <-heard; got != "said\n" {
		t.Fatalf("the holder hears %q", got)
	}
	close(leaving)
	c.hears(`said, then ""`)
	if err := <-done; !errors.Is(err, remote.ErrHolderGone) {
		t.Errorf("got %v, want %v", err, remote.ErrHolderGone)
	}
}
