package system

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/seed-89b9419b/holotype/capabilities"
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
	if !filepath.IsAbs(in.Path) || filepath.Clean(in.Path) != in.Path {
		return out, capabilities.Violates(capabilities.Violation{Pointer: "/path", Keyword: "format", Message: "is not an absolute path of a file: send one such as /backups/today.db"})
	}
	if err := in.free(); err != nil {
		return out, err
	}
	out = StoreCopy{Path: in.Path, Position: d.Store.Head().String(), DryRun: capabilities.CallFrom(ctx).Operation.DryRun}
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
	if _, err := os.Lstat(in.Path); err == nil {
		return ofFile(in.Path, fs.ErrExist)
	}
	dir, err := os.Stat(filepath.Dir(in.Path))
	if err == nil && !dir.IsDir() {
		err = fs.ErrNotExist
	}
	if err != nil {
		return ofFile(in.Path, err)
	}
	return nil
}

// ofFile answers the refusal that a failure of the file system is, where the caller can
// do something about it.
func ofFile(path string, err error) error {
	switch {
	case errors.Is(err, fs.ErrExist):
		return capabilities.Refuse(capabilities.Exists, "%q is there already, and nothing is overwritten: name a new file", path)
	case errors.Is(err, fs.ErrNotExist):
		return capabilities.Violates(capabilities.Violation{Pointer: "/path", Keyword: "format", Message: "is in a directory that does not exist on the machine of the server: make it first"})
	case errors.Is(err, fs.ErrPermission):
		return capabilities.Violates(capabilities.Violation{Pointer: "/path", Keyword: "format", Message: "is in a directory that the server may not write to: name another"})
	}
	return err
}
