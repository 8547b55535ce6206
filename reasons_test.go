package holotype

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/gate"
	"github.com/seed-89b9419b/holotype/projection/cli"
	"github.com/seed-89b9419b/holotype/tests/fixture"
)

// firing is a state in which calls are refused for one reason.
type firing struct {
	config  string
	who     *capabilities.Principal // nil is a person who may do everything
	nobody  bool                    // without any credential
	address string                  // of MCP; "" is the one of all tools
	code    capabilities.Code
	about   func(c *capabilities.Capability) bool // which tools; nil is all
	says    string                                // part of the sentence
	// more is sent beside an example. key is an operation key, "" a fresh one where one is
	// needed.
	more, key string
	words     bool // each surface names what it has the key in
	// first is done before the calls of a tool.
	first func(t *testing.T, w *world, c *capabilities.Capability)
	// but are the surfaces that cannot carry the state.
	but []string

	sessions map[string]string // of MCP, by who opened them
}

func ada() *capabilities.Principal {
	return &capabilities.Principal{ID: "ada", Kind: capabilities.Person, Scopes: []string{"*", capabilities.ScopeAdmin}}
}

// firings answers a state for every reason of the gate.
func firings() map[string]firing {
	seat := func(id string) *capabilities.Principal {
		return &capabilities.Principal{ID: id, Kind: capabilities.Seat, Seat: id, Scopes: []string{"*", capabilities.ScopeAdmin}}
	}
	none := ada()
	none.Scopes = []string{}
	return map[string]firing{
		capabilities.ReasonNarrowed: {
			who: ada().Narrowed(capabilities.Narrowing{ReadOnly: true}), address: "/operator/mcp/readonly", code: capabilities.Forbidden, says: "is not served here",
			about: func(c *capabilities.Capability) bool {
				return c.Hints().ReadOnly != capabilities.Yes || c.Hints().Destructive == capabilities.Yes
			},
		},
		capabilities.ReasonScope: {who: none, code: capabilities.Forbidden, says: "scope", about: func(c *capabilities.Capability) bool { return c.Scope() != capabilities.ScopeAnyone }},
		gate.NoSeat:              {who: seat("gone"), code: capabilities.Forbidden, says: `the seat "gone", which is not configured`},
		gate.Off:                 {config: "gate: {off: [fixture, tracker, system]}\n", code: capabilities.Forbidden, says: "gate.off", about: func(c *capabilities.Capability) bool { return !c.Bridged() }},
		gate.Denied:              {config: "gate: {deny: [\"*\"]}\n", code: capabilities.Forbidden, says: "is denied"},
		gate.NotAllowed:          {config: "gate: {allow: [nothing_like_it]}\n", code: capabilities.Forbidden, says: "is not among what is allowed"},
		gate.NotReadOnly: {config: "gate: {read_only: true}\n", code: capabilities.Forbidden, says: "known to change nothing", about: func(c *capabilities.Capability) bool {
			return c.Hints().ReadOnly != capabilities.Yes || c.Hints().Destructive == capabilities.Yes
		}},
		gate.Destructive: {config: "gate: {no_destructive: true}\n", code: capabilities.Forbidden, says: "may change or remove what exists", about: func(c *capabilities.Capability) bool {
			reads := c.Hints().ReadOnly == capabilities.Yes && c.Hints().Destructive != capabilities.Yes
			return !reads && c.Hints().Destructive != capabilities.No
		}},
		gate.OpenWorld: {config: "gate: {no_open_world: true}\n", code: capabilities.Forbidden, says: "may touch what others read and write", about: func(c *capabilities.Capability) bool { return c.Hints().OpenWorld != capabilities.No }},
		gate.Refused:   {config: "gate: {refuse: [\"*\"]}\n", code: capabilities.Forbidden, says: "is refused"},
		gate.RateLimited: {
			config: "rate_limits: {calls_per_minute: 1}\n", code: capabilities.RateLimited, says: `the person "ada" is limited to 1 calls a minute`,
			first: func(t *testing.T, w *world, c *capabilities.Capability) {
				w.sendAct(t, c, `{"~":0}`, capabilities.NewRequestID())
			},
		},
		capabilities.ReasonApproval: {
			config: "gate: {approve: [{tools: [\"*\"]}]}\n", code: capabilities.ApprovalNeeded, says: "can decide",
			about: func(c *capabilities.Capability) bool { return c.Name() != gate.Decision },
		},
	}
}

