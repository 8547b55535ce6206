package capabilities

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"sync"
)

// sides are the schemas of a declaration. They follow from its types and its comments
// alone and take most of the time of an [Assemble], so every assembly of a pack shares
// what the first one reflected: a running server, and the description of it that its
// build is known by.
type sides struct{ in, out func() side }

// side is one of them, with what is wrong with it.
type side struct {
	schema *Schema // nil where none can be reflected, or compiled
	faults []string
	// defs are the schemas that it names, by name. An input's are not an output's.
	defs map[string]string
}

// sidesOf answers the sides of a declaration, each of which is reflected when it is
// asked for first.
func sidesOf(in, out reflect.Type, comments map[string]string) sides {
	return sides{
		in:  sync.OnceValue(func() side { return reflectSide(in, comments, "input", true, false) }),
		out: sync.OnceValue(func() side { return reflectSide(out, comments, "output", false, answersReceipt(out)) }),
	}
}

// reflectSide reflects one side and checks it.
func reflectSide(t reflect.Type, comments map[string]string, name string, closed, once bool) (r side) {
	faults, reflectable := lintType(t, comments, once)
	for _, f := range faults {
		r.faults = append(r.faults, name+": "+f)
	}
	if !reflectable {
		return r
	}
	raw, err := reflectSchema(t, comments, closed)
	if err != nil {
		r.faults = append(r.faults, fmt.Sprintf("%s schema: %v", name, err))
		return r
	}
	s := newOutputSchema(raw)
	if closed {
		s = newSchema(raw)
	}
	if err := s.Check(); err != nil {
		r.faults = append(r.faults, fmt.Sprintf("%s schema: %v", name, err))
		return r
	}
	r.schema, r.defs = s, defsOf(raw)
	return r
}

// defsOf answers the schemas that a schema names.
func defsOf(raw []byte) map[string]string {
	var s struct {
		Defs map[string]json.RawMessage `json:"$defs"`
	}
	if err := json.Unmarshal(raw, &s); err != nil {
		return nil
	}
	all := make(map[string]string, len(s.Defs))
	for name, def := range s.Defs {
		if strings.Contains(string(def), "additionalProperties\":false") {
			name += " (input)"
		}
		all[name] = string(def)
	}
	return all
}
