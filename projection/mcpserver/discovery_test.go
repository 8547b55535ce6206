package mcpserver_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/projection/mcpserver"
)

// above sets the limit from which on the tools of discovery stand for a list.
func above(limit *atomic.Int64) func(*mcpserver.Options) {
	return func(o *mcpserver.Options) { o.DiscoverAbove = func() int { return int(limit.Load()) } }
}

// finders are people of a fixture who are given the tools of discovery.
func (f *fixture) finders() {
	for _, who := range []string{"owner", "guest", "reader"} {
		f.people[who+" finds"] = f.people[who].Discovering()
	}
}

// structured reads what a tool of discovery answers.
func structured[T any](t testing.TB, res *mcp.CallToolResult) (out T) {
	t.Helper()
	text, ok := res.Content[0].(*mcp.TextContent)
	if res.IsError || !ok {
		t.Fatalf("refused: %s", said(res))
	}
	same, err := json.Marshal(res.StructuredContent)
	if err != nil {
		t.Fatal(err)
	}
	var a, b any
	if json.Unmarshal(same, &a) != nil || json.Unmarshal([]byte(text.Text), &b) != nil || !cmp.Equal(a, b) {
		t.Errorf("the text is not the structured content: %s", text.Text)
	}
	if err := json.Unmarshal([]byte(text.Text), &out); err != nil {
		t.Fatal(err)
	}
	return out
}

func said(res *mcp.CallToolResult) string {
	if len(res.Content) > 0 {
		if text, ok := res.Content[0].(*mcp.TextContent); ok {
			return text.Text
		}
	}
	return fmt.Sprint(res.Content)
}

type found struct {
	Tools []struct {
		Name, Summary, Effect, Call string
		Hints                       map[string]bool
	}
	Total      int
	NextCursor string `json:"next_cursor"`
}

func (f found) names() (all []string) {
	for _, one := range f.Tools {
		all = append(all, one.Name)
	}
	return all
}

// findAll finds what a query finds, page by page.
func findAll(t testing.TB, s *mcp.ClientSession, query string, limit int) (all found) {
	t.Helper()
	args := map[string]any{"query": query, "limit": limit}
	for range 10_000 {
		page := structured[found](t, callTool(t, s, "find_tools", args))
		if len(page.Tools) > limit {
			t.Fatalf("%d tools of at most %d", len(page.Tools), limit)
		}
		all.Tools, all.Total = append(all.Tools, page.Tools...), page.Total
		if page.NextCursor == "" {
			return all
		}
		args["cursor"] = page.NextCursor
	}
	t.Fatal("the pages do not end")
	return all
}

func TestDiscoveryServesTheWholeListByFourTools(t *testing.T) {
	four := []string{"find_tools", "describe_tools", "call_read", "call_write"}
	everywhere(t, func(t *testing.T, f *fixture, connect connector) {
		f.bridge("other", bridged(t, "other__peek", readOnly), bridged(t, "other__boom"))
		f.finders()
		for _, who := range []string{"owner", "guest"} {
			whole, finds := connect(who, nil), connect(who+" finds", nil)
			if diff := cmp.Diff(four, names(t, finds)); diff != "" {
				t.Errorf("the list (-want +got):\n%s", diff)
			}
			all := names(t, whole)
			got := findAll(t, finds, "", 7)
			if diff := cmp.Diff(all, got.names()); diff != "" || got.Total != len(all) {
				t.Errorf("found of %d (-listed +found):\n%s", got.Total, diff)
			}
			for _, name := range four {
				if _, err := whole.CallTool(t.Context(), &mcp.CallToolParams{Name: name}); err == nil {
					t.Errorf("%s is served to who has the whole list", name)
				}
			}
			for _, one := range got.Tools {
				hidden, other := map[string]string{"call_read": "call_write", "call_write": "call_read"}[one.Call], any(nil)
				if one.Name == "echo" {
					other = map[string]any{"text": "hello"}
				}
				direct := callTool(t, finds, one.Name, other)
				if by := callTool(t, finds, one.Call, map[string]any{"name": one.Name, "arguments": other}); !sameAnswer(direct, by) {
					t.Errorf("%s by %s: %s, but by itself: %s", one.Name, one.Call, said(by), said(direct))
				}
				refused := callTool(t, finds, hidden, map[string]any{"name": one.Name, "arguments": other})
				if !refused.IsError || code(refused) != "forbidden" || !strings.Contains(said(refused), one.Call) {
					t.Errorf("%s by %s: %s", one.Name, hidden, said(refused))
				}
			}
		}
	})
}

