package system

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/store"
)

// StoreCopy says where a copy of the store was written.
type StoreCopy struct {
	// The file, on the machine of the server.
	Path string `json:"path"`
	// Its size.
	Bytes int64 `json:"bytes"`
	// Everything up to this position of the log is in it.
	Position string `json:"position"`
	// Whether this is the answer to a dry run, and nothing was written.
	DryRun bool `json:"dry_run,omitempty"`
}

// StoreCopyInput names the file of a copy.
type StoreCopyInput struct {
	// The new file to write, as an absolute path on the machine of the server.
	Path string `json:"path" jsonschema:"minLength=1,maxLength=4096"`
}

// copyTo writes a copy of the store with write, or says in a dry run that it could.
func (in StoreCopyInput) copyTo(ctx context.Context, d Deps, write func(path string) (position string, err error)) (out StoreCopy, err error) {
	if !filepath.IsAbs(in.Path) || filepath.Clean(in.Path) != in.Path || strings.ContainsRune(in.Path, 0) {
		return out, notWritable("is not an absolute path of a file: send one such as /backups/today.db")
	}
	if d.Store.Owns(in.Path) {
		return out, notWritable("is in the directory of the store, where every name is the server's own: name a file in another directory")
	}
	if err := in.free(); err != nil {
		return out, err
	}
	out = StoreCopy{Path: in.Path, Position: d.Store.Head().String(), DryRun: capabilities.CallFrom(ctx).Operation.DryRun}
	if state := d.Store.State(); state.Err != nil && out.DryRun {
		return StoreCopy{}, capabilities.Refuse(capabilities.Unavailable, "the store cannot be copied now: %s", state.Advice).Because(state.Err)
	}
	if out.DryRun {
		return out, nil
	}
	if out.Position, err = write(in.Path); err != nil {
		return StoreCopy{}, ofFile(in.Path, err)
	}
	info, err := os.Stat(in.Path)
	if err != nil {
		return StoreCopy{}, fmt.Errorf("reading what was written: %w", err)
	}
	out.Bytes = info.Size()
	return out, nil
}

// free answers the refusal of a path that nothing can be written to.
func (in StoreCopyInput) free() error {
	switch _, err := os.Lstat(in.Path); {
	case err == nil:
		return ofFile(in.Path, fs.ErrExist)
	case !errors.Is(err, fs.ErrNotExist):
		return ofFile(in.Path, err)
	}
	dir, err := filepath.EvalSymlinks(filepath.Dir(in.Path))
	if err != nil {
		return ofFile(in.Path, err)
	}
	info, err := os.Stat(dir)
	switch {
	case err != nil:
		return ofFile(in.Path, err)
	case !info.IsDir():
		return ofFile(in.Path, fs.ErrNotExist)
	}
	for _, system := range []string{"/proc/", "/sys/"} {
		if strings.HasPrefix(dir+"/", system) {
			return notWritable("is in a directory of the system, where no files are kept: name another")
		}
	}
	return nil
}

// notWritable answers the refusal of a path.
func notWritable(message string) error {
	return capabilities.Violates(capabilities.Violation{Pointer: "/path", Keyword: "format", Message: message})
}

// ofFile answers the refusal that a failure of the file system is, where the caller can
// do something about it. One of the store passes as it is.
func ofFile(path string, err error) error {
	if _, refusal := capabilities.AsError(err); refusal {
		return err
	}
	var atPath *fs.PathError
	switch {
	case errors.Is(err, fs.ErrExist):
		return capabilities.Refuse(capabilities.Exists, "%q is there already, and nothing is overwritten: name a new file", path)
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		return notWritable("is in a directory that does not exist on the machine of the server: make it first")
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return notWritable("is in a directory that the server may not write to: name another")
	case errors.Is(err, syscall.ENAMETOOLONG), errors.Is(err, syscall.EINVAL), errors.Is(err, syscall.ELOOP):
		return notWritable("is no path that a file can have on the machine of the server: name another, with shorter names")
	case errors.Is(err, store.ErrTarget), errors.As(err, &atPath):
		return capabilities.Refuse(capabilities.Unavailable, "%q cannot be written (%v): nothing is left of it; make room there or name a file elsewhere", path, err).Because(err)
	}
	return err
}
