package bridge_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/capabilities/bridge"
)

// shared are the keys of servers that everybody shares.
func shared(names ...string) []bridge.Key {
	var all []bridge.Key
	for _, n := range names {
		all = append(all, bridge.Key{Server: n})
	}
	return all
}

func (h *harness) apply(servers ...bridge.Server) bridge.Changes {
	h.t.Helper()
	done, err := h.Apply(servers)
	if err != nil {
		h.t.Fatal(err)
	}
	return done
}

func sameChanges(t *testing.T, want, got bridge.Changes) {
	t.Helper()
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("changes (-want +got):\n%s", d)
	}
}

// watched is a fake that tells its process and how often it was asked for its tools.
func watched(t *testing.T, name, mode string, more ...string) bridge.Server {
	t.Helper()
	return with(fakeServer(t, name, mode), "FAKE_TOOLS", tools(append([]string{"echo", "pid", "lists"}, more...)...))
}

// ended waits until a process is gone.
func (h *harness) ended(pid string) {
	h.t.Helper()
	n, err := strconv.Atoi(pid)
	if err != nil {
		h.t.Fatal(err)
	}
	ctx := h.deadline()
	for syscall.Kill(n, 0) == nil {
		select {
		case <-ctx.Done():
			h.t.Fatalf("process %d runs on", n)
		case <-time.After(5 * time.Millisecond):
		}
	}
}

func TestWhatIsConfiguredAsBeforeIsLeftAlone(t *testing.T) {
	t.Parallel()
	f := newHTTPFake(t, nil)
	s, h1 := watched(t, "s", "good"), httpServer(f.URL)
	h := run(t, s, h1)
	pid, lists := h.must("s__pid", `{}`), h.must("s__lists", `{}`)
	h.must("h__echo", `{}`)
	sent, published := f.requests(), h.publications()

	again, other := watched(t, "s", "good"), httpServer(f.URL)
	again.Args, again.Headers, again.Deny, again.Secrets = []string{}, map[string]string{}, []string{}, map[string]string{}
	again.Transport, again.ToolPrefix, again.Drift, again.CallTimeout = bridge.TransportStdio, "s__", bridge.DriftMark, s.CallTimeout
	other.Annotations = map[string]bridge.Override{}
	for range 3 {
		done := h.apply(other, again) // the order is none of theirs
		sameChanges(t, bridge.Changes{Unchanged: shared("h", "s")}, done)
		if !done.None() {
			t.Error("something changed")
		}
	}
	if got := h.must("s__pid", `{}`); got != pid {
		t.Errorf("process %s, want %s", got, pid)
	}
	if got := h.must("s__lists", `{}`); got != lists {
		t.Errorf("the list was asked for %s times, want %s", got, lists)
	}
	if now := f.requests(); now != sent {
		t.Errorf("%d requests, want %d: %v", now, sent, f.seen)
	}
	if now := h.publications(); now != published {
		t.Errorf("published %d times, want %d", now, published)
	}
	if st := h.Status(); st[0].Name != "h" || st[1].Name != "s" {
		t.Errorf("the order is %s, %s", st[0].Name, st[1].Name)
	}
}

func TestAddedRemovedAndRestarted(t *testing.T) {
	t.Parallel()
	a, b := watched(t, "a", "good"), watched(t, "b", "stubborn") // which does not go when it is asked to
	h := run(t, a, b)
	pidA, pidB := h.must("a__pid", `{}`), h.must("b__pid", `{}`)
	next := watched(t, "b", "good")
	next.Env["FAKE_BEFORE"] = pidB
	done := h.apply(next, watched(t, "c", "good"))
	sameChanges(t, bridge.Changes{Added: shared("c"), Removed: shared("a"), Changed: shared("b")}, done)
	if _, ok := h.live.Registry().Find("a__echo"); ok {
		t.Error("the tools of the removed server are there when Apply returns")
	}
	h.find("b__echo")
	if err := h.Ready(h.deadline(), "b"); err != nil {
		t.Fatal(err)
	}
	if err := h.Ready(h.deadline(), "c"); err != nil {
		t.Fatal(err)
	}
	if got := h.must("b__pid", `{}`); got == pidB {
		t.Error("the changed server is not another process")
	}
	h.must("c__echo", `{}`)
	h.ended(pidA)
	h.ended(pidB)
	if text := h.log.text(t); strings.Contains(text, "still runs") {
		t.Error("the new process began before the old one ended")
	}
	if err := h.Ready(h.deadline(), "a"); !errors.Is(err, bridge.ErrUnknownServer) {
		t.Errorf("the removed server is known: %v", err)
	}
	if st := h.status(0); st.Restarts != 0 || st.State != bridge.StateReady {
		t.Errorf("status %+v", st)
	}
}

