package holotype

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/wire"
)

// Client calls the tools of a server in this process as an MCP client does: every
// request and answer crosses the wire format of the protocol, and nothing listens.
// It is for tests of what a client gets; [Server.Invoke] and the typed
// [capabilities.Handle] call without a wire. Get one from [Server.Client]; it is
// safe for concurrent use and has nothing to close.
type Client struct {
	s *Server
	p *capabilities.Principal
}

// Client answers a client that calls as the principal. A nil principal has no
// credential, and its calls are refused as unauthenticated.
func (s *Server) Client(p *capabilities.Principal) *Client { return &Client{s, p} }

// Tool is a tool as an MCP client is told of it.
type Tool struct {
	Name, Title, Description string
	// InputSchema and OutputSchema are JSON Schema 2020-12; OutputSchema is nil where
	// the tool states none.
	InputSchema, OutputSchema json.RawMessage
	// Hints are what the annotations say: a hint that is not on the wire is Unknown.
	Hints capabilities.Hints
	// Effect is the declared effect; it is not Declared for a bridged tool.
	Effect capabilities.Effect
	// Raw is the whole tool as it was sent.
	Raw json.RawMessage
}

// Tools lists the tools that the principal sees, in the order of the wire.
func (c *Client) Tools(ctx context.Context) ([]Tool, error) {
	var all []Tool
	for cursor := ""; ; {
		params := map[string]any{}
		if cursor != "" {
			params["cursor"] = cursor
		}
		raw, err := c.request(ctx, "tools/list", params)
		if err != nil {
			return nil, err
		}
		var page struct {
			Tools      []json.RawMessage `json:"tools"`
			NextCursor string            `json:"nextCursor"`
		}
		if err := json.Unmarshal(raw, &page); err != nil {
			return nil, fmt.Errorf("reading the tools list: %w", err)
		}
		for _, one := range page.Tools {
			t, err := parseTool(one)
			if err != nil {
				return nil, fmt.Errorf("reading the tools list: %w", err)
			}
			all = append(all, t)
		}
		if page.NextCursor == "" || page.NextCursor == cursor {
			return all, nil
		}
		cursor = page.NextCursor
	}
}

// Call calls a tool with a JSON object of arguments; empty means {}. The result's
// Structured is the value, its Blocks are the content as on the wire, in which the
// value stands once more as text. The error's chain holds an [*capabilities.Error]
// when the call was refused; it wraps [capabilities.ErrUnknownCapability] for a name
// that the server does not have.
func (c *Client) Call(ctx context.Context, name string, args json.RawMessage) (*capabilities.Result, error) {
	if len(bytes.TrimSpace(args)) == 0 {
		args = json.RawMessage("{}")
	}
	if !json.Valid(args) {
		return nil, capabilities.Refuse(capabilities.Invalid, "the arguments of %s are no JSON", name)
	}
	raw, err := c.request(ctx, "tools/call", map[string]any{"name": name, "arguments": args})
	if failed, ok := errors.AsType[*rpcError](err); ok && failed.Code == invalidParams {
		return nil, capabilities.Refuse(capabilities.NotFound, "%s", failed.Message).Because(capabilities.ErrUnknownCapability)
	}
	if err != nil {
		return nil, err
	}
	return wire.ParseToolResult(raw)
}

