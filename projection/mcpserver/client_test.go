package mcpserver_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/mcphook"
	"github.com/seed-89b9419b/holotype/projection/mcpserver"
)

type connector = func(token string, o *mcp.ClientOptions) *mcp.ClientSession

func names(t testing.TB, s *mcp.ClientSession) []string {
	t.Helper()
	var all []string
	for tool, err := range s.Tools(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, tool.Name)
	}
	return all
}

func callTool(t testing.TB, s *mcp.ClientSession, name string, args any) *mcp.CallToolResult {
	t.Helper()
	res, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: name, Arguments: args})
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return res
}

func code(res *mcp.CallToolResult) string {
	e, _ := res.Meta["holotype/error"].(map[string]any)
	c, _ := e["code"].(string)
	return c
}

func TestListsTheViewOfTheCaller(t *testing.T) {
	everywhere(t, func(t *testing.T, f *fixture, connect connector) {
		f.bridge("other", bridged(t, "other__x"))
		want := func(p *capabilities.Principal) (all []string) {
			for _, c := range f.views.View(p).Listed {
				all = append(all, c.Name())
			}
			return all
		}
		for _, who := range []string{"owner", "guest"} {
			if diff := cmp.Diff(want(f.people[who]), names(t, connect(who, nil))); diff != "" {
				t.Errorf("%s (-want +got):\n%s", who, diff)
			}
		}
	})
}

func TestCallsAndRefuses(t *testing.T) {
	everywhere(t, func(t *testing.T, f *fixture, connect connector) {
		f.bridge("other", bridged(t, "other__x"))
		owner, guest := connect("owner", nil), connect("guest", nil)
		for range 2 { // the second one is the fast lane's in both eras
			res := callTool(t, owner, "echo", map[string]any{"text": "hi"})
			if diff := cmp.Diff(map[string]any{"said": "hi", "big": 0.0}, res.StructuredContent); diff != "" {
				t.Errorf("echo (-want +got):\n%s", diff)
			}
			if got := res.Content[0].(*mcp.TextContent).Text; got != `{"said":"hi","big":0}` {
				t.Errorf("the text is %s", got)
			}
		}
		for _, tc := range []struct {
			name, tool string
			args       any
			who        *mcp.ClientSession
			code       string
		}{
			{"a missing field", "echo", map[string]any{}, owner, "invalid"},
			{"no arguments at all", "echo", nil, owner, "invalid"},
			{"an unknown field", "echo", map[string]any{"text": "x", "txet": 1}, owner, "invalid"},
			{"arguments that are a string", "echo", "hi", owner, "invalid"},
			{"arguments that are a list", "echo", []int{1}, owner, "invalid"},
			{"a refusal of the handler", "echo", map[string]any{"text": "it", "fail": "not_found"}, owner, "not_found"},
			{"a panic of the handler", "echo", map[string]any{"text": "it", "fail": "panic"}, owner, "internal_error"},
			{"an unmarked error", "echo", map[string]any{"text": "it", "fail": "plain"}, owner, "internal_error"},
			{"a hidden capability", "append_shared", map[string]any{}, guest, "forbidden"},
			{"a hidden bridged tool", "other__x", map[string]any{}, guest, "forbidden"},
		} {
			res := callTool(t, tc.who, tc.tool, tc.args)
			if !res.IsError || code(res) != tc.code || res.StructuredContent != nil {
				t.Errorf("%s: got isError %t, code %q, structured %v; want %q", tc.name, res.IsError, code(res), res.StructuredContent, tc.code)
			}
			if text := res.Content[0].(*mcp.TextContent).Text; strings.Contains(text, "private") || text == "" {
				t.Errorf("%s: the text is %q", tc.name, text)
			}
		}
		if res := callTool(t, owner, "read_local", nil); res.IsError {
			t.Errorf("absent arguments are an empty object: %v", res)
		}
		_, err := owner.CallTool(t.Context(), &mcp.CallToolParams{Name: "nobody"})
		var coded *jsonrpc.Error
		if !errors.As(err, &coded) || coded.Code != jsonrpc.CodeInvalidParams {
			t.Errorf("a name in no view: got %v, want -32602", err)
		}
	})
}