func TestWhileAServerRestartsForItsConfiguration(t *testing.T) {
	t.Parallel()
	h := run(t, watched(t, "s", "good"))
	pid := h.must("s__pid", `{}`)
	changed := watched(t, "s", "hang-init") // never gets further
	h.apply(changed)
	for range 2 {
		e := h.refusal("s__echo", `{}`, capabilities.Unavailable)
		if !strings.Contains(e.Message, "is being started again because its configuration changed") || e.MaybeApplied || e.RetryAfter == 0 {
			t.Errorf("refusal %q, retry %s", e.Message, e.RetryAfter)
		}
		if st := h.status(0); st.State != bridge.StateStarting || st.Tools != 3 {
			t.Errorf("status %+v", st)
		}
		h.ended(pid)
	}
	h.apply(watched(t, "s", "good")) // it does not wait for the start before it
	if err := h.Ready(h.deadline(), "s"); err != nil {
		t.Error(err)
	}
}

func TestAnotherPresentationNeedsNoRestart(t *testing.T) {
	t.Parallel()
	h := run(t, watched(t, "s", "good", "look"))
	pid, lists := h.must("s__pid", `{}`), h.must("s__lists", `{}`)
	hint := func(v capabilities.Hint) *capabilities.Hint { return &v }
	next := watched(t, "s", "good", "look")
	next.Deny, next.ToolPrefix, next.CallTimeout = []string{"look", "nothing_*"}, "other-", time.Minute
	next.Annotations = map[string]bridge.Override{"echo": {ReadOnly: hint(yes), Title: "Ours"}}
	sameChanges(t, bridge.Changes{Changed: shared("s")}, h.apply(next))
	if d := cmp.Diff([]string{"other-echo", "other-lists", "other-pid"}, h.names()); d != "" {
		t.Errorf("right after Apply the tools are others: %s", d)
	}
	if c := h.find("other-echo"); c.Hints().ReadOnly != yes || c.Title() != "Ours" || c.Timeout() != time.Minute {
		t.Errorf("hints %v, title %q, timeout %s", c.Hints(), c.Title(), c.Timeout())
	}
	if got := h.must("other-pid", `{}`); got != pid {
		t.Error("it was restarted")
	}
	if got := h.must("other-lists", `{}`); got != lists {
		t.Errorf("its list was asked for %s times, want %s", got, lists)
	}
	if st := h.status(0); st.Filtered != 1 || st.Restarts != 0 || len(st.Drifts) != 0 {
		t.Errorf("status %+v", st)
	}
	if d := cmp.Diff([]string{"nothing_*"}, h.status(0).Unmatched); d != "" {
		t.Errorf("patterns without a tool: %s", d)
	}
	next.Allow = []string{}
	h.apply(next)
	if names := h.names(); names != nil {
		t.Errorf("an empty list of tools to keep leaves %v", names)
	}
	h.apply(watched(t, "s", "good", "look"))
	if got := h.must("s__lists", `{}`); got != lists {
		t.Error("what was left out before cannot be shown without asking the server")
	}
}

