package approval_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/approval"
	"github.com/seed-89b9419b/holotype/internal/gate"
	"github.com/seed-89b9419b/holotype/internal/store/storetest"
)

// held sends a call that is ready to wait, and answers once it is held: its request, and
// what it is answered in the end.
func (w *world) held(ctx context.Context, c capabilities.Call) (id string, answer <-chan error) {
	w.t.Helper()
	waits := make(chan struct{}, 1)
	c.Progress = func(p capabilities.Progress) {
		if p.Value < 0 || p.Value >= 0.001 {
			w.t.Errorf("what waits reports %v, which may be more than the call itself", p.Value)
		}
		select {
		case waits <- struct{}{}:
		default:
		}
	}
	answered := make(chan error, 1)
	go func() {
		_, err := w.door.Invoke(ctx, c)
		answered <- err
	}()
	select {
	case <-waits:
	case err := <-answered:
		w.t.Fatalf("the call is not held: %v", err)
	}
	pending := w.of(approval.Pending)
	if len(pending) != 1 {
		w.t.Fatalf("there are %d requests", len(pending))
	}
	return pending[0], answered
}

func patient() capabilities.Call {
	return with(func(c *capabilities.Call) { c.Wait = capabilities.MaxWait })
}

func TestDecisionWakesWhatWaits(t *testing.T) {
	w := sqlite(t)
	id, answer := w.held(t.Context(), patient())
	w.approve(id)
	if err := <-answer; err != nil {
		t.Errorf("approved, it is answered %v", err)
	}
	w.ran(1)
	id, answer = w.held(t.Context(), patient())
	if _, err := w.decide(person("ana"), id, approval.Deny, "no"); err != nil {
		t.Fatal(err)
	}
	is(t, <-answer, capabilities.Forbidden, `person:ana denied this call of drop_ware, and said "no"`)
	w.ran(1)
}

// A process looks by itself where another one decides: on a store of several processes
// nobody tells it.
func TestDecisionOfAnotherProcess(t *testing.T) {
	storetest.Each(t, func(t *testing.T, d storetest.Database) {
		ours := d.Open(t, approval.Schema())
		theirs := ours
		if d.Name == "postgres" {
			theirs = d.Open(t, approval.Schema())
		}
		clock := newClock()
		clock.Store(time.Now().UnixMilli())
		here := openOn(t, ours, clock, func(o *approval.Options) { o.Shared = true })
		there := openOn(t, theirs, clock)
		id, answer := here.held(t.Context(), patient())
		there.approve(id)
		if err := <-answer; err != nil {
			t.Errorf("approved elsewhere, it is answered %v", err)
		}
		here.ran(1)
	})
}

func TestRuleMayHoldACall(t *testing.T) {
	w := sqlite(t)
	w.gate.Put(rulesOf(t, "seats: [{id: desk}]\ngate: {approve: [{of: [shop], effects: [write], wait_seconds: 300}]}"))
	id, answer := w.held(t.Context(), usual())
	w.approve(id)
	if err := <-answer; err != nil {
		t.Errorf("approved, it is answered %v", err)
	}
	w.asks(with(func(c *capabilities.Call) { c.Wait = capabilities.NoWait }))
	w.asks(with(func(c *capabilities.Call) { c.Wait = time.Millisecond })) // its time is over
}

// A caller who goes away leaves the request as it is.
func TestCallerGoesAway(t *testing.T) {
	w := sqlite(t)
	ctx, cancel := context.WithCancel(t.Context())
	id, answer := w.held(ctx, patient())
	cancel()
	is(t, <-answer, capabilities.ApprovalNeeded, id)
	w.approve(w.asks(usual()))
	if err := w.call(usual()); err != nil {
		t.Errorf("approved, it is answered %v", err)
	}
	w.ran(1)
}

// The time that a person takes is not the call's: one that is held beyond its own limit
// runs all the same.
func TestHeldCallKeepsItsTime(t *testing.T) {
	w := sqlite(t)
	const limit = 2 * time.Second // for what is done beside the wait, on a slow machine
	w.door = w.limited(limit)
	over := time.After(limit + limit/10)
	id, answer := w.held(t.Context(), patient())
	<-over
	w.approve(id)
	if err := <-answer; err != nil {
		t.Errorf("approved, it is answered %v", err)
	}
	w.ran(1)
}

