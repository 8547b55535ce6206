package bridge_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/capabilities/bridge"
	"github.com/seed-89b9419b/holotype/internal/wire"
)

func TestStartsAServerAndCallsItsTools(t *testing.T) {
	h := run(t, fakeServer(t, "s", "good"))
	if got := h.must("s__echo", `{"text":"hi"}`); got != "got hi" {
		t.Errorf("got %q", got)
	}
	want := bridge.Status{
		Name: "s", Prefix: "s__", Transport: "stdio", State: bridge.StateReady, Version: "2025-06-18",
		ServerName: "fake", ServerTitle: "A fake", ServerNumber: "1.2.3", Tools: 1, Bytes: len(wire.Tool(h.find("s__echo"))),
		Launch:   bridge.Launch{Command: executable(t), Env: []string{"FAKE_MODE", "GORACE"}},
		RelayOff: []string{"elicitation", "sampling", "roots", "logging", "prompts", "resources"},
	}
	if d := cmp.Diff(want, h.status(0)); d != "" {
		t.Error(d)
	}
	c := h.find("s__echo")
	if c.Server() != "s" || c.Tool() != "echo" || c.Extras().WireName != "echo" || c.Source() != "mcp:s" {
		t.Errorf("server %q tool %q wire %q source %q", c.Server(), c.Tool(), c.Extras().WireName, c.Source())
	}
}

func TestJunkOnStandardOutputIsCountedAndLoggedOnce(t *testing.T) {
	h := run(t, fakeServer(t, "s", "junk"))
	for range 3 {
		if got := h.must("s__echo", `{"text":"hi"}`); got != "got hi" {
			t.Errorf("got %q", got)
		}
	}
	if n := h.status(0).JunkLines; n < 8 {
		t.Errorf("%d junk lines counted", n)
	}
	if got := h.log.of("server_junk"); len(got) != 1 || got[0]["line"] != "Demo server v1" {
		t.Errorf("logged %v", got)
	}
}

func TestFloodOfStandardErrorBlocksNothing(t *testing.T) {
	h := run(t, fakeServer(t, "s", "stderr-flood"))
	if got := h.must("s__echo", `{}`); got != "got " {
		t.Errorf("got %q", got)
	}
	h.stop()
	lines := h.log.of("server_stderr")
	if len(lines) != 4003 {
		t.Errorf("%d lines of standard error", len(lines))
	}
	last := lines[len(lines)-1]["line"]
	if last != `\u001b[2Jcleared` {
		t.Errorf("last line %q is not made printable", last)
	}
	if long := fmt.Sprint(lines[4000]["line"]); len(long) > 1200 || !strings.Contains(long, "more bytes") {
		t.Errorf("a line without an end was kept with %d bytes", len(long))
	}
}

func TestAServerThatFailsCostsOnlyItsOwnTools(t *testing.T) {
	missing := bridge.Server{Name: "missing", Command: "no-such-command-here"}
	exits := with(fakeServer(t, "exits", "exit-3"), "FAKE_TOKEN", "tok_0123456789abcdef")
	h := run(t, missing, fakeServer(t, "good", "good"), exits)
	h.must("good__echo", `{}`)
	if d := cmp.Diff([]string{"good__echo"}, h.names()); d != "" {
		t.Error(d)
	}
	lines := h.log.of("server_failed")
	if len(lines) != 2 {
		t.Fatalf("%d lines for two failed servers: %v", len(lines), lines)
	}
	for _, line := range lines {
		if line["level"] != "ERROR" || line["phase"] == "" || line["reason"] == "" {
			t.Errorf("line %v", line)
		}
		switch line["server"] {
		case "missing":
			if r := fmt.Sprint(line["reason"]); !strings.Contains(r, "no-such-command-here") || !strings.Contains(r, "PATH searched") {
				t.Errorf("reason %q", r)
			}
		case "exits":
			if line["reason"] != "exited with status 3 before the handshake was done; its standard error says: fatal: cannot open database, token [hidden]" || !strings.Contains(fmt.Sprint(line["stderr_tail"]), "cannot open database") {
				t.Errorf("line %v", line)
			}
		}
	}
	if text := h.log.text(t); strings.Contains(text, "tok_0123456789abcdef") {
		t.Error("a configured value stands in the log")
	}
	if err := h.Ready(h.deadline(), "exits"); err == nil {
		t.Error("a failed server is ready")
	}
	if err := h.Ready(h.deadline(), "good"); err != nil {
		t.Error(err)
	}
	if err := h.Ready(h.deadline(), "nobody"); !errors.Is(err, bridge.ErrUnknownServer) {
		t.Errorf("error %v", err)
	}
}