func TestCallsThatRunWhenTheirServerIsStopped(t *testing.T) {
	t.Parallel()
	f := newHTTPFake(t, func(_ *httpFake, _ http.ResponseWriter, r *http.Request, m rpc) bool {
		if strings.Contains(string(m.Params.Arguments), "hang") {
			<-r.Context().Done()
			return true
		}
		return false
	})
	o := bridge.Options{Servers: []bridge.Server{watched(t, "s", "good", "seen"), httpServer(f.URL)}}
	bridge.Drain(&o, 3*time.Second)
	h := runWith(t, o)
	other := httpServer(f.URL)
	other.Headers = map[string]string{"X-New": "1"}

	var wait sync.WaitGroup
	var mu sync.Mutex
	answers := map[string]error{}
	begin := func(name, arguments string) {
		wait.Go(func() {
			_, err := h.callWith(context.WithoutCancel(h.t.Context()), capabilities.Call{Name: name, Arguments: []byte(arguments)})
			mu.Lock()
			defer mu.Unlock()
			answers[name] = err
		})
	}
	begin("s__echo", `{"ms":300}`)
	begin("h__echo", `{"text":"hang"}`)
	begin("h__look", `{"text":"hang"}`)
	until(h, func() bool { return f.ran() == 2 })
	until(h, func() bool { return strings.Contains(h.must("s__seen", `{}`), `\"ms\":300`) })
	h.apply(watched(t, "s2", "good"), other)
	wait.Wait()
	if err := answers["s__echo"]; err != nil {
		t.Errorf("the call that ends in time: %v", err)
	}
	for name, maybe := range map[string]bool{"h__echo": true, "h__look": false} {
		e := refused(t, nil, answers[name], capabilities.Unavailable)
		if e.MaybeApplied != maybe || !strings.Contains(e.Message, "was stopped because its configuration changed while the call was running") {
			t.Errorf("%s: refusal %q, maybe applied %v, want %v", name, e.Message, e.MaybeApplied, maybe)
		}
	}
	if n := f.ran(); n != 2 {
		t.Errorf("%d calls were sent, want 2", n)
	}
}

func TestACallOfAChildThatIsStopped(t *testing.T) {
	t.Parallel()
	o := bridge.Options{Servers: []bridge.Server{watched(t, "s", "hang-call", "seen")}}
	bridge.Drain(&o, time.Millisecond)
	h := runWith(t, o)
	answer := make(chan error, 1)
	go func() {
		_, err := h.callWith(context.WithoutCancel(t.Context()), capabilities.Call{Name: "s__echo", Arguments: []byte(`{}`)})
		answer <- err
	}()
	until(h, func() bool { return strings.Contains(h.must("s__seen", `{}`), `\"name\":\"echo\"`) })
	h.apply()
	e := refused(t, nil, <-answer, capabilities.Unavailable)
	if !e.MaybeApplied || !strings.Contains(e.Message, "it was stopped because it was removed from the configuration") {
		t.Errorf("refusal %q, maybe applied %v", e.Message, e.MaybeApplied)
	}
}

func TestWhatIsDownIsTriedAtOnce(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "there")
	s := watched(t, "s", "exit-unless "+file)
	h := run(t, s, watched(t, "well", "good"))
	if st := h.awaitState(0, bridge.StateFailed); st.NextTry.IsZero() || time.Until(st.NextTry) < 5*time.Second {
		t.Fatalf("status %+v", st)
	}
	sameChanges(t, bridge.Changes{Retried: shared("s"), Unchanged: shared("well")}, h.apply(s, watched(t, "well", "good")))
	// Its schedule begins anew, so the next start is not sooner due than the first was.
	until(h, func() bool { st := h.status(0); return st.Restarts == 1 && st.State == bridge.StateFailed })
	if wait := time.Until(h.status(0).NextTry); wait > 19*time.Second {
		t.Errorf("the next start is in %s", wait)
	}
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	h.apply(s, watched(t, "well", "good"))
	h.awaitState(0, bridge.StateReady)
	sameChanges(t, bridge.Changes{Unchanged: shared("s", "well")}, h.apply(s, watched(t, "well", "good")))
}

func TestACredentialThatGoes(t *testing.T) {
	t.Parallel()
	h := run(t, watched(t, "s", "good"))
	pid := h.must("s__pid", `{}`)
	gone := watched(t, "s", "good")
	gone.Unresolved = []string{"env.TOKEN: the variable TOKEN is not set"}
	sameChanges(t, bridge.Changes{Changed: shared("s")}, h.apply(gone))
	h.ended(pid)
	e := h.refusal("s__echo", `{}`, capabilities.Unavailable)
	if !strings.Contains(e.Message, "TOKEN is not set") {
		t.Errorf("refusal %q", e.Message)
	}
	st := h.status(0)
	if d := cmp.Diff(gone.Unresolved, st.Held); d != "" || st.State != bridge.StateHeld || st.Phase != "configuration" || !st.NextTry.IsZero() {
		t.Errorf("status %+v", st)
	}
	if lines := h.log.of("server_retired"); len(lines) != 1 || lines[0]["level"] != "WARN" {
		t.Errorf("the log says %v", lines)
	}
	awaitLog(t, h, "server_credential_missing", 1)
	sameChanges(t, bridge.Changes{Unchanged: shared("s")}, h.apply(gone)) // it is not on the schedule
	h.apply(watched(t, "s", "good"))
	if err := h.Ready(h.deadline(), "s"); err != nil {
		t.Fatal(err)
	}
	if st := h.status(0); st.Held != nil {
		t.Errorf("status %+v", st)
	}
}