// others answers states for the codes that are answered before a handler runs, and that
// are no reason of the gate.
func others() map[string]firing {
	const approved = "gate: {approve: [{tools: [\"*\"]}]}\n"
	builtin := func(c *capabilities.Capability) bool { return !c.Bridged() }
	writes := func(c *capabilities.Capability) bool { return !c.Bridged() && c.Writes() }
	// Whoever is asked on the command line is asked about a call whose arguments are right.
	read := func(c *capabilities.Capability) bool {
		return c.Name() != gate.Decision && (c.Bridged() || !c.Hints().AskFirst())
	}
	used := "" // the tool that the key was used for
	return map[string]firing{
		"nobody":          {nobody: true, code: capabilities.Unauthenticated, says: "credential"},
		"wrong arguments": {code: capabilities.Invalid, about: builtin, says: "~", more: `"~":0`},
		"a malformed key": {code: capabilities.OpIDInvalid, key: "a key", says: "visible ASCII", about: writes, words: true},
		"a key of another call": {
			code: capabilities.OpIDInvalid, key: "k1", says: "was used for", about: func(c *capabilities.Capability) bool { return writes(c) && c.Name() != used },
			first: func(t *testing.T, w *world, c *capabilities.Capability) {
				for other := range w.e.registry.All() {
					if used != "" {
						return
					}
					if !writes(other) || other.Name() == c.Name() {
						continue
					}
					if w.sendAct(t, other, w.exampleOf(other), "k1").Code == "" {
						used = other.Name()
					}
				}
				t.Fatal("no write is carried out")
			},
		},
		"too much to read": {config: approved, code: capabilities.TooLarge, says: "a person has to approve", about: read, more: `"~":"` + strings.Repeat("x", 64<<10) + `"`, but: []string{onRoute}},
		"a server is down": {
			code: capabilities.Unavailable, says: "far is down", about: func(c *capabilities.Capability) bool { return c.Bridged() },
			first: func(_ *testing.T, w *world, _ *capabilities.Capability) { w.down["far"] = true },
		},
		"a person said no": {
			config: approved, code: capabilities.Forbidden, says: "not today", about: func(c *capabilities.Capability) bool { return c.Bridged() || c.Writes() && c.Name() != gate.Decision },
			first: denyTheCall, but: []string{onAct},
		},
	}
}

