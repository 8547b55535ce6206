//nolint:staticcheck // what 2026-07-28 deprecates is still asked for by 2025-11-25
package conformance_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// inputTools answers the tools that end a call by asking for input, and go on in a
// second call that brings it (2026-07-28, multi round-trip requests), as far as they name
// their questions, need no state or put several at once. The product's own way of asking
// serves the others.
func inputTools() []libraryTool {
	one := func(key string, ask mcp.InputRequest, answer func(mcp.InputResponse) string) mcp.ToolHandler {
		return func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			if said := answer(r.Params.InputResponses[key]); said != "" {
				return toolText(said)
			}
			return &mcp.CallToolResult{InputRequests: mcp.InputRequestMap{key: ask}}, nil
		}
	}
	return []libraryTool{
		{"test_input_required_result_elicitation", one("user_name", askName(), func(r mcp.InputResponse) string {
			if name := field(r, "name"); name != "" {
				return "Hello, " + name + "!"
			}
			return ""
		})},
		{"test_input_required_result_multiple_inputs", multipleInputs},
	}
}

func askName() *mcp.ElicitParams { return form("What is your name?", `{"name":{"type":"string"}}`) }

// field answers a field of a form that the user filled in, or "".
func field(r mcp.InputResponse, name string) string {
	filled, ok := r.(*mcp.ElicitResult)
	if !ok || filled == nil || filled.Action != "accept" {
		return ""
	}
	switch v := filled.Content[name].(type) {
	case nil:
		return ""
	case string:
		return v
	default:
		return fmt.Sprint(v)
	}
}

func saidByModel(r mcp.InputResponse) string {
	if m, ok := r.(*mcp.CreateMessageWithToolsResult); ok && m != nil {
		for _, c := range m.Content {
			if said, ok := c.(*mcp.TextContent); ok {
				return "The model said: " + said.Text
			}
		}
	}
	return ""
}

func listedRoots(r mcp.InputResponse) string {
	if roots, ok := r.(*mcp.ListRootsResult); ok && roots != nil {
		return fmt.Sprintf("%d roots", len(roots.Roots))
	}
	return ""
}

func multipleInputs(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	in := r.Params.InputResponses
	name, greeting, roots := field(in["user_name"], "name"), saidByModel(in["greeting"]), listedRoots(in["client_roots"])
	if name != "" && greeting != "" && roots != "" {
		return toolText(strings.Join([]string{name, greeting, roots}, "; "))
	}
	return &mcp.CallToolResult{
		InputRequests: mcp.InputRequestMap{
			"user_name": askName(), "greeting": sampling("Generate a greeting."), "client_roots": &mcp.ListRootsParams{},
		},
		RequestState: "inputs",
	}, nil
}

func promptWithInput(_ context.Context, r *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
	if said := field(r.Params.InputResponses["user_context"], "context"); said != "" {
		return promptResult(text("Context: " + said)), nil
	}
	return &mcp.GetPromptResult{InputRequests: mcp.InputRequestMap{
		"user_context": form("Please give some context.", `{"context":{"type":"string"}}`),
	}}, nil
}
