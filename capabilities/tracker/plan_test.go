package tracker

import (
	"errors"
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-89b9419b/holotype/internal/store/storetest"
)

// sorts are the statements that sort what they found: the few labels or links of the
// items of one page.
var sorts = map[string]bool{"selectFileDigests": true, "selectItemLabels": true, "selectLabelsOf": true, "selectLinksFrom": true, "selectLinksTo": true}

func TestEveryStatementHasAnIndex(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store.db")
	storetest.OpenAt(t, path, Schema())
	all := statements(t)
	maps.Copy(all, selections())
	if len(all) < 80 {
		t.Fatalf("only %d statements were found", len(all))
	}
	for name, query := range all {
		for _, step := range storetest.Explain(t, path, query) {
			switch {
			case strings.Contains(step, "SCAN") && !strings.Contains(step, "CONSTANT ROW"):
				t.Errorf("%s looks at every row: %s", name, step)
			case strings.Contains(step, "TEMP B-TREE") && !sorts[name] && !isNarrow(name):
				t.Errorf("%s sorts what it finds: %s", name, step)
			}
		}
	}
}

// isNarrow reports whether a list in the order of change finds by what few items have.
func isNarrow(name string) bool {
	return strings.Contains(name, "change") &&
		(strings.HasPrefix(name, "label") || strings.Contains(name, onlyParent) || strings.Contains(name, onlyAssignee))
}

// statements answers the SQL constants of the package by their names.
func statements(t *testing.T) map[string]string {
	t.Helper()
	fset := token.NewFileSet()
	paths, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	var files []*ast.File
	for _, p := range paths {
		if strings.HasSuffix(p, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(fset, p, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	// Constants are evaluated without what the package imports.
	info := &types.Info{Defs: map[*ast.Ident]types.Object{}}
	conf := types.Config{Error: func(error) {}, Importer: nothing{}}
	_, _ = conf.Check("tracker", fset, files, info)
	all := map[string]string{}
	for _, o := range info.Defs {
		c, ok := o.(*types.Const)
		if !ok || c.Val().Kind() != constant.String {
			continue
		}
		query := constant.StringVal(c.Val())
		if verb, _, _ := strings.Cut(query, " "); verb == "SELECT" || verb == "UPDATE" || verb == "DELETE" {
			all[c.Name()] = query
		}
	}
	return all
}

type nothing struct{}

func (nothing) Import(string) (*types.Package, error) { return nil, errors.New("not looked at") }

// selections answers the statement of every set of conditions that a list can have.
func selections() map[string]string {
	all := map[string]string{}
	var since int64
	conditions := [][2]string{
		{onlyProject, onlyProject}, {onlyParent, onlyParent}, {onlyAssignee, onlyAssignee}, {onlyStatus, walkedStatus}, {onlyPriority, walkedPriority},
	}
	for set := range 1 << len(conditions) {
		for _, order := range []string{"age", "label", "change", "label and change"} {
			s := selection{at: []int64{1}}
			if strings.HasPrefix(order, "label") {
				s.labelID = "lb"
			}
			if strings.HasSuffix(order, "change") {
				s.since, s.at = &since, []int64{0, -1}
			}
			s.only(onlyLive)
			name := order
			for i, c := range conditions {
				if set&(1<<i) != 0 {
					s.only(s.walked(c[0], c[1]), "")
					name += ", " + c[0]
				}
			}
			all[name], _ = s.statement(1)
		}
	}
	for name, project := range map[string]bool{"trash": false, "trash of a project": true} {
		s := selection{at: []int64{1}}
		s.only(onlyTrash)
		if project {
			s.only(onlyProject, "")
		}
		all[name], _ = s.statement(1)
	}
	return all
}
