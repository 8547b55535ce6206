package capabilities_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-89b9419b/holotype/capabilities"
)

func fixturePack(t *testing.T) *capabilities.Pack[deps] {
	t.Helper()
	p := newPack(t)
	capabilities.Declare(p, echoSpec(), echo)
	return p
}

func call(args string) capabilities.Call {
	return capabilities.Call{Name: "echo", Arguments: json.RawMessage(args), Principal: capabilities.OwnerPrincipal(), Surface: capabilities.InProcess, RequestID: "r1"}
}

func TestDoorAnswersWithDefaultsAndEmptyCollections(t *testing.T) {
	d, _ := door(t, capabilities.DoorOptions{}, fixturePack(t).Bind(deps{greet: "hi "}))
	cases := []struct{ name, args, want string }{
		{"defaults", `{"text":"x"}`, `{"said":"hi x","times":2,"tags":[],"notes":{},"big":0}`},
		{"explicit zero beats no default", `{"text":"x","big":0,"tags":[]}`, `{"said":"hi x","times":2,"tags":[],"notes":{},"big":0}`},
		{"beyond 2^53", `{"text":"x","big":9007199254740993}`, `{"said":"hi x","times":2,"tags":[],"notes":{},"big":9007199254740993}`},
		{"no HTML escaping", `{"text":"<&>"}`, `{"said":"hi <&>","times":2,"tags":[],"notes":{},"big":0}`},
	}
	for _, c := range cases {
		res, err := d.Invoke(t.Context(), call(c.args))
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if got := string(res.Structured); got != c.want {
			t.Errorf("%s: got %s want %s", c.name, got, c.want)
		}
	}
}

func TestDoorRefusals(t *testing.T) {
	var undeclared []capabilities.Code
	var log bytes.Buffer
	d, _ := door(t, capabilities.DoorOptions{Log: slog.New(slog.NewTextHandler(&log, nil)), Undeclared: func(_ *capabilities.Capability, c capabilities.Code) { undeclared = append(undeclared, c) }},
		fixturePack(t).Bind(deps{}))
	reader := &capabilities.Principal{ID: "r", Kind: capabilities.Operator, Scopes: []string{"fix:read"}}
	cases := []struct {
		name string
		call capabilities.Call
		code capabilities.Code
	}{
		{"unknown name", capabilities.Call{Name: "nope", Principal: capabilities.OwnerPrincipal()}, capabilities.NotFound},
		{"no credential", capabilities.Call{Name: "echo"}, capabilities.Unauthenticated},
		{"no scope", capabilities.Call{Name: "echo", Principal: reader}, capabilities.Forbidden},
		{"missing", call(`{}`), capabilities.Invalid},
		{"unknown field", call(`{"text":"x","txt":1}`), capabilities.Invalid},
		{"duplicate key", call(`{"text":"x","text":"y"}`), capabilities.Invalid},
		{"not an object", call(`[1]`), capabilities.Invalid},
		{"not JSON", call(`{`), capabilities.Invalid},
		{"integer out of the type's range", call(`{"text":"x","big":1e30}`), capabilities.Invalid},
		{"too large", call(`{"text":"` + strings.Repeat("x", capabilities.MaxArguments) + `"}`), capabilities.TooLarge},
		{"65 levels", call(`{"tags":` + strings.Repeat("[", 64) + strings.Repeat("]", 64) + `}`), capabilities.Invalid},
		{"declared code", call(`{"text":"x","fail":"not_found"}`), capabilities.NotFound},
		{"undeclared code", call(`{"text":"x","fail":"undeclared"}`), capabilities.Exists},
		{"unmarked error", call(`{"text":"x","fail":"plain"}`), capabilities.InternalError},
		{"panic", call(`{"text":"x","fail":"panic"}`), capabilities.InternalError},
		{"operation key without a ledger", capabilities.Call{Name: "echo", Arguments: []byte(`{"text":"x"}`), Principal: capabilities.OwnerPrincipal(), Operation: capabilities.Operation{ID: "k"}}, capabilities.Unavailable},
		{"dry run without a ledger", capabilities.Call{Name: "echo", Arguments: []byte(`{"text":"x"}`), Principal: capabilities.OwnerPrincipal(), Operation: capabilities.Operation{DryRun: true}}, capabilities.Unavailable},
	}
	logged := map[string]string{"unmarked error": errPlain.Error(), "panic": "boom"}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			log.Reset()
			res, err := d.Invoke(t.Context(), c.call)
			e, ok := capabilities.AsError(err)
			if !ok || res != nil {
				t.Fatalf("got %v, %v", res, err)
			}
			if e.Code != c.code {
				t.Errorf("code %s (%s), want %s", e.Code, e.Message, c.code)
			}
			if strings.Contains(e.Message, errPlain.Error()) || strings.Contains(e.Message, "boom") {
				t.Errorf("the message shows what only the log may: %s", e.Message)
			}
			if words := logged[c.name]; words != "" && !strings.Contains(log.String(), words) {
				t.Errorf("the log does not say %q: %s", words, &log)
			}
			if c.code == capabilities.Invalid && len(e.Violations) == 0 {
				t.Errorf("invalid without a violation: %s", e.Message)
			}
		})
	}
	if d := cmp.Diff([]capabilities.Code{capabilities.Exists}, undeclared); d != "" {
		t.Errorf("undeclared codes (-want +got):\n%s", d)
	}
	_, err := d.Invoke(t.Context(), capabilities.Call{Name: "nope", Principal: capabilities.OwnerPrincipal()})
	if !errors.Is(err, capabilities.ErrUnknownCapability) {
		t.Errorf("a name in no view is not marked: %v", err)
	}
}

