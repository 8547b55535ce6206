package mcpserver_test

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/seed-89b9419b/holotype/capabilities/bridge"
)

// behind is a fixture with bridged servers behind it.
type behind struct {
	*fixture
	bridge *bridge.Bridge
}

// relayingTo answers a fixture that bridges servers, with everything relayed.
func relayingTo(t *testing.T, servers ...bridge.Server) *behind {
	t.Helper()
	b := &behind{fixture: newFixture(t)}
	for i := range servers {
		servers[i].StartupTimeout, servers[i].CallTimeout = time.Minute, cmp.Or(servers[i].CallTimeout, 20*time.Second)
	}
	var err error
	b.bridge, err = bridge.New(bridge.Options{
		Servers: servers, Log: slog.New(slog.DiscardHandler), Now: time.Now, Version: "1",
		Publish: b.live.Replace, Updated: func(seat, server, uri string) { b.server.ResourceUpdated(seat, server, uri) },
		Listened: func(server, uri string) bool { return b.server.ResourceListened(server, uri) },
		HostEnv:  []string{"PATH=" + os.Getenv("PATH")},
	})
	if err != nil {
		t.Fatal(err)
	}
	b.bridge.Start(context.WithoutCancel(t.Context()))
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), 20*time.Second)
		defer cancel()
		if err := b.bridge.Stop(ctx); err != nil {
			t.Error(err)
		}
	})
	for _, s := range servers {
		if err := b.bridge.Ready(t.Context(), s.Name); err != nil {
			t.Fatal(err)
		}
	}
	return b
}

var allRelayed = bridge.Relay{Elicitation: true, Sampling: true, Roots: true, Logging: true, Prompts: true, Resources: true}

// upstreams are servers of every era over every transport that has it, by their names.
func upstreams(t *testing.T) []bridge.Server {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	overPipe := func(name, era string) bridge.Server {
		return bridge.Server{Name: name, Command: exe, Env: map[string]string{"RELAY_SERVER": era, "GORACE": "atexit_sleep_ms=10"}, Relay: allRelayed}
	}
	overHTTP := func(name, era string) bridge.Server {
		u := newUpstream(era)
		s := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return u.Server }, &mcp.StreamableHTTPOptions{
			Stateless: era >= modernVersion, PropagateRequestCancellation: true,
		}))
		t.Cleanup(func() {
			s.CloseClientConnections()
			s.Close()
		})
		return bridge.Server{Name: name, URL: s.URL, Relay: allRelayed}
	}
	old := newUpstream(oldestVersion)
	sse := httptest.NewServer(mcp.NewSSEHandler(func(*http.Request) *mcp.Server { return old.Server }, nil))
	t.Cleanup(func() {
		sse.CloseClientConnections()
		sse.Close()
	})
	return []bridge.Server{
		{Name: "s1", URL: sse.URL, Transport: "sse", Relay: allRelayed},
		overPipe("s2", olderVersion), overHTTP("s3", olderVersion),
		overPipe("s4", legacyVersion), overHTTP("s5", legacyVersion),
		overPipe("s6", modernVersion), overHTTP("s7", modernVersion),
	}
}

// listening is a client that answers everything and notes what it is told.
type listening struct {
	*mcp.ClientSession
	modern   bool
	asked    chan string
	progress chan float64
	logged   chan *mcp.LoggingMessageParams
	updated  chan string
	changed  chan string
}

func newListening() (*listening, *mcp.ClientOptions) {
	l := &listening{
		asked: make(chan string, 64), progress: make(chan float64, 64), logged: make(chan *mcp.LoggingMessageParams, 64),
		updated: make(chan string, 64), changed: make(chan string, 64),
	}
	return l, &mcp.ClientOptions{
		Capabilities: &mcp.ClientCapabilities{
			Elicitation: &mcp.ElicitationCapabilities{Form: &mcp.FormElicitationCapabilities{}, URL: &mcp.URLElicitationCapabilities{}},
			RootsV2:     &mcp.RootCapabilities{},
		},
		ElicitationHandler: func(_ context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			l.asked <- r.Params.Message + r.Params.URL
			if r.Params.Mode == "url" {
				return &mcp.ElicitResult{Action: "accept"}, nil
			}
			return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"n": 7}}, nil
		},
		CreateMessageHandler: func(_ context.Context, r *mcp.CreateMessageRequest) (*mcp.CreateMessageResult, error) {
			return &mcp.CreateMessageResult{Model: "m", Role: "assistant", Content: &mcp.TextContent{Text: fmt.Sprint("thought of ", r.Params.MaxTokens)}}, nil
		},
		ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) { l.progress <- r.Params.Progress },
		LoggingMessageHandler:       func(_ context.Context, r *mcp.LoggingMessageRequest) { l.logged <- r.Params },
		ResourceUpdatedHandler:      func(_ context.Context, r *mcp.ResourceUpdatedNotificationRequest) { l.updated <- r.Params.URI },
		ResourceListChangedHandler:  func(context.Context, *mcp.ResourceListChangedRequest) { l.changed <- "resources" },
		PromptListChangedHandler:    func(context.Context, *mcp.PromptListChangedRequest) { l.changed <- "prompts" },
	}
}

