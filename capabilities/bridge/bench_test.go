package bridge_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/capabilities/bridge"
)

// BenchmarkCall measures one call of 100 bytes and of 100 kB through the door and
// the bridge, and through a plain SDK client.
func BenchmarkCall(b *testing.B) {
	exe, err := os.Executable()
	if err != nil {
		b.Fatal(err)
	}
	server := newSDKServer(`{"type":"object"}`)
	srv := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, &mcp.StreamableHTTPOptions{Stateless: true}))
	defer srv.Close()
	stdio := bridge.Server{Name: "s", Command: exe, Env: map[string]string{"FAKE_MODE": "good"}}
	for name, conf := range map[string]bridge.Server{"stdio": stdio, "http": {Name: "s", URL: srv.URL}} {
		for size, n := range map[string]int{"100B": 100, "100kB": 100 << 10} {
			args := json.RawMessage(`{"text":"` + strings.Repeat("x", n) + `"}`)
			b.Run(name+"/"+size+"/bridge", func(b *testing.B) { benchBridge(b, conf, args) })
			b.Run(name+"/"+size+"/sdk", func(b *testing.B) { benchSDK(b, conf, args) })
		}
	}
}

func benchBridge(b *testing.B, conf bridge.Server, args json.RawMessage) {
	empty, err := capabilities.Assemble()
	if err != nil {
		b.Fatal(err)
	}
	live := capabilities.NewLive(empty)
	log := slog.New(slog.DiscardHandler)
	door := capabilities.NewDoor(capabilities.DoorOptions{Viewer: capabilities.NewViews(live, capabilities.Scopes{}), Log: log, Now: time.Now})
	br, err := bridge.New(bridge.Options{
		Servers: []bridge.Server{conf}, Log: log, Now: time.Now, Version: "1",
		Publish: func(seat, server string, tools []*capabilities.Capability) { live.Replace(seat, server, tools) },
	})
	if err != nil {
		b.Fatal(err)
	}
	br.Start(b.Context())
	defer func() {
		if err := br.Stop(context.WithoutCancel(b.Context())); err != nil {
			b.Error(err)
		}
	}()
	if err := br.Ready(b.Context(), "s"); err != nil {
		b.Fatal(err)
	}
	call := capabilities.Call{Name: "s__echo", Arguments: args, Principal: capabilities.OwnerPrincipal(), Surface: capabilities.MCP}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := door.Invoke(b.Context(), call); err != nil {
			b.Fatal(err)
		}
	}
}

func benchSDK(b *testing.B, conf bridge.Server, args json.RawMessage) {
	client := mcp.NewClient(&mcp.Implementation{Name: "b", Version: "1"}, nil)
	var transport mcp.Transport = &mcp.StreamableClientTransport{Endpoint: conf.URL}
	if conf.Command != "" {
		cmd := exec.Command(conf.Command)
		cmd.Env = []string{"FAKE_MODE=good"}
		transport = &mcp.CommandTransport{Command: cmd}
	}
	session, err := client.Connect(b.Context(), transport, nil)
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = session.Close() }() // the process may have ended by its own
	b.ReportAllocs()
	for b.Loop() {
		if _, err := session.CallTool(b.Context(), &mcp.CallToolParams{Name: "echo", Arguments: args}); err != nil {
			b.Fatal(err)
		}
	}
}
