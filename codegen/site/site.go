package site

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"html/template"
	"io/fs"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/yuin/goldmark"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/codegen/reference"
	"github.com/seed-89b9419b/holotype/internal/wire"
	"github.com/seed-89b9419b/holotype/web"
)

// Prefix is where the documentation stands, below [Options.BasePath].
const Prefix = "/docs"

// contentSecurity admits the style sheet of this server, its search and nothing else.
const contentSecurity = "default-src 'none'; style-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// What is sent is one of these.
const (
	typeHTML     = "text/html; charset=utf-8"
	typeMarkdown = "text/markdown; charset=utf-8"
	typeText     = "text/plain; charset=utf-8"
	typeScript   = "text/javascript; charset=utf-8"
	typeStyle    = "text/css; charset=utf-8"
)

// Options are what the documentation is made of. Registry and Log are required.
type Options struct {
	Registry *capabilities.Registry
	// Pages are the authored pages, with README.md the first; nil is none. A page
	// search.md or api.md is not shown: other pages stand there.
	Pages fs.FS
	// Title names the program and its command.
	Title string
	// BasePath is the path that stands before /docs in the links; "" for none.
	BasePath string
	Log      *slog.Logger
}

// Handler answers GET and HEAD of /docs and everything below it, of [MapPath] and of
// [WholePath]. Below /docs/search it looks for the words of the parameter q: at most
// 200 bytes, or 400 invalid. At /docs/api stands Swagger UI, which asks for
// /openapi.json as the browser that it runs in. Nothing is read
// before the first request, so that a server starts no later for its documentation;
// a page is rendered when it is first asked for, and once. Every other request is
// refused as problem+json (RFC 9457): 404 not_found without such a page, 405 invalid
// for another method, 500 internal_error, and the cause in the log, where an
// authored page cannot be read. The error is that of the layout.
func Handler(o Options) (http.Handler, error) {
	layout, err := template.ParseFS(web.Templates, "templates/docs.html", "templates/api.html")
	if err != nil {
		return nil, fmt.Errorf("reading the template of the documentation: %w", err)
	}
	s := &site{o: o, layout: layout, markdown: newMarkdown(), api: newAPIPages(layout, o)}
	s.tree = sync.OnceValues(s.read)
	return s, nil
}

type site struct {
	o        Options
	layout   *template.Template
	markdown goldmark.Markdown
	api      apiPages
	tree     func() (*tree, error)
}

// read gathers the pages.
func (s *site) read() (*tree, error) {
	generated, err := reference.Files(s.o.Title, s.o.Registry)
	if err != nil {
		return nil, fmt.Errorf("reading the documentation: %w", err)
	}
	t, err := newTree(s.o, generated, s.markdown)
	if err != nil {
		return nil, fmt.Errorf("reading the documentation: %w", err)
	}
	for _, p := range t.all {
		p.twin = sync.OnceValues(func() (*rendition, error) { return newRendition(p.source, typeMarkdown), nil })
		p.html = sync.OnceValues(func() (*rendition, error) {
			body, err := s.render(t, p)
			if err != nil {
				return nil, fmt.Errorf("rendering %s: %w", p.name, err)
			}
			return newRendition(body, typeHTML), nil
		})
	}
	twin := func(p *page) string { return s.o.BasePath + Prefix + "/" + p.name }
	t.maps = map[string]func() *rendition{
		MapPath: sync.OnceValue(func() *rendition {
			return newRendition(t.llms(s.markdown, s.o.Registry, s.o.Title, twin), typeText)
		}),
		WholePath: sync.OnceValue(func() *rendition { return newRendition(t.whole(s.o.Registry, twin), typeText) }),
	}
	return t, nil
}

// rendition is what is sent for an address.
type rendition struct {
	body              []byte
	contentType, etag string
}

func newRendition(body []byte, contentType string) *rendition {
	sum := sha256.Sum256(body)
	return &rendition{body, contentType, `"` + hex.EncodeToString(sum[:12]) + `"`}
}

// ServeHTTP answers one request.
func (s *site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Content-Security-Policy", contentSecurity)
	h.Set("Referrer-Policy", "no-referrer")
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		h.Set("Allow", "GET, HEAD")
		s.refuse(w, capabilities.Refuse(capabilities.Invalid, "the documentation answers GET and HEAD alone, not %q", r.Method), http.StatusMethodNotAllowed)
		return
	}
	found, refused, err := s.find(r, h)
	switch {
	case refused != nil:
		s.refuse(w, refused, refused.Info().Status)
	case err != nil:
		s.o.Log.ErrorContext(r.Context(), "page_failed", "request_id", h.Get("X-Request-Id"), "error", err.Error())
		s.refuse(w, capabilities.Refuse(capabilities.InternalError, "this page could not be made; the cause is in the log of the server"), http.StatusInternalServerError)
	case found == nil:
		e := capabilities.Refuse(capabilities.NotFound, "there is no such page: %s%s lists them", s.o.BasePath, Prefix)
		s.refuse(w, e, e.Info().Status)
	default:
		h.Set("Content-Type", found.contentType)
		h.Set("Cache-Control", "no-cache") // kept, and asked about each time
		h.Set("ETag", found.etag)
		h.Set("Link", "<"+s.o.BasePath+MapPath+`>; rel="alternate"; type="text/plain"`)
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(found.body))
	}
}

// find answers what stands at an address, or nil. Addresses are looked up and never
// made into paths of files.
func (s *site) find(r *http.Request, h http.Header) (*rendition, *capabilities.Error, error) {
	address, ok := strings.CutPrefix(r.URL.Path, Prefix)
	isMap := r.URL.Path == MapPath || r.URL.Path == WholePath
	if !isMap && (!ok || address != "" && address != ".md" && address[0] != '/' || strings.Contains(address, "//")) {
		return nil, nil, nil
	}
	address = strings.TrimSuffix(strings.TrimPrefix(address, "/"), "/")
	if found, err := s.api.find(address, r, h); found != nil || err != nil {
		return found, nil, err
	}
	t, err := s.tree()
	if err != nil {
		return nil, nil, err
	}
	if isMap {
		return t.maps[r.URL.Path](), nil, nil
	}
	name, isMarkdown := strings.CutSuffix(address, ".md")
	switch p := t.pages[address]; {
	case name == searchName:
		h.Add("Vary", "Accept")
		return s.answerSearch(t, r, isMarkdown || prefersMarkdown(r.Header.Values("Accept")))
	case p != nil:
		h.Add("Vary", "Accept")
		one := p.html
		if prefersMarkdown(r.Header.Values("Accept")) {
			one = p.twin
		}
		found, err := one()
		return found, nil, err
	// The first page has no name: its twin is at the address of the whole.
	case isMarkdown && (name != "" || r.URL.Path == Prefix+".md") && t.pages[name] != nil:
		found, err := t.pages[name].twin()
		return found, nil, err
	}
	return t.files[address], nil, nil
}

// refuse answers problem+json under the request id that the surface gave.
func (s *site) refuse(w http.ResponseWriter, e *capabilities.Error, status int) {
	h := w.Header()
	h.Set("Content-Type", "application/problem+json")
	h.Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write(wire.ProblemBelow(s.o.BasePath, e, status, h.Get("X-Request-Id"))) // the client is gone
}