// call calls a tool and answers its text, or what became of it.
func (l *listening) call(ctx context.Context, p *mcp.CallToolParams) string {
	res, err := l.CallTool(ctx, p)
	switch {
	case err != nil:
		return err.Error()
	case len(res.Content) == 0:
		return "nothing"
	}
	return says(res)
}

// A feature is one thing that is relayed; it answers "" when it is.
type feature struct {
	name string
	try  func(ctx context.Context, l *listening, server, key string) string
}

func want(got, want string) string {
	if strings.Contains(got, want) {
		return ""
	}
	return fmt.Sprintf("%q, want %q", got, want)
}

func asksFor(what, wanted, seen string) func(context.Context, *listening, string, string) string {
	return func(ctx context.Context, l *listening, server, _ string) string {
		got := l.call(ctx, &mcp.CallToolParams{Name: server + "__ask", Arguments: map[string]any{"what": what}})
		if bad := want(got, wanted); bad != "" || seen == "" {
			return bad
		}
		return want(<-l.asked, strings.ReplaceAll(seen, "SERVER", server))
	}
}

func features() []feature {
	return []feature{
		{"progress", func(ctx context.Context, l *listening, server, _ string) string {
			p := &mcp.CallToolParams{Name: server + "__steps"}
			p.SetProgressToken("p")
			if bad := want(l.call(ctx, p), "done"); bad != "" {
				return bad
			}
			for i := range 3 {
				if got := <-l.progress; got != float64(i+1) {
					return fmt.Sprintf("step %v, want %d", got, i+1)
				}
			}
			return ""
		}},
		{"cancel", func(ctx context.Context, l *listening, server, key string) string {
			calling, cancel := context.WithCancel(ctx)
			defer cancel()
			p := &mcp.CallToolParams{Name: server + "__wait", Arguments: map[string]any{"key": key}}
			p.SetProgressToken("c")
			ended := make(chan string, 1)
			go func() { ended <- l.call(calling, p) }()
			select {
			case <-l.progress: // it runs
			case <-ctx.Done():
				return "it never ran"
			}
			cancel()
			<-ended
			return want(l.call(ctx, &mcp.CallToolParams{Name: server + "__stopped", Arguments: map[string]any{"key": key}}), "stopped")
		}},
		{"elicitation", asksFor("form", `"n":7`, `The MCP server "SERVER" asks: Which?`)},
		{"elicitation by url", asksFor("url", `"accept"`, `The MCP server "SERVER" asks: Look.https://id.example/`)},
		{"sampling", asksFor("sampling", "thought of 5", "")},
		{"roots", asksFor("roots", `"roots":[]`, "")},
		{"logging", func(ctx context.Context, l *listening, server, _ string) string {
			p := &mcp.CallToolParams{Name: server + "__log"}
			if l.modern {
				p.Meta = mcp.Meta{mcp.MetaKeyLogLevel: "warning"}
			} else if err := l.SetLoggingLevel(ctx, &mcp.SetLoggingLevelParams{Level: "warning"}); err != nil {
				return err.Error()
			}
			if bad := want(l.call(ctx, p), "done"); bad != "" {
				return bad
			}
			select {
			case m := <-l.logged:
				return want(fmt.Sprint(m.Level, " ", m.Logger, " ", m.Data), "warning "+server+"/db warning")
			case <-ctx.Done():
				return "nothing is logged"
			}
		}},
		{"prompts", func(ctx context.Context, l *listening, server, _ string) string {
			list, err := l.ListPrompts(ctx, nil)
			if err != nil || !slices.ContainsFunc(list.Prompts, func(p *mcp.Prompt) bool { return p.Name == server+"__greet" }) {
				return fmt.Sprint("not listed: ", err)
			}
			got, err := l.GetPrompt(ctx, &mcp.GetPromptParams{Name: server + "__greet", Arguments: map[string]string{"who": "ada"}})
			if err != nil {
				return err.Error()
			}
			text, _ := got.Messages[0].Content.(*mcp.TextContent)
			inside, _ := got.Messages[1].Content.(*mcp.EmbeddedResource)
			return want(text.Text+" "+inside.Resource.URI, "hello ada holotype:"+server+"/test://text")
		}},
		{"completion", func(ctx context.Context, l *listening, server, _ string) string {
			said := ""
			for _, ref := range []*mcp.CompleteReference{{Type: "ref/prompt", Name: server + "__greet"}, {Type: "ref/resource", URI: "holotype:" + server + "/test://item/{id}"}} {
				got, err := l.Complete(ctx, &mcp.CompleteParams{Ref: ref, Argument: mcp.CompleteParamsArgument{Name: "who", Value: "a"}})
				if err != nil {
					return err.Error()
				}
				said += got.Completion.Values[0]
			}
			return want(said, "greet=a!test://item/{id}=a!")
		}},
		{"resources", func(ctx context.Context, l *listening, server, _ string) string {
			uri := "holotype:" + server + "/test://text"
			list, err := l.ListResources(ctx, nil)
			if err != nil || !slices.ContainsFunc(list.Resources, func(r *mcp.Resource) bool { return r.URI == uri }) {
				return fmt.Sprint("not listed: ", err)
			}
			return l.reads(ctx, uri, "read test://text")
		}},
		{"templates", func(ctx context.Context, l *listening, server, _ string) string {
			uri := "holotype:" + server + "/test://item/{id}"
			list, err := l.ListResourceTemplates(ctx, nil)
			if err != nil || !slices.ContainsFunc(list.ResourceTemplates, func(r *mcp.ResourceTemplate) bool { return r.URITemplate == uri }) {
				return fmt.Sprint("not listed: ", err)
			}
			return l.reads(ctx, strings.Replace(uri, "{id}", "5", 1), "read test://item/5")
		}},
		{"links", func(ctx context.Context, l *listening, server, _ string) string {
			res, err := l.CallTool(ctx, &mcp.CallToolParams{Name: server + "__link"})
			if err != nil {
				return err.Error()
			}
			link, _ := res.Content[0].(*mcp.ResourceLink)
			inside, _ := res.Content[1].(*mcp.EmbeddedResource)
			if link == nil || inside == nil || link.URI != inside.Resource.URI {
				return fmt.Sprint(res.Content)
			}
			return l.reads(ctx, link.URI, "read test://text")
		}},
		{"subscriptions", func(ctx context.Context, l *listening, server, _ string) string {
			uri := "holotype:" + server + "/test://text"
			if err := l.Subscribe(ctx, &mcp.SubscribeParams{URI: uri}); err != nil {
				return err.Error()
			}
			defer func() {
				_ = l.Unsubscribe(ctx, &mcp.UnsubscribeParams{URI: uri})
				for len(l.updated) > 0 {
					<-l.updated
				}
			}()
			told := "nothing is told"
			for { // the library does not say when a subscription of 2026-07-28 stands
				if bad := want(l.call(ctx, &mcp.CallToolParams{Name: server + "__touch"}), "done"); bad != "" {
					return bad
				}
				select {
				case got := <-l.updated:
					if got == uri {
						return ""
					}
					told = "what is told is of " + got // which may be of the server before, and late
				case <-time.After(50 * time.Millisecond):
				case <-ctx.Done():
					return told
				}
			}
		}},
	}
}

