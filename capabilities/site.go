package capabilities

import (
	"fmt"
	"path"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
)

// Site is where in the source something was declared.
type Site struct {
	File string // as the compiler names it
	Line int
	Func string // the function that declared it, after its package's path, as the runtime names it
}

// String answers "folders/file.go:line", the folders from the root of the module that
// the file is of; where that is not known, the last of them alone.
func (s Site) String() string {
	if s.File == "" {
		return "unknown place"
	}
	dir, file := filepath.Split(s.File)
	folder, ok := inModule(s.Func, strings.HasSuffix(file, "_test.go"))
	if !ok {
		folder = filepath.Base(dir)
	}
	return fmt.Sprintf("%s:%d", path.Join(folder, file), s.Line)
}

// callerSite answers the place skip frames above its caller.
func callerSite(skip int) Site {
	pc, file, line, ok := runtime.Caller(skip + 1)
	if !ok {
		return Site{}
	}
	s := Site{File: file, Line: line}
	if f := runtime.FuncForPC(pc); f != nil {
		s.Func = f.Name()
	}
	return s
}

// inModule answers the folder of a function's package below the root of its module. A
// package of tests alone stands in the folder of the package that it tests.
func inModule(function string, test bool) (folder string, ok bool) {
	built, known := debug.ReadBuildInfo()
	if !known || function == "" {
		return "", false
	}
	slash := strings.LastIndexByte(function, '/') + 1
	last, _, _ := strings.Cut(function[slash:], ".")
	pkg := function[:slash] + strings.ReplaceAll(last, "%2e", ".")
	switch {
	case pkg == "main":
		pkg = built.Path
	case test:
		pkg = strings.TrimSuffix(pkg, "_test")
	}
	module := ""
	for _, m := range append([]*debug.Module{&built.Main}, built.Deps...) {
		if (pkg == m.Path || strings.HasPrefix(pkg, m.Path+"/")) && len(m.Path) > len(module) {
			module = m.Path
		}
	}
	if module == "" {
		return "", false
	}
	return strings.TrimPrefix(pkg[len(module):], "/"), true
}