func TestDiscoveryDescribesWithTheBytesOfTheList(t *testing.T) {
	for _, lane := range []struct {
		name   string
		adjust []func(*mcpserver.Options)
	}{{"fast", nil}, {"library", []func(*mcpserver.Options){library}}} {
		t.Run(lane.name, func(t *testing.T) {
			f := newFixture(t, append(lane.adjust, func(o *mcpserver.Options) { o.Ledger = true })...)
			f.bridge("other", bridged(t, "other__peek", func(s *capabilities.BridgedSpec) {
				s.Output, s.NativeOutput = json.RawMessage(`{"type":"object","properties":{"result":{"type":"array"}}}`), json.RawMessage(`{"type":"array"}`)
			}))
			p := f.people["guest"]
			p.Scopes = append(p.Scopes, "other:write")
			for _, modern := range []bool{false, true} {
				list := f.list(p, modern)
				byName := map[string]json.RawMessage{}
				for _, one := range list {
					byName[toolName(t, one)] = one
				}
				asked := []string{"other__peek", "append_world", "echo", "echo", "other__hidden"}
				for name := range byName {
					if len(asked) < 20 {
						asked = append(asked, name)
					}
				}
				res := f.call(p.Discovering(), modern, "describe_tools", map[string]any{"names": asked})
				var out struct{ Tools, Unknown []json.RawMessage }
				if err := json.Unmarshal(res.Structured, &out); err != nil {
					t.Fatal(err)
				}
				for _, one := range out.Tools {
					name := toolName(t, one)
					if !bytes.Equal(one, byName[name]) {
						t.Errorf("%s, modern %t:\n%s\nis listed as\n%s", name, modern, one, byName[name])
					}
					delete(byName, name)
				}
				var unknown []string
				for _, one := range out.Unknown {
					unknown = append(unknown, string(one))
				}
				// append_world is hidden from the guest, and the other name is nobody's.
				if diff := cmp.Diff([]string{`"append_world"`, `"other__hidden"`}, unknown); diff != "" {
					t.Errorf("unknown (-want +got):\n%s", diff)
				}
				if len(out.Tools) < 2 {
					t.Errorf("%d tools were described", len(out.Tools))
				}
			}
		})
	}
}

func toolName(t testing.TB, tool json.RawMessage) string {
	t.Helper()
	var one struct{ Name string }
	if err := json.Unmarshal(tool, &one); err != nil {
		t.Fatal(err)
	}
	return one.Name
}

// spoken are the messages of one client over a stream, each with its answer.
func (f *fixture) spoken(p *capabilities.Principal, modern bool, method string, params map[string]any) json.RawMessage {
	f.t.Helper()
	var in, out bytes.Buffer
	write := func(m map[string]any) {
		m["jsonrpc"] = "2.0"
		if err := json.NewEncoder(&in).Encode(m); err != nil {
			f.t.Fatal(err)
		}
	}
	if modern {
		params["_meta"] = map[string]any{
			"io.modelcontextprotocol/protocolVersion": modernVersion, "io.modelcontextprotocol/clientInfo": map[string]any{"name": "test", "version": "1"},
			"io.modelcontextprotocol/clientCapabilities": map[string]any{},
		}
	} else {
		write(map[string]any{"id": 1, "method": "initialize", "params": map[string]any{
			"protocolVersion": legacyVersion, "capabilities": map[string]any{}, "clientInfo": map[string]any{"name": "test", "version": "1"},
		}})
		write(map[string]any{"method": "notifications/initialized"})
	}
	write(map[string]any{"id": 2, "method": method, "params": params})
	if err := f.server.ServeStdio(f.t.Context(), &in, &out, p); err != nil {
		f.t.Fatal(err)
	}
	for line := range bytes.Lines(out.Bytes()) {
		var m struct {
			ID     int
			Result json.RawMessage
		}
		if err := json.Unmarshal(line, &m); err == nil && m.ID == 2 && m.Result != nil {
			return m.Result
		}
	}
	f.t.Fatalf("%s was not answered: %s", method, out.String())
	return nil
}

