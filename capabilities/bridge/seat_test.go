package bridge_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/capabilities/bridge"
)

// ofSeat is a fake that is a seat's own.
func ofSeat(t *testing.T, seat string) bridge.Server {
	t.Helper()
	s := with(fakeServer(t, "s", "good"), "FAKE_TOOLS", tools("env", "pid"), "FAKE_SEAT", "seat-"+seat+"-only")
	s.Seat = seat
	return s
}

// callAs calls a tool of a seat's own view.
func (h *harness) callAs(seat, name string) (string, error) {
	h.t.Helper()
	p := capabilities.OwnerPrincipal()
	p.Seat = seat
	c, ok := h.live.For(p).Find(name)
	if !ok {
		return "", fmt.Errorf("the seat %q has no %q", seat, name)
	}
	r, err := h.door.Invoke(h.deadline(), capabilities.Call{Name: c.Name(), Principal: p, Surface: capabilities.MCP})
	if err != nil {
		return "", err
	}
	return firstText(h.t, r), nil
}

func TestEverySeatHasItsOwnChild(t *testing.T) {
	t.Parallel()
	h := run(t, ofSeat(t, "ann"), ofSeat(t, "bob"), watched(t, "all", "good"))
	if _, ok := h.live.Registry().Find("s__pid"); ok {
		t.Error("a seat's own tool is there for everybody")
	}
	pids := map[string]string{}
	for _, seat := range []string{"ann", "bob"} {
		env, err := h.callAs(seat, "s__env")
		if err != nil {
			t.Fatal(err)
		}
		for _, of := range []string{"ann", "bob"} {
			if has := strings.Contains(env, "seat-"+of+"-only"); has != (of == seat) {
				t.Errorf("the child of %s knows what %s has: %v", seat, of, has)
			}
		}
		if pids[seat], err = h.callAs(seat, "s__pid"); err != nil {
			t.Fatal(err)
		}
		if _, err := h.callAs(seat, "all__pid"); err != nil {
			t.Error(err)
		}
	}
	if pids["ann"] == pids["bob"] {
		t.Error("both seats have one child")
	}
	if _, err := h.callAs("eve", "s__pid"); err == nil {
		t.Error("a seat without a child of its own has its tools")
	}
	var keys []bridge.Key
	for _, st := range h.Status() {
		keys = append(keys, st.Key())
		if st.State != bridge.StateReady || st.SameLaunch != nil {
			t.Errorf("status %+v", st)
		}
	}
	if d := cmp.Diff([]bridge.Key{{Seat: "ann", Server: "s"}, {Seat: "bob", Server: "s"}, {Server: "all"}}, keys); d != "" {
		t.Error(d)
	}

	// Another credential touches one child.
	next := ofSeat(t, "bob")
	next.Env["FAKE_SEAT"] = "seat-bob-again"
	sameChanges(t, bridge.Changes{
		Changed: []bridge.Key{{Seat: "bob", Server: "s"}}, Unchanged: []bridge.Key{{Seat: "ann", Server: "s"}, {Server: "all"}},
	}, h.apply(ofSeat(t, "ann"), next, watched(t, "all", "good")))
	if err := h.Ready(h.deadline(), "s"); err != nil {
		t.Fatal(err)
	}
	if pid, err := h.callAs("ann", "s__pid"); err != nil || pid != pids["ann"] {
		t.Errorf("the child of ann is %s, was %s: %v", pid, pids["ann"], err)
	}
	if pid, err := h.callAs("bob", "s__pid"); err != nil || pid == pids["bob"] {
		t.Errorf("the child of bob is %s, was %s: %v", pid, pids["bob"], err)
	}
	sameChanges(t, bridge.Changes{
		Removed: []bridge.Key{{Seat: "bob", Server: "s"}}, Unchanged: []bridge.Key{{Seat: "ann", Server: "s"}, {Server: "all"}},
	}, h.apply(ofSeat(t, "ann"), watched(t, "all", "good")))
	if _, err := h.callAs("bob", "s__pid"); err == nil {
		t.Error("the tools of bob's child are still there")
	}
}

func TestInstancesOfOneName(t *testing.T) {
	seat := func(name, seat, prefix string) bridge.Server {
		return bridge.Server{Name: name, Seat: seat, Command: "x", ToolPrefix: prefix}
	}
	for _, c := range []struct {
		name    string
		servers []bridge.Server
		field   string // of the one fault; "" for none
	}{
		{"two seats", []bridge.Server{seat("s", "a", ""), seat("s", "b", "")}, ""},
		{"one seat twice", []bridge.Server{seat("s", "a", ""), seat("s", "a", "")}, "name"},
		{"shared twice", []bridge.Server{seat("s", "", ""), seat("s", "", "")}, "name"},
		{"shared and a seat's", []bridge.Server{seat("s", "", ""), seat("s", "a", "")}, "shared"},
		{"a seat's and shared", []bridge.Server{seat("s", "a", ""), seat("s", "", "")}, "shared"},
		{"two prefixes", []bridge.Server{seat("s", "a", "x-"), seat("s", "b", "y-")}, "tool_prefix"},
		{"two names with one prefix", []bridge.Server{seat("s", "a", "x-"), seat("t", "b", "x-")}, "tool_prefix"},
	} {
		t.Run(c.name, func(t *testing.T) {
			b, err := bridge.New(bridge.Options{Log: discard(), Now: now, Publish: func(string, string, []*capabilities.Capability) {}})
			if err != nil {
				t.Fatal(err)
			}
			err = b.Check(c.servers)
			faults, _ := err.(bridge.Faults) //nolint:errorlint // Check answers it as it is
			switch {
			case c.field == "" && err != nil, c.field != "" && (len(faults) != 1 || faults[0].Field != c.field):
				t.Errorf("error %v, want one fault of %q", err, c.field)
			}
		})
	}
}

func TestServersThatAreStartedTheSameWay(t *testing.T) {
	a, b := fakeServer(t, "a", "good"), fakeServer(t, "b", "good")
	other := fakeServer(t, "c", "good")
	other.Env["FAKE_TOKEN"] = "another account"
	h := run(t, a, b, other)
	for i, want := range [][]bridge.Key{shared("b"), shared("a"), nil} {
		if d := cmp.Diff(want, h.status(i).SameLaunch); d != "" {
			t.Errorf("server %d: %s", i, d)
		}
	}
}
