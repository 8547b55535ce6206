package bridge_test

import (
	"errors"
	"maps"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/capabilities/bridge"
)

// remembered is a memory that outlives a bridge, and can fail.
type remembered struct {
	mu    sync.Mutex
	all   map[bridge.Key]map[string]capabilities.Hints
	fails error
}

func (m *remembered) Recall(k bridge.Key) (map[string]capabilities.Hints, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	hints, ok := m.all[k]
	return maps.Clone(hints), ok
}

func (m *remembered) Remember(k bridge.Key, hints map[string]capabilities.Hints) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.fails != nil {
		return m.fails
	}
	if m.all == nil {
		m.all = map[bridge.Key]map[string]capabilities.Hints{}
	}
	m.all[k] = hints
	return nil
}

// annotated is a fake whose tool "act" has these annotations.
func annotated(t *testing.T, annotations string) bridge.Server {
	t.Helper()
	return with(fakeServer(t, "s", "good"), "FAKE_TOOLS", tools("echo")+`,{"name":"act","inputSchema":{"type":"object"},"annotations":`+annotations+`}`)
}

func TestHintsThatDriftAreMarkedUntilTheyAreAccepted(t *testing.T) {
	t.Parallel()
	memory := &remembered{}
	h := runWith(t, bridge.Options{Servers: []bridge.Server{fakeServer(t, "s", "change")}, Memory: memory})
	h.must("s__sync", `{}`)
	until(h, func() bool { return len(h.status(0).Drifts) == 1 })
	d := h.status(0).Drifts[0]
	if d.Tool != "sync" || d.Name != "s__sync" || d.Was != (capabilities.Hints{ReadOnly: yes}) || d.Now != (capabilities.Hints{Destructive: yes}) || d.Since.IsZero() || d.Held {
		t.Errorf("drift %+v", d)
	}
	if diff := cmp.Diff([]string{"readOnlyHint", "destructiveHint"}, d.Changed); diff != "" {
		t.Error(diff)
	}
	mark := h.find("s__sync").Extras().Drift
	if mark == nil || mark.Was != d.Was || !mark.Since.Equal(d.Since) || mark.Held {
		t.Errorf("the capability's mark is %+v", mark)
	}
	if h.find("s__echo").Extras().Drift != nil {
		t.Error("another tool is marked")
	}
	h.must("s__sync", `{}`) // it is marked and no more
	if got := memory.all[bridge.Key{Server: "s"}]["sync"]; got != (capabilities.Hints{ReadOnly: yes}) {
		t.Errorf("remembered is %+v", got)
	}

	for _, name := range []string{"nowhere", "s__nowhere"} {
		if _, err := h.Accept("s", name); !errors.Is(err, bridge.ErrUnknownTool) {
			t.Errorf("%s: error %v", name, err)
		}
	}
	if _, err := h.Accept("t"); !errors.Is(err, bridge.ErrUnknownServer) {
		t.Errorf("error %v", err)
	}
	if names, err := h.Accept("s", "echo"); err != nil || len(names) != 0 || len(h.status(0).Drifts) != 1 {
		t.Errorf("accepting another tool: %v, %v", names, err)
	}
	memory.fails = errors.New("the disk is full")
	if _, err := h.Accept("s"); err == nil || len(h.status(0).Drifts) != 1 {
		t.Errorf("error %v, and the mark is gone", err)
	}
	memory.fails = nil
	names, err := h.Accept("s", "s__sync")
	if diff := cmp.Diff([]string{"sync"}, names); diff != "" || err != nil {
		t.Errorf("%v %s", err, diff)
	}
	if st := h.status(0); len(st.Drifts) != 0 || h.find("s__sync").Extras().Drift != nil {
		t.Errorf("accepted, and still marked: %+v", st.Drifts)
	}
	if got := memory.all[bridge.Key{Server: "s"}]["sync"]; got != (capabilities.Hints{Destructive: yes}) {
		t.Errorf("remembered is %+v", got)
	}
	if lines := h.log.of("server_hints_accepted"); len(lines) != 1 {
		t.Errorf("the log says %v", lines)
	}
}

