package main

import (
	"bytes"
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
}

// listed is what the go command says of a package.
type listed struct {
	Dir, ImportPath                             string
	GoFiles, Imports, TestImports, XTestImports []string
	TestGoFiles, XTestGoFiles                   []string
}

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
// tests. What stands under tests/ is left out: it runs for minutes.
func (m *module) usersOf(ctx context.Context, path string) ([]string, error) {
	all, err := m.list(ctx, "./...")
	if err != nil {
		return nil, err
	}
	var users []string
	for _, p := range all {
		switch {
		case p.ImportPath == path || strings.HasPrefix(p.ImportPath, m.path+"/tests/"):
		case len(p.TestGoFiles)+len(p.XTestGoFiles) == 0:
		case slices.Contains(slices.Concat(p.Imports, p.TestImports, p.XTestImports), path):
			users = append(users, p.ImportPath)
		}
	}
	return users, nil
}

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
