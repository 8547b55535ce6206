package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"syscall"

	"github.com/seed-89b9419b/holotype/internal/store"
)

// Replaced is how the name of the database begins to end that [Restore] put another in
// place of; a second one has "-2" behind it, and so on.
const Replaced = ".before-restore"

// Restored says what [Restore] did.
type Restored struct {
	// At is the position that the restored database is at.
	At store.Position
	// Kept is the file of what was there before; "" is none.
	Kept string
}

// Restore puts the backup at from in place of the database at to, which nobody may have
// open: the restored database begins another life, see [store.Adopt]. The backup is
// opened and checked first, with the tables of o; one that is damaged, or of a later
// version, is not put in place. What was at to is kept beside it, and so is what an
// earlier Restore kept.
func Restore(ctx context.Context, from, to string, o store.Options) (r Restored, err error) {
	if _, err := os.Lstat(from + "-wal"); err == nil {
		return r, fmt.Errorf("restoring %s: it is a database in use, with %s-wal beside it: restore a file that backup wrote", from, from)
	}
	if err := idle(ctx, to); err != nil {
		return r, fmt.Errorf("restoring to %s: %w", to, err)
	}
	if err := looksLikeOne(from); err != nil {
		return r, fmt.Errorf("restoring %s: %w", from, err)
	}
	part, err := copyBeside(from, to)
	if part != "" {
		defer func() { err = errors.Join(err, removeAll(part, part+"-wal", part+"-shm")) }()
	}
	if err != nil {
		return r, fmt.Errorf("restoring %s: %w", from, err)
	}
	if r.At, err = prepare(ctx, part, o); err != nil {
		return r, fmt.Errorf("restoring %s: %w", from, err)
	}
	err = syncFile(part)
	if err == nil {
		r.Kept, err = replace(part, to, os.Link)
	}
	if err := errors.Join(err, syncFile(filepath.Dir(to))); err != nil {
		return r, fmt.Errorf("restoring to %s: %w", to, err)
	}
	return r, nil
}

// looksLikeOne answers the error of a file that is not of SQLite
// (https://www.sqlite.org/fileformat.html, 1.3).
func looksLikeOne(path string) (err error) {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	head := make([]byte, 16)
	n, err := io.ReadFull(f, head)
	switch {
	case string(head) == "SQLite format 3\x00":
		return nil
	case err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF):
		return err
	case n > 0 && head[0] == '{':
		return errors.New("it is no backup but perhaps an export: the command import reads those")
	}
	return errors.New("it is no backup: name a file that the command backup wrote")
}

// idle answers nil where nobody has the database at path open, and writes what stands
// in its log into it. One that is damaged, or none, is idle.
func idle(ctx context.Context, path string) (err error) {
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	e := &Engine{path: path}
	pool, err := e.open(ctx, store.Writer, 1)
	if err == nil {
		defer func() { err = errors.Join(err, pool.Close()) }()
		var mode string
		// In this mode a transaction waits until nobody else has the file.
		if err = pool.QueryRowContext(ctx, `PRAGMA locking_mode = EXCLUSIVE`).Scan(&mode); err == nil {
			err = exclusive(ctx, pool)
		}
	}
	if e.Classify(err) == store.Busy {
		return fmt.Errorf("the server is running on it, stop it first: %w", err)
	}
	return nil
}

func exclusive(ctx context.Context, pool *sql.DB) error {
	if _, err := pool.ExecContext(ctx, `BEGIN EXCLUSIVE`); err != nil {
		return err
	}
	_, err := pool.ExecContext(ctx, `ROLLBACK`)
	return err
}

// copyBeside copies a file into a new one in the folder of another.
func copyBeside(from, to string) (path string, err error) {
	in, err := os.Open(from)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	out, err := os.CreateTemp(filepath.Dir(to), "."+filepath.Base(to)+"-*") // mode 0600
	if err != nil {
		return "", err
	}
	_, err = io.Copy(out, in)
	return out.Name(), errors.Join(err, out.Close())
}

// prepare opens a copy of a backup, checks it and begins its other life.
func prepare(ctx context.Context, path string, o store.Options) (p store.Position, err error) {
	e, err := New(path)
	if err != nil {
		return p, err
	}
	e.copied = true
	pool, err := e.open(ctx, store.Writer, 1)
	if err != nil {
		return p, err
	}
	var tables int
	err = pool.QueryRowContext(ctx, `SELECT count(*) FROM sqlite_master WHERE name IN ('store_meta', 'log_head', 'changes')`).Scan(&tables)
	if err = errors.Join(err, pool.Close()); err != nil {
		return p, err
	}
	if tables != 3 {
		return p, errors.New("it is a database of something else: name a file that the command backup wrote")
	}
	o.Engine = e
	db, err := store.Open(ctx, o)
	if err != nil {
		return p, err
	}
	faults, err := db.Check(ctx)
	for _, f := range faults {
		err = errors.Join(err, errors.New(f))
	}
	if err = errors.Join(err, db.Close()); err != nil {
		return p, err
	}
	if p, err = store.Adopt(ctx, e, o.Now()); err != nil {
		return p, err
	}
	if _, err := os.Lstat(path + "-wal"); !errors.Is(err, fs.ErrNotExist) {
		return p, fmt.Errorf("the copy is not whole: its log is still beside it (%w)", err)
	}
	return p, nil
}

// replace puts the database at part in place of that at to, and answers where that is
// kept. At every moment a database is at to, where the file system knows second names:
// the old one has one first. Its log goes before the new one comes: SQLite would take it
// for that of the new one. There is one where the old one is damaged.
func replace(part, to string, link func(path, name string) error) (kept string, err error) {
	beside := ""
	switch _, err := os.Lstat(to); {
	case errors.Is(err, fs.ErrNotExist):
		// A log without its database is that of neither.
		beside = to + ".log-without-database"
	case err != nil:
		return "", err
	default:
		if kept, err = secondName(to, link); err != nil {
			return "", fmt.Errorf("keeping what is there: %w", err)
		}
		beside = kept
	}
	for _, end := range []string{"-wal", "-shm"} {
		if err := os.Rename(to+end, beside+end); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return kept, err
		}
	}
	return kept, os.Rename(part, to)
}

// secondName gives the file at path another name that is free, where the file system
// cannot do so in place of its own: then [create] makes no new one meanwhile.
func secondName(path string, link func(path, name string) error) (name string, err error) {
	for n := 1; ; n++ {
		name = path + Replaced
		if n > 1 {
			name += "-" + strconv.Itoa(n)
		}
		if _, err := os.Lstat(name); !errors.Is(err, fs.ErrNotExist) {
			if err == nil {
				continue
			}
			return "", err
		}
		err = link(path, name)
		switch {
		case errors.Is(err, fs.ErrExist):
			continue
		case store.NoLinks(err):
			err = os.Rename(path, name) // nobody else is in the folder, so that the name is free
		}
		return name, errors.Join(err, syncFile(filepath.Dir(path)))
	}
}

func removeAll(paths ...string) (err error) {
	for _, p := range paths {
		if e := os.Remove(p); !errors.Is(e, fs.ErrNotExist) {
			err = errors.Join(err, e)
		}
	}
	return err
}

// syncFile makes a file, or the entries of a directory, survive a crash. Some file
// systems cannot do so with a directory, and need not.
func syncFile(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	if err = f.Sync(); errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.ENOTSUP) {
		err = nil
	}
	return errors.Join(err, f.Close())
}
