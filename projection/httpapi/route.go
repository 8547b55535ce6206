package httpapi

import (
	"errors"
	"fmt"
	"net/http"
	"slices"

	"github.com/danielgtaylor/huma/v2"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/schema"
	"github.com/seed-89b9419b/holotype/internal/wire"
)

// apiPath is where every route of a capability begins.
const apiPath = "/api/v1"

// route is the plan of one capability: everything that is the same for every
// request, worked out once.
type route struct {
	s    *Server
	c    *capabilities.Capability
	name string
	get  bool // the fields stand in the query

	path                 []*argument // the fields in the path, in its order
	query                map[string]*argument
	lists                int // how many of query are arrays
	ifMatch, ifNoneMatch *argument
	writes               bool
	rehearses            bool // dry_run is taken
}

// newRoute plans a builtin's route.
func newRoute(s *Server, c *capabilities.Capability) (*route, error) {
	compiled, err := schema.Compile(c.Input().Raw())
	if err != nil {
		return nil, fmt.Errorf("planning the route of %s: %w", c.Name(), err)
	}
	p := &route{s: s, c: c, name: c.Name(), get: c.Route().Method == http.MethodGet, writes: c.Writes(), rehearses: c.Writes(), query: map[string]*argument{}}
	byName := map[string]*argument{}
	for _, prop := range compiled.Properties() {
		byName[prop.Name] = newArgument(prop)
	}
	for _, field := range c.Route().Fields {
		a, ok := byName[field]
		if !ok {
			return nil, fmt.Errorf("planning the route of %s: the path names %q, which is no field", c.Name(), field)
		}
		p.path = append(p.path, a)
	}
	p.ifMatch, p.ifNoneMatch = byName["if_match"], byName["if_none_match"]
	if p.get {
		for name, a := range byName {
			if slices.Contains(c.Route().Fields, name) || a == p.ifMatch || a == p.ifNoneMatch {
				continue // given in the query, it is a field twice, or misplaced
			}
			if a.item != nil {
				a.list = p.lists
				p.lists++
			}
			p.query[name] = a
		}
	}
	return p, nil
}

// serve decodes a request, sends the call through the door and renders the answer.
// It is what huma calls for the operation; huma.Register would reflect the types
// once more and validate with another validator.
func (p *route) serve(ctx huma.Context) {
	o, ok := ctx.(*operation)
	if !ok { // a context that middleware of huma's put around ours
		ctx.SetStatus(http.StatusInternalServerError)
		return
	}
	p.call(o.x, o.r)
}

func (p *route) call(x *exchange, r *http.Request) {
	call := capabilities.Call{Name: p.name, Principal: x.principal, Surface: capabilities.HTTP, RequestID: x.id[0], Trace: traceOf(r.Header)}
	x.prefer(r, &call)
	f := p.decode(x, r, &call)
	if f != nil {
		call.Refusal = f.Error
	}
	res, err := p.s.o.Door.Invoke(r.Context(), call)
	if f != nil && errors.Is(err, f.Error) {
		x.problem(r, f.Error, f.status)
		return
	}
	if err != nil {
		x.refuseCall(r, p.c, p.inRequestTerms(x.refusal(r, "door_failed", err)))
		return
	}
	x.json(r, wire.Body(p.c, res))
}

// decode fills the call from the request.
func (p *route) decode(x *exchange, r *http.Request, call *capabilities.Call) *fault {
	if f := acceptable(r); f != nil {
		return f
	}
	op, e := identity(r.Header)
	if e != nil {
		return faultOf(e)
	}
	call.Operation = op
	if p.get {
		if f := noBody(r); f != nil {
			return f
		}
		if call.Arguments, e = p.fromQuery(x, r); e != nil {
			return faultOf(e)
		}
		return nil
	}
	if r.URL.RawQuery != "" {
		if call.Operation.DryRun, e = p.dryRun(r.URL.RawQuery); e != nil {
			return faultOf(e)
		}
	}
	space := [256]byte{'{'}
	object, e := p.appendPath(space[:1], x, r)
	if e != nil {
		return faultOf(e)
	}
	if object, e = p.appendConditions(object, r.Header); e != nil {
		return faultOf(e)
	}
	body, f := readBody(x, r, len(object)+len(",}"))
	if f != nil {
		return f
	}
	if e := p.misplacedIn(body); e != nil {
		return faultOf(e)
	}
	call.Arguments = splice(body, object[1:])
	return nil
}

// fromQuery answers the arguments of a GET: the path, the conditions, the query.
func (p *route) fromQuery(x *exchange, r *http.Request) ([]byte, *capabilities.Error) {
	query := r.URL.RawQuery
	if query == "" && len(p.path) == 0 && p.ifMatch == nil && p.ifNoneMatch == nil {
		return nil, nil
	}
	var space [256]byte // the arguments are kept for as long as the call runs, this is not
	b := append(space[:0], '{')
	b, e := p.appendPath(b, x, r)
	if e != nil {
		return nil, e
	}
	if b, e = p.appendConditions(b, r.Header); e != nil {
		return nil, e
	}
	if b, e = p.appendQuery(b, query); e != nil {
		return nil, e
	}
	return append(make([]byte, 0, len(b)+1), append(b, '}')...), nil
}

// appendPath adds the fields of the path to an unfinished object.
func (p *route) appendPath(b []byte, x *exchange, r *http.Request) ([]byte, *capabilities.Error) {
	for _, a := range p.path {
		value := x.param(r, a.Name)
		if value == "" { // the router lets an empty segment through
			return nil, capabilities.Refuse(capabilities.NotFound, "the path has no %s: a segment of it is empty", a.Name)
		}
		b = append(comma(b), a.key...)
		b = a.appendText(b, value)
	}
	return b, nil
}

// inRequestTerms says of a field that was given twice that the path gave it the first
// time.
func (p *route) inRequestTerms(e *capabilities.Error) *capabilities.Error {
	if len(e.Violations) != 1 || e.Violations[0].Keyword != string(schema.Duplicate) ||
		!slices.ContainsFunc(p.path, func(a *argument) bool { return e.Violations[0].Pointer == "/"+a.Name }) {
		return e
	}
	own := *e
	own.Violations = []capabilities.Violation{{
		Pointer: e.Violations[0].Pointer, Keyword: e.Violations[0].Keyword,
		Message: "stands in the path already: leave it out of the query and the body",
	}}
	own.Message = capabilities.Violates(own.Violations...).Message
	return &own
}
