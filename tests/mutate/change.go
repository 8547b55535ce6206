package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"path/filepath"
)

// A change is one place of a file that says something else.
type change struct {
	file     string // absolute
	name     string // below the root of the module, with slashes
	line     int
	offset   int // of what is replaced, in bytes
	from, to string
	source   []byte // the file as it is

	// What a board needs.
	pkg        string   // the name of the package
	node       ast.Node // what the operator stands in
	begin, end int      // of the node
	result     string   // the type of the node; none of a statement
}

// apply answers the file as the change makes it.
func (c change) apply() []byte {
	var b bytes.Buffer
	b.Write(c.source[:c.offset])
	b.WriteString(c.to)
	b.Write(c.source[c.offset+len(c.from):])
	return b.Bytes()
}

// was and becomes answer the line of the change before and after it, without the space
// around it.
func (c change) was() string     { return lineAt(c.source, c.offset) }
func (c change) becomes() string { return lineAt(c.apply(), c.offset) }

func lineAt(text []byte, offset int) string {
	begin := bytes.LastIndexByte(text[:offset], '\n') + 1
	line, _, _ := bytes.Cut(text[begin:], []byte{'\n'})
	return string(bytes.TrimSpace(line))
}

// becoming answers what gremlins makes of an operator: the kinds arithmetic base,
// conditionals boundary, conditionals negation, increment decrement and invert negatives,
// which are those that it has on by default. Where two of them make the same it is one
// change here.
func becoming(operator token.Token) []token.Token {
	switch operator {
	case token.ADD:
		return []token.Token{token.SUB}
	case token.SUB:
		return []token.Token{token.ADD}
	case token.MUL:
		return []token.Token{token.QUO}
	case token.QUO, token.REM:
		return []token.Token{token.MUL}
	case token.EQL:
		return []token.Token{token.NEQ}
	case token.NEQ:
		return []token.Token{token.EQL}
	case token.GEQ:
		return []token.Token{token.GTR, token.LSS}
	case token.GTR:
		return []token.Token{token.GEQ, token.LEQ}
	case token.LEQ:
		return []token.Token{token.LSS, token.GTR}
	case token.LSS:
		return []token.Token{token.LEQ, token.GEQ}
	case token.INC:
		return []token.Token{token.DEC}
	case token.DEC:
		return []token.Token{token.INC}
	default:
		return nil
	}
}

// changesOf answers every change of the files of a package that are compiled and no tests, in
// the order of the text.
func changesOf(root string, p listed) ([]change, error) {
	var all []change
	for _, name := range p.GoFiles {
		file := filepath.Join(p.Dir, name)
		source, err := os.ReadFile(file) //nolint:gosec // G304: the go command named the file.
		if err != nil {
			return nil, err
		}
		below, err := filepath.Rel(root, file)
		if err != nil {
			return nil, err
		}
		found, err := changesIn(filepath.ToSlash(below), source)
		if err != nil {
			return nil, err
		}
		for _, c := range found {
			c.file = file
			all = append(all, c)
		}
	}
	return all, nil
}

// changesIn answers every change of a source.
func changesIn(name string, source []byte) ([]change, error) {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, name, source, parser.SkipObjectResolution)
	if err != nil {
		return nil, fmt.Errorf("reading what can be changed: %w", err)
	}
	var all []change
	ast.Inspect(file, func(n ast.Node) bool {
		operator, at := operatorOf(n)
		for _, to := range becoming(operator) {
			where := set.Position(at)
			all = append(all, change{name: name, line: where.Line, offset: where.Offset, from: operator.String(), to: to.String(), source: source})
		}
		return true
	})
	return all, nil
}

// operatorOf answers the operator of a node; token.ILLEGAL for a node without one.
func operatorOf(n ast.Node) (token.Token, token.Pos) {
	switch n := n.(type) {
	case *ast.BinaryExpr:
		return n.Op, n.OpPos
	case *ast.UnaryExpr:
		return n.Op, n.OpPos
	case *ast.IncDecStmt:
		return n.Tok, n.TokPos
	default:
		return token.ILLEGAL, token.NoPos
	}
}

// shuffle puts the changes of a package into the order in which a seed draws them.
func shuffle(all []change, path string, seed uint64) {
	h := fnv.New64a()
	_, _ = h.Write([]byte(path)) // never fails
	//nolint:gosec // G404: a draw that can be repeated, and no secret.
	rand.New(rand.NewPCG(seed, h.Sum64())).Shuffle(len(all), func(i, k int) { all[i], all[k] = all[k], all[i] })
}
