package httpapi

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"slices"

	"github.com/seed-89b9419b/holotype/capabilities"
)

// alive answers that the process runs.
func (s *Server) alive(x *exchange, r *http.Request) {
	x.json(r, []byte(`{"status":"ok"}`))
}

// ready answers whether calls are served, and with verbose in the query how each part is.
// Only a refusal's text is shown: the route needs no credential.
func (s *Server) ready(x *exchange, r *http.Request) {
	var refusal *capabilities.Error
	if s.o.Ready != nil {
		if err := s.o.Ready(); err != nil {
			var ok bool
			if refusal, ok = capabilities.AsError(err); !ok {
				refusal = capabilities.Refuse(capabilities.Unavailable, "this server is not ready yet")
			}
		}
	}
	switch {
	case s.verbose(x, r, refusal):
	case refusal != nil:
		x.problem(r, refusal, http.StatusServiceUnavailable)
	default:
		x.json(r, []byte(`{"status":"ok"}`))
	}
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

// The addresses of MCP that serve a part of what the caller may call, or list it another
// way.
const (
	readOnlyPath = mcpPath + "/readonly"
	findPath     = mcpPath + "/find"
	groupPath    = mcpPath + "/x/{group}"
	seatPath     = "/seats/{seat}/mcp"
	seatFindPath = seatPath + "/find"
)

// readOnly serves MCP with the tools that are known to change nothing.
func (s *Server) readOnly(x *exchange, r *http.Request) {
	x.principal = x.principal.Narrowed(capabilities.Narrowing{ReadOnly: true})
	s.mcp(x, r)
}

// find serves MCP with the tools of discovery in place of the list.
func (s *Server) find(x *exchange, r *http.Request) {
	x.principal = x.principal.Discovering()
	s.mcp(x, r)
}

// group serves MCP with the tools of one pack or server.
func (s *Server) group(x *exchange, r *http.Request) {
	name := x.param(r, "group")
	if !s.known(x.principal, name) {
		x.refuse(r, capabilities.Refuse(capabilities.NotFound, "no tool of a pack or an MCP server named %q is there for you", clip(name)))
		return
	}
	x.principal = x.principal.Narrowed(capabilities.Narrowing{Group: name})
	s.mcp(x, r)
}

// known reports whether the caller may see a tool of a pack or server of that name, or
// whether it is a server that whoever runs this one is told of. To anybody else a name
// that is kept from them is no other than one that nothing has.
func (s *Server) known(p *capabilities.Principal, group string) bool {
	of := func(c *capabilities.Capability) bool { return c.Group() == group }
	if slices.ContainsFunc(s.o.Viewer.View(p).Listed, of) {
		return true
	}
	return s.o.Servers != nil && p.Has(capabilities.ScopeAdmin) && slices.ContainsFunc(s.o.Servers(), func(st ServerState) bool { return st.Name == group })
}

// seat serves MCP in the position of a seat.
func (s *Server) seat(x *exchange, r *http.Request) { s.inSeat(x, r, s.mcp) }

// seatFind serves MCP in the position of a seat with the tools of discovery in place of
// the list.
func (s *Server) seatFind(x *exchange, r *http.Request) { s.inSeat(x, r, s.find) }

// inSeat has a request served in the position of a seat.
func (s *Server) inSeat(x *exchange, r *http.Request, serve func(*exchange, *http.Request)) {
	p, err := s.o.Seat(x.principal, x.param(r, "seat"))
	if err != nil {
		x.refuse(r, x.refusal(r, "seat_not_taken", err))
		return
	}
	x.principal = p
	if e := s.takeUp(x, r); e != nil {
		x.refuse(r, e)
		return
	}
	serve(x, r)
}

// whole reads a body before its request is handed on: what stands behind could not
// tell one that is cut, or comes too slowly, from broken JSON, and a stream would not
// see its caller leave.
func whole(x *exchange, r *http.Request) *fault {
	if r.ContentLength == 0 || r.Body == nil || r.Body == http.NoBody {
		return nil
	}
	b, f := readWhole(x, r, 0)
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