func (f *fixture) list(p *capabilities.Principal, modern bool) []json.RawMessage {
	f.t.Helper()
	var out struct{ Tools []json.RawMessage }
	if err := json.Unmarshal(f.spoken(p, modern, "tools/list", map[string]any{}), &out); err != nil {
		f.t.Fatal(err)
	}
	return out.Tools
}

// called is what a call answers.
type called struct {
	Structured json.RawMessage `json:"structuredContent"`
	IsError    bool            `json:"isError"`
	Content    []struct{ Text string }
	Meta       struct {
		Refusal struct{ Code string } `json:"holotype/error"`
	} `json:"_meta"`
}

func (r called) code() string { return r.Meta.Refusal.Code }

func (f *fixture) call(p *capabilities.Principal, modern bool, name string, args any) (r called) {
	f.t.Helper()
	if err := json.Unmarshal(f.spoken(p, modern, "tools/call", map[string]any{"name": name, "arguments": args}), &r); err != nil {
		f.t.Fatal(err)
	}
	return r
}

// drawn answers tools of somebody else with hints of every kind, lies among them: name to
// what it was asked about.
func drawn(t testing.TB, random *rand.Rand, n int) []*capabilities.Capability {
	hint := func() capabilities.HintFact {
		from := []capabilities.Provenance{capabilities.FromServer, capabilities.FromOverride}[random.IntN(2)]
		switch random.IntN(3) {
		case 0:
			return capabilities.HintFact{}
		case 1:
			return capabilities.HintFact{Value: capabilities.Yes, From: from}
		}
		return capabilities.HintFact{Value: capabilities.No, From: from}
	}
	all := make([]*capabilities.Capability, n)
	for i := range all {
		all[i] = bridged(t, fmt.Sprintf("third__t%02d", i), func(s *capabilities.BridgedSpec) {
			s.Hints = capabilities.HintFacts{ReadOnly: hint(), Destructive: hint(), Idempotent: hint(), OpenWorld: hint()}
		})
	}
	return all
}

