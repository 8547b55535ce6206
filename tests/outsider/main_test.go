package main

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-89b9419b/holotype"
	"github.com/seed-89b9419b/holotype/tests/conformance"
)

// shelf runs one command line of the program, in memory.
func shelf(t *testing.T, in string, args ...string) (status int, out, errs string) {
	t.Helper()
	o := options()
	o.Data = holotype.InMemory
	var stdout, stderr bytes.Buffer
	status = holotype.New(o).Command().Run(t.Context(), args, strings.NewReader(in), &stdout, &stderr)
	return status, stdout.String(), stderr.String()
}

// What is committed is what the program generates now.
func TestGeneratedFilesAreFresh(t *testing.T) {
	for _, args := range [][]string{{"generate", "comments", "--check"}, {"generate", "--check"}} {
		if status, _, errs := shelf(t, "", args...); status != 0 {
			t.Errorf("%s exits %d: %s", strings.Join(args, " "), status, errs)
		}
	}
}

// The surfaces say and do what the pack declares.
func TestConforms(t *testing.T) {
	conformance.Run(t, conformance.Of(t, options))
}

func TestCommandLine(t *testing.T) {
	for _, c := range []struct {
		name   string
		args   []string
		status int
		want   string
	}{
		{"a read", []string{"call", "find_books", "--text", "hawking"}, 0, "A Brief History of Time"},
		{"an append", []string{"call", "add_book", "-o", "json", "--json", `{"isbn":"9780063061620","name":"The Lathe of Heaven","author":"Ursula K. Le Guin"}`}, 0,
			`{"isbn":"9780063061620","name":"The Lathe of Heaven","author":"Ursula K. Le Guin"}`},
		{"a destroy that nobody confirmed", []string{"call", "remove_book", "--isbn", "9780441478125"}, 2, "--yes"},
		{"a destroy", []string{"call", "remove_book", "--isbn", "9780441478125", "--yes"}, 0, "The Left Hand of Darkness"},
		{"a refusal", []string{"call", "remove_book", "--isbn", "9780000000000", "--yes"}, 3, "shelf: not_found"},
		{"who it is", []string{"version"}, 0, "shelf 1.2.0"},
		{"help", []string{"--help"}, 0, "capabilities of shelf"},
	} {
		t.Run(c.name, func(t *testing.T) {
			status, out, errs := shelf(t, "", c.args...)
			if status != c.status || !strings.Contains(out+errs, c.want) {
				t.Errorf("exits %d, want %d with %q:\n%s%s", status, c.status, c.want, out, errs)
			}
		})
	}
}

// What the texts of this program say there is exists in it, and nothing else does.
func TestProse(t *testing.T) {
	if status, out, errs := shelf(t, "", "prose", "--packs", "."); status != 0 {
		t.Errorf("our own texts: exits %d:\n%s%s", status, out, errs)
	}
	page := filepath.Join(t.TempDir(), "page.md")
	if err := os.WriteFile(page, []byte("Shelf has 9 packs. Say `shelf call add_books`, not `holotype call x`; the code `shelvd`; the books pack has 4 tools.\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	status, out, _ := shelf(t, "", "prose", "--packs", page)
	for _, want := range []string{`"9 packs": there are 3`, `did you mean "add_book"?`, `did you mean "shelved"?`, `"4 tools": in books there are 3`} {
		if status != 1 || !strings.Contains(out, want) {
			t.Errorf("a false text: exits %d without %q:\n%s", status, want, out)
		}
	}
}

func TestStdio(t *testing.T) {
	const lines = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"find_books","arguments":{"text":"guin"}}}
`
	status, out, errs := shelf(t, lines, "mcp")
	if status != 0 || !strings.Contains(out, `"name":"shelf"`) || !strings.Contains(out, "The Left Hand of Darkness") {
		t.Errorf("exits %d:\n%s%s", status, out, errs)
	}
}

func TestHTTP(t *testing.T) {
	o := options()
	o.Data = holotype.InMemory
	s := holotype.New(o)
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	handler, err := s.Handler()
	if err != nil {
		t.Fatal(err)
	}
	token, err := s.OwnerToken()
	if err != nil {
		t.Fatal(err)
	}
	web := httptest.NewServer(handler)
	t.Cleanup(web.Close)
	for path, want := range map[string]string{
		"/api/v1/books": "A Brief History of Time", "/api/v1/tools": "list_tools", "/": "remove_book",
		"/docs": "shelf", "/docs/codes/shelved": "stands on the shelf already", "/openapi.json": `"title":"shelf"`,
	} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, web.URL+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+token)
		resp, err := web.Client().Do(r)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		if err != nil || resp.StatusCode != 200 || !strings.Contains(string(body), want) {
			t.Errorf("%s answers %d without %q: %.300s", path, resp.StatusCode, want, body)
		}
	}
}
