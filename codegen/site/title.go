package site

import (
	"bytes"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// fewSections is how many sections a page has before they are listed beside it.
const fewSections = 3

// headOf is as much of a page as usually has its title and what it is about.
const headOf = 600

// titleOf is the text of the first heading of a page.
func titleOf(md goldmark.Markdown, source []byte) string {
	title, ok := firstOf(md, source, ast.KindHeading)
	if !ok {
		return "Documentation"
	}
	return title
}

// firstOf is the text of the first block of a kind. The rest of a page is parsed only
// where its head does not have the whole of such a block.
func firstOf(md goldmark.Markdown, source []byte, kind ast.NodeKind) (string, bool) {
	if len(source) > headOf {
		if end := bytes.LastIndexByte(source[:headOf], '\n'); end > 0 {
			if found, ok := firstIn(md, source[:end+1], kind, true); ok {
				return found, true
			}
		}
	}
	return firstIn(md, source, kind, false)
}

// firstIn looks in a text. Where that is cut off, ok is false for what may be another text
// with the rest: its last block may go on.
func firstIn(md goldmark.Markdown, source []byte, kind ast.NodeKind, cut bool) (first string, ok bool) {
	for n := md.Parser().Parse(text.NewReader(source)).FirstChild(); n != nil; n = n.NextSibling() {
		if n.Kind() != kind || cut && n.NextSibling() == nil {
			continue
		}
		found := plainText(n, source)
		return found, !cut || !strings.Contains(found, "[") // it may name a link whose address is behind the cut
	}
	return "", false
}

// sections are the headings of the second level, where a page has several.
func sections(doc ast.Node, source []byte) []link {
	var all []link
	for n := doc.FirstChild(); n != nil; n = n.NextSibling() {
		h, ok := n.(*ast.Heading)
		if !ok || h.Level != 2 {
			continue
		}
		all = append(all, link{Title: plainText(h, source), Address: "#" + fragmentOf(h)})
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
