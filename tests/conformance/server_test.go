package conformance_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/seed-89b9419b/holotype"
	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/projection/httpapi"
	"github.com/seed-89b9419b/holotype/projection/mcpserver"
)

// path is where MCP is served.
const path = "/operator/mcp"

// A subject is a server under test.
type subject struct {
	name  string
	url   string // its root, without credential
	token string
	// origin says on whose code a request runs.
	origin func(method, target string) string
}

// realServer serves what the program serves, composed as the program composes it.
func realServer(t *testing.T) *subject {
	t.Helper()
	dir := t.TempDir()
	server := holotype.New(holotype.Options{
		Data: dir, Lookup: func(string) (string, bool) { return "", false }, Log: logTo(t),
	})
	handler, err := server.Handler()
	if err != nil {
		t.Fatal(err)
	}
	url := serve(t, handler, server.Shutdown)
	token, err := os.ReadFile(filepath.Join(dir, "owner.token"))
	if err != nil {
		t.Fatal(err)
	}
	return &subject{
		name: "real", url: url, token: strings.TrimSpace(string(token)),
		origin: func(string, string) string { return "real server" },
	}
}

// fixtureServer serves the tools that the scenarios call by name: both projections
// of the product over a registry of the test's, with the hook for the rest.
func fixtureServer(t *testing.T) *subject {
	t.Helper()
	b := newBeyond()
	var live *capabilities.Live
	var changes atomic.Int64
	d := deps{changePrompts: b.changePrompts, changeTools: func() error {
		c, err := passing(changes.Add(1))
		if err != nil {
			return err
		}
		live.Replace("", "passing", []*capabilities.Capability{c})
		return nil
	}}
	registry, err := capabilities.Assemble(newPack().Bind(d))
	if err != nil {
		t.Fatal(err)
	}
	live = capabilities.NewLive(registry)
	live.Replace("", bridgedServer, bridgedTools(t))
	views := capabilities.NewViews(live, capabilities.Scopes{})
	log := logTo(t)
	door := capabilities.NewDoor(capabilities.DoorOptions{Viewer: views, Codes: registry.Codes(), Log: log, Now: time.Now})
	hook := b.hook()
	server, err := mcpserver.New(mcpserver.Options{
		Door: door, Viewer: views, Log: log, Now: time.Now, Path: path, Hook: hook,
		Authenticate: func(r *http.Request) (*capabilities.Principal, error) { return httpapi.PrincipalOf(r.Context()), nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	const token = "conformance"
	front, err := httpapi.New(httpapi.Options{
		Door: door, Viewer: views, Builtins: registry, MCP: server.Handler(), Log: log, Now: time.Now,
		Authenticate: func(r *http.Request) (*capabilities.Principal, error) {
			if r.Header.Get("Authorization") != "Bearer "+token {
				return nil, nil
			}
			return capabilities.OwnerPrincipal(), nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return &subject{
		name: "fixture", token: token,
		url: serve(t, front.Handler(), server.Shutdown),
		origin: func(method, target string) string {
			switch {
			case slices.Contains(hook.Methods, method), method == callMethod && slices.Contains(hook.Tools, target):
				return "test hook"
			case method == listMethod:
				return "our list"
			case method != callMethod:
				return ""
			}
			if c, _, ok := views.Find(capabilities.OwnerPrincipal(), target); ok {
				if c.Bridged() {
					return "bridged"
				}
				return "capability"
			}
			return "no tool"
		},
	}
}

// passing answers a tool that makes way for the next one.
func passing(n int64) (*capabilities.Capability, error) {
	name := fmt.Sprintf("tool%d", n)
	return capabilities.NewBridged(capabilities.BridgedSpec{
		Name: "passing__" + name, Server: "passing", Tool: name, Summary: "Make way for the next one.",
		Input: json.RawMessage(`{"type":"object"}`),
		Handler: func(context.Context, *capabilities.Invocation) (*capabilities.Result, error) {
			return &capabilities.Result{Blocks: []capabilities.Block{capabilities.TextBlock("gone")}}, nil
		},
	})
}

// logTo answers a log that is silent unless something degraded: then the test fails.
func logTo(t *testing.T) *slog.Logger {
	t.Helper()
	var events bytes.Buffer // the handler writes one record at a time
	t.Cleanup(func() {
		if events.Len() > 0 {
			t.Errorf("the server logged:\n%s", events.String())
		}
	})
	return slog.New(slog.NewTextHandler(&events, &slog.HandlerOptions{Level: slog.LevelWarn}))
}

// serve answers the address of a handler that is served until the test ends.
// Streams hang until stop ends them, and the listener waits for its streams.
func serve(t *testing.T, h http.Handler, stop func(context.Context) error) string {
	t.Helper()
	web := httptest.NewServer(h)
	t.Cleanup(web.Close)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), 10*time.Second)
		defer cancel()
		if err := stop(ctx); err != nil {
			t.Errorf("stopping the server: %v", err)
		}
	})
	return web.URL
}
