package bridge_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/capabilities/bridge"
)

// A harness is a bridge in front of a live registry, called through the door.
type harness struct {
	*bridge.Bridge
	t    *testing.T
	live *capabilities.Live
	door *capabilities.Door
	log  *records

	mu        sync.Mutex
	published int
	news      chan struct{}
}

// records keeps what was logged.
type records struct {
	mu   sync.Mutex
	list []map[string]any
}

func (r *records) Write(p []byte) (int, error) {
	var m map[string]any
	if err := json.Unmarshal(p, &m); err != nil {
		return 0, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.list = append(r.list, m)
	return len(p), nil
}

func (r *records) of(event string) []map[string]any {
	r.mu.Lock()
	defer r.mu.Unlock()
	var found []map[string]any
	for _, m := range r.list {
		if m["msg"] == event {
			found = append(found, m)
		}
	}
	return found
}

// text answers everything that was logged.
func (r *records) text(t *testing.T) string {
	t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	b, err := json.Marshal(r.list)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// executable is the program of this test.
func executable(t *testing.T) string {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return exe
}

// endsAtOnce takes a second off the end of every process that the race detector watches,
// in which it would wait for goroutines that are left. A race that it has seen is
// reported, and ends the process with a status of its own, all the same.
const endsAtOnce = "atexit_sleep_ms=10"

// fakeServer is this binary as a stdio server of the given mode.
func fakeServer(t *testing.T, name, mode string) bridge.Server {
	t.Helper()
	return bridge.Server{
		Name: name, Command: executable(t), Env: map[string]string{"FAKE_MODE": mode, "GORACE": endsAtOnce},
		StartupTimeout: 20 * time.Second, CallTimeout: 20 * time.Second,
	}
}

// run starts servers and stops them at the end of the test.
func run(t *testing.T, servers ...bridge.Server) *harness {
	t.Helper()
	return runWith(t, bridge.Options{Servers: servers})
}

func runWith(t *testing.T, o bridge.Options) *harness {
	t.Helper()
	h := &harness{t: t, log: &records{}, news: make(chan struct{}, 64)}
	empty, err := capabilities.Assemble()
	if err != nil {
		t.Fatal(err)
	}
	h.live = capabilities.NewLive(empty)
	log := slog.New(slog.NewJSONHandler(h.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	h.door = capabilities.NewDoor(capabilities.DoorOptions{
		Viewer: capabilities.NewViews(h.live, capabilities.Scopes{}), Log: log, Now: time.Now,
	})
	o.Log, o.Version = log, "1.0.0"
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.HostEnv == nil {
		o.HostEnv = []string{"PATH=" + os.Getenv("PATH")}
	}
	o.Publish = func(seat, server string, tools []*capabilities.Capability) {
		h.live.Replace(seat, server, tools)
		h.mu.Lock()
		h.published++
		h.mu.Unlock()
		select {
		case h.news <- struct{}{}:
		default: // nobody waits for it
		}
	}
	bridge.Hurry(&o)
	h.Bridge, err = bridge.New(o)
	if err != nil {
		t.Fatal(err)
	}
	h.Start(t.Context())
	t.Cleanup(h.stop)
	if err := h.WaitStarted(h.deadline()); err != nil {
		t.Fatal(err)
	}
	return h
}

func (h *harness) stop() {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	if err := h.Stop(ctx); err != nil {
		h.t.Error(err)
	}
}

// deadline is a context that a test which hangs fails by.
func (h *harness) deadline() context.Context {
	ctx, cancel := context.WithTimeout(h.t.Context(), 30*time.Second)
	h.t.Cleanup(cancel)
	return ctx
}

func (h *harness) status(i int) bridge.Status { return h.Status()[i] }

// awaitState waits until a server is in the state.
func (h *harness) awaitState(i int, want bridge.State) bridge.Status {
	h.t.Helper()
	ctx := h.deadline()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		st := h.status(i)
		if st.State == want {
			return st
		}
		select {
		case <-ctx.Done():
			h.t.Fatalf("server is %s (%s), want %s", st.State, st.Reason, want)
		case <-tick.C:
		}
	}
}

// until waits for a condition.
func until(h *harness, come func() bool) {
	h.t.Helper()
	ctx := h.deadline()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !come() {
		select {
		case <-ctx.Done():
			h.t.Fatalf("it never came: %+v", h.Status())
		case <-tick.C:
		}
	}
}

// publications answers how often tools were published.
func (h *harness) publications() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.published
}

func (h *harness) names() []string {
	var all []string
	for c := range h.live.Registry().All() {
		all = append(all, c.Name())
	}
	return all
}

func (h *harness) find(name string) *capabilities.Capability {
	h.t.Helper()
	c, ok := h.live.Registry().Find(name)
	if !ok {
		h.t.Fatalf("no capability %q in %v", name, h.names())
	}
	return c
}

// call calls a tool through the door.
func (h *harness) call(name, args string) (*capabilities.Result, error) {
	h.t.Helper()
	return h.callWith(h.deadline(), capabilities.Call{Name: name, Arguments: json.RawMessage(args)})
}

func (h *harness) callWith(ctx context.Context, call capabilities.Call) (*capabilities.Result, error) {
	call.Principal, call.Surface = capabilities.OwnerPrincipal(), capabilities.MCP
	return h.door.Invoke(ctx, call)
}

// must is call for one that succeeds; it answers the text of the first block.
func (h *harness) must(name, args string) string {
	h.t.Helper()
	r, err := h.call(name, args)
	if err != nil {
		h.t.Fatalf("%s: %v", name, err)
	}
	return firstText(h.t, r)
}

func firstText(t *testing.T, r *capabilities.Result) string {
	t.Helper()
	if len(r.Blocks) == 0 {
		t.Fatal("no blocks")
	}
	var b struct{ Text string }
	if err := json.Unmarshal(r.Blocks[0], &b); err != nil {
		t.Fatalf("%s: %v", r.Blocks[0], err)
	}
	return b.Text
}

// refusal is call for one that is refused with the code.
func (h *harness) refusal(name, args string, want capabilities.Code) *capabilities.Error {
	h.t.Helper()
	r, err := h.call(name, args)
	return refused(h.t, r, err, want)
}

func refused(t *testing.T, r *capabilities.Result, err error, want capabilities.Code) *capabilities.Error {
	t.Helper()
	e, ok := capabilities.AsError(err)
	if !ok {
		t.Fatalf("result %v, error %v; want the code %s", r, err, want)
	}
	if e.Code != want {
		t.Fatalf("code %s (%s), want %s", e.Code, e.Message, want)
	}
	return e
}

// tools answers the JSON of tools that take anything.
func tools(names ...string) string {
	var all []string
	for _, n := range names {
		all = append(all, `{"name":"`+n+`","inputSchema":{"type":"object"}}`)
	}
	return strings.Join(all, ",")
}

func with(s bridge.Server, env ...string) bridge.Server {
	for kv := range slices.Chunk(env, 2) {
		s.Env[kv[0]] = kv[1]
	}
	return s
}

func writeFile(t *testing.T, content string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func discard() *slog.Logger { return slog.New(slog.DiscardHandler) }

func now() time.Time { return time.Now() }
