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
	"github.com/seed-89b9419b/holotype/internal/wire"
	"github.com/seed-89b9419b/holotype/web"
)

// Prefix is where the documentation stands, below [Options.BasePath].
const Prefix = "/docs"

// contentSecurity admits the style sheet of this server and nothing else.
const contentSecurity = "default-src 'none'; style-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'"

// Options are what the documentation is made of. Registry and Log are required.
type Options struct {
	Registry *capabilities.Registry
	// Pages are the authored pages, with README.md the first; nil is none.
	Pages fs.FS
	// Title names the program and its command.
	Title string
	// BasePath is the path that stands before /docs in the links; "" for none.
	BasePath string
	Log      *slog.Logger
}

// Handler answers GET and HEAD of /docs and everything below it. Nothing is read
// before the first request, so that a server starts no later for its documentation;
// a page is rendered when it is first asked for, and once. Every other request is
// refused as problem+json (RFC 9457): 404 not_found without such a page, 405 invalid
// for another method, 500 internal_error, and the cause in the log, where an
// authored page cannot be read. The error is that of the layout.
func Handler(o Options) (http.Handler, error) {
	layout, err := template.ParseFS(web.Templates, "templates/docs.html")
	if err != nil {
		return nil, fmt.Errorf("reading the template of the documentation: %w", err)
	}
	s := &site{o: o, layout: layout, markdown: newMarkdown()}
	s.tree = sync.OnceValues(s.read)
	return s, nil
}

type site struct {
	o        Options
	layout   *template.Template
	markdown goldmark.Markdown
	tree     func() (*tree, error)
}

// read gathers the pages.
func (s *site) read() (*tree, error) {
	t, err := newTree(s.o, s.markdown.Parser())
	if err != nil {
		return nil, fmt.Errorf("reading the documentation: %w", err)
	}
	for _, p := range t.all {
		p.twin = sync.OnceValues(func() (*rendition, error) { return newRendition(p.source, "text/markdown; charset=utf-8"), nil })
		p.html = sync.OnceValues(func() (*rendition, error) {
			body, err := s.render(t, p)
			if err != nil {
				return nil, fmt.Errorf("rendering %s: %w", p.name, err)
			}
			return newRendition(body, "text/html; charset=utf-8"), nil
		})
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
	found, err := s.find(r, h)
	switch {
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
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(found.body))
	}
}

// find answers what stands at an address, or nil. Addresses are looked up and never
// made into paths of files.
func (s *site) find(r *http.Request, h http.Header) (*rendition, error) {
	address, ok := strings.CutPrefix(r.URL.Path, Prefix)
	if !ok || address != "" && address != ".md" && address[0] != '/' || strings.Contains(address, "//") {
		return nil, nil
	}
	t, err := s.tree()
	if err != nil {
		return nil, err
	}
	address = strings.TrimSuffix(strings.TrimPrefix(address, "/"), "/")
	if p := t.pages[address]; p != nil {
		h.Add("Vary", "Accept")
		if prefersMarkdown(r.Header.Values("Accept")) {
			return p.twin()
		}
		return p.html()
	}
	// The first page has no name: its twin is at the address of the whole.
	if name, isMarkdown := strings.CutSuffix(address, ".md"); isMarkdown && (name != "" || r.URL.Path == Prefix+".md") && t.pages[name] != nil {
		return t.pages[name].twin()
	}
	return t.files[address], nil
}

// refuse answers problem+json under the request id that the surface gave.
func (s *site) refuse(w http.ResponseWriter, e *capabilities.Error, status int) {
	h := w.Header()
	h.Set("Content-Type", "application/problem+json")
	h.Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write(wire.ProblemBelow(s.o.BasePath, e, status, h.Get("X-Request-Id"))) // the client is gone
}