// For drawn callers and drawn hints: what is found is what is listed, call_read and
// call_write part it by what is proven, and what is refused is refused as the call itself
// would be.
func TestDiscoveryOverDrawnViews(t *testing.T) {
	f := newFixture(t)
	random := rand.New(rand.NewPCG(7, 11))
	scopes := []string{"fix:read", "fix:write", "third:read", "third:write", "*", "admin"}
	for round := range 25 {
		f.bridge("third", drawn(t, random, 1+random.IntN(12))...)
		p := &capabilities.Principal{ID: fmt.Sprint("drawn", round), Kind: capabilities.Person}
		for _, s := range scopes {
			if random.IntN(2) == 0 {
				p.Scopes = append(p.Scopes, s)
			}
		}
		if random.IntN(3) == 0 {
			p = p.Narrowed(capabilities.Narrowing{ReadOnly: random.IntN(2) == 0, Group: []string{"", "third"}[random.IntN(2)]})
		}
		view := f.views.View(p)
		s := f.connectStdio(p.Discovering(), []string{legacyVersion, modernVersion}[round%2], nil)
		got := findAll(t, s, "", 1+random.IntN(20))
		var want []string
		for _, c := range view.Listed {
			want = append(want, c.Name())
		}
		if diff := cmp.Diff(want, got.names()); diff != "" {
			t.Fatalf("%+v (-listed +found):\n%s", p, diff)
		}
		four := map[string]*mcp.Tool{}
		for tool, err := range s.Tools(t.Context(), nil) {
			if err != nil {
				t.Fatal(err)
			}
			four[tool.Name] = tool
		}
		reads, writes := four["call_read"].Annotations, four["call_write"].Annotations
		for _, c := range view.Everything() {
			args := map[string]any{"q": "x", "text": "x"}
			direct, failed := s.CallTool(t.Context(), &mcp.CallToolParams{Name: c.Name(), Arguments: args})
			if failed != nil {
				t.Fatalf("%s: %v", c.Name(), failed)
			}
			ran := !direct.IsError || code(direct) != "forbidden"
			for _, by := range []string{"call_read", "call_write"} {
				res := callTool(t, s, by, map[string]any{"name": c.Name(), "arguments": args})
				if own := capabilities.ReadOnlyProven(c) == (by == "call_read"); own || !ran {
					if !sameAnswer(direct, res) {
						t.Errorf("%s by %s: %s, but by itself: %s", c.Name(), by, said(res), said(direct))
					}
				} else if code(res) != "forbidden" {
					t.Errorf("%s, whose hints are %+v, was reached by %s: %s", c.Name(), c.Hints(), by, said(res))
				}
			}
			if !slices.Contains(view.Listed, c) {
				continue
			}
			h := c.Hints()
			if capabilities.ReadOnlyProven(c) {
				if !reads.ReadOnlyHint || *reads.DestructiveHint || h.OpenWorld != capabilities.No && !*reads.OpenWorldHint || h.Idempotent != capabilities.Yes && reads.IdempotentHint {
					t.Errorf("call_read is %+v and reaches %s, which is %+v", reads, c.Name(), h)
				}
			} else if writes.ReadOnlyHint || h.Destructive != capabilities.No && !*writes.DestructiveHint || h.Idempotent != capabilities.Yes && writes.IdempotentHint || h.OpenWorld != capabilities.No && !*writes.OpenWorldHint {
				t.Errorf("call_write is %+v and reaches %s, which is %+v", writes, c.Name(), h)
			}
		}
		s.Close()
	}
}

// sameAnswer reports whether two results are the same but for the request they were of.
func sameAnswer(a, b *mcp.CallToolResult) bool {
	of := func(r *mcp.CallToolResult) string {
		if e, ok := r.Meta["holotype/error"].(map[string]any); ok {
			delete(e, "request_id")
		}
		return fmt.Sprint(said(r), r.IsError, r.StructuredContent, r.Meta)
	}
	return of(a) == of(b)
}

func TestDiscoveryRefusesWhatIsNoCall(t *testing.T) {
	f := newFixture(t)
	p := f.people["guest"].Discovering()
	tests := map[string]struct {
		tool string
		args any
		code string
		says string
	}{
		"nothing":                     {"call_read", nil, "invalid", "name the tool"},
		"an argument beside":          {"call_write", map[string]any{"name": "append_local", "op_id": "x"}, "invalid", "inside arguments"},
		"a name that is no text":      {"call_read", map[string]any{"name": 5}, "invalid", "find_tools answers it"},
		"no object":                   {"call_read", []int{1}, "invalid", "object"},
		"arguments that are none":     {"call_read", map[string]any{"name": "echo", "arguments": 5}, "invalid", ""},
		"a name that nothing has":     {"call_read", map[string]any{"name": "nothing"}, "not_found", "nothing"},
		"itself":                      {"call_write", map[string]any{"name": "call_write", "arguments": map[string]any{"name": "append_local"}}, "not_found", "call_write"},
		"arguments that are wrong":    {"call_read", map[string]any{"name": "echo", "arguments": map[string]any{}}, "invalid", "text"},
		"what is hidden":              {"call_read", map[string]any{"name": "append_local"}, "forbidden", "fix:write"},
		"a limit out of range":        {"find_tools", map[string]any{"limit": 0}, "invalid", ""},
		"a cursor of no list":         {"find_tools", map[string]any{"cursor": "abc"}, "invalid", "cursor"},
		"no names":                    {"describe_tools", map[string]any{"names": []string{}}, "invalid", ""},
		"more names than are allowed": {"describe_tools", map[string]any{"names": strings.Split(strings.Repeat("x ", 21)+"y", " ")}, "invalid", ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			for _, modern := range []bool{false, true} {
				res := f.call(p, modern, test.tool, test.args)
				if !res.IsError || res.code() != test.code || res.Structured != nil || !strings.Contains(res.Content[0].Text, test.says) {
					t.Errorf("modern %t: %+v", modern, res)
				}
			}
		})
	}
	for _, added := range []string{"find_tools", "call_read"} { // what clients add is none of theirs
		args := map[string]any{"toolCallId": "1", "wait_for_previous": true}
		if added == "call_read" {
			args["name"], args["arguments"] = "echo", map[string]any{"text": "x", "toolCallId": "1"}
		}
		if res := f.call(p, false, added, args); res.IsError {
			t.Errorf("%s: %+v", added, res)
		}
	}
}