func TestBridgedResultsPassAsTheyCame(t *testing.T) {
	everywhere(t, func(t *testing.T, f *fixture, connect connector) {
		f.bridge("other", bridged(t, "other__x"))
		s := connect("owner", nil)
		for range 2 {
			res := callTool(t, s, "other__x", json.RawMessage(`{"q":"a", "id":9007199254740993}`))
			var sent map[string]json.RawMessage
			if err := json.Unmarshal([]byte(res.Content[0].(*mcp.TextContent).Text), &sent); err != nil || string(sent["id"]) != "9007199254740993" {
				t.Errorf("the server was sent %s", res.Content[0].(*mcp.TextContent).Text)
			}
			if res.Meta["x"] != 1.0 {
				t.Errorf("the server's _meta is lost: %v", res.Meta)
			}
			if info, ok := res.Meta[mcp.MetaKeyServerInfo].(map[string]any); ok && info["name"] == "upstream" && s.InitializeResult().ProtocolVersion == modernVersion {
				t.Error("an upstream server speaks for us")
			}
		}
	})
}

func TestProgress(t *testing.T) {
	everywhere(t, func(t *testing.T, _ *fixture, connect connector) {
		var mu sync.Mutex
		var got []float64
		seen := make(chan struct{}, 16)
		s := connect("owner", &mcp.ClientOptions{ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) {
			mu.Lock()
			got = append(got, r.Params.Progress)
			mu.Unlock()
			if r.Params.ProgressToken != "tok" || r.Params.Total != 3 || r.Params.Message != "step" {
				t.Errorf("got %+v", r.Params)
			}
			seen <- struct{}{}
		}})
		callTool(t, s, "echo", map[string]any{"text": "x", "steps": 3}) // no token, no progress
		p := &mcp.CallToolParams{Name: "echo", Arguments: map[string]any{"text": "x", "steps": 3}}
		p.SetProgressToken("tok")
		if _, err := s.CallTool(t.Context(), p); err != nil {
			t.Fatal(err)
		}
		for range 3 {
			receive(t, seen, "progress")
		}
		mu.Lock()
		defer mu.Unlock()
		if diff := cmp.Diff([]float64{1, 2, 3}, got); diff != "" {
			t.Errorf("progress (-want +got):\n%s", diff)
		}
	})
}

func TestCancellationReachesTheHandler(t *testing.T) {
	everywhere(t, func(t *testing.T, f *fixture, connect connector) {
		s := connect("owner", nil)
		callTool(t, s, "echo", map[string]any{"text": "x"})
		ctx, cancel := context.WithCancel(t.Context())
		failed := make(chan error, 1)
		go func() {
			_, err := s.CallTool(ctx, &mcp.CallToolParams{Name: "echo", Arguments: map[string]any{"text": "x", "fail": "wait"}})
			failed <- err
		}()
		receive(t, f.deps.started, "the call")
		cancel()
		receive(t, f.deps.ended, "the cancellation")
		if err := receive(t, failed, "the answer"); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
		// The session goes on.
		callTool(t, s, "echo", map[string]any{"text": "x"})
	})
}

func TestListChanged(t *testing.T) {
	everywhere(t, func(t *testing.T, f *fixture, connect connector) {
		heard := func(who string) (*mcp.ClientSession, chan struct{}) {
			c := make(chan struct{}, 16)
			s := connect(who, &mcp.ClientOptions{ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) { c <- struct{}{} }})
			names(t, s)
			return s, c
		}
		owner, owners := heard("owner")
		_, readers := heard("reader")
		awaitWatchers(t, f)
		f.bridge("other", bridged(t, "other__x"))
		receive(t, owners, "the owner's notification")
		if got := names(t, owner); !slices.Contains(got, "other__x") {
			t.Errorf("the list has no other__x: %v", got)
		}
		f.bridge("other", bridged(t, "other__x")) // a new tool with the same bytes
		f.bridge("third", bridged(t, "third__r", readOnly))
		receive(t, owners, "the owner's second notification")
		receive(t, readers, "the reader's notification")
		if n := len(owners); n != 0 {
			t.Errorf("two swaps, one of which changed nothing, were told as %d changes", n+1)
		}
		if n := len(readers); n != 0 {
			t.Errorf("the reader heard of %d changes of other lists", n)
		}
	})
}

