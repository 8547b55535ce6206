package arch_test

import (
	"fmt"
	"go/ast"
	"go/token"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// at names the place of a node.
func (t *tree) at(file *goFile, n ast.Node) string {
	return fmt.Sprintf("%s:%d", file.path, t.fset.Position(n.Pos()).Line)
}

// imported answers the import path that an identifier stands for in a file, or "".
func (f *goFile) imported(name string) string {
	for _, spec := range f.Imports {
		p, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			continue
		}
		local := p[strings.LastIndex(p, "/")+1:]
		if spec.Name != nil {
			local = spec.Name.Name
		}
		if local == name {
			return p
		}
	}
	return ""
}

// uses calls f for every use of a name of another package in the file.
func (f *goFile) uses(visit func(n ast.Node, pkg, name string)) {
	ast.Inspect(f.File, func(n ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); ok {
			if x, ok := sel.X.(*ast.Ident); ok {
				if pkg := f.imported(x.Name); pkg != "" {
					visit(n, pkg, sel.Sel.Name)
				}
			}
		}
		return true
	})
}

// packageComments: every package says once what it is.
func packageComments(t *tree) []string {
	comments := map[string]int{}
	for _, f := range t.goes {
		// A package of tests alone has its comment in one of them.
		key := f.dir + " " + strings.TrimSuffix(f.Name.Name, "_test")
		if _, ok := comments[key]; !ok {
			comments[key] = 0
		}
		if f.Doc != nil && f.Doc.Text() != "" {
			comments[key]++
		}
	}
	var faults []string
	for _, key := range slices.Sorted(maps.Keys(comments)) {
		dir, name, _ := strings.Cut(key, " ")
		switch n := comments[key]; {
		case n == 0:
			faults = append(faults, fmt.Sprintf("package %s in %q has no package comment", name, dir))
		case n > 1:
			faults = append(faults, fmt.Sprintf("package %s in %q has %d package comments: keep one", name, dir, n))
		}
	}
	return faults
}

func TestPackageComments(t *testing.T) {
	check(t, packageComments,
		fixture{"none", map[string]string{"a/a.go": "package a\n", "a/b_test.go": "package a_test\n"}, []string{`package a in "a" has no package comment`}},
		fixture{"two", map[string]string{"a/a.go": "// Package a is.\npackage a\n", "a/b.go": "// Package a is too.\npackage a\n"}, []string{"2 package comments"}},
		fixture{"a comment apart from its clause is none", map[string]string{"a/a.go": "// Package a is.\n\npackage a\n"}, []string{"no package comment"}},
		fixture{"one, in a test where there is nothing else", map[string]string{"a/a_test.go": "// Package a_test is.\npackage a_test\n"}, nil},
	)
}

// noInit: importing a package has no effect.
func noInit(t *tree) []string {
	var faults []string
	for _, f := range t.goes {
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil && fn.Name.Name == "init" {
				faults = append(faults, t.at(f, fn)+": func init: importing a package has no effect, so do it where it is needed")
			}
		}
	}
	return faults
}

func TestNoInit(t *testing.T) {
	check(t, noInit,
		fixture{"an init", map[string]string{"a/a.go": "package a\n\nfunc init() {}\n"}, []string{"a/a.go:3"}},
		fixture{"a method of that name", map[string]string{"a/a.go": "package a\n\ntype t int\n\nfunc (t) init() {}\n"}, nil},
	)
}

// givenClock: packs and projections are given the clock and randomness, so that a
// test can hold the one and repeat the other. The bridge supervises processes, which
// live by the system's clock.
func givenClock(t *tree) []string {
	var faults []string
	for _, f := range t.goes {
		given := under(f.dir, "projection") || under(f.dir, "capabilities") && f.dir != "capabilities" && !under(f.dir, "capabilities/bridge")
		if f.test || !given {
			continue
		}
		f.uses(func(n ast.Node, pkg, name string) {
			switch {
			case pkg == "time" && slices.Contains([]string{"Now", "Since", "Until"}, name):
				faults = append(faults, fmt.Sprintf("%s: time.%s: take Now from Deps or Options", t.at(f, n), name))
			case pkg == "math/rand" || pkg == "math/rand/v2" || pkg == "crypto/rand":
				faults = append(faults, fmt.Sprintf("%s: rand.%s: take randomness from Deps or Options", t.at(f, n), name))
			}
		})
	}
	return faults
}

