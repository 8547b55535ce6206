package desk_test

import (
	"testing"

	"github.com/seed-89b9419b/holotype"
	"github.com/seed-89b9419b/holotype/capabilities"

	"example.com/shelf/books"
	"example.com/shelf/desk"
)

func TestTheDeskCountsAndRefuses(t *testing.T) {
	deps, err := books.Open("")
	if err != nil {
		t.Fatal(err)
	}
	var d desk.Desk
	s := holotype.New(holotype.Options{
		Name: "test", Data: holotype.InMemory, Packs: []capabilities.Bound{books.Pack.Bind(deps)},
		Interceptors: []capabilities.Interceptor{d.Interceptor()},
	})
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	owner := capabilities.OwnerPrincipal()
	remove := func() error {
		_, err := books.RemoveBook.Call(t.Context(), s, owner, books.RemoveBookInput{ISBN: "9780441478125"})
		return err
	}
	d.Close()
	if e, ok := capabilities.AsError(remove()); !ok || e.Code != capabilities.Unavailable {
		t.Errorf("a write while the desk is closed answers %v", e)
	}
	if _, err := s.Client(owner).Call(t.Context(), "find_books", nil); err != nil {
		t.Errorf("a read while the desk is closed: %v", err)
	}
	d.Open()
	if err := remove(); err != nil {
		t.Errorf("a write while the desk is open: %v", err)
	}
	if got := d.Calls(); got["remove_book"] != 2 || got["find_books"] != 1 {
		t.Errorf("counted %v", got)
	}
}
