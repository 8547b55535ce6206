package drive

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net/http"
	"os/exec"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"
)

// stopTime is how long a program may take to end, its children included.
const stopTime = 8 * time.Second

// Spawned is a server in a process of its own.
type Spawned struct {
	*Running
	Data string
	// Log is what it writes to standard error.
	Log *Output

	cmd  *exec.Cmd
	done chan struct{}
}

var served = regexp.MustCompile(`serves (http://\S+)`)

// Spawn serves with a built program, on a data directory of its own, and waits until
// it says where. The end of the test stops it, in time and without a fault.
func Spawn(t *testing.T, program string, args ...string) *Spawned {
	t.Helper()
	s := &Spawned{Data: t.TempDir(), Log: NewOutput(), done: make(chan struct{})}
	out := NewOutput()
	// The context of a test ends before its cleanup, which asks the program to end and looks how it does.
	s.cmd = exec.CommandContext(context.WithoutCancel(t.Context()), program, append([]string{"serve", "--listen", "127.0.0.1:0", "--data", s.Data}, args...)...)
	s.cmd.Stdout, s.cmd.Stderr = out, s.Log
	s.cmd.WaitDelay = time.Second // a child that keeps the streams open must not keep the wait from ending
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var ended error
	go func() {
		ended = s.cmd.Wait()
		close(s.done)
		out.End()
		s.Log.End()
	}()
	t.Cleanup(func() {
		_ = s.cmd.Process.Signal(syscall.SIGTERM) // it may have ended, which is a fault below
		select {
		case <-s.done:
			if ended != nil {
				t.Errorf("the server ended with %v:\n%s", ended, s.Log.Text())
			}
		case <-time.After(stopTime):
			_ = s.cmd.Process.Kill() // as above
			<-s.done
			t.Errorf("the server did not end within %s:\n%s", stopTime, s.Log.Text())
		}
	})
	if !out.Await(served) {
		t.Fatalf("the server does not say where it serves:\n%s\n%s", out.Text(), s.Log.Text())
	}
	s.Running = &Running{URL: served.FindStringSubmatch(out.Text())[1], Token: Token(t, s.Data), client: http.DefaultClient}
	s.run = func(ctx context.Context, words []string, in io.Reader, out, errw io.Writer) int {
		cmd := exec.CommandContext(ctx, program, append(words, "--data", s.Data)...)
		cmd.Stdin, cmd.Stdout, cmd.Stderr = in, out, errw
		var status *exec.ExitError
		if err := cmd.Run(); err != nil && !errors.As(err, &status) {
			t.Errorf("running %s: %v", strings.Join(words, " "), err)
		}
		return cmd.ProcessState.ExitCode()
	}
	s.stdio = func(t *testing.T) *Session {
		// It ends with its input, as above.
		cmd := exec.CommandContext(context.WithoutCancel(t.Context()), program, "mcp", "--data", s.Data)
		in, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := errors.Join(in.Close(), cmd.Wait()); err != nil {
				t.Errorf("the session ended with %v", err)
			}
		})
		return &Session{in: in, out: bufio.NewReader(out)}
	}
	return s
}
