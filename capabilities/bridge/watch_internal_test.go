package bridge

import (
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// sleeper is a process group of its own that a watch is to end.
func sleeper(t *testing.T) (group int, gone <-chan error) {
	t.Helper()
	cmd := exec.Command("/bin/sh", "-c", "trap '' TERM; while :; do sleep 1; done")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	t.Cleanup(func() { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }) // it may be gone
	return cmd.Process.Pid, done
}

func awaitEnd(t *testing.T, gone <-chan error) {
	t.Helper()
	select {
	case <-gone:
	case <-time.After(30 * time.Second):
		t.Fatal("a watched group is still there")
	}
}

// orphan closes the shell's input as the end of this process would, without a word.
func (w *watch) orphan() {
	w.mu.Lock()
	defer w.mu.Unlock()
	_ = w.tell.Close() // that is the point
}

func TestWatchEndsWhatItWasToldOf(t *testing.T) {
	var w watch
	t.Cleanup(w.end)
	one, oneGone := sleeper(t)
	two, twoGone := sleeper(t)
	other, otherGone := sleeper(t)
	for _, group := range []int{one, other, two} {
		w.add(group)
	}
	w.remove(other)
	w.orphan()
	awaitEnd(t, oneGone)
	awaitEnd(t, twoGone)
	if err := syscall.Kill(other, 0); err != nil {
		t.Errorf("a group that was let be: %v", err)
	}
	_ = syscall.Kill(-other, syscall.SIGKILL) // it ends the test
	awaitEnd(t, otherGone)
}

func TestWatchIsReplaced(t *testing.T) {
	var w watch
	t.Cleanup(w.end)
	group, gone := sleeper(t)
	w.add(group)
	w.mu.Lock()
	first := w.shell
	w.mu.Unlock()
	if first == nil {
		t.Fatal("no shell was started")
	}
	if err := first.Kill(); err != nil {
		t.Fatal(err)
	}
	// Another child is told to the next one, with those that were there.
	next, nextGone := sleeper(t)
	deadline := time.Now().Add(30 * time.Second)
	for {
		w.add(next)
		w.mu.Lock()
		now := w.shell
		w.mu.Unlock()
		if now != nil && now != first {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("a shell that was killed has no successor")
		}
		time.Sleep(10 * time.Millisecond)
	}
	w.orphan()
	awaitEnd(t, gone)
	awaitEnd(t, nextGone)
}

func TestWatchEndsWithTheLastChild(t *testing.T) {
	var s spawner
	dir := t.TempDir()
	start := func() *child {
		c := newChild(childSpec{
			command: "/bin/cat", dir: dir, spawner: &s,
			onLine: func([]byte) {}, onTooLong: func([]byte) {}, onStderr: func(string) {},
		})
		if err := c.start(); err != nil {
			t.Fatal(err)
		}
		return c
	}
	one, two := start(), start()
	s.watch.mu.Lock()
	shell, told := s.watch.shell, len(s.watch.groups)
	s.watch.mu.Unlock()
	if shell == nil || told > 2 {
		t.Errorf("the shell is %v, it knows %d groups", shell, told)
	}
	one.stop()
	if !slices.Contains(shells(t), shell.Pid) {
		t.Error("the watch ended before the last child")
	}
	two.stop()
	deadline := time.Now().Add(30 * time.Second)
	for slices.Contains(shells(t), shell.Pid) {
		if time.Now().After(deadline) {
			t.Fatal("the watch did not end with the last child")
		}
		time.Sleep(10 * time.Millisecond)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.children != 0 || s.work != nil {
		t.Errorf("%d children are left, and the thread: %v", s.children, s.work != nil)
	}
}

// shells are the processes named sh that run.
func shells(t *testing.T) (all []int) {
	t.Helper()
	for _, one := range processes() {
		if !one.ended && strings.Contains(one.name, "sh") {
			all = append(all, one.pid)
		}
	}
	return all
}
