package books

import (
	"context"

	"github.com/seed-89b9419b/holotype/capabilities"
)

// FindBooks answers the books of the shelf.
var FindBooks = capabilities.Declare(Pack, capabilities.Spec{
	Name:    "find_books",
	Title:   "Find books",
	Summary: "Find the books of the shelf whose title or author holds a text.",
	Effect:  capabilities.Read(capabilities.Shared),
	Route:   "GET /books",
	Examples: []capabilities.Example{
		{Name: "everything", In: `{}`},
		{Name: "by author", In: `{"text":"le guin","limit":10}`},
		{Name: "a page of nothing", In: `{"limit":0}`, Refuses: capabilities.Invalid},
	},
}, findBooks)

// FindBooksInput says which books.
type FindBooksInput struct {
	capabilities.PageInput
	// A part of the title or of the author's name, in any case.
	Text string `json:"text,omitempty" jsonschema:"maxLength=100"`
}

func findBooks(_ context.Context, d Deps, in FindBooksInput) (capabilities.Page[Book], error) {
	return capabilities.Paginate(d.Shelf.Find(in.Text), in.PageInput, func(b Book) string { return b.ISBN })
}