func TestHandshakeOfEveryEra(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"good", "discover-silent", "discover-exit"} {
		t.Run(mode, func(t *testing.T) {
			h := run(t, fakeServer(t, "s", mode))
			h.must("s__echo", `{}`)
			if st := h.status(0); st.Version != "2025-06-18" || st.Modern {
				t.Errorf("version %q modern %v", st.Version, st.Modern)
			}
		})
	}
	t.Run("modern", func(t *testing.T) {
		h := run(t, with(fakeServer(t, "s", "modern"), "FAKE_TOOLS", tools("echo", "seen")))
		h.must("s__echo", `{"text":"x"}`)
		if st := h.status(0); st.Version != "2026-07-28" || !st.Modern || st.ServerNumber != "2" {
			t.Errorf("status %+v", st)
		}
		var seen []string
		if err := json.Unmarshal([]byte(h.must("s__seen", `{}`)), &seen); err != nil {
			t.Fatal(err)
		}
		var call struct {
			Params struct {
				Meta map[string]json.RawMessage `json:"_meta"`
			}
		}
		if err := json.Unmarshal([]byte(seen[0]), &call); err != nil {
			t.Fatal(err)
		}
		want := map[string]json.RawMessage{
			"io.modelcontextprotocol/protocolVersion":    json.RawMessage(`"2026-07-28"`),
			"io.modelcontextprotocol/clientInfo":         json.RawMessage(`{"name":"holotype","version":"1.0.0"}`),
			"io.modelcontextprotocol/clientCapabilities": json.RawMessage(`{}`),
		}
		if d := cmp.Diff(want, call.Params.Meta); d != "" {
			t.Error(d)
		}
	})
}

func alive(pid int) bool { return syscall.Kill(pid, 0) == nil }

// awaitGone waits until a process is reaped by whoever inherited it.
func awaitGone(t *testing.T, pid int) {
	t.Helper()
	deadline := time.After(5 * time.Second)
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for alive(pid) {
		state, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err == nil && strings.Contains(string(state), ") Z ") {
			return // dead, and nobody in this container reaps it
		}
		select {
		case <-deadline:
			t.Fatalf("process %d is still there", pid)
		case <-tick.C:
		}
	}
}

func TestNothingIsLeftBehind(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"good", "stubborn", "wrapper"} {
		t.Run(mode, func(t *testing.T) {
			h := run(t, with(fakeServer(t, "s", mode), "FAKE_TOOLS", tools("pid")))
			pid, err := strconv.Atoi(h.must("s__pid", `{}`))
			if err != nil || !alive(pid) {
				t.Fatalf("pid %d: %v", pid, err)
			}
			began := time.Now()
			h.stop()
			if took := time.Since(began); took > 4*time.Second {
				t.Errorf("stopping took %s", took)
			}
			awaitGone(t, pid)
			if st := h.status(0); st.State != bridge.StateStopped {
				t.Errorf("state %s", st.State)
			}
			h.refusal("s__pid", `{}`, capabilities.Unavailable)
		})
	}
}

func TestAStartThatStillWritesIsNotKilled(t *testing.T) {
	t.Parallel()
	slow := fakeServer(t, "slow", "slow-writer")
	slow.StartupTimeout = 4 * time.Second
	silent := fakeServer(t, "silent", "hang-init")
	silent.StartupTimeout = 250 * time.Millisecond
	h := run(t, slow, silent)
	h.must("slow__echo", `{}`)
	if st := h.status(1); st.State != bridge.StateFailed || st.Reason != "did not finish the handshake within 250ms" {
		t.Errorf("state %s: %s", st.State, st.Reason)
	}
	list := fakeServer(t, "list", "hang-list")
	list.StartupTimeout = 2 * time.Second // of which the handshake has the same
	h = run(t, list)
	if st := h.status(0); st.Phase != "list" || st.Reason != "did not list its tools within 2s" {
		t.Errorf("phase %s: %s", st.Phase, st.Reason)
	}
}

