package books_test

import (
	"encoding/json"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/seed-89b9419b/holotype"
	"github.com/seed-89b9419b/holotype/capabilities"

	"example.com/shelf/books"
)

// server answers a server of the pack alone, in memory.
func server(t *testing.T) *holotype.Server {
	t.Helper()
	deps, err := books.Open("")
	if err != nil {
		t.Fatal(err)
	}
	s := holotype.New(holotype.Options{
		Name: "test", Data: holotype.InMemory, NativePacks: []string{},
		Packs: []capabilities.Bound{books.Pack.Bind(deps)}, Log: slog.New(slog.DiscardHandler),
	})
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

var lathe = books.AddBookInput{ISBN: "9780063061620", Name: "The Lathe of Heaven", Author: "Ursula K. Le Guin"}

// With types: the handles of the declarations, through the server's door.
func TestWithTypes(t *testing.T) {
	s, owner := server(t), capabilities.OwnerPrincipal()
	if _, err := books.AddBook.Call(t.Context(), s, owner, lathe); err != nil {
		t.Fatal(err)
	}
	_, err := books.AddBook.Call(t.Context(), s, owner, lathe)
	if e, ok := capabilities.AsError(err); !ok || e.Code != books.Shelved || e.Info().Status != 409 {
		t.Errorf("the same book again: %v", err)
	}
	page, err := books.FindBooks.Call(t.Context(), s, owner, books.FindBooksInput{Text: "LE GUIN", PageInput: capabilities.PageInput{Limit: 1}})
	if err != nil || len(page.Items) != 1 || page.NextCursor == "" {
		t.Errorf("the first page is %+v, %v", page, err)
	}
	page, err = books.FindBooks.Call(t.Context(), s, owner, books.FindBooksInput{Text: "LE GUIN", PageInput: capabilities.PageInput{Limit: 1, Cursor: page.NextCursor}})
	if err != nil || len(page.Items) != 1 || page.NextCursor != "" {
		t.Errorf("the second page is %+v, %v", page, err)
	}
	gone, err := books.RemoveBook.Call(t.Context(), s, owner, books.RemoveBookInput{ISBN: lathe.ISBN})
	if err != nil || gone != books.Book(lathe) {
		t.Errorf("removed %+v, %v", gone, err)
	}
}

// Over the wire: what an MCP client gets, without a process or a port.
func TestOverTheWire(t *testing.T) {
	s := server(t)
	reader := s.Client(&capabilities.Principal{ID: "r", Kind: capabilities.Person, Scopes: []string{"books:read"}})
	owner := s.Client(capabilities.OwnerPrincipal())

	tools, err := owner.Tools(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, tool := range tools {
		names = append(names, tool.Name)
		if !tool.Effect.Declared() || tool.Hints != tool.Effect.Hints() {
			t.Errorf("%s has the effect %s and the hints %+v", tool.Name, tool.Effect, tool.Hints)
		}
	}
	if want := []string{"add_book", "find_books", "remove_book"}; !slices.Equal(names, want) {
		t.Errorf("the tools are %q, want %q", names, want)
	}
	if tools, err := reader.Tools(t.Context()); err != nil || len(tools) != 1 || tools[0].Name != "find_books" {
		t.Errorf("a reader sees %+v, %v", tools, err)
	}

	res, err := reader.Call(t.Context(), "find_books", json.RawMessage(`{"text":"hawking"}`))
	if err != nil {
		t.Fatal(err)
	}
	var page capabilities.Page[books.Book]
	if err := json.Unmarshal(res.Structured, &page); err != nil || len(page.Items) != 1 || page.Items[0].ISBN != "9780553380163" {
		t.Errorf("found %s, %v", res.Structured, err)
	}
	for _, c := range []struct {
		name   string
		client *holotype.Client
		tool   string
		args   string
		code   capabilities.Code
	}{
		{"of a reader", reader, "remove_book", `{"isbn":"9780441478125"}`, capabilities.Forbidden},
		{"of nobody", s.Client(nil), "find_books", ``, capabilities.Unauthenticated},
		{"no such book", owner, "remove_book", `{"isbn":"9780000000000"}`, capabilities.NotFound},
		{"a wrong number", owner, "remove_book", `{"isbn":"12"}`, capabilities.Invalid},
		{"no JSON", owner, "remove_book", `{`, capabilities.Invalid},
		{"no such tool", owner, "burn_book", ``, capabilities.NotFound},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := c.client.Call(t.Context(), c.tool, json.RawMessage(c.args))
			e, ok := capabilities.AsError(err)
			if !ok || e.Code != c.code || e.Message == "" {
				t.Errorf("got %v, want the code %s", err, c.code)
			}
			if unknown := errors.Is(err, capabilities.ErrUnknownCapability); unknown != (c.tool == "burn_book") {
				t.Errorf("unknown is %v", unknown)
			}
		})
	}
}

// Every example of the declarations does what it says.
func TestExamples(t *testing.T) {
	if err := server(t).RunExamples(t.Context(), capabilities.OwnerPrincipal()); err != nil {
		t.Error(err)
	}
}

func TestShelfIsKeptInItsFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "shelf.json")
	first, err := books.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	if ok, err := first.Shelf.Add(books.Book(lathe)); err != nil || !ok {
		t.Fatal(ok, err)
	}
	second, err := books.Open(path)
	if err != nil || len(second.Shelf.Find("lathe")) != 1 {
		t.Errorf("the second shelf has %v, %v", second.Shelf, err)
	}
	if err := os.WriteFile(path, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := books.Open(path); err == nil {
		t.Error("a broken file is a shelf")
	}
}
