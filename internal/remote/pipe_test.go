package remote_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/remote"
)

type brokenReader struct{ err error }

func (b brokenReader) Read([]byte) (int, error) { return 0, b.err }

func pipeTo(t *testing.T, serveMCP func(context.Context, io.Reader, io.Writer) error) *remote.Client {
	t.Helper()
	o := newFixture(t).options()
	o.ServeMCP = serveMCP
	return remote.Dial(serve(t, remote.Handler(o)), "1.2.3")
}

func TestPipeCarriesASessionToItsEnd(t *testing.T) {
	c := pipeTo(t, echoMCP)
	want := "{\"id\":1}\n{\"text\":\"" + strings.Repeat("x", 1<<20) + "\"}\n"
	var out bytes.Buffer
	if err := c.PipeMCP(t.Context(), remote.NewSession(strings.NewReader(want), &out)); err != nil {
		t.Fatal(err)
	}
	if out.String() != want {
		t.Errorf("got %d bytes, want the %d that were sent", out.Len(), len(want))
	}
}

func TestPipeAnswersWhileInputIsOpen(t *testing.T) {
	c := pipeTo(t, echoMCP)
	in, typed := io.Pipe()
	shown, out := io.Pipe()
	done := make(chan error, 1)
	go func() { done <- c.PipeMCP(t.Context(), remote.NewSession(in, out)) }()
	if _, err := io.WriteString(typed, "ping\n"); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(shown).ReadString('\n'); err != nil || line != "ping\n" {
		t.Fatalf("got %q, %v", line, err)
	}
	_ = typed.Close()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

func TestPipeTellsTheEndsApart(t *testing.T) {
	open, keep := io.Pipe()
	defer func() { _ = keep.Close() }()
	broken := errors.New("the terminal is gone")
	t.Run("the holder leaves first", func(t *testing.T) {
		c := pipeTo(t, func(context.Context, io.Reader, io.Writer) error { return nil })
		if err := c.PipeMCP(t.Context(), remote.NewSession(open, io.Discard)); !errors.Is(err, remote.ErrHolderGone) {
			t.Errorf("got %v, want ErrHolderGone", err)
		}
	})
	t.Run("input fails", func(t *testing.T) {
		if err := pipeTo(t, echoMCP).PipeMCP(t.Context(), remote.NewSession(brokenReader{broken}, io.Discard)); !errors.Is(err, broken) {
			t.Errorf("got %v, want the reader's error", err)
		}
	})
	t.Run("the caller stops", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan struct{})
		c := pipeTo(t, func(_ context.Context, in io.Reader, _ io.Writer) error {
			cancel()
			_, err := io.Copy(io.Discard, in)
			close(ended)
			return err
		})
		if err := c.PipeMCP(ctx, remote.NewSession(open, io.Discard)); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v, want the context's error", err)
		}
		<-ended // the holder's side noticed
	})
	t.Run("no sessions are served", func(t *testing.T) {
		err := pipeTo(t, nil).PipeMCP(t.Context(), remote.NewSession(strings.NewReader(""), io.Discard))
		if e, ok := capabilities.AsError(err); !ok || e.Code != capabilities.InternalError {
			t.Errorf("got %v, want internal_error", err)
		}
	})
}

// A client that has said everything and closes its half still gets its answers: the
// end of its input must not look like its departure.
func TestPipeAnswersAfterInputHasEnded(t *testing.T) {
	c := pipeTo(t, func(ctx context.Context, in io.Reader, out io.Writer) error {
		asked, err := io.ReadAll(in)
		if err != nil {
			return err
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		_, err = out.Write(bytes.ToUpper(asked))
		return err
	})
	var out bytes.Buffer
	if err := c.PipeMCP(t.Context(), remote.NewSession(strings.NewReader("ask\n"), &out)); err != nil || out.String() != "ASK\n" {
		t.Errorf("got %q, %v", out.String(), err)
	}
}
