package site

import (
	"strconv"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"

	"github.com/seed-89b9419b/holotype/internal/markdown"
)

// parse reads a page. Its headings get the fragments that they have where repositories
// show the same file: a link with one leads to the same place here and there.
func parse(md goldmark.Markdown, source []byte) ast.Node {
	doc := md.Parser().Parse(text.NewReader(source))
	taken := map[string]bool{}
	for n := doc.FirstChild(); n != nil; n = n.NextSibling() {
		h, ok := n.(*ast.Heading)
		if !ok {
			continue
		}
		id := markdown.Anchor(plainText(h, source))
		if id == "" {
			id = "section"
		}
		free := id
		for i := 1; taken[free] || free == "main" || free == "pages" || free == "q"; i++ { // the layout has these
			free = id + "-" + strconv.Itoa(i)
		}
		taken[free] = true
		h.SetAttributeString("id", []byte(free))
	}
	return doc
}

// fragmentOf is what leads to a heading of a parsed page.
func fragmentOf(h *ast.Heading) string {
	id, _ := h.AttributeString("id")
	name, _ := id.([]byte)
	return string(name)
}
