package config

import (
	"encoding/json"
	"math"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"
)

// shape reads one kind of value and says, as a schema, what it accepts. read reports what is wrong to the decoder and answers false.
type shape[T any] struct {
	read   func(d *decoder, n *node, path string) (T, bool)
	schema *schema
}

// rule is what a text must look like: a pattern that Go and ECMAScript read alike, and words for a person.
type rule struct {
	pattern string
	max     int // in characters; 0 is no limit
	words   string
}

// text accepts text that fits a rule. A number or a truth value is refused, so that 010 is never taken for what it was not.
func text(r rule) shape[string] {
	fits := r.fits()
	return fitting(r, &schema{Type: []string{"string"}, Pattern: r.pattern, MaxLength: r.max}, func(d *decoder, n *node, path string) bool {
		if n.kind == kindText {
			return true
		}
		quotes := ""
		if (n.kind == kindNumber || n.kind == kindBool) && fits(n.text) {
			quotes = "; put it in quotes"
		}
		d.fault(n.line, path, "must be %s, not %s%s", r.words, n.kind, quotes)
		return false
	})
}

// scalar accepts text, a number or a truth value, and takes it as it was written. It is for what ends up as text outside, such as
// the environment of a program, where clients write numbers without quotes.
func scalar(r rule) shape[string] {
	s := &schema{Type: []string{"string", "number", "boolean"}, Pattern: r.pattern, MaxLength: r.max}
	return fitting(r, s, func(d *decoder, n *node, path string) bool {
		if n.kind == kindText || n.kind == kindNumber || n.kind == kindBool {
			return true
		}
		d.fault(n.line, path, "must be %s, not %s", r.words, n.kind)
		return false
	})
}

func fitting(r rule, s *schema, isKind func(*decoder, *node, string) bool) shape[string] {
	fits := r.fits()
	return shape[string]{schema: s, read: func(d *decoder, n *node, path string) (string, bool) {
		if !isKind(d, n, path) {
			return "", false
		}
		if !fits(n.text) {
			d.fault(n.line, path, "must be %s", r.words)
			return "", false
		}
		return n.text, true
	}}
}

// fits returns what judges a text. The pattern is compiled when the first text comes: most files use few of the rules, and every
// command reads a file.
func (r rule) fits() func(string) bool {
	compiled := sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(r.pattern) })
	return func(s string) bool {
		return compiled().MatchString(s) && (r.max == 0 || utf8.RuneCountInString(s) <= r.max)
	}
}

// integer accepts a whole number within bounds.
func integer(least, most int) shape[int] {
	s := &schema{Type: []string{"integer"}, Minimum: &least, Maximum: &most}
	return shape[int]{schema: s, read: func(d *decoder, n *node, path string) (int, bool) {
		v, whole := wholeNumber(n)
		if !whole || v < int64(least) || v > int64(most) {
			d.fault(n.line, path, "must be a whole number from %d to %d", least, most)
			return 0, false
		}
		return int(v), true
	}}
}

// wholeNumber reads what JSON Schema calls an integer: 60, 0x3c and 60.0.
func wholeNumber(n *node) (int64, bool) {
	if n.kind != kindNumber {
		return 0, false
	}
	if v, err := strconv.ParseInt(n.text, 0, 64); err == nil {
		return v, true
	}
	f, err := strconv.ParseFloat(n.text, 64)
	if err != nil || f != math.Trunc(f) || math.Abs(f) > 1<<53 {
		return 0, false
	}
	return int64(f), true
}

// boolean accepts true and false.
func boolean() shape[bool] {
	s := &schema{Type: []string{"boolean"}}
	return shape[bool]{schema: s, read: func(d *decoder, n *node, path string) (bool, bool) {
		if n.kind != kindBool {
			d.fault(n.line, path, "must be true or false")
			return false, false
		}
		return strings.EqualFold(n.text, "true"), true
	}}
}

// option is one word of a choice with what it stands for. A word written true or false is also the truth value.
type option[T any] struct {
	word  string
	value T
}

