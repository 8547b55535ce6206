package holotype

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// TestAChangedFileIsNoticed goes through what may become of a file, each between two
// looks.
func TestAChangedFileIsNoticed(t *testing.T) {
	write := func(t *testing.T, path, text string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	must := func(t *testing.T, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		name   string
		change func(t *testing.T, path string)
	}{
		{"written", func(t *testing.T, path string) { write(t, path, "listen: 127.0.0.1:1234") }},
		{"removed", func(t *testing.T, path string) { must(t, os.Remove(path)) }},
		{"made unreadable", func(t *testing.T, path string) { must(t, os.Chmod(path, 0)) }},
		{"replaced by one that looks the same", func(t *testing.T, path string) {
			info, err := os.Stat(path)
			must(t, err)
			write(t, path+".new", "before")
			must(t, os.Chtimes(path+".new", info.ModTime(), info.ModTime()))
			must(t, os.Rename(path+".new", path))
		}},
		{"a link that leads elsewhere", func(t *testing.T, path string) {
			write(t, path+".other", "before")
			must(t, os.Remove(path))
			must(t, os.Symlink(path+".other", path))
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := &settings{}
			s.options.Path = filepath.Join(t.TempDir(), "holotype.yaml")
			write(t, s.options.Path, "before")
			s.looks = s.look()
			c.change(t, s.options.Path) // before anybody watches, as while a server starts
			done, tick, changed := make(chan struct{}), make(chan time.Time), make(chan struct{}, 10)
			watched := make(chan struct{})
			go func() {
				s.watch(done, tick, func() { changed <- struct{}{} })
				close(watched)
			}()
			for range 5 {
				tick <- time.Time{}
			}
			close(done)
			<-watched
			if len(changed) != 1 {
				t.Errorf("noticed %d times", len(changed))
			}
		})
	}
}

// TestAFileThatNeverRestsIsReadAllTheSame: a program that writes a file every few moments
// must not keep the configuration from ever being read.
func TestAFileThatNeverRestsIsReadAllTheSame(t *testing.T) {
	path := filepath.Join(t.TempDir(), "holotype.yaml")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	at := func(size int) []look { // what the file looks like with that many bytes
		l := lookAt(path)
		l.size = int64(size)
		return []look{l}
	}
	for _, c := range []struct {
		name  string
		sizes []int // at every look; before the first it was 0
		due   []int // the looks after which it is read
	}{
		{"at rest", []int{0, 0, 0}, nil},
		{"once", []int{1, 1, 1, 1}, []int{1}},
		{"twice", []int{1, 2, 2, 2, 3, 3, 3}, []int{2, 5}},
		{"all the time", []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 11, 11}, []int{4, 9, 11}},
		{"until it was read", []int{1, 2, 3, 4, 5, 5, 5}, []int{4}},
	} {
		w := watcher{known: at(0)}
		var due []int
		for i, size := range c.sizes {
			if w.due(at(size)) {
				due = append(due, i)
			}
		}
		if !slices.Equal(due, c.due) {
			t.Errorf("%s: read after the looks %v, want %v", c.name, due, c.due)
		}
	}
}
