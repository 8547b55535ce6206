package bridge_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/capabilities/bridge"
)

// A server cannot give its tools a second name by which the operator's lists would mean them.
func TestAnotherNameOfAToolThatCameOverMCP(t *testing.T) {
	s := with(fakeServer(t, "s", "good"), "FAKE_TOOLS", `{"name":"evil","inputSchema":{"type":"object"},"`+bridge.AlsoKey+`":"safe"},`+tools("safe"))
	s.Allow, s.Annotations = []string{"safe"}, map[string]bridge.Override{"safe": {Title: "Safe"}}
	if d := cmp.Diff([]string{"s__safe"}, run(t, s).names()); d != "" {
		t.Error(d)
	}
}

// somePeer is one whose every part is said.
type somePeer struct {
	launch string

	mu     sync.Mutex
	offer  *bridge.Offer
	fault  error
	answer func(context.Context, bridge.PeerCall) (json.RawMessage, error)
	closed bool
}

func (*somePeer) Kind() string       { return capabilities.KindOpenAPI }
func (p *somePeer) Launch() []string { return []string{p.launch} }

func (p *somePeer) Offer(context.Context) (*bridge.Offer, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.offer, p.fault
}

func (p *somePeer) Call(ctx context.Context, c bridge.PeerCall) (json.RawMessage, error) {
	return p.answer(ctx, c)
}

func (p *somePeer) Close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
}

func offering(names ...string) *bridge.Offer {
	o := &bridge.Offer{Name: "Some", Number: "2", Protocol: "Other 1"}
	for _, n := range names {
		o.Tools = append(o.Tools, json.RawMessage(fmt.Sprintf(`{"name":%q,"inputSchema":{"type":"object"},%q:"the %s"}`, n, bridge.AlsoKey, n)))
	}
	return o
}

// What a peer says is shown, called, refused and stopped as what a server of MCP says.
func TestAPeerIsAServerLikeAnyOther(t *testing.T) {
	running := make(chan struct{})
	p := &somePeer{launch: "a", offer: offering("good", "slow", "deep", "broken", "refused", "left"), answer: func(ctx context.Context, c bridge.PeerCall) (json.RawMessage, error) {
		switch c.Tool {
		case "slow":
			close(running)
			<-ctx.Done()
			return nil, bridge.Failed(capabilities.Timeout, true, "did not answer")
		case "deep":
			return json.RawMessage(`{"content":[],"structuredContent":` + strings.Repeat(`{"a":`, 600) + "1" + strings.Repeat("}", 600) + "}"), nil
		case "broken":
			return json.RawMessage(`{"content":`), nil
		case "refused":
			return nil, capabilities.Violates(capabilities.Violation{Pointer: "/a", Keyword: "k", Message: "no"})
		case "left":
			return nil, bridge.Failed(capabilities.Unavailable, true, "went away with s3cret-value: %w", errors.New("gone"))
		}
		return json.RawMessage(fmt.Sprintf(`{"content":[{"type":"text","text":"%s %t s3cret-value"}]}`, strings.ReplaceAll(string(c.Arguments), `"`, ""), c.Repeatable)), nil
	}}
	yes := capabilities.Yes
	s := bridge.Server{
		Name: "s", Peer: p, Deny: []string{"the absent"}, Annotations: map[string]bridge.Override{"the good": {ReadOnly: &yes}}, Secrets: map[string]string{"TOKEN": "s3cret-value"},
	}
	h := run(t, s)
	if st := h.status(0); st.State != bridge.StateReady || st.Transport != capabilities.KindOpenAPI || st.Version != "Other 1" || st.ServerName != "Some" || st.Tools != 6 || len(st.Unmatched) != 1 {
		t.Errorf("%+v", st)
	}
	if got := h.must("s__good", `{"a":1}`); got != "{a:1} true [hidden]" {
		t.Errorf("%q", got)
	}
	h.refusal("s__deep", `{}`, capabilities.TooLarge)
	h.refusal("s__broken", `{}`, capabilities.UpstreamError)
	if e := h.refusal("s__refused", `{}`, capabilities.Invalid); len(e.Violations) != 1 || e.MaybeApplied {
		t.Errorf("%+v", e)
	}
	if e := h.refusal("s__left", `{}`, capabilities.Unavailable); !e.MaybeApplied || e.Message != `server "s" went away with [hidden]: gone; the call may have taken effect all the same` {
		t.Errorf("%+v", e)
	}
	ended := make(chan error, 1)
	go func() {
		_, err := h.call("s__slow", `{}`)
		ended <- err
	}()
	<-running
	next := s
	next.Peer = &somePeer{launch: "b", offer: offering("other"), answer: p.answer}
	if changes, err := h.Apply([]bridge.Server{next}); err != nil || len(changes.Changed) != 1 {
		t.Fatal(changes, err)
	}
	if e, ok := capabilities.AsError(<-ended); !ok || e.Code != capabilities.Unavailable || !e.MaybeApplied || !strings.Contains(e.Message, "its configuration changed") {
		t.Errorf("%v", e)
	}
	until(h, func() bool { return cmp.Equal([]string{"s__other"}, h.names()) })
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.closed {
		t.Error("what is not used any more is left open")
	}
}

// A peer that leads back here, or says nothing, costs its own tools.
func TestAPeerThatOffersNothing(t *testing.T) {
	for name, c := range map[string]struct {
		fault error
		says  string
	}{
		"itself": {fmt.Errorf("it: %w", bridge.ErrItself), "leads back to this very server"},
		"fault":  {errors.New("has no document, and s3cret-value"), "has no document, and [hidden]"},
	} {
		t.Run(name, func(t *testing.T) {
			h := run(t, bridge.Server{Name: "s", Peer: &somePeer{fault: c.fault}, Secrets: map[string]string{"TOKEN": "s3cret-value"}})
			if st := h.status(0); st.State != bridge.StateFailed || !strings.Contains(st.Reason, c.says) {
				t.Errorf("%s: %s", st.State, st.Reason)
			}
		})
	}
	for _, s := range []bridge.Server{{Name: "s", Peer: &somePeer{}, Command: "x"}, {Name: "s", Peer: &somePeer{}, URL: "http://h"}} {
		if _, err := bridge.New(bridge.Options{Servers: []bridge.Server{s}, Publish: func(string, string, []*capabilities.Capability) {}, Log: discard(), Now: now}); err == nil {
			t.Errorf("%+v is taken", s)
		}
	}
}

func TestOrigins(t *testing.T) {
	for a, want := range map[string]string{"https://H.example/x": "https://h.example:443", "http://h:80": "http://h:80", "HTTP://[::1]:8080/": "http://::1:8080"} {
		u, err := url.Parse(a)
		if err != nil {
			t.Fatal(err)
		}
		if got := bridge.OriginOf(u); got != want {
			t.Errorf("%s: %s, want %s", a, got, want)
		}
	}
}
