package capabilities

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

type otherKey struct{}

func newRunning(ctx context.Context, limit time.Duration) *running {
	return runningUntil(ctx, &Call{RequestID: "r1"}, &Capability{name: "c"}, limit)
}

// TestRunningBehavesAsWithDeadline drives the context of a call beside the
// standard library's own through every way to end, asked in every order.
func TestRunningBehavesAsWithDeadline(t *testing.T) {
	for _, c := range []struct {
		name string
		end  func(cancelParent, end func())
		want error
	}{
		{"still running", func(_, _ func()) {}, nil},
		{"the caller left", func(cancelParent, _ func()) { cancelParent() }, context.Canceled},
		{"the call is over", func(_, end func()) { end() }, context.Canceled},
		{"time is up", func(_, _ func()) { time.Sleep(2 * time.Second); synctest.Wait() }, context.DeadlineExceeded},
		{"time is up, then the caller left", func(cancelParent, _ func()) { time.Sleep(2 * time.Second); synctest.Wait(); cancelParent() }, context.DeadlineExceeded},
	} {
		for _, waits := range []bool{false, true} {
			if !waits && c.name == "time is up, then the caller left" {
				continue // nobody looked in between: both are true
			}
			name := c.name
			if waits {
				name += ", waited for"
			}
			t.Run(name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					parent, cancel := context.WithCancel(t.Context())
					defer cancel()
					r := newRunning(parent, time.Second)
					defer r.end()
					std, stdCancel := context.WithDeadline(parent, time.Now().Add(time.Second))
					defer stdCancel()
					if waits {
						<-time.After(0)
						_ = r.Done()
					}
					c.end(func() { _ = std.Err(); cancel() }, func() { r.end(); stdCancel() })
					for range 2 {
						if got := r.Err(); !errors.Is(got, c.want) || (got == nil) != (c.want == nil) {
							t.Errorf("Err is %v, want %v", got, c.want)
						}
						if !errors.Is(std.Err(), c.want) {
							t.Errorf("the standard library's Err is %v", std.Err())
						}
					}
					select {
					case <-r.Done():
						if c.want == nil {
							t.Error("Done is closed")
						}
					default:
						if c.want != nil {
							t.Error("Done is open")
						}
					}
				})
			})
		}
	}
}

func TestRunningReachesDerivedContexts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRunning(t.Context(), time.Second)
		child, cancel := context.WithCancel(r)
		defer cancel()
		synctest.Wait()
		if child.Err() != nil {
			t.Fatal("a derived context is done at once")
		}
		r.end()
		synctest.Wait()
		if !errors.Is(child.Err(), context.Canceled) {
			t.Errorf("after the call a derived context says %v", child.Err())
		}
	})
}

func TestRunningTakesTheSoonerDeadline(t *testing.T) {
	for _, c := range []struct {
		name        string
		outer, want time.Duration
	}{
		{"the caller's", time.Second, time.Second},
		{"the call's", time.Hour, time.Minute},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				outer, cancel := context.WithTimeout(t.Context(), c.outer)
				defer cancel()
				r := newRunning(outer, time.Minute)
				defer r.end()
				if at, ok := r.Deadline(); !ok || time.Until(at) != c.want {
					t.Errorf("deadline in %v, want %v", time.Until(at), c.want)
				}
			})
		})
	}
}

func TestRunningKeepsTheCallersValues(t *testing.T) {
	r := newRunning(context.WithValue(t.Context(), otherKey{}, "kept"), time.Minute)
	defer r.end()
	for _, armed := range []bool{false, true} {
		if armed {
			_ = r.Done()
		}
		if r.Value(otherKey{}) != "kept" || CallFrom(r).RequestID != "r1" {
			t.Errorf("armed %v: %v, %v", armed, r.Value(otherKey{}), CallFrom(r))
		}
	}
}
