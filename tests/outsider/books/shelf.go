package books

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"sync"
)

// Shelf keeps books, in the order of their numbers. It is safe for concurrent use.
type Shelf struct {
	path string

	mu    sync.Mutex
	books []Book
}

// Open answers the shelf that a file keeps, with the first books where there is no
// file. Without a path it is kept in memory.
func Open(path string) (Deps, error) {
	s := &Shelf{path: path, books: []Book{
		{"9780441478125", "The Left Hand of Darkness", "Ursula K. Le Guin"},
		{"9780553380163", "A Brief History of Time", "Stephen Hawking"},
	}}
	if path == "" {
		return Deps{s}, nil
	}
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return Deps{s}, nil
	}
	if err == nil {
		err = json.Unmarshal(data, &s.books)
	}
	if err != nil {
		return Deps{}, fmt.Errorf("reading the shelf: %w", err)
	}
	return Deps{s}, nil
}

// Find answers the books whose title or author holds a text, in any case.
func (s *Shelf) Find(text string) []Book {
	s.mu.Lock()
	defer s.mu.Unlock()
	text = strings.ToLower(text)
	return slices.DeleteFunc(slices.Clone(s.books), func(b Book) bool {
		return !strings.Contains(strings.ToLower(b.Name+"\n"+b.Author), text)
	})
}

// Add puts a book on the shelf; false when it stands there.
func (s *Shelf) Add(b Book) (bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	at, found := s.search(b.ISBN)
	if found {
		return false, nil
	}
	return true, s.keep(slices.Insert(slices.Clone(s.books), at, b))
}

// Remove takes a book off the shelf; false when it is not there.
func (s *Shelf) Remove(isbn string) (Book, bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	at, found := s.search(isbn)
	if !found {
		return Book{}, false, nil
	}
	b := s.books[at]
	return b, true, s.keep(slices.Delete(slices.Clone(s.books), at, at+1))
}

func (s *Shelf) search(isbn string) (int, bool) {
	return slices.BinarySearchFunc(s.books, isbn, func(b Book, isbn string) int { return cmp.Compare(b.ISBN, isbn) })
}

// keep writes the books before it keeps them.
func (s *Shelf) keep(books []Book) error {
	if s.path != "" {
		data, err := json.Marshal(books)
		if err == nil {
			err = os.WriteFile(s.path, data, 0o600)
		}
		if err != nil {
			return fmt.Errorf("writing the shelf: %w", err)
		}
	}
	s.books = books
	return nil
}
