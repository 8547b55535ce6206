package reference

import (
	"cmp"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// said is what the source says about one event.
type said struct {
	levels map[string]bool
	keys   map[string]bool
	// open is set where attributes are put together elsewhere; literals are then all
	// texts of the files that log it.
	open     bool
	literals map[string]bool
}

// logs maps the methods of a logger to the place of the message among the arguments.
var logs = map[string]int{
	"Debug": 0, "Info": 0, "Warn": 0, "Error": 0, "DebugContext": 1, "InfoContext": 1, "WarnContext": 1, "ErrorContext": 1, "LogAttrs": 2, "NewRecord": 2,
}

var eventShaped = regexp.MustCompile(`^[a-z][a-z0-9]*(_[a-z0-9]+)+$`)

// sourceEvents reads the events off the Go files below a folder.
func sourceEvents(t *testing.T, root string) map[string]*said {
	t.Helper()
	r := reader{all: map[string]*said{}, passed: map[string]passed{}}
	var calls []func()
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && name != root && slices.Contains([]string{"tests", "testdata", "storetest", "node_modules", ".git"}, d.Name()):
			return fs.SkipDir
		case filepath.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		r.file(filepath.Dir(name), f)
		calls = append(calls, func() { r.passes(filepath.Dir(name), f) })
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range calls { // what takes an event is known by now
		f()
	}
	return r.all
}

// passed is a function that logs the event that it is given.
type passed struct {
	at    int
	level string
	keys  map[string]bool
}

type reader struct {
	all    map[string]*said
	passed map[string]passed // by folder and name
}

func (r *reader) of(name string) *said {
	if r.all[name] == nil {
		r.all[name] = &said{levels: map[string]bool{}, keys: map[string]bool{}, literals: map[string]bool{}}
	}
	return r.all[name]
}

func (r *reader) file(dir string, f *ast.File) {
	texts := map[string]bool{}
	ast.Inspect(f, func(n ast.Node) bool {
		if text, ok := stringOf(n); ok {
			texts[text] = true
		}
		return true
	})
	for _, d := range f.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok {
			continue
		}
		ast.Inspect(fn, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			method, level, at, ok := logged(call)
			if !ok {
				return true
			}
			keys, open := attributes(call.Args[at+1:])
			if method == "NewRecord" {
				keys, open = map[string]bool{}, true
			}
			if name, ok := stringOf(call.Args[at]); ok && eventShaped.MatchString(name) {
				s := r.of(name)
				s.levels[level] = true
				maps.Copy(s.keys, keys)
				maps.Copy(s.literals, texts)
				s.open = s.open || open
			} else if id, ok := call.Args[at].(*ast.Ident); ok {
				if i := parameter(fn, id.Name); i >= 0 {
					r.passed[dir+" "+fn.Name.Name] = passed{i, level, keys}
				}
			}
			return true
		})
	}
}

// logged reads a call of a logger.
func logged(call *ast.CallExpr) (method, level string, at int, ok bool) {
	sel, isMethod := call.Fun.(*ast.SelectorExpr)
	if !isMethod {
		return "", "", 0, false
	}
	method = sel.Sel.Name
	at, ok = logs[method]
	if !ok || len(call.Args) <= at {
		return "", "", 0, false
	}
	level = strings.ToLower(strings.TrimSuffix(method, "Context"))
	if at == 2 {
		l, isLevel := call.Args[1].(*ast.SelectorExpr)
		if !isLevel {
			return "", "", 0, false
		}
		level = strings.ToLower(strings.TrimPrefix(l.Sel.Name, "Level"))
	}
	return method, level, at, true
}

// parameter is the place of a parameter of a function, or -1.
func parameter(fn *ast.FuncDecl, name string) int {
	i := 0
	for _, field := range fn.Type.Params.List {
		for _, id := range field.Names {
			if id.Name == name {
				return i
			}
			i++
		}
	}
	return -1
}

// passes finds the calls of what logs the event that it is given.
func (r *reader) passes(dir string, f *ast.File) {
	ast.Inspect(f, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		name := ""
		switch fn := call.Fun.(type) {
		case *ast.SelectorExpr:
			name = fn.Sel.Name
		case *ast.Ident:
			name = fn.Name
		}
		p, ok := r.passed[dir+" "+name]
		if !ok || len(call.Args) <= p.at {
			return true
		}
		if event, ok := stringOf(call.Args[p.at]); ok && eventShaped.MatchString(event) {
			s := r.of(event)
			s.levels[p.level] = true
			maps.Copy(s.keys, p.keys)
		}
		return true
	})
}