func TestEnvironmentOfAChildIsExplicit(t *testing.T) {
	s := with(fakeServer(t, "s", "good"), "FAKE_TOOLS", tools("env"), "OWN", "yes", "LANG", "own")
	h := runWith(t, bridge.Options{
		Servers: []bridge.Server{s},
		HostEnv: []string{"PATH=/bin", "HOME=/home/x", "LANG=host", "OTHER_TOKEN=secret", "DOCKER_HOST=unix:///x"},
	})
	var env []string
	if err := json.Unmarshal([]byte(h.must("s__env", `{}`)), &env); err != nil {
		t.Fatal(err)
	}
	marks := 0
	env = slices.DeleteFunc(env, func(kv string) bool {
		if strings.HasPrefix(kv, "HOLOTYPE_CHILD=") {
			marks++
		}
		return strings.HasPrefix(kv, "FAKE_") || strings.HasPrefix(kv, "HOLOTYPE_CHILD=")
	})
	if marks != 1 {
		t.Errorf("%d marks", marks)
	}
	slices.Sort(env)
	if d := cmp.Diff([]string{"GORACE=" + endsAtOnce, "HOME=/home/x", "LANG=own", "OWN=yes", "PATH=/bin"}, env); d != "" {
		t.Error(d)
	}
}

func TestCallInFlightWhenTheServerDies(t *testing.T) {
	t.Parallel()
	readOnly := `{"name":"look","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}},` + tools("echo")
	for _, mode := range []string{"crash-call", "close-stdout"} {
		t.Run(mode, func(t *testing.T) {
			sent := filepath.Join(t.TempDir(), "sent")
			h := run(t, with(fakeServer(t, "s", mode), "FAKE_TOOLS", readOnly, "FAKE_SENT_FILE", sent))
			e := h.refusal("s__echo", `{}`, capabilities.Unavailable)
			if !e.MaybeApplied || !strings.Contains(e.Message, `server "s"`) || !strings.Contains(e.Message, "may have taken effect") {
				t.Errorf("maybe applied %v: %s", e.MaybeApplied, e.Message)
			}
			if mode == "crash-call" && !strings.Contains(e.Message, "exited with status 9") {
				t.Errorf("message %q", e.Message)
			}
			again := func(n int) {
				until(h, func() bool { st := h.status(0); return st.Restarts >= n && st.State == bridge.StateReady })
			}
			again(1) // the first death: at once
			e = h.refusal("s__look", `{}`, capabilities.Unavailable)
			if e.MaybeApplied {
				t.Errorf("a proven read may have been applied: %s", e.Message)
			}
			if got, err := os.ReadFile(sent); err != nil || string(got) != "echo\nlook\n" { // refused calls: what would be sent again has been
				t.Errorf("sent %q, %v; want each call once", got, err)
			}
		})
	}
}

