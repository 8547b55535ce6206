// Command shelf keeps a shelf of books, over HTTP, MCP and the command line.
package main

import (
	"context"
	"os"

	"github.com/seed-89b9419b/holotype"
	"github.com/seed-89b9419b/holotype/capabilities"

	"example.com/shelf/books"
	"example.com/shelf/desk"
)

func main() {
	os.Exit(holotype.New(options()).Command().Run(context.Background(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

func options() holotype.Options {
	open := func() (books.Deps, error) { return books.Open(os.Getenv("SHELF_FILE")) }
	return holotype.Options{
		Name: "shelf", Version: "1.2.0", Homepage: "https://shelf.example", License: "MIT",
		Packs:        []capabilities.Bound{books.Pack.BindLater(open)},
		Interceptors: []capabilities.Interceptor{new(desk.Desk).Interceptor()},
	}
}