func TestDoorTellsOfNamesThatAreKnownAndAbsent(t *testing.T) {
	door, _ := door(t, capabilities.DoorOptions{
		Absent: func(p *capabilities.Principal, name string) *capabilities.Error {
			if name == "soon__x" && p.Has("soon:read") {
				return capabilities.Refuse(capabilities.Unavailable, "it is starting")
			}
			return nil
		},
	}, fixturePack(t).Bind(deps{}))
	for _, tc := range []struct {
		name, called string
		who          *capabilities.Principal
		code         capabilities.Code
		unknown      bool
	}{
		{"known", "soon__x", capabilities.OwnerPrincipal(), capabilities.Unavailable, false},
		{"unknown", "other__x", capabilities.OwnerPrincipal(), capabilities.NotFound, true},
		{"known, to nobody", "soon__x", nil, capabilities.NotFound, true},
	} {
		_, err := door.Invoke(t.Context(), capabilities.Call{Name: tc.called, Principal: tc.who})
		if e, ok := capabilities.AsError(err); !ok || e.Code != tc.code || errors.Is(err, capabilities.ErrUnknownCapability) != tc.unknown {
			t.Errorf("%s: %v", tc.name, err)
		}
	}
}

func TestUnmarkedErrorsAreLoggedWithTheirPlace(t *testing.T) {
	var log bytes.Buffer
	d, _ := door(t, capabilities.DoorOptions{Log: slog.New(slog.NewTextHandler(&log, nil))}, fixturePack(t).Bind(deps{}))
	if _, err := d.Invoke(t.Context(), call(`{"text":"secret words","fail":"plain"}`)); err == nil {
		t.Fatal("no error")
	}
	for _, want := range []string{"capability_failed", "door_test.go:", "r1", errPlain.Error()} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("the log lacks %q: %s", want, log.String())
		}
	}
	if strings.Contains(log.String(), "secret words") {
		t.Errorf("the log holds arguments: %s", log.String())
	}
}

func TestEveryCallHasADeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, _ := door(t, capabilities.DoorOptions{Timeout: time.Minute}, fixturePack(t).Bind(deps{}))
		start := time.Now()
		_, err := d.Invoke(t.Context(), call(`{"text":"x","fail":"wait"}`))
		e, _ := capabilities.AsError(err)
		if e == nil || e.Code != capabilities.UnknownOutcome || time.Since(start) != time.Minute {
			t.Errorf("a write that was stopped after %v answered %v", time.Since(start), err)
		}
	})
}

func TestInterceptorsRunInTheFixedOrder(t *testing.T) {
	var order []string
	at := func(name string, stage capabilities.Stage) capabilities.Interceptor {
		return capabilities.Interceptor{Name: name, Stage: stage, Wrap: func(next capabilities.Handler) capabilities.Handler {
			return func(ctx context.Context, inv *capabilities.Invocation) (*capabilities.Result, error) {
				order = append(order, name)
				return next(ctx, inv)
			}
		}}
	}
	d, _ := door(t, capabilities.DoorOptions{Interceptors: []capabilities.Interceptor{
		at("ledger", capabilities.StageLedger), at("gate", capabilities.StageGate), at("audit", capabilities.StageAudit), at("audit2", capabilities.StageAudit),
	}}, fixturePack(t).Bind(deps{}))
	if _, err := d.Invoke(t.Context(), call(`{"text":"x"}`)); err != nil {
		t.Fatal(err)
	}
	if want := []string{"audit", "audit2", "gate", "ledger"}; !slices.Equal(order, want) {
		t.Errorf("order %v, want %v", order, want)
	}
	if !d.Ledgered() {
		t.Error("a door with a ledger says it has none")
	}
}

