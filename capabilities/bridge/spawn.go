package bridge

import (
	"os"
	"runtime"
	"sync"
)

// A spawner starts children, however many, from one thread and keeps one watch over all
// of them. The kernel ties the parent-death signal to the thread that forked, so that
// thread has to live as long as any of them; a thread a child would be megabytes of
// nothing but stacks. Both are there while a child is. Its methods may be called from any
// goroutine. The zero value is ready.
type spawner struct {
	watch watch

	mu       sync.Mutex
	children int         // that were started, or are being started, and did not leave
	work     chan func() // of the thread; nil without a child
}

// start starts a process, which has to be followed by [spawner.reaping] and
// [spawner.leave] when it has ended.
func (s *spawner) start(path string, argv []string, attr *os.ProcAttr) (proc *os.Process, err error) {
	s.mu.Lock()
	if s.children++; s.children == 1 {
		s.work = make(chan func())
		go forkHere(s.work)
	}
	work := s.work
	s.mu.Unlock()
	done := make(chan struct{})
	work <- func() {
		defer close(done)
		proc, err = os.StartProcess(path, argv, attr)
	}
	<-done
	if err != nil {
		s.leave()
		return nil, err
	}
	s.watch.add(proc.Pid)
	return proc, nil
}

// forkHere does work on a thread that it keeps until there is no more.
func forkHere(work <-chan func()) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	for do := range work {
		do()
	}
}

// reaping says that a child's number will belong to somebody else: it comes before the
// process is waited for.
func (s *spawner) reaping(proc *os.Process) { s.watch.remove(proc.Pid) }

// leave says that a child is gone.
func (s *spawner) leave() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.children--; s.children == 0 {
		close(s.work)
		s.work = nil
		s.watch.end()
	}
}
