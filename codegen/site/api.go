package site

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"html/template"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"github.com/seed-89b9419b/holotype/web"
)

// apiName is the address below /docs of the page to try the HTTP surface on, and of
// what it loads. No page has it.
const apiName = "api"

// apiSecurity admits the scripts and styles of this server, pictures that stand in
// them, and requests to this server.
const apiSecurity = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// apiPages are the page and its parts, by their address below /docs.
type apiPages map[string]apiPart

// apiPart answers a rendition, compressed where there is one that is.
type apiPart struct {
	plain      func() (*rendition, error)
	compressed func() (*rendition, error) // or nil
}

func newAPIPages(layout *template.Template, o Options) apiPages {
	all := apiPages{apiName: {plain: sync.OnceValues(func() (*rendition, error) {
		var b bytes.Buffer
		err := layout.ExecuteTemplate(&b, "api.html", layoutData{Site: o.Title, Base: o.BasePath, InAPI: true})
		return newRendition(b.Bytes(), typeHTML), err
	})}}
	all[apiName+"/start.js"] = apiPart{plain: func() (*rendition, error) {
		body, err := web.Swagger.ReadFile("swagger/start.js")
		return newRendition(body, typeScript), err
	}}
	for name, kind := range map[string]string{"swagger-ui-bundle.js": typeScript, "swagger-ui.css": typeStyle} {
		packed := sync.OnceValues(func() (*rendition, error) {
			body, err := web.Swagger.ReadFile("swagger/" + name + ".gz")
			return newRendition(body, kind), err
		})
		all[apiName+"/"+name] = apiPart{
			compressed: packed,
			plain: func() (*rendition, error) { // for a client that cannot unpack it, which is rare
				from, err := packed()
				if err != nil {
					return nil, err
				}
				r, err := gzip.NewReader(bytes.NewReader(from.body))
				if err != nil {
					return nil, fmt.Errorf("unpacking %s: %w", name, err)
				}
				whole, err := io.ReadAll(r)
				return newRendition(whole, kind), err
			},
		}
	}
	return all
}

// find answers the part at an address below /docs, or nil.
func (a apiPages) find(address string, r *http.Request, h http.Header) (*rendition, error) {
	part, ok := a[address]
	if !ok {
		return nil, nil
	}
	h.Set("Content-Security-Policy", apiSecurity)
	if part.compressed != nil {
		h.Add("Vary", "Accept-Encoding")
		if acceptsGzip(r.Header.Values("Accept-Encoding")) {
			h.Set("Content-Encoding", "gzip")
			return part.compressed()
		}
	}
	return part.plain()
}

// acceptsGzip reports whether an Accept-Encoding header (RFC 9110 section 12.5.3)
// names gzip without refusing it.
func acceptsGzip(accept []string) bool {
	for field := range strings.SplitSeq(strings.Join(accept, ","), ",") {
		coding, weight, _ := strings.Cut(strings.ToLower(strings.TrimSpace(field)), ";")
		if coding = strings.TrimSpace(coding); coding != "gzip" && coding != "*" {
			continue
		}
		if q, ok := strings.CutPrefix(strings.TrimSpace(weight), "q="); ok {
			if w, err := strconv.ParseFloat(q, 64); err != nil || w <= 0 {
				return false
			}
		}
		return true
	}
	return false
}
