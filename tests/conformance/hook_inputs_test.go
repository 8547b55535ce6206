//nolint:staticcheck // what 2026-07-28 deprecates is still asked for by 2025-11-25
package conformance_test

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// inputTools answers the tools that end a call by asking for input, and go on in a
// second call that brings it (2026-07-28, multi round-trip requests).
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
		{"test_input_required_result_sampling", one("capital_question", sampling("What is the capital of France?"), sampled)},
		{"test_input_required_result_list_roots", one("client_roots", &mcp.ListRootsParams{}, listedRoots)},
		{"test_input_required_result_request_state", confirmed},
		{"test_input_required_result_tampered_state", confirmed},
		{"test_input_required_result_multiple_inputs", multipleInputs},
		{"test_input_required_result_multi_round", multipleRounds},
		{"test_input_required_result_capabilities", whatIsDeclared},
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

func sampled(r mcp.InputResponse) string {
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

// confirmed asks for a confirmation and binds the second call to the first.
func confirmed(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	if r.Params.RequestState == "" {
		return &mcp.CallToolResult{
			InputRequests: mcp.InputRequestMap{"confirm": form("Please confirm.", `{"ok":{"type":"boolean"}}`)},
			RequestState:  seal("confirm"),
		}, nil
	}
	step, err := unseal(r.Params.RequestState)
	if err != nil {
		return nil, err
	}
	if step != "confirm" || field(r.Params.InputResponses["confirm"], "ok") == "" {
		return toolText("not confirmed")
	}
	return toolText("state-ok")
}

func multipleInputs(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	in := r.Params.InputResponses
	name, greeting, roots := field(in["user_name"], "name"), sampled(in["greeting"]), listedRoots(in["client_roots"])
	if name != "" && greeting != "" && roots != "" {
		return toolText(strings.Join([]string{name, greeting, roots}, "; "))
	}
	return &mcp.CallToolResult{
		InputRequests: mcp.InputRequestMap{
			"user_name": askName(), "greeting": sampling("Generate a greeting."), "client_roots": &mcp.ListRootsParams{},
		},
		RequestState: seal("inputs"),
	}, nil
}

// multipleRounds keeps what it heard in the state, since no session keeps it.
func multipleRounds(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	ask := func(key, message, property, heard string) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{
			InputRequests: mcp.InputRequestMap{key: form(message, `{"`+property+`":{"type":"string"}}`)},
			RequestState:  seal(key + " " + heard),
		}, nil
	}
	if r.Params.RequestState == "" {
		return ask("step1", "What is your name?", "name", "")
	}
	state, err := unseal(r.Params.RequestState)
	if err != nil {
		return nil, err
	}
	step, heard, _ := strings.Cut(state, " ")
	if step == "step1" {
		return ask("step2", "What is your favourite colour?", "color", field(r.Params.InputResponses["step1"], "name"))
	}
	return toolText(heard + " likes " + field(r.Params.InputResponses["step2"], "color"))
}

// whatIsDeclared asks for nothing that the client does not declare.
func whatIsDeclared(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	ask := mcp.InputRequestMap{}
	if c := r.ClientCapabilities(); c != nil && len(r.Params.InputResponses) == 0 {
		if c.Elicitation != nil {
			ask["user_name"] = askName()
		}
		if c.Sampling != nil {
			ask["greeting"] = sampling("Generate a greeting.")
		}
		if c.RootsV2 != nil {
			ask["client_roots"] = &mcp.ListRootsParams{}
		}
	}
	if len(ask) == 0 {
		return toolText("nothing is left to ask")
	}
	return &mcp.CallToolResult{InputRequests: ask}, nil
}

func promptWithInput(_ context.Context, r *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
	if said := field(r.Params.InputResponses["user_context"], "context"); said != "" {
		return promptResult(text("Context: " + said)), nil
	}
	return &mcp.GetPromptResult{InputRequests: mcp.InputRequestMap{
		"user_context": form("Please give some context.", `{"context":{"type":"string"}}`),
	}}, nil
}

// seal and unseal keep a client from making a state of its own. The key needs no
// secrecy in a test.
func seal(state string) string {
	mac := hmac.New(sha256.New, []byte("conformance"))
	mac.Write([]byte(state))
	return base64.RawURLEncoding.EncodeToString([]byte(state)) + "." + base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

func unseal(sealed string) (string, error) {
	encoded, _, _ := strings.Cut(sealed, ".")
	state, err := base64.RawURLEncoding.DecodeString(encoded)
	if err != nil || !hmac.Equal([]byte(seal(string(state))), []byte(sealed)) {
		return "", &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "this request state was not made here"}
	}
	return string(state), nil
}
