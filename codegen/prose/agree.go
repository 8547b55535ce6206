package prose

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// counts holds the numbers of a document to what there is, and to each other.
func (j *judge) counts(d *Document, found func(line int, c Claim, v verdict)) {
	a := agreement{judge: j, said: map[string]count{}, found: found}
	all := blocks(d)
	for i := range all {
		a.block(&all[i])
	}
	a.endSection()
}

// agreement is what a document said so far.
type agreement struct {
	*judge
	found func(line int, c Claim, v verdict)
	said  map[string]count // what the whole document said of a scope that nobody here knows

	section int
	heads   []count  // the numbers that the section said, without the parts of a sum
	opening []count  // those of them that announce what is listed below
	listed  []string // what the first cells of its rows, or its items, name
	rows    int
	loose   bool // whether something stands between that no count can be about
}

func (a *agreement) report(c count, v verdict) {
	if v.why != "" {
		a.found(c.line, Claim{KindCount, c.text}, v)
	}
}

func (a *agreement) block(b *block) {
	if b.section != a.section {
		a.endSection()
		a.section = b.section
	}
	if b.row || b.item {
		a.list(b)
	}
	a.titled(b)
	for _, s := range sentences(b) {
		counts := a.countsIn(s)
		if len(counts) == 0 {
			continue
		}
		parts := a.sum(s, counts)
		for i, c := range counts {
			if parts[i] {
				continue
			}
			a.one(b, s, c)
		}
	}
}

// titled judges a heading that has its number in brackets: "Tools (N)".
func (a *agreement) titled(b *block) {
	w := b.words
	if !b.heading || len(w) != 4 || w[1].text != "(" || w[2].n <= 0 || w[3].text != ")" {
		return
	}
	if noun := nounOf(w[0], word{}); noun != "" {
		a.report(count{n: w[2].n, noun: noun, text: w[0].text + " (" + w[2].text + ")", line: w[0].line}, a.untrue(count{n: w[2].n, noun: noun}))
	}
}

// one judges a count, and notes it for those that follow.
func (a *agreement) one(b *block, s []word, c count) {
	if c.at > 1 && s[c.at-1].is("same") && s[c.at-2].is("the") {
		if c.noun != "" || c.end == len(s) || s[c.end].mark || s[c.end].is("and", "as") {
			a.same(c)
		}
		return
	}
	if a.total(b, s, &c) {
		v := a.untrue(c)
		a.report(c, v)
		if v.why == "" && c.scope != "" && a.have(c) == nil {
			a.again(c)
		}
	}
	if c.noun == "" && !c.more {
		return
	}
	a.heads = append(a.heads, c)
	// What announces a list begins a sentence, and stands above it: "Two tools:".
	first := c.at == 0 || c.at == 1 && s[0].is("the", "these", "all")
	ends := c.end == len(s) || s[c.end].mark || s[c.end].is("follow", "are")
	if !b.row && !b.item && a.rows == 0 && first && ends && (c.noun == "tool" || c.noun == "" && c.more) {
		a.opening = append(a.opening, c)
	}
}

// again compares a count with what the document said of the same before.
func (a *agreement) again(c count) {
	key := c.noun + " " + c.scope
	before, ok := a.said[key]
	switch {
	case !ok:
		a.said[key] = c
	case before.n != c.n:
		a.report(c, verdict{why: fmt.Sprintf("line %d says %d", before.line, before.n)})
	}
}

// same judges "the same thirteen": a number before it, of the same section, has to be that.
func (a *agreement) same(c count) {
	var others []string
	for _, h := range a.heads {
		if c.noun != "" && h.noun != "" && h.noun != c.noun {
			continue
		}
		if h.n == c.n {
			return
		}
		others = append(others, fmt.Sprintf("%q on line %d", h.text, h.line))
	}
	if len(others) > 0 {
		c.text = "the same " + c.text
		a.report(c, verdict{why: "nothing before it says that number: it was " + strings.Join(slices.Compact(others), ", ")})
	}
}

// sum judges a number with its parts: "twelve more: nine for X and four for Y". It answers
// which of the counts are parts.
func (a *agreement) sum(s []word, counts []count) []bool {
	parts := make([]bool, len(counts))
	colon := slices.IndexFunc(s, func(t word) bool { return t.mark && (t.text == ":" || t.text == "-") })
	head := -1
	for i, c := range counts {
		if c.at < colon && (c.noun != "" || c.more) {
			head = i
			break
		}
	}
	if head < 0 || vague(s, counts[head].at) {
		return parts
	}
	for _, t := range s[colon:] {
		if t.is("among", "including", "such", "rest", "others", "like", "each", "or") {
			return parts
		}
	}
	total, how := 0, []string{}
	for _, c := range counts {
		if c.at < colon {
			continue
		}
		if c.end >= len(s) || c.more || !s[c.end].is("for", "of", "in", "about", "on", "that", "which", "from", "by", "to") || vague(s, c.at) {
			return parts
		}
		total += c.n
		how = append(how, strconv.Itoa(c.n))
	}
	if len(how) < 2 {
		return parts
	}
	for i, c := range counts {
		parts[i] = c.at > colon
	}
	if h := counts[head]; total != h.n {
		a.report(h, verdict{why: fmt.Sprintf("its parts are %s, which makes %d", strings.Join(how, " and "), total)})
	}
	return parts
}

// list notes what a row or an item of a list is about.
func (a *agreement) list(b *block) {
	names := 0
	for _, name := range b.names {
		if toolShaped(name) || bridgedShaped.MatchString(name) {
			a.listed = append(a.listed, name)
			names++
		}
	}
	if names > 0 {
		a.rows++
	} else if a.rows > 0 || !b.row { // the head of a table names nothing
		a.loose = true
	}
}

// endSection compares what a section announced with what it lists.
func (a *agreement) endSection() {
	slices.Sort(a.listed)
	names := len(slices.Compact(a.listed))
	if len(a.opening) == 1 && a.rows > 1 && !a.loose {
		if c := a.opening[0]; c.n != names && c.n != a.rows {
			a.report(c, verdict{why: fmt.Sprintf("%d are listed below", names)})
		}
	}
	a.heads, a.opening, a.listed, a.rows, a.loose = nil, nil, nil, 0, false
}
