package compat

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/seed-89b9419b/holotype/internal/schema"
)

// Verdict is the answer of [Within]. The zero value is [Undecided].
type Verdict uint8

// The closed set of verdicts.
const (
	Undecided Verdict = iota // nothing was proven
	Yes                      // every value of the first fits the second
	No                       // some value of the first does not: a witness shows it
)

// String answers the verdict's word: "undecided", "yes" or "no".
func (v Verdict) String() string {
	return [...]string{"undecided", "yes", "no"}[v]
}

// Finding is one reason why values of the first schema do not fit the second, or may
// not.
type Finding struct {
	// Pointer is the place of the keyword that keeps them out, as a JSON pointer (RFC
	// 6901) into the second schema.
	Pointer string
	// What they are: a noun phrase such as "texts of more than 40 characters".
	What string
	// Witness is a value that the first schema admits and the second refuses; nil where
	// none was found, and then it is not known whether there is one.
	Witness json.RawMessage
	// Unnamed says that they are a property which the first schema names and the second
	// does not; see also [Result.Dropped].
	Unnamed bool
}

// Result is what [Within] found.
type Result struct {
	Verdict  Verdict
	Findings []Finding // at most 50, by pointer; none for yes
	// Dropped are properties that the first schema names and the second does not, though
	// it admits them: whoever reads by the second does not know them. Their pointers are
	// into the first.
	Dropped []Finding
}

// Options choose how schemas are read.
type Options struct {
	// Declared leaves out what nobody declared: an object of the first schema that says
	// nothing of further properties has no other than those it names, where the second
	// names one. Without it, every value counts that the first schema admits.
	Declared bool
}

const (
	maxSteps    = 300_000
	maxFindings = 50
)

// Within decides whether every value that fits a fits b. It knows the keywords of
// roleOf; $ref may recurse. The time is bounded: about half a second at most.
func Within(a, b *Schema, o Options) Result {
	if bytes.Equal(a.raw, b.raw) {
		return Result{Verdict: Yes}
	}
	if text := a.root.spelled(); text != "" && text == b.root.spelled() {
		return Result{Verdict: Yes}
	}
	r := &run{
		o: o, left: maxSteps, memo: map[pair][]found{}, known: map[shapesOf]knownShapes{}, words: map[string]*schema.Schema{},
	}
	all := r.within(nodeOf(a.root), nodeOf(b.root))
	var res Result
	if r.left <= 0 {
		res.Findings = []Finding{{What: "whatever else is in a schema that is too large, or branches too often, to be compared"}}
	}
	for _, f := range all {
		one := Finding{Pointer: f.ptr, What: f.what, Unnamed: f.dropped || f.unnamed}
		switch {
		case f.dropped:
			res.Dropped = append(res.Dropped, one)
			continue
		case f.has:
			one.Witness = r.prove(a, b, f.value)
		}
		if one.Witness != nil {
			res.Verdict = No
		}
		res.Findings = append(res.Findings, one)
	}
	if len(res.Findings) == 0 {
		res.Verdict = Yes
	}
	res.Findings, res.Dropped = tidy(res.Findings), tidy(res.Dropped)
	return res
}

// tidy sorts findings and keeps each once, the one with a witness first.
func tidy(all []Finding) []Finding {
	slices.SortStableFunc(all, func(x, y Finding) int {
		if c := strings.Compare(x.Pointer, y.Pointer); c != 0 {
			return c
		}
		if c := strings.Compare(x.What, y.What); c != 0 {
			return c
		}
		return len(y.Witness) - len(x.Witness)
	})
	all = slices.CompactFunc(all, func(x, y Finding) bool { return x.Pointer == y.Pointer && x.What == y.What })
	return all[:min(len(all), maxFindings)]
}

// maxJudged bounds the schemas that are compiled for a witness: compiling takes the
// square of their size.
const maxJudged = 128 << 10

// prove answers the value as JSON where a admits and b refuses it, judged as every call
// is; else nil. Of schemas too large for that, this package is asked.
func (r *run) prove(a, b *Schema, v any) json.RawMessage {
	raw, err := json.Marshal(v)
	if err != nil || schema.Scan(raw) != nil {
		return nil
	}
	if len(a.raw) > maxJudged || len(b.raw) > maxJudged {
		r.left = max(r.left, maxSteps/10)
		if r.admits(nodeOf(a.root), v) == yes && r.admits(nodeOf(b.root), v) == no {
			return raw
		}
		return nil
	}
	if fine, ok := a.validates(raw); !ok || !fine {
		return nil
	}
	if fine, ok := b.validates(raw); !ok || fine {
		return nil
	}
	return raw
}

func (s *Schema) validates(raw []byte) (fine, ok bool) {
	if !s.judged {
		s.judged = true
		s.judge, s.judgeFail = schema.CompileForeign(s.raw)
	}
	if s.judgeFail != nil {
		return false, false
	}
	return len(s.judge.Validate(raw)) == 0, true
}

// run is one comparison.
type run struct {
	o     Options
	deep  int // levels of the value that is being made
	left  int
	memo  map[pair][]found // nil while it is assumed, and once it is proven, to have none
	trail []pair           // those without findings, in the order they were met
	known map[shapesOf]knownShapes
	words map[string]*schema.Schema
}

type shapesOf struct {
	in  *Schema
	key string
}

type knownShapes struct {
	all []*shape
	ok  bool
}

