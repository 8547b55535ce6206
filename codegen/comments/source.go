package comments

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
)

// source finds and reads the source of packages, as the module of dir sees them.
type source struct {
	dir      string
	listed   map[string]*listing          // by import path
	comments map[string]map[string]string // by folder: "Type" or "Type.Field" -> comment
}

// listing is what the go command says about a package.
type listing struct {
	Dir, ImportPath, Name string
	Standard              bool
	Module                *struct{ Main bool }
	Error                 *struct{ Err string }
}

// owns reports whether a type belongs to the package. The compiler knows a program
// by the path "main" alone.
func (l *listing) owns(t reflect.Type) bool {
	return t.PkgPath() == l.ImportPath || l.Name == "main" && t.PkgPath() == "main"
}

// home answers the package of a folder as the compiler names it, or nil where the
// main module has it not. A build with -trimpath names folders by import path.
func (s *source) home(folder string) (*listing, error) {
	if resolved, err := filepath.EvalSymlinks(folder); err == nil {
		folder = resolved
	}
	all, err := s.run(folder)
	if err != nil {
		return nil, err
	}
	if len(all) != 1 || all[0].Module == nil || !all[0].Module.Main {
		return nil, nil
	}
	return all[0], nil
}

// list finds packages by import path.
func (s *source) list(paths []string) error {
	paths = slices.DeleteFunc(slices.Clone(paths), func(p string) bool { return s.listed[p] != nil })
	slices.Sort(paths)
	paths = slices.Compact(paths)
	if len(paths) == 0 {
		return nil
	}
	all, err := s.run(paths...)
	if err != nil {
		return err
	}
	for _, l := range all {
		s.listed[l.ImportPath] = l
	}
	for _, p := range paths {
		if l := s.listed[p]; l == nil || l.Dir == "" {
			return fmt.Errorf("the source of %s is not found from %s: is this its module?", p, s.dir)
		}
	}
	return nil
}

func (s *source) run(patterns ...string) ([]*listing, error) {
	args := append([]string{"list", "-e", "-find", "-json=Dir,ImportPath,Name,Standard,Module,Error", "--"}, patterns...)
	cmd := exec.Command("go", args...) //nolint:noctx // a generator, bounded by the go command
	cmd.Dir = s.dir
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("asking the go command, in %s, for %s: %w: %s", s.dir, strings.Join(patterns, " "), err, bytes.TrimSpace(stderr.Bytes()))
	}
	var all []*listing
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var l listing
		err := dec.Decode(&l)
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return nil, fmt.Errorf("reading what the go command says: %w", err)
		}
		all = append(all, &l)
	}
}

// parse reads the files of a package, tests left out. A file of another package (a
// program beside it, kept out by a build constraint) is none of them.
func parse(l *listing, mode parser.Mode) ([]*ast.File, error) {
	entries, err := os.ReadDir(l.Dir)
	if err != nil {
		return nil, err
	}
	var files []*ast.File
	for _, e := range entries {
		if filepath.Ext(e.Name()) != ".go" || strings.HasSuffix(e.Name(), "_test.go") {
			continue
		}
		path := filepath.Join(l.Dir, e.Name())
		if f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.PackageClauseOnly); err == nil && f.Name.Name != l.Name {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, mode|parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	return files, nil
}

// read answers the comments of every struct type of a package.
func (s *source) read(l *listing) (map[string]string, error) {
	if m, ok := s.comments[l.Dir]; ok {
		return m, nil
	}
	files, err := parse(l, parser.ParseComments)
	if err != nil {
		return nil, err
	}
	m, like := map[string]string{}, map[string]string{}
	for _, f := range files {
		collect(f, m, like)
	}
	for name := range like {
		copyFields(m, like, name)
	}
	s.comments[l.Dir] = m
	return m, nil
}

// collect puts the comments of a file's types into m, and into like the types that
// are defined as another type of the package.
func collect(f *ast.File, m, like map[string]string) {
	for _, decl := range f.Decls {
		gen, ok := decl.(*ast.GenDecl)
		if !ok || gen.Tok != token.TYPE {
			continue
		}
		for _, spec := range gen.Specs {
			ts, ok := spec.(*ast.TypeSpec)
			if !ok {
				continue
			}
			doc := ts.Doc
			if doc == nil && !gen.Lparen.IsValid() {
				doc = gen.Doc
			}
			put(m, ts.Name.Name, doc, ts.Comment)
			switch of := ts.Type.(type) {
			case *ast.StructType:
				for _, field := range of.Fields.List {
					for _, name := range field.Names {
						put(m, ts.Name.Name+"."+name.Name, field.Doc, field.Comment)
					}
				}
			case *ast.Ident:
				like[ts.Name.Name] = of.Name
			}
		}
	}
}

// copyFields gives a type that is defined as another one the comments of its
// fields.
func copyFields(m, like map[string]string, name string) {
	for of, hops := like[name], 0; of != "" && hops < len(like); of, hops = like[of], hops+1 {
		for _, key := range slices.Collect(maps.Keys(m)) {
			if field, ok := strings.CutPrefix(key, of+"."); ok {
				m[name+"."+field] = m[key]
			}
		}
	}
}

// put keeps the first paragraph of the first comment there is, as one line.
func put(m map[string]string, key string, docs ...*ast.CommentGroup) {
	for _, doc := range docs {
		if doc == nil {
			continue
		}
		first, _, _ := strings.Cut(doc.Text(), "\n\n")
		if line := strings.Join(strings.Fields(first), " "); line != "" {
			m[key] = line
			return
		}
	}
}

// packVariable names the variable that holds the package's pack.
func packVariable(l *listing) (string, error) {
	files, err := parse(l, 0)
	if err != nil {
		return "", err
	}
	var names []string
	for _, f := range files {
		for _, decl := range f.Decls {
			gen, ok := decl.(*ast.GenDecl)
			if !ok || gen.Tok != token.VAR {
				continue
			}
			for _, spec := range gen.Specs {
				if vs, ok := spec.(*ast.ValueSpec); ok && len(vs.Names) == 1 && len(vs.Values) == 1 && makesPack(vs.Values[0]) {
					names = append(names, vs.Names[0].Name)
				}
			}
		}
	}
	if len(names) != 1 {
		return "", fmt.Errorf("%s has %d variables of the form `var Pack = capabilities.NewPack[Deps](...)`, and a folder has one pack", l.ImportPath, len(names))
	}
	return names[0], nil
}

func makesPack(e ast.Expr) bool {
	call, ok := e.(*ast.CallExpr)
	if !ok {
		return false
	}
	fun := call.Fun
	if index, ok := fun.(*ast.IndexExpr); ok {
		fun = index.X
	}
	sel, ok := fun.(*ast.SelectorExpr)
	return ok && sel.Sel.Name == "NewPack"
}