func TestProgressReachesTheCallerThatAsked(t *testing.T) {
	d, _ := door(t, capabilities.DoorOptions{}, fixturePack(t).Bind(deps{}))
	var got []capabilities.Progress
	c := call(`{"text":"x","fail":"progress"}`)
	c.Progress = func(p capabilities.Progress) { got = append(got, p) }
	if _, err := d.Invoke(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	if want := []capabilities.Progress{{Value: 1, Total: 2, Message: "half"}}; !slices.Equal(got, want) {
		t.Errorf("progress %v, want %v", got, want)
	}
	if _, err := d.Invoke(t.Context(), call(`{"text":"x","fail":"progress"}`)); err != nil {
		t.Errorf("a caller that did not ask: %v", err)
	}
}

func TestPackCodesTakeTheStatusOfTheirBase(t *testing.T) {
	p := newPack(t)
	full := p.Code("inbox_full", capabilities.Conflict, "the inbox is full", "empty it")
	s := echoSpec()
	s.Refuses = capabilities.Codes{full}
	capabilities.Declare(p, s, func(context.Context, deps, EchoInput) (EchoOutput, error) {
		return EchoOutput{}, capabilities.Refuse(full, "the inbox of x is full")
	})
	d, _ := door(t, capabilities.DoorOptions{}, p.Bind(deps{}))
	_, err := d.Invoke(t.Context(), call(`{"text":"x"}`))
	e, _ := capabilities.AsError(err)
	if e == nil || e.Code != "inbox_full" || e.Info().Status != 409 || e.Info().Exit != 5 || e.Info().Base != capabilities.Conflict {
		t.Errorf("got %v %+v", err, e.Info())
	}
}

func TestHandleCallsWithTypes(t *testing.T) {
	p := newPack(t)
	h := capabilities.Declare(p, echoSpec(), echo)
	d, _ := door(t, capabilities.DoorOptions{}, p.Bind(deps{greet: "hi "}))
	out, err := h.Call(t.Context(), d, capabilities.OwnerPrincipal(), EchoInput{Text: "x", Big: 1 << 62})
	if err != nil || out.Said != "hi x" || out.Big != 1<<62 {
		t.Errorf("got %+v, %v", out, err)
	}
	if _, err := h.Call(t.Context(), d, capabilities.OwnerPrincipal(), EchoInput{}); err == nil {
		t.Error("an empty text passed")
	}
}

func TestViewsFilterByTheGateAndAreStable(t *testing.T) {
	d, live := door(t, capabilities.DoorOptions{}, fixturePack(t).Bind(deps{}))
	_ = d
	views := capabilities.NewViews(live, capabilities.Scopes{})
	reader := &capabilities.Principal{ID: "r", Kind: capabilities.Operator, Scopes: []string{"fix:read"}}
	owner := capabilities.OwnerPrincipal()
	if v := views.View(reader); len(v.Listed) != 0 || len(v.Hidden) != 1 || v.Hidden[0].Rule.Reason != capabilities.ReasonScope {
		t.Errorf("the reader's view: %+v", v)
	}
	first := views.View(owner)
	if first != views.View(capabilities.OwnerPrincipal()) {
		t.Error("two looks of one principal are two views")
	}
	changed := 0
	cancel := views.Subscribe(func() { changed++ })
	tool := bridged(t, capabilities.Hints{})
	live.Replace("", "far", []*capabilities.Capability{tool})
	if v := views.View(owner); len(v.Listed) != 2 || v.Digest == first.Digest {
		t.Errorf("after a swap: %d listed, digest %s before %s", len(v.Listed), v.Digest, first.Digest)
	}
	live.Replace("dev", "own", []*capabilities.Capability{tool})
	seat := &capabilities.Principal{ID: "s", Kind: capabilities.Seat, Seat: "dev", Scopes: []string{"*"}}
	if c, _, ok := views.Find(seat, "far__do"); !ok || c != tool {
		t.Errorf("the seat's own tool: %v %v", c, ok)
	}
	cancel()
	live.Replace("", "far", nil)
	if changed != 2 {
		t.Errorf("subscriber called %d times, want 2", changed)
	}
	if v := views.View(owner); len(v.Listed) != 1 {
		t.Errorf("after removal: %d listed", len(v.Listed))
	}
}

func TestScopes(t *testing.T) {
	cases := []struct {
		granted []string
		scope   string
		want    bool
	}{
		{[]string{"a:read"}, "a:read", true},
		{[]string{"a:read"}, "a:write", false},
		{[]string{"a:write"}, "a:read", true},
		{[]string{"a:*"}, "a:write", true},
		{[]string{"*:read"}, "b:read", true},
		{[]string{"*:read"}, "b:write", false},
		{[]string{"*"}, "b:write", true},
		{[]string{"*"}, "admin", false},
		{[]string{"admin"}, "admin", true},
		{[]string{"admin"}, "a:read", false},
		{nil, "a:read", false},
		{[]string{"x:y:read"}, "x:y:read", true},
	}
	for _, c := range cases {
		p := &capabilities.Principal{ID: "x", Kind: capabilities.Operator, Scopes: c.granted}
		if got := p.Has(c.scope); got != c.want {
			t.Errorf("%v has %s: %v, want %v", c.granted, c.scope, got, c.want)
		}
	}
}

func TestPaginateNeitherRepeatsNorHides(t *testing.T) {
	items := []string{"d", "a", "c", "b", "e"}
	id := func(s string) string { return s }
	var got []string
	in := capabilities.PageInput{Limit: 2}
	for {
		p, err := capabilities.Paginate(items, in, id)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, p.Items...)
		if in.Cursor = p.NextCursor; in.Cursor == "" {
			break
		}
		items = slices.DeleteFunc(items, func(s string) bool { return s == "b" }) // gone between the pages
	}
	if want := []string{"a", "b", "c", "d", "e"}; !slices.Equal(got, want) {
		t.Errorf("walked %v, want %v", got, want)
	}
	_, err := capabilities.Paginate(items, capabilities.PageInput{Cursor: "!"}, id)
	if e, ok := capabilities.AsError(err); !ok || e.Code != capabilities.Invalid {
		t.Errorf("a bad cursor answered %v", err)
	}
}

