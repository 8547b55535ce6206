//nolint:staticcheck // what 2026-07-28 deprecates is still asked for by 2025-11-25
package conformance_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/seed-89b9419b/holotype/internal/mcphook"
)

// beyond is what the product does not offer, served by the protocol library behind
// our server: resources, prompts, completion, logging, and tools that ask the client
// something while they run.
type beyond struct {
	library *mcp.Server
	tools   []libraryTool
}

type libraryTool struct {
	name string
	run  mcp.ToolHandler
}

func newBeyond() *beyond {
	return &beyond{tools: slices.Concat(askingTools(), inputTools())}
}

// hook answers what makes an MCP server serve it.
func (b *beyond) hook() mcphook.Hook {
	h := mcphook.Hook{
		Options: func(o *mcp.ServerOptions) {
			o.Capabilities.Logging = &mcp.LoggingCapabilities{}
			o.CompletionHandler = func(context.Context, *mcp.CompleteRequest) (*mcp.CompleteResult, error) {
				return &mcp.CompleteResult{Completion: mcp.CompletionResultDetails{Values: []string{"one", "two"}}}, nil
			}
			o.SubscribeHandler = func(context.Context, *mcp.SubscribeRequest) error { return nil }
			o.UnsubscribeHandler = func(context.Context, *mcp.UnsubscribeRequest) error { return nil }
		},
		Extend: b.extend,
		Methods: []string{
			"resources/list", "resources/templates/list", "resources/read", "resources/subscribe", "resources/unsubscribe",
			"prompts/list", "prompts/get", "completion/complete", "logging/setLevel",
		},
	}
	for _, tool := range b.tools {
		h.Tools = append(h.Tools, tool.name)
	}
	return h
}

func (b *beyond) extend(s *mcp.Server) {
	b.library = s
	for _, tool := range b.tools {
		s.AddTool(&mcp.Tool{Name: tool.name, InputSchema: json.RawMessage(`{"type":"object"}`)}, tool.run)
	}
	for _, one := range []mcp.ResourceContents{
		{URI: "test://static-text", MIMEType: "text/plain", Text: "This is the content of the static text resource."},
		{URI: "test://static-binary", MIMEType: "image/png", Blob: decoded(pixel)},
		{URI: "test://watched-resource", MIMEType: "text/plain", Text: "Watched."},
	} {
		name := strings.TrimPrefix(one.URI, "test://")
		s.AddResource(&mcp.Resource{URI: one.URI, Name: name, MIMEType: one.MIMEType, Description: "The resource " + name + "."},
			func(context.Context, *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
				contents := one
				return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{&contents}}, nil
			})
	}
	s.AddResourceTemplate(&mcp.ResourceTemplate{
		URITemplate: "test://template/{id}/data", Name: "template", MIMEType: "application/json", Description: "Data by id.",
	}, readTemplate)
	b.prompts()
}

func readTemplate(_ context.Context, r *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
	id := strings.TrimSuffix(strings.TrimPrefix(r.Params.URI, "test://template/"), "/data")
	data, err := json.Marshal(map[string]string{"id": id, "data": "Data for ID: " + id})
	if err != nil {
		return nil, err
	}
	return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{
		{URI: r.Params.URI, MIMEType: "application/json", Text: string(data)},
	}}, nil
}

func (b *beyond) prompts() {
	add := func(name string, arguments []string, answer func(map[string]string) []mcp.Content) {
		p := &mcp.Prompt{Name: name, Description: "The prompt " + name + "."}
		for _, a := range arguments {
			p.Arguments = append(p.Arguments, &mcp.PromptArgument{Name: a, Description: "The argument " + a + ".", Required: true})
		}
		b.library.AddPrompt(p, func(_ context.Context, r *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			return promptResult(answer(r.Params.Arguments)...), nil
		})
	}
	add("test_simple_prompt", nil, func(map[string]string) []mcp.Content {
		return []mcp.Content{text("This is a simple prompt for testing.")}
	})
	add("test_prompt_with_arguments", []string{"arg1", "arg2"}, func(a map[string]string) []mcp.Content {
		return []mcp.Content{text(fmt.Sprintf("Prompt with arguments: arg1='%s', arg2='%s'", a["arg1"], a["arg2"]))}
	})
	add("test_prompt_with_embedded_resource", []string{"resourceUri"}, func(a map[string]string) []mcp.Content {
		return []mcp.Content{
			&mcp.EmbeddedResource{Resource: &mcp.ResourceContents{URI: a["resourceUri"], MIMEType: "text/plain", Text: "Embedded."}},
			text("Please process the resource above."),
		}
	})
	add("test_prompt_with_image", nil, func(map[string]string) []mcp.Content {
		return []mcp.Content{&mcp.ImageContent{Data: decoded(pixel), MIMEType: "image/png"}, text("Please look at the image above.")}
	})
	b.library.AddPrompt(&mcp.Prompt{Name: "test_input_required_result_prompt", Description: "Asks for context first."}, promptWithInput)
}

// changePrompts makes the list of prompts another one.
func (b *beyond) changePrompts() {
	b.library.AddPrompt(&mcp.Prompt{Name: "passing", Description: "A prompt that comes and goes."},
		func(context.Context, *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) { return promptResult(), nil })
	b.library.RemovePrompts("passing")
}

func promptResult(contents ...mcp.Content) *mcp.GetPromptResult {
	r := &mcp.GetPromptResult{Description: "A prompt.", Messages: []*mcp.PromptMessage{}}
	for _, c := range contents {
		r.Messages = append(r.Messages, &mcp.PromptMessage{Role: "user", Content: c})
	}
	return r
}

func text(s string) *mcp.TextContent { return &mcp.TextContent{Text: s} }

func toolText(s string) (*mcp.CallToolResult, error) {
	return &mcp.CallToolResult{Content: []mcp.Content{text(s)}}, nil
}
