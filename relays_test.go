package holotype_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// What a configured server has besides tools is relayed by the switches of its entry, judged
// by the rules, noted by the audit and told by describe_projection.
func TestRelaysOfAConfiguration(t *testing.T) {
	far := mcp.NewServer(&mcp.Implementation{Name: "far", Version: "1"}, &mcp.ServerOptions{
		SubscribeHandler:   func(context.Context, *mcp.SubscribeRequest) error { return nil },
		UnsubscribeHandler: func(context.Context, *mcp.UnsubscribeRequest) error { return nil },
	})
	far.AddTool(&mcp.Tool{Name: "ask", InputSchema: json.RawMessage(`{"type":"object"}`)}, func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		if r.Params.InputResponses != nil {
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "heard"}}}, nil
		}
		return &mcp.CallToolResult{InputRequests: mcp.InputRequestMap{"q": &mcp.ElicitParams{Message: "Who?", RequestedSchema: json.RawMessage(`{"type":"object","properties":{}}`)}}}, nil
	})
	far.AddResource(&mcp.Resource{URI: "x:1", Name: "one"}, func(context.Context, *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: "x:1", Text: "inside"}}}, nil
	})
	far.AddPrompt(&mcp.Prompt{Name: "greet"}, func(context.Context, *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		return &mcp.GetPromptResult{}, nil
	})
	web := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return far }, nil))
	t.Cleanup(func() {
		web.CloseClientConnections()
		web.Close()
	})
	g := gatedBy(t, fmt.Sprintf("mcp_servers: [{name: far, url: %q, relay: {prompts: false}}]\ngate: {deny: [zzz]}\n", web.URL))
	t.Cleanup(web.CloseClientConnections)
	updated := make(chan string, 16)
	asked := make(chan string, 1)
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, &mcp.ClientOptions{
		ResourceUpdatedHandler: func(_ context.Context, r *mcp.ResourceUpdatedNotificationRequest) { updated <- r.Params.URI },
		ElicitationHandler: func(_ context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			asked <- r.Params.Message
			return &mcp.ElicitResult{Action: "decline"}, nil
		},
	})
	connect := func(path string) *mcp.ClientSession {
		s, err := client.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: g.url + path, HTTPClient: &http.Client{Transport: g}}, &mcp.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = s.Close() })
		return s
	}
	s := connect("/operator/mcp")
	for deadline := time.Now().Add(20 * time.Second); strings.Contains(s.InitializeResult().Instructions, "has not told"); { // the server starts beside us
		if c := s.InitializeResult().Capabilities; c.Prompts != nil || c.Resources == nil {
			t.Errorf("announced before it has told are %+v", c)
		}
		if r := connect("/operator/mcp/readonly").InitializeResult(); r.Capabilities.Resources != nil {
			t.Error("an address that only reads may come to have resources that nobody says are safe to read")
		}
		if time.Now().After(deadline) {
			t.Fatal("the server does not tell what it offers")
		}
		s = connect("/operator/mcp")
	}
	if c := s.InitializeResult().Capabilities; c.Prompts != nil || !c.Resources.Subscribe {
		t.Errorf("announced are %+v", c)
	}
	if c := connect("/operator/mcp/readonly").InitializeResult().Capabilities; c.Resources != nil {
		t.Error("an address that only reads has resources that nobody says are safe to read")
	}
	const uri = "holotype:far/x:1"
	if r, err := s.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri}); err != nil || r.Contents[0].URI != uri {
		t.Errorf("read %v, %v", r, err)
	}
	if err := s.Subscribe(t.Context(), &mcp.SubscribeParams{URI: uri}); err != nil {
		t.Fatal(err)
	}
	if err := far.ResourceUpdated(t.Context(), &mcp.ResourceUpdatedNotificationParams{URI: "x:1"}); err != nil {
		t.Fatal(err)
	}
	select {
	case got := <-updated:
		if got != uri {
			t.Errorf("told of %s", got)
		}
	case <-time.After(20 * time.Second):
		t.Error("nobody is told that the resource changed")
	}
	r, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: "far__ask"})
	if err != nil || r.IsError {
		t.Errorf("the call ends with %v, %v", r, err)
	} else if got := <-asked; got != `The MCP server "far" asks: Who?` {
		t.Errorf("asked %q", got)
	}
	_, rows := g.http(http.MethodGet, "/api/v1/calls?limit=50", "")
	for _, want := range []string{`"far__resources/read"`, `"far__resources/subscribe"`, `"mcp:far"`} {
		if !strings.Contains(rows, want) {
			t.Errorf("the audit has no %s: %s", want, rows)
		}
	}
	if strings.Contains(rows, "Who?") || strings.Contains(rows, "decline") {
		t.Errorf("the audit has a question or its answer: %s", rows)
	}
	if r, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: "get_tool", Arguments: map[string]any{"name": "far__resources/read"}}); err != nil || !r.IsError {
		t.Errorf("a relayed method is shown as a tool: %v, %v", r, err)
	}
	_, projection := g.http(http.MethodGet, "/api/v1/projection", "")
	if !strings.Contains(projection, `"relays":[{"server":"far","methods":["logging/setLevel","resources/list","resources/read","resources/subscribe","resources/templates/list","resources/unsubscribe"]}]`) || !strings.Contains(projection, `"prompts":false`) {
		t.Errorf("describe_projection says %.3000s", projection)
	}
}
