// Package durable writes files so that every reader, and a crash at any moment, leaves the whole of the old content or the whole of the new
// one. What it writes is for its user alone: mode 0600. Linux and macOS.
package durable

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// Replace writes a file, in place of one that exists. When it returns nil, content survives a crash of the machine. A symbolic link at path is
// replaced, not followed.
func Replace(path string, content []byte) error {
	return write(path, content, os.Rename)
}

// ReplaceLike is [Replace] with the mode and the owner of another file, such as the one that is replaced. No reader sees it before it has them.
func ReplaceLike(path string, content []byte, like os.FileInfo) error {
	return write(path, content, func(from, to string) error {
		if owner, ok := like.Sys().(*syscall.Stat_t); ok {
			mine, err := os.Stat(from)
			if err != nil {
				return err
			}
			if is, ok := mine.Sys().(*syscall.Stat_t); ok && (is.Uid != owner.Uid || is.Gid != owner.Gid) {
				if err := os.Chown(from, int(owner.Uid), int(owner.Gid)); err != nil {
					return err
				}
			}
		}
		if err := os.Chmod(from, like.Mode().Perm()); err != nil {
			return err
		}
		return os.Rename(from, to)
	})
}

// Create is [Replace] for a file that must not exist: the error is [io/fs.ErrExist] then, and the file is as it was. Of several processes that
// create one path at once, one succeeds.
func Create(path string, content []byte) error {
	return write(path, content, func(from, to string) error {
		// Unlike a rename, a link does not replace.
		if err := os.Link(from, to); err != nil {
			return err
		}
		return os.Remove(from)
	})
}

func write(path string, content []byte, publish func(from, to string) error) (err error) {
	dir := filepath.Dir(path)
	f, err := os.CreateTemp(dir, unfinished(path)+"*") // mode 0600
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = publish(f.Name(), path)
	}
	if err != nil {
		return errors.Join(err, removeIfThere(f.Name()))
	}
	return syncDir(dir)
}

// Sweep removes what writers of path left that died in between. Call it only while nobody writes there.
func Sweep(path string) error {
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		return err
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), unfinished(path)) {
			err = errors.Join(err, removeIfThere(filepath.Join(filepath.Dir(path), e.Name())))
		}
	}
	return err
}

// unfinished is how the names of files begin that are being written for a path.
func unfinished(path string) string { return "." + filepath.Base(path) + "-" }

func removeIfThere(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

// syncDir makes the entries of a directory survive a crash. Some file systems cannot, and need not.
func syncDir(path string) error {
	dir, err := os.Open(path)
	if err != nil {
		return err
	}
	err = dir.Sync()
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.ENOTSUP) {
		err = nil
	}
	return errors.Join(err, dir.Close())
}

// Alone runs f while no other call of Alone, in this process or another, runs for the same directory. It waits for the one that does; a process
// that ends lets go. Keep f short. What f does to memory needs a lock of its own: this one is the kernel's.
func Alone(dir string, f func() error) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	for {
		if err = syscall.Flock(int(d.Fd()), syscall.LOCK_EX); !errors.Is(err, syscall.EINTR) {
			break
		}
	}
	if err != nil {
		return errors.Join(err, d.Close())
	}
	err = f()
	// Unlocked before it is closed: a child that is being started just now may still share it.
	return errors.Join(err, syscall.Flock(int(d.Fd()), syscall.LOCK_UN), d.Close())
}
