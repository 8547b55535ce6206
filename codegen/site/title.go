package site

import (
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// fewSections is how many sections a page has before they are listed beside it.
const fewSections = 3

// titleOf is the text of the first heading of a page.
func titleOf(p parser.Parser, source []byte) string {
	doc := p.Parse(text.NewReader(source))
	for n := doc.FirstChild(); n != nil; n = n.NextSibling() {
		if h, ok := n.(*ast.Heading); ok {
			return plainText(h, source)
		}
	}
	return "Documentation"
}

// sections are the headings of the second level, where a page has several.
func sections(doc ast.Node, source []byte) []link {
	var all []link
	for n := doc.FirstChild(); n != nil; n = n.NextSibling() {
		h, ok := n.(*ast.Heading)
		if !ok || h.Level != 2 {
			continue
		}
		if id, ok := h.AttributeString("id"); ok {
			if name, ok := id.([]byte); ok {
				all = append(all, link{Title: plainText(h, source), Address: "#" + string(name)})
			}
		}
	}
	if len(all) < fewSections {
		return nil
	}
	return all
}

// plainText is what a reader sees of a node.
func plainText(n ast.Node, source []byte) string {
	var b strings.Builder
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) { // it fails as its function does: never
		t, ok := n.(*ast.Text)
		if !ok || !entering {
			return ast.WalkContinue, nil
		}
		value := t.Segment.Value(source)
		if n.Parent().Kind() != ast.KindCodeSpan {
			value = util.ResolveEntityNames(util.ResolveNumericReferences(util.UnescapePunctuations(value)))
		}
		b.Write(value)
		if t.SoftLineBreak() || t.HardLineBreak() {
			b.WriteByte(' ')
		}
		return ast.WalkContinue, nil
	})
	return b.String()
}
