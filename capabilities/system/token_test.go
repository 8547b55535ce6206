package system_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/capabilities/system"
	"github.com/seed-89b9419b/holotype/internal/audit"
	"github.com/seed-89b9419b/holotype/internal/config"
	"github.com/seed-89b9419b/holotype/internal/identity"
	"github.com/seed-89b9419b/holotype/internal/ledger"
	"github.com/seed-89b9419b/holotype/internal/store"
	"github.com/seed-89b9419b/holotype/internal/store/storetest"
)

// desk is the pack over a store with tokens, behind a door with all that keeps
// something of a call.
type desk struct {
	t      *testing.T
	db     *store.DB
	tokens *identity.Tokens
	audit  *audit.Log
	door   *capabilities.Door
}

func openDesk(t *testing.T, d storetest.Database) *desk {
	t.Helper()
	log := slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelDebug}))
	c := &config.Config{Seats: []config.Seat{{ID: "desk"}}, People: []config.Person{{ID: "ana"}}}
	k := &desk{t: t, db: d.Open(t, identity.Schema())}
	k.tokens = identity.New(identity.Options{
		Store: k.db, Now: time.Now, Config: func() *config.Config { return c }, Names: func() []string { return []string{"system"} },
	})
	var err error
	if k.audit, err = audit.Open(t.Context(), audit.Options{Engine: d.Engine(t), Log: log, Now: time.Now}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := k.audit.Close(); err != nil {
			t.Errorf("closing the audit: %v", err)
		}
	})
	reg, err := capabilities.Assemble(system.Pack.Bind(system.Deps{Store: k.db, Tokens: k.tokens, Calls: k.audit}))
	if err != nil {
		t.Fatal(err)
	}
	k.door = capabilities.NewDoor(capabilities.DoorOptions{
		Viewer: capabilities.NewViews(capabilities.NewLive(reg), capabilities.Scopes{}), Codes: reg.Codes(), Log: log, Now: time.Now,
		Interceptors: []capabilities.Interceptor{k.audit.Interceptor(), ledger.Interceptor(k.db, log)},
		Undeclared: func(c *capabilities.Capability, code capabilities.Code) {
			t.Errorf("%s answers %s, which it does not declare", c.Name(), code)
		},
	})
	return k
}

