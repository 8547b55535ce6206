package compat

import (
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"
)

// node is a place in a value: what is there has to fit all of these schemas. None of
// them admits everything.
type node []*sub

func (n node) key() string {
	ptrs := make([]string, len(n))
	for i, o := range n {
		ptrs[i] = o.ptr
	}
	return strings.Join(ptrs, " ")
}

// nodeOf sorts the schemas and keeps each once.
func nodeOf(subs ...*sub) node {
	n := slices.SortedFunc(slices.Values(subs), func(a, b *sub) int { return strings.Compare(a.ptr, b.ptr) })
	return slices.Compact(n)
}

// never reports whether nothing fits, for a reason that stands there.
func (n node) never() *sub {
	for _, o := range n {
		if o.never {
			return o
		}
	}
	return nil
}

// pointer names the place in its schema.
func (n node) pointer() string {
	if len(n) == 0 {
		return ""
	}
	return n[0].ptr
}

// A shape is one way for a value of one kind to fit a node: everything in it holds at
// once. A node is the union of its shapes.
type shape struct {
	kind   kind
	parts  []*sub            // whose own keywords the rest was read from
	marks  map[string]string // what is compared as a whole, by its print: where it stands
	finite bool
	values []any // when finite: all there can be
	listed string

	low, high         *limit // of a number
	whole             string // where it says that a number is whole; "" where nothing does
	multiples         []factor
	min, max          size // of a text, a list, or an object
	patterns, formats map[string]string
	unique            string
	required          map[string]string
}

type limit struct {
	at   *big.Rat
	open bool // the limit itself is out
	ptr  string
}

type factor struct {
	of  *big.Rat
	ptr string
}

// size is a bound on a count; "" is none.
type size struct {
	n   int
	ptr string
}

// way is one choice among the alternatives of a node.
type way struct {
	parts []*sub
	marks map[string]string
}

const (
	maxWays  = 256 // of one node
	maxChain = 200 // schemas in one another at one place
)

// shapes answers the union that a node is. ok is false where it cannot be read.
func (r *run) shapes(n node) (all []*shape, ok bool) {
	id := shapesOf{n.in(), n.key()}
	if known, done := r.known[id]; done {
		return known.all, known.ok
	}
	ways := []way{{}}
	ok = true
	for _, o := range n {
		if ways, ok = r.ways(ways, o, 0); !ok {
			break
		}
	}
	if ok {
		for _, w := range ways {
			for k := range kindCount {
				if s := r.shape(w, kind(k)); s != nil {
					all = append(all, s)
				}
			}
		}
	}
	r.known[id] = knownShapes{all, ok}
	return all, ok
}

func (n node) in() *Schema {
	if len(n) == 0 {
		return nil
	}
	return n[0].in
}

// ways multiplies the ways so far by those to fit one schema more.
func (r *run) ways(so []way, o *sub, depth int) ([]way, bool) {
	if !r.step(len(so)) || depth > maxChain {
		return nil, false
	}
	if o.never {
		return nil, true
	}
	if _, has := o.object["$ref"]; has {
		t, ok := o.target()
		if !ok {
			return nil, false
		}
		if so, ok = r.ways(so, t, depth+1); !ok || o.in.refAlone {
			return so, ok
		}
	}
	for _, keyword := range []string{"$id", "id", "$anchor"} {
		if _, has := o.object[keyword].(string); has && o.ptr != "" {
			return nil, false // references around it may mean other places
		}
	}
	for i := range so {
		so[i].parts = append(slices.Clip(so[i].parts), o)
	}
	so = marked(so, o)
	for _, c := range o.children("allOf") {
		var ok bool
		if so, ok = r.ways(so, c, depth+1); !ok {
			return nil, false
		}
	}
	for _, keyword := range []string{"anyOf", "oneOf"} {
		if _, has := o.object[keyword]; !has {
			continue
		}
		var next []way
		branches := o.children(keyword)
		for _, c := range branches {
			copied := make([]way, len(so))
			for i, w := range so {
				copied[i] = way{slices.Clip(w.parts), maps.Clone(w.marks)}
			}
			more, ok := r.ways(copied, c, depth+1)
			if next = append(next, more...); !ok || len(next) > maxWays {
				return nil, false
			}
		}
		if so = next; keyword == "oneOf" && !r.apart(branches, depth) {
			so = withMark(so, keyword, o)
		}
	}
	return so, true
}

