package surface_test

import (
	"bytes"
	"context"
	"testing"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/codegen/surface"
)

type deps struct{}

// Shelved is what is asked for.
type shelved struct {
	capabilities.PageInput
	// Which shelf.
	Shelf string `json:"shelf" jsonschema:"minLength=1,maxLength=40" jsonschema_description:"Which shelf."`
	Sort  string `json:"sort,omitempty" jsonschema:"enum=name,enum=year,default=name" jsonschema_description:"By what."`
	Count int    `json:"count,omitempty" jsonschema:"minimum=1,maximum=9" jsonschema_description:"How many."`
}

type book struct {
	Title string   `json:"title" jsonschema_description:"Its title."`
	State string   `json:"state" jsonschema:"enum=in,enum=out" jsonschema_description:"Where it is."`
	Tags  []string `json:"tags,omitempty" jsonschema_description:"What it is about."`
}

type named struct {
	Name string `json:"name" jsonschema_description:"Its name."`
}

func registry(t *testing.T) *capabilities.Registry {
	t.Helper()
	pack := capabilities.NewPack[deps](capabilities.PackInfo{Name: "books", Title: "Books", Summary: "Keep books."})
	lent := pack.Code("already_lent", capabilities.Conflict, "somebody has it", "ask them")
	capabilities.Declare(pack, capabilities.Spec{
		Name: "find_books", Title: "Find books", Summary: "Find books on a shelf.", Effect: capabilities.Read(capabilities.Local), Route: "GET /shelves/{shelf}/books",
	}, func(context.Context, deps, shelved) (capabilities.Page[book], error) {
		return capabilities.Page[book]{}, nil
	})
	capabilities.Declare(pack, capabilities.Spec{
		Name: "lend_book", Title: "Lend book", Summary: "Lend a book to somebody.", Effect: capabilities.Amend(capabilities.Local), Route: "POST /books/{name}/loan",
		Refuses: capabilities.Codes{lent, capabilities.NotFound}, Undo: "return_book", Delivers: "desk",
		Aliases: []capabilities.Alias{{Name: "give_book", Since: "1.2.0", Until: "1.4.0"}},
	}, func(context.Context, deps, named) (book, error) { return book{}, nil })
	capabilities.Declare(pack, capabilities.Spec{
		Name: "return_book", Title: "Return book", Summary: "Take a book back.", Effect: capabilities.Set(capabilities.Local), Route: "POST /books/{name}/return",
	}, func(context.Context, deps, named) (book, error) { return book{}, nil }, capabilities.When(func(deps) bool { return true }))
	reg, err := capabilities.Assemble(pack.Describe())
	if err != nil {
		t.Fatal(err)
	}
	return reg
}

func picture(t *testing.T) *surface.Picture {
	t.Helper()
	p, err := surface.OfRegistry("shelf", "1.2.0", registry(t))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// reread writes a picture and reads it again.
func reread(t *testing.T, p *surface.Picture) *surface.Picture {
	t.Helper()
	text, err := p.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	again, err := surface.Read(bytes.NewReader(text))
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return again
}
