package faults_test

import (
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/seed-89b9419b/holotype"
	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/capabilities/system"
)

// An address is a place on the network that something is put at later: servers that
// bridge each other have to know where the other one will be.
type address struct {
	URL  string
	next atomic.Pointer[http.Handler]
}

func newAddress(t *testing.T) *address {
	t.Helper()
	a := &address{}
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if h := a.next.Load(); h != nil {
			(*h).ServeHTTP(w, r)
			return
		}
		http.Error(w, "not yet", http.StatusServiceUnavailable)
	}))
	t.Cleanup(web.Close)
	a.URL = web.URL
	return a
}

// at serves a product without credentials at an address.
func at(t *testing.T, where *address, through func(http.Handler) http.Handler, auth, entries string) *product {
	t.Helper()
	config := filepath.Join(t.TempDir(), "holotype.yaml")
	if err := os.WriteFile(config, []byte("auth: "+auth+"\nmcp_servers:\n"+entries), 0o600); err != nil {
		t.Fatal(err)
	}
	p := &product{log: &records{}, url: where.URL}
	p.server = holotype.New(holotype.Options{
		Config: config, Data: holotype.InMemory, Log: slog.New(slog.NewJSONHandler(p.log, &slog.HandlerOptions{Level: slog.LevelDebug})),
	})
	handler, err := p.server.Handler()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.server.Close(); err != nil {
			t.Errorf("closing the product: %v", err)
		}
	})
	if through != nil {
		handler = through(handler)
	}
	where.next.Store(&handler)
	if p.token, err = p.server.OwnerToken(); err != nil {
		t.Fatal(err)
	}
	return p
}

// names answers the tools of one server that are listed.
func (p *product) names(t *testing.T, prefix string) []string {
	t.Helper()
	var all []string
	for name := range p.list(t) {
		if strings.HasPrefix(name, prefix) {
			all = append(all, name)
		}
	}
	return all
}

// TestAServerThatBridgesItself: an entry with the server's own address fails once, for
// good, and says what to do. Without that it would offer its own tools once more with
// every list it reads.
func TestAServerThatBridgesItself(t *testing.T) {
	t.Parallel()
	unmarked := func(h http.Handler) http.Handler { // by a proxy that lets no header of ours through
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			r.Header.Del("Holotype-Mark")
			h.ServeHTTP(w, r)
		})
	}
	for _, c := range []struct {
		name, auth, entry string
		through           func(http.Handler) http.Handler
	}{
		{"by its address", "none", "url: %s/operator/mcp", nil},
		{"without a credential", "token", "url: %s/operator/mcp", nil},
		{"by a path that is not there", "none", "url: %s/mcp", nil},
		{"over the older transport", "none", "url: %s/operator/mcp, transport: sse", nil},
		{"behind a proxy", "none", "url: %s/operator/mcp", unmarked},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			where := newAddress(t)
			p := at(t, where, c.through, c.auth, "  - {name: mirror, "+fmt.Sprintf(c.entry, where.URL)+"}\n")
			row := p.await(t, "mirror", func(s system.Server) bool { return s.State != system.Starting || s.NextStart != "" })
			for row.NextStart != "" { // it asked before there was anybody to answer
				ok(t, p, system.ReloadConfig, system.ReloadConfigInput{})
				row = p.await(t, "mirror", func(s system.Server) bool { return s.State != system.Starting })
			}
			if row.State != system.Failing || !strings.Contains(row.Reason, "leads back to this very server") || !strings.Contains(row.Reason, "take the entry out") {
				t.Errorf("it is %s: %s", row.State, row.Reason)
			}
			if all := p.names(t, "mirror__"); len(all) > 0 {
				t.Errorf("tools of its own are listed twice: %v", all)
			}
			if a := p.call(t, "list_tools", `{"limit":1}`); a.IsError {
				t.Errorf("a builtin answers %s", a.raw)
			}
			if n := len(p.log.of("mirror", "server_start_retry_scheduled")); n > 0 && p.log.of("mirror", "server_failed")[0].Phase == "configuration" {
				t.Errorf("it is tried again %d times", n)
			}
		})
	}
}

func ok[In, Out any](t *testing.T, p *product, h *capabilities.Handle[In, Out], in In) Out {
	t.Helper()
	out, err := h.Call(t.Context(), p.server, capabilities.OwnerPrincipal(), in)
	if err != nil {
		t.Fatalf("%s: %v", h.Name(), err)
	}
	return out
}

// TestServersThatBridgeEachOther: each has the other's tools, and nothing comes back,
// in a pair and around a ring.
func TestServersThatBridgeEachOther(t *testing.T) {
	t.Parallel()
	for _, n := range []int{2, 3} {
		t.Run(fmt.Sprintf("%d of them", n), func(t *testing.T) {
			t.Parallel()
			places := make([]*address, n)
			for i := range places {
				places[i] = newAddress(t)
			}
			all := make([]*product, n)
			for i := range all {
				next := (i + 1) % n
				all[i] = at(t, places[i], nil, "none", fmt.Sprintf("  - {name: s%d, url: %s/operator/mcp}\n", next, places[next].URL))
			}
			for _, p := range all {
				ok(t, p, system.ReloadConfig, system.ReloadConfigInput{}) // what asked too early asks again now
			}
			for i, p := range all {
				next := fmt.Sprintf("s%d", (i+1)%n)
				row := p.await(t, next, func(s system.Server) bool {
					return s.State == system.Running && len(s.Skipped) == 1 && strings.Contains(s.Skipped[0].Reason, "are this server's own")
				})
				// Around a ring everything of everybody else comes, by one way each.
				chain := ""
				for step := 1; step < n; step++ {
					chain += fmt.Sprintf("s%d__", (i+step)%n)
					p.await(t, next, func(system.Server) bool { return len(p.names(t, chain+"list_tools")) == 1 })
				}
				for _, name := range p.names(t, next+"__") {
					if strings.Contains(name, fmt.Sprintf("s%d__", i)) {
						t.Errorf("server %d lists its own tool as %s; %+v", i, name, row)
					}
				}
				if a := p.call(t, chain+"list_tools", `{"limit":1}`); a.IsError {
					t.Errorf("%slist_tools answers %s", chain, a.raw)
				}
			}
		})
	}
}
