package httpapi

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/projection/httpapi/openapi"
)

const documentsPath = "/openapi/"

// documents serves the OpenAPI descriptions of what the caller may see, each made
// once a view.
type documents struct {
	s *Server

	mu  sync.Mutex
	all map[documentKey]*document
}

type documentKey struct {
	viewKey
	server string // of one bridged server; "" for everything
	yaml   bool
	hidden bool // with what is hidden from the caller
}

type document struct {
	make func() ([]byte, error)
	etag string // set by make
}

// whole serves /openapi.json and /openapi.yaml.
func (d *documents) whole(yaml bool) endpoint {
	return d.handler(func(*exchange, *http.Request) (documentKey, bool) { return documentKey{yaml: yaml}, true })
}

// ofServer serves /openapi/{server}.json.
func (d *documents) ofServer() endpoint {
	return d.handler(func(x *exchange, r *http.Request) (documentKey, bool) {
		name, ok := strings.CutSuffix(x.param(r, "document"), ".json")
		return documentKey{server: name}, ok && name != ""
	})
}

func (d *documents) handler(which func(*exchange, *http.Request) (documentKey, bool)) endpoint {
	return func(x *exchange, r *http.Request) {
		key, ok := which(x, r)
		v := d.s.o.Viewer.View(x.principal)
		of := v.Listed
		if ok && key.server != "" {
			of = slices.DeleteFunc(slices.Clone(of), func(c *capabilities.Capability) bool { return c.Server() != key.server })
			ok = len(of) > 0
		}
		if !ok {
			x.refuse(r, capabilities.Refuse(capabilities.NotFound, "there is no such document: /openapi.json describes everything, /openapi/{server}.json one bridged server"))
			return
		}
		hidden, e := withHidden(r, x.principal)
		if e != nil {
			x.refuse(r, e)
			return
		}
		if hidden && key.server == "" {
			key.hidden, of = true, v.Everything()
		}
		key.viewKey = keyOf(v, x.principal)
		doc := d.find(key, of)
		body, err := doc.make()
		if err != nil {
			x.refuse(r, x.refusal(r, "openapi_failed", err))
			return
		}
		contentType := d.s.values.json
		if key.yaml {
			contentType = []string{"application/yaml"} // RFC 9512
		}
		x.cached(r, doc.etag, "private, no-cache", contentType, body)
	}
}

// withHidden reports whether an administrator asks for what is hidden as well.
func withHidden(r *http.Request, p *capabilities.Principal) (bool, *capabilities.Error) {
	values := r.URL.Query()["hidden"]
	switch {
	case len(values) == 0 || len(values) == 1 && values[0] == "false":
		return false, nil
	case len(values) > 1 || values[0] != "true":
		return false, capabilities.Violates(capabilities.Violation{Pointer: "/hidden", Keyword: "enum", Message: "the query parameter hidden is true or false, once"})
	}
	if e := capabilities.ShowsHidden(p); e != nil {
		return false, e
	}
	return true, nil
}

func (d *documents) find(key documentKey, of []*capabilities.Capability) *document {
	d.mu.Lock()
	defer d.mu.Unlock()
	if doc, ok := d.all[key]; ok {
		return doc
	}
	doc := &document{}
	doc.make = sync.OnceValues(func() ([]byte, error) {
		body, err := openapi.Document(openapi.Options{
			Title: d.s.o.Title, Version: d.s.o.Version, ServerURL: d.s.o.BasePath + apiPath,
			Homepage: d.s.o.Homepage, License: d.s.o.License, CookieName: d.s.o.CookieName,
			Packs: d.s.o.Builtins.Packs(), Codes: d.s.o.Builtins.Codes(),
		}, of)
		if err == nil && key.yaml {
			body, err = openapi.YAML(body)
		}
		doc.etag = etagOf(body)
		return body, err
	})
	if len(d.all) >= maxKept {
		clear(d.all)
	}
	d.all[key] = doc
	return doc
}

func etagOf(body []byte) string {
	sum := sha256.Sum256(body)
	return `"` + hex.EncodeToString(sum[:12]) + `"`
}

// cached answers a body with its entity tag, or 304 to a caller that has it.
func (x *exchange) cached(r *http.Request, etag, control string, contentType []string, body []byte) {
	h := x.Header()
	h.Set(keyCacheControl, control)
	h.Set("ETag", etag)
	h.Add(keyVary, "Authorization, Cookie")
	if matchesTag(r.Header[keyIfNoneMatch], etag) {
		x.WriteHeader(http.StatusNotModified)
		return
	}
	x.send(r, http.StatusOK, contentType, body)
}

// matchesTag compares weakly, as If-None-Match wants (RFC 9110 section 13.1.2).
func matchesTag(headers []string, etag string) bool {
	for _, header := range headers {
		for tag := range strings.SplitSeq(header, ",") {
			tag = strings.TrimSpace(tag)
			if tag == "*" || strings.TrimPrefix(tag, "W/") == etag {
				return true
			}
		}
	}
	return false
}
