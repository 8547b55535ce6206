package bridge

import (
	"os"
	"strconv"
	"syscall"
)

// watchScript waits until its input ends, which is when the process that holds the
// other end is gone, and ends a group of processes as [child.stop] would.
const watchScript = `trap '' HUP INT TERM; while read -r _; do :; done; ` +
	`kill -s TERM -- "-$1" 2>/dev/null && sleep 2 && kill -s KILL -- "-$1" 2>/dev/null`

// A watch ends a child's group when this process is killed outright and can stop
// nothing any more. The kernel's own way, the parent-death signal, reaches the child
// alone: not what a package runner or a shell started in its turn, and not a child
// that ignores the signal. It is a shell of a few hundred kilobytes beside every child.
type watch struct {
	proc  *os.Process // nil where no shell could be started
	alive *os.File
}

// watchOver watches over a group. Without a shell there is no watch, and the child
// runs all the same.
func watchOver(group int) *watch {
	w := &watch{}
	theirs, ours, err := os.Pipe()
	if err != nil {
		return w
	}
	defer func() { _ = theirs.Close() }() // nothing was read
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		_ = ours.Close()
		return w
	}
	defer func() { _ = null.Close() }()
	proc, err := os.StartProcess("/bin/sh", []string{"sh", "-c", watchScript, "holotype-watch", strconv.Itoa(group)}, &os.ProcAttr{
		Dir: "/", Env: []string{"PATH=/usr/bin:/bin"}, Files: []*os.File{theirs, null, null},
		// Of a group of its own: what interrupts this process must not reach it.
		Sys: &syscall.SysProcAttr{Setpgid: true},
	})
	if err != nil {
		_ = ours.Close()
		return w
	}
	w.proc, w.alive = proc, ours
	return w
}

// end ends the watch: it must not see the end of its input while this process runs.
func (w *watch) end() {
	if w.proc == nil {
		return
	}
	_ = w.proc.Kill()    // somebody else may have
	_, _ = w.proc.Wait() // it is only reaped
	_ = w.alive.Close()
}