func stringOf(n ast.Node) (string, bool) {
	lit, ok := n.(*ast.BasicLit)
	if !ok || lit.Kind != token.STRING {
		return "", false
	}
	text, err := strconv.Unquote(lit.Value)
	return text, err == nil
}

// attributes reads the keys of a call of a logger, and whether there may be more.
func attributes(args []ast.Expr) (keys map[string]bool, open bool) {
	keys = map[string]bool{}
	for i := 0; i < len(args); i++ {
		switch a := args[i].(type) {
		case *ast.BasicLit: // a key, and its value behind it
			if key, ok := stringOf(a); ok {
				keys[key] = true
			}
			i++
		case *ast.CallExpr:
			if _, ok := a.Fun.(*ast.SelectorExpr); ok && len(a.Args) == 2 { // slog.String("key", value)
				if key, ok := stringOf(a.Args[0]); ok {
					keys[key] = true
				}
				continue
			}
			open = true // append(list, ...)
			for _, inner := range a.Args {
				if list, ok := inner.(*ast.CompositeLit); ok {
					more, _ := attributes(list.Elts)
					maps.Copy(keys, more)
				}
			}
		default:
			open = true
		}
	}
	return keys, open
}

// Every event of the source has its row, and every row its event, with its levels and
// its attributes.
func TestEventsAreThoseOfTheSource(t *testing.T) {
	source := sourceEvents(t, filepath.Join("..", ".."))
	if len(source) < 50 {
		t.Fatalf("only %d events were found", len(source))
	}
	table := map[string]event{}
	for _, e := range events() {
		table[e.name] = e
		if source[e.name] == nil {
			t.Errorf("nothing logs %s: take it off the table", e.name)
		}
	}
	if len(table) != len(events()) || !slices.IsSortedFunc(events(), func(a, b event) int { return cmp.Compare(a.name, b.name) }) {
		t.Error("the table is not sorted, or has an event twice")
	}
	means, used := eventFields(), map[string]bool{}
	for _, name := range slices.Sorted(maps.Keys(source)) {
		e, ok := table[name]
		if !ok {
			t.Errorf("%s is logged and has no row in eventtable.go: say what it means there", name)
			continue
		}
		for _, fault := range differs(e, source[name]) {
			t.Error(fault)
		}
		for key := range strings.FieldsSeq(e.fields) {
			used[key] = true
			if means[key] == "" {
				t.Errorf("%s: nothing says what %s means", name, key)
			}
		}
	}
	for key := range means {
		if !used[key] {
			t.Errorf("the attribute %s is explained and no event has it", key)
		}
	}
}

// differs answers what a row says otherwise than the source.
func differs(e event, s *said) (faults []string) {
	want := slices.SortedFunc(maps.Keys(s.levels), func(a, b string) int { return severity(a) - severity(b) })
	if got := strings.Join(want, " "); got != e.levels {
		faults = append(faults, e.name+" is logged as "+got+", and the table says "+e.levels)
	}
	fields := map[string]bool{}
	for key := range strings.FieldsSeq(e.fields) {
		fields[key] = true
		if !s.keys[key] && (!s.open || !s.literals[key]) {
			faults = append(faults, e.name+" has no attribute "+key)
		}
	}
	for key := range s.keys {
		if !fields[key] {
			faults = append(faults, e.name+" has the attribute "+key+", and the table does not")
		}
	}
	return faults
}

func severity(level string) int {
	for i, l := range levels {
		if l.name == level {
			return i
		}
	}
	return len(levels)
}

// A row that says something else than the source is found.
func TestEventsThatDiffer(t *testing.T) {
	source := func() *said {
		return &said{levels: map[string]bool{"warn": true, "info": true}, keys: map[string]bool{"error": true}, literals: map[string]bool{"tail": true}}
	}
	for name, c := range map[string]struct {
		e    event
		open bool
		want int
	}{
		"as it is":                        {event{levels: "warn info", fields: "error"}, false, 0},
		"another level":                   {event{levels: "warn", fields: "error"}, false, 1},
		"an attribute that is not there":  {event{levels: "warn info", fields: "error tail"}, false, 1},
		"one that may be":                 {event{levels: "warn info", fields: "error tail"}, true, 0},
		"one that is nowhere in the file": {event{levels: "warn info", fields: "error nose"}, true, 1},
		"one that is left out":            {event{levels: "warn info"}, false, 1},
	} {
		s := source()
		s.open = c.open
		if got := differs(c.e, s); len(got) != c.want {
			t.Errorf("%s: %q", name, got)
		}
	}
}
