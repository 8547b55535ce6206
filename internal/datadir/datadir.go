// Package datadir owns the data directory: who may use it, which one process holds it, how the others reach that process, and the
// credentials of its owner that are kept in it.
//
// A directory is held by a lock on a file in it, which the kernel lets go of when the process ends, however it ends. The holder
// listens on a Unix socket; what a crash left of the socket is taken over by the next holder. Both ends of a connection check that the
// other one is the same user. Linux and macOS.
package datadir

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/unix"
)

// Dir is a data directory that is fit for use. It holds nothing open.
type Dir struct {
	path string
}

// Open makes the directory, with mode 0700 and whatever is missing above it, or checks one that exists: it must belong to this user and be
// writable by nobody else, or the error says what to do.
func Open(path string) (*Dir, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("finding the data directory: %w", err)
	}
	if err := os.MkdirAll(path, 0o700); err != nil {
		return nil, fmt.Errorf("making the data directory: %w", err)
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("checking the data directory: %w", err)
	}
	if err := ownedHere(info); err != nil {
		return nil, fmt.Errorf("data directory %s %w; use a directory of your own", path, err)
	}
	if mode := info.Mode().Perm(); mode&0o022 != 0 {
		return nil, fmt.Errorf("data directory %s is writable by other users (mode %04o), who could replace what is in it; run chmod go-w %s", path, mode, ShellWord(path))
	}
	return &Dir{path: path}, nil
}

// Path returns the absolute path of the directory.
func (d *Dir) Path() string { return d.path }

func (d *Dir) file(name string) string { return filepath.Join(d.path, name) }

// ownedHere returns nil when a file belongs to the user of this process; otherwise an error that continues "<file> ...".
func ownedHere(info fs.FileInfo) error {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return errors.New("has an owner that cannot be read")
	}
	if int(stat.Uid) != os.Geteuid() {
		return fmt.Errorf("belongs to user %d, and this process is user %d", stat.Uid, os.Geteuid())
	}
	return nil
}

// replace writes a file so that a reader sees the old content, the new one or none, and a crash leaves no part of it. Its mode is 0600
// from the start.
func (d *Dir) replace(name string, content []byte) (err error) {
	f, err := os.CreateTemp(d.path, "."+name+"-*") // mode 0600
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(f.Name()))
		}
	}()
	_, err = f.Write(content)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), d.file(name))
}

// alone runs f while no other process, and no other call, is in alone for the same directory. It says nothing about who holds the
// directory: it orders short steps of processes that do not hold it too.
func (d *Dir) alone(f func(dir *os.File) error) error {
	dir, err := os.Open(d.path)
	if err != nil {
		return err
	}
	if err := flock(dir, unix.LOCK_EX); err != nil {
		return errors.Join(err, dir.Close())
	}
	return errors.Join(f(dir), dir.Close())
}

// syncDir makes the names in a directory outlive a crash, where the file system can.
func syncDir(dir *os.File) error {
	if err := dir.Sync(); err != nil && !errors.Is(err, unix.EINVAL) && !errors.Is(err, unix.ENOTSUP) {
		return err
	}
	return nil
}

// flock repeats what a signal interrupted.
func flock(f *os.File, how int) error {
	for {
		// Fd does not make the file blocking any more than it is: it is a regular file or a directory.
		err := unix.Flock(int(f.Fd()), how)
		if !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}
