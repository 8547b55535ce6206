package remote

import (
	"context"
	"errors"
	"io"
	"time"
)

// answerTime is how long a peer in this process may write its last answers when the
// session is stopped.
const answerTime = 4 * time.Second

// ServeHere is [Session.Serve] by a peer in this process: serve serves one session
// until in ends or ctx is done. Closing leave ends in, as if the client had nothing more
// to say: when serve has answered what it was told, ServeHere answers [ErrHolderGone],
// and the session can be served by another peer. Nothing that the client says meanwhile
// is lost.
func (s *Session) ServeHere(ctx context.Context, leave <-chan struct{}, serve func(ctx context.Context, in io.Reader, out io.Writer) error) error {
	s.note = "" // which was about the holder before
	in, said := io.Pipe()
	heard, out := io.Pipe()
	served := make(chan error, 1)
	go func() {
		err := serve(ctx, in, out)
		_, _ = in.Close(), out.Close() // of a pipe in memory
		served <- err
	}()
	// What serve says when ctx is done is still the client's to hear.
	carrying, cut := context.WithCancel(context.WithoutCancel(ctx))
	defer cut()
	defer context.AfterFunc(ctx, func() { time.AfterFunc(answerTime, cut) })()
	err := s.serve(carrying, inProcess{heard, said}, leave)
	if errors.Is(err, context.Canceled) {
		return ctx.Err() // serve may be stuck in a write that nobody reads
	}
	failed := <-served
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err == nil || errors.Is(err, ErrHolderGone) && failed != nil:
		return failed
	}
	return err
}

// inProcess is a peer in this process.
type inProcess struct {
	*io.PipeReader
	said *io.PipeWriter
}

// Write writes to the peer.
func (p inProcess) Write(b []byte) (int, error) { return p.said.Write(b) }

// CloseWrite says that nothing follows.
func (p inProcess) CloseWrite() error { return p.said.Close() }

// Close ends both ways.
func (p inProcess) Close() error { return errors.Join(p.PipeReader.Close(), p.said.Close()) }
