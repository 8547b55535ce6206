package httpapi

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/go-chi/chi/v5"

	"github.com/seed-89b9419b/holotype/capabilities"
)

// endpoint serves the requests of one route.
type endpoint func(x *exchange, r *http.Request)

type endpointKey struct{ method, pattern string }

// handle adds a route. chi's tree finds the pattern of a path; what stands behind
// the pattern is ours, so that a request is neither copied nor given a map of its
// path fields on the way.
func (s *Server) handle(method, pattern string, e endpoint) {
	s.endpoints[endpointKey{method, pattern}] = e
	if !strings.ContainsAny(pattern, "{*") {
		s.plain[endpointKey{method, pattern}] = e
	}
	s.tree.Method(method, pattern, http.NotFoundHandler()) // the tree wants a handler and never calls it
}

// read serves GET and HEAD.
func (s *Server) read(pattern string, e endpoint) {
	s.handle(http.MethodGet, pattern, e)
	s.handle(http.MethodHead, pattern, e)
	s.served = append(s.served, "GET "+pattern)
}

// mount serves every method.
func (s *Server) mount(pattern string, e endpoint) {
	for _, method := range []string{
		http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions,
	} {
		s.handle(method, pattern, e)
	}
}

// dispatch routes an admitted request.
func (s *Server) dispatch(x *exchange, r *http.Request, path string) {
	// The tree prefers a path without fields as well, and takes longer to find it.
	if e, ok := s.plain[endpointKey{r.Method, path}]; ok {
		e(x, r)
		return
	}
	found, _ := s.contexts.Get().(*chi.Context)
	if found == nil {
		found = chi.NewRouteContext()
	}
	found.Reset()
	e, ok := s.endpoints[endpointKey{r.Method, s.tree.Find(found, r.Method, path)}]
	if !ok {
		s.unrouted(x, r, path)
		return
	}
	x.params = &found.URLParams
	e(x, r)
	x.params = nil
	s.contexts.Put(found)
}

// param answers a field of the path, decoded once.
func (x *exchange) param(r *http.Request, name string) string {
	if x.params == nil {
		return "" // the path has no fields
	}
	for i, key := range x.params.Keys {
		if key != name {
			continue
		}
		value := x.params.Values[i]
		if r.URL.RawPath == "" {
			return value // matched decoded, because nothing is lost by it
		}
		if decoded, err := url.PathUnescape(value); err == nil {
			return decoded
		}
		return value // not reached: net/http refuses a path with a broken escape
	}
	return ""
}

// unrouted answers a path that is no route, or has no such method.
func (s *Server) unrouted(x *exchange, r *http.Request, path string) {
	var allowed []string
	for _, m := range []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"} {
		if s.tree.Match(chi.NewRouteContext(), m, path) {
			allowed = append(allowed, m)
		}
	}
	if len(allowed) == 0 {
		x.refuse(r, capabilities.Refuse(capabilities.NotFound, "%s is no route of this server: see %s/openapi.json%s", clip(path), s.o.BasePath, s.unstripped(path)))
		return
	}
	list := strings.Join(allowed, ", ")
	x.Header()[keyAllow] = []string{list}
	x.problem(r, capabilities.Refuse(capabilities.Invalid, "%s takes %s, not %s", clip(path), list, clip(r.Method)), http.StatusMethodNotAllowed)
}
