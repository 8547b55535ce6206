package prose

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

// MaxFile is the size in bytes up to which a file is read.
const MaxFile = 4 << 20

// A Walk says which files are checked.
type Walk struct {
	// Paths are files, and folders with all below them that [Reads] accepts. A file that is
	// named is read whatever its ending, as Markdown where the ending says nothing.
	Paths []string
	// Skip are patterns of path.Match of names, or of whole paths as they are shown, that
	// are left out. What is hidden, node_modules, dist and vendor always are, and so are
	// links within a folder, which may lead anywhere.
	Skip []string
}

// A Report is what a [Checker] found in files.
type Report struct {
	Findings []Finding `json:"findings"`
	Files    int       `json:"files"`   // that were read
	Skipped  []Skipped `json:"skipped"` // that were not, and are not said to be true
}

// Skipped is a path that was not read.
type Skipped struct {
	File string `json:"file"`
	Why  string `json:"why"`
}

// Check answers whether the walk leads anywhere: the error says that a path does not exist,
// or that a pattern is none.
func (w Walk) Check() error {
	for _, pattern := range w.Skip {
		if _, err := path.Match(pattern, ""); err != nil {
			return fmt.Errorf("%q is no pattern of names", pattern)
		}
	}
	for _, p := range w.Paths {
		if _, err := os.Stat(p); err != nil {
			return pathError(p, err)
		}
	}
	return nil
}

// Files checks files. What cannot be read is a finding, since nobody can say that it is
// true; a link is skipped. The error is that of [Walk.Check].
func (c *Checker) Files(w Walk) (*Report, error) {
	r := &Report{Findings: []Finding{}, Skipped: []Skipped{}}
	if err := w.Check(); err != nil {
		return nil, err
	}
	var files []string
	for _, p := range w.Paths {
		info, err := os.Stat(p)
		if err != nil {
			return nil, pathError(p, err)
		}
		if !info.IsDir() {
			files = append(files, p)
			continue
		}
		below, err := w.below(p, r)
		if err != nil {
			return nil, err
		}
		files = append(files, below...)
	}
	slices.Sort(files)
	files = slices.Compact(files)
	r.Files = len(files)
	found := make([][]Finding, len(files))
	var wg sync.WaitGroup
	next := make(chan int)
	for range max(1, runtime.GOMAXPROCS(0)) {
		wg.Go(func() {
			for i := range next {
				found[i] = c.file(files[i])
			}
		})
	}
	for i := range files {
		next <- i
	}
	close(next)
	wg.Wait()
	r.Findings = Sort(append(r.Findings, slices.Concat(found...)...))
	return r, nil
}

// pathError says what is wrong with a path without the name of a system call.
func pathError(p string, err error) error {
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		err = pe.Err
	}
	return fmt.Errorf("%s: %w", p, err)
}

// below answers the files of a folder that are read.
func (w Walk) below(folder string, r *Report) (files []string, err error) {
	err = filepath.WalkDir(folder, func(p string, e fs.DirEntry, err error) error {
		shown, name := filepath.ToSlash(p), e.Name()
		switch {
		case err != nil:
			r.Findings = append(r.Findings, unread(p, 0, "it cannot be read: "+reason(err)))
			if e.IsDir() {
				return fs.SkipDir
			}
			return nil
		case p != folder && w.skips(shown, name, e.IsDir()):
			if e.IsDir() {
				return fs.SkipDir
			}
			return nil
		case e.Type()&fs.ModeSymlink != 0:
			r.Skipped = append(r.Skipped, Skipped{shown, "it is a link, and links are not followed"})
		case e.Type().IsRegular() && Reads(shown):
			files = append(files, p)
		}
		return nil
	})
	return files, err
}

func (w Walk) skips(shown, name string, folder bool) bool {
	if strings.HasPrefix(name, ".") || folder && (name == "node_modules" || name == "dist" || name == "vendor") {
		return true
	}
	return slices.ContainsFunc(w.Skip, func(pattern string) bool {
		byName, _ := path.Match(pattern, name) // a pattern that is none was refused
		byPath, _ := path.Match(pattern, shown)
		return byName || byPath
	})
}

func reason(err error) string {
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		err = pe.Err
	}
	return err.Error()
}

func unread(p string, line int, why string) Finding {
	return Finding{File: filepath.ToSlash(p), Line: line, Kind: KindUnread, Why: why}
}

// file checks one file.
func (c *Checker) file(p string) []Finding {
	text, why := readFile(p)
	if why != "" {
		return []Finding{unread(p, 0, why)}
	}
	shown := filepath.ToSlash(p)
	found := c.Check(shown, strings.ToValidUTF8(string(text), "\uFFFD"))
	if !utf8.Valid(text) {
		valid := 0
		for valid < len(text) {
			_, n := utf8.DecodeRune(text[valid:])
			if n == 1 && text[valid] >= utf8.RuneSelf {
				break
			}
			valid += n
		}
		found = append(found, unread(p, 1+bytes.Count(text[:valid], []byte("\n")), "this line is not UTF-8: the rest of the file was read all the same"))
	}
	return found
}

// readFile answers the text of a file, or why there is none.
func readFile(p string) (text []byte, why string) {
	info, err := os.Stat(p)
	if err != nil {
		return nil, "it cannot be read: " + reason(err)
	}
	if !info.Mode().IsRegular() {
		return nil, "it is no regular file, and is not read"
	}
	f, err := os.Open(p)
	if err != nil {
		return nil, "it cannot be read: " + reason(err)
	}
	text, err = io.ReadAll(io.LimitReader(f, MaxFile+1))
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	switch {
	case err != nil:
		return nil, "it cannot be read: " + reason(err)
	case len(text) > MaxFile:
		return nil, fmt.Sprintf("it is larger than %d MiB, and is not read: split it, or leave it out with a pattern", MaxFile>>20)
	case bytes.IndexByte(text, 0) >= 0:
		return nil, fmt.Sprintf("it is no text: byte %d is zero", bytes.IndexByte(text, 0))
	}
	return text, ""
}
