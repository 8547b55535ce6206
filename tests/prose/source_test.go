package prose_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"strings"
)

// source cuts a Go file into passages: the lines of its comments, and the strings that
// are sentences. A string of one word is a value of the program, and no claim.
func source(name, text string) []passage {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, name, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil // the compiler says so better
	}
	var all []passage
	for _, group := range f.Comments {
		for _, c := range group.List {
			start := fset.Position(c.Pos()).Line
			for i, line := range strings.Split(c.Text, "\n") {
				if !strings.HasPrefix(line, "//go:") && !strings.HasPrefix(line, "//nolint") {
					all = append(all, inline(start+i, line)...)
				}
			}
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ImportSpec:
			return false
		case *ast.Field:
			ast.Inspect(n.Type, func(ast.Node) bool { return false })
			return n.Tag == nil
		case *ast.BasicLit:
			said, err := strconv.Unquote(n.Value)
			if n.Kind != token.STRING || err != nil || strings.Count(strings.TrimSpace(said), " ") < 2 {
				return true
			}
			start := fset.Position(n.Pos()).Line
			for i, line := range strings.Split(said, "\n") {
				all = append(all, inline(start+i, line)...)
			}
		}
		return true
	})
	return all
}
