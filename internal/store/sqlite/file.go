package sqlite

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"github.com/seed-89b9419b/holotype/internal/store"
)

// errGone says that connections are on files that do not have their names any more.
// What is written to those is lost when the program ends.
var errGone = errors.New("the database was removed or replaced while it is open")

// opened is which files the connections of an engine are on. A file that disappears
// while it is open goes on to be written, for nobody; and a connection that is opened
// afterwards would make an empty one, or a second log beside the first.
type opened struct {
	mu    sync.Mutex
	pools int // that are open: while there are any, the file stays the one it is
	conns int // likewise, for the log, which SQLite removes after the last
	file  os.FileInfo
	log   os.FileInfo
	logAt string
}

// begin notes a pool on the file at path, which is made for the first one.
func (o *opened) begin(path string) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.pools == 0 {
		if err := create(path); err != nil {
			return err
		}
		info, err := os.Stat(path)
		if err != nil {
			return err
		}
		o.file = info
	}
	o.pools++
	return nil
}

// end notes that a pool was closed.
func (o *opened) end() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.pools--
}

// connected notes a connection. The log is there when the first one has its settings.
func (o *opened) connected(path string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.conns++
	if o.log != nil {
		return
	}
	// SQLite has the log beside the file, and not beside a link to it.
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	if info, err := os.Stat(path + "-wal"); err == nil { // without one there is nothing to compare
		o.log, o.logAt = info, path+"-wal"
	}
}

// disconnect closes a connection. The last one removes the log.
func (o *opened) disconnect(closing func() error) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.conns--; o.conns == 0 {
		o.log = nil
	}
	return closing()
}

// present answers nil where the files are those that were opened.
func (o *opened) present(path string) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.pools == 0 {
		return nil
	}
	if err := same(path, o.file); err != nil || o.log == nil {
		return err
	}
	return same(o.logAt, o.log)
}

func same(path string, as os.FileInfo) error {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist), err == nil && !os.SameFile(info, as):
		return fmt.Errorf("%w: %s", errGone, path)
	case err != nil:
		return err
	}
	return nil
}

// create makes the file, so that nobody else ever reads it. One that exists is not
// opened: closing it would let go of every lock that SQLite holds on it in this process
// (https://www.sqlite.org/howtocorrupt.html, 2.2).
func create(path string) error {
	if _, err := os.Lstat(path); err == nil {
		return nil
	}
	for _, kept := range []string{path + Replaced, path + Replaced + "-2"} {
		if _, err := os.Lstat(kept); err == nil {
			return fmt.Errorf("there is no %s, and beside it there is %s of a restore that did not end: restore again, or give that file its name back", path, kept)
		}
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return f.Close()
}

// Present answers nil where what is open still is the database at its path. Its error
// is [store.Gone] where it was removed or replaced.
func (e *Engine) Present() error {
	if e.memory {
		return nil
	}
	return e.opened.present(e.path)
}

// Folder answers the directory of the database; "" is that of one in memory.
func (e *Engine) Folder() string {
	if e.memory {
		return ""
	}
	return filepath.Dir(e.path)
}

var _ store.Engine = (*Engine)(nil)
