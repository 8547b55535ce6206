package durable_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/seed-89b9419b/holotype/internal/durable"
)

func read(t *testing.T, path string) string {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// alone fails unless the directory holds the one file, for its user alone.
func alone(t *testing.T, path string) {
	t.Helper()
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) != 1 {
		t.Errorf("left in the directory: %v", entries)
	}
	if info, err := os.Lstat(path); err != nil || info.Mode() != 0o600 {
		t.Errorf("%v, %v, want a plain file of mode 0600", info.Mode(), err)
	}
}

func TestReplace(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	elsewhere := filepath.Join(t.TempDir(), "g")
	if err := errors.Join(os.WriteFile(elsewhere, []byte("kept"), 0o644), os.Symlink(elsewhere, path)); err != nil {
		t.Fatal(err)
	}
	for _, content := range []string{"first", "", "third"} {
		if err := durable.Replace(path, []byte(content)); err != nil {
			t.Fatal(err)
		}
		if got := read(t, path); got != content {
			t.Errorf("got %q, want %q", got, content)
		}
		alone(t, path)
	}
	if got := read(t, elsewhere); got != "kept" {
		t.Errorf("a link was followed: %q", got)
	}
	if err := durable.Replace(filepath.Join(path, "none", "f"), nil); err == nil {
		t.Error("no error without a directory")
	}
}

func TestCreateSucceedsOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	const n = 8
	errs := make([]error, n)
	var group sync.WaitGroup
	for i := range n {
		group.Go(func() { errs[i] = durable.Create(path, []byte(strconv.Itoa(i))) })
	}
	group.Wait()
	first := -1
	for i, err := range errs {
		switch {
		case err == nil && first < 0:
			first = i
		case !errors.Is(err, fs.ErrExist):
			t.Errorf("call %d: %v, want one nil and the rest ErrExist", i, err)
		}
	}
	if got := read(t, path); got != strconv.Itoa(first) {
		t.Errorf("the file holds %q, and call %d succeeded", got, first)
	}
	alone(t, path)
}

func TestSweep(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"f", ".f-123", ".f-x", ".g-123", "f-123", ".f"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := durable.Sweep(filepath.Join(dir, "f")); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var left []string
	for _, e := range entries {
		left = append(left, e.Name())
	}
	if want := []string{".f", ".g-123", "f", "f-123"}; !slices.Equal(left, want) {
		t.Errorf("left %q, want %q", left, want)
	}
}

func TestAloneIsAlone(t *testing.T) {
	dir := t.TempDir()
	failed := errors.New("failed")
	var inside, total atomic.Int32
	f := func() error {
		if inside.Add(1) != 1 {
			t.Error("two at once")
		}
		total.Add(1)
		inside.Add(-1)
		return failed
	}
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for range 20 {
				if err := durable.Alone(dir, f); !errors.Is(err, failed) {
					t.Errorf("got %v, want what f answers", err)
				}
			}
		})
	}
	group.Wait()
	if total.Load() != 160 {
		t.Errorf("%d calls, want 160", total.Load())
	}
	if err := durable.Alone(filepath.Join(dir, "none"), func() error { return nil }); err == nil {
		t.Error("no error without a directory")
	}
}