func readOnly(s *capabilities.BridgedSpec) {
	s.Hints.ReadOnly = capabilities.HintFact{Value: capabilities.Yes, From: capabilities.FromServer}
}

func TestInstructionsAreTheCallersOwn(t *testing.T) {
	everywhere(t, func(t *testing.T, f *fixture, connect connector) {
		f.bridge("other", bridged(t, "other__boom", func(s *capabilities.BridgedSpec) {
			s.Hints.Destructive = capabilities.HintFact{Value: capabilities.Yes, From: capabilities.FromServer}
		}), bridged(t, "other__silent"))
		owner := connect("owner", nil).InitializeResult().Instructions
		guest := connect("guest", nil).InitializeResult().Instructions
		if !strings.Contains(owner, "holotype 1.2.3") {
			t.Errorf("the owner's instructions do not say who answers: %s", owner)
		}
		for _, c := range f.views.View(f.people["owner"]).Listed {
			h := c.Hints()
			writes := h.ReadOnly == capabilities.No || h.Destructive == capabilities.Yes
			if strings.Contains(owner, c.Name()) != writes {
				t.Errorf("the owner's instructions, where %s may write: %v: %s", c.Name(), writes, owner)
			}
		}
		if want := " Of 1 more nobody says whether it does."; !strings.HasSuffix(owner, want) {
			t.Errorf("got %s, want it to end with %q", owner, want)
		}
		if strings.Contains(guest, "other__") || strings.Contains(guest, "append_shared") || !strings.HasSuffix(guest, "No tool is known to add, change or remove anything.") {
			t.Errorf("the guest's instructions: %s", guest)
		}
	})
}

func TestWhatIsNotServedIsRefusedAndNotAdvertised(t *testing.T) {
	everywhere(t, func(t *testing.T, f *fixture, connect connector) {
		s := connect("owner", nil)
		caps := s.InitializeResult().Capabilities
		if caps.Prompts != nil || caps.Resources != nil || caps.Logging != nil || caps.Completions != nil || caps.Tools == nil || !caps.Tools.ListChanged {
			t.Errorf("advertised: %+v", caps)
		}
		ctx := t.Context()
		for name, call := range map[string]func() error{
			"prompts/list":   func() error { _, err := s.ListPrompts(ctx, nil); return err },
			"resources/list": func() error { _, err := s.ListResources(ctx, nil); return err },
			"resources/templates/list": func() error {
				_, err := s.ListResourceTemplates(ctx, nil)
				return err
			},
			"resources/read": func() error { _, err := s.ReadResource(ctx, &mcp.ReadResourceParams{URI: "x:y"}); return err },
			"completion/complete": func() error {
				_, err := s.Complete(ctx, &mcp.CompleteParams{Ref: &mcp.CompleteReference{Type: "ref/prompt", Name: "x"}, Argument: mcp.CompleteParamsArgument{Name: "a"}})
				return err
			},
		} {
			var coded *jsonrpc.Error
			if err := call(); !errors.As(err, &coded) || coded.Code != jsonrpc.CodeMethodNotFound {
				t.Errorf("%s: got %v, want -32601", name, err)
			}
			if !slices.Contains(f.server.SurfaceFacts().Refused, name) {
				t.Errorf("%s is not among the refused methods", name)
			}
		}
	})
}