type pair struct{ a, b string }

// found is a [Finding] on its way out.
type found struct {
	ptr, what string
	value     any // a value of the first that is refused, if has
	has       bool
	dropped   bool // see [Result.Dropped]
	unnamed   bool // see [Finding.Unnamed]
}

func undecided(ptr, what string) []found { return []found{{ptr: ptr, what: what}} }

// step takes n from the work that is left.
func (r *run) step(n int) bool {
	r.left -= max(n, 1)
	return r.left > 0
}

// hard answers the findings that keep values out.
func hard(all []found) []found {
	return slices.DeleteFunc(slices.Clone(all), func(f found) bool { return f.dropped })
}

// within compares two places. A pair that is met again within itself is taken to hold:
// the value there is a part of the one above, so no value is the first to break it.
func (r *run) within(a, b node) []found {
	if len(b) == 0 && len(a) == 0 {
		return nil
	}
	p := pair{a.key(), b.key()}
	if len(a) == 0 {
		p.a = "*"
	}
	if len(b) == 0 {
		p.b = "*"
	}
	if known, met := r.memo[p]; met {
		return known
	}
	if !r.step(1) {
		return nil // the caller says so
	}
	begin := len(r.trail)
	r.memo[p], r.trail = nil, append(r.trail, p)
	all := r.compare(a, b)
	if len(hard(all)) > 0 {
		// What was proven since may rest on this.
		for _, q := range r.trail[begin:] {
			delete(r.memo, q)
		}
		r.trail = r.trail[:begin]
	}
	r.memo[p] = all[:min(len(all), maxFindings)]
	return r.memo[p]
}

func (r *run) compare(a, b node) []found {
	as, okA := r.shapes(a)
	bs, okB := r.shapes(b)
	if !okA || !okB {
		if same(a, b) {
			return nil
		}
		return undecided(b.pointer(), "whatever is in a part that cannot be read: references or alternatives lead too far")
	}
	var all []found
	for _, s := range as {
		all = append(all, r.fit(s, bs, a, b)...)
	}
	if len(hard(all)) > 0 && !slices.ContainsFunc(all, func(f found) bool { return f.has }) && same(a, b) {
		return nil
	}
	return all
}

// same reports whether two places are written alike.
func same(a, b node) bool {
	if len(a) != len(b) {
		return false
	}
	texts := func(n node) []string {
		all := make([]string, len(n))
		for i, o := range n {
			all[i] = o.spelled()
		}
		slices.Sort(all)
		return all
	}
	x, y := texts(a), texts(b)
	return !slices.Contains(x, "") && slices.Equal(x, y)
}

// fit looks for a shape of b that takes all of s, a shape of a.
func (r *run) fit(s *shape, bs []*shape, a, b node) []found {
	if s.finite {
		return r.eachFits(s, bs, a, b)
	}
	var best []found
	alike := 0
	var values []any
	for _, t := range bs {
		if t.kind != s.kind {
			continue
		}
		alike++
		all := r.take(s, t)
		if len(hard(all)) == 0 {
			return all
		}
		if alike == 1 || len(all) < len(best) {
			best = all
		}
		for _, f := range all {
			if f.has {
				values = append(values, f.value)
			}
		}
	}
	switch alike {
	case 0:
		f := found{ptr: kindPointer(b), what: s.kind.word()}
		if s.kind == number && s.isWhole() {
			f.what = "whole numbers"
		}
		f.value, f.has = r.sample(s)
		return []found{f}
	case 1:
		return best
	}
	// None takes all of it. They may do so together, unless a value shows that they do not.
	values = append(values, overlay(values)...)
	for _, v := range values {
		if r.admits(a, v) == yes && r.admits(b, v) == no {
			return []found{{ptr: b.pointer(), what: "values that fit no alternative", value: v, has: true}}
		}
	}
	return undecided(b.pointer(), "values that may fit no alternative: "+best[0].what)
}

// overlay answers an object with the properties of all objects together.
func overlay(values []any) []any {
	all := map[string]any{}
	for _, v := range values {
		o, ok := v.(map[string]any)
		if !ok {
			return nil
		}
		for name, item := range o {
			if _, taken := all[name]; !taken {
				all[name] = item
			}
		}
	}
	return []any{all}
}

// kindPointer answers where the types of a place stand.
func kindPointer(n node) string {
	for _, o := range n {
		if _, said := o.object["type"]; said {
			return o.ptr + "/type"
		}
	}
	return n.pointer()
}

// eachFits asks for every value of a shape that has a few.
func (r *run) eachFits(s *shape, bs []*shape, a, b node) []found {
	var all []found
	ptr := kindPointer(b)
	for _, t := range bs {
		if t.kind == s.kind && t.listed != "" {
			ptr = t.listed
		}
	}
	if s.listed == "" && !slices.ContainsFunc(bs, func(t *shape) bool { return t.kind == s.kind }) {
		return []found{{ptr: ptr, what: s.kind.word(), value: s.values[0], has: true}}
	}
	for _, v := range s.values {
		if r.admits(a, v) == no {
			continue
		}
		switch r.admits(b, v) {
		case yes:
		case no:
			all = append(all, found{ptr: ptr, what: "the value " + brief(v), value: v, has: true})
		case unknown:
			all = append(all, found{ptr: ptr, what: "the value " + brief(v)})
		}
		if len(all) == maxFindings {
			break
		}
	}
	return all
}
