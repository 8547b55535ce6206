package holotype_test

import (
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-89b9419b/holotype"
	"github.com/seed-89b9419b/holotype/capabilities"
)

// TestServerThatKeepsNothing has no database, and says so where one is needed.
func TestServerThatKeepsNothing(t *testing.T) {
	data := t.TempDir()
	s := holotype.New(holotype.Options{
		Data: data, NoStore: true, Packs: []capabilities.Bound{pack.Bind(deps{"hello"})}, Log: slog.New(slog.DiscardHandler),
		Authenticate: func(*http.Request) (*capabilities.Principal, error) { return capabilities.OwnerPrincipal(), nil },
	})
	h, err := s.Handler()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	ask := func(method, path, key string) (int, string) {
		r := httptest.NewRequestWithContext(t.Context(), method, "http://127.0.0.1"+path, nil)
		if key != "" {
			r.Header.Set("Idempotency-Key", key)
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return w.Code, w.Body.String()
	}
	if status, body := ask(http.MethodGet, "/api/v1/words", ""); status != http.StatusOK {
		t.Errorf("a call is answered %d %s", status, body)
	}
	if status, body := ask(http.MethodGet, "/readyz", ""); status != http.StatusOK {
		t.Errorf("whether it is ready is answered %d %s", status, body)
	}
	status, body := ask(http.MethodGet, "/api/v1/tools", "")
	var tools struct {
		Items []struct{ Name, Pack string }
	}
	if err := json.Unmarshal([]byte(body), &tools); err != nil || status != http.StatusOK || len(tools.Items) == 0 {
		t.Fatalf("the tools are answered %d %s", status, body)
	}
	for _, tool := range tools.Items {
		switch tool.Name {
		case "list_calls", "list_work_items", "create_work_item":
			t.Errorf("%s is listed", tool.Name)
		}
	}
	entries, err := os.ReadDir(data)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if strings.Contains(e.Name(), ".db") {
			t.Errorf("there is %s", e.Name())
		}
	}
}

func TestServerThatKeepsNothingAndIsToldToKeep(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "config.yaml")
	if err := os.WriteFile(file, []byte("store: sqlite:a.db\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := holotype.New(holotype.Options{Data: filepath.Join(dir, "data"), Config: file, NoStore: true, Log: slog.New(slog.DiscardHandler)})
	if _, err := s.Handler(); err == nil || !strings.Contains(err.Error(), "the configuration names a store") {
		t.Errorf("the handler is made (%v)", err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}
