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
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seed-89b9419b/holotype/internal/markdown"
)

// Set is what one run of the generators answers. Its paths have slashes and stand
// below the output folder.
type Set struct {
	// Files are the generated files by their path.
	Files map[string][]byte
	// Folders hold generated files only: one there that is not in Files is stale.
	Folders []string
	// Kept are folders within those that people and their tools keep files in, and such
	// files: what stands there is nobody's to judge.
	Kept []string
}

// Add joins the files of one generator and the folders that it owns. Two generators
// never write one path.
func (s *Set) Add(files map[string][]byte, folders ...string) error {
	if s.Files == nil {
		s.Files = map[string][]byte{}
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if _, taken := s.Files[name]; taken {
			return fmt.Errorf("two generators write %s", name)
		}
		s.Files[name] = files[name]
	}
	s.Folders = append(s.Folders, folders...)
	return nil
}

// within refuses a path that leaves the output folder, is the output folder
// itself, or could be written in another way.
func within(name string) error {
	if name == "." || path.Clean(name) != name || !filepath.IsLocal(filepath.FromSlash(name)) {
		return fmt.Errorf("generated files stand below the output folder, and %q does not", name)
	}
	return nil
}

// Write writes every file that differs below dir, makes the folders they need,
// removes stale files that say they were generated from the folders, and answers the paths
// it touched, sorted. Nothing else is touched, through a symbolic link neither. A
// stale file that does not stays and is an error: who wrote it is not known.
// A path that leaves dir is an error before anything is written.
func Write(dir string, s Set) (touched []string, err error) {
	if err := os.MkdirAll(dir, 0o755); err != nil { //nolint:gosec // generated documents are public
		return nil, fmt.Errorf("making the output folder: %w", err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	changes, err := compare(root.FS(), s)
	if err != nil {
		return nil, err
	}
	var strange []error
	for _, c := range changes {
		switch c.kind {
		case stale:
			err = root.Remove(filepath.FromSlash(c.path))
		case foreign:
			strange = append(strange, fmt.Errorf("%s: %s", c.path, c.why))
			continue
		case missing, different:
			name := filepath.FromSlash(c.path)
			err = root.MkdirAll(filepath.Dir(name), 0o755)
			if err == nil {
				err = root.WriteFile(name, s.Files[c.path], 0o644)
			}
		}
		if err != nil {
			return touched, fmt.Errorf("writing %s: %w", c.path, err)
		}
		touched = append(touched, c.path)
	}
	return touched, errors.Join(strange...)
}

// Check answers an error that names every file below dir that is missing, differs
// or is stale, or nil. It writes nothing.
func Check(dir string, s Set) (err error) {
	have := os.DirFS(dir) // which may not be there
	if root, open := os.OpenRoot(dir); open == nil {
		defer func() { err = errors.Join(err, root.Close()) }()
		have = root.FS()
	}
	changes, err := compare(have, s)
	if err != nil || len(changes) == 0 {
		return err
	}
	var b strings.Builder
	b.WriteString("generated files are not fresh, generate them again and read the diff:")
	for _, c := range changes {
		fmt.Fprintf(&b, "\n  %s: %s", c.path, c.why)
	}
	return errors.New(b.String())
}

// kind is why a file has to change.
type kind uint8

const (
	missing kind = iota
	different
	stale   // nobody writes it, and it says that it was generated
	foreign // nobody writes it, and it does not
)

type change struct {
	path, why string
	kind      kind
}

// compare answers what makes the files of fsys those of s, by path.
func compare(fsys fs.FS, s Set) ([]change, error) {
	for _, name := range slices.Concat(slices.Sorted(maps.Keys(s.Files)), s.Folders, s.Kept) {
		if err := within(name); err != nil {
			return nil, err
		}
	}
	all := map[string]change{}
	for name, want := range s.Files {
		have, err := fs.ReadFile(fsys, name)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			all[name] = change{name, "missing", missing}
		case err != nil:
			return nil, err
		case !bytes.Equal(have, want):
			all[name] = change{name, differsAt(have, want), different}
		}
	}
	for _, folder := range s.Folders {
		err := fs.WalkDir(fsys, folder, func(name string, d fs.DirEntry, err error) error {
			if errors.Is(err, fs.ErrNotExist) {
				return nil
			}
			if err == nil && slices.Contains(s.Kept, name) {
				if d.IsDir() {
					return fs.SkipDir
				}
				return nil
			}
			if err != nil || d.IsDir() {
				return err
			}
			if _, ours := s.Files[name]; !ours {
				all[name] = leftover(fsys, name, d)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return slices.SortedFunc(maps.Values(all), func(a, b change) int { return strings.Compare(a.path, b.path) }), nil
}

// leftover judges a file that nobody writes.
func leftover(fsys fs.FS, name string, d fs.DirEntry) change {
	if d.Type().IsRegular() {
		data, err := fs.ReadFile(fsys, name)
		first, _, _ := bytes.Cut(data, []byte("\n"))
		if err == nil && bytes.Contains(first, []byte(markdown.Marker)) {
			return change{name, "stale: no generator writes it", stale}
		}
	}
	return change{name, "no generator writes it, and it does not say that one did: move it or delete it", foreign}
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
