package compat

import (
	"encoding/json"
	"math/big"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/seed-89b9419b/holotype/internal/rawjson"
	"github.com/seed-89b9419b/holotype/internal/schema"
)

// answer is whether a value fits.
type answer uint8

const (
	unknown answer = iota
	yes
	no
)

// and joins answers that all have to be yes.
func (a answer) and(b answer) answer {
	switch {
	case a == no || b == no:
		return no
	case a == yes && b == yes:
		return yes
	}
	return unknown
}

func known(b bool) answer {
	if b {
		return yes
	}
	return no
}

// admits judges a value that was made here, or one that a schema lists.
func (r *run) admits(n node, v any) answer {
	all := yes
	for _, o := range n {
		if all = all.and(r.fits(o, v, 0)); all == no {
			return no
		}
	}
	return all
}

func (r *run) fits(o *sub, v any, depth int) answer {
	switch {
	case !r.step(1) || depth > maxChain:
		return unknown
	case o.never:
		return no
	}
	all := yes
	if _, has := o.object["$ref"]; has {
		t, ok := o.target()
		if !ok {
			return unknown
		}
		if all = r.fits(t, v, depth+1); o.in.refAlone || all == no {
			return all
		}
	}
	if kinds, _, said := typesOf(o); said && !kinds[kindOf(v)] {
		return no
	}
	if _, said := o.values(); said && !o.lists(v) {
		return no
	}
	for _, part := range []answer{r.ofKind(o, v, depth), r.joined(o, v, depth)} {
		if all = all.and(part); all == no {
			return no
		}
	}
	for keyword := range o.object {
		switch keyword {
		case "not", "if", "then", "else", "dependentRequired", "patternProperties":
		default:
			if x := roleOf(keyword); x == mark || x == markOne || x == markList || x == markMembers {
				return unknown
			}
		}
	}
	return all
}

// lists reports whether a value is among those that are listed.
func (o *sub) lists(v any) bool {
	if o.listed == nil {
		o.listed = map[string]bool{}
		values, _ := o.values()
		for _, one := range values {
			o.listed[canonical(one)] = true
		}
	}
	return o.listed[canonical(v)]
}

// joined judges by the schemas of the same place.
func (r *run) joined(o *sub, v any, depth int) answer {
	all := yes
	for _, c := range o.children("allOf") {
		if all = all.and(r.fits(c, v, depth+1)); all == no {
			return no
		}
	}
	if _, has := o.object["anyOf"]; has {
		some := no
		for _, c := range o.children("anyOf") {
			one := r.fits(c, v, depth+1)
			if one == yes {
				some = yes
				break
			}
			if one == unknown {
				some = unknown
			}
		}
		all = all.and(some)
	}
	if _, has := o.object["oneOf"]; has {
		fit, open := 0, false
		for _, c := range o.children("oneOf") {
			one := r.fits(c, v, depth+1)
			open = open || one == unknown
			if one == yes {
				fit++
			}
		}
		switch {
		case fit > 1:
			return no
		case open:
			all = all.and(unknown)
		default:
			all = all.and(known(fit == 1))
		}
	}
	if c := o.child("not"); c != nil {
		switch r.fits(c, v, depth+1) {
		case yes:
			return no
		case unknown:
			all = all.and(unknown)
		case no:
		}
	}
	if c := o.child("if"); c != nil {
		all = all.and(r.conditional(o, c, v, depth))
	}
	return all
}

func (r *run) conditional(o, c *sub, v any, depth int) answer {
	branch := func(keyword string) answer {
		if b := o.child(keyword); b != nil {
			return r.fits(b, v, depth+1)
		}
		return yes
	}
	switch r.fits(c, v, depth+1) {
	case yes:
		return branch("then")
	case no:
		return branch("else")
	case unknown:
	}
	if a, b := branch("then"), branch("else"); a == b {
		return a
	}
	return unknown
}

// ofKind judges by the keywords of the value's kind.
func (r *run) ofKind(o *sub, v any, depth int) answer {
	switch v := v.(type) {
	case json.Number:
		return ofNumber(o, v)
	case string:
		n := utf8.RuneCountInString(v)
		if !sized(o, n, "minLength", "maxLength") {
			return no
		}
		return r.worded(o, "pattern", v).and(r.worded(o, "format", v))
	case []any:
		return r.ofList(o, v, depth)
	case map[string]any:
		return r.ofObject(o, v, depth)
	}
	return yes
}

