package holotype_test

import (
	"context"
	"errors"
	"io"
	"net"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/seed-89b9419b/holotype"
	"github.com/seed-89b9419b/holotype/internal/remote"
)

// A holder that is killed between the dial and the first words breaks the pipe to it. The
// client is still there: its session must go on with the next holder.
func TestABrokenPipeToTheHolderIsNotTheClientsEnd(t *testing.T) {
	for _, broken := range []error{syscall.EPIPE, syscall.ECONNRESET, io.ErrClosedPipe} {
		client := remote.Dial(func(context.Context) (net.Conn, error) {
			near, far := net.Pipe()
			return deafConn{near, broken}, far.Close()
		}, "1")
		in, out := io.Pipe()
		defer func() { _ = out.Close() }()
		err := client.PipeMCP(t.Context(), remote.NewSession(in, io.Discard))
		if !errors.Is(err, remote.ErrHolderGone) || holotype.ClientGone(err) {
			t.Errorf("%v: taken for the end of the client: %t", err, holotype.ClientGone(err))
		}
		if said := (&net.OpError{Op: "write", Err: broken}); errors.Is(broken, syscall.EPIPE) && !holotype.ClientGone(said) {
			t.Errorf("%v is not taken for the end of the client", said)
		}
	}
}

// deafConn cannot be written to.
type deafConn struct {
	net.Conn
	broken error
}

func (c deafConn) Write([]byte) (int, error) { return 0, c.broken }

// A client's file that starts `mcp` and is also bridged would serve the server to
// itself without end: the child is told whose child it is.
func TestAnMCPCommandStartedByItsOwnServerEnds(t *testing.T) {
	data := filepath.Join(t.TempDir(), "data")
	run := func(variables map[string]string) (int, string) {
		var out, errw strings.Builder
		s := holotype.New(holotype.Options{Lookup: func(name string) (string, bool) {
			v, ok := variables[name]
			return v, ok
		}})
		code := s.Command().Run(t.Context(), []string{"mcp", "--data", data}, strings.NewReader(""), &out, &errw)
		return code, errw.String()
	}
	if code, said := run(nil); code != 0 {
		t.Fatalf("started by a client it exits %d: %s", code, said)
	}
	if code, said := run(map[string]string{"HOLOTYPE_WITHIN": holotype.Within(data)}); code != 1 || !strings.Contains(said, "started by the server it would attach to") {
		t.Errorf("started by its own server it exits %d: %s", code, said)
	}
	if code, said := run(map[string]string{"HOLOTYPE_WITHIN": holotype.Within(data + "2")}); code != 0 {
		t.Errorf("started by another server it exits %d: %s", code, said)
	}
}
