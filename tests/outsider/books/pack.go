// Package books is a pack of a program that is not Holotype: it finds, adds and
// removes the books of a shelf.
package books

import "github.com/seed-89b9419b/holotype/capabilities"

// Pack is the books pack.
var Pack = capabilities.NewPack[Deps](capabilities.PackInfo{
	Name: "books", Title: "Books", Summary: "Find, add and remove the books of a shelf.",
})

// Shelved is the code of a book that stands there already.
var Shelved = Pack.Code("shelved", capabilities.Exists, "the book stands on the shelf already", "take the one that is there")

// Deps are what the pack works on.
type Deps struct{ Shelf *Shelf }

// Book is one book of the shelf.
type Book struct {
	// The book's number, thirteen digits.
	ISBN string `json:"isbn"`
	// The book's title.
	Name string `json:"name"`
	// Who wrote it.
	Author string `json:"author"`
}
