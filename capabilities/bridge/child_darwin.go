package bridge

import (
	"errors"
	"syscall"
	"unsafe"
)

// groupAttr gives the child a process group of its own.
func groupAttr() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// awaitExit waits for the process to exit without reaping it, so that its number
// still belongs to its group while the group is killed.
func awaitExit(pid int) {
	const (
		pPID    = 1
		wExited = 0x4
		wNoWait = 0x20
	)
	for {
		var info [16]uint64 // room for a siginfo_t; its content does not matter
		_, _, errno := syscall.Syscall6(syscall.SYS_WAITID, pPID, uintptr(pid),
			uintptr(unsafe.Pointer(&info)), wExited|wNoWait, 0, 0)
		if !errors.Is(errno, syscall.EINTR) {
			return
		}
	}
}
