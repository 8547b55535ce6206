package bridge

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

// watchScript is told of groups, "+ NUMBER" and "- NUMBER" a line, until its input ends,
// which is when the process that holds the other end is gone, and then ends those that
// are left as [child.stop] would.
const watchScript = `trap '' HUP INT TERM
groups=
while read -r what group; do
	case $what in
	+) groups="$groups $group" ;;
	-)
		left=
		for one in $groups; do [ "$one" = "$group" ] || left="$left $one"; done
		groups=$left
		;;
	esac
done
each() { for one in $groups; do kill -s "$1" -- "-$one" 2>/dev/null; done; }
[ -n "$groups" ] || exit 0
each TERM
sleep 2
each KILL`

// watchPatience is how long the watch may take to take note of a group.
const watchPatience = time.Second

// A watch ends the groups of children when this process is killed outright and can stop
// nothing any more. The kernel's own way, the parent-death signal, reaches a child
// alone: not what a package runner or a shell started in its turn, and not a child
// that ignores the signal. It is one shell of a few hundred kilobytes beside all
// children; when somebody kills it, another takes its place. Without a shell there is no
// watch, and the children run all the same. The zero value watches nothing.
type watch struct {
	mu     sync.Mutex
	groups map[int]bool
	shell  *os.Process // nil when none runs
	tell   *os.File
	began  time.Time // of the shell
}

// add watches over a group.
func (w *watch) add(group int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.groups == nil {
		w.groups = map[int]bool{}
	}
	w.groups[group] = true
	if w.shell == nil {
		w.start()
		return
	}
	w.write(fmt.Sprintf("+ %d\n", group))
}

// remove lets a group be. The shell has been told when it returns.
func (w *watch) remove(group int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.groups, group)
	if w.shell != nil {
		w.write(fmt.Sprintf("- %d\n", group))
	}
}

// end ends the watch: it must not see the end of its input while this process runs.
func (w *watch) end() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.groups = nil
	w.drop()
}

// write tells the shell something; one that does not listen is replaced. mu is held.
func (w *watch) write(line string) {
	err := w.tell.SetWriteDeadline(time.Now().Add(watchPatience))
	if err == nil {
		_, err = w.tell.WriteString(line)
	}
	if err != nil {
		w.drop()
		w.start()
	}
}

// drop ends the shell, if there is one. mu is held.
func (w *watch) drop() {
	if w.shell == nil {
		return
	}
	_ = w.shell.Kill() // somebody else may have
	_ = w.tell.Close() // it is dead: what it did not read does not matter
	w.shell, w.tell = nil, nil
}

// start starts the shell and tells it every group. mu is held.
func (w *watch) start() {
	theirs, ours, err := os.Pipe()
	if err != nil {
		return
	}
	defer func() { _ = theirs.Close() }() // nothing was read
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		_ = ours.Close()
		return
	}
	defer func() { _ = null.Close() }()
	shell, err := os.StartProcess("/bin/sh", []string{"sh", "-c", watchScript, "holotype-watch"}, &os.ProcAttr{
		Dir: "/", Env: []string{"PATH=/usr/bin:/bin"}, Files: []*os.File{theirs, null, null},
		// Of a group of its own: what interrupts this process must not reach it.
		Sys: &syscall.SysProcAttr{Setpgid: true},
	})
	if err != nil {
		_ = ours.Close()
		return
	}
	w.shell, w.tell, w.began = shell, ours, time.Now()
	go w.await(shell)
	var all strings.Builder
	for _, group := range slices.Sorted(maps.Keys(w.groups)) {
		fmt.Fprintf(&all, "+ %d\n", group)
	}
	_ = ours.SetWriteDeadline(time.Now().Add(watchPatience)) // a pipe takes one
	if _, err := ours.WriteString(all.String()); err != nil {
		w.drop()
	}
}

// shellLife is how long a shell that is replaced at once has lived: one that ends sooner
// would end again.
const shellLife = time.Second

// await reaps a shell. In the place of one that was not ended here another one is
// started.
func (w *watch) await(shell *os.Process) {
	_, _ = shell.Wait() // it is only reaped
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.shell != shell {
		return
	}
	lived := time.Since(w.began)
	w.drop()
	if lived >= shellLife {
		w.start()
	}
}