func sized(o *sub, n int, low, high string) bool {
	if least, ok := count(o.object[low]); ok && n < least {
		return false
	}
	most, ok := count(o.object[high])
	return !ok || n <= most
}

func ofNumber(o *sub, v json.Number) answer {
	x, ok := rational(v)
	if !ok {
		return unknown
	}
	if _, whole, _ := typesOf(o); whole && !x.IsInt() {
		return no
	}
	for keyword, fits := range map[string]func(c int) bool{
		"minimum":          func(c int) bool { return c >= 0 },
		"exclusiveMinimum": func(c int) bool { return c > 0 },
		"maximum":          func(c int) bool { return c <= 0 },
		"exclusiveMaximum": func(c int) bool { return c < 0 },
	} {
		if at, said := rational(o.object[keyword]); said && !fits(x.Cmp(at)) {
			return no
		}
	}
	if of, said := rational(o.object["multipleOf"]); said && of.Sign() > 0 {
		return known(new(big.Rat).Quo(x, of).IsInt())
	}
	return yes
}

// worded judges a text by a pattern or a format, as every call is judged.
func (r *run) worded(o *sub, keyword, v string) answer {
	word, said := o.object[keyword].(string)
	if !said {
		return yes
	}
	return r.asks(keyword, word, v)
}

func (r *run) asks(keyword, word, v string) answer {
	id := keyword + " " + word
	s, made := r.words[id]
	if !made {
		raw := append(append([]byte(`{"`+keyword+`":`), rawjson.AppendQuoted(nil, word)...), '}')
		s, _ = schema.CompileForeign(raw) // nil for what cannot be judged
		r.words[id] = s
	}
	if s == nil || len(s.Unjudged()) > 0 {
		return unknown
	}
	return known(len(s.Validate(rawjson.AppendQuoted(nil, strings.ToValidUTF8(v, "?")))) == 0)
}

func (r *run) ofList(o *sub, v []any, depth int) answer {
	if !sized(o, len(v), "minItems", "maxItems") {
		return no
	}
	if on, _ := o.object["uniqueItems"].(bool); on {
		seen := map[string]bool{}
		for _, item := range v {
			id := canonical(item)
			if seen[id] {
				return no
			}
			seen[id] = true
		}
	}
	all := yes
	first, rest := o.items()
	for i, item := range v {
		c := rest
		if i < len(first) {
			c = first[i]
		}
		if c != nil {
			all = all.and(r.fits(c, item, depth+1))
		}
	}
	return all
}

func (r *run) ofObject(o *sub, v map[string]any, depth int) answer {
	if !sized(o, len(v), "minProperties", "maxProperties") {
		return no
	}
	names, _ := o.object["required"].([]any)
	for _, name := range names {
		if word, ok := name.(string); ok && !has(v, word) {
			return no
		}
	}
	needs, _ := o.object["dependentRequired"].(map[string]any)
	for name, list := range needs {
		others, _ := list.([]any)
		if has(v, name) && slices.ContainsFunc(others, func(x any) bool { word, ok := x.(string); return ok && !has(v, word) }) {
			return no
		}
	}
	all := yes
	for name, item := range v {
		if all = all.and(r.ofProperty(o, name, item, depth)); all == no {
			return no
		}
	}
	return all
}

func (r *run) ofProperty(o *sub, name string, item any, depth int) answer {
	all, matched := yes, no
	c := o.named("properties", name)
	if c != nil {
		all, matched = r.fits(c, item, depth+1), yes
	}
	for _, pattern := range o.names("patternProperties") {
		switch r.asks("pattern", pattern, name) {
		case yes:
			all, matched = all.and(r.fits(o.named("patternProperties", pattern), item, depth+1)), yes
		case unknown:
			all = all.and(unknown)
			if matched == no {
				matched = unknown
			}
		case no:
		}
	}
	if c = o.child("additionalProperties"); c == nil || matched == yes {
		return all
	}
	rest := r.fits(c, item, depth+1)
	if matched == unknown && rest == no {
		rest = unknown
	}
	return all.and(rest)
}

func has(v map[string]any, name string) bool {
	_, ok := v[name]
	return ok
}
