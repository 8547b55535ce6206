package compat

import (
	"encoding/json"
	"maps"
	"math/big"
	"slices"
)

// shape reads the parts of a way for values of one kind; nil where none fits.
func (r *run) shape(w way, k kind) *shape {
	s := &shape{
		kind: k, parts: w.parts, marks: maps.Clone(w.marks),
		patterns: map[string]string{}, formats: map[string]string{}, required: map[string]string{},
	}
	if s.marks == nil {
		s.marks = map[string]string{}
	}
	for _, o := range w.parts {
		kinds, whole, said := typesOf(o)
		if said && !kinds[k] {
			return nil
		}
		if whole && k == number && s.whole == "" {
			s.whole = o.ptr + "/type"
		}
		s.listedBy(o)
		s.read(o)
	}
	switch {
	case s.finite:
	case k == null:
		s.finite, s.values = true, []any{nil}
	case k == boolean:
		s.finite, s.values = true, []any{false, true}
	}
	s.tighten()
	if s.empty() {
		return nil
	}
	return s
}

// listedBy narrows the values to those that one schema lists.
func (s *shape) listedBy(o *sub) {
	values, said := o.values()
	if !said {
		return
	}
	var mine []any
	for _, v := range values {
		if kindOf(v) == s.kind {
			mine = append(mine, v)
		}
	}
	if s.finite { // both have to list it
		have := map[string]bool{}
		for _, v := range s.values {
			have[canonical(v)] = true
		}
		mine = slices.DeleteFunc(mine, func(v any) bool { return !have[canonical(v)] })
	} else {
		s.listed = o.ptr + "/enum"
		if _, single := o.object["const"]; single {
			s.listed = o.ptr + "/const"
		}
	}
	s.finite, s.values = true, mine
}

// read reads the keywords of one kind. One with a value that no dialect gives a meaning
// says nothing.
func (s *shape) read(o *sub) {
	switch s.kind {
	case number:
		s.readNumber(o)
	case text:
		s.readSize(o, "minLength", "maxLength")
		s.readWord(o, "pattern", s.patterns)
	case array:
		s.readSize(o, "minItems", "maxItems")
		if on, _ := o.object["uniqueItems"].(bool); on {
			s.unique = o.ptr + "/uniqueItems"
		}
	case object:
		s.readSize(o, "minProperties", "maxProperties")
		names, _ := o.object["required"].([]any)
		for _, name := range names {
			if word, ok := name.(string); ok {
				s.required[word] = o.ptr + "/required"
			}
		}
	case null, boolean:
	}
	s.readWord(o, "format", s.formats)
}

func (s *shape) readWord(o *sub, keyword string, into map[string]string) {
	if word, ok := o.object[keyword].(string); ok {
		into[word] = o.ptr + "/" + keyword
	}
}

func (s *shape) readSize(o *sub, low, high string) {
	if n, ok := count(o.object[low]); ok && n > s.min.n {
		s.min = size{n, o.ptr + "/" + low}
	}
	if n, ok := count(o.object[high]); ok && (s.max.ptr == "" || n < s.max.n) {
		s.max = size{n, o.ptr + "/" + high}
	}
}

// count reads a bound on a count. No value has as many as the largest that it answers.
func count(v any) (int, bool) {
	r, ok := rational(v)
	if !ok || r.Sign() < 0 || !r.IsInt() {
		return 0, false
	}
	if n := r.Num(); n.IsInt64() && n.Int64() < 1<<30 {
		return int(n.Int64()), true
	}
	return 1 << 30, true
}

func (s *shape) readNumber(o *sub) {
	for _, keyword := range []string{"minimum", "exclusiveMinimum"} {
		if at, ok := rational(o.object[keyword]); ok {
			one := &limit{at, keyword != "minimum", o.ptr + "/" + keyword}
			if s.low == nil || s.low.below(one) {
				s.low = one
			}
		}
	}
	for _, keyword := range []string{"maximum", "exclusiveMaximum"} {
		if at, ok := rational(o.object[keyword]); ok {
			one := &limit{at, keyword != "maximum", o.ptr + "/" + keyword}
			if s.high == nil || s.high.above(one) {
				s.high = one
			}
		}
	}
	if of, ok := rational(o.object["multipleOf"]); ok && of.Sign() > 0 {
		s.multiples = append(s.multiples, factor{of, o.ptr + "/multipleOf"})
	}
}

// below reports whether o asks for more as a lower limit.
func (l *limit) below(o *limit) bool {
	c := l.at.Cmp(o.at)
	return c < 0 || c == 0 && o.open && !l.open
}

// above reports whether o asks for more as an upper limit.
func (l *limit) above(o *limit) bool {
	c := l.at.Cmp(o.at)
	return c > 0 || c == 0 && o.open && !l.open
}

