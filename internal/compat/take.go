package compat

import (
	"fmt"
	"maps"
	"math/big"
	"slices"
)

// take answers why t does not take all of s. Both are of one kind, and s has many values.
func (r *run) take(s, t *shape) []found {
	if !r.step(1) {
		return nil
	}
	if t.finite {
		f := found{ptr: t.listed, what: s.kind.word() + " beside those that are listed"}
		for _, v := range r.samples(s, t) {
			if !slices.ContainsFunc(t.values, func(x any) bool { return canonical(x) == canonical(v) }) {
				f.value, f.has = v, true
				break
			}
		}
		return []found{f}
	}
	var all []found
	switch s.kind {
	case number:
		all = r.takeNumber(s, t)
	case text:
		all = r.takeText(s, t)
	case array:
		all = r.takeList(s, t)
	case object:
		all = r.takeObject(s, t)
	case null, boolean: // always a few
	}
	for _, format := range slices.Sorted(maps.Keys(t.formats)) {
		if _, both := s.formats[format]; !both && s.kind != text {
			all = append(all, found{ptr: t.formats[format], what: fmt.Sprintf("%s that are no %s", s.kind.word(), format)})
		}
	}
	return append(all, r.takeMarks(s, t)...)
}

// takeMarks looks at what is compared as a whole.
func (r *run) takeMarks(s, t *shape) []found {
	var all []found
	for _, id := range slices.Sorted(maps.Keys(t.marks)) {
		if _, both := s.marks[id]; both {
			continue
		}
		f := found{ptr: t.marks[id], what: s.kind.word() + " that a keyword may keep out, which cannot be told"}
		for _, v := range append(r.samples(s, t), r.matched(s, t)...) {
			if r.admits(t.parts, v) == no {
				f.what = s.kind.word() + " that a keyword keeps out"
				f.value, f.has = v, true
				break
			}
		}
		all = append(all, f)
	}
	return all
}

func (r *run) takeNumber(s, t *shape) []found {
	var all []found
	add := func(ptr, what string, out func(*big.Rat) bool) {
		f := found{ptr: ptr, what: what}
		for _, v := range numbers(s, t) {
			if n, ok := numberOf(v); ok && out(v) && r.admits(s.parts, n) == yes {
				f.value, f.has = n, true
				break
			}
		}
		all = append(all, f)
	}
	if t.low != nil && (s.low == nil || s.low.below(t.low)) {
		add(t.low.ptr, "numbers below "+t.low.text(), func(v *big.Rat) bool { return !t.low.lets(v, 1) })
	}
	if t.high != nil && (s.high == nil || s.high.above(t.high)) {
		add(t.high.ptr, "numbers above "+t.high.text(), func(v *big.Rat) bool { return !t.high.lets(v, -1) })
	}
	if t.whole != "" && !s.isWhole() {
		add(t.whole, "numbers that are not whole", func(v *big.Rat) bool { return !v.IsInt() })
	}
	for _, f := range t.multiples {
		if !s.multipleOf(f.of) {
			add(f.ptr, "numbers that are no multiples of "+f.of.RatString(), func(v *big.Rat) bool { return !new(big.Rat).Quo(v, f.of).IsInt() })
		}
	}
	return all
}

func (l *limit) text() string {
	if l.open {
		return l.at.RatString() + ", or that itself"
	}
	return l.at.RatString()
}

// lets reports whether the limit lets a number through; side is 1 for a lower limit and
// -1 for an upper one.
func (l *limit) lets(v *big.Rat, side int) bool {
	c := v.Cmp(l.at) * side
	return c > 0 || c == 0 && !l.open
}

// multipleOf reports whether every number of the shape is a multiple.
func (s *shape) multipleOf(of *big.Rat) bool {
	if s.whole != "" && new(big.Rat).Quo(unit(), of).IsInt() {
		return true
	}
	return slices.ContainsFunc(s.multiples, func(f factor) bool { return new(big.Rat).Quo(f.of, of).IsInt() })
}

func (r *run) takeText(s, t *shape) []found {
	var all []found
	add := func(ptr, what string, out func(v string) bool) {
		f := found{ptr: ptr, what: what}
		for _, v := range r.texts(s, t) {
			if out(v) && r.admits(s.parts, v) == yes {
				f.value, f.has = v, true
				break
			}
		}
		all = append(all, f)
	}
	if t.min.n > s.min.n {
		add(t.min.ptr, fmt.Sprintf("texts of less than %d characters", t.min.n), func(v string) bool { return len([]rune(v)) < t.min.n })
	}
	if t.max.ptr != "" && (s.max.ptr == "" || s.max.n > t.max.n) {
		add(t.max.ptr, fmt.Sprintf("texts of more than %d characters", t.max.n), func(v string) bool { return len([]rune(v)) > t.max.n })
	}
	for _, pattern := range slices.Sorted(maps.Keys(t.patterns)) {
		if _, both := s.patterns[pattern]; !both {
			add(t.patterns[pattern], "texts that do not match "+brief(pattern), func(v string) bool { return r.asks("pattern", pattern, v) == no })
		}
	}
	for _, format := range slices.Sorted(maps.Keys(t.formats)) {
		if _, both := s.formats[format]; !both {
			add(t.formats[format], "texts that are no "+format, func(v string) bool { return r.asks("format", format, v) == no })
		}
	}
	return all
}

