package site

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/markdown"
)

// Bounds of a search.
const (
	maxQuery = 200 // bytes
	maxTerms = 8
	maxHits  = 20
)

// searchName is the address of the search below /docs. No page has it.
const searchName = "search"

// answerSearch answers the page of a search, as HTML or as its Markdown.
func (s *site) answerSearch(t *tree, r *http.Request, asMarkdown bool) (*rendition, *capabilities.Error, error) {
	query := strings.TrimSpace(strings.ToValidUTF8(r.URL.Query().Get("q"), string(utf8.RuneError)))
	if len(query) > maxQuery {
		return nil, capabilities.Refuse(capabilities.Invalid, "what is looked for has %d bytes, and a search takes %d", len(query), maxQuery), nil
	}
	p := &page{name: searchName + ".md", title: "Search", parent: t.first, source: s.results(t, query)}
	if asMarkdown {
		return newRendition(p.source, typeMarkdown), nil, nil
	}
	doc := parse(s.markdown, p.source)
	if err := s.resolve(t, p, doc); err != nil {
		return nil, nil, err
	}
	twin := s.o.BasePath + Prefix + "/" + p.name
	if query != "" {
		twin += "?" + url.Values{"q": {query}}.Encode()
	}
	body, err := s.layOut(t, p, doc, layoutData{Query: query, Markdown: twin})
	if err != nil {
		return nil, nil, err
	}
	return newRendition(body, typeHTML), nil, nil
}

// results writes what was found as Markdown. Its links are addresses without the base
// path, as those of every page; what was asked for stays text.
func (s *site) results(t *tree, query string) []byte {
	p := markdown.NewPage("what a search found", "Search")
	terms := words(query)
	slices.Sort(terms)
	terms = slices.Compact(terms)
	switch {
	case query == "":
		p.Para("Look for a tool, a refusal, a key of the configuration or any word: pages that have all of the words are listed, and a word finds those that it begins.")
		return p.Bytes()
	case len(terms) == 0:
		p.Para("There is no word in " + markdown.Text(query) + ".")
		return p.Bytes()
	case len(terms) > maxTerms:
		p.Para("Only the first of many words are looked for.")
		terms = terms[:maxTerms]
	}
	hits := t.index().search(query, terms)
	switch n := len(hits); {
	case n == 0:
		p.Para("No page has " + markdown.Text(query) + ".")
	case n == 1:
		p.Para("One page has " + markdown.Text(query) + ".")
	case n > maxHits:
		p.Printf("\n%d pages have %s; these are the first %d. More words find fewer.\n", n, markdown.Text(query), maxHits)
	default:
		p.Printf("\n%d pages have %s.\n", n, markdown.Text(query))
	}
	for i, h := range hits[:min(len(hits), maxHits)] {
		if i == 0 {
			p.Printf("\n")
		}
		title, address := h.page.title, strings.TrimSuffix(Prefix+"/"+h.page.address(), "/")
		if h.heading != "" {
			title += " \u203A " + h.heading
			address += "#" + h.anchor
		}
		p.Printf("- %s", markdown.Link(markdown.Text(title), address))
		if says := h.excerpt(terms); says != "" {
			p.Printf(": %s", markdown.Text(says))
		}
		p.Printf("\n")
	}
	return p.Bytes()
}