func TestADeadServerKeepsItsToolsAndComesBack(t *testing.T) {
	t.Parallel()
	delays := make(chan time.Duration, 16)
	fire := make(chan time.Time)
	o := bridge.Options{Servers: []bridge.Server{fakeServer(t, "s", "die-after-call")}}
	bridge.After(&o, func(d time.Duration) <-chan time.Time {
		delays <- d
		return fire
	})
	h := runWith(t, o)
	h.must("s__echo", `{}`)
	<-h.news
	// The first death: at once, and the same tools are not published again.
	waitRestarts := func(n int) {
		t.Helper()
		ctx := h.deadline()
		for h.status(0).Restarts < n || h.status(0).State != bridge.StateReady {
			select {
			case <-ctx.Done():
				t.Fatalf("status %+v", h.status(0))
			case <-time.After(2 * time.Millisecond):
			}
		}
	}
	waitRestarts(1)
	h.must("s__echo", `{}`)
	if d := <-delays; d < 12*time.Second || d > 18*time.Second {
		t.Errorf("the second death waits %s", d)
	}
	h.awaitState(0, bridge.StateExited)
	if d := cmp.Diff([]string{"s__echo"}, h.names()); d != "" {
		t.Error(d)
	}
	e := h.refusal("s__echo", `{}`, capabilities.Unavailable)
	if e.MaybeApplied || e.RetryAfter <= 0 || !strings.Contains(e.Message, "exited with status 0") || !strings.Contains(e.Message, "started again in") {
		t.Errorf("refusal %q, after %s", e.Message, e.RetryAfter)
	}
	fire <- time.Now()
	waitRestarts(2)
	h.must("s__echo", `{}`)
	select {
	case <-h.news:
		t.Error("the same tools were published twice")
	default:
	}
	if len(h.log.of("server_exited")) < 2 {
		t.Errorf("log %s", h.log.text(t))
	}
}

