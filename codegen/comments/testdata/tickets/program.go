//go:build ignore

// A program beside the package is none of it.
package main

// FileTicketInput here is somebody else's.
type FileTicketInput struct {
	// Wrong.
	Plain string
}

func main() {}
