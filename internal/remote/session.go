package remote

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
)

// ErrHolderGone is answered when the holder closed a session before its client did.
// Another one can take the session over: see [Session].
var ErrHolderGone = errors.New("the running holotype closed the session")

// A Peer is the holder's end of a session: a connection whose writing half can be
// closed alone, which says that nothing follows.
type Peer interface {
	io.ReadWriteCloser
	CloseWrite() error
}

// Session is one client's session of newline-delimited JSON-RPC, whose holder may
// change. It is served by one [Peer] after another: when one goes away, the requests
// that may have taken effect are answered with an error, and the next one is told what
// it has to know: the handshake, and the requests that only read.
//
// A session is for one goroutine. What the client wrote is read ahead by one message,
// which is kept for the next peer.
type Session struct {
	// Seat is the seat in whose position the client speaks; "" is the owner's own.
	Seat string
	// Discovery has the client given the tools of discovery in place of its list.
	Discovery bool
	// Build tells the process that carries the session from other builds of the same
	// version: a holder of another build is said to be one, behind its instructions.
	// "", or a nil Build, tells nothing. It is asked when the session is attached.
	Build func() string
	note  string // what is to be said behind the holder's instructions
	out   io.Writer
	lines chan line
	first sync.Once
	in    *bufio.Reader
	ended error // why in ended; nil for its end. Read it when lines is closed

	held    []byte // a message that no peer has taken
	midway  bool   // a part of a long message was passed on, and the rest was not yet
	tracker tracker
}

// A line is a message of the client with its line break, or a part of one that is too
// long to be kept, which cannot be told from others and goes as it came.
type line struct {
	data []byte
	part bool // more of it follows
	rest bool // it follows a part
}

// maxKept bounds a message that is kept whole. A holder refuses one that is a little
// shorter.
const maxKept = 8 << 20

// NewSession answers the session of a client that writes to in and reads from out.
func NewSession(in io.Reader, out io.Writer) *Session {
	return &Session{out: out, in: bufio.NewReaderSize(in, 64<<10), lines: make(chan line), tracker: newTracker()}
}

// Serve carries the session until the client ends it: nil when the peer has answered
// what was left. The error is ctx's, [ErrHolderGone], after which the session can be
// served by another peer, or says what failed on the client's side. A read of in that
// is under way cannot be stopped: do not use in again. The peer is closed.
func (s *Session) Serve(ctx context.Context, peer Peer) error { return s.serve(ctx, peer, nil) }

// serve is [Session.Serve]. When leave is closed the peer is told nothing more; once it
// has answered what it was told, the session waits for another one.
func (s *Session) serve(ctx context.Context, peer Peer, leave <-chan struct{}) error {
	defer func() { _ = peer.Close() }()
	stop := context.AfterFunc(ctx, func() { _ = peer.Close() })
	defer stop()
	s.first.Do(func() { go s.read() })
	a := &answers{from: bufio.NewReaderSize(peer, 64<<10), s: s, ready: make(chan struct{}), gone: make(chan struct{})}
	said := s.tracker.restart()
	a.replayed = said.handshakeAnswered
	go a.run()

	err := s.tell(ctx, peer, a, said)
	if err == nil {
		err = s.carry(ctx, peer, a, leave)
	}
	ended := errors.Is(err, io.EOF)
	if ended || errors.Is(err, errLeaving) {
		_ = peer.CloseWrite() // a peer that is gone shows below
	} else {
		_ = peer.Close()
	}
	if !a.wait(ctx) || ctx.Err() != nil {
		return ctx.Err()
	}
	switch {
	case a.failed != nil:
		return fmt.Errorf("passing answers on: %w", a.failed)
	case errors.Is(err, errRefused):
		return err
	}
	if err := s.giveUp(); err != nil {
		return fmt.Errorf("passing answers on: %w", err)
	}
	switch {
	case !ended:
		return ErrHolderGone
	case s.ended != nil:
		return fmt.Errorf("reading messages: %w", s.ended)
	}
	return nil
}

// errLeaving says that a peer was left while it was there.
var errLeaving = errors.New("the session leaves its holder")

// errRefused says that a peer did not take a session over.
var errRefused = errors.New("the holotype that serves now does not take the session over")

// tell tells a further peer what the one before it knew.
func (s *Session) tell(ctx context.Context, peer Peer, a *answers, said restart) error {
	if said.handshake != nil {
		if _, err := peer.Write(said.handshake); err != nil {
			return err
		}
		select {
		case <-a.ready:
		case <-a.gone:
			return ErrHolderGone
		case <-ctx.Done():
			return ctx.Err()
		}
		if a.refused {
			return errRefused
		}
	}
	for _, message := range said.messages {
		if _, err := peer.Write(message); err != nil {
			return err
		}
	}
	return s.pass(peer, nil)
}

// carry passes messages on until the client ends (io.EOF), the peer is gone or leave is
// closed, which takes effect between two messages.
func (s *Session) carry(ctx context.Context, peer Peer, a *answers, leave <-chan struct{}) error {
	torn := s.midway // its beginning went to a peer that is gone
	for {
		now := leave
		if s.midway && !torn {
			now = nil
		}
		select {
		case <-now:
			return errLeaving
		case l, open := <-s.lines:
			if !open {
				return io.EOF
			}
			s.midway = l.part
			switch {
			case l.rest && torn:
			case l.part || l.rest:
				if _, err := peer.Write(l.data); err != nil {
					return err
				}
			default:
				if err := s.pass(peer, l.data); err != nil {
					return err
				}
			}
			torn = torn && l.part
		case <-a.gone:
			return ErrHolderGone
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// pass writes the message that is held, and then another one. What could not be
// written whole is held for the next peer: this one cannot have read it.
func (s *Session) pass(peer Peer, message []byte) error {
	for _, m := range [][]byte{s.held, message} {
		if m == nil {
			continue
		}
		s.held = m
		s.tracker.asks(m)
		if _, err := peer.Write(m); err != nil {
			s.tracker.unsaid(m)
			return err
		}
		s.held = nil
	}
	return nil
}

// giveUp answers the requests that the peer may have acted on.
func (s *Session) giveUp() error {
	for _, answer := range s.tracker.lost() {
		if _, err := s.out.Write(answer); err != nil {
			return err
		}
	}
	return nil
}

// read reads the client's messages to their end.
func (s *Session) read() {
	defer close(s.lines)
	var kept []byte
	long := false
	for {
		part, err := s.in.ReadSlice('\n')
		kept = append(kept, part...)
		full := errors.Is(err, bufio.ErrBufferFull)
		switch {
		case full && !long && len(kept) < maxKept:
			continue
		case len(kept) > 0:
			s.lines <- line{kept, full, long}
			kept, long = nil, full
		}
		if err != nil && !full {
			if !errors.Is(err, io.EOF) {
				s.ended = err
			}
			return
		}
	}
}
