package conformance

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/seed-89b9419b/holotype"
	"github.com/seed-89b9419b/holotype/capabilities"
)

// upstreamName is what the [Upstream] is bridged as.
const upstreamName = "upstream"

// Of answers the target of a program of the options, served in this process from a data
// directory of the test's own. Every start asks for the options anew, so that what the
// packs keep in memory starts anew, too. The [Upstream] of this package is bridged beside
// them, unless the options name a file of servers. The declarations are those of the
// options' own packs: the native ones are judged by the tests of their module.
func Of(t *testing.T, options func() holotype.Options) Target {
	t.Helper()
	dir, servers := t.TempDir(), ""
	target := Target{Writes: true}
	if options().MCPConfig == "" {
		web := httptest.NewServer(Upstream())
		t.Cleanup(web.Close)
		servers = filepath.Join(t.TempDir(), "servers.json")
		file, err := json.Marshal(map[string]any{"mcpServers": map[string]any{upstreamName: map[string]string{"url": web.URL + "/mcp"}}})
		if err == nil {
			err = os.WriteFile(servers, file, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
		target.Upstream = upstreamName
	}
	var running *holotype.Server
	start := func() (Server, error) {
		o := options()
		o.Data = dir
		if servers != "" {
			o.MCPConfig = servers
		}
		if o.Log == nil {
			o.Log = slog.New(slog.DiscardHandler)
		}
		if o.Lookup == nil { // the environment of a test is nobody's configuration
			o.Lookup = func(string) (string, bool) { return "", false }
		}
		running = holotype.New(o)
		handler, err := running.Handler()
		if err != nil {
			return Server{}, err
		}
		token, err := running.OwnerToken()
		return Server{Handler: handler, Token: token, Run: running.Command().Run, Door: running}, err
	}
	t.Cleanup(func() {
		if err := running.Close(); err != nil {
			t.Errorf("closing the server: %v", err)
		}
	})
	var packs []capabilities.Bound
	for _, p := range options().Packs {
		packs = append(packs, p.Describe())
	}
	var err error
	if target.Registry, err = capabilities.Assemble(packs...); err != nil {
		t.Fatal(err)
	}
	if target.Server, err = start(); err != nil {
		t.Fatal(err)
	}
	target.Again = func(context.Context) (Server, error) {
		if err := running.Close(); err != nil {
			return Server{}, err
		}
		return start()
	}
	return target
}