func (l *listening) reads(ctx context.Context, uri, text string) string {
	got, err := l.ReadResource(ctx, &mcp.ReadResourceParams{URI: uri})
	if err != nil {
		return err.Error()
	}
	return want(got.Contents[0].URI+" "+got.Contents[0].Text, uri+" "+text)
}

// TestTheMatrixOfRelays tries everything that is relayed between clients and servers of
// every era over every transport. The table stands in docs/relays.md.
func TestTheMatrixOfRelays(t *testing.T) {
	servers := upstreams(t)
	b := relayingTo(t, servers...)
	front := b.http()
	var table strings.Builder
	all := features()
	table.WriteString("| client | server |")
	for _, f := range all {
		table.WriteString(" " + f.name + " |")
	}
	table.WriteString("\n|---|---|" + strings.Repeat("---|", len(all)) + "\n")
	for _, version := range []string{legacyVersion, modernVersion} {
		for _, transport := range []string{"stdio", "HTTP"} {
			l, o := newListening()
			client := func() *mcp.ClientSession {
				if transport == "stdio" {
					return b.connectStdio(b.people["owner"], version, o)
				}
				return b.connect(front.URL, "owner", version, o)
			}
			l.ClientSession, l.modern = client(), version == modernVersion
			for i, st := range b.bridge.Status() {
				over := map[string]string{"stdio": "stdio", "http": "HTTP", "sse": "HTTP+SSE"}[st.Transport]
				fmt.Fprintf(&table, "| %s, %s | %s, %s |", version, transport, st.Version, over)
				for _, f := range all {
					ctx, cancel := context.WithTimeout(t.Context(), 15*time.Second)
					bad := f.try(ctx, l, servers[i].Name, fmt.Sprint(version, transport, i))
					cancel()
					if bad == "" {
						table.WriteString(" yes |")
						continue
					}
					table.WriteString(" no |")
					t.Errorf("client %s over %s, server %s over %s: %s: %s", version, transport, st.Version, over, f.name, bad)
				}
				table.WriteString("\n")
			}
		}
	}
	t.Logf("\n%s", table.String())
	doc, err := os.ReadFile("../../docs/relays.md")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(doc), table.String()) {
		t.Error("docs/relays.md has another table")
	}
}
