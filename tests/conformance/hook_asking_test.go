//nolint:staticcheck // what 2026-07-28 deprecates is still asked for by 2025-11-25
package conformance_test

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// askingTools answers the tools that use the session they are called in: they write
// to the client's log, ask its model, or ask its user.
func askingTools() []libraryTool {
	return []libraryTool{
		{"test_tool_with_logging", logging("Tool execution started", "Tool processing data", "Tool execution completed")},
		{"test_logging_tool", logging("test_logging_tool executed")},
		{"test_sampling", sample},
		{"test_missing_capability", needSampling},
		{"test_elicitation", elicitation(`{
			"username": {"type": "string", "description": "The name to use."},
			"email": {"type": "string", "description": "The address to use."}
		}`)},
		{"test_elicitation_sep1034_defaults", elicitation(`{
			"name": {"type": "string", "default": "John Doe"},
			"age": {"type": "integer", "default": 30},
			"score": {"type": "number", "default": 95.5},
			"status": {"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"},
			"verified": {"type": "boolean", "default": true}
		}`)},
		{"test_elicitation_sep1330_enums", elicitation(`{
			"untitledSingle": {"type": "string", "enum": ["option1", "option2", "option3"]},
			"titledSingle": {"type": "string", "oneOf": [
				{"const": "value1", "title": "First Option"}, {"const": "value2", "title": "Second Option"}, {"const": "value3", "title": "Third Option"}
			]},
			"legacyEnum": {"type": "string", "enum": ["opt1", "opt2", "opt3"], "enumNames": ["Option One", "Option Two", "Option Three"]},
			"untitledMulti": {"type": "array", "minItems": 1, "maxItems": 3, "items": {"type": "string", "enum": ["option1", "option2", "option3"]}},
			"titledMulti": {"type": "array", "minItems": 1, "maxItems": 3, "items": {"anyOf": [
				{"const": "value1", "title": "First Choice"}, {"const": "value2", "title": "Second Choice"}, {"const": "value3", "title": "Third Choice"}
			]}}
		}`)},
	}
}

func logging(lines ...string) mcp.ToolHandler {
	return func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		for _, line := range lines {
			if err := r.Session.Log(ctx, &mcp.LoggingMessageParams{Level: "info", Data: line}); err != nil {
				return nil, err
			}
		}
		return toolText("logged")
	}
}

func sample(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	var in struct{ Prompt string }
	if err := json.Unmarshal(r.Params.Arguments, &in); err != nil {
		return nil, err
	}
	answer, err := r.Session.CreateMessage(ctx, sampling(in.Prompt))
	if err != nil {
		return nil, err
	}
	said, ok := answer.Content.(*mcp.TextContent)
	if !ok {
		return nil, fmt.Errorf("the client's model answered %T", answer.Content)
	}
	return toolText("LLM response: " + said.Text)
}

func sampling(prompt string) *mcp.CreateMessageParams {
	return &mcp.CreateMessageParams{
		Messages: []*mcp.SamplingMessage{{Role: "user", Content: text(prompt)}}, MaxTokens: 100,
	}
}

// needSampling refuses clients whose model cannot be asked.
func needSampling(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	if c := r.ClientCapabilities(); c != nil && c.Sampling != nil {
		return toolText("the client can be asked")
	}
	return nil, &jsonrpc.Error{
		Code: mcp.CodeMissingRequiredClientCapabilities, Message: "the client declares no sampling",
		Data: json.RawMessage(`{"requiredCapabilities":{"sampling":{}}}`),
	}
}

func elicitation(properties string) mcp.ToolHandler {
	return func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		answer, err := r.Session.Elicit(ctx, form("Please fill this in.", properties))
		if err != nil {
			return nil, err
		}
		content, err := json.Marshal(answer.Content)
		if err != nil {
			return nil, err
		}
		return toolText(fmt.Sprintf("action=%s, content=%s", answer.Action, content))
	}
}

// form asks for the properties, given as members of a JSON object.
func form(message, properties string) *mcp.ElicitParams {
	return &mcp.ElicitParams{
		Message:         message,
		RequestedSchema: json.RawMessage(`{"type":"object","properties":` + properties + `}`),
	}
}
