package sqlite

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

const (
	// preserved stands in the name of a copy between that of the database and its label.
	preserved = ".before-"
	// preservedTime is how the time stands behind the label.
	preservedTime = ".20060102T150405Z"
	// mostPreserved is how many copies are kept beside a database.
	mostPreserved = 3
)

// Preserve writes a copy of the database beside it, as name.before-label.time. Of each
// label the newest is kept, and three labels.
func (e *Engine) Preserve(ctx context.Context, label string, now time.Time) (path string, err error) {
	if e.memory || e.copied {
		return "", nil
	}
	part, err := os.CreateTemp(filepath.Dir(e.path), "."+filepath.Base(e.path)+"-*") // mode 0600
	if err != nil {
		return "", err
	}
	defer func() {
		if e := os.Remove(part.Name()); !errors.Is(e, fs.ErrNotExist) {
			err = errors.Join(err, e)
		}
	}()
	if err := errors.Join(part.Close(), e.Backup(ctx, part.Name())); err != nil {
		return "", err
	}
	path = e.path + preserved + label + now.UTC().Format(preservedTime)
	if err := errors.Join(syncFile(part.Name()), os.Rename(part.Name(), path), syncFile(filepath.Dir(path))); err != nil {
		return "", err
	}
	e.prune(path)
	return path, nil
}

// prune removes the copies that one at path makes needless. One that cannot be removed
// takes room, and nothing else.
func (e *Engine) prune(path string) {
	all, err := os.ReadDir(filepath.Dir(e.path))
	if err != nil {
		return
	}
	type copied struct{ label, at, path string }
	var copies []copied
	for _, f := range all {
		rest, ok := strings.CutPrefix(f.Name(), filepath.Base(e.path)+preserved)
		dot := strings.LastIndexByte(rest, '.')
		if !ok || dot < 0 {
			continue
		}
		if _, err := time.Parse(preservedTime, rest[dot:]); err == nil {
			copies = append(copies, copied{rest[:dot], rest[dot:], filepath.Join(filepath.Dir(e.path), f.Name())})
		}
	}
	slices.SortFunc(copies, func(a, b copied) int { return strings.Compare(b.at, a.at) }) // the newest first
	seen := map[string]bool{}
	for _, c := range copies {
		if c.path != path && (seen[c.label] || len(seen) >= mostPreserved) {
			_ = os.Remove(c.path)
		}
		seen[c.label] = true
	}
}
