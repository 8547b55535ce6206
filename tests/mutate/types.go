package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
)

// A compiler says which changes of a package compile, without compiling anything.
type compiler struct {
	path    string
	set     *token.FileSet
	imports types.Importer
	files   map[string]*ast.File // by where they are
	parts   *types.Info
	pkg     *types.Package
}

// compilerOf reads a package and what the packages that it imports say of themselves.
func (m *module) compilerOf(ctx context.Context, p listed) (*compiler, error) {
	text, err := output(ctx, m.root, "list", "-tags", m.tags, "-export", "-deps", "-json=ImportPath,Export", p.ImportPath)
	if err != nil {
		return nil, err
	}
	exports := map[string]string{}
	for d := json.NewDecoder(bytes.NewReader(text)); ; {
		var of struct{ ImportPath, Export string }
		if err := d.Decode(&of); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, err
		}
		exports[of.ImportPath] = of.Export
	}
	c := &compiler{path: p.ImportPath, set: token.NewFileSet(), files: map[string]*ast.File{}}
	c.imports = importer.ForCompiler(c.set, "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })
	for _, name := range p.GoFiles {
		file := filepath.Join(p.Dir, name)
		if c.files[file], err = parser.ParseFile(c.set, file, nil, 0); err != nil {
			return nil, err
		}
	}
	c.parts = &types.Info{Types: map[ast.Expr]types.TypeAndValue{}}
	if c.pkg, err = c.check(nil, c.parts); err != nil {
		return nil, fmt.Errorf("%s does not compile without a change: %w", p.ImportPath, err)
	}
	return c, nil
}

// check reports what is wrong with the package with a file in place of its own.
func (c *compiler) check(changed map[string]*ast.File, parts *types.Info) (*types.Package, error) {
	files := make([]*ast.File, 0, len(c.files))
	for name, file := range c.files {
		if with, ok := changed[name]; ok {
			file = with
		}
		files = append(files, file)
	}
	conf := types.Config{Importer: c.imports}
	return conf.Check(c.path, c.set, files, parts)
}

// compiles reports whether a change compiles.
func (c *compiler) compiles(of change) bool {
	file, err := parser.ParseFile(c.set, of.file, of.apply(), 0)
	if err != nil {
		return false
	}
	_, err = c.check(map[string]*ast.File{of.file: file}, nil)
	return err == nil
}

// place says of a change where its node stands and what type it has, and reports whether it can
// be put on a board. What is a constant cannot, and what asks who called it.
func (c *compiler) place(of *change) bool {
	file := c.files[of.file]
	ast.Inspect(file, func(n ast.Node) bool {
		if operator, at := operatorOf(n); operator != token.ILLEGAL && c.set.Position(at).Offset == of.offset {
			of.node = n
		}
		return of.node == nil
	})
	if of.node == nil {
		return false
	}
	of.pkg = file.Name.Name
	of.begin, of.end = c.set.Position(of.node.Pos()).Offset, c.set.Position(of.node.End()).Offset
	text := string(of.source[of.begin:of.end])
	if strings.Contains(text, "recover()") || strings.Contains(text, "runtime.Caller") {
		return false
	}
	expr, ok := of.node.(ast.Expr)
	if !ok { // a statement has no type
		return true
	}
	is := c.parts.Types[expr]
	if is.Type == nil || is.Value != nil {
		return false
	}
	of.result, ok = c.written(is.Type, file)
	return ok
}

// written answers a type as it is written in a file, and reports whether it can be.
func (c *compiler) written(t types.Type, file *ast.File) (string, bool) {
	if b, ok := t.(*types.Basic); ok && b.Info()&types.IsUntyped != 0 {
		t = types.Default(t)
	}
	ok := true
	text := types.TypeString(t, func(p *types.Package) string {
		if p == c.pkg {
			return ""
		}
		for _, i := range file.Imports {
			if name, _ := strconv.Unquote(i.Path.Value); name == p.Path() && i.Name == nil && path.Base(name) == p.Name() {
				return p.Name()
			}
		}
		ok = false
		return ""
	})
	return text, ok
}
