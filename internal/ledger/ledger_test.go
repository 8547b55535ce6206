package ledger_test

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/ledger"
	"github.com/seed-89b9419b/holotype/internal/store/storetest"
)

// far is a tool of another server, which counts what reaches it.
type far struct {
	calls atomic.Int64
	err   atomic.Pointer[error]
}

func (f *far) serve(context.Context, *capabilities.Invocation) (*capabilities.Result, error) {
	n := f.calls.Add(1)
	if err := f.err.Load(); err != nil && *err != nil {
		return nil, *err
	}
	text, _ := json.Marshal(map[string]any{"n": n, "text": "<b>"})
	return &capabilities.Result{Structured: text, Blocks: []capabilities.Block{capabilities.TextBlock("done")}, Meta: json.RawMessage(`{"x/y":1}`)}, nil
}

func (f *far) fails(err error) { f.err.Store(&err) }

func door(t *testing.T, hints capabilities.HintFacts) (*capabilities.Door, *far) {
	t.Helper()
	f := &far{}
	tool, err := capabilities.NewBridged(capabilities.BridgedSpec{
		Name: "far__send", Tool: "send", Server: "far", Summary: "Send.", Input: json.RawMessage(`{"type":"object"}`), Hints: hints, Handler: f.serve,
	})
	if err != nil {
		t.Fatal(err)
	}
	reg, err := capabilities.Assemble()
	if err != nil {
		t.Fatal(err)
	}
	live := capabilities.NewLive(reg)
	live.Replace("", "far", []*capabilities.Capability{tool})
	log := slog.New(slog.DiscardHandler)
	return capabilities.NewDoor(capabilities.DoorOptions{
		Viewer: capabilities.NewViews(live, capabilities.Scopes{}), Log: log, Now: time.Now,
		Interceptors: []capabilities.Interceptor{ledger.Interceptor(storetest.Open(t), log)},
	}), f
}

func send(d *capabilities.Door, key, args string) (*capabilities.Result, error) {
	return d.Invoke(context.Background(), capabilities.Call{
		Name: "far__send", Arguments: json.RawMessage(args), Principal: capabilities.OwnerPrincipal(), Operation: capabilities.Operation{ID: key},
	})
}

func code(err error) capabilities.Code {
	if e, ok := capabilities.AsError(err); ok {
		return e.Code
	}
	return ""
}

func TestRepeatedCallIsAnsweredOnceMore(t *testing.T) {
	d, f := door(t, capabilities.HintFacts{})
	first, err := send(d, "k", `{"a":1,"b":2}`)
	if err != nil {
		t.Fatal(err)
	}
	again, err := send(d, "k", `{ "b":2, "a":1 }`)
	if err != nil {
		t.Fatal(err)
	}
	want := *first
	want.Meta = json.RawMessage(`{"holotype/replayed":true,"x/y":1}`)
	if diff := cmp.Diff(&want, again); diff != "" {
		t.Errorf("the repeat answers something else (-want +got):\n%s", diff)
	}
	if n := f.calls.Load(); n != 1 {
		t.Errorf("the server was called %d times", n)
	}
	if _, err := send(d, "k", `{"a":2}`); code(err) != capabilities.OpIDInvalid {
		t.Errorf("a key of another call: %v", err)
	}
	if _, err := send(d, "", `{"a":2}`); err != nil || f.calls.Load() != 2 {
		t.Errorf("a call without a key: %v, %d calls", err, f.calls.Load())
	}
}

func TestEndOfACallDecidesWhatARepeatDoes(t *testing.T) {
	upstream := capabilities.Refuse(capabilities.UpstreamError, "its words")
	upstream.Upstream = &capabilities.Result{Blocks: []capabilities.Block{capabilities.TextBlock("its words")}}
	maybe := capabilities.Refuse(capabilities.Unavailable, "it died")
	maybe.MaybeApplied = true
	for name, c := range map[string]struct {
		err   error
		hints capabilities.HintFacts
		calls int64 // after the repeat
		again capabilities.Code
	}{
		"refused in its own words": {err: upstream, calls: 1, again: capabilities.UpstreamError},
		"it never began":           {err: capabilities.Refuse(capabilities.Unavailable, "down"), calls: 2},
		"nobody knows":             {err: maybe, calls: 1, again: capabilities.UnknownOutcome},
		"it failed":                {err: errors.New("broken"), calls: 1, again: capabilities.UnknownOutcome},
		"nobody knows, and twice is as good as once": {err: maybe, hints: capabilities.HintFacts{Idempotent: capabilities.HintFact{Value: capabilities.Yes}}, calls: 2},
	} {
		t.Run(name, func(t *testing.T) {
			d, f := door(t, c.hints)
			f.fails(c.err)
			if _, err := send(d, "k", `{}`); err == nil {
				t.Fatal("the first call is not refused")
			}
			f.fails(nil)
			_, err := send(d, "k", `{}`)
			if code(err) != c.again || f.calls.Load() != c.calls {
				t.Errorf("the repeat is answered %v after %d calls, want %q after %d", err, f.calls.Load(), c.again, c.calls)
			}
		})
	}
}

func TestOneOfManyRunsAtOnce(t *testing.T) {
	d, f := door(t, capabilities.HintFacts{})
	var wait sync.WaitGroup
	for range 16 {
		wait.Go(func() {
			if _, err := send(d, "k", `{}`); err != nil && code(err) != capabilities.Unavailable {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	if n := f.calls.Load(); n != 1 {
		t.Errorf("16 calls with one key reached the server %d times", n)
	}
}

func TestMalformedKeyIsRefused(t *testing.T) {
	d, f := door(t, capabilities.HintFacts{})
	for _, key := range []string{"a b", "\x00", "ü", string(make([]byte, 129))} {
		if _, err := send(d, key, `{}`); code(err) != capabilities.OpIDInvalid {
			t.Errorf("the key %q: %v", key, err)
		}
	}
	if f.calls.Load() != 0 {
		t.Error("the server was called")
	}
}

func TestWhatIsOpenStaysOpenWhenARepeatDoesNotBegin(t *testing.T) {
	d, f := door(t, capabilities.HintFacts{Idempotent: capabilities.HintFact{Value: capabilities.Yes}})
	maybe := capabilities.Refuse(capabilities.Unavailable, "it died")
	maybe.MaybeApplied = true
	for _, err := range []error{maybe, capabilities.Refuse(capabilities.Unavailable, "down")} {
		f.fails(err)
		if _, err := send(d, "k", `{"x":1}`); err == nil {
			t.Fatal("the call is not refused")
		}
	}
	f.fails(nil)
	if _, err := send(d, "k", `{"x":2}`); code(err) != capabilities.OpIDInvalid {
		t.Errorf("the key of a call that may have been applied is free for another: %v", err)
	}
	if _, err := send(d, "k", `{"x":1}`); err != nil {
		t.Errorf("the same call again: %v", err)
	}
}

func TestDryRunLooksAtTheKey(t *testing.T) {
	d, f := door(t, capabilities.HintFacts{})
	if _, err := send(d, "k", `{"x":1}`); err != nil {
		t.Fatal(err)
	}
	_, err := d.Invoke(t.Context(), capabilities.Call{
		Name: "far__send", Arguments: json.RawMessage(`{"x":2}`), Principal: capabilities.OwnerPrincipal(), Operation: capabilities.Operation{ID: "k", DryRun: true},
	})
	if code(err) != capabilities.OpIDInvalid || f.calls.Load() != 1 {
		t.Errorf("a dry run with the key of another call: %v", err)
	}
}
