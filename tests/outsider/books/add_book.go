package books

import (
	"context"

	"github.com/seed-89b9419b/holotype/capabilities"
)

// AddBook puts a book on the shelf.
var AddBook = capabilities.Declare(Pack, capabilities.Spec{
	Name:     "add_book",
	Title:    "Add book",
	Summary:  "Put a book on the shelf.",
	Effect:   capabilities.Append(capabilities.Shared),
	Route:    "POST /books",
	Delivers: "shelf",
	Refuses:  capabilities.Codes{Shelved},
	Undo:     "remove_book",
	Examples: []capabilities.Example{
		{Name: "a novel", In: `{"isbn":"9780063061620","name":"The Lathe of Heaven","author":"Ursula K. Le Guin"}`},
		{Name: "a number too short", In: `{"isbn":"978","name":"The Lathe of Heaven","author":"Ursula K. Le Guin"}`, Refuses: capabilities.Invalid},
	},
}, addBook)

// AddBookInput is a new book.
type AddBookInput struct {
	// The book's number, thirteen digits.
	ISBN string `json:"isbn" jsonschema:"pattern=^[0-9]{13}$"`
	// The book's title.
	Name string `json:"name" jsonschema:"minLength=1,maxLength=200"`
	// Who wrote it.
	Author string `json:"author" jsonschema:"minLength=1,maxLength=200"`
}

func addBook(_ context.Context, d Deps, in AddBookInput) (Book, error) {
	added, err := d.Shelf.Add(Book(in))
	if err == nil && !added {
		return Book{}, capabilities.Refuse(Shelved, "the book %s stands on the shelf already", in.ISBN)
	}
	return Book(in), err
}
