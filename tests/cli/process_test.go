package cli_test

import (
	"io"
	"os/exec"
	"syscall"
	"time"

	"github.com/seed-89b9419b/holotype/tests/drive"
)

// stopTime is how long a program may take to end, children included.
const stopTime = 8 * time.Second

// process is a program that runs beside a script.
type process struct {
	cmd      *exec.Cmd
	in       io.WriteCloser
	out, err *drive.Output
	done     chan struct{}
}

func newProcess(cmd *exec.Cmd) *process {
	p := &process{cmd: cmd, out: drive.NewOutput(), err: drive.NewOutput(), done: make(chan struct{})}
	cmd.Stdout, cmd.Stderr = p.out, p.err
	// A child that keeps the streams open must not keep the wait from ending.
	cmd.WaitDelay = time.Second
	return p
}

func (p *process) start() error {
	if err := p.cmd.Start(); err != nil {
		return err
	}
	go func() {
		_ = p.cmd.Wait() // its state says how it ended
		close(p.done)
		p.out.End()
		p.err.End()
	}()
	return nil
}

// wait reports whether the program ended in time.
func (p *process) wait() bool {
	select {
	case <-p.done:
		return true
	case <-time.After(stopTime):
		return false
	}
}

// kill ends what a failed script left.
func (p *process) kill() {
	_ = p.cmd.Process.Signal(syscall.SIGTERM) // it may have ended
	if !p.wait() {
		_ = p.cmd.Process.Kill() // as above
		<-p.done
	}
}
