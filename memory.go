package holotype

import (
	"runtime/debug"
	"time"
)

// quietTime is how long the registry has to stay as it is before memory is given
// back.
const quietTime = time.Second

// trim gives back to the system what the start, and every later change of the
// registry, left behind: reading ten thousand tools takes several times the memory
// that keeping them does, and left alone the collector lets the heap grow to twice
// of that again. It is for a process of our own: a collection is the whole process's
// business. The answered function ends it.
func (e *engine) trim() (end func()) {
	changed := make(chan struct{}, 1)
	cancel := e.live.Subscribe(func() {
		select {
		case changed <- struct{}{}:
		default: // it is known already
		}
	})
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		quiet := time.NewTimer(quietTime)
		defer quiet.Stop()
		for {
			select {
			case <-changed:
				quiet.Reset(quietTime)
			case <-quiet.C:
				debug.FreeOSMemory()
			case <-stop:
				return
			}
		}
	}()
	return func() {
		cancel()
		close(stop)
		<-done
	}
}
