package schema

import (
	"bytes"
	"math"
	"regexp"
	"unicode/utf8"
)

// The acceptor reads a schema as rules over bytes. It may only say "certainly valid": a rule it does not know, an escape
// where text matters, a number it would have to compute with, all end in "don't know", and the validator decides. So a gap
// here costs time and a mistake would cost correctness: every rule below must imply the validator's verdict.

// Accept says that data is certainly acceptable: [Scan] finds no fault and the schema admits it. False means only that this
// quick reading could not tell. It allocates nothing for objects of up to 16 fields the schema does not name.
func (s *Schema) Accept(data []byte) bool {
	if s.accept == nil || len(data) > MaxBytes {
		return false
	}
	// A value may be read by several rules (allOf, anyOf); the budget, in bytes read, keeps that linear.
	a := acceptor{scanner: scanner{data: data, depth: MaxDepth, quiet: true}, budget: 256 + 16*len(data)}
	end := a.value(s.accept, skipSpace(data, 0), 0)
	return end >= 0 && skipSpace(data, end) == len(data)
}

type acceptor struct {
	scanner
	budget int
	chain  int // rules being applied inside one another, by allOf or alternative
}

// maxChained bounds the chain: alternatives may lead back to themselves without reading on.
const maxChained = 500

// types is a set of JSON types; the empty set admits all.
type types uint8

const (
	typeNull types = 1 << iota
	typeBoolean
	typeInteger
	typeNumber
	typeString
	typeArray
	typeObject
)

// rule is one schema as the acceptor reads it.
type rule struct {
	never  bool  // a keyword is not understood: don't know
	free   bool  // admits everything
	bare   bool  // says nothing itself; only all and any do
	alias  *rule // what to apply instead: the rule is a bare reference
	types  types
	values [][]byte // enum and const, as compact JSON text; nil when not limited
	text   *textRule
	number *numberRule
	array  *arrayRule
	object *objectRule
	all    []*rule // must all admit the same value
	any    []*rule // one must admit it
}

type textRule struct {
	min, max int
	pattern  *regexp.Regexp
	format   func([]byte) bool
}

type arrayRule struct {
	items    *rule
	min, max int
	unique   bool
}

// value answers the index after the value at i when the rule certainly admits it, else -1.
func (a *acceptor) value(r *rule, i, depth int) int {
	for r.alias != nil {
		r = r.alias
	}
	if a.budget--; a.budget < 0 || r.never || i >= len(a.data) {
		return -1
	}
	if r.free {
		return a.charge(i, a.scanner.value(i, depth))
	}
	end := -1
	if !r.bare {
		if end = a.typed(r, i, depth); end < 0 || r.values != nil && !listed(r.values, a.data[i:end]) {
			return -1
		}
	}
	for _, sub := range r.all {
		if end = a.again(sub, i, depth); end < 0 {
			return -1
		}
	}
	if len(r.any) == 0 {
		return end
	}
	for _, sub := range r.any {
		if end = a.again(sub, i, depth); end >= 0 {
			return end
		}
	}
	return -1
}

// again applies one more rule to the value at i.
func (a *acceptor) again(r *rule, i, depth int) int {
	if a.chain == maxChained {
		return -1
	}
	a.chain++
	end := a.value(r, i, depth)
	a.chain--
	return end
}

// charge takes what was read from the budget. What the scanner refuses no rule can save, so that ends the reading.
func (a *acceptor) charge(i, end int) int {
	if end < 0 {
		a.budget = -1
		return -1
	}
	a.budget -= end - i
	return end
}

