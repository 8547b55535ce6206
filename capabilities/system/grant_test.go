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
	"github.com/seed-89b9419b/holotype/internal/config"
	"github.com/seed-89b9419b/holotype/internal/gate"
	"github.com/seed-89b9419b/holotype/internal/grant"
	"github.com/seed-89b9419b/holotype/internal/ledger"
	"github.com/seed-89b9419b/holotype/internal/store"
	"github.com/seed-89b9419b/holotype/internal/store/storetest"
)

type (
	shopDeps struct{}
	nothing  struct{}
)

// office is the pack over a store with grants, behind a door with a gate, beside tools
// that can be granted.
type office struct {
	*desk
	live *capabilities.Live
	gate *gate.Gate
}

func openOffice(t *testing.T, d storetest.Database) *office {
	t.Helper()
	log := slog.New(slog.NewTextHandler(t.Output(), nil))
	k := &office{desk: &desk{t: t, db: d.Open(t, grant.Schema())}}
	k.gate = gate.New(capabilities.Scopes{}, gate.Compile(&config.Config{Seats: []config.Seat{{ID: "desk"}}}))
	grants := grant.New(grant.Options{
		Store: k.db, Log: log, Now: time.Now,
		Ended: func(*store.Reader, string, store.Position) (bool, error) { return false, nil },
		There: func(context.Context, grant.Holder) bool { return true },
		Put: func(all []grant.Grant) {
			var some []gate.Grant
			for _, g := range all {
				some = append(some, gate.Grant{Kind: g.Holder.Kind, ID: g.Holder.ID, Capability: g.Capability, Until: g.ExpiresAt})
			}
			k.gate.PutGrants(gate.CompileGrants(some, time.Now))
			k.live.Renew()
		},
	})
	shop := capabilities.NewPack[shopDeps](capabilities.PackInfo{Name: "shop", Title: "Shop", Summary: "Sell things."})
	capabilities.Declare(shop, capabilities.Spec{
		Name: "add_ware", Title: "Add ware", Summary: "Add one.", Route: "POST /wares", Effect: capabilities.Append(capabilities.Shared),
		Aliases: []capabilities.Alias{{Name: "put_ware", Since: "1", Until: "3"}},
	}, func(context.Context, shopDeps, nothing) (nothing, error) { return nothing{}, nil })
	late := &viewsOfLater{}
	reg, err := capabilities.Assemble(shop.Bind(shopDeps{}), system.Pack.Bind(system.Deps{Viewer: late, Store: k.db, Grants: grants, Judge: k.gate.Judge}))
	if err != nil {
		t.Fatal(err)
	}
	k.live = capabilities.NewLive(reg)
	late.Views = capabilities.NewViews(k.live, k.gate)
	k.door = capabilities.NewDoor(capabilities.DoorOptions{
		Viewer: late.Views, Codes: reg.Codes(), Log: log, Now: time.Now, Interceptors: []capabilities.Interceptor{ledger.Interceptor(k.db, log)},
		Undeclared: func(c *capabilities.Capability, code capabilities.Code) {
			t.Errorf("%s answers %s, which it does not declare", c.Name(), code)
		},
	})
	return k
}

// viewsOfLater are the views of a pack that is bound before there are any.
type viewsOfLater struct{ *capabilities.Views }

func (k *office) refused(p *capabilities.Principal, name, in string) capabilities.Code {
	k.t.Helper()
	var out json.RawMessage
	err := k.call(p, name, in, capabilities.Operation{}, &out)
	if e, ok := capabilities.AsError(err); ok {
		return e.Code
	}
	if err != nil {
		k.t.Fatal(err)
	}
	return ""
}

