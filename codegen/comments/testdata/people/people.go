// Package people holds types that a pack of another package uses.
package people

import "time"

// Person is somebody.
//
// This paragraph is for readers of the source.
type Person struct {
	// What the person is called,
	// on one or
	// more lines.
	//
	// Not this.
	Name string    `json:"name"`
	Born time.Time `json:"born"` // When the person was born.
	// Above wins.
	Town string `json:"town"` // Beside loses.
	bare string
}

// Unused is reached by no pack.
type Unused struct {
	// Not this either.
	Field string
}

// Base is embedded by others.
type Base struct {
	// The number, unique.
	ID int `json:"id"`
}

// Box holds anything.
type Box[T any] struct {
	// What is held.
	Held T `json:"held"`
	// How often it was opened.
	Opened int `json:"opened"`
}
