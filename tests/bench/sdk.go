package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strconv"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/seed-89b9419b/holotype/capabilities"
)

func implementation() *mcp.Implementation {
	return &mcp.Implementation{Name: "plain", Version: "1"}
}

// sdkHandler serves a server of the library the way that was measured as its
// fastest: sessions, and answers as JSON.
func sdkHandler(s *mcp.Server) http.Handler {
	return mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s }, &mcp.StreamableHTTPOptions{JSONResponse: true})
}

// sdkServer serves the measured capabilities with the library's generic, validating
// AddTool and the very schemas that the product publishes.
func sdkServer() (*mcp.Server, error) {
	reg, err := capabilities.Assemble(packs()...)
	if err != nil {
		return nil, err
	}
	s := mcp.NewServer(implementation(), nil)
	if err := addSDK(s, reg, "take_note", takeNote); err != nil {
		return nil, err
	}
	return s, addSDK(s, reg, "file", file)
}

func addSDK[In, Out any](s *mcp.Server, reg *capabilities.Registry, name string, f func(In) Out) error {
	c, ok := reg.Find(name)
	if !ok {
		return fmt.Errorf("there is no capability %q", name)
	}
	t := &mcp.Tool{Name: name, Title: c.Title(), Description: c.Summary(), InputSchema: c.Input().Raw(), OutputSchema: c.Output().Raw()}
	mcp.AddTool(s, t, func(_ context.Context, _ *mcp.CallToolRequest, in In) (*mcp.CallToolResult, Out, error) {
		return nil, f(in), nil
	})
	return nil
}

// sdkOf serves n of the fake server's tools.
func sdkOf(n int) (*mcp.Server, error) {
	s := mcp.NewServer(implementation(), &mcp.ServerOptions{PageSize: pageSize})
	for i := range n {
		t := &mcp.Tool{}
		if err := json.Unmarshal([]byte(fakeTool(i)), t); err != nil {
			return nil, err
		}
		s.AddTool(t, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{}, nil
		})
	}
	return s, nil
}

// sdkBridge is a bridge as the library's documentation suggests it: its client, and
// a server that passes every tool on.
func sdkBridge(ctx context.Context, tools string) (*mcp.Server, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, self, "child", "fake", tools)
	session, err := mcp.NewClient(implementation(), nil).Connect(ctx, &mcp.CommandTransport{Command: cmd}, nil)
	if err != nil {
		return nil, err
	}
	s := mcp.NewServer(implementation(), &mcp.ServerOptions{PageSize: pageSize})
	for t, err := range session.Tools(ctx, nil) {
		if err != nil {
			return nil, err
		}
		s.AddTool(t, func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return session.CallTool(ctx, &mcp.CallToolParams{Name: t.Name, Arguments: r.Params.Arguments})
		})
	}
	return s, nil
}

// pageCopy answers the pages of a list from memory, by the cursor that is asked for.
func pageCopy(files []string) (http.Handler, error) {
	pages := map[string][]byte{}
	cursor := ""
	for _, f := range files {
		page, err := os.ReadFile(f)
		if err != nil {
			return nil, err
		}
		pages[cursor] = page
		cursor = cursorOf(page)
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked, err := io.ReadAll(r.Body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		cursor := ""
		if _, rest, ok := bytes.Cut(asked, []byte(`"cursor":`)); ok {
			cursor = string(bytes.TrimRight(rest, "}"))
		}
		page := pages[cursor]
		h := w.Header()
		h.Set("Content-Type", "application/json")
		h.Set("Content-Length", strconv.Itoa(len(page)))
		_, _ = w.Write(page) // the caller is gone
	}), nil
}
