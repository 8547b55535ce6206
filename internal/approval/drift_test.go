package approval_test

import (
	"context"
	"encoding/json"
	"sync/atomic"
	"testing"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/approval"
)

// saying answers the tool as a server has it that says whether it destroys.
func saying(t *testing.T, destroys capabilities.Hint) *capabilities.Capability {
	t.Helper()
	c, err := capabilities.NewBridged(capabilities.BridgedSpec{
		Name: "drop_ware", Tool: "ware", Server: "drop", Input: json.RawMessage(`{"type":"object"}`),
		Hints:   capabilities.HintFacts{Destructive: capabilities.HintFact{Value: destroys, From: capabilities.FromServer}},
		Handler: func(context.Context, *capabilities.Invocation) (*capabilities.Result, error) { return nil, nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// A person who was told that a call destroys nothing has not approved one that does: it
// asks anew, also while it is held, and the earlier request is good for nothing any more.
func TestHintsThatChangeAskAnew(t *testing.T) {
	var served atomic.Pointer[capabilities.Capability]
	find := func(o *approval.Options) {
		o.Find = func(*capabilities.Principal, string) (*capabilities.Capability, *capabilities.Rule, bool) {
			return served.Load(), nil, true
		}
	}
	for name, approved := range map[string]bool{"while it waits": false, "once it is approved": true} {
		t.Run(name, func(t *testing.T) {
			served.Store(saying(t, capabilities.No))
			w := sqlite(t, find)
			first := w.asks(usual())
			if approved {
				w.approve(first)
			}
			served.Store(saying(t, capabilities.Yes))
			second := w.asks(usual())
			if q, err := w.desk.Get(t.Context(), second); err != nil || q.Facts.Destructive != capabilities.Yes || second == first {
				t.Errorf("asked anew as %s, after %s: %+v, %v", second, first, q.Facts, err)
			}
			w.ran(0)
			_, err := w.decide(person("ana"), first, approval.Approve, "")
			is(t, err, capabilities.Conflict, "expired")
			w.approve(second)
			if err := w.call(usual()); err != nil {
				t.Error(err)
			}
			w.ran(1)
		})
	}
	t.Run("while it is held", func(t *testing.T) {
		served.Store(saying(t, capabilities.No))
		w := sqlite(t, find)
		id, answer := w.held(t.Context(), patient())
		served.Store(saying(t, capabilities.Yes))
		w.approve(id)
		w.desk.Rest()
		is(t, <-answer, capabilities.ApprovalNeeded, "waits for a person's approval")
		w.ran(0)
	})
	t.Run("a denial stands", func(t *testing.T) {
		served.Store(saying(t, capabilities.No))
		w := sqlite(t, find)
		id := w.asks(usual())
		if _, err := w.decide(person("ana"), id, approval.Deny, ""); err != nil {
			t.Fatal(err)
		}
		served.Store(saying(t, capabilities.Yes))
		is(t, w.call(usual()), capabilities.Forbidden, "denied this call")
	})
}
