package arch_test

import (
	"fmt"
	"go/ast"
	"path"
	"strings"
	"testing"
)

// A declaration is one call of capabilities.Declare.
type declaration struct {
	file     *goFile
	call     *ast.CallExpr
	variable string // the package variable it fills; "" for none
	name     string // Spec.Name; "" when it is no literal
}

// declarations finds every Declare of code that ships, wherever it stands. A file
// of a pack is looked at whatever its name makes of it.
func declarations(t *tree) []declaration {
	var all []declaration
	for _, f := range t.goes {
		if under(f.dir, "tests") {
			continue
		}
		variables := map[ast.Expr]string{}
		for _, d := range f.Decls {
			gen, ok := d.(*ast.GenDecl)
			if !ok {
				continue
			}
			for _, spec := range gen.Specs {
				if v, ok := spec.(*ast.ValueSpec); ok && len(v.Names) == 1 && len(v.Values) == 1 {
					variables[v.Values[0]] = v.Names[0].Name
				}
			}
		}
		ast.Inspect(f.File, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if ok && f.calls(call, "Declare") {
				all = append(all, declaration{f, call, variables[call], specName(call)})
			}
			return true
		})
	}
	return all
}

// calls reports whether a call is one of a function of package capabilities.
func (f *goFile) calls(call *ast.CallExpr, name string) bool {
	sel, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || sel.Sel.Name != name {
		return false
	}
	x, ok := sel.X.(*ast.Ident)
	return ok && f.imported(x.Name) == module+"/capabilities"
}

func specName(call *ast.CallExpr) string {
	if len(call.Args) < 2 {
		return ""
	}
	spec, ok := call.Args[1].(*ast.CompositeLit)
	if !ok {
		return ""
	}
	for _, e := range spec.Elts {
		kv, ok := e.(*ast.KeyValueExpr)
		if !ok {
			continue
		}
		if key, ok := kv.Key.(*ast.Ident); ok && key.Name == "Name" {
			name, _ := literal(kv.Value)
			return name
		}
	}
	return ""
}

// initials are words of a name that Go writes in capitals.
var initials = map[string]bool{"api": true, "cli": true, "http": true, "id": true, "json": true, "mcp": true, "sse": true, "url": true}

// camel answers the Go name of a capability's name.
func camel(name string) string {
	var b strings.Builder
	for word := range strings.SplitSeq(name, "_") {
		switch {
		case initials[word]:
			b.WriteString(strings.ToUpper(word))
		case word != "":
			b.WriteString(strings.ToUpper(word[:1]) + word[1:])
		}
	}
	return b.String()
}

// oneName: a declaration's file, variable and capability carry one name, one
// declaration a file. Test fixtures may declare where they stand.
func oneName(t *tree) []string {
	var faults []string
	seen := map[string]bool{}
	for _, d := range declarations(t) {
		at := t.at(d.file, d.call)
		if strings.HasSuffix(d.file.path, "_test.go") && !d.dropped() {
			continue
		}
		if d.name == "" {
			faults = append(faults, at+": the name of a capability is a literal, so that it is found by searching for it")
			continue
		}
		if want := d.name + ".go"; path.Base(d.file.path) != want {
			faults = append(faults, fmt.Sprintf("%s declares %s: its file is %s", at, d.name, want))
		}
		if want := camel(d.name); d.variable != want {
			faults = append(faults, fmt.Sprintf("%s declares %s in the variable %q: it is %s", at, d.name, d.variable, want))
		}
		if seen[d.file.path] {
			faults = append(faults, at+": a file declares one capability")
		}
		seen[d.file.path] = true
	}
	return faults
}

// dropped reports whether the file is named after its capability and is, for that
// very name, no part of the program: Go takes run_test.go for a test.
func (d declaration) dropped() bool { return path.Base(d.file.path) == d.name+".go" }

// declaring is a source that declares a capability in a variable.
func declaring(variable, name string) string {
	return fmt.Sprintf("package a\n\nimport %q\n\nvar %s = capabilities.Declare(Pack, capabilities.Spec{Name: %q}, f)\n", module+"/capabilities", variable, name)
}