func TestClockAndRandomnessAreGiven(t *testing.T) {
	const clock = "package x\n\nimport \"time\"\n\nvar Now = time.Now\n"
	check(t, givenClock,
		fixture{"the clock in a pack", map[string]string{"capabilities/system/x.go": clock}, []string{"capabilities/system/x.go:5: time.Now"}},
		fixture{"under another name", map[string]string{
			"projection/cli/x.go": "package x\n\nimport clock \"time\"\n\nvar _ = clock.Since\n",
		}, []string{"time.Since"}},
		fixture{"randomness in a projection", map[string]string{
			"projection/cli/x.go": "package x\n\nimport \"math/rand\"\n\nvar _ = rand.Int()\n",
		}, []string{"rand.Int"}},
		fixture{"where the process is composed, and in the bridge", map[string]string{"x.go": clock, "capabilities/bridge/x.go": clock, "capabilities/x.go": clock}, nil},
		fixture{"a duration is no clock", map[string]string{"projection/cli/x.go": "package x\n\nimport \"time\"\n\nvar D = time.Second\n"}, nil},
	)
}

// oneEnvironment: the environment is read in one place, where it is documented.
func oneEnvironment(t *tree) []string {
	var faults []string
	for _, f := range t.goes {
		if f.test || under(f.dir, "internal/config") {
			continue
		}
		f.uses(func(n ast.Node, pkg, name string) {
			if (pkg == "os" || pkg == "syscall") && slices.Contains([]string{"Getenv", "LookupEnv", "Environ", "ExpandEnv"}, name) {
				faults = append(faults, fmt.Sprintf("%s: %s.%s: the environment is read in internal/config alone", t.at(f, n), pkg, name))
			}
		})
	}
	return faults
}

func TestOneEnvironment(t *testing.T) {
	source := func(name string) string { return "package x\n\nimport \"os\"\n\nvar _ = os." + name + "\n" }
	check(t, oneEnvironment,
		fixture{"elsewhere", map[string]string{"cmd/holotype/x.go": source("Getenv"), "x.go": source("LookupEnv")}, []string{"os.Getenv", "os.LookupEnv"}},
		fixture{"at home, and in a test", map[string]string{"internal/config/x.go": source("LookupEnv"), "x_test.go": source("Getenv")}, nil},
	)
}

// logMethods are the methods of *slog.Logger and the place of their message.
var logMethods = map[string]int{
	"Debug": 0, "Info": 0, "Warn": 0, "Error": 0,
	"DebugContext": 1, "InfoContext": 1, "WarnContext": 1, "ErrorContext": 1, "Log": 2, "LogAttrs": 2,
}

var eventName = regexp.MustCompile(`^[a-z][a-z0-9]*(_[a-z0-9]+)+$`)

// eventsAreNames: a literal message of a log record is an event in snake case. The
// linter sees to it that a message is a constant.
func eventsAreNames(t *tree) []string {
	var faults []string
	for _, f := range t.goes {
		if f.test {
			continue
		}
		ast.Inspect(f.File, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			sel, ok := call.Fun.(*ast.SelectorExpr)
			if !ok || !isLogger(sel.X) {
				return true
			}
			place, ok := logMethods[sel.Sel.Name]
			if !ok || place >= len(call.Args) {
				return true
			}
			if text, ok := literal(call.Args[place]); ok && !eventName.MatchString(text) {
				faults = append(faults, t.at(f, call)+": the message of a log record is an event such as bridge_connected")
			}
			return true
		})
	}
	return faults
}

// isLogger reports whether an expression is called log or Log, or a call of one.
func isLogger(x ast.Expr) bool {
	switch x := x.(type) {
	case *ast.Ident:
		return strings.EqualFold(x.Name, "log") || strings.EqualFold(x.Name, "logger")
	case *ast.SelectorExpr:
		return isLogger(x.Sel)
	case *ast.CallExpr:
		if sel, ok := x.Fun.(*ast.SelectorExpr); ok {
			return isLogger(sel.X)
		}
	}
	return false
}

// literal answers the text of a string literal.
func literal(x ast.Expr) (string, bool) {
	lit, ok := x.(*ast.BasicLit)
	if !ok || lit.Kind != token.STRING {
		return "", false
	}
	text, err := strconv.Unquote(lit.Value)
	return text, err == nil
}

func TestLogEventsAreNames(t *testing.T) {
	source := func(call string) string {
		return "package x\n\nimport \"log/slog\"\n\nfunc f(log *slog.Logger, d struct{ Log *slog.Logger }) {\n\t" + call + "\n}\n"
	}
	check(t, eventsAreNames,
		fixture{"a sentence", map[string]string{"x.go": source(`log.Info("bridge connected")`)}, []string{"x.go:6"}},
		fixture{"behind With", map[string]string{"x.go": source(`d.Log.With("k", 1).ErrorContext(nil, "Failed")`)}, []string{"an event such as"}},
		fixture{"an event", map[string]string{"x.go": source(`d.Log.LogAttrs(nil, slog.LevelDebug, "bridge_connected"); log.Warn("a_b2", "k", 1)`)}, nil},
	)
}
