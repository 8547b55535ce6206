package system_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/capabilities/system"
)

// later is a viewer of a registry that the pack is in itself.
type later struct{ capabilities.Viewer }

// looks is the pack alone and a tool of a server, with what is asked of them.
func looks(t *testing.T, surfaces []capabilities.SurfaceFacts) func(p *capabilities.Principal, name, in string, out any) error {
	t.Helper()
	viewer := &later{}
	reg, err := capabilities.Assemble(system.Pack.Bind(system.Deps{
		Viewer:   viewer,
		As:       func(context.Context, string) (*capabilities.Principal, error) { return reader, nil },
		Surfaces: func(*capabilities.Principal) []capabilities.SurfaceFacts { return surfaces },
		Servers:  func() []system.Server { return nil },
	}))
	if err != nil {
		t.Fatal(err)
	}
	far, err := capabilities.NewBridged(capabilities.BridgedSpec{
		Name: "far__look", Tool: "look", Server: "far", Input: json.RawMessage(`{"type":"object"}`),
		Handler: func(context.Context, *capabilities.Invocation) (*capabilities.Result, error) { return nil, nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	live := capabilities.NewLive(reg)
	live.Replace("", "far", []*capabilities.Capability{far})
	viewer.Viewer = capabilities.NewViews(live, capabilities.Scopes{})
	door := capabilities.NewDoor(capabilities.DoorOptions{Viewer: viewer, Codes: reg.Codes(), Log: slog.New(slog.DiscardHandler), Now: time.Now})
	return func(p *capabilities.Principal, name, in string, out any) error {
		res, err := door.Invoke(t.Context(), capabilities.Call{Name: name, Arguments: json.RawMessage(in), Principal: p, Surface: capabilities.InProcess})
		if err != nil {
			return err
		}
		return json.Unmarshal(res.Structured, out)
	}
}

// reader may look at what the pack has, and at nothing else.
var reader = &capabilities.Principal{ID: "ana", Kind: capabilities.Person, Scopes: []string{"system:read"}}

// Tools are chosen by where they come from and by what they say, as somebody sees them.
func TestToolsThatAreChosen(t *testing.T) {
	call := looks(t, nil)
	owner := capabilities.OwnerPrincipal()
	names := func(p *capabilities.Principal, in string) (all []string) {
		t.Helper()
		var page capabilities.Page[struct{ Name, Hidden string }]
		if err := call(p, "list_tools", in, &page); err != nil {
			t.Fatal(in, err)
		}
		for _, item := range page.Items {
			name := item.Name
			if item.Hidden != "" {
				name += ", hidden"
			}
			all = append(all, name)
		}
		return all
	}
	for in, want := range map[string][]string{
		`{"source":"mcp:far"}`:                                 {"far__look"},
		`{"source":"mcp:near"}`:                                nil,
		`{"contains":"FAR__"}`:                                 {"far__look"},
		`{"source":"builtin","contains":"far__"}`:              nil,
		`{"source":"mcp:far","as":"person:ana"}`:               nil,
		`{"source":"mcp:far","as":"person:ana","hidden":true}`: {"far__look, hidden"},
		`{"source":"builtin","contains":"list_tools"}`:         {"list_tools"},
		`{"contains":"list_tools","limit":1,"as":"owner"}`:     {"list_tools"},
	} {
		if diff := cmp.Diff(want, names(owner, in)); diff != "" {
			t.Errorf("%s (-want +got)\n%s", in, diff)
		}
	}
	for _, in := range []string{`{"as":"owner"}`, `{"hidden":true}`} {
		if e, ok := capabilities.AsError(call(reader, "list_tools", in, &struct{}{})); !ok || e.Code != capabilities.Forbidden {
			t.Errorf("%s of somebody without the scope is answered %v", in, e)
		}
	}
}

// A projection has what the surface costs that lists something, and counts what is hidden by
// its reason.
func TestProjectionsAreDescribed(t *testing.T) {
	call := looks(t, []capabilities.SurfaceFacts{
		{Surface: capabilities.MCP, Name: "acme", List: &capabilities.ListFacts{Tools: 2, Bytes: 900, Tokens: 200}},
		{Surface: capabilities.CLI, Name: "acme"},
	})
	var all, some system.Projection
	if err := call(capabilities.OwnerPrincipal(), "describe_projection", `{}`, &all); err != nil {
		t.Fatal(err)
	}
	if err := call(reader, "describe_projection", `{}`, &some); err != nil {
		t.Fatal(err)
	}
	if all.Bytes != 900 || all.Tokens != 200 || all.Discovery != nil || len(all.Surfaces) != 2 || len(all.Hidden) != 0 {
		t.Errorf("%+v", all)
	}
	if n := len(all.Tools) - len(some.Tools); n < 1 || some.Hidden[capabilities.ReasonScope] != n {
		t.Errorf("%d of %d are listed, and hidden are %v", len(some.Tools), len(all.Tools), some.Hidden)
	}
}