// isWhole reports whether the numbers are whole: it says so, or they are multiples of
// one that is.
func (s *shape) isWhole() bool {
	return s.whole != "" || slices.ContainsFunc(s.multiples, func(f factor) bool { return f.of.IsInt() })
}

// tighten moves the limits of whole numbers to the whole numbers within.
func (s *shape) tighten() {
	if s.kind != number || !s.isWhole() {
		return
	}
	if s.low != nil {
		at := floor(s.low.at)
		if s.low.open || at.Cmp(s.low.at) < 0 {
			at.Add(at, unit())
		}
		s.low = &limit{at, false, s.low.ptr}
	}
	if s.high != nil {
		at := floor(s.high.at)
		if s.high.open && at.Cmp(s.high.at) == 0 {
			at.Sub(at, unit())
		}
		s.high = &limit{at, false, s.high.ptr}
	}
}

func unit() *big.Rat { return big.NewRat(1, 1) }

// floor answers the greatest whole number that is not greater.
func floor(r *big.Rat) *big.Rat {
	n := new(big.Int).Div(r.Num(), r.Denom()) // Euclidean, and the denominator is positive
	return new(big.Rat).SetInt(n)
}

// empty reports whether nothing fits for a reason that is plain to see.
func (s *shape) empty() bool {
	switch {
	case s.finite:
		return len(s.values) == 0
	case s.kind == number:
		if s.low == nil || s.high == nil {
			return false
		}
		c := s.low.at.Cmp(s.high.at)
		return c > 0 || c == 0 && (s.low.open || s.high.open)
	case s.max.ptr != "" && s.min.n > s.max.n:
		return true
	case s.kind == object:
		for name := range s.required {
			if s.property(name).never() != nil {
				return true
			}
		}
	}
	return false
}

// property answers what the value of a property has to fit.
func (s *shape) property(name string) node {
	var all []*sub
	for _, o := range s.parts {
		p := o.named("properties", name)
		if p == nil {
			p = o.further()
		}
		if p != nil && !p.anything() {
			all = append(all, p)
		}
	}
	return nodeOf(all...)
}

// further answers what a property has to fit that the schema does not name, or nil.
// Where names are matched too, it stands in a mark instead.
func (o *sub) further() *sub {
	if _, matched := o.object["patternProperties"]; matched {
		return nil
	}
	return o.child("additionalProperties")
}

func (o *sub) anything() bool { return !o.never && len(o.object) == 0 }

// rest answers what a property has to fit that nothing names.
func (s *shape) rest() node {
	var all []*sub
	for _, o := range s.parts {
		if p := o.further(); p != nil && !p.anything() {
			all = append(all, p)
		}
	}
	return nodeOf(all...)
}

// declares answers where a property is named, or "".
func (s *shape) declares(name string) string {
	for _, o := range s.parts {
		if p := o.named("properties", name); p != nil {
			return p.ptr
		}
	}
	return ""
}

// names answers the properties that are named, sorted.
func (s *shape) names() []string {
	var all []string
	for _, o := range s.parts {
		all = append(all, o.names("properties")...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// open reports whether nothing is said of further properties.
func (s *shape) open() bool {
	return !slices.ContainsFunc(s.parts, func(o *sub) bool {
		_, said := o.object["additionalProperties"]
		_, matched := o.object["patternProperties"]
		_, strict := o.object["unevaluatedProperties"]
		return said || matched || strict
	})
}

// item answers what the item at a place has to fit; -1 is one behind every place that
// is named.
func (s *shape) item(i int) node {
	var all []*sub
	for _, o := range s.parts {
		first, rest := o.items()
		switch {
		case i >= 0 && i < len(first):
			all = append(all, first[i])
		case rest != nil:
			all = append(all, rest)
		}
	}
	all = slices.DeleteFunc(all, (*sub).anything)
	return nodeOf(all...)
}

// items answers the schemas of the first items, and that of the rest or nil. Before
// 2020-12 a list in items is of the first ones.
func (o *sub) items() (first []*sub, rest *sub) {
	if _, now := o.object["prefixItems"]; now {
		return o.children("prefixItems"), o.child("items")
	}
	if _, tuple := o.object["items"].([]any); tuple {
		return o.children("items"), o.child("additionalItems")
	}
	return nil, o.child("items")
}

// places answers how many items have a schema of their own.
func (s *shape) places() int {
	n := 0
	for _, o := range s.parts {
		first, _ := o.items()
		n = max(n, len(first))
	}
	return n
}

// numberOf writes a rational as JSON.
func numberOf(r *big.Rat) (json.Number, bool) {
	if r.IsInt() {
		return json.Number(r.Num().String()), true
	}
	digits, exact := r.FloatPrec()
	if !exact || digits > 400 {
		return "", false
	}
	return json.Number(r.FloatString(digits)), true
}