// Rules that do not ask any more let the call pass, and the request ends by itself.
func TestRuleIsTakenBack(t *testing.T) {
	w := sqlite(t)
	id := w.asks(usual())
	w.gate.Put(rulesOf(t, "seats: [{id: desk}]"))
	if err := w.call(usual()); err != nil {
		t.Fatal(err)
	}
	if q, err := w.desk.Get(t.Context(), id); err != nil || q.State != approval.Pending {
		t.Errorf("the request is %+v, %v", q, err)
	}
}

// Whoever asked to wait is let go when the server stops.
func TestServerStopsWhileACallIsHeld(t *testing.T) {
	w := sqlite(t)
	id, answer := w.held(t.Context(), patient())
	w.desk.Rest()
	w.desk.Rest()
	is(t, <-answer, capabilities.ApprovalNeeded, id)
	w.asks(patient()) // nor is any held from then on
}

// What was changed while a call was held counts for it.
func TestWhatChangesWhileACallIsHeld(t *testing.T) {
	revoked := capabilities.Refuse(capabilities.Unauthenticated, "the token tok_1 was revoked")
	var drifted atomic.Pointer[capabilities.Rule]
	var barred atomic.Bool
	for name, c := range map[string]struct {
		change func(w *world)
		code   capabilities.Code
		says   string
	}{
		"nothing": {func(*world) {}, "", ""},
		"the rules": {func(w *world) {
			w.gate.Put(rulesOf(t, "seats: [{id: desk}]\ngate: {deny: [drop_ware], approve: [{of: [shop]}]}"))
		}, capabilities.Forbidden, "drop_ware is denied"},
		"the seat":  {func(w *world) { w.gate.Put(rulesOf(t, "gate: {approve: [{of: [shop]}]}\nseats: [{id: other}]")) }, capabilities.Forbidden, "is not configured here any more"},
		"the token": {func(w *world) { w.ended.Store(revoked) }, capabilities.Unauthenticated, "tok_1 was revoked"},
		"what the tool says of itself": {func(*world) {
			drifted.Store(&capabilities.Rule{Reason: gate.Destructive, Message: "drop_ware may change or remove what exists"})
		}, capabilities.Forbidden, "drop_ware may change or remove"},
		"what the surface lets through": {func(*world) { barred.Store(true) }, capabilities.Forbidden, "not by this way"},
	} {
		t.Run(name, func(t *testing.T) {
			drifted.Store(nil)
			barred.Store(false)
			w := sqlite(t, func(o *approval.Options) {
				o.Find = func(*capabilities.Principal, string) (*capabilities.Capability, *capabilities.Rule, bool) {
					rule := drifted.Load()
					return nil, rule, rule != nil
				}
			})
			call := patient()
			call.Admit = func(*capabilities.Capability) *capabilities.Error {
				if barred.Load() {
					return capabilities.Refuse(capabilities.Forbidden, "not by this way")
				}
				return nil
			}
			id, answer := w.held(t.Context(), call)
			c.change(w)
			w.approve(id)
			err := <-answer
			if c.code == "" {
				if err != nil {
					t.Error(err)
				}
				w.ran(1)
				return
			}
			is(t, err, c.code, c.says)
			w.ran(0)
			if q, err := w.desk.Get(t.Context(), id); err != nil || q.State != approval.Approved {
				t.Errorf("the request is %+v, %v", q, err)
			}
		})
	}
}

// Of one principal so many calls are held; one more is answered at once.
func TestAsManyAsAreHeld(t *testing.T) {
	w := sqlite(t)
	ctx, cancel := context.WithCancel(t.Context())
	waits := make(chan struct{}, 2*approval.MostPending)
	answers := make(chan error, approval.MostPending)
	for range approval.MostPending {
		var first sync.Once
		c := patient()
		c.Progress = func(capabilities.Progress) { first.Do(func() { waits <- struct{}{} }) }
		go func() {
			_, err := w.door.Invoke(ctx, c)
			answers <- err
		}()
	}
	for range approval.MostPending {
		<-waits
	}
	id := w.asks(patient())
	cancel()
	for range approval.MostPending {
		is(t, <-answers, capabilities.ApprovalNeeded, id)
	}
	if held, answer := w.held(t.Context(), patient()); held == id {
		w.approve(id)
		if err := <-answer; err != nil {
			t.Error(err)
		}
	}
}
