package bridge_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/capabilities/bridge"
)

// A hurriedClock is one whose waits are over at once, and take the time they take.
type hurriedClock struct {
	mu    sync.Mutex
	ahead time.Duration
}

func (c *hurriedClock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return time.Now().Add(c.ahead)
}

func (c *hurriedClock) after(d time.Duration) <-chan time.Time {
	c.mu.Lock()
	c.ahead += d
	c.mu.Unlock()
	over := make(chan time.Time, 1)
	over <- c.now()
	return over
}

func (c *hurriedClock) passed() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.ahead
}

// soakMark is in the environment of every child of the soak.
const soakMark = "FAKE_SOAK"

// TestManyRestartsStormsAndCallsLeaveNothing takes some servers through what half an
// hour brings: they die, they are started again when that is due, their lists change by
// the hundred, the configuration changes, and calls go on all the while. `make soak`
// repeats it.
func TestManyRestartsStormsAndCallsLeaveNothing(t *testing.T) {
	const servers, rounds = 3, 6
	clock := &hurriedClock{}
	mark := fmt.Sprintf("soak-%d-%d", os.Getpid(), time.Now().UnixNano())
	configured := func(round int) []bridge.Server {
		var all []bridge.Server
		for i := range servers {
			s := with(watched(t, fmt.Sprintf("s%d", i), "flips", "die", "changes"), soakMark, mark)
			if i == 0 {
				s.Env["FAKE_ROUND"] = fmt.Sprint(round) // another launch each round
			}
			if i == 1 && round%2 == 1 {
				s.Deny = []string{"more"}
			}
			all = append(all, s)
		}
		if round%2 == 0 {
			f := with(fakeServer(t, "fails", "exit-3"), soakMark, mark)
			all = append(all, f)
		}
		return all
	}
	before := openFiles(t)
	o := bridge.Options{Servers: configured(0), Now: clock.now}
	bridge.After(&o, clock.after)
	h := runWith(t, o)
	over, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	defer stop()
	var callers sync.WaitGroup
	for i := range servers {
		callers.Go(func() {
			for over.Err() == nil {
				_, err := h.callWith(over, capabilities.Call{Name: fmt.Sprintf("s%d__echo", i), Arguments: []byte(`{"text":"x"}`)})
				if e, ok := capabilities.AsError(err); err != nil && (!ok || e.Code != capabilities.Unavailable && over.Err() == nil) {
					t.Errorf("a call is answered with %v", err)
				}
			}
		})
	}
	for round := range rounds {
		for i := range servers {
			name := fmt.Sprintf("s%d", i)
			until(h, func() bool { return h.Ready(h.deadline(), name) == nil && h.Status()[i].State == bridge.StateReady })
			_, _ = h.call(name+"__changes", `{}`) // it may have gone down by then
			_, _ = h.call(name+"__die", `{}`)
		}
		h.apply(configured(round + 1)...)
	}
	for i := range servers {
		until(h, func() bool { return h.Status()[i].State == bridge.StateReady })
	}
	stop()
	callers.Wait()
	h.stop()
	if n := len(h.log.of("server_restarted")); n < servers*rounds/2 {
		t.Errorf("only %d restarts", n)
	}
	if n := len(h.log.of("server_catalogue_changed")); n == 0 {
		t.Error("no list changed")
	}
	t.Logf("%s went by", clock.passed().Round(time.Second))
	eventually(t, "goroutines", func() string { return running("holotype/capabilities/bridge.") })
	eventually(t, "processes", func() string { return carrying(t, soakMark+"="+mark) })
	eventually(t, "descriptors", func() string {
		if now := openFiles(t); now > before {
			return fmt.Sprintf("%d are open, %d were", now, before)
		}
		return ""
	})
}

// eventually waits until what is left is nothing.
func eventually(t *testing.T, of string, left func() string) {
	t.Helper()
	deadline := time.After(20 * time.Second)
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		what := left()
		if what == "" {
			return
		}
		select {
		case <-deadline:
			t.Errorf("of the %s is left: %s", of, what)
			return
		case <-tick.C:
		}
	}
}

// running answers the goroutines in a package. The test is not parallel, so there is no
// other test's.
func running(in string) string {
	stack := make([]byte, 4<<20)
	stack = stack[:runtime.Stack(stack, true)]
	var left []string
	for one := range strings.SplitSeq(string(stack), "\n\n") {
		if strings.Contains(one, in) {
			left = append(left, one)
		}
	}
	return strings.Join(left, "\n\n")
}

// carrying answers the processes whose environment holds a variable. Only Linux tells.
func carrying(t *testing.T, variable string) string {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		t.Fatal(err)
	}
	var left []string
	for _, f := range files {
		if env, err := os.ReadFile(f); err == nil && strings.Contains("\x00"+string(env), "\x00"+variable+"\x00") {
			left = append(left, f)
		}
	}
	return strings.Join(left, " ")
}

// openFiles answers how many descriptors this process has. Only Linux tells.
func openFiles(t *testing.T) int {
	t.Helper()
	all, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return 0
	}
	return len(all)
}