func (r *run) takeList(s, t *shape) []found {
	var all []found
	sized := func(ptr, what string, n int) {
		f := found{ptr: ptr, what: what}
		f.value, f.has = r.listOf(s, n)
		all = append(all, f)
	}
	if t.min.n > s.min.n {
		sized(t.min.ptr, fmt.Sprintf("lists of less than %d items", t.min.n), s.min.n)
	}
	if t.max.ptr != "" && (s.max.ptr == "" || s.max.n > t.max.n) {
		sized(t.max.ptr, fmt.Sprintf("lists of more than %d items", t.max.n), t.max.n+1)
	}
	if t.unique != "" && s.unique == "" && (s.max.ptr == "" || s.max.n > 1) {
		f := found{ptr: t.unique, what: "lists that have an item twice"}
		if v, ok := r.listOf(s, max(2, s.min.n)); ok {
			if list, _ := v.([]any); len(list) > 1 {
				list[1] = list[0]
				f.value, f.has = list, true
			}
		}
		all = append(all, f)
	}
	places := max(s.places(), t.places())
	for i := range places + 1 {
		if s.max.ptr != "" && i >= s.max.n {
			break
		}
		at := i
		if i == places {
			at = -1
		}
		for _, f := range r.within(s.item(at), t.item(at)) {
			if f.has {
				f.value, f.has = r.listWith(s, i, f.value)
			}
			all = append(all, f)
		}
	}
	return all
}

func (r *run) takeObject(s, t *shape) []found {
	var all []found
	for _, name := range slices.Sorted(maps.Keys(t.required)) {
		if _, both := s.required[name]; both {
			continue
		}
		f := found{ptr: t.required[name], what: "objects without " + brief(name)}
		f.value, f.has = r.sample(s)
		all = append(all, f)
	}
	names := append(s.names(), t.names()...)
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		mine, theirs := s.declares(name), t.declares(name)
		if mine == "" && r.o.Declared && s.open() {
			continue
		}
		all = append(all, r.takeProperty(s, t, name, s.property(name), t.property(name))...)
		if mine != "" && theirs == "" && len(t.property(name)) == 0 {
			all = append(all, found{ptr: mine, what: "the property " + brief(name), dropped: true})
		}
	}
	if fresh, ok := freshName(names); ok {
		all = append(all, r.takeProperty(s, t, fresh, s.rest(), t.rest())...)
	}
	return append(all, r.takeCounts(s, t)...)
}

// takeProperty compares what a property has to fit.
func (r *run) takeProperty(s, t *shape, name string, a, b node) []found {
	if a.never() != nil || s.max.ptr != "" && s.max.n == 0 {
		return nil
	}
	what := "the property " + brief(name)
	if s.declares(name) == "" && t.declares(name) == "" {
		what = "properties that are not named"
	}
	if o := b.never(); o != nil {
		f := found{ptr: o.ptr, what: what, unnamed: s.declares(name) != "" && t.declares(name) == ""}
		if v, ok := r.sampleOf(a); ok {
			f.value, f.has = r.objectWith(s, name, v)
		}
		return []found{f}
	}
	var all []found
	for _, f := range r.within(a, b) {
		if f.has {
			f.value, f.has = r.objectWith(s, name, f.value)
		}
		all = append(all, f)
	}
	return all
}

func (r *run) takeCounts(s, t *shape) []found {
	var all []found
	if t.min.n > max(s.min.n, len(s.required)) {
		f := found{ptr: t.min.ptr, what: fmt.Sprintf("objects of less than %d properties", t.min.n)}
		f.value, f.has = r.sample(s)
		all = append(all, f)
	}
	most := -1 // without an end
	if o := s.rest().never(); o != nil {
		most = len(s.names())
	}
	if s.max.ptr != "" && (most < 0 || s.max.n < most) {
		most = s.max.n
	}
	if t.max.ptr != "" && (most < 0 || most > t.max.n) {
		f := found{ptr: t.max.ptr, what: fmt.Sprintf("objects of more than %d properties", t.max.n)}
		f.value, f.has = r.objectOf(s, t.max.n+1)
		all = append(all, f)
	}
	return all
}