// TestWhatAServerMayYetOffer has a client connect before the servers behind have told what
// they offer: it asks once what is served.
func TestWhatAServerMayYetOffer(t *testing.T) {
	everywhere(t, func(t *testing.T, f *fixture, connect connector) {
		f.awaited = func(p *capabilities.Principal) (int, []string) {
			if p.ID != "owner" {
				return 0, nil
			}
			return 2, []string{capabilities.RelayPrompts, capabilities.RelayPrompt, capabilities.RelayResources, capabilities.RelayRead, capabilities.RelaySubscribe}
		}
		s := connect("owner", nil)
		caps := s.InitializeResult().Capabilities
		if caps.Prompts == nil || !caps.Prompts.ListChanged || caps.Resources == nil || !caps.Resources.ListChanged || !caps.Resources.Subscribe || caps.Completions != nil || caps.Logging != nil {
			t.Errorf("advertised: %+v", caps)
		}
		if got := s.InitializeResult().Instructions; !strings.HasSuffix(got, " 2 MCP servers have not told their tools yet: list them again later.") {
			t.Errorf("the instructions are %s", got)
		}
		prompts, err := s.ListPrompts(t.Context(), nil)
		if err != nil || len(prompts.Prompts) != 0 {
			t.Errorf("the prompts are %+v, %v", prompts, err)
		}
		resources, err := s.ListResources(t.Context(), nil)
		if err != nil || len(resources.Resources) != 0 {
			t.Errorf("the resources are %+v, %v", resources, err)
		}
		var coded *jsonrpc.Error
		if _, err := s.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: "later__ask"}); !errors.As(err, &coded) || coded.Code != jsonrpc.CodeInvalidParams {
			t.Errorf("a prompt that nobody has: %v", err)
		}
		if _, err := s.ListResourceTemplates(t.Context(), nil); !errors.As(err, &coded) || coded.Code != jsonrpc.CodeMethodNotFound {
			t.Errorf("what nobody may come to offer: %v", err)
		}
		guest := connect("guest", nil)
		if caps := guest.InitializeResult().Capabilities; caps.Prompts != nil || caps.Resources != nil || strings.Contains(guest.InitializeResult().Instructions, "not told") {
			t.Errorf("a guest, who can have nothing of them, is told %+v, %s", caps, guest.InitializeResult().Instructions)
		}
		if _, err := guest.ListPrompts(t.Context(), nil); !errors.As(err, &coded) || coded.Code != jsonrpc.CodeMethodNotFound {
			t.Errorf("a guest lists prompts: %v", err)
		}
	})
}

func TestAHookAddsToTheProduct(t *testing.T) {
	f := newFixture(t, func(o *mcpserver.Options) {
		o.Hook = mcphook.Hook{
			Extend: func(s *mcp.Server) {
				s.AddTool(&mcp.Tool{Name: "hooked", InputSchema: json.RawMessage(`{"type":"object"}`)},
					func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
						return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "by the library"}}}, nil
					})
				s.AddPrompt(&mcp.Prompt{Name: "asked"}, func(context.Context, *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
					return &mcp.GetPromptResult{}, nil
				})
			},
			Tools: []string{"hooked"}, Methods: []string{"prompts/list"},
		}
	})
	url := f.http().URL
	for _, version := range []string{legacyVersion, modernVersion} {
		s := f.connect(url, "owner", version, nil)
		if res := callTool(t, s, "hooked", nil); res.IsError || res.Content[0].(*mcp.TextContent).Text != "by the library" {
			t.Errorf("%s: the hooked tool answers %v", version, res.Content)
		}
		if slices.Contains(names(t, s), "hooked") {
			t.Errorf("%s: a hooked tool is in no view, and was listed", version)
		}
		if res := callTool(t, s, "echo", map[string]any{"text": "x"}); res.IsError {
			t.Errorf("%s: echo answers %v", version, res.Content)
		}
		if res, err := s.ListPrompts(t.Context(), nil); err != nil || len(res.Prompts) != 1 {
			t.Errorf("%s: prompts/list answers %v, %v", version, res, err)
		}
		if _, err := s.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: "asked"}); err == nil {
			t.Errorf("%s: prompts/get is not among the hook's methods, and was served", version)
		}
	}
}