func parseTool(raw json.RawMessage) (Tool, error) {
	var t struct {
		Name         string                     `json:"name"`
		Title        string                     `json:"title"`
		Description  string                     `json:"description"`
		InputSchema  json.RawMessage            `json:"inputSchema"`
		OutputSchema json.RawMessage            `json:"outputSchema"`
		Annotations  map[string]json.RawMessage `json:"annotations"`
		Meta         map[string]json.RawMessage `json:"_meta"`
	}
	if err := json.Unmarshal(raw, &t); err != nil {
		return Tool{}, err
	}
	out := Tool{
		Name: t.Name, Title: t.Title, Description: t.Description, InputSchema: t.InputSchema, OutputSchema: t.OutputSchema, Raw: raw,
		Hints: capabilities.Hints{
			ReadOnly: hintOf(t.Annotations["readOnlyHint"]), Destructive: hintOf(t.Annotations["destructiveHint"]),
			Idempotent: hintOf(t.Annotations["idempotentHint"]), OpenWorld: hintOf(t.Annotations["openWorldHint"]),
		},
	}
	if meta, ok := t.Meta[wire.MetaEffect]; ok {
		var e struct{ Change, Reach string }
		if err := json.Unmarshal(meta, &e); err != nil {
			return Tool{}, fmt.Errorf("the effect of %s: %w", t.Name, err)
		}
		out.Effect, _ = capabilities.ParseEffect(e.Change, e.Reach) // a bridged tool has none
	}
	return out, nil
}

// hintOf reads a hint: what is no JSON boolean is unknown.
func hintOf(raw json.RawMessage) capabilities.Hint {
	switch string(raw) {
	case "true":
		return capabilities.Yes
	case "false":
		return capabilities.No
	}
	return capabilities.Unknown
}

// rpcError is the error member of a JSON-RPC answer.
type rpcError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

const invalidParams = -32602 // JSON-RPC 2.0 section 5.1; a name that no tool has

// Error answers the server's sentence.
func (e *rpcError) Error() string { return fmt.Sprintf("%s (JSON-RPC %d)", e.Message, e.Code) }

// request sends one request of the sessionless revision and answers its result.
func (c *Client) request(ctx context.Context, method string, params map[string]any) (json.RawMessage, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("calling %s: %w", method, err)
	}
	e, err := c.s.started()
	if err != nil {
		return nil, err
	}
	params["_meta"] = map[string]any{
		"io.modelcontextprotocol/protocolVersion":    e.mcp.SurfaceFacts().ProtocolVersions[0],
		"io.modelcontextprotocol/clientInfo":         map[string]string{"name": c.s.o.Name, "version": c.s.o.Version},
		"io.modelcontextprotocol/clientCapabilities": struct{}{},
	}
	line, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
	if err != nil {
		return nil, fmt.Errorf("writing a request of %s: %w", method, err)
	}
	// The stream must not end before the answer is there, or the call would be cut.
	in, end := io.Pipe()
	a := &answerWriter{end: end}
	go func() {
		// The write fails when the server has stopped reading; its error says so.
		_, _ = end.Write(append(line, '\n'))
	}()
	err = e.mcp.ServeStdio(ctx, in, a, c.p)
	// Frees the two goroutines of this request that may wait at the pipe.
	_ = in.Close()
	if err == nil {
		err = errNoAnswer
	}
	return a.answer(fmt.Errorf("calling %s: %w", method, err))
}

var errNoAnswer = errors.New("the server ended the stream without an answer")

// answerWriter keeps the answer out of the lines that a server writes, and ends the
// stream when it is there.
type answerWriter struct {
	end io.Closer

	mu     sync.Mutex
	done   bool
	result json.RawMessage
	failed *rpcError
}

// Write takes one line of JSON-RPC: the server writes each with one call.
func (a *answerWriter) Write(line []byte) (int, error) {
	var m struct {
		Method string          `json:"method"`
		Result json.RawMessage `json:"result"`
		Error  *rpcError       `json:"error"`
	}
	if err := json.Unmarshal(line, &m); err != nil {
		return 0, fmt.Errorf("the server wrote a line that is no JSON: %w", err)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if m.Method != "" || a.done {
		return len(line), nil // a notification, or more than was asked for
	}
	a.done, a.result, a.failed = true, m.Result, m.Error
	return len(line), a.end.Close()
}

// answer answers the result that came, the error that came, or without either none.
func (a *answerWriter) answer(none error) (json.RawMessage, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	switch {
	case a.failed != nil:
		return nil, a.failed
	case !a.done:
		return nil, none
	}
	return a.result, nil
}
