package main

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/codegen/site"
	"github.com/seed-89b9419b/holotype/docs"
	"github.com/seed-89b9419b/holotype/projection/httpapi"
	"github.com/seed-89b9419b/holotype/tests/fixture"
)

// docsAtMost is the goal of a page, in times of a static file: at least 0.8 of its speed.
const docsAtMost = 1 / 0.8

// measureDocs compares a page of the documentation with a file of the same bytes.
func measureDocs(_ context.Context, p *plan) (*table, error) {
	t := newTable("A page of the documentation against a static file",
		"The same bytes through the same router: a page that was rendered once and is kept, against a file on disk that `http.FileServerFS` of the standard library answers. "+
			"A search is beside them for its cost: it looks a question of three words up and renders its answer each time. In process, without a network.",
		"page", "time", "file", "ratio of time", "goal", "", "bytes", "allocations", "of the file")
	for _, c := range []struct {
		name, path string
		calls      int
	}{
		{"an authored page", "/docs/tracker", 5_000},
		{"the page of a capability", "/docs/reference/capabilities/file_ticket", 5_000},
		{"a search", "/docs/search?q=what+a+call", 200},
	} {
		ours, theirs, size, err := pageAndFile(p, c.path)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", c.name, err)
		}
		r, err := compare(p.rounds, p.count(c.calls), here(ours, func() error { return nil }), here(theirs, func() error { return nil }))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", c.name, err)
		}
		wall := r.ratio(wallTime)
		goal, ok := fmt.Sprintf("<= %.2f", docsAtMost), met(wall.mid <= docsAtMost)
		if strings.Contains(c.path, "?") {
			goal, ok = "", ""
		}
		t.row(c.name, nanos(middle(r.ours, wallTime)), nanos(middle(r.theirs, wallTime)), wall.text(), goal, ok,
			count(float64(size)), count(middle(r.ours, heapCount)), count(middle(r.theirs, heapCount)))
	}
	return t, nil
}

// pageAndFile answers what asks for a page, and what asks for a file with its bytes.
func pageAndFile(p *plan, path string) (page, file func() error, size int, err error) {
	reg, err := capabilities.Assemble(fixture.Pack.Describe())
	if err != nil {
		return nil, nil, 0, err
	}
	pages, err := site.Handler(site.Options{Registry: reg, Pages: docs.Pages, Title: "bench", Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		return nil, nil, 0, err
	}
	ours, err := routing(reg, pages)
	if err != nil {
		return nil, nil, 0, err
	}
	w := httptest.NewRecorder()
	ours.ServeHTTP(w, httpCase{method: http.MethodGet, url: path}.request(""))
	if w.Code != http.StatusOK {
		return nil, nil, 0, fmt.Errorf("%s is answered %d", path, w.Code)
	}
	dir := filepath.Join(p.dir, "static")
	if err := os.MkdirAll(filepath.Join(dir, "docs"), 0o750); err != nil {
		return nil, nil, 0, err
	}
	if err := os.WriteFile(filepath.Join(dir, "docs", "page.html"), w.Body.Bytes(), 0o600); err != nil {
		return nil, nil, 0, err
	}
	static, err := routing(reg, http.FileServerFS(os.DirFS(dir)))
	if err != nil {
		return nil, nil, 0, err
	}
	again := httptest.NewRecorder()
	static.ServeHTTP(again, httpCase{method: http.MethodGet, url: "/docs/page.html"}.request(""))
	if !bytes.Equal(again.Body.Bytes(), w.Body.Bytes()) {
		return nil, nil, 0, fmt.Errorf("the file is answered %d with other bytes than %s", again.Code, path)
	}
	return httpCase{method: http.MethodGet, url: path}.drive("", ours), httpCase{method: http.MethodGet, url: "/docs/page.html"}.drive("", static), w.Body.Len(), nil
}

// routing puts a handler where the documentation stands on the HTTP surface.
func routing(reg *capabilities.Registry, at http.Handler) (http.Handler, error) {
	views := capabilities.NewViews(capabilities.NewLive(reg), nil)
	log := slog.New(slog.DiscardHandler)
	s, err := httpapi.New(httpapi.Options{
		Door:   capabilities.NewDoor(capabilities.DoorOptions{Viewer: views, Codes: reg.Codes(), Log: log, Now: time.Now}),
		Viewer: views, Builtins: reg, Log: log, Now: time.Now, Listen: "127.0.0.1:80", Docs: at,
		Authenticate: func(*http.Request) (*capabilities.Principal, error) { return nil, nil },
	})
	if err != nil {
		return nil, err
	}
	return s.Handler(), nil
}
