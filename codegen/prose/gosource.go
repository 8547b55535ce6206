package prose

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"strings"
)

// readGo cuts a Go file: the lines of its comments, and the strings that are sentences.
// A file that does not parse has no passages: the compiler says so better.
func readGo(d *Document) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, d.Name, d.Text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return
	}
	if ast.IsGenerated(f) { // held to its generator
		return
	}
	for _, group := range f.Comments {
		for _, c := range group.List {
			start := fset.Position(c.Pos()).Line
			if rest, ok := strings.CutPrefix(c.Text, "//prose:allow"); ok {
				d.escape(start, rest)
				continue
			}
			for i, line := range strings.Split(c.Text, "\n") {
				if !strings.HasPrefix(line, "//go:") && !strings.HasPrefix(line, "//nolint") {
					d.inline(start+i, line)
				}
			}
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ImportSpec:
			return false
		case *ast.Field: // its tag is no sentence
			return n.Tag == nil
		case *ast.BasicLit:
			text, err := strconv.Unquote(n.Value)
			if n.Kind == token.STRING && err == nil && said(text) {
				d.sentences(fset.Position(n.Pos()).Line, text)
			}
		}
		return true
	})
}
