package system_test

import (
	"bytes"
	"encoding/json"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/capabilities/system"
	"github.com/seed-89b9419b/holotype/internal/approval"
	"github.com/seed-89b9419b/holotype/internal/config"
	"github.com/seed-89b9419b/holotype/internal/gate"
	"github.com/seed-89b9419b/holotype/internal/ledger"
	"github.com/seed-89b9419b/holotype/internal/store"
	"github.com/seed-89b9419b/holotype/internal/store/storetest"
)

// counter is the pack over a store where a person approves what ben looks at.
type counter struct {
	t    *testing.T
	db   *store.DB
	desk *approval.Desk
	door *capabilities.Door
	log  bytes.Buffer
}

var ben = &capabilities.Principal{ID: "ben", Kind: capabilities.Person, Scopes: []string{"*", capabilities.ScopeAdmin}}

func openCounter(t *testing.T) *counter {
	t.Helper()
	path := filepath.Join(t.TempDir(), "config.yaml")
	if err := os.WriteFile(path, []byte("people: [{id: ben}]\nprincipals: [{id: person:ben, gate: {approve: [{tools: [get_approval, list_approvals]}]}}]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := config.Load(config.Options{Path: path})
	if err != nil {
		t.Fatal(err)
	}
	k := &counter{t: t, db: storetest.Open(t, approval.Schema())}
	log := slog.New(slog.NewTextHandler(io.MultiWriter(t.Output(), &k.log), nil))
	rules := gate.New(capabilities.Scopes{}, gate.Compile(c))
	k.desk = approval.New(approval.Options{Store: k.db, Rules: rules, Log: log, Now: time.Now, Program: "holotype"})
	reg, err := capabilities.Assemble(system.Pack.Bind(system.Deps{Store: k.db, Approvals: k.desk}))
	if err != nil {
		t.Fatal(err)
	}
	k.door = capabilities.NewDoor(capabilities.DoorOptions{
		Viewer: capabilities.NewViews(capabilities.NewLive(reg), rules), Codes: reg.Codes(), Log: log, Now: time.Now,
		Interceptors: []capabilities.Interceptor{k.desk.Interceptor(), ledger.Interceptor(k.db, log)},
		Undeclared: func(c *capabilities.Capability, code capabilities.Code) {
			t.Errorf("%s answers %s, which it does not declare", c.Name(), code)
		},
	})
	return k
}

// call calls as a principal; nil is the owner.
func (k *counter) call(p *capabilities.Principal, name, in string, op capabilities.Operation, out any) error {
	k.t.Helper()
	if p == nil {
		p = capabilities.OwnerPrincipal()
	}
	res, err := k.door.Invoke(k.t.Context(), capabilities.Call{
		Name: name, Arguments: json.RawMessage(in), Principal: p, Surface: capabilities.InProcess, Operation: op,
	})
	if err != nil {
		return err
	}
	return json.Unmarshal(res.Structured, out)
}

// asks has ben look at something, and answers the request for it.
func (k *counter) asks(id string) string {
	k.t.Helper()
	err := k.call(ben, "get_approval", `{"id":"`+id+`"}`, capabilities.Operation{}, nil)
	e, ok := capabilities.AsError(err)
	if !ok || e.Approval == nil {
		k.t.Fatalf("it is answered %v", err)
	}
	return e.Approval.ID
}

func (k *counter) list(in string) (page capabilities.Page[system.Approval]) {
	k.t.Helper()
	if err := k.call(nil, "list_approvals", in, capabilities.Operation{}, &page); err != nil {
		k.t.Fatal(err)
	}
	return page
}

func TestListApprovals(t *testing.T) {
	k := openCounter(t)
	want := map[string]bool{}
	for _, id := range []string{"a", "b", "c"} {
		want[k.asks(id)] = true
	}
	got := map[string]bool{}
	for cursor, pages := "", 1; ; pages++ {
		in, err := json.Marshal(map[string]any{"limit": 1, "cursor": cursor})
		if err != nil {
			t.Fatal(err)
		}
		page := k.list(string(in))
		for _, a := range page.Items {
			got[a.ID] = true
			if a.State != approval.Pending || a.Principal != "person:ben" || a.Effect != "read/local" || a.Asserts != "reads" || a.Rule != "principals[0].gate.approve[0]" {
				t.Errorf("a row is %+v", a)
			}
		}
		if cursor = page.NextCursor; cursor == "" {
			if pages != 3 {
				t.Errorf("there are %d pages", pages)
			}
			break
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	for _, state := range []string{"approved", "denied", "used", "expired"} {
		if n := len(k.list(`{"state":"` + state + `"}`).Items); n != 0 {
			t.Errorf("%d are %s", n, state)
		}
	}
	var page capabilities.Page[system.Approval]
	err := k.call(nil, "list_approvals", `{"state":"gone"}`, capabilities.Operation{}, &page)
	if e, ok := capabilities.AsError(err); !ok || e.Code != capabilities.Invalid {
		t.Errorf("a state there is not is answered %v", err)
	}
}

func TestDecideApproval(t *testing.T) {
	k := openCounter(t)
	id := k.asks("a")
	yes := `{"id":"` + id + `","decision":"approve"}`
	var dry, first, again, same system.DecidedApproval
	if err := k.call(nil, gate.Decision, yes, capabilities.Operation{DryRun: true}, &dry); err != nil || !dry.DryRun || dry.State != approval.Approved {
		t.Fatalf("a dry run answers %+v, %v", dry, err)
	}
	if k.asks("a") != id || len(k.list(`{}`).Items) != 1 {
		t.Error("a dry run decides")
	}
	if err := k.call(nil, gate.Decision, yes, capabilities.Operation{ID: "k"}, &first); err != nil || first.Outcome != capabilities.Applied || first.DecidedBy != "owner" || first.Principal != "person:ben" {
		t.Fatalf("it answers %+v, %v", first, err)
	}
	if err := k.call(nil, gate.Decision, yes, capabilities.Operation{ID: "k"}, &again); err != nil || !again.Replayed {
		t.Errorf("its repeat answers %+v, %v", again, err)
	}
	if err := k.call(nil, gate.Decision, yes, capabilities.Operation{}, &same); err != nil || same.Outcome != capabilities.Unchanged {
		t.Errorf("the same decision answers %+v, %v", same, err)
	}
	if n := strings.Count(k.log.String(), "msg=approval_decided"); n != 2 { // not of the dry run and the repeat
		t.Errorf("the log says %d times that it is decided", n)
	}
	var shown system.Approval
	if err := k.call(nil, "get_approval", `{"id":"`+id+`"}`, capabilities.Operation{}, &shown); err != nil || shown.State != approval.Approved || shown.DecidedAt == "" || string(shown.Arguments) != `{"id":"a"}` {
		t.Errorf("it is shown as %+v, %v", shown, err)
	}
	for name, c := range map[string]struct {
		by   *capabilities.Principal
		in   string
		code capabilities.Code
	}{
		"one's own":          {ben, yes, capabilities.Forbidden},
		"without the scope":  {&capabilities.Principal{ID: "eve", Kind: capabilities.Person, Scopes: []string{"*"}}, yes, capabilities.Forbidden},
		"from a seat":        {&capabilities.Principal{ID: "s", Kind: capabilities.Seat, Seat: "s", Scopes: []string{"*", "admin"}}, yes, capabilities.Forbidden},
		"a request that isn": {nil, `{"id":"apr_x","decision":"deny"}`, capabilities.NotFound},
		"neither":            {nil, `{"id":"` + id + `","decision":"maybe"}`, capabilities.Invalid},
	} {
		var out system.DecidedApproval
		if e, ok := capabilities.AsError(k.call(c.by, gate.Decision, c.in, capabilities.Operation{}, &out)); !ok || e.Code != c.code {
			t.Errorf("%s: %v, want %s", name, e, c.code)
		}
	}
	// Approved, ben's call runs, and is refused in its own words.
	err := k.call(ben, "get_approval", `{"id":"a"}`, capabilities.Operation{}, &shown)
	if e, ok := capabilities.AsError(err); !ok || e.Code != capabilities.NotFound {
		t.Errorf("approved, the call is answered %v", err)
	}
}

func TestApprovalsAreAbsentWithoutAStore(t *testing.T) {
	reg, err := capabilities.Assemble(system.Pack.Bind(system.Deps{}))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{gate.Decision, "list_approvals", "get_approval"} {
		if _, there := reg.Find(name); there {
			t.Errorf("%s is there without a store", name)
		}
	}
	if name := system.DecideApproval.Name(); name != gate.Decision {
		t.Errorf("the gate lets %s pass without an approval, and not %s", gate.Decision, name)
	}
}
