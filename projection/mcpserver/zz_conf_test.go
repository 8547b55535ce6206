package mcpserver_test

import (
	"context"
	"net/http"
	"os"
	"testing"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/projection/mcpserver"
)

type Img struct{ Text string `json:"text" jsonschema_description:"x."` }

func (Img) Blocks() []capabilities.Block {
	return []capabilities.Block{capabilities.ImageBlock("image/png", []byte{0x89, 0x50}), capabilities.AudioBlock("audio/wav", []byte{1}), capabilities.TextFileBlock("test://x", "text/plain", "hi")}
}

func TestZZ(t *testing.T) {
	if os.Getenv("CONF") == "" {
		t.Skip()
	}
	adjust := []func(*mcpserver.Options){func(o *mcpserver.Options) {
		o.Authenticate = func(*http.Request) (*capabilities.Principal, error) { return capabilities.OwnerPrincipal(), nil }
	}}
	if os.Getenv("CONF") == "slow" {
		adjust = append(adjust, library)
	}
	f := newFixture(t, adjust...)
	mk := func(name string, h capabilities.Handler) *capabilities.Capability {
		return bridged(t, "x__"+name, func(s *capabilities.BridgedSpec) { s.Name = name; s.Handler = h; s.Server = "conf" })
	}
	one := func(b ...capabilities.Block) capabilities.Handler {
		return func(context.Context, *capabilities.Invocation) (*capabilities.Result, error) {
			return &capabilities.Result{Blocks: b}, nil
		}
	}
	f.bridge("conf",
		mk("test_simple_text", one(capabilities.TextBlock("This is a simple text response for testing."))),
		mk("test_image_content", one(capabilities.ImageBlock("image/png", []byte{1, 2, 3}))),
		mk("test_audio_content", one(capabilities.AudioBlock("audio/wav", []byte{1, 2, 3}))),
		mk("test_embedded_resource", one(capabilities.TextFileBlock("test://embedded-resource", "text/plain", "This is an embedded resource content."))),
		mk("test_multiple_content_types", one(capabilities.TextBlock("Multiple content types test:"), capabilities.ImageBlock("image/png", []byte{1}), capabilities.TextFileBlock("test://mixed-content-resource", "application/json", `{"test":"data","value":123}`))),
		mk("test_error_handling", func(context.Context, *capabilities.Invocation) (*capabilities.Result, error) {
			e := capabilities.Refuse(capabilities.UpstreamError, "This tool intentionally returns an error for testing")
			e.Upstream = &capabilities.Result{Blocks: []capabilities.Block{capabilities.TextBlock("This tool intentionally returns an error for testing")}}
			return nil, e
		}),
		mk("test_tool_with_progress", func(ctx context.Context, _ *capabilities.Invocation) (*capabilities.Result, error) {
			for _, v := range []float64{0, 50, 100} {
				capabilities.CallFrom(ctx).Report(capabilities.Progress{Value: v, Total: 100})
			}
			return &capabilities.Result{Blocks: []capabilities.Block{capabilities.TextBlock("done")}}, nil
		}),
	)
	t.Fatal(http.ListenAndServe("127.0.0.1:4977", f.server.Handler()))
}