// apart reports whether no value fits two of the schemas for sure: they have no kind in
// common, or a property that both require has other values in each.
func (r *run) apart(branches []*sub, depth int) bool {
	if len(branches) > 32 {
		return false
	}
	var each [][]*shape
	for _, b := range branches {
		ways, ok := r.ways([]way{{}}, b, depth+1)
		if !ok {
			return false
		}
		var shapes []*shape
		for _, w := range ways {
			for k := range kindCount {
				if s := r.shape(w, kind(k)); s != nil {
					shapes = append(shapes, s)
				}
			}
		}
		for _, other := range each {
			for _, a := range other {
				for _, b := range shapes {
					if !a.apartFrom(b) {
						return false
					}
				}
			}
		}
		each = append(each, shapes)
	}
	return true
}

func (s *shape) apartFrom(o *shape) bool {
	switch {
	case s.kind != o.kind:
		return true
	case s.finite && o.finite:
		return disjoint(s.values, o.values)
	case s.kind != object:
		return false
	}
	for name := range s.required {
		if _, both := o.required[name]; !both {
			continue
		}
		if a, b := s.tags(name), o.tags(name); a != nil && b != nil && disjoint(a, b) {
			return true
		}
	}
	return false
}

// tags answers the values that a property is said to have, right where it stands.
func (s *shape) tags(name string) []any {
	for _, part := range s.parts {
		if p := part.named("properties", name); p != nil {
			if values, said := p.values(); said {
				return values
			}
		}
	}
	return nil
}

func disjoint(a, b []any) bool {
	seen := map[string]bool{}
	for _, v := range a {
		seen[canonical(v)] = true
	}
	return !slices.ContainsFunc(b, func(v any) bool { return seen[canonical(v)] })
}

// values answers those that enum and const say. said is false without either.
func (o *sub) values() (values []any, said bool) {
	list, said := o.object["enum"].([]any)
	if said && nullable(o) && !slices.Contains(list, nil) {
		list = append(slices.Clip(list), nil)
	}
	only, single := o.object["const"]
	switch {
	case !single:
		return list, said
	case said && !slices.ContainsFunc(list, func(v any) bool { return canonical(v) == canonical(only) }):
		return nil, true
	}
	return []any{only}, true
}

// marked adds what one schema says that is compared as a whole. What says nothing
// without a keyword beside it is compared with that.
func marked(so []way, o *sub) []way {
	for _, keyword := range slices.Sorted(maps.Keys(o.object)) {
		switch roleOf(keyword) {
		case markOne, markList, markMembers, mark:
			so = withMark(so, keyword, o)
		case annotation, plain, one, list, members:
		}
	}
	return so
}

// beside names the keywords that a mark means nothing without.
func beside(keyword string) []string {
	switch keyword {
	case "if", "then", "else":
		return []string{"if", "then", "else"}
	case "contains", "minContains", "maxContains":
		return []string{"contains", "minContains", "maxContains"}
	case "patternProperties":
		return []string{"patternProperties", "properties", "additionalProperties"}
	case "not", "propertyNames", "oneOf", "dependentRequired", "dependentSchemas", "dependencies":
		return []string{keyword}
	}
	return nil // everything
}

func withMark(so []way, keyword string, o *sub) []way {
	whole := o
	if with := beside(keyword); with != nil {
		whole = &sub{in: o.in, ptr: o.ptr, object: map[string]any{}}
		for _, k := range with {
			if v, ok := o.object[k]; ok {
				whole.object[k] = v
			}
		}
	}
	id := whole.spelled()
	if id == "" {
		id = fmt.Sprintf("%p", o) // too large to be told from others
	}
	for i := range so {
		so[i].marks = maps.Clone(so[i].marks)
		if so[i].marks == nil {
			so[i].marks = map[string]string{}
		}
		so[i].marks[id] = o.ptr + "/" + keyword
	}
	return so
}