// What a surface refuses goes through the door, runs nothing and is answered as it is;
// whoever may not call at all learns that alone.
func TestDoorNotesWhatASurfaceRefuses(t *testing.T) {
	var noted []string
	ran := false
	pack := capabilities.NewPack[struct{}](capabilities.PackInfo{Name: "acts", Title: "Acts", Summary: "Acts."})
	capabilities.Declare(pack, capabilities.Spec{
		Name: "act", Title: "Act", Summary: "Act.", Effect: capabilities.Read(capabilities.Local), Route: "GET /act",
	}, func(context.Context, struct{}, actInput) (actOutput, error) {
		ran = true
		return actOutput{}, nil
	})
	reg, err := capabilities.Assemble(pack.Bind(struct{}{}))
	if err != nil {
		t.Fatal(err)
	}
	door := capabilities.NewDoor(capabilities.DoorOptions{
		Viewer: capabilities.NewViews(capabilities.NewLive(reg), capabilities.Scopes{}), Codes: reg.Codes(), Log: slog.New(slog.DiscardHandler), Now: time.Now,
		Interceptors: []capabilities.Interceptor{{Name: "audit", Stage: capabilities.StageAudit, Wrap: func(next capabilities.Handler) capabilities.Handler {
			return func(ctx context.Context, inv *capabilities.Invocation) (*capabilities.Result, error) {
				res, err := next(ctx, inv)
				e, _ := capabilities.AsError(err)
				noted = append(noted, inv.Capability.Name()+" "+string(e.Code))
				return res, err
			}
		}}},
	})
	own := capabilities.Refuse(capabilities.TooLarge, "too much")
	if _, err := door.Invoke(t.Context(), capabilities.Call{Name: "act", Principal: capabilities.OwnerPrincipal(), Refusal: own}); !errors.Is(err, own) {
		t.Errorf("answered %v", err)
	}
	stranger := &capabilities.Principal{ID: "ann", Kind: capabilities.Person}
	_, err = door.Invoke(t.Context(), capabilities.Call{Name: "act", Principal: stranger, Refusal: own})
	if e, ok := capabilities.AsError(err); !ok || e.Code != capabilities.Forbidden {
		t.Errorf("whoever may not call was answered %v", err)
	}
	_, err = door.Invoke(t.Context(), capabilities.Call{Name: "act", Principal: capabilities.OwnerPrincipal(), Operation: capabilities.Operation{DryRun: true}})
	if e, ok := capabilities.AsError(err); !ok || e.Code != capabilities.Invalid {
		t.Errorf("the dry run of a read was answered %v", err)
	}
	if want := []string{"act too_large", "act forbidden", "act invalid"}; !slices.Equal(noted, want) || ran {
		t.Errorf("noted %v, want %v; it ran: %t", noted, want, ran)
	}
}

type actInput struct{}

type actOutput struct {
	Text string `json:"text" jsonschema_description:"Text."`
}