// choice accepts one of a closed set of words.
func choice[T any](options ...option[T]) shape[T] {
	s := &schema{}
	words := make([]string, len(options))
	for i, o := range options {
		words[i] = o.word
		s.Enum = append(s.Enum, enumerated(o.word))
	}
	return shape[T]{schema: s, read: func(d *decoder, n *node, path string) (T, bool) {
		for _, o := range options {
			truth := o.word == "true" || o.word == "false"
			if truth && n.kind == kindBool && strings.EqualFold(n.text, o.word) || !truth && n.kind == kindText && n.text == o.word {
				return o.value, true
			}
		}
		d.fault(n.line, path, "must be one of %s", strings.Join(words, ", "))
		var zero T
		return zero, false
	}}
}

func enumerated(word string) json.RawMessage {
	if word == "true" || word == "false" {
		return json.RawMessage(word)
	}
	return quoted(word)
}

// list accepts a list of one shape. What it reads is never nil.
func list[T any](of shape[T]) shape[[]T] {
	s := &schema{Type: []string{"array"}, Items: of.schema}
	return shape[[]T]{schema: s, read: func(d *decoder, n *node, path string) ([]T, bool) {
		if n.kind != kindList {
			d.fault(n.line, path, "must be a list, not %s", n.kind)
			return nil, false
		}
		out, ok := make([]T, 0, len(n.items)), true
		for i, item := range n.items {
			v, good := of.read(d, item, at(path, i))
			out, ok = append(out, v), ok && good
		}
		return out, ok
	}}
}

// distinct refuses a list of words that says one of them twice.
func distinct(of shape[[]string]) shape[[]string] {
	s := *of.schema
	s.UniqueItems = true
	return shape[[]string]{schema: &s, read: func(d *decoder, n *node, path string) ([]string, bool) {
		out, ok := of.read(d, n, path)
		seen := map[string]bool{}
		for i, word := range out {
			if seen[word] && ok {
				d.fault(n.items[i].line, at(path, i), "%q is in the list already; keep one", word)
				return nil, false
			}
			seen[word] = true
		}
		return out, ok
	}}
}

// pair is one entry of a dictionary, in the order of the file.
type pair[T any] struct {
	key   string
	line  int
	value T
}

// dictionary accepts an object whose keys are free within a rule and whose values have one shape.
func dictionary[T any](keys rule, of shape[T]) shape[[]pair[T]] {
	fits := keys.fits()
	s := &schema{
		Type: []string{"object"}, AdditionalProperties: of.schema,
		PropertyNames: &schema{Pattern: keys.pattern, MaxLength: keys.max},
	}
	return shape[[]pair[T]]{schema: s, read: func(d *decoder, n *node, path string) ([]pair[T], bool) {
		if n.kind != kindObject {
			d.fault(n.line, path, "must be an object, not %s", n.kind)
			return nil, false
		}
		out, ok := make([]pair[T], 0, len(n.members)), true
		for _, m := range n.members {
			p := under(path, m.key)
			if !fits(m.key) {
				d.fault(m.line, p, "the key must be %s", keys.words)
				ok = false
			}
			v, good := of.read(d, m.value, p)
			out, ok = append(out, pair[T]{m.key, m.line, v}), ok && good
		}
		return out, ok
	}}
}

// optional accepts nothing as well, which is how a key looks whose values are all commented out. It reads as the zero value.
func optional[T any](of shape[T]) shape[T] {
	return shape[T]{schema: of.schema.orNull(), read: func(d *decoder, n *node, path string) (T, bool) {
		if n.kind == kindNull {
			var zero T
			return zero, true
		}
		return of.read(d, n, path)
	}}
}

// mapped reads as another type what a shape accepts.
func mapped[T, V any](of shape[T], as func(T) V) shape[V] {
	return shape[V]{schema: of.schema, read: func(d *decoder, n *node, path string) (V, bool) {
		v, ok := of.read(d, n, path)
		return as(v), ok
	}}
}
