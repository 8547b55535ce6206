// Package codegen writes generated files and checks that they are fresh. A
// generator answers a map of path to bytes; [Write] and [Check] walk the same map,
// so the check can never cover less than the generator.
package codegen

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Set is what one run of the generators answers.
type Set struct {
	// Files are the generated files by their path, relative to the output folder
	// and with slashes.
	Files map[string][]byte
	// Folders hold generated files only: one that is not in Files is stale.
	Folders []string
}

// Add joins the files of one generator. Two generators never write one path.
func (s *Set) Add(files map[string][]byte, folders ...string) error {
	if s.Files == nil {
		s.Files = map[string][]byte{}
	}
	for path, data := range files {
		if _, taken := s.Files[path]; taken {
			return fmt.Errorf("two generators write %s", path)
		}
		s.Files[path] = data
	}
	s.Folders = append(s.Folders, folders...)
	return nil
}

// Write writes every file that differs below dir, removes stale ones from the
// folders, and answers the paths it touched, sorted.
func Write(dir string, s Set) ([]string, error) {
	changes, err := compare(dir, s)
	if err != nil {
		return nil, err
	}
	var touched []string
	for _, c := range changes {
		full := filepath.Join(dir, filepath.FromSlash(c.path))
		if c.stale {
			err = os.Remove(full)
		} else {
			err = errors.Join(os.MkdirAll(filepath.Dir(full), 0o755), os.WriteFile(full, s.Files[c.path], 0o644)) //nolint:gosec // generated documents are public
		}
		if err != nil {
			return touched, fmt.Errorf("writing %s: %w", c.path, err)
		}
		touched = append(touched, c.path)
	}
	return touched, nil
}

// Check answers an error that names every file below dir that is missing, differs
// or is stale, or nil.
func Check(dir string, s Set) error {
	changes, err := compare(dir, s)
	if err != nil || len(changes) == 0 {
		return err
	}
	var b strings.Builder
	b.WriteString("generated files are not fresh, run `make generate` and read the diff:")
	for _, c := range changes {
		fmt.Fprintf(&b, "\n  %s: %s", c.path, c.why)
	}
	return errors.New(b.String())
}

type change struct {
	path, why string
	stale     bool
}

func compare(dir string, s Set) ([]change, error) {
	var all []change
	for _, path := range slices.Sorted(maps.Keys(s.Files)) {
		have, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(path)))
		switch {
		case errors.Is(err, fs.ErrNotExist):
			all = append(all, change{path: path, why: "missing"})
		case err != nil:
			return nil, err
		case !bytes.Equal(have, s.Files[path]):
			all = append(all, change{path: path, why: differsAt(have, s.Files[path])})
		}
	}
	for _, folder := range s.Folders {
		root := filepath.Join(dir, filepath.FromSlash(folder))
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if errors.Is(err, fs.ErrNotExist) {
				return nil
			}
			if err != nil || d.IsDir() {
				return err
			}
			rel, err := filepath.Rel(dir, path)
			if err != nil {
				return err
			}
			rel = filepath.ToSlash(rel)
			if _, ok := s.Files[rel]; !ok {
				all = append(all, change{path: rel, why: "stale: no generator writes it", stale: true})
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}

// differsAt names the first line that differs.
func differsAt(have, want []byte) string {
	h, w := bytes.Split(have, []byte("\n")), bytes.Split(want, []byte("\n"))
	for i := range min(len(h), len(w)) {
		if !bytes.Equal(h[i], w[i]) {
			return fmt.Sprintf("differs from line %d on", i+1)
		}
	}
	return fmt.Sprintf("differs from line %d on", min(len(h), len(w))+1)
}
