package compat

import (
	"encoding/json"
	"maps"
	"math/big"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"
)

const (
	maxSample = 12     // levels of a value that is made
	longest   = 10_000 // characters, items or properties of one
)

// sampleOf makes a value of a place. It is a guess: whoever uses it asks whether it fits.
func (r *run) sampleOf(n node) (any, bool) {
	if r.deep++; r.deep > maxSample || !r.step(1) {
		r.deep--
		return nil, false
	}
	defer func() { r.deep-- }()
	all, ok := r.shapes(n)
	if !ok {
		return nil, false
	}
	for _, s := range all {
		if v, ok := r.sample(s); ok && r.admits(n, v) != no {
			return v, true
		}
	}
	return nil, false
}

// sample makes a small value of a shape.
func (r *run) sample(s *shape) (any, bool) {
	for _, v := range r.samples(s, nil) {
		return v, true
	}
	return nil, false
}

// samples makes values of a shape, with an eye on the limits of another one.
func (r *run) samples(s, t *shape) []any {
	var all []any
	if s.finite {
		return s.values
	}
	switch s.kind {
	case number:
		for _, v := range numbers(s, t) {
			if n, ok := numberOf(v); ok {
				all = append(all, n)
			}
		}
	case text:
		for _, v := range r.texts(s, t) {
			all = append(all, v)
		}
	case array:
		for _, n := range []int{s.min.n, s.min.n + 1} {
			if v, ok := r.listOf(s, n); ok {
				all = append(all, v)
			}
		}
	case object:
		for _, n := range []int{len(s.required), s.min.n, len(s.names())} {
			if v, ok := r.objectOf(s, n); ok {
				all = append(all, v)
			}
		}
	case null, boolean: // always a few
	}
	return slices.DeleteFunc(all, func(v any) bool { return r.admits(s.parts, v) == no })
}

// numbers answers numbers about the limits of two shapes.
func numbers(s, t *shape) []*big.Rat {
	all := []*big.Rat{new(big.Rat), unit(), big.NewRat(1, 2)}
	for _, one := range []*shape{s, t} {
		if one == nil {
			continue
		}
		for _, l := range []*limit{one.low, one.high} {
			if l == nil {
				continue
			}
			for _, d := range []*big.Rat{new(big.Rat), unit(), big.NewRat(-1, 1), big.NewRat(1, 2), big.NewRat(-1, 2)} {
				all = append(all, new(big.Rat).Add(l.at, d))
			}
		}
		for _, f := range one.multiples {
			for _, l := range []*limit{{at: new(big.Rat)}, s.low, s.high} {
				if l == nil {
					continue
				}
				base := new(big.Rat).Mul(floor(new(big.Rat).Quo(l.at, f.of)), f.of)
				for _, k := range []int64{-1, 0, 1, 2, 3} {
					all = append(all, new(big.Rat).Add(base, new(big.Rat).Mul(f.of, big.NewRat(k, 1))))
				}
			}
		}
	}
	if s.low != nil && s.high != nil {
		all = append(all, new(big.Rat).Quo(new(big.Rat).Add(s.low.at, s.high.at), big.NewRat(2, 1)))
	}
	return all
}

// texts answers texts about the limits of two shapes, and some of the patterns and
// formats of the first.
func (r *run) texts(s, t *shape) []string {
	all := []string{""}
	for format := range maps.Keys(s.formats) {
		if v, ok := formatSamples()[format]; ok {
			all = append(all, v)
		}
	}
	for _, pattern := range slices.Sorted(maps.Keys(s.patterns)) {
		if tree, err := syntax.Parse(pattern, syntax.Perl); err == nil {
			for _, more := range []int{0, 1, s.min.n} {
				m := match{more: more}
				if m.write(tree); m.b.Len() <= longest {
					all = append(all, m.b.String())
				}
			}
		}
	}
	sizes := []int{s.min.n, s.min.n + 1, s.max.n}
	if t != nil { // the smallest values that show something
		sizes = append([]int{t.min.n - 1, t.max.n + 1}, sizes...)
	}
	for _, n := range sizes {
		if n > 0 && n <= longest {
			all = append(all, strings.Repeat("x", n), strings.Repeat("0", n))
		}
	}
	return all
}

// formatSamples are texts of the formats that are judged.
func formatSamples() map[string]string {
	return map[string]string{
		"date": "2026-01-02", "time": "03:04:05Z", "date-time": "2026-01-02T03:04:05Z", "duration": "P1D", "email": "a@example.com",
		"hostname": "example.com", "ipv4": "192.0.2.1", "ipv6": "2001:db8::1", "uri": "https://example.com/", "uri-reference": "/a",
		"uuid": "123e4567-e89b-12d3-a456-426614174000", "json-pointer": "/a", "regex": "a", "iri": "https://example.com/", "uri-template": "/{a}",
	}
}

// match writes a text that a pattern matches, in most cases.
type match struct {
	b    strings.Builder
	more int // repeats beyond the least
}