// denyTheCall files a request of a tool's call without a key, and has somebody deny it.
func denyTheCall(t *testing.T, w *world, c *capabilities.Capability) {
	t.Helper()
	_, err := w.e.door.Invoke(t.Context(), capabilities.Call{Name: c.Name(), Arguments: json.RawMessage(w.exampleOf(c)), Principal: w.who})
	e, refused := capabilities.AsError(err)
	if refused && c.AliasOf() != "" && e.Code == capabilities.Forbidden {
		return // under its other name somebody has said so already
	}
	if !refused || e.Approval == nil {
		t.Fatalf("%s does not wait: %v", c.Name(), err)
	}
	in, err := json.Marshal(map[string]string{"id": e.Approval.ID, "decision": "deny", "reason": "not today"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.e.door.Invoke(t.Context(), capabilities.Call{Name: gate.Decision, Arguments: in, Principal: capabilities.OwnerPrincipal()}); err != nil {
		t.Fatal(err)
	}
}

// Every reason for which the gate refuses a call, and every code that is answered before a
// handler runs, is the same on every surface: the code and the sentence. It is tried with
// every tool that a reason is about, and fails for a reason without a state.
func TestEveryReasonIsTheSameOnEverySurface(t *testing.T) {
	w := reasonsWorld(t)
	all := firings()
	for _, r := range gate.Reasons() {
		f, ok := all[r.Word]
		if !ok {
			t.Errorf("no state is known in which a call is refused for %q: add one", r.Word)
			continue
		}
		delete(all, r.Word)
		t.Run(r.Word, func(t *testing.T) {
			w.fire(t, f, func(c *capabilities.Capability, listed []string) {
				if got := slices.Contains(listed, c.Name()); got != r.Listed {
					t.Errorf("%s is listed: %t, want %t", c.Name(), got, r.Listed)
				}
				_, rule, _ := w.e.views.Find(w.who, c.Name())
				if code := f.code; code == capabilities.Forbidden && (rule == nil || rule.Reason != r.Word) {
					t.Errorf("%s is refused for %+v", c.Name(), rule)
				}
			})
		})
	}
	for word := range all {
		t.Errorf("there is a state for %q, which is no reason of the gate", word)
	}
	for name, f := range others() {
		t.Run(name, func(t *testing.T) { w.fire(t, f, func(*capabilities.Capability, []string) {}) })
	}
}

// reasonsWorld is a world with the packs that there are, and bridged tools of all kinds.
func reasonsWorld(t *testing.T) *world {
	t.Helper()
	w := &world{file: filepath.Join(t.TempDir(), "rules.yaml"), down: map[string]bool{}}
	now := time.Now() // it stands still, so that no limit fills up
	w.s = New(Options{
		Data: InMemory, Packs: []capabilities.Bound{fixture.Pack.Bind(fixture.Deps{})}, Log: slog.New(slog.DiscardHandler),
		Lookup: func(string) (string, bool) { return "", false }, Now: func() time.Time { return now },
		Authenticate: func(*http.Request) (*capabilities.Principal, error) { return w.who, nil },
	})
	t.Cleanup(func() {
		if err := w.s.Close(); err != nil {
			t.Error(err)
		}
	})
	var err error
	if w.e, err = w.s.started(); err != nil {
		t.Fatal(err)
	}
	if w.http, err = w.s.Handler(); err != nil {
		t.Fatal(err)
	}
	w.program = cli.New(cli.Options{Name: "holotype", Codes: w.s.codes(), Open: func(context.Context, cli.OpenRequest) (cli.Session, error) {
		return seenBy{w.e.door, w.e.views, w.who}, nil
	}})
	w.e.live.Replace("", "far", farTools(t, w))
	return w
}

// farTools answers a bridged tool of each word for what it does.
func farTools(t *testing.T, w *world) (tools []*capabilities.Capability) {
	t.Helper()
	is := func(h capabilities.Hint) capabilities.HintFact { return capabilities.HintFact{Value: h} }
	for tool, hints := range map[string]capabilities.HintFacts{
		"reads":    {ReadOnly: is(capabilities.Yes), OpenWorld: is(capabilities.No)},
		"adds":     {ReadOnly: is(capabilities.No), Destructive: is(capabilities.No), OpenWorld: is(capabilities.No)},
		"destroys": {ReadOnly: is(capabilities.No), Destructive: is(capabilities.Yes)},
		"both":     {ReadOnly: is(capabilities.Yes), Destructive: is(capabilities.Yes)},
		"silent":   {},
	} {
		c, err := capabilities.NewBridged(capabilities.BridgedSpec{
			Name: "far__" + tool, Tool: tool, Server: "far", Input: []byte(`{"type":"object"}`), Hints: hints,
			Handler: func(context.Context, *capabilities.Invocation) (*capabilities.Result, error) {
				if w.down["far"] {
					return nil, capabilities.Refuse(capabilities.Unavailable, "far is down: it is started again in 15 s")
				}
				return &capabilities.Result{Structured: []byte(`{}`)}, nil
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		tools = append(tools, c)
	}
	return tools
}

// fire puts a state in place and calls every tool that it is about.
func (w *world) fire(t *testing.T, f firing, each func(c *capabilities.Capability, listed []string)) {
	t.Helper()
	w.down["far"] = false
	w.rule(t, "people: [{id: ada}]\n"+f.config)
	w.e.rates.Put(w.e.settings.current())
	f.sessions = map[string]string{}
	about, listed := 0, []string(nil)
	who := ada()
	if f.who != nil {
		who = f.who
	}
	for c := range w.e.live.For(capabilities.OwnerPrincipal()).All() {
		if f.about != nil && !f.about(c) {
			continue
		}
		about++
		own := *who
		if own.Kind == capabilities.Person && f.code == capabilities.ApprovalNeeded { // each may have so many that wait
			own.ID += fmt.Sprint(about)
		}
		if w.who = &own; f.nobody {
			w.who = nil
		}
		if f.first != nil {
			f.first(t, w, c)
		}
		w.sameEverywhere(t, &f, c)
		if about == 1 && !f.nobody {
			listed = w.list(t, cmp.Or(f.address, "/operator/mcp"))
		}
		each(c, listed)
	}
	if about == 0 {
		t.Error("it is about no tool, and was not tried")
	}
}