func TestOneNameForFileVariableAndCapability(t *testing.T) {
	check(t, oneName,
		fixture{"another file", map[string]string{"capabilities/a/tools.go": declaring("ListTools", "list_tools")}, []string{"its file is list_tools.go"}},
		fixture{"another variable", map[string]string{"capabilities/a/list_tools.go": declaring("Tools", "list_tools")}, []string{`in the variable "Tools": it is ListTools`}},
		fixture{"two in a file", map[string]string{
			"capabilities/a/get_it.go": declaring("GetIt", "get_it") + "\nvar GetIt2 = capabilities.Declare(Pack, capabilities.Spec{Name: \"get_it\"}, f)\n",
		}, []string{"in the variable", "one capability"}},
		fixture{"a name that is no literal", map[string]string{
			"capabilities/a/get_it.go": "package a\n\nimport caps \"" + module + "/capabilities\"\n\nvar GetIt = caps.Declare(Pack, caps.Spec{Name: name}, f)\n",
		}, []string{"is a literal"}},
		fixture{"in no variable", map[string]string{
			"capabilities/a/get_it.go": "package a\n\nimport \"" + module + "/capabilities\"\n\nfunc g() { capabilities.Declare(Pack, capabilities.Spec{Name: \"get_it\"}, f) }\n",
		}, []string{`in the variable "": it is GetIt`}},
		fixture{"as it should be", map[string]string{
			"capabilities/a/list_mcp_servers.go": declaring("ListMCPServers", "list_mcp_servers"), "capabilities/a/fixture_test.go": declaring("x", "anything"),
		}, nil},
	)
}

// compiled: every file with a declaration is a part of the program, and the root
// package imports its pack. Go drops files by the end of their names, and a pack
// that nobody lists is a pack that nobody has.
func compiled(t *tree, packages []listed) []string {
	files, imported := map[string]bool{}, map[string]bool{}
	for _, p := range packages {
		dir := strings.TrimPrefix(strings.TrimPrefix(p.ImportPath, module), "/")
		for _, f := range append(p.GoFiles, p.CgoFiles...) {
			files[path.Join(dir, f)] = true
		}
		if p.ImportPath == module {
			for _, i := range p.Imports {
				imported[i] = true
			}
		}
	}
	var faults []string
	for _, d := range declarations(t) {
		switch {
		case !files[d.file.path] && (d.dropped() || !strings.HasSuffix(d.file.path, "_test.go")):
			faults = append(faults, fmt.Sprintf("%s is dropped by Go for the end of its name: call %q something else", d.file.path, d.name))
		case files[d.file.path] && !imported[module+"/"+d.file.dir]:
			faults = append(faults, fmt.Sprintf("%s declares %s in a pack that packs.go does not list", d.file.path, d.name))
		}
	}
	return faults
}

func TestEveryDeclarationIsCompiled(t *testing.T) {
	all, err := list()
	if err != nil {
		t.Fatal(err)
	}
	for _, fault := range compiled(own(t), all) {
		t.Error(fault)
	}
	packages := []listed{
		{ImportPath: module, Imports: []string{module + "/capabilities/a"}},
		{ImportPath: module + "/capabilities/a", GoFiles: []string{"get_it.go"}},
		{ImportPath: module + "/capabilities/b", GoFiles: []string{"get_other.go"}},
	}
	got := compiled(small(t, map[string]string{
		"capabilities/a/get_it.go":       declaring("GetIt", "get_it"),
		"capabilities/a/open_windows.go": declaring("OpenWindows", "open_windows"),
		"capabilities/a/run_test.go":     declaring("RunTest", "run_test"),
		"capabilities/a/fixture_test.go": declaring("Anything", "anything"),
		"capabilities/b/get_other.go":    declaring("GetOther", "get_other"),
	}), packages)
	want := []string{"open_windows", "run_test", "packs.go does not list"}
	if len(got) != len(want) {
		t.Fatalf("the rule finds %q, want %q", got, want)
	}
	for i, part := range want {
		if !strings.Contains(got[i], part) {
			t.Errorf("fault %d is %q, want it to contain %q", i, got[i], part)
		}
	}
}
