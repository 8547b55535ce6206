package capabilities

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// What a call waits for before it runs does not count against its time.
func TestHoldMovesTheTimeLimit(t *testing.T) {
	for name, c := range map[string]struct {
		caller time.Duration // that the caller has; 0 is no limit
		armed  bool          // somebody waits for the limit already
		left   time.Duration // when the wait of an hour is over
	}{
		"moved":                  {0, false, time.Minute},
		"not beyond the caller":  {time.Hour + time.Second, false, time.Second},
		"not where it is waited": {0, true, 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx := context.WithValue(t.Context(), otherKey{}, "mine")
				if c.caller > 0 {
					var cancel context.CancelFunc
					ctx, cancel = context.WithTimeout(ctx, c.caller)
					defer cancel()
				}
				r := newRunning(ctx, time.Minute)
				defer r.end()
				if c.armed {
					_ = r.Done()
				}
				outside, resume := Hold(context.WithValue(r, otherKey{}, "inner"))
				if CallFrom(outside).RequestID != "" {
					t.Error("what waits is of the call")
				}
				if outside.Value(otherKey{}) == nil {
					t.Error("what stands in the caller's context is lost")
				}
				select {
				case <-outside.Done():
				case <-time.After(time.Hour):
				}
				resume()
				deadline, _ := r.Deadline()
				if left := max(0, time.Until(deadline)); !c.armed && left != c.left {
					t.Errorf("%s are left, want %s", left, c.left)
				}
				if ended := errors.Is(r.Err(), context.DeadlineExceeded); ended != c.armed {
					t.Errorf("its time is over: %t", ended)
				}
				if c.armed != (outside.Err() != nil) {
					t.Errorf("what waits ends with %v", outside.Err())
				}
			})
		})
	}
	ctx := t.Context()
	outside, resume := Hold(ctx) // of no call
	resume()
	if outside.Err() != nil {
		t.Error(outside.Err())
	}
}