func (m *match) write(t *syntax.Regexp) {
	if m.b.Len() > longest {
		return
	}
	switch t.Op {
	case syntax.OpLiteral:
		m.b.WriteString(string(t.Rune))
	case syntax.OpCharClass:
		if len(t.Rune) > 0 {
			c := t.Rune[0]
			for i := 0; i+1 < len(t.Rune); i += 2 { // a letter or digit reads better
				if t.Rune[i] >= '0' && t.Rune[i] <= 'z' {
					c = t.Rune[i]
					break
				}
			}
			m.b.WriteRune(c)
		}
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		m.b.WriteByte('x')
	case syntax.OpCapture, syntax.OpConcat:
		for _, sub := range t.Sub {
			m.write(sub)
		}
	case syntax.OpAlternate:
		m.write(t.Sub[min(m.more, len(t.Sub)-1)])
	case syntax.OpStar, syntax.OpQuest, syntax.OpPlus, syntax.OpRepeat:
		least, most := 0, -1
		switch t.Op {
		case syntax.OpPlus:
			least = 1
		case syntax.OpQuest:
			most = 1
		case syntax.OpRepeat:
			least, most = t.Min, t.Max
		default:
		}
		n := least + m.more
		if most >= 0 {
			n = min(n, most)
		}
		for range min(n, longest) {
			m.write(t.Sub[0])
		}
	default:
	}
}

// listOf makes a list of so many items.
func (r *run) listOf(s *shape, n int) (any, bool) {
	if n > longest || !r.step(n) {
		return nil, false
	}
	all := make([]any, n)
	for i := range all {
		v, ok := r.itemOf(s, i)
		if !ok {
			return nil, false
		}
		all[i] = v
	}
	return all, true
}

func (r *run) itemOf(s *shape, i int) (any, bool) {
	n := s.item(i)
	if s.unique == "" {
		return r.sampleOf(n)
	}
	shapes, ok := r.shapes(n)
	if !ok {
		return nil, false
	}
	for _, one := range shapes { // one that no item before has
		all := r.samples(one, nil)
		if one.kind == text && !one.finite {
			all = append(all, strings.Repeat("x", one.min.n+i))
		}
		if one.kind == number && one.isWhole() && !one.finite {
			base := new(big.Rat)
			if one.low != nil {
				base = one.low.at
			}
			if v, ok := numberOf(new(big.Rat).Add(base, big.NewRat(int64(i), 1))); ok {
				all = append([]any{}, v)
			}
		}
		if i < len(all) {
			return all[i], true
		}
		if len(all) > 0 && i == 0 {
			return all[0], true
		}
	}
	return nil, false
}

// listWith makes a list with a value at a place.
func (r *run) listWith(s *shape, i int, v any) (any, bool) {
	made, ok := r.listOf(s, max(i+1, s.min.n))
	if !ok {
		return nil, false
	}
	list, ok := made.([]any)
	if ok {
		list[i] = v
	}
	return list, ok
}

// objectOf makes an object of so many properties, and those that are required.
func (r *run) objectOf(s *shape, n int) (any, bool) {
	if n > longest || !r.step(n) {
		return nil, false
	}
	all := map[string]any{}
	put := func(name string) bool {
		v, ok := r.sampleOf(s.property(name))
		if ok {
			all[name] = v
		}
		return ok
	}
	for _, name := range slices.Sorted(maps.Keys(s.required)) {
		if !put(name) {
			return nil, false
		}
	}
	names := s.names()
	for _, name := range names {
		if len(all) < n && !has(all, name) {
			put(name)
		}
	}
	for len(all) < n {
		fresh, ok := freshName(append(names, slices.Collect(maps.Keys(all))...))
		if !ok || !put(fresh) {
			return nil, false
		}
	}
	return all, true
}

// objectWith makes an object with a value as a property.
func (r *run) objectWith(s *shape, name string, v any) (any, bool) {
	made, ok := r.objectOf(s, s.min.n)
	if !ok {
		return nil, false
	}
	o, ok := made.(map[string]any)
	if ok {
		o[name] = v
	}
	return o, ok
}

// matched makes objects of s with a property whose name t matches by a pattern.
func (r *run) matched(s, t *shape) []any {
	var all []any
	for _, o := range t.parts {
		for _, pattern := range o.names("patternProperties") {
			tree, err := syntax.Parse(pattern, syntax.Perl)
			if err != nil {
				continue
			}
			m := match{more: 1}
			m.write(tree)
			for _, v := range []any{nil, "", json.Number("0"), []any{}, map[string]any{}} {
				if made, ok := r.objectWith(s, m.b.String(), v); ok && r.admits(s.parts, made) != no {
					all = append(all, made)
				}
			}
		}
	}
	return all
}

// freshName answers a property's name that is none of those.
func freshName(names []string) (string, bool) {
	for i := range len(names) + 1 {
		name := "another"
		if i > 0 {
			name += strconv.Itoa(i)
		}
		if !slices.Contains(names, name) {
			return name, true
		}
	}
	return "", false
}

// maxBrief bounds a value in a sentence, in bytes.
const maxBrief = 60

// brief writes a value within a sentence.
func brief(v any) string {
	text := canonical(v)
	if len(text) > maxBrief {
		return strings.ToValidUTF8(text[:maxBrief], "") + "..."
	}
	return text
}