func TestAServerThatFailedIsTriedAgain(t *testing.T) {
	marker := filepath.Join(t.TempDir(), "there")
	fire := make(chan time.Time)
	s := fakeServer(t, "s", "once "+marker)
	s.Command = filepath.Join(t.TempDir(), "server")
	o := bridge.Options{Servers: []bridge.Server{s}}
	bridge.After(&o, func(time.Duration) <-chan time.Time { return fire })
	h := runWith(t, o)
	if st := h.status(0); st.State != bridge.StateFailed || st.Phase != "start" {
		t.Fatalf("status %+v", st)
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(exe, s.Command); err != nil {
		t.Fatal(err)
	}
	fire <- time.Now()
	h.awaitState(0, bridge.StateReady)
	h.must("s__echo", `{}`)
}

func TestParallelCallsGetTheirOwnAnswers(t *testing.T) {
	h := run(t, fakeServer(t, "s", "good"))
	var all sync.WaitGroup
	for i := range 60 {
		all.Go(func() {
			want := fmt.Sprintf("got n%d", i)
			r, err := h.call("s__echo", fmt.Sprintf(`{"text":"n%d","ms":%d}`, i, (i*7)%40))
			if err != nil {
				t.Error(err)
				return
			}
			if got := firstText(t, r); got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
	all.Wait()
}

func TestArgumentsArriveAsTheyWereSent(t *testing.T) {
	h := run(t, with(fakeServer(t, "s", "good"), "FAKE_TOOLS", tools("echo", "seen")))
	sent := "{\n  \"n\": 9007199254740993,\r\n\t\"s\": \"a\\nb <&> \u2028\"\n}"
	if _, err := h.call("s__echo", sent); err != nil {
		t.Fatal(err)
	}
	var seen []string
	if err := json.Unmarshal([]byte(h.must("s__seen", `{}`)), &seen); err != nil {
		t.Fatal(err)
	}
	if want := "\"arguments\":{\"n\":9007199254740993,\"s\":\"a\\nb <&> \u2028\"}"; !strings.Contains(seen[0], want) {
		t.Errorf("line %s lacks %s", seen[0], want)
	}
	if !strings.Contains(seen[1], `"arguments":{}`) {
		t.Errorf("line %s", seen[1])
	}
}

func TestCancellationReachesTheServer(t *testing.T) {
	h := run(t, with(fakeServer(t, "s", "good"), "FAKE_TOOLS", tools("echo", "seen")))
	ctx, cancel := context.WithCancel(h.deadline())
	time.AfterFunc(30*time.Millisecond, cancel)
	r, err := h.callWith(ctx, capabilities.Call{Name: "s__echo", Arguments: []byte(`{"ms":150}`)})
	if e := refused(t, r, err, capabilities.Timeout); !e.MaybeApplied || !strings.Contains(e.Message, "the caller went away") {
		t.Errorf("refusal %q", e.Message)
	}
	// The late answer belongs to nobody and disturbs nobody.
	if got := h.must("s__echo", `{"text":"next","ms":200}`); got != "got next" {
		t.Errorf("got %q", got)
	}
	var seen []string
	if err := json.Unmarshal([]byte(h.must("s__seen", `{}`)), &seen); err != nil {
		t.Fatal(err)
	}
	var call, note rpc
	for line, m := range map[string]*rpc{seen[0]: &call, seen[1]: &note} {
		if err := json.Unmarshal([]byte(line), m); err != nil {
			t.Fatal(err)
		}
	}
	if note.Method != "notifications/cancelled" || string(note.Params.RequestID) != string(call.ID) {
		t.Errorf("cancelled %s, called %s: %v", note.Params.RequestID, call.ID, seen)
	}
}

func TestEveryCallHasADeadline(t *testing.T) {
	s := with(fakeServer(t, "s", "hang-call"), "FAKE_TOOLS", `{"name":"look","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}},`+tools("echo"))
	s.CallTimeout = 50 * time.Millisecond
	h := run(t, s)
	e := h.refusal("s__echo", `{}`, capabilities.Timeout)
	if !e.MaybeApplied || !strings.HasPrefix(e.Message, `server "s" did not answer the call of "echo" within its time limit of 50ms`) {
		t.Errorf("refusal %q", e.Message)
	}
	if e := h.refusal("s__look", `{}`, capabilities.Timeout); e.MaybeApplied {
		t.Errorf("refusal %q", e.Message)
	}
}

func TestProgressReachesTheCallerWhoAsked(t *testing.T) {
	h := run(t, fakeServer(t, "s", "progress"))
	var got []float64
	r, err := h.callWith(h.deadline(), capabilities.Call{
		Name: "s__echo", Progress: func(p capabilities.Progress) { got = append(got, p.Value) },
	})
	if err != nil || firstText(t, r) != "got " {
		t.Fatal(r, err)
	}
	if d := cmp.Diff([]float64{1, 3, 5}, got); d != "" {
		t.Error(d)
	}
}

func TestWhatTheServerAsksIsAnsweredAtOnce(t *testing.T) {
	t.Parallel()
	for method, want := range map[string]string{
		"ping":                   `"result":{}`,
		"sampling/createMessage": `"code":-32601`,
		"roots/list":             `"code":-32601`,
		"elicitation/create":     `"code":-32601`,
	} {
		t.Run(method, func(t *testing.T) {
			h := run(t, fakeServer(t, "s", "asks "+method))
			got := h.must("s__echo", `{}`)
			if !strings.Contains(got, want) || !strings.Contains(got, `"id":9007199254740993,`) {
				t.Errorf("got %s", got)
			}
		})
	}
}

func TestAStormOfLogMessagesChangesNothing(t *testing.T) {
	h := run(t, fakeServer(t, "s", "storm"))
	if got := h.must("s__echo", `{"text":"x"}`); got != "got x" {
		t.Errorf("got %q", got)
	}
}

func TestAnAnswerOverTheLimitFailsOneCall(t *testing.T) {
	t.Parallel()
	h := run(t, with(fakeServer(t, "s", "too-long ends"), "FAKE_TOOLS", tools("echo", "pid")))
	e := h.refusal("s__echo", `{}`, capabilities.TooLarge)
	if !strings.Contains(e.Message, "16777216 bytes") {
		t.Errorf("refusal %q", e.Message)
	}
	h.must("s__pid", `{}`) // the session lives on
	h = run(t, fakeServer(t, "s", "too-long never-ends"))
	h.refusal("s__echo", `{}`, capabilities.TooLarge)
}

func TestNoGoroutineIsLeft(t *testing.T) {
	before := runtime.NumGoroutine()
	h := run(t, fakeServer(t, "a", "good"), fakeServer(t, "b", "discover-silent"), fakeServer(t, "c", "exit-3"))
	h.must("a__echo", `{}`)
	h.stop()
	deadline := time.After(5 * time.Second)
	for runtime.NumGoroutine() > before {
		select {
		case <-deadline:
			buf := make([]byte, 1<<20)
			t.Fatalf("%d goroutines before, %d after\n%s", before, runtime.NumGoroutine(), buf[:runtime.Stack(buf, true)])
		case <-time.After(5 * time.Millisecond):
		}
	}
}
