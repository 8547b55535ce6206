package capabilities_test

import (
	"testing"

	"github.com/seed-89b9419b/holotype/capabilities"
)

func TestScopesThatAreGranted(t *testing.T) {
	for _, c := range []struct {
		name           string
		scopes, within []string
		scope          string
		want           bool
	}{
		{"its own word", []string{"tracker:read"}, nil, "tracker:read", true},
		{"the read of a write", []string{"tracker:write"}, nil, "tracker:read", true},
		{"no write of a read", []string{"tracker:read"}, nil, "tracker:write", false},
		{"all of a name, of its write", []string{"tracker:write"}, nil, "tracker:*", true},
		{"all of a name, of its read", []string{"tracker:read"}, nil, "tracker:*", false},
		{"all of a name, of all", []string{"*"}, nil, "tracker:*", true},
		{"every read, of all of one name", []string{"tracker:*"}, nil, "*:read", false},
		{"every read, of every write", []string{"*:write"}, nil, "*:read", true},
		{"every write, of every read", []string{"*:read"}, nil, "*:write", false},
		{"all, of every read", []string{"*:read"}, nil, "*", false},
		{"all, of every write", []string{"*:write"}, nil, "*", true},
		{"all, of admin", []string{"admin"}, nil, "*", false},
		{"admin, of all", []string{"*"}, nil, "admin", false},
		{"a name that begins like another", []string{"tracker:*"}, nil, "track:read", false},
		{"a name with a colon", []string{"a:b:read"}, nil, "a:b:read", true},
		{"a limit that has it", []string{"*"}, []string{"tracker:read"}, "tracker:read", true},
		{"a limit that has less", []string{"*"}, []string{"tracker:read"}, "tracker:write", false},
		{"a limit that has more", []string{"tracker:read"}, []string{"*", "admin"}, "tracker:write", false},
		{"a limit of nothing", []string{"*", "admin"}, []string{}, "tracker:read", false},
		{"admin that the limit lacks", []string{"*", "admin"}, []string{"*"}, "admin", false},
		{"admin that both have", []string{"admin"}, []string{"admin"}, "admin", true},
		{"what is for anyone", []string{}, []string{}, capabilities.ScopeAnyone, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := &capabilities.Principal{ID: "x", Kind: capabilities.Operator, Scopes: c.scopes, Within: c.within}
			if got := p.Has(c.scope); got != c.want {
				t.Errorf("%v within %v has %s: %t, want %t", c.scopes, c.within, c.scope, got, c.want)
			}
		})
	}
	var nobody *capabilities.Principal
	if nobody.Has("*:read") || nobody.Has(capabilities.ScopeAnyone) {
		t.Error("nobody has a scope")
	}
}

// One id names several principals, which must not share what is kept by principal.
func TestKeysOfPrincipalsOfOneID(t *testing.T) {
	seen := map[string]capabilities.PrincipalKind{}
	for _, kind := range []capabilities.PrincipalKind{capabilities.Owner, capabilities.Person, capabilities.Seat, capabilities.Operator} {
		p := &capabilities.Principal{ID: "owner", Kind: kind}
		if other, taken := seen[p.Key()]; taken {
			t.Errorf("%s and %s have the key %q", kind, other, p.Key())
		}
		seen[p.Key()] = kind
	}
	if key := capabilities.OwnerPrincipal().Key(); key != "owner" {
		t.Errorf("the owner's key is %q: what its calls are kept by would be another's", key)
	}
}

// Two tokens of one seat that may do different things have views of their own.
func TestViewsOfTokensOfOneSeat(t *testing.T) {
	reg, err := capabilities.Assemble(newPackOfReads(t))
	if err != nil {
		t.Fatal(err)
	}
	views := capabilities.NewViews(capabilities.NewLive(reg), capabilities.Scopes{})
	all := &capabilities.Principal{ID: "s", Kind: capabilities.Seat, Seat: "s", Scopes: []string{"*"}, Credential: "tok_1"}
	none := &capabilities.Principal{ID: "s", Kind: capabilities.Seat, Seat: "s", Scopes: []string{"*"}, Within: []string{}, Credential: "tok_2"}
	if got := len(views.View(all).Listed); got != 1 {
		t.Errorf("the token without a limit sees %d capabilities, want 1", got)
	}
	if got := len(views.View(none).Listed); got != 0 {
		t.Errorf("the token within nothing sees %d capabilities, want none", got)
	}
}

// Lists of equal names are told apart by the seat: its own tools may have the names of another's.
// An address that serves one group serves it, and no other.
func TestViewsOfSeatsAndGroups(t *testing.T) {
	reg, err := capabilities.Assemble(newPackOfReads(t))
	if err != nil {
		t.Fatal(err)
	}
	one, _ := reg.Find("one")
	views := capabilities.NewViews(capabilities.NewLive(reg), capabilities.Scopes{})
	seat := func(name string) *capabilities.Principal {
		return &capabilities.Principal{ID: name, Kind: capabilities.Seat, Seat: name, Scopes: []string{"*"}}
	}
	if a, b := views.View(seat("a")).Digest, views.View(seat("b")).Digest; a == b {
		t.Errorf("the lists of two seats have the digest %s", a)
	}
	for group, want := range map[string]int{"": 1, one.Group(): 1, "other": 0} {
		if got := len(views.View(seat("a").Narrowed(capabilities.Narrowing{Group: group})).Listed); got != want {
			t.Errorf("of the group %q %d capabilities are served, want %d", group, got, want)
		}
	}
}

func newPackOfReads(t *testing.T) capabilities.Bound {
	t.Helper()
	p := newPack(t)
	capabilities.Declare(p, capabilities.Spec{
		Name: "one", Title: "One", Summary: "Read one thing.", Effect: capabilities.Read(capabilities.Local), Route: "GET /one/{id}",
	}, handler[queryInput])
	return p.Bind(deps{})
}

type queryInput struct {
	ID string `json:"id" jsonschema_description:"x"`
}

func BenchmarkHas(b *testing.B) {
	p := &capabilities.Principal{ID: "x", Kind: capabilities.Operator, Scopes: []string{"system:read", "tracker:*"}, Within: []string{"*"}}
	b.ReportAllocs()
	for b.Loop() {
		if !p.Has("tracker:write") {
			b.Fatal("it has the scope")
		}
	}
}
