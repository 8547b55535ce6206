// Package site serves the documentation below /docs: the authored pages and the
// reference generated from the registry that runs, rendered on the server, without
// a script and without a request to anywhere else. Every page has a Markdown twin
// at its address with .md behind it.
package site

import (
	"bytes"
	"fmt"
	"html/template"
	"io/fs"
	"net/http"
	"path"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/codegen/reference"
	"github.com/seed-89b9419b/holotype/docs"
	"github.com/seed-89b9419b/holotype/web"
)

// contentSecurity admits the style sheet of this server and nothing else.
const contentSecurity = "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"

// Handler answers /docs and everything below it. It answers 404 with the body of
// notFound for a page that does not exist.
func Handler(reg *capabilities.Registry, title string, notFound http.Handler) (http.Handler, error) {
	s := &site{title: title, sources: map[string][]byte{}, notFound: notFound}
	if err := s.authored(); err != nil {
		return nil, err
	}
	files, err := reference.Files(reg)
	if err != nil {
		return nil, err
	}
	for name, text := range files {
		s.sources[strings.TrimPrefix(name, "docs/")] = text
	}
	s.page, err = template.ParseFS(web.Templates, "templates/docs.html")
	if err != nil {
		return nil, fmt.Errorf("reading the template of the documentation: %w", err)
	}
	s.markdown = goldmark.New(
		goldmark.WithExtensions(extension.Table),
		goldmark.WithParserOptions(parser.WithAutoHeadingID()),
	)
	return s, nil
}

type site struct {
	title    string
	sources  map[string][]byte // by path below docs/, such as "reference/codes.md"
	page     *template.Template
	markdown goldmark.Markdown
	notFound http.Handler
}

func (s *site) authored() error {
	return fs.WalkDir(docs.Pages, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		s.sources[name], err = docs.Pages.ReadFile(name)
		return err
	})
}

// source answers the Markdown of an address below /docs, and whether the address
// asks for the Markdown itself. The short addresses /docs/codes/X and
// /docs/capabilities/X are those that problems and tools name.
func (s *site) source(address string) (name string, text []byte, raw, ok bool) {
	name = strings.Trim(strings.TrimPrefix(address, "/docs"), "/")
	name, raw = strings.CutSuffix(name, ".md")
	for _, candidate := range []string{name + ".md", path.Join(name, "README.md"), "reference/" + name + ".md"} {
		if text, ok := s.sources[candidate]; ok {
			return candidate, text, raw, true
		}
	}
	text, ok = s.sources[name]
	return name, text, true, ok
}

// ServeHTTP answers GET and HEAD.
func (s *site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name, text, raw, ok := s.source(r.URL.Path)
	if !ok || (r.Method != http.MethodGet && r.Method != http.MethodHead) {
		s.notFound.ServeHTTP(w, r)
		return
	}
	h := w.Header()
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "no-cache")
	if raw || strings.Contains(r.Header.Get("Accept"), "text/markdown") {
		h.Set("Content-Type", contentType(name))
		_, _ = w.Write(text) // the client is gone
		return
	}
	body, err := s.render(name, text)
	if err != nil {
		http.Error(w, "this page could not be rendered", http.StatusInternalServerError)
		return
	}
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", contentSecurity)
	h.Set("Referrer-Policy", "no-referrer")
	_, _ = w.Write(body) // the client is gone
}

func contentType(name string) string {
	if strings.HasSuffix(name, ".json") {
		return "application/schema+json"
	}
	return "text/markdown; charset=utf-8"
}

// render writes a page as HTML. Raw HTML in the Markdown is left out by the
// renderer, so text of a bridged server stays text.
func (s *site) render(name string, text []byte) ([]byte, error) {
	var article bytes.Buffer
	if err := s.markdown.Convert(text, &article); err != nil {
		return nil, err
	}
	base := path.Dir("/docs/" + name)
	var out bytes.Buffer
	err := s.page.Execute(&out, map[string]any{
		"Title": heading(text), "Site": s.title, "Markdown": "/docs/" + name,
		"Article": template.HTML(pageLinks(article.String(), base)), //nolint:gosec // goldmark escapes what it renders
	})
	return out.Bytes(), err
}

// heading is the text of the first heading of a page.
func heading(text []byte) string {
	for line := range strings.SplitSeq(string(text), "\n") {
		if h, ok := strings.CutPrefix(line, "# "); ok {
			return strings.Trim(h, "`")
		}
	}
	return "Documentation"
}

// pageLinks points the relative links of a page in base at their addresses here.
func pageLinks(html, base string) string {
	const mark = `href="`
	var b strings.Builder
	for {
		i := strings.Index(html, mark)
		if i < 0 {
			b.WriteString(html)
			return b.String()
		}
		b.WriteString(html[:i+len(mark)])
		html = html[i+len(mark):]
		end := strings.IndexByte(html, '"')
		if end < 0 {
			b.WriteString(html)
			return b.String()
		}
		b.WriteString(address(html[:end], base))
		html = html[end:]
	}
}

// address resolves one link: "../codes.md#x" becomes "/docs/reference/codes#x".
func address(link, base string) string {
	if link == "" || strings.HasPrefix(link, "#") || strings.HasPrefix(link, "/") || strings.Contains(link, ":") {
		return link
	}
	file, fragment, _ := strings.Cut(link, "#")
	file = path.Join(base, file)
	if name, ok := strings.CutSuffix(file, ".md"); ok {
		file = strings.TrimSuffix(name, "/README")
	}
	if fragment != "" {
		file += "#" + fragment
	}
	return file
}