// call calls as a principal; nil is the owner.
func (k *desk) call(p *capabilities.Principal, name, in string, op capabilities.Operation, out any) error {
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

const dashboard = `{"name":"dashboard","scopes":["system:read","*:read"],"expires":"30d"}`

// The token is in the answer of the call that made it, and nowhere else: in no table, no
// file, no line of the log, and in the answer of no repeat and no dry run.
func TestTokenIsShownOnce(t *testing.T) {
	storetest.Each(t, func(t *testing.T, d storetest.Database) {
		k := openDesk(t, d)
		var dry, first, again system.NewToken
		if err := k.call(nil, "create_token", dashboard, capabilities.Operation{ID: "k", DryRun: true}, &dry); err != nil {
			t.Fatal(err)
		}
		if dry.Token != "" || !dry.DryRun || dry.ID == "" {
			t.Errorf("a dry run answers %+v", dry)
		}
		if err := k.call(nil, "create_token", dashboard, capabilities.Operation{ID: "k"}, &first); err != nil {
			t.Fatal(err)
		}
		if _, err := k.tokens.Principal(t.Context(), first.Token); err != nil {
			t.Fatalf("the token that is answered lets nobody in: %v", err)
		}
		if err := k.call(nil, "create_token", dashboard, capabilities.Operation{ID: "k"}, &again); err != nil {
			t.Fatal(err)
		}
		want := first
		want.Token, want.Replayed = "", true
		if d := cmp.Diff(want, again, cmpopts.EquateEmpty()); d != "" {
			t.Errorf("a repeat differs by more than the token (-want +got):\n%s", d)
		}
		var dryAgain system.NewToken
		if err := k.call(nil, "create_token", dashboard, capabilities.Operation{ID: "k", DryRun: true}, &dryAgain); err != nil || dryAgain.Token != "" {
			t.Errorf("a dry run of what was done answers %+v, %v", dryAgain, err)
		}
		var list capabilities.Page[system.TokenRow]
		if err := k.call(nil, "list_tokens", `{}`, capabilities.Operation{}, &list); err != nil || len(list.Items) != 1 {
			t.Fatalf("the list answers %+v, %v", list, err)
		}
		if d := cmp.Diff(first.TokenFacts, list.Items[0].TokenFacts); d != "" || list.Items[0].State != identity.Active || list.Items[0].CreatedBy != "owner" {
			t.Errorf("the list has %+v (-want +got):\n%s", list.Items[0], d)
		}
		everything := kept(t, k, d)
		if !bytes.Contains(everything, []byte(first.ID)) {
			t.Fatal("what is kept does not have the token's id: the test looks in the wrong place")
		}
		for what, secret := range map[string]string{"the token": first.Token, "what is random of it": strings.TrimPrefix(first.Token, "hlt_")} {
			if bytes.Contains(everything, []byte(secret)) {
				t.Errorf("%s is kept", what)
			}
		}
	})
}

// kept answers all that the store and the audit keep: what is exported, and every file.
func kept(t *testing.T, k *desk, d storetest.Database) []byte {
	t.Helper()
	if _, err := k.audit.List(t.Context(), audit.Query{Limit: 100}); err != nil { // so that all of it is written
		t.Fatal(err)
	}
	var exported bytes.Buffer
	if err := k.db.Export(t.Context(), &exported); err != nil {
		t.Fatal(err)
	}
	all := exported.Bytes()
	if d.Name != "sqlite" {
		return all
	}
	root := os.DirFS(filepath.Dir(d.At))
	err := fs.WalkDir(root, ".", func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		data, err := fs.ReadFile(root, name)
		all = append(all, data...)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// Tokens and calls are listed by pages, each of them once.
func TestListsByPages(t *testing.T) {
	k := openDesk(t, storetest.Database{Name: "sqlite", At: filepath.Join(t.TempDir(), "store.db")})
	for range 3 {
		if err := k.call(nil, "create_token", dashboard, capabilities.Operation{}, &system.NewToken{}); err != nil {
			t.Fatal(err)
		}
	}
	for name, in := range map[string]string{"list_tokens": `{"limit":1,"cursor":%q}`, "list_calls": `{"limit":1,"capability":"create_token","cursor":%q}`} {
		seen, cursor := map[string]bool{}, ""
		for range 3 {
			var page capabilities.Page[map[string]any]
			if err := k.call(nil, name, fmt.Sprintf(in, cursor), capabilities.Operation{}, &page); err != nil {
				t.Fatal(name, err)
			}
			if len(page.Items) != 1 {
				t.Fatalf("%s: a page has %d", name, len(page.Items))
			}
			seen[fmt.Sprint(page.Items[0]["id"])] = true
			cursor = page.NextCursor
		}
		if len(seen) != 3 || cursor != "" {
			t.Errorf("%s: three pages have %v, and then there is %q", name, seen, cursor)
		}
		var whole capabilities.Page[map[string]any]
		if err := k.call(nil, name, `{}`, capabilities.Operation{}, &whole); err != nil || len(whole.Items) < 3 {
			t.Errorf("%s: without a limit there are %d, %v", name, len(whole.Items), err)
		}
	}
}

func TestRevokeToken(t *testing.T) {
	k := openDesk(t, storetest.Database{Name: "sqlite", At: filepath.Join(t.TempDir(), "store.db")})
	var made system.NewToken
	if err := k.call(nil, "create_token", `{"name":"x","scopes":["*"],"seat":"desk"}`, capabilities.Operation{}, &made); err != nil {
		t.Fatal(err)
	}
	if _, err := k.tokens.Principal(t.Context(), made.Token); err != nil {
		t.Fatal(err)
	}
	id := `{"id":"` + made.ID + `"}`
	var dry, first, again system.RevokedToken
	if err := k.call(nil, "revoke_token", id, capabilities.Operation{DryRun: true}, &dry); err != nil || dry.Outcome != capabilities.Applied {
		t.Fatalf("a dry run answers %+v, %v", dry, err)
	}
	if _, err := k.tokens.Principal(t.Context(), made.Token); err != nil {
		t.Errorf("a dry run revokes it: %v", err)
	}
	if err := k.call(nil, "revoke_token", id, capabilities.Operation{}, &first); err != nil || first.Outcome != capabilities.Applied {
		t.Fatalf("revoking answers %+v, %v", first, err)
	}
	if _, err := k.tokens.Principal(t.Context(), made.Token); err == nil {
		t.Error("a revoked token lets somebody in")
	}
	if err := k.call(nil, "revoke_token", id, capabilities.Operation{}, &again); err != nil || again.Outcome != capabilities.Unchanged || again.RevokedAt != first.RevokedAt {
		t.Errorf("revoking once more answers %+v, %v", again, err)
	}
	err := k.call(nil, "revoke_token", `{"id":"`+made.Token+`"}`, capabilities.Operation{}, &again)
	if e, ok := capabilities.AsError(err); !ok || e.Code != capabilities.NotFound || strings.Contains(e.Message, made.Token) {
		t.Errorf("the token in place of its id is answered %v", err)
	}
}

// One key is one operation of whoever sends it: somebody else, and somebody who is called
// as the owner is, may send the same.
func TestKeysOfOthersAreOthers(t *testing.T) {
	k := openDesk(t, storetest.Database{Name: "sqlite", At: filepath.Join(t.TempDir(), "store.db")})
	all := []string{"*", "admin"}
	seen := map[string]bool{}
	for _, p := range []*capabilities.Principal{
		capabilities.OwnerPrincipal(), {ID: "owner", Kind: capabilities.Operator, Scopes: all}, {ID: "tok_1", Kind: capabilities.Operator, Scopes: all},
	} {
		var made system.NewToken
		if err := k.call(p, "create_token", dashboard, capabilities.Operation{ID: "k"}, &made); err != nil {
			t.Fatal(err)
		}
		if made.Replayed || seen[made.ID] {
			t.Errorf("%s %s is answered what another was", p.Kind, p.ID)
		}
		seen[made.ID] = true
	}
}

func TestTokensNeedTheScopeOfAdmin(t *testing.T) {
	k := openDesk(t, storetest.Database{Name: "sqlite", At: filepath.Join(t.TempDir(), "store.db")})
	p := &capabilities.Principal{ID: "ana", Kind: capabilities.Person, Scopes: []string{"*"}}
	for name, in := range map[string]string{"create_token": dashboard, "list_tokens": `{}`, "revoke_token": `{"id":"tok_1"}`} {
		var out map[string]any
		err := k.call(p, name, in, capabilities.Operation{}, &out)
		if e, ok := capabilities.AsError(err); !ok || e.Code != capabilities.Forbidden {
			t.Errorf("%s is answered %v, want forbidden", name, err)
		}
	}
}

func TestTokensAreAbsentWithoutAStore(t *testing.T) {
	reg, err := capabilities.Assemble(system.Pack.Bind(system.Deps{}))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"create_token", "list_tokens", "revoke_token"} {
		if _, there := reg.Find(name); there {
			t.Errorf("%s is there without a store", name)
		}
	}
}
