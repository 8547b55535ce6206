package bridge

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-89b9419b/holotype/capabilities"
)

func TestCallsWaitForTheirTurnInTheOrderTheyCame(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var l limiter
		two, three := Limits{ConcurrentCalls: 2}, Limits{ConcurrentCalls: 3}
		turns := make(chan int, 10)
		ends := map[int]chan struct{}{}
		begin := func(n int, of Limits) {
			ends[n] = make(chan struct{})
			end := ends[n]
			go func() {
				leave, refused := l.enter(t.Context(), of, time.Now)
				if refused != nil {
					t.Errorf("call %d: %v", n, refused)
					return
				}
				turns <- n
				<-end
				leave()
			}()
			synctest.Wait()
		}
		got := func() (all []int) {
			synctest.Wait()
			for len(turns) > 0 {
				all = append(all, <-turns)
			}
			return all
		}
		for n := 1; n <= 4; n++ {
			begin(n, two)
		}
		if d := cmp.Diff([]int{1, 2}, got()); d != "" {
			t.Errorf("at once (-want +got)\n%s", d)
		}
		close(ends[2])
		if d := cmp.Diff([]int{3}, got()); d != "" {
			t.Errorf("after one ended (-want +got)\n%s", d)
		}
		begin(5, three) // the configuration changed
		if d := cmp.Diff([]int{4}, got()); d != "" {
			t.Errorf("with one more place (-want +got)\n%s", d)
		}
		begin(6, Limits{}) // it changed again: no limit
		if d := cmp.Diff([]int{6}, got()); d != "" {
			t.Errorf("without a limit (-want +got)\n%s", d)
		}
		for _, n := range []int{1, 3, 4} {
			close(ends[n])
		}
		if d := cmp.Diff([]int{5}, got()); d != "" {
			t.Errorf("the last (-want +got)\n%s", d)
		}
		close(ends[5])
		close(ends[6])
		synctest.Wait()
		if l.running != 0 || len(l.queue) != 0 {
			t.Errorf("%d run, %d wait", l.running, len(l.queue))
		}
	})
}

func TestATurnThatDoesNotComeInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var l limiter
		one := Limits{ConcurrentCalls: 1}
		leave, _ := l.enter(t.Context(), one, time.Now)
		brief, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		_, refused := l.enter(brief, one, time.Now)
		if refused == nil || refused.code != capabilities.RateLimited || refused.mayHaveRun || refused.retryAfter == 0 || !strings.Contains(refused.text, "limits.concurrent_calls") {
			t.Errorf("refused: %+v", refused)
		}
		gone, leaveNow := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, leaveNow)
		if _, refused := l.enter(gone, one, time.Now); refused == nil || refused.mayHaveRun || !strings.Contains(refused.text, "the caller went away") {
			t.Errorf("refused: %+v", refused)
		}
		leave()
		if leave, refused := l.enter(t.Context(), one, time.Now); refused != nil {
			t.Errorf("those that gave up hold a place: %v", refused)
		} else {
			leave()
		}
	})
}

func TestCallsPerMinute(t *testing.T) {
	var l limiter
	now := time.Unix(1_800_000_000, 0)
	clock := func() time.Time { return now }
	call := func(limit int) *failure {
		leave, refused := l.enter(t.Context(), Limits{CallsPerMinute: limit}, clock)
		if refused == nil {
			leave()
		}
		return refused
	}
	for range 3 {
		if f := call(3); f != nil {
			t.Fatal(f)
		}
		now = now.Add(10 * time.Second)
	}
	f := call(3)
	if f == nil || f.code != capabilities.RateLimited || f.mayHaveRun || f.retryAfter != 30*time.Second || !strings.Contains(f.text, "limits.calls_per_minute") {
		t.Fatalf("refused: %+v", f)
	}
	if f := call(4); f != nil {
		t.Errorf("with a higher limit: %v", f)
	}
	now = now.Add(30 * time.Second) // the first is a minute old, the fourth call counts
	if f := call(3); f == nil || f.retryAfter != 10*time.Second {
		t.Errorf("refused: %+v", f)
	}
	now = now.Add(10 * time.Second)
	if f := call(3); f != nil {
		t.Error(f)
	}
	if call(0); len(l.began) != 0 {
		t.Error("it counts without a limit")
	}
}
