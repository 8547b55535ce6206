package mcpserver_test

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	oldestVersion = "2024-11-05"
	olderVersion  = "2025-06-18"
)

// upstream is a server of the library that has one of everything.
type upstream struct {
	*mcp.Server
	mu      sync.Mutex
	stopped map[string]bool // calls that were cancelled, by their key
}

func serveStdio(u *upstream, t mcp.Transport) {
	_ = u.Run(context.Background(), t) // it ends when its input does
}

// newUpstream answers a server that speaks up to a revision of the protocol.
func newUpstream(era string) *upstream {
	nothing := func(context.Context, *mcp.SubscribeRequest) error { return nil }
	u := &upstream{stopped: map[string]bool{}}
	u.Server = mcp.NewServer(&mcp.Implementation{Name: "upstream", Version: era}, &mcp.ServerOptions{
		Capabilities:       &mcp.ServerCapabilities{Logging: &mcp.LoggingCapabilities{}},
		SubscribeHandler:   nothing,
		UnsubscribeHandler: func(context.Context, *mcp.UnsubscribeRequest) error { return nil },
		CompletionHandler: func(_ context.Context, r *mcp.CompleteRequest) (*mcp.CompleteResult, error) {
			of := r.Params.Ref.Name + r.Params.Ref.URI
			return &mcp.CompleteResult{Completion: mcp.CompletionResultDetails{Values: []string{of + "=" + r.Params.Argument.Value + "!"}}}, nil
		},
	})
	if era < modernVersion {
		u.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
			return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
				if method == "server/discover" {
					return nil, &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: "method not found"}
				}
				res, err := next(ctx, method, req)
				if r, ok := res.(*mcp.InitializeResult); ok {
					r.ProtocolVersion = era
				}
				return res, err
			}
		})
	}
	object := json.RawMessage(`{"type":"object"}`)
	for name, run := range map[string]mcp.ToolHandler{
		"steps": func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			for i := range 3 {
				if err := r.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: r.Params.GetProgressToken(), Progress: float64(i + 1), Total: 3}); err != nil {
					return nil, err
				}
			}
			return saying("done"), nil
		},
		"log": func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			for _, level := range []mcp.LoggingLevel{"debug", "warning"} {
				if err := r.Session.Log(ctx, &mcp.LoggingMessageParams{Level: level, Logger: "db", Data: string(level)}); err != nil {
					return nil, err
				}
			}
			return saying("done"), nil
		},
		"wait": func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			_ = r.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: r.Params.GetProgressToken(), Progress: 1})
			<-ctx.Done()
			u.mu.Lock()
			defer u.mu.Unlock()
			u.stopped[string(r.Params.Arguments)] = true
			return nil, ctx.Err()
		},
		"stopped": func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			for until := time.Now().Add(10 * time.Second); time.Now().Before(until); time.Sleep(time.Millisecond) {
				u.mu.Lock()
				stopped := u.stopped[string(r.Params.Arguments)]
				u.mu.Unlock()
				if stopped {
					return saying("stopped"), nil
				}
			}
			return saying("it runs on"), nil
		},
		"ask": func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return asked(r.Params.InputResponses, string(r.Params.Arguments))
		},
		"link": func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{Content: []mcp.Content{
				&mcp.ResourceLink{URI: "test://text", Name: "text"},
				&mcp.EmbeddedResource{Resource: &mcp.ResourceContents{URI: "test://text", Text: "inside"}},
			}}, nil
		},
		"touch": func(ctx context.Context, _ *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return saying("done"), u.ResourceUpdated(ctx, &mcp.ResourceUpdatedNotificationParams{URI: "test://text"})
		},
		"grow": func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			var in struct{ Name string }
			if err := json.Unmarshal(r.Params.Arguments, &in); err != nil {
				return nil, err
			}
			u.AddPrompt(&mcp.Prompt{Name: in.Name}, u.greet)
			u.AddResource(&mcp.Resource{URI: "test://" + in.Name, Name: in.Name}, u.read)
			return saying("done"), nil
		},
	} {
		u.AddTool(&mcp.Tool{Name: name, InputSchema: object}, run)
	}
	u.AddPrompt(&mcp.Prompt{Name: "greet", Arguments: []*mcp.PromptArgument{{Name: "who", Required: true}}}, u.greet)
	u.AddResource(&mcp.Resource{URI: "test://text", Name: "text", MIMEType: "text/plain"}, u.read)
	u.AddResourceTemplate(&mcp.ResourceTemplate{URITemplate: "test://item/{id}", Name: "item"}, u.read)
	return u
}

func (u *upstream) greet(_ context.Context, r *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
	return &mcp.GetPromptResult{Messages: []*mcp.PromptMessage{
		{Role: "user", Content: &mcp.TextContent{Text: "hello " + r.Params.Arguments["who"]}},
		{Role: "user", Content: &mcp.EmbeddedResource{Resource: &mcp.ResourceContents{URI: "test://text", Text: "inside"}}},
	}}, nil
}

func (u *upstream) read(_ context.Context, r *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
	return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: r.Params.URI, Text: "read " + r.Params.URI}}}, nil
}

func saying(text string) *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}
}

// asked asks the client what the arguments say, and answers what it said.
func asked(said mcp.InputResponseMap, arguments string) (*mcp.CallToolResult, error) {
	var in struct{ What string }
	if err := json.Unmarshal([]byte(arguments), &in); err != nil {
		return nil, err
	}
	if said != nil {
		heard, err := json.Marshal(said)
		return saying(string(heard)), err
	}
	question, ok := map[string]mcp.InputRequest{
		"form": &mcp.ElicitParams{Message: "Which?", RequestedSchema: json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer"}}}`)},
		"url":  &mcp.ElicitParams{Mode: "url", Message: "Look.", URL: "https://id.example/", ElicitationID: "e1"},
		"sampling": &mcp.CreateMessageParams{MaxTokens: 5, Messages: []*mcp.SamplingMessage{
			{Role: "user", Content: &mcp.TextContent{Text: "hi"}},
		}},
		"roots": &mcp.ListRootsParams{},
	}[in.What]
	if !ok {
		return nil, errors.New("no such question")
	}
	return &mcp.CallToolResult{InputRequests: mcp.InputRequestMap{"q": question}, RequestState: "state of " + in.What}, nil
}
