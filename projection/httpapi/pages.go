package httpapi

import (
	"bytes"
	"fmt"
	"html/template"
	"net/http"
	"path"
	"strings"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/unseen"
	"github.com/seed-89b9419b/holotype/web"
)

const (
	assetsPath = "/assets/"
	stylePath  = assetsPath + "style.css"
)

// pagePolicy lets a page load our style sheet, send forms to us and nothing else.
const pagePolicy = "default-src 'none'; style-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

func parsePages() (*template.Template, error) {
	t, err := template.ParseFS(web.Templates, "templates/*.html")
	if err != nil {
		return nil, fmt.Errorf("reading the pages: %w", err)
	}
	return t, nil
}

// pageHeaders sets what every page of ours is sent with. The referrer policy is
// same-origin and not no-referrer: under the latter browsers send the forms of
// the page itself with "Origin: null", which is refused like any foreign origin.
// No other site ever gets a referrer.
func (s *Server) pageHeaders(h http.Header) {
	h.Set(keyContentPolicy, pagePolicy)
	h.Set("X-Frame-Options", "DENY") // for browsers that do not know frame-ancestors
	h.Set(keyReferrerPolicy, "same-origin")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
}

// page renders a page of ours.
func (s *Server) page(x *exchange, r *http.Request, status int, name string, data any) {
	s.pageReferring(x, r, status, name, data, "same-origin")
}

// pageReferring is page with a referrer policy of its own.
func (s *Server) pageReferring(x *exchange, r *http.Request, status int, name string, data any, policy string) {
	var b bytes.Buffer
	if err := s.pages.ExecuteTemplate(&b, name, data); err != nil {
		x.refuse(r, x.refusal(r, "page_failed", fmt.Errorf("rendering %s: %w", name, err)))
		return
	}
	s.pageHeaders(x.Header())
	x.Header().Set(keyReferrerPolicy, policy)
	x.send(r, status, s.values.html, b.Bytes())
}

// asset serves what the pages load.
func (s *Server) asset(x *exchange, r *http.Request) {
	name := x.param(r, "asset")
	body, err := web.Assets.ReadFile("assets/" + name)
	kind, known := map[string]string{".css": "text/css; charset=utf-8", ".svg": "image/svg+xml"}[path.Ext(name)]
	if err != nil || !known {
		x.refuse(r, capabilities.Refuse(capabilities.NotFound, "the pages have no asset %q", clip(name)))
		return
	}
	x.cached(r, etagOf(body), "no-cache", []string{kind}, body)
}

// shown answers foreign text for a page: control characters, marks that turn the
// direction of text and bytes that are no UTF-8 become visible signs, so that
// nothing on the page looks like what it is not. Escaping is the template's.
func shown(text string) string {
	if !strings.ContainsFunc(text, unseen.Hides) {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		switch {
		case r == '\n':
			b.WriteString("\u21B5 ") // an arrow, and room to break the line
		case unseen.Hides(r):
			fmt.Fprintf(&b, "[U+%04X]", r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}