// Asking and deciding are writes like others: tried in a dry run they change nothing, and
// sent again with their key they happen once. A tool is asked for by any of its names, and
// granted under all of them.
func TestGrantsOfThePack(t *testing.T) {
	storetest.Each(t, func(t *testing.T, d storetest.Database) {
		k := openOffice(t, d)
		seat := &capabilities.Principal{ID: "desk", Kind: capabilities.Seat, Seat: "desk", Scopes: []string{"shop:read"}, Credential: "tok_1"}
		narrowed := seat.Narrowed(capabilities.Narrowing{Group: "system"})
		ask := `{"capability":"put_ware","why":"to sell","hours":2}`
		var dry, first, replayed, again system.CapabilityRequestReceipt
		for _, step := range []struct {
			p   *capabilities.Principal
			in  string
			op  capabilities.Operation
			out *system.CapabilityRequestReceipt
		}{
			{seat, ask, capabilities.Operation{ID: "k", DryRun: true}, &dry},
			{narrowed, ask, capabilities.Operation{ID: "k"}, &first},
			{seat, ask, capabilities.Operation{ID: "k"}, &replayed},
			{seat, `{"capability":"add_ware","why":"in other words"}`, capabilities.Operation{}, &again},
		} {
			if err := k.call(step.p, "request_capability", step.in, step.op, step.out); err != nil {
				t.Fatalf("%s: %v", step.in, err)
			}
		}
		if !dry.DryRun || dry.Outcome != capabilities.Applied || first.Outcome != capabilities.Applied || first.Capability != "add_ware" || !replayed.Replayed || again.Outcome != capabilities.Unchanged {
			t.Errorf("answered %+v, %+v, %+v, %+v", dry, first, replayed, again)
		}
		var rows capabilities.Page[system.CapabilityRequestRow]
		if err := k.call(seat, "list_capability_requests", `{"status":"pending","limit":1}`, capabilities.Operation{}, &rows); err != nil {
			t.Fatal(err)
		}
		want := []system.CapabilityRequestRow{{
			ID: first.ID, Capability: "add_ware", Principal: "seat:desk", Credential: "tok_1", Why: "to sell", Hours: 2, Status: grant.Pending, AskedAt: rows.Items[0].AskedAt,
		}}
		if diff := cmp.Diff(want, rows.Items); diff != "" || again.ID != first.ID {
			t.Errorf("the requests (-want +got):\n%s", diff)
		}
		decide := `{"id":"` + first.ID + `","decision":"grant","hours":1,"reason":"sell"}`
		var tried, decided, repeated system.DecidedCapabilityRequest
		if err := k.call(nil, "decide_capability_request", decide, capabilities.Operation{DryRun: true}, &tried); err != nil || k.refused(seat, "add_ware", `{}`) != capabilities.Forbidden {
			t.Errorf("a dry run of the decision: %+v, %v", tried, err)
		}
		// An assistant that the owner's credential lets into a seat is in that seat.
		seated := capabilities.OwnerPrincipal()
		seated.Seat = "desk"
		for _, in := range []string{decide, `{"id":"` + first.ID + `","decision":"deny"}`} {
			if code := k.refused(seated, "decide_capability_request", in); code != capabilities.Forbidden {
				t.Errorf("from a seat, %s is answered %q", in, code)
			}
		}
		if err := k.call(nil, "decide_capability_request", decide, capabilities.Operation{ID: "d"}, &decided); err != nil {
			t.Fatal(err)
		}
		if err := k.call(nil, "decide_capability_request", decide, capabilities.Operation{}, &repeated); err != nil || repeated.Outcome != capabilities.Unchanged || repeated.Grant != decided.Grant || repeated.ExpiresAt != decided.ExpiresAt {
			t.Errorf("decided again it is %+v, %v, and was %+v", repeated, err, decided)
		}
		for _, name := range []string{"add_ware", "put_ware"} {
			if code := k.refused(seat, name, `{}`); code != "" {
				t.Errorf("%s is refused with %s", name, code)
			}
			if code := k.refused(seat, "request_capability", `{"capability":"`+name+`","why":"x"}`); code != capabilities.Exists {
				t.Errorf("asking for %s is answered %q", name, code)
			}
		}
		if code := k.refused(nil, "decide_capability_request", `{"id":"`+first.ID+`","decision":"deny"}`); code != capabilities.Conflict {
			t.Errorf("the other decision is answered %q", code)
		}
		// What is sent again with its key is answered as it was, also when it would be refused now.
		if err := k.call(seat, "request_capability", ask, capabilities.Operation{ID: "k"}, &replayed); err != nil || !replayed.Replayed || replayed.ID != first.ID {
			t.Errorf("sent again it is answered %+v, %v", replayed, err)
		}
		var gone system.RevokedGrant
		if err := k.call(nil, "revoke_grant", `{"id":"`+decided.Grant+`"}`, capabilities.Operation{DryRun: true}, &gone); err != nil || k.refused(seat, "add_ware", `{}`) != "" {
			t.Errorf("a dry run of revoking: %+v, %v", gone, err)
		}
		if err := k.call(nil, "revoke_grant", `{"id":"`+decided.Grant+`"}`, capabilities.Operation{}, &gone); err != nil || gone.Capability != "add_ware" || k.refused(seat, "add_ware", `{}`) != capabilities.Forbidden {
			t.Errorf("revoked: %+v, %v", gone, err)
		}
		var grants capabilities.Page[system.GrantRow]
		if err := k.call(nil, "list_grants", `{}`, capabilities.Operation{}, &grants); err != nil {
			t.Fatal(err)
		}
		wanted := []system.GrantRow{{
			ID: decided.Grant, Request: first.ID, Capability: "add_ware", Principal: "seat:desk", State: grant.WasRevoked, GivenAt: grants.Items[0].GivenAt, GivenBy: "owner",
			ExpiresAt: decided.ExpiresAt, EndedAt: gone.EndedAt, EndedBy: "owner",
		}}
		if diff := cmp.Diff(wanted, grants.Items); diff != "" {
			t.Errorf("the grants (-want +got):\n%s", diff)
		}
	})
}

func TestGrantsAreAbsentWithoutAStore(t *testing.T) {
	reg, err := capabilities.Assemble(system.Pack.Bind(system.Deps{}))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"request_capability", "list_capability_requests", "decide_capability_request", "list_grants", "revoke_grant"} {
		if _, there := reg.Find(name); there {
			t.Errorf("%s is there without a store", name)
		}
	}
}
