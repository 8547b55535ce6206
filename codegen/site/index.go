package site

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	tables "github.com/yuin/goldmark/extension/ast"

	"github.com/seed-89b9419b/holotype/codegen/reference"
)

// passage is a part of a page that a search can lead to: what stands below one of its
// headings, or above the first.
type passage struct {
	page    *page
	heading string // "" above the first heading below the title
	anchor  string
	text    string
}

// posting says that a word stands in a passage, and how much that weighs.
type posting struct {
	passage, weight int
}

// index finds passages by words. It is immutable.
type index struct {
	passages []passage
	words    []string // sorted
	postings [][]posting
}

// What a word weighs by where it stands. In text every further time counts, up to a
// bound, so that a long page does not go before one that is about the word.
const (
	inTitle   = 40
	inHeading = 20
	inText    = 1
	maxInText = 6
	// wholeWord multiplies what a word weighs over one that only begins so.
	wholeWord = 4
	// wholeName is added where the title or a heading is what is looked for.
	wholeName = 1000
)

// newIndex reads every page once.
func newIndex(md goldmark.Markdown, pages []*page) *index {
	x := &index{}
	weights := map[string][]posting{}
	for _, p := range pages {
		for _, part := range passages(md, p) {
			n := len(x.passages)
			x.passages = append(x.passages, part)
			found := map[string]int{}
			for _, w := range words(part.text) {
				found[w] = min(found[w]+inText, maxInText)
			}
			of := words(part.heading)
			most := inHeading
			if part.heading == "" {
				of, most = words(p.title), inTitle
			}
			for _, w := range of {
				found[w] = max(found[w], most)
			}
			for w, weight := range found {
				weights[w] = append(weights[w], posting{n, weight})
			}
		}
	}
	for w := range weights {
		x.words = append(x.words, w)
	}
	slices.Sort(x.words)
	for _, w := range x.words {
		x.postings = append(x.postings, weights[w])
	}
	return x
}

// passages cuts a page at its headings. JSON is left out: tables say the same. So are
// the sections that are much the same on the page of every capability.
func passages(md goldmark.Markdown, p *page) []passage {
	all := []passage{{page: p}}
	var b strings.Builder
	end := func() {
		all[len(all)-1].text = plainLine(b.String())
		b.Reset()
	}
	for n := parse(md, p.source).FirstChild(); n != nil; n = n.NextSibling() {
		switch n := n.(type) {
		case *ast.Heading:
			if n.Level == 1 {
				continue
			}
			end()
			all = append(all, passage{page: p, heading: plainLine(plainText(n, p.source)), anchor: fragmentOf(n)})
		case *ast.FencedCodeBlock:
			if string(n.Language(p.source)) != "json" {
				b.Write(n.Lines().Value(p.source))
				b.WriteByte(' ')
			}
		case *ast.HTMLBlock:
		default:
			prose(&b, n, p.source)
		}
	}
	end()
	if p.aboutCapability() {
		all = slices.DeleteFunc(all, func(part passage) bool {
			return part.heading == reference.TitleOfHints || part.heading == reference.TitleOfRefusals
		})
	}
	return all
}

// prose writes what a reader sees of a block, with a blank between its parts.
func prose(b *strings.Builder, n ast.Node, source []byte) {
	if n.Type() == ast.TypeBlock && n.FirstChild() != nil && n.FirstChild().Type() == ast.TypeBlock {
		for c := n.FirstChild(); c != nil; c = c.NextSibling() {
			prose(b, c, source)
		}
		return
	}
	if lines := n.Lines(); n.Kind() == ast.KindCodeBlock || n.Kind() == ast.KindFencedCodeBlock {
		b.Write(lines.Value(source))
	} else {
		b.WriteString(plainText(n, source))
	}
	if n.Kind() == tables.KindTableCell && n.NextSibling() != nil {
		b.WriteString(" \u00B7")
	}
	b.WriteByte(' ')
}

// words cuts text into what can be looked for, in lower case: a name such as
// list_tools is a word, and so are its parts.
func words(s string) []string {
	var all []string
	for _, w := range strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		w = strings.Trim(w, "_")
		if w == "" {
			continue
		}
		all = append(all, w)
		if strings.Contains(w, "_") {
			all = append(all, strings.FieldsFunc(w, func(r rune) bool { return r == '_' })...)
		}
	}
	return all
}

// weigh answers what a word, or the beginning of one, weighs in each passage.
func (x *index) weigh(term string) map[int]int {
	found := map[int]int{}
	at, _ := slices.BinarySearch(x.words, term)
	for ; at < len(x.words) && strings.HasPrefix(x.words[at], term); at++ {
		times := 1
		if x.words[at] == term {
			times = wholeWord
		} else if len(term) < shortTerm {
			break
		}
		for _, p := range x.postings[at] {
			found[p.passage] = max(found[p.passage], times*p.weight)
		}
	}
	return found
}

// shortTerm is how many bytes a term has before it stands for the words that it begins.
const shortTerm = 3

// hit is a page that was found, with the passage that fits best.
type hit struct {
	passage
	score int
}

// search answers the pages that have every term, the best first, and among equals by
// their address. The whole of what is looked for finds the page or the section of that
// name before all others.
func (x *index) search(query string, terms []string) []hit {
	name := strings.ToLower(plainLine(query))
	best, scores, has := map[*page]hit{}, map[*page]int{}, map[*page]int{}
	in := map[int]int{}
	for _, term := range terms {
		most := map[*page]int{}
		for n, weight := range x.weigh(term) {
			in[n] += weight
			p := x.passages[n].page
			most[p] = max(most[p], weight)
		}
		for p, weight := range most {
			has[p]++
			scores[p] += weight
		}
	}
	for n, weight := range in {
		part := x.passages[n]
		switch name {
		case strings.ToLower(part.heading):
			weight += wholeName
		case strings.ToLower(part.page.title):
			if part.heading == "" {
				weight += 2 * wholeName
			}
		}
		if b, ok := best[part.page]; !ok || weight > b.score || weight == b.score && part.before(b.passage) {
			best[part.page] = hit{part, weight}
		}
	}
	var all []hit
	for p, h := range best {
		if has[p] == len(terms) {
			h.score += scores[p]
			all = append(all, h)
		}
	}
	slices.SortFunc(all, func(a, b hit) int {
		return cmp.Or(b.score-a.score, strings.Compare(a.page.address(), b.page.address()))
	})
	return all
}

// before reports whether a passage of a page goes before another of it among equals.
func (p passage) before(q passage) bool {
	return cmp.Or(strings.Compare(p.heading, q.heading), strings.Compare(p.anchor, q.anchor)) < 0
}

// excerpt is the text of a passage around the first place where a term begins.
func (p passage) excerpt(terms []string) string {
	const before, most = 60, 220
	lower := strings.ToLower(p.text)
	if len(lower) != len(p.text) { // a letter whose other case is longer: places would not agree
		lower = p.text
	}
	at := len(lower)
	for _, t := range terms {
		if i := strings.Index(lower, t); i >= 0 {
			at = min(at, i)
		}
	}
	if at == len(lower) {
		at = 0
	}
	begin, lead := 0, ""
	if at > before {
		begin, lead = at-before, "\u2026 "
		if i := strings.IndexByte(p.text[begin:at], ' '); i >= 0 {
			begin += i + 1
		}
	}
	end, trail := len(p.text), ""
	if end-begin > most {
		end, trail = begin+most, " \u2026"
		if i := strings.LastIndexByte(p.text[at:end], ' '); i > 0 {
			end = at + i
		}
	}
	return lead + strings.ToValidUTF8(p.text[begin:end], "") + trail
}
