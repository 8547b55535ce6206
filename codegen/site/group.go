package site

import (
	"path"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	tables "github.com/yuin/goldmark/extension/ast"
)

// group is a section of the first page and the pages that its tables and lists link
// to, in their order. A page is of the first group that links to it.
type group struct {
	title string
	pages []*page
}

// groups reads the groups off the first page: what is listed there, and in which
// order, is said there and nowhere else.
func groups(md goldmark.Markdown, t *tree) []group {
	var all []group
	if t.first == nil {
		return nil
	}
	source, known := t.first.source, map[*page]bool{t.first: true}
	for n := parse(md, source).FirstChild(); n != nil; n = n.NextSibling() {
		switch n := n.(type) {
		case *ast.Heading:
			if n.Level == 2 {
				all = append(all, group{title: plainText(n, source)})
			}
		case *ast.List, *tables.Table:
			if len(all) == 0 {
				continue
			}
			g := &all[len(all)-1]
			for _, destination := range destinations(n) {
				if p := t.linked(t.first, destination); p != nil && !known[p] {
					known[p] = true
					g.pages = append(g.pages, p)
				}
			}
		}
	}
	kept := all[:0]
	for _, g := range all {
		if len(g.pages) > 0 {
			kept = append(kept, g)
		}
	}
	return kept
}

// destinations are where the links below a node lead.
func destinations(n ast.Node) []string {
	var all []string
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) { // it fails as its function does: never
		if l, ok := n.(*ast.Link); ok && entering {
			all = append(all, string(l.Destination))
		}
		return ast.WalkContinue, nil
	})
	return all
}

// linked answers the page that a link between files leads to from a page, or nil.
func (t *tree) linked(from *page, destination string) *page {
	file, _, _ := strings.Cut(destination, "#")
	if file == "" || strings.Contains(file, ":") || strings.HasPrefix(file, "/") {
		return nil
	}
	return t.pages[strings.TrimSuffix(path.Join(path.Dir(from.name), file), ".md")]
}
