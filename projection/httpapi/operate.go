package httpapi

import (
	"errors"
	"net/http"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/wire"
)

// operatePath is the one route by which a program calls any tool by its name, as a client
// of MCP does: all arguments stand in the body.
const operatePath = "/operator/act/{tool}"

// operate calls the tool that the path names. It takes a call with an operation key alone:
// whoever calls by name does not know which calls write, and may have to send one again.
func (s *Server) operate(x *exchange, r *http.Request) {
	name := x.param(r, "tool")
	call := capabilities.Call{Name: name, Principal: x.principal, Surface: capabilities.HTTP, RequestID: x.id[0], Trace: traceOf(r.Header)}
	x.prefer(r, &call)
	c, _, known := s.o.Viewer.Find(x.principal, name)
	var f *fault
	if known {
		if f = s.operation(x, r, c, &call); f != nil {
			call.Refusal = f.Error
		}
	}
	res, err := s.o.Door.Invoke(r.Context(), call)
	switch {
	case f != nil && errors.Is(err, f.Error):
		x.problem(r, f.Error, f.status)
		return
	case err == nil && !known: // it came with a swap of the registry between the look and the call
		err = capabilities.Refuse(capabilities.Unavailable, "%s was not there a moment ago: send the call again", clip(name))
	}
	if err != nil {
		x.refuseCall(r, c, x.refusal(r, "door_failed", err))
		return
	}
	x.json(r, wire.Body(c, res))
}

// operation fills the call from the request.
func (s *Server) operation(x *exchange, r *http.Request, c *capabilities.Capability, call *capabilities.Call) *fault {
	if f := acceptable(r); f != nil {
		return f
	}
	op, e := identity(r.Header)
	if e == nil && op.ID == "" {
		e = capabilities.Refuse(capabilities.OpIDInvalid,
			"the header Idempotency-Key is missing, and no call is taken here without: send a fresh one, such as a UUID, and the same one when you repeat the call")
	}
	if e != nil {
		return faultOf(e)
	}
	call.Operation = op
	p := &route{s: s, c: c, name: c.Name(), writes: c.Writes(), rehearses: c.Writes() && !c.Bridged()}
	if r.URL.RawQuery != "" {
		if call.Operation.DryRun, e = p.dryRun(r.URL.RawQuery); e != nil {
			return faultOf(e)
		}
	}
	for _, header := range []string{keyIfMatch, keyIfNoneMatch} {
		if r.Header[header] != nil {
			return faultOf(capabilities.Refuse(capabilities.Invalid, "the header %s is not looked at here: all arguments travel in the body, this one too", header))
		}
	}
	body, f := readBody(x, r, 0)
	if f != nil {
		return f
	}
	call.Arguments = body
	return nil
}
