// Package arch_test holds the rules of the tree: what may import what, where third
// parties live, what a file is called, what may not be written anywhere. Every rule
// is a function from a [tree] to the faults it finds, run on the module's own files
// and, so that it is known to fail, on small sources that break it.
package arch_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// module is the import path of the module under test.
const module = "github.com/seed-89b9419b/holotype"

// root is the module's folder, seen from this package's.
const root = "../.."

// A tree is the text files of a module and what its Go files parse to. Rules only
// read it.
type tree struct {
	fset  *token.FileSet
	files map[string]string // path with slashes -> text
	goes  []*goFile         // the Go files, in the order of their paths
}

// A goFile is one Go source file.
type goFile struct {
	path string // relative to the module, with slashes
	dir  string // its folder; "" for the root
	test bool   // a test file, or a file of tests/
	*ast.File
}

// A rule answers one sentence a fault, none for a tree that keeps it.
type rule func(*tree) []string

// parse makes a tree of files by their paths. Test data is text, whatever it is
// called.
func parse(files map[string]string) (*tree, error) {
	out := &tree{fset: token.NewFileSet(), files: files}
	for name, text := range files {
		if !strings.HasSuffix(name, ".go") || strings.Contains(name, "testdata/") {
			continue
		}
		f, err := parser.ParseFile(out.fset, name, text, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		dir := path.Dir(name)
		if dir == "." {
			dir = ""
		}
		test := strings.HasSuffix(name, "_test.go") || under(dir, "tests")
		out.goes = append(out.goes, &goFile{name, dir, test, f})
	}
	slices.SortFunc(out.goes, func(a, b *goFile) int { return strings.Compare(a.path, b.path) })
	return out, nil
}

// sources answers the module's own tree, read once.
var sources = sync.OnceValues(func() (*tree, error) {
	names, err := listFiles()
	if err != nil {
		return nil, err
	}
	files := map[string]string{}
	for _, name := range names {
		data, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
		switch {
		case os.IsNotExist(err): // removed and not committed yet
		case err != nil:
			return nil, err
		case !slices.Contains(data[:min(len(data), 4096)], 0): // text
			files[name] = string(data)
		}
	}
	return parse(files)
})

// listFiles answers the files that git tracks or would: everything but what is
// ignored. Where there is no history, as in a source archive, it walks the folder.
func listFiles() ([]string, error) {
	git := exec.Command("git", "-c", "safe.directory=*", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	git.Dir = root
	if out, err := git.Output(); err == nil {
		return strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00"), nil
	}
	var names []string
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && slices.Contains([]string{".git", "bin", "node_modules"}, d.Name()):
			return fs.SkipDir
		case d.Type().IsRegular():
			rel, err := filepath.Rel(root, name)
			names = append(names, filepath.ToSlash(rel))
			return err
		}
		return nil
	})
	return names, err
}

// own answers the tree of the module itself.
func own(t *testing.T) *tree {
	t.Helper()
	out, err := sources()
	if err != nil {
		t.Fatalf("reading the module: %v", err)
	}
	return out
}

// small answers the tree of a few sources.
func small(t *testing.T, files map[string]string) *tree {
	t.Helper()
	out, err := parse(files)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// under reports whether a folder is the given one or below it.
func under(dir, parent string) bool { return dir == parent || strings.HasPrefix(dir, parent+"/") }

// a fixture is a source that breaks a rule, or that shows what the rule admits.
type fixture struct {
	name  string
	files map[string]string
	want  []string // a part of each fault, in order; none for a tree that keeps the rule
}

// check runs a rule on the module and on the fixtures.
func check(t *testing.T, r rule, fixtures ...fixture) {
	t.Helper()
	t.Run("this module", func(t *testing.T) {
		for _, fault := range r(own(t)) {
			t.Error(fault)
		}
	})
	broken := false
	for _, f := range fixtures {
		broken = broken || len(f.want) > 0
		t.Run(f.name, func(t *testing.T) {
			got := r(small(t, f.files))
			if len(got) != len(f.want) {
				t.Fatalf("got %d faults %q, want %d %q", len(got), got, len(f.want), f.want)
			}
			for i, part := range f.want {
				if !strings.Contains(got[i], part) {
					t.Errorf("fault %d is %q, want it to contain %q", i, got[i], part)
				}
			}
		})
	}
	if !broken {
		t.Error("no fixture breaks the rule, so nothing shows that it can fail")
	}
}
