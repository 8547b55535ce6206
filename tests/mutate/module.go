package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strings"
)

// A module is the tree whose packages are changed.
type module struct {
	root, path, tags string

	all []listed // every package, once somebody has asked for them
}

// listed is what the go command says of a package.
type listed struct {
	Dir, ImportPath                             string
	GoFiles, Imports, TestImports, XTestImports []string
	TestGoFiles, XTestGoFiles                   []string
}

// tested reports whether a package has tests.
func (p listed) tested() bool { return len(p.TestGoFiles)+len(p.XTestGoFiles) > 0 }

// open finds the module that dir is in.
func open(ctx context.Context, dir, tags string) (*module, error) {
	text, err := output(ctx, dir, "list", "-m", "-json=Dir,Path")
	if err != nil {
		return nil, err
	}
	var m struct{ Dir, Path string }
	if err := json.Unmarshal(text, &m); err != nil {
		return nil, err
	}
	return &module{root: m.Dir, path: m.Path, tags: tags}, nil
}

// list answers the packages that patterns name, without those that nothing is compiled of.
func (m *module) list(ctx context.Context, patterns ...string) ([]listed, error) {
	fields := "-json=Dir,ImportPath,GoFiles,Imports,TestImports,XTestImports,TestGoFiles,XTestGoFiles"
	text, err := output(ctx, m.root, append([]string{"list", "-tags", m.tags, fields}, patterns...)...)
	if err != nil {
		return nil, err
	}
	var all []listed
	for d := json.NewDecoder(bytes.NewReader(text)); ; {
		var p listed
		switch err := d.Decode(&p); {
		case errors.Is(err, io.EOF):
			return all, nil
		case err != nil:
			return nil, err
		case len(p.GoFiles) > 0:
			all = append(all, p)
		}
	}
}

// usersOf answers the packages that have tests and import a package, in their code or in their
// tests; those first that import the fewest, because they are built the soonest. What stands
// under tests/ is left out: it runs for minutes.
func (m *module) usersOf(ctx context.Context, path string) ([]listed, error) {
	if m.all == nil {
		var err error
		if m.all, err = m.list(ctx, "./..."); err != nil {
			return nil, err
		}
		slices.SortStableFunc(m.all, func(a, b listed) int { return cmp.Compare(len(a.imports()), len(b.imports())) })
	}
	var users []listed
	for _, p := range m.all {
		switch {
		case p.ImportPath == path || strings.HasPrefix(p.ImportPath, m.path+"/tests/") || !p.tested():
		case slices.Contains(p.imports(), path):
			users = append(users, p)
		}
	}
	return users, nil
}

// imports are the packages that a package and its tests import.
func (p listed) imports() []string { return slices.Concat(p.Imports, p.TestImports, p.XTestImports) }

// below answers a package as it is named below the root of the module.
func (m *module) below(path string) string {
	if path == m.path {
		return "."
	}
	return strings.TrimPrefix(path, m.path+"/")
}

func output(ctx context.Context, dir string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = dir
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	text, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go %s: %w\n%s", args[0], err, stderr.Bytes())
	}
	return text, nil
}
