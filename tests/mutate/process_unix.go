//go:build unix

package main

import (
	"os/exec"
	"syscall"
)

// asOne lets a command and all that it starts end together.
func asOne(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