func TestABadConfigurationChangesNothing(t *testing.T) {
	t.Parallel()
	h := run(t, watched(t, "s", "good"))
	pid := h.must("s__pid", `{}`)
	bad := []bridge.Server{watched(t, "t", "good"), {Name: "bad", URL: "http://h/", Headers: map[string]string{"A": "x\r\nB: y"}}}
	if err := h.Check(bad); err == nil {
		t.Error("it has no fault")
	}
	done, err := h.Apply(bad)
	if faults, ok := errors.AsType[bridge.Faults](err); !ok || len(faults) != 1 || faults[0].Field != "headers" || strings.Contains(err.Error(), "y") {
		t.Errorf("error %v", err)
	}
	sameChanges(t, bridge.Changes{}, done)
	if got := h.must("s__pid", `{}`); got != pid || len(h.Status()) != 1 {
		t.Errorf("process %s, want %s; %d servers", got, pid, len(h.Status()))
	}
}

func TestAServerThatGoesAndComesBackIsNotThereTwice(t *testing.T) {
	t.Parallel()
	h := run(t, watched(t, "s", "stubborn")) // it does not go when it is asked to
	pid := h.must("s__pid", `{}`)
	back := watched(t, "s", "good")
	back.Env["FAKE_BEFORE"] = pid
	h.apply()
	sameChanges(t, bridge.Changes{Added: shared("s")}, h.apply(back))
	if err := h.Ready(h.deadline(), "s"); err != nil {
		t.Fatal(err)
	}
	if got := h.must("s__pid", `{}`); got == pid || strings.Contains(h.log.text(t), "still runs") {
		t.Error("the new process began before the old one ended")
	}
}

func TestApplyBeforeStartAndAfterStop(t *testing.T) {
	b, err := bridge.New(bridge.Options{
		Servers: []bridge.Server{watched(t, "a", "good")}, Log: discard(), Now: now,
		Publish: func(_, server string, _ []*capabilities.Capability) {
			if server != "b" {
				t.Errorf("tools of %q are published", server)
			}
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	done, err := b.Apply([]bridge.Server{watched(t, "b", "good")})
	if err != nil {
		t.Fatal(err)
	}
	sameChanges(t, bridge.Changes{Added: shared("b"), Removed: shared("a")}, done)
	b.Start(t.Context())
	if err := b.Ready(t.Context(), "b"); err != nil {
		t.Error(err)
	}
	if err := b.Stop(t.Context()); err != nil {
		t.Error(err)
	}
	if _, err := b.Apply(nil); !errors.Is(err, bridge.ErrStopped) {
		t.Errorf("error %v", err)
	}
	if st := b.Status(); len(st) != 1 || st[0].State != bridge.StateStopped {
		t.Errorf("status %+v", st)
	}
}

func TestEverythingAtOnce(t *testing.T) {
	t.Parallel()
	h := run(t, watched(t, "s0", "good"))
	var wait sync.WaitGroup
	for i := range 4 {
		wait.Go(func() {
			for n := range 6 {
				s := watched(t, fmt.Sprintf("s%d", n%3), "good")
				s.Env["FAKE_ROUND"] = strconv.Itoa((n + i) % 2)
				if _, err := h.Apply([]bridge.Server{s, watched(t, "other", "good")}); err != nil && !errors.Is(err, bridge.ErrStopped) {
					t.Error(err)
				}
				h.Status()
				h.Absent(capabilities.OwnerPrincipal(), "s1__echo")
				if _, err := h.Accept("other"); err != nil {
					t.Error(err)
				}
				if _, err := h.call("other__echo", `{}`); err != nil {
					if e, ok := capabilities.AsError(err); !ok || e.Code != capabilities.Unavailable && e.Code != capabilities.NotFound {
						t.Error(err)
					}
				}
			}
		})
	}
	wait.Go(func() { h.Start(t.Context()) })
	wait.Wait()
	if err := h.WaitStarted(h.deadline()); err != nil {
		t.Fatal(err)
	}
	for _, st := range h.Status() {
		if st.State != bridge.StateReady {
			t.Errorf("status %+v", st)
		}
	}
	if n := len(h.log.of("server_junk")); n > 0 {
		t.Errorf("%d lines of junk", n)
	}
}
