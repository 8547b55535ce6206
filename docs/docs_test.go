package docs_test

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	tables "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"

	"github.com/seed-89b9419b/holotype/docs"
)

func pages(t *testing.T) []string {
	t.Helper()
	var all []string
	if err := fs.WalkDir(docs.Pages, ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			all = append(all, name)
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return all
}

// A page that stands in a folder nobody embeds would be missing from the server.
func TestEveryAuthoredPageIsEmbedded(t *testing.T) {
	var want []string
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		name = filepath.ToSlash(name)
		if err == nil && d.IsDir() && name == "reference" {
			return fs.SkipDir
		}
		if err == nil && path.Ext(name) == ".md" {
			want = append(want, name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, pages(t)); d != "" {
		t.Errorf("pages (-folder +embedded):\n%s", d)
	}
}

// A page begins with its title, has no raw HTML, which is not shown, and links to
// files of the repository that are there.
func TestPagesAreWellFormed(t *testing.T) {
	parser := goldmark.New(goldmark.WithExtensions(extension.Table)).Parser()
	for _, name := range pages(t) {
		source, err := docs.Pages.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		doc := parser.Parse(text.NewReader(source))
		if h, ok := doc.FirstChild().(*ast.Heading); !ok || h.Level != 1 {
			t.Errorf("%s does not begin with its title", name)
		}
		titles := 0
		_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
			if !entering {
				return ast.WalkContinue, nil
			}
			switch n := n.(type) {
			case *ast.Heading:
				if n.Level == 1 {
					titles++
				}
			case *tables.TableCell:
				if n.Parent().Kind() == tables.KindTableHeader && n.FirstChild() == nil {
					t.Errorf("%s has a table with a column that has no name", name)
				}
			case *ast.HTMLBlock:
				if n.HTMLBlockType != ast.HTMLBlockType2 { // a comment, which is left out
					t.Errorf("%s holds raw HTML", name)
				}
			case *ast.RawHTML:
				t.Errorf("%s holds raw HTML", name)
			case *ast.Image:
				t.Errorf("%s holds an image, which no server sends", name)
			case *ast.Link:
				file, _, _ := strings.Cut(string(n.Destination), "#")
				if file == "" || strings.HasPrefix(file, "https://") || strings.HasPrefix(file, "/docs/") { // the last are pages of a server
					break
				}
				if _, err := os.Stat(filepath.FromSlash(path.Join(path.Dir(name), file))); err != nil {
					t.Errorf("%s links to %s: %v", name, n.Destination, err)
				}
			}
			return ast.WalkContinue, nil
		})
		if titles != 1 {
			t.Errorf("%s has %d titles", name, titles)
		}
	}
}

func TestFirstPageIsThere(t *testing.T) {
	if !slices.Contains(pages(t), "README.md") {
		t.Error("there is no README.md")
	}
}
