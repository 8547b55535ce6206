package datadir_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/seed-89b9419b/holotype/internal/datadir"
)

// TestMain lets the test binary be a process of its own on a data directory: <binary> as-child <task> <dir>. It says what came of the task in
// one line and then stays until its input ends.
func TestMain(m *testing.M) {
	if len(os.Args) == 4 && os.Args[1] == "as-child" {
		fmt.Println(childTask(os.Args[2], os.Args[3]))
		_, _ = io.Copy(io.Discard, os.Stdin)
		return
	}
	os.Exit(m.Run())
}

func childTask(task, path string) string {
	d, err := datadir.Open(path)
	if err != nil {
		return err.Error()
	}
	switch task {
	case "token":
		token, err := d.OwnerToken()
		return fmt.Sprint(token, err)
	case "hold-or-dial":
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		h, _, err := d.HoldOrDial(ctx)
		return fmt.Sprint(h != nil, " ", err)
	}
	h, err := d.Hold()
	if held, ok := errors.AsType[*datadir.HeldError](err); ok {
		return fmt.Sprintf("held by %d", held.PID)
	}
	if err != nil {
		return err.Error()
	}
	go func() {
		for {
			conn, err := h.Listener().Accept()
			if err != nil {
				return
			}
			_, _ = fmt.Fprintln(conn, os.Getpid())
			_ = conn.Close()
		}
	}()
	return "holds"
}

// child is a running test binary.
type child struct {
	cmd *exec.Cmd
	out *bufio.Reader
}

func start(t *testing.T, task, path string) *child {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "as-child", task, path)
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
	c := &child{cmd, bufio.NewReader(out)}
	t.Cleanup(func() { _ = in.Close(); c.kill() })
	return c
}

// says returns what came of the task.
func (c *child) says(t *testing.T) string {
	t.Helper()
	line, err := c.out.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(line)
}

// kill ends the child with SIGKILL and waits until it is gone.
func (c *child) kill() {
	_ = c.cmd.Process.Kill()
	_ = c.cmd.Wait()
}
