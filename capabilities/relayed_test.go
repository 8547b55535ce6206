package capabilities_test

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-89b9419b/holotype/capabilities"
)

func relayed(method string, hints capabilities.HintFacts) *capabilities.Capability {
	return capabilities.NewRelayed(capabilities.RelayedSpec{
		Server: "files", Prefix: "f_", Method: method, Hints: hints,
		Handler: func(context.Context, *capabilities.Invocation) (*capabilities.Result, error) {
			return &capabilities.Result{Structured: json.RawMessage(`{}`)}, nil
		},
	})
}

// A relayed method goes through the door and its gate as a call does, under a name with its
// server's prefix and the method. It is no tool.
func TestARelayedMethodIsNoTool(t *testing.T) {
	empty, err := capabilities.Assemble()
	if err != nil {
		t.Fatal(err)
	}
	live := capabilities.NewLive(empty)
	reads := capabilities.HintFacts{ReadOnly: capabilities.HintFact{Value: capabilities.Yes, From: capabilities.FromOverride}}
	live.Replace("", "files", []*capabilities.Capability{
		relayed(capabilities.RelayRead, reads), relayed(capabilities.RelayResources, reads), relayed(capabilities.RelayPrompts, capabilities.HintFacts{}), relayed(capabilities.RelayPrompt, capabilities.HintFacts{}),
	})
	views := capabilities.NewViews(live, capabilities.Scopes{})
	var noted []string
	door := capabilities.NewDoor(capabilities.DoorOptions{Viewer: views, Log: slog.New(slog.DiscardHandler), Now: time.Now, Interceptors: []capabilities.Interceptor{{
		Name: "notes", Stage: capabilities.StageAudit, Wrap: func(next capabilities.Handler) capabilities.Handler {
			return func(ctx context.Context, inv *capabilities.Invocation) (*capabilities.Result, error) {
				res, err := next(ctx, inv)
				noted = append(noted, inv.Capability.Name()+" of "+inv.Capability.Source()+" "+capabilities.EndedAs(err))
				return res, err
			}
		},
	}}})
	owner := capabilities.OwnerPrincipal()
	reader := &capabilities.Principal{ID: "r", Kind: capabilities.Person, Scopes: []string{"files:read"}}
	call := func(p *capabilities.Principal, name, method string) error {
		_, err := door.Invoke(t.Context(), capabilities.Call{Name: name, Method: method, Principal: p})
		return err
	}
	if err := call(owner, "f_resources/read", capabilities.RelayRead); err != nil {
		t.Error(err)
	}
	for _, method := range []string{"", capabilities.RelayPrompt} {
		if err := call(owner, "f_resources/read", method); !errors.Is(err, capabilities.ErrUnknownCapability) {
			t.Errorf("as %q it ends with %v", method, err)
		}
	}
	if e, ok := capabilities.AsError(call(reader, "f_prompts/get", capabilities.RelayPrompt)); !ok || e.Code != capabilities.Forbidden {
		t.Errorf("without its scope it ends with %v", e)
	}
	if d := cmp.Diff([]string{"f_resources/read of mcp:files ok", "f_prompts/get of mcp:files forbidden"}, noted); d != "" {
		t.Errorf("noted (-want +got)\n%s", d)
	}
	names := func(all []*capabilities.Capability) (names []string) {
		for _, c := range all {
			names = append(names, c.Name())
		}
		return names
	}
	v := views.View(reader)
	if d := cmp.Diff([][]string{nil, {"f_resources/list", "f_resources/read"}, {"f_prompts/get", "f_prompts/list"}}, [][]string{names(v.Listed), names(v.Relays), names(v.HiddenRelays)}); d != "" {
		t.Errorf("the view of a reader (-want +got)\n%s", d)
	}
	if n := len(slices.Collect(live.Registry().All())); n != 0 {
		t.Errorf("%d of them are tools", n)
	}
	if n := len(slices.Collect(live.Registry().Relays())); n != 4 {
		t.Errorf("%d are relayed", n)
	}
}

// What cannot be read is not listed: the rules about a list are those about what it lists.
func TestWhatIsListedCanBeHad(t *testing.T) {
	empty, err := capabilities.Assemble()
	if err != nil {
		t.Fatal(err)
	}
	live := capabilities.NewLive(empty)
	live.Replace("", "files", []*capabilities.Capability{relayed(capabilities.RelayRead, capabilities.HintFacts{}), relayed(capabilities.RelayResources, capabilities.HintFacts{}), relayed(capabilities.RelaySubscribe, capabilities.HintFacts{})})
	for denied, want := range map[string]int{"f_resources/read": 0, "f_resources/list": 2, "": 3} {
		v := capabilities.NewViews(live, denies(denied)).View(capabilities.OwnerPrincipal())
		if len(v.Relays) != want {
			t.Errorf("without %q there are %d, want %d", denied, len(v.Relays), want)
		}
	}
}

// What lists is no write, whatever is unknown of what it lists: it counts for no limit on
// writes and has no approval to wait for.
func TestAListIsNoWrite(t *testing.T) {
	for method, want := range map[string]bool{
		capabilities.RelayResources: false, capabilities.RelayTemplates: false, capabilities.RelayPrompts: false, capabilities.RelayComplete: false,
		capabilities.RelayRead: true, capabilities.RelayPrompt: true, capabilities.RelaySubscribe: true,
	} {
		if c := relayed(method, capabilities.HintFacts{}); c.Writes() != want || c.Lists() == want || capabilities.ReadOnlyProven(c) {
			t.Errorf("%s writes: %t, lists: %t", method, c.Writes(), c.Lists())
		}
	}
}

// denies is a gate that keeps everybody from one name.
type denies string

func (d denies) Decide(_ *capabilities.Principal, c *capabilities.Capability) *capabilities.Rule {
	if c.Name() == string(d) {
		return &capabilities.Rule{Reason: "denied", Message: "no"}
	}
	return nil
}

func TestLogLevels(t *testing.T) {
	r := &capabilities.LogReader{Level: "warning"}
	for level, want := range map[string]bool{"debug": false, "notice": false, "warning": true, "emergency": true, "loud": false, "": false} {
		if r.Wants(level) != want {
			t.Errorf("%q is told: %t", level, !want)
		}
	}
	if (*capabilities.LogReader)(nil).Wants("emergency") {
		t.Error("nobody is told")
	}
}