func TestDiscoveryRanksByWords(t *testing.T) {
	f := newFixture(t)
	tool := func(name, summary string) *capabilities.Capability {
		return bridged(t, name, func(s *capabilities.BridgedSpec) { s.Summary = summary })
	}
	f.bridge("git", tool("git__create_issue", "Open an issue in a repository."), tool("git__list_issues", "List what is open."),
		tool("git__merge", "Merge a branch. "+strings.Repeat("Long words follow. ", 40)), tool("git__star", "Give an ISSUE a star."))
	p := f.people["owner"].Narrowed(capabilities.Narrowing{Group: "git"}).Discovering()
	for query, want := range map[string][]string{
		"creating issues":              {"git__create_issue", "git__list_issues", "git__star"},
		"list the issues":              {"git__list_issues", "git__create_issue", "git__star"},
		"BRANCH":                       {"git__merge"},
		"repos":                        {"git__create_issue"},
		"q":                            {"git__create_issue", "git__list_issues", "git__merge", "git__star"},
		"nothing of the kind":          nil,
		"":                             {"git__create_issue", "git__list_issues", "git__merge", "git__star"},
		"issue: star! please, (tools)": {"git__star", "git__create_issue", "git__list_issues"},
	} {
		for range 2 {
			var out found
			if err := json.Unmarshal(f.call(p, false, "find_tools", map[string]any{"query": query}).Structured, &out); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, out.names()); diff != "" {
				t.Errorf("%q (-want +got):\n%s", query, diff)
			}
			for _, one := range out.Tools {
				if len(one.Summary) > 220 || one.Effect != "unknown" || one.Call != "call_write" || len(one.Hints) > 0 {
					t.Errorf("%+v", one)
				}
			}
		}
	}
}

func TestDiscoveryBeginsAboveALimit(t *testing.T) {
	var limit atomic.Int64
	f := newFixture(t, above(&limit))
	heard := make(chan struct{}, 16)
	listen := func(who string) *mcp.ClientSession {
		return f.connectStdio(f.people[who], legacyVersion, &mcp.ClientOptions{ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) { heard <- struct{}{} }})
	}
	s := listen("owner")
	listen("guest")
	awaitWatchers(t, f)
	if len(names(t, s)) < 10 {
		t.Fatal("the list is not whole")
	}
	set := func(to int64) {
		limit.Store(to)
		f.live.Renew()
		receive(t, heard, "the change of a list")
		receive(t, heard, "the change of the other list")
	}
	set(10)
	if got := names(t, s); len(got) != 4 {
		t.Errorf("listed above the limit: %v", got)
	}
	if !f.server.FactsFor(f.people["owner"]).Discovery || !strings.Contains(f.server.FactsFor(f.people["owner"]).Instructions, "find_tools") {
		t.Error("the facts do not say that the list was replaced")
	}
	// A list that has other tools with the hints that it had is the same four.
	before := f.list(f.people["owner"], false)
	f.bridge("other", bridged(t, "other__x"))
	if after := f.list(f.people["owner"], false); !cmp.Equal(before, after) {
		t.Errorf("the four have changed:\n%s\n%s", before, after)
	}
	f.bridge("other")
	set(1_000_000)
	if len(names(t, s)) < 10 {
		t.Error("below the limit the list is not whole again")
	}
	if f.server.FactsFor(f.people["owner"]).Discovery {
		t.Error("the facts say that the list is replaced")
	}
	// A client that kept the four goes on with them.
	if res := callTool(t, s, "call_read", map[string]any{"name": "echo", "arguments": map[string]any{"text": "x"}}); res.IsError {
		t.Errorf("call_read: %s", said(res))
	}
}