func TestHintsThatDriftAreHeldWhereThatIsConfigured(t *testing.T) {
	t.Parallel()
	memory := &remembered{}
	first := runWith(t, bridge.Options{Servers: []bridge.Server{annotated(t, `{"readOnlyHint":true,"idempotentHint":true}`)}, Memory: memory})
	first.must("s__act", `{}`)
	// Another process, another word: what was accepted is remembered.
	worse := annotated(t, `{"readOnlyHint":false,"destructiveHint":true,"idempotentHint":true}`)
	worse.Drift = bridge.DriftHold
	h := runWith(t, bridge.Options{Servers: []bridge.Server{worse}, Memory: memory, Program: "gate --data /d"})
	e := h.refusal("s__act", `{}`, capabilities.Forbidden)
	if !strings.Contains(e.Message, "readOnlyHint was yes and is no") || !strings.HasSuffix(e.Message, ": gate --data /d servers accept s") || e.MaybeApplied || e.RetryAfter != 0 {
		t.Errorf("refusal %q", e.Message)
	}
	h.must("s__echo", `{}`)
	if mark := h.find("s__act").Extras().Drift; mark == nil || !mark.Held {
		t.Errorf("mark %+v", mark)
	}
	if lines := h.log.of("server_hints_changed"); len(lines) != 1 || lines[0]["level"] != "WARN" || lines[0]["held"] != true || lines[0]["capability"] != "s__act" ||
		lines[0]["was"] != "readOnlyHint yes, destructiveHint unknown, idempotentHint yes, openWorldHint unknown" ||
		lines[0]["now"] != "readOnlyHint no, destructiveHint yes, idempotentHint yes, openWorldHint unknown" {
		t.Errorf("the log says %v", lines)
	}
	held := h.find("s__act")

	// An operator may let it through, and hold it again, without a restart.
	worse.Drift = ""
	h.apply(worse)
	h.must("s__act", `{}`)
	worse.Drift = bridge.DriftHold
	h.apply(worse)
	h.refusal("s__act", `{}`, capabilities.Forbidden)
	if names, err := h.Accept("s"); err != nil || len(names) != 1 {
		t.Fatalf("accepted %v, %v", names, err)
	}
	h.must("s__act", `{}`)
	if held.Extras().Drift == nil {
		t.Error("a capability changed")
	}
}

func TestAnOverrideIsNoDrift(t *testing.T) {
	t.Parallel()
	hint := func(v capabilities.Hint) *capabilities.Hint { return &v }
	h := run(t, annotated(t, `{"readOnlyHint":true,"openWorldHint":false}`))
	over := annotated(t, `{"readOnlyHint":true,"openWorldHint":false}`)
	over.Annotations = map[string]bridge.Override{"act": {ReadOnly: hint(no), OpenWorld: hint(unknown)}}
	h.apply(over)
	if c := h.find("s__act"); c.Hints().ReadOnly != no || c.Extras().Drift != nil || len(h.status(0).Drifts) != 0 {
		t.Errorf("hints %+v, drifts %+v", c.Hints(), h.status(0).Drifts)
	}
	// The server goes the same way beneath the override: nobody sees that it did, and
	// whoever takes the override away does.
	over.Env["FAKE_TOOLS"] = annotated(t, `{"readOnlyHint":false,"openWorldHint":false}`).Env["FAKE_TOOLS"]
	h.apply(over)
	if err := h.Ready(h.deadline(), "s"); err != nil || len(h.status(0).Drifts) != 0 {
		t.Fatalf("%v, drifts %+v", err, h.status(0).Drifts)
	}
	over.Annotations = nil
	h.apply(over)
	if d := h.status(0).Drifts; len(d) != 1 || d[0].Was.ReadOnly != yes {
		t.Errorf("drifts %+v", d)
	}
	// An override that says what was accepted ends it.
	over.Annotations = map[string]bridge.Override{"act": {ReadOnly: hint(yes)}}
	h.apply(over)
	if d := h.status(0).Drifts; len(d) != 0 {
		t.Errorf("drifts %+v", d)
	}
}

func TestHintsThatGetSaferAreAcceptedByThemselves(t *testing.T) {
	t.Parallel()
	memory := &remembered{all: map[bridge.Key]map[string]capabilities.Hints{{Server: "s"}: {"act": {ReadOnly: no, Destructive: yes}}}}
	h := runWith(t, bridge.Options{Servers: []bridge.Server{annotated(t, `{"readOnlyHint":true}`)}, Memory: memory})
	if st := h.status(0); len(st.Drifts) != 0 {
		t.Errorf("drifts %+v", st.Drifts)
	}
	if lines := h.log.of("server_hints_changed"); len(lines) != 1 || lines[0]["level"] != "INFO" {
		t.Errorf("the log says %v", lines)
	}
	if got := memory.all[bridge.Key{Server: "s"}]["act"]; got != (capabilities.Hints{ReadOnly: yes}) {
		t.Errorf("remembered is %+v", got)
	}
}
