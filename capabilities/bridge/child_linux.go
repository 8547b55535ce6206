package bridge

import (
	"errors"
	"os"
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
// still belongs to its group while the group is killed. A handle of the process, which
// the network poller waits for, takes no thread; where the kernel has none (before
// 5.10) the wait takes one.
func awaitExit(pid int) {
	if awaitHandle(pid) {
		return
	}
	for {
		err := unix.Waitid(unix.P_PID, pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if !errors.Is(err, unix.EINTR) {
			return
		}
	}
}

// awaitHandle is [awaitExit] by a handle. It answers false where there is none.
func awaitHandle(pid int) bool {
	fd, err := unix.PidfdOpen(pid, unix.PIDFD_NONBLOCK)
	if err != nil {
		return false
	}
	handle := os.NewFile(uintptr(fd), "pidfd")
	defer func() { _ = handle.Close() }() // nothing was written
	conn, err := handle.SyscallConn()
	if err != nil {
		return false
	}
	exited := false
	err = conn.Read(func(fd uintptr) bool {
		var about unix.Siginfo
		for {
			err := unix.Waitid(unix.P_PIDFD, int(fd), &about, unix.WEXITED|unix.WNOWAIT|unix.WNOHANG, nil)
			if errors.Is(err, unix.EINTR) {
				continue
			}
			exited = err == nil && about.Signo != 0
			return exited || err != nil
		}
	})
	return err == nil && exited
}
