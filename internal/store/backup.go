package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
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
	// Unlike a rename, a link does not replace what appeared meanwhile.
	if err := errors.Join(syncPath(f.Name()), os.Link(f.Name(), path), syncPath(dir)); err != nil {
		return Position{}, fmt.Errorf("writing the backup %s: %w", path, targetFailed(err))
	}
	return at, nil
}

// Owns reports whether a path is in the directory of the database, where the names are
// the program's own.
func (db *DB) Owns(path string) bool {
	folder := db.o.Engine.Folder()
	if folder == "" {
		return false
	}
	own, err := os.Stat(folder)
	if err != nil {
		return filepath.Clean(folder) == filepath.Dir(path)
	}
	other, err := os.Stat(filepath.Dir(path))
	return err == nil && os.SameFile(own, other)
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

// Adopt begins another life of a database that nobody has open: one that was restored,
// or that took over from another without all of its writes. Positions of its earlier
// life are foreign then, what the ledger does not have may have happened, and nobody
// holds a lease. The tables are there already.
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
		err = sql.ErrNoRows
	}
	return errors.Join(err, s.raise(ctx, now), s.keep(ctx, `UPDATE leases SET expires_ms = 0`))
}
