package capabilities

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"

	"github.com/seed-89b9419b/holotype/internal/schema"
)

var blockerType = reflect.TypeFor[Blocker]()

// route checks a declared route against the effect and the input.
func (a *assembly) route(at Site, s Spec, in *Schema) Route {
	bad := func(format string, args ...any) { a.fault(at, s.Name, format, args...) }
	r, err := parseRoute(s.Route)
	if err != nil {
		bad("%v", err)
		return Route{}
	}
	if s.Effect.Declared() && !slices.Contains(s.Effect.Methods(), r.Method) {
		bad("the route's method is %s, an effect of %s admits %s", r.Method, s.Effect.Change(), strings.Join(s.Effect.Methods(), ", "))
	}
	if strings.HasPrefix(r.Path, "/servers/") {
		bad("routes under /servers belong to bridged tools")
	}
	if other, taken := a.routes[r.shape()]; taken {
		bad("the route is taken by %s", other)
	}
	a.routes[r.shape()] = s.Name
	compiled, err := in.compile()
	if err != nil {
		return r
	}
	props := compiled.Properties()
	for _, f := range r.Fields {
		i := slices.IndexFunc(props, func(p schema.Property) bool { return p.Name == f })
		switch {
		case i < 0:
			bad("the route names {%s}, which is no field of the input", f)
		case !props[i].Required || !props[i].Scalar():
			bad("the path field %q is a required scalar field of the input", f)
		}
	}
	if r.Method != "GET" {
		return r
	}
	for _, p := range props {
		if !p.Scalar() && !p.ScalarArray() {
			bad("GET puts fields in the query, which holds no object: field %q; use POST", p.Name)
		}
	}
	return r
}

// examples checks that every example's arguments mean what it says.
func (a *assembly) examples(at Site, c *Capability) {
	seen := map[string]bool{}
	for _, ex := range c.examples {
		bad := func(format string, args ...any) {
			a.fault(at, c.name, "example %q: "+format, append([]any{ex.Name}, args...)...)
		}
		if ex.Name == "" || seen[ex.Name] {
			bad("an example has a name of its own")
		}
		seen[ex.Name] = true
		if !json.Valid([]byte(ex.In)) && ex.Refuses != Invalid {
			bad("its arguments are not JSON")
			continue
		}
		if ex.Refuses != "" && !slices.ContainsFunc(c.codes, func(i CodeInfo) bool { return i.Code == ex.Refuses }) {
			bad("it expects the refusal %q, which the capability does not declare", ex.Refuses)
		}
		violations, err := c.in.Validate([]byte(ex.In))
		switch {
		case err != nil:
			bad("%v", err)
		case len(violations) > 0 && ex.Refuses != Invalid:
			bad("its arguments do not pass: %s", violations[0].sentence())
		}
	}
}
