package httpapi

import (
	"bytes"
	"context"
	"io"
	"net/http"

	"github.com/seed-89b9419b/holotype/capabilities"
)

// alive answers that the process runs.
func (s *Server) alive(x *exchange, r *http.Request) {
	x.json(r, []byte(`{"status":"ok"}`))
}

// ready answers whether calls are served. Only a refusal's text is shown: the
// route needs no credential.
func (s *Server) ready(x *exchange, r *http.Request) {
	if s.o.Ready != nil {
		if err := s.o.Ready(); err != nil {
			e, ok := capabilities.AsError(err)
			if !ok {
				e = capabilities.Refuse(capabilities.Unavailable, "this server is not ready yet")
			}
			x.problem(r, e, http.StatusServiceUnavailable)
			return
		}
	}
	x.json(r, []byte(`{"status":"ok"}`))
}

// mcp hands a request to the MCP surface, with its principal and with a body
// within the one limit of all surfaces.
func (s *Server) mcp(x *exchange, r *http.Request) {
	if f := whole(x, r); f != nil {
		x.problem(r, f.Error, f.status)
		return
	}
	s.o.MCP.ServeHTTP(x, r.WithContext(context.WithValue(r.Context(), principalKey{}, x.principal)))
}

// whole reads a body before its request is handed on: what stands behind could not
// tell one that is cut, or comes too slowly, from broken JSON, and a stream would not
// see its caller leave.
func whole(w http.ResponseWriter, r *http.Request) *fault {
	if r.ContentLength == 0 || r.Body == nil || r.Body == http.NoBody {
		return nil
	}
	b, f := readWhole(w, r, 0)
	if f != nil {
		return f
	}
	r.Body = io.NopCloser(bytes.NewReader(b))
	r.ContentLength = int64(len(b))
	return nil
}

// docs hands a request to the documentation, with the headers of a page of ours
// in place.
func (s *Server) docs(x *exchange, r *http.Request) {
	s.pageHeaders(x.Header())
	s.o.Docs.ServeHTTP(x, r)
}
