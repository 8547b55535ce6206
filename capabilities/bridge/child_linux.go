package bridge

import (
	"errors"
	"syscall"

	"golang.org/x/sys/unix"
)

// groupAttr gives the child a process group of its own and, should this process
// be killed outright, SIGTERM. Not SIGKILL: a container's client has to pass it
// on to the container.
func groupAttr() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM}
}

// awaitExit waits for the process to exit without reaping it, so that its number
// still belongs to its group while the group is killed.
func awaitExit(pid int) {
	for {
		err := unix.Waitid(unix.P_PID, pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if !errors.Is(err, unix.EINTR) {
			return
		}
	}
}
