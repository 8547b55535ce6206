//nolint:staticcheck // what 2026-07-28 deprecates is still asked for by 2025-11-25
package conformance_test

import (
	"context"
	"encoding/json"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// askingTools answers the tools that use the session they are called in: they write
// to the client's log, or look at what it declares.
func askingTools() []libraryTool {
	return []libraryTool{
		{"test_tool_with_logging", logging("Tool execution started", "Tool processing data", "Tool execution completed")},
		{"test_logging_tool", logging("test_logging_tool executed")},
		{"test_missing_capability", needSampling},
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

// form asks for the properties, given as members of a JSON object.
func form(message, properties string) *mcp.ElicitParams {
	return &mcp.ElicitParams{
		Message:         message,
		RequestedSchema: json.RawMessage(`{"type":"object","properties":` + properties + `}`),
	}
}
