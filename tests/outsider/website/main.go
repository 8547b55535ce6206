// Command website is a web site with accounts of its own that serves a shelf of books
// below /tools.
package main

import (
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/signal"
	"time"

	"github.com/seed-89b9419b/holotype"
	"github.com/seed-89b9419b/holotype/capabilities"

	"example.com/shelf/books"
)

const base = "/tools"

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "website:", err)
		os.Exit(1)
	}
}

func run() (err error) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	shelf := holotype.New(options())
	defer func() { err = errors.Join(err, shelf.Close()) }()
	site, err := router(shelf)
	if err != nil {
		return err
	}
	link, err := shelf.SignInPath()
	if err != nil {
		return err
	}
	fmt.Println("http://localhost:8080" + link)
	web := &http.Server{Addr: "localhost:8080", Handler: site, ReadHeaderTimeout: 10 * time.Second}
	context.AfterFunc(ctx, func() { _ = web.Close() })
	if err := web.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

func options() holotype.Options {
	return holotype.Options{
		Name: "website", Version: "3.0.0", Data: holotype.InMemory,
		BasePath: base, Hosts: []string{"shelf.example"}, Authenticate: account,
		NativePacks: []string{}, // the books alone
		Packs:       []capabilities.Bound{books.Pack.BindLater(func() (books.Deps, error) { return books.Open("") })},
	}
}

// router is the whole site: the shelf is one part of it.
func router(shelf *holotype.Server) (http.Handler, error) {
	tools, err := shelf.Handler()
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	mux.Handle(base+"/", http.StripPrefix(base, tools))
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = fmt.Fprintf(w, "a web site, with a shelf of books at %s/\n", base)
	})
	return mux, nil
}

// account answers who sends a request, by the site's own accounts. A request without
// one is left to the credentials of the shelf.
func account(r *http.Request) (*capabilities.Principal, error) {
	name, password, ok := r.BasicAuth()
	if !ok {
		return nil, nil
	}
	if name != "reader" || subtle.ConstantTimeCompare([]byte(password), []byte("reads")) != 1 {
		return nil, capabilities.Refuse(capabilities.Unauthenticated, "the account or its password is wrong")
	}
	return &capabilities.Principal{ID: name, Kind: capabilities.Person, Scopes: []string{"books:read"}}, nil
}