// typed applies the keywords that belong to the value's type.
func (a *acceptor) typed(r *rule, i, depth int) int {
	admits := func(t types) bool { return r.types == 0 || r.types&t != 0 }
	switch c := a.data[i]; c {
	case '"':
		end, escaped, f := readString(a.data, i)
		a.charge(i, end)
		if f != flawless || !admits(typeString) || r.text != nil && !r.text.admits(a.data[i+1:end-1], escaped) {
			return -1
		}
		return end
	case '{':
		if depth >= MaxDepth || !admits(typeObject) {
			return -1
		}
		if r.object == nil {
			return a.charge(i, a.scanner.object(i, depth+1))
		}
		return a.fields(r.object, i, depth+1)
	case '[':
		if depth >= MaxDepth || !admits(typeArray) {
			return -1
		}
		if r.array == nil {
			return a.charge(i, a.scanner.array(i, depth+1))
		}
		return a.items(r.array, i, depth+1)
	case 't', 'f', 'n':
		end, f := readLiteral(a.data, i)
		if f != flawless || c == 'n' && !admits(typeNull) || c != 'n' && !admits(typeBoolean) {
			return -1
		}
		return end
	case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		end, whole, f := readNumber(a.data, i)
		if f != flawless || !whole && !admits(typeNumber) || whole && !admits(typeInteger|typeNumber) {
			return -1 // 1.0 is an integer too, but not certainly so for this reading
		}
		if r.number != nil && !r.number.admits(a.data[i:end], whole) {
			return -1
		}
		return end
	}
	return -1
}

func listed(values [][]byte, text []byte) bool {
	for _, v := range values {
		if bytes.Equal(v, text) {
			return true
		}
	}
	return false
}

func (t *textRule) admits(inner []byte, escaped bool) bool {
	if escaped {
		n := characters(inner)
		return t.pattern == nil && t.format == nil && n >= t.min && n <= t.max
	}
	// A byte count bounds the character count from above, and a quarter of it from below.
	if len(inner) > t.max || len(inner) < 4*t.min {
		if n := utf8.RuneCount(inner); n > t.max || n < t.min {
			return false
		}
	}
	return (t.pattern == nil || t.pattern.Match(inner)) && (t.format == nil || t.format(inner))
}

// characters counts the characters of a well-formed string with escapes; a surrogate pair is one.
func characters(inner []byte) int {
	n := 0
	for i := 0; i < len(inner); n++ {
		switch {
		case inner[i] == '\\':
			i, _ = readEscape(inner, i)
		case inner[i] < utf8.RuneSelf:
			i++
		default:
			_, size := utf8.DecodeRune(inner[i:])
			i += size
		}
	}
	return n
}

func (a *acceptor) items(r *arrayRule, i, depth int) int {
	d, count := a.data, 0
	first := skipSpace(d, i+1)
	if i = first; i < len(d) && d[i] == ']' {
		if r.min > 0 {
			return -1
		}
		return i + 1
	}
	for {
		if i = a.value(r.items, i, depth); i < 0 {
			return -1
		}
		count++
		if i = skipSpace(d, i); i >= len(d) {
			return -1
		}
		switch d[i] {
		case ',':
			i = skipSpace(d, i+1)
		case ']':
			if count < r.min || count > r.max {
				return -1
			}
			if r.unique && !distinct(d[first:a.charge(first, i)], count) {
				return -1
			}
			return i + 1
		default:
			return -1
		}
	}
}

// distinct says that the items of an array, given without its brackets, certainly differ from one another. It only looks at
// short arrays of scalars with one spelling for each value.
func distinct(inner []byte, count int) bool {
	var seen [32]span
	if count > len(seen) {
		return false
	}
	for n, i := 0, 0; n < count; n++ {
		start := i
		switch inner[i] {
		case '"':
			i, _, _ = readString(inner, i)
		case '{', '[', 't', 'f', 'n':
			return false
		default:
			i, _, _ = readNumber(inner, i)
		}
		if !plain(inner[start:i]) {
			return false
		}
		for _, s := range seen[:n] {
			if bytes.Equal(inner[s.start:s.end], inner[start:i]) {
				return false
			}
		}
		seen[n] = span{int32(start), int32(i)}
		i = skipSpace(inner, skipSpace(inner, i)+1)
	}
	return true
}

// plain says that two values so written are equal only when their bytes are: strings without escapes, and integers of one
// spelling.
func plain(value []byte) bool {
	if value[0] == '"' {
		return bytes.IndexByte(value, '\\') < 0
	}
	_, ok := smallInt(value)
	return ok && !(value[0] == '-' && value[1] == '0')
}

// unbounded stands for a missing upper bound.
const unbounded = math.MaxInt