// A tool whose hints drift between the look and the call is judged as it is called.
func TestDiscoveryJudgesWhatIsCalled(t *testing.T) {
	safe := bridged(t, "other__x", readOnly)
	ran := false
	danger := bridged(t, "other__x", func(s *capabilities.BridgedSpec) {
		s.Hints.Destructive = capabilities.HintFact{Value: capabilities.Yes, From: capabilities.FromServer}
		s.Handler = func(context.Context, *capabilities.Invocation) (*capabilities.Result, error) {
			ran = true
			return &capabilities.Result{}, nil
		}
	})
	var f *fixture
	f = newFixture(t, func(o *mcpserver.Options) {
		door := o.Door
		o.Door = invoker(func(ctx context.Context, call capabilities.Call) (*capabilities.Result, error) {
			f.bridge("other", danger) // after whatever the surface looked at
			return door.Invoke(ctx, call)
		})
	})
	f.bridge("other", safe)
	res := f.call(f.people["owner"].Discovering(), false, "call_read", map[string]any{"name": "other__x"})
	if ran || res.code() != "forbidden" {
		t.Errorf("it ran: %t, and was answered %+v", ran, res)
	}
}

type invoker func(context.Context, capabilities.Call) (*capabilities.Result, error)

func (i invoker) Invoke(ctx context.Context, call capabilities.Call) (*capabilities.Result, error) {
	return i(ctx, call)
}

// The call that is noted is the inner one, with its operation, and what it reports and
// asks goes to the client.
func TestDiscoveryPassesTheCallOn(t *testing.T) {
	var calls []capabilities.Call
	f := newFixture(t, func(o *mcpserver.Options) {
		door := o.Door
		o.Ledger = true
		o.Door = invoker(func(ctx context.Context, call capabilities.Call) (*capabilities.Result, error) {
			calls = append(calls, call)
			return door.Invoke(ctx, call)
		})
	})
	p := f.people["owner"].Discovering()
	f.spoken(p, false, "tools/call", map[string]any{
		"name": "call_write", "arguments": map[string]any{"name": "amend_local", "arguments": map[string]any{"op_id": "op-1"}},
		"_meta": map[string]any{mcpserver.MetaDryRun: true},
	})
	if len(calls) != 1 || calls[0].Name != "amend_local" || string(calls[0].Arguments) != "{}" || calls[0].Operation != (capabilities.Operation{ID: "op-1", DryRun: true}) {
		t.Errorf("the door saw %+v", calls)
	}
	if calls[0].Principal.ID != "owner" || calls[0].Surface != capabilities.MCP {
		t.Errorf("the door saw %+v", calls[0])
	}
	reported := make(chan float64, 16)
	s := f.connectStdio(p, legacyVersion, &mcp.ClientOptions{ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) {
		reported <- r.Params.Progress
	}})
	params := &mcp.CallToolParams{Name: "call_read", Arguments: map[string]any{"name": "echo", "arguments": map[string]any{"text": "x", "steps": 2}}}
	params.SetProgressToken("t")
	if _, err := s.CallTool(t.Context(), params); err != nil {
		t.Fatal(err)
	}
	for want := range 2 {
		if got := receive(t, reported, "progress"); got != float64(want+1) {
			t.Errorf("progress %v, want %d", got, want+1)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		receive(t, f.deps.started, "the call")
		cancel()
	}()
	_, err := s.CallTool(ctx, &mcp.CallToolParams{Name: "call_read", Arguments: map[string]any{"name": "echo", "arguments": map[string]any{"text": "x", "fail": "wait"}}})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("the call ended with %v", err)
	}
	receive(t, f.deps.ended, "the end of the call")
}
