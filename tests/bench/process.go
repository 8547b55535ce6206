package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"syscall"
	"time"
)

// process is a program that was started to be measured.
type process struct {
	cmd  *exec.Cmd
	in   io.WriteCloser
	out  io.ReadCloser
	said *bytes.Buffer // on standard error; to be read once it has ended
}

// start starts a program in a process group of its own.
func start(ctx context.Context, program string, args ...string) (*process, error) {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	said := &bytes.Buffer{}
	cmd.Stderr = said
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	return &process{cmd, in, out, said}, nil
}

func (p *process) pid() int { return p.cmd.Process.Pid }

// stop asks the program to end, and ends it after 8 seconds. A program that fails
// is an error, with what it said.
func (p *process) stop() error {
	_ = p.in.Close() // a program that reads it ends by that alone
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	kill := time.AfterFunc(8*time.Second, func() {
		_ = syscall.Kill(-p.pid(), syscall.SIGKILL) // it has ended meanwhile
	})
	defer kill.Stop()
	err := p.cmd.Wait()
	if p.cmd.ProcessState.ExitCode() < 0 {
		return nil // the signal ended it
	}
	if err != nil {
		err = fmt.Errorf("%s: %w: %s", p.cmd, err, p.said)
	}
	return err
}

// ended waits for a program that ends by itself. One that fails is an error, with what
// it said.
func (p *process) ended() error {
	_, err := io.Copy(io.Discard, p.out)
	if err = errors.Join(err, p.cmd.Wait()); err != nil {
		return fmt.Errorf("%s: %w: %s", p.cmd, err, p.said)
	}
	return nil
}

var address = regexp.MustCompile(`http://127\.0\.0\.1:\d+`)

// url waits for the program to print where it serves.
func (p *process) url() (string, error) {
	lines := bufio.NewScanner(p.out)
	for lines.Scan() {
		if url := address.FindString(lines.Text()); url != "" {
			go func() { _, _ = io.Copy(io.Discard, p.out) }() // it must never wait for us; ends with the process
			return url, nil
		}
	}
	return "", fmt.Errorf("%s ended before it served: %w", p.cmd.Path, errors.Join(lines.Err(), p.stop()))
}

// stopAll stops programs, the last first.
func stopAll(err *error, all ...*process) {
	for _, one := range slices.Backward(all) {
		*err = errors.Join(*err, one.stop())
	}
}
