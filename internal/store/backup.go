package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"time"
)

// ErrTarget says that the file of a copy cannot be written, which is nothing that the
// store suffers from.
var ErrTarget = errors.New("the copy cannot be written")

// targetFailed says so of an error; nil stays nil.
func targetFailed(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%w: %w", ErrTarget, err)
}

// Backup writes a copy of the whole store, as of one moment, into a new file that only
// its user can read; calls are served meanwhile. It answers a position that the copy
// holds everything up to. A crash leaves no file at path, or the whole of it. The error
// wraps [fs.ErrExist] where there is one already, and [ErrTarget] where the file cannot be
// written.
func (db *DB) Backup(ctx context.Context, path string) (at Position, err error) {
	if _, _, err := db.pools(); err != nil {
		return Position{}, db.refused(ctx, err)
	}
	if err := db.present(); err != nil {
		return Position{}, db.refused(ctx, err)
	}
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		if err == nil {
			err = fs.ErrExist
		}
		return Position{}, fmt.Errorf("writing the backup %s: %w", path, targetFailed(err))
	}
	dir := filepath.Dir(path)
	// A name of its own: that of the path may be as long as names are. The mode is 0600.
	f, err := os.CreateTemp(dir, ".backup-*")
	if err != nil {
		return Position{}, fmt.Errorf("writing the backup %s: %w", path, targetFailed(err))
	}
	defer func() {
		if e := os.Remove(f.Name()); !errors.Is(e, fs.ErrNotExist) {
			err = errors.Join(err, e)
		}
	}()
	if err := f.Close(); err != nil {
		return Position{}, targetFailed(err)
	}
	at = db.Head()
	if err := db.o.Engine.Backup(ctx, f.Name()); err != nil {
		switch db.classify(err) {
		case Full, ReadOnly, Lost:
			err = targetFailed(err)
		case Other, Unique, Denied, Busy, Corrupt, Gone:
			err = db.refused(ctx, err)
		}
		return Position{}, fmt.Errorf("writing the backup %s: %w", path, err)
	}
	if err := errors.Join(syncPath(f.Name()), place(f.Name(), path, os.Link), syncPath(dir)); err != nil {
		return Position{}, fmt.Errorf("writing the backup %s: %w", path, targetFailed(err))
	}
	return at, nil
}

// place gives the file at from the name path, which nothing has. Unlike a rename, a link
// does not replace what appeared meanwhile; where there are none, an empty file takes the
// name first, which a crash may leave.
func place(from, path string, link func(from, path string) error) error {
	err := link(from, path)
	if !NoLinks(err) {
		return err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	if err = errors.Join(f.Close(), os.Rename(from, path)); err != nil {
		return errors.Join(err, os.Remove(path))
	}
	return nil
}

// NoLinks reports whether a second name could not be given because the file system knows
// none, as those of memory cards and of many networks.
func NoLinks(err error) bool {
	return errors.Is(err, syscall.EPERM) || errors.Is(err, errors.ErrUnsupported) || errors.Is(err, syscall.EMLINK)
}

// Owns reports whether a path is in the directory of the database, or another where the
// names are the program's own.
func (db *DB) Owns(path string) bool {
	dir := filepath.Dir(path)
	other, unknown := os.Stat(dir)
	for _, folder := range append([]string{db.o.Engine.Folder()}, db.o.Folders...) {
		if folder == "" {
			continue
		}
		own, err := os.Stat(folder)
		if err != nil && filepath.Clean(folder) == dir || err == nil && unknown == nil && os.SameFile(own, other) {
			return true
		}
	}
	return false
}

// syncPath makes a file, or the entries of a directory, survive a crash. Some file
// systems cannot do so with a directory, and need not.
func syncPath(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	if err = f.Sync(); errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.ENOTSUP) {
		err = nil
	}
	return errors.Join(err, f.Close())
}

// ErrNoStore says that a database has no store in it.
var ErrNoStore = errors.New("there is no store in this database")

// Adopt begins another life of a database that nobody has open: one that was restored,
// or that took over from another without all of its writes. Positions of its earlier
// life are foreign then, what the ledger does not have may have happened, and nobody
// holds a lease. The error is [ErrNoStore] where there is none.
func Adopt(ctx context.Context, e Engine, now time.Time) (p Position, err error) {
	pool, err := e.Open(ctx, Writer, 1)
	if err != nil {
		return Position{}, err
	}
	defer func() { err = errors.Join(err, pool.Close()) }()
	s, err := newSession(ctx, pool, e)
	if err != nil {
		return Position{}, err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	p = Position{Incarnation: freshIncarnation(), Stream: stream}
	var tables []string
	if err := s.list(ctx, Keeping, &tables, e.Tables()); err != nil {
		return Position{}, err
	}
	if !slices.Contains(tables, "log_head") || !slices.Contains(tables, "store_meta") {
		return Position{}, ErrNoStore
	}
	if err := s.keep(ctx, e.Begin()); err != nil {
		return Position{}, err
	}
	if err := s.adopt(ctx, &p, now); err != nil {
		return Position{}, errors.Join(err, s.rollback(ctx))
	}
	return p, s.keep(ctx, "COMMIT")
}

func (s *session) adopt(ctx context.Context, p *Position, now time.Time) error {
	if err := s.get(ctx, Keeping, &p.Seq, takeHead, stream); err != nil {
		return err
	}
	n, err := s.exec(ctx, Keeping, updateMeta, p.Incarnation, metaIncarnation)
	if err == nil && n != 1 {
		err = ErrNoStore
	}
	return errors.Join(err, s.raise(ctx, now), s.keep(ctx, `UPDATE leases SET expires_ms = 0`))
}
