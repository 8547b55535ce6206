package books

import (
	"context"

	"github.com/seed-89b9419b/holotype/capabilities"
)

// RemoveBook takes a book off the shelf.
var RemoveBook = capabilities.Declare(Pack, capabilities.Spec{
	Name:     "remove_book",
	Title:    "Remove book",
	Summary:  "Take a book off the shelf for good.",
	Effect:   capabilities.Destroy(capabilities.Shared),
	Route:    "DELETE /books/{isbn}",
	Delivers: "shelf",
	Refuses:  capabilities.Codes{capabilities.NotFound},
	Examples: []capabilities.Example{
		{Name: "a book of the first shelf", In: `{"isbn":"9780441478125"}`},
		{Name: "a book that is not there", In: `{"isbn":"0000000000000"}`, Refuses: capabilities.NotFound},
	},
}, removeBook)

// RemoveBookInput names a book.
type RemoveBookInput struct {
	// The book's number, thirteen digits.
	ISBN string `json:"isbn" jsonschema:"pattern=^[0-9]{13}$"`
}

func removeBook(_ context.Context, d Deps, in RemoveBookInput) (Book, error) {
	book, ok, err := d.Shelf.Remove(in.ISBN)
	if err == nil && !ok {
		return Book{}, capabilities.Refuse(capabilities.NotFound, "there is no book %s on the shelf", in.ISBN)
	}
	return book, err
}
