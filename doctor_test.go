package holotype

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-89b9419b/holotype/capabilities/system"
)

// TestEveryFindingOnAServerSaysWhatToDo examines a server in every state, failed in every
// phase, with everything that can be found on one.
func TestEveryFindingOnAServerSaysWhatToDo(t *testing.T) {
	states := []system.State{system.Running, system.Starting, system.Failing, system.PartlyFailing, system.Waiting, system.Stopped, system.NotReported, system.NotStarted}
	found := 0
	for _, remote := range []bool{false, true} {
		for _, state := range states {
			for _, phase := range []string{"start", "handshake", "list", "run", "call", "configuration", ""} {
				row := system.Server{
					Name: "up", State: state, Reason: "it does not", Skipped: []system.Skipped{{Tool: "x", Reason: "odd"}}, Drifts: []system.Drift{{Tool: "y"}, {Tool: "z", Held: true}},
					UnlistedAnnotations: []string{"a"}, UnmatchedPatterns: []string{"b"}, SameLaunch: []string{"c"}, JunkLines: 3,
					Instances: []system.Instance{{State: state, Phase: phase, Reason: "it does not"}, {Seat: "desk", State: state, Phase: phase, Reason: "it does not"}},
				}
				if remote {
					row.Launch.URL = "https://up.example/operator/mcp"
				} else {
					row.Launch.Command = "up"
				}
				for _, f := range examine(&row, "holotype") {
					found++
					if (f.Remedy == "") != (f.Grade == "ok") {
						t.Errorf("%s, failed in %q: %q (%s) has the remedy %q", state, phase, f.Text, f.Grade, f.Remedy)
					}
				}
			}
		}
	}
	if found < 100 {
		t.Errorf("only %d findings", found)
	}
}

// TestEveryFindingSaysWhatToDo reads the findings off the source: each that is written out
// and is not ok has a remedy.
func TestEveryFindingSaysWhatToDo(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		set := token.NewFileSet()
		f, err := parser.ParseFile(set, name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			lit, ok := n.(*ast.CompositeLit)
			if !ok || len(lit.Elts) == 0 {
				return true
			}
			of, ok := lit.Type.(*ast.Ident)
			if lit.Type != nil && (!ok || of.Name != "finding") {
				return true
			}
			has := map[string]string{}
			for _, e := range lit.Elts {
				if kv, ok := e.(*ast.KeyValueExpr); ok {
					if key, ok := kv.Key.(*ast.Ident); ok {
						has[key.Name] = "said"
						if text, ok := kv.Value.(*ast.BasicLit); ok {
							has[key.Name] = strings.Trim(text.Value, "\"`")
						}
					}
				}
			}
			grade, graded := has["Grade"]
			if !graded {
				return true
			}
			found++
			if grade != "ok" && has["Remedy"] == "" {
				t.Errorf("%s: a finding of the grade %s has no remedy", set.Position(lit.Pos()), grade)
			}
			return true
		})
	}
	if found < 10 {
		t.Errorf("only %d findings are written out", found)
	}
}
