package prose_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// root is the module's folder, seen from this package's.
const root = "../.."

// tree answers the text files that git tracks or would. Without a history, as in a
// source archive, it walks the folder.
func tree(t *testing.T) map[string]string {
	t.Helper()
	files := map[string]string{}
	for _, name := range listed(t) {
		data, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
		switch {
		case os.IsNotExist(err): // removed and not committed yet
		case err != nil:
			t.Fatal(err)
		case !slices.Contains(data[:min(len(data), 4096)], 0): // text
			files[name] = string(data)
		}
	}
	return files
}

func listed(t *testing.T) []string {
	t.Helper()
	git := exec.CommandContext(t.Context(), "git", "-c", "safe.directory=*", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	git.Dir = root
	if out, err := git.Output(); err == nil {
		return strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
	}
	var names []string
	err := filepath.WalkDir(root, func(name string, d os.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && slices.Contains([]string{".git", "bin", "node_modules"}, d.Name()):
			return filepath.SkipDir
		case d.Type().IsRegular():
			rel, err := filepath.Rel(root, name)
			names = append(names, filepath.ToSlash(rel))
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// toolShaped is what may be a name that a sentence says without marks.
var toolShaped = regexp.MustCompile(`^[a-z][a-z0-9]*(_[a-z0-9]+)+$`)

// logging are the methods of a logger; their literals are events and attribute keys.
var logging = map[string]bool{
	"Debug": true, "Info": true, "Warn": true, "Error": true, "DebugContext": true, "InfoContext": true, "WarnContext": true,
	"ErrorContext": true, "Log": true, "LogAttrs": true, "With": true,
}

// scan takes from the source what is said in it alone: the events of the log and the
// constants, the members of JSON, and the exported names of every package.
func (p *product) scan() (events, members []string) {
	p.symbols = map[string][]string{}
	for _, name := range p.sorted() {
		if filepath.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") || strings.Contains(name, "testdata/") || strings.HasPrefix(name, "tests/") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, p.files[name], parser.SkipObjectResolution)
		if err != nil {
			continue // the compiler says so better
		}
		p.symbols[f.Name.Name] = append(p.symbols[f.Name.Name], exported(f)...)
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				if sel, ok := n.Fun.(*ast.SelectorExpr); ok && (logging[sel.Sel.Name] || isSlog(sel)) {
					events = append(events, deepLiterals(n.Args)...)
				}
			case *ast.GenDecl:
				if n.Tok == token.CONST {
					events = append(events, constants(n)...)
				}
			case *ast.Field:
				if n.Tag != nil {
					tag, _ := strconv.Unquote(n.Tag.Value)
					member, _, _ := strings.Cut(reflect.StructTag(tag).Get("json"), ",")
					members = append(members, member)
				}
			}
			return true
		})
	}
	for _, list := range []*[]string{&events, &members} {
		*list = slices.DeleteFunc(*list, func(s string) bool { return !toolShaped.MatchString(s) })
		slices.Sort(*list)
		*list = slices.Compact(*list)
	}
	return events, members
}

// constants answers the strings that a declaration gives a name.
func constants(d *ast.GenDecl) []string {
	var all []string
	for _, s := range d.Specs {
		if v, ok := s.(*ast.ValueSpec); ok {
			all = append(all, literals(v.Values)...)
		}
	}
	return all
}

// isSlog says that a function makes an attribute of the log.
func isSlog(sel *ast.SelectorExpr) bool {
	x, ok := sel.X.(*ast.Ident)
	return ok && x.Name == "slog"
}

// deepLiterals answers the strings of arguments, those of lists within them too.
func deepLiterals(args []ast.Expr) []string {
	var all []string
	for _, a := range args {
		ast.Inspect(a, func(n ast.Node) bool {
			if list, ok := n.(*ast.CompositeLit); ok {
				all = append(all, literals(list.Elts)...)
			}
			if call, ok := n.(*ast.CallExpr); ok {
				all = append(all, literals(call.Args)...)
			}
			return true
		})
	}
	return append(all, literals(args)...)
}

func literals(args []ast.Expr) []string {
	var all []string
	for _, a := range args {
		if lit, ok := a.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			if text, err := strconv.Unquote(lit.Value); err == nil {
				all = append(all, text)
			}
		}
	}
	return all
}

// exported answers the exported names of a file, methods and fields as the types' own.
func exported(f *ast.File) []string {
	var all []string
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil {
				all = append(all, d.Name.Name)
			}
		case *ast.GenDecl:
			for _, s := range d.Specs {
				switch s := s.(type) {
				case *ast.TypeSpec:
					all = append(all, s.Name.Name)
				case *ast.ValueSpec:
					for _, n := range s.Names {
						all = append(all, n.Name)
					}
				}
			}
		}
	}
	return slices.DeleteFunc(all, func(s string) bool { return !ast.IsExported(s) })
}
