package parity_test

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/seed-89b9419b/holotype"
	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/tests/fixture"
)

// running is the one server of a test.
type running struct {
	server *holotype.Server
	url    string
	token  string
	client *http.Client
	tools  map[string]tool
}

// start serves the fixture and the native packs in this process, with a data
// directory of its own.
func start(t *testing.T) *running {
	t.Helper()
	dir := t.TempDir()
	server := holotype.New(holotype.Options{
		Packs: []capabilities.Bound{fixture.Pack.Bind(fixture.Deps{})}, Data: dir,
		Lookup: func(string) (string, bool) { return "", false },
		Log:    slog.New(slog.DiscardHandler),
	})
	handler, err := server.Handler()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		if err := server.Close(ctx); err != nil {
			t.Errorf("closing the server: %v", err)
		}
	})
	web := httptest.NewServer(handler)
	t.Cleanup(web.Close)
	token, err := os.ReadFile(filepath.Join(dir, "owner.token"))
	if err != nil {
		t.Fatal(err)
	}
	r := &running{server: server, url: web.URL, token: strings.TrimSpace(string(token)), client: web.Client()}
	r.tools = r.published(t)
	return r
}

// exchange sends one HTTP request with the owner's token and reads the answer.
func (r *running) exchange(t *testing.T, method, target string, header map[string]string, body []byte) (*http.Response, []byte) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, r.url+target, strings.NewReader(string(body)))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+r.token)
	for k, v := range header {
		req.Header.Set(k, v)
	}
	resp, err := r.client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp, data
}

// published reads what every tool publishes about itself, the way any caller can.
func (r *running) published(t *testing.T) map[string]tool {
	t.Helper()
	all := map[string]tool{}
	_, list := r.exchange(t, http.MethodGet, "/api/v1/tools?limit=1000", nil, nil)
	for _, row := range parse[struct{ Items []tool }](t, list).Items {
		resp, data := r.exchange(t, http.MethodGet, "/api/v1/tools/"+row.Name, nil, nil)
		if resp.StatusCode != http.StatusOK {
			t.Fatalf("describing %s: %s", row.Name, data)
		}
		all[row.Name] = parse[tool](t, data)
	}
	if len(all) < len(capabilities.Effects()) {
		t.Fatalf("only %d tools are listed", len(all))
	}
	return all
}
