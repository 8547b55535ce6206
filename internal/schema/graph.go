package schema

import (
	"reflect"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// The library judges every alternative of every union to the end, so the work one value causes multiplies at each level
// where two subschemas look at the same place. A recursive union that does so at every level turns 64 levels into 2^64
// steps. The graph weighs a schema once; only heavy ones pay for counting
// before each validation.

const (
	// freely is the weight up to which a schema is not counted, and smallText the size up to which a text is not.
	freely    = 5000
	smallText = 64 << 10
	// A validation may take freeSteps, and stepsPerValue for each value up to maxSteps in all. A step takes the library a
	// microsecond or two.
	freeSteps     = 200_000
	stepsPerValue = 8
	maxSteps      = 1_500_000
)

// edges are the subschemas of one schema: those judging the same value, and those judging parts of it.
type edges struct {
	same  []*jsonschema.Schema
	below []*jsonschema.Schema
}

type graph struct {
	root  *jsonschema.Schema
	edges map[*jsonschema.Schema]edges
	order []*jsonschema.Schema
}

func newGraph(root *jsonschema.Schema) *graph {
	g := &graph{root: root, edges: map[*jsonschema.Schema]edges{}}
	todo := []*jsonschema.Schema{root}
	for len(todo) > 0 {
		s := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if _, done := g.edges[s]; done {
			continue
		}
		e := edgesOf(s)
		g.edges[s] = e
		g.order = append(g.order, s)
		todo = append(append(todo, e.same...), e.below...)
	}
	return g
}

func edgesOf(s *jsonschema.Schema) edges {
	var e edges
	same := func(list ...*jsonschema.Schema) { e.same = appendSchemas(e.same, list...) }
	below := func(list ...*jsonschema.Schema) { e.below = appendSchemas(e.below, list...) }
	same(s.Ref, s.RecursiveRef, s.Not, s.If, s.Then, s.Else)
	same(s.AllOf...)
	same(s.AnyOf...)
	same(s.OneOf...)
	if s.DynamicRef != nil {
		same(s.DynamicRef.Ref)
	}
	for _, sub := range s.DependentSchemas {
		same(sub)
	}
	for _, dependency := range s.Dependencies {
		if sub, ok := dependency.(*jsonschema.Schema); ok {
			same(sub)
		}
	}
	for _, sub := range s.Properties {
		below(sub)
	}
	for _, sub := range s.PatternProperties {
		below(sub)
	}
	below(s.PropertyNames, s.UnevaluatedProperties, s.Contains, s.Items2020, s.UnevaluatedItems)
	below(s.PrefixItems...)
	for _, held := range []any{s.AdditionalProperties, s.Items, s.AdditionalItems} {
		switch v := held.(type) {
		case *jsonschema.Schema:
			below(v)
		case []*jsonschema.Schema:
			below(v...)
		}
	}
	return e
}

func appendSchemas(to []*jsonschema.Schema, list ...*jsonschema.Schema) []*jsonschema.Schema {
	for _, s := range list {
		if s != nil {
			to = append(to, s)
		}
	}
	return to
}

// maxChain is how many $ref and allOf may follow one another before something is judged.
const maxChain = 500

// loop finds a schema that leads back to itself by $ref and allOf alone, so that no value could satisfy it in finite steps,
// or that starts a chain of them longer than maxChain.
func (g *graph) loop() *jsonschema.Schema {
	const open, closed = 1, 2
	state := map[*jsonschema.Schema]int{}
	var visit func(s *jsonschema.Schema, chain int) *jsonschema.Schema
	visit = func(s *jsonschema.Schema, chain int) *jsonschema.Schema {
		switch {
		case state[s] == open || chain > maxChain:
			return s
		case state[s] == closed:
			return nil
		}
		state[s] = open
		for _, next := range appendSchemas(appendSchemas(nil, s.Ref), s.AllOf...) {
			if found := visit(next, chain+1); found != nil {
				return found
			}
		}
		state[s] = closed
		return nil
	}
	for _, s := range g.order {
		if found := visit(s, 0); found != nil {
			return found
		}
	}
	return nil
}

// weight is the size of the schema when written out without references, at most freely+1, which also stands for endless.
func (g *graph) weight() int {
	size := map[*jsonschema.Schema]int{}
	var measure func(s *jsonschema.Schema) int
	measure = func(s *jsonschema.Schema) int {
		if n, ok := size[s]; ok {
			return n
		}
		size[s] = freely + 1 // while open: meeting it again means it is endless
		n := 1
		for _, list := range [][]*jsonschema.Schema{g.edges[s].same, g.edges[s].below} {
			for _, next := range list {
				if n += measure(next); n > freely {
					return freely + 1
				}
			}
		}
		size[s] = n
		return n
	}
	return measure(g.root)
}

// meter counts the steps that validating a value will cause, each pair of schema and value once.
type meter struct {
	known map[pair]int
	limit int
}

// pair identifies a value by where its elements are stored; scalars all share the zero place, which is enough because their
// cost depends on the schema alone.
type pair struct {
	schema *jsonschema.Schema
	place  uintptr
	length int
}

// tooCostly says whether validating v against s passes the bound on steps.
func tooCostly(s *jsonschema.Schema, v any) bool {
	m := meter{known: map[pair]int{}, limit: min(maxSteps, freeSteps+stepsPerValue*countValues(v))}
	return m.cost(s, v) > m.limit
}

func countValues(v any) int {
	n := 1
	switch v := v.(type) {
	case map[string]any:
		for _, item := range v {
			n += countValues(item)
		}
	case []any:
		for _, item := range v {
			n += countValues(item)
		}
	}
	return n
}

func (m *meter) cost(s *jsonschema.Schema, v any) int {
	key := pair{schema: s}
	switch v := v.(type) {
	case map[string]any:
		key.place, key.length = reflect.ValueOf(v).Pointer(), len(v)
	case []any:
		key.place, key.length = reflect.ValueOf(v).Pointer(), len(v)
	}
	if n, ok := m.known[key]; ok {
		return n
	}
	m.known[key] = 1 // while open: the library stops at a schema it is already judging this value with
	n := 1
	if s.Enum != nil {
		n += len(s.Enum.Values) / 16
	}
	add := func(s *jsonschema.Schema, v any) {
		if s != nil && n <= m.limit {
			n += m.cost(s, v)
		}
	}
	for _, next := range edgesOf(s).same {
		add(next, v)
	}
	switch v := v.(type) {
	case map[string]any:
		m.objectCost(s, v, add)
	case []any:
		arrayCost(s, v, add)
	}
	m.known[key] = n
	return n
}

func (m *meter) objectCost(s *jsonschema.Schema, object map[string]any, add func(*jsonschema.Schema, any)) {
	additional, _ := s.AdditionalProperties.(*jsonschema.Schema)
	for name, value := range object {
		sub, listed := s.Properties[name]
		add(sub, value)
		for pattern, sub := range s.PatternProperties {
			if pattern.MatchString(name) {
				listed = true
				add(sub, value)
			}
		}
		if !listed {
			add(additional, value)
		}
		add(s.UnevaluatedProperties, value)
		add(s.PropertyNames, name)
	}
}

func arrayCost(s *jsonschema.Schema, array []any, add func(*jsonschema.Schema, any)) {
	items, _ := s.Items.(*jsonschema.Schema)
	tuple, _ := s.Items.([]*jsonschema.Schema)
	additional, _ := s.AdditionalItems.(*jsonschema.Schema)
	for i, value := range array {
		switch {
		case i < len(s.PrefixItems):
			add(s.PrefixItems[i], value)
		case i < len(tuple):
			add(tuple[i], value)
		default:
			add(s.Items2020, value)
			add(items, value)
			add(additional, value)
		}
		add(s.Contains, value)
		add(s.UnevaluatedItems, value)
	}
}
