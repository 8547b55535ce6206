package clientconf

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"unicode/utf8"

	"github.com/seed-89b9419b/holotype/internal/durable"
	"github.com/seed-89b9419b/holotype/internal/plainfile"
)

// MaxBytes is how large a file may be. Some clients keep their history in it.
const MaxBytes = 32 << 20

var byteOrderMark = []byte("\ufeff")

// File is a configuration file as it was read.
type File struct {
	// Path is where it was looked for, and Target where its bytes are: a link is followed.
	Path, Target string
	// Text is what it holds, without a byte order mark; nothing for a file that is not there.
	Text []byte

	raw  []byte
	info fs.FileInfo // nil for a file that is not there
}

// Open reads a file. One that is not there is empty, and [File.Exists] says so. The error
// says what is wrong with it, without its path.
func Open(path string) (*File, error) {
	target, err := filepath.EvalSymlinks(path)
	if errors.Is(err, fs.ErrNotExist) {
		if _, err := os.Lstat(path); err == nil {
			return nil, errors.New("it is a link that leads nowhere")
		}
		return &File{Path: path, Target: path}, nil
	}
	if err != nil {
		return nil, reason(err)
	}
	f := &File{Path: path, Target: target}
	if f.info, err = os.Stat(target); err != nil {
		return nil, reason(err)
	}
	if f.raw, err = plainfile.Read(target, MaxBytes); err != nil {
		return nil, reason(err)
	}
	if bytes.HasPrefix(f.raw, []byte("\xff\xfe")) || bytes.HasPrefix(f.raw, []byte("\xfe\xff")) {
		return nil, errors.New("it is UTF-16, which no client reads: save it as UTF-8")
	}
	f.Text = bytes.TrimPrefix(f.raw, byteOrderMark)
	if !utf8.Valid(f.Text) {
		return nil, errors.New("it is not UTF-8")
	}
	return f, nil
}

// reason takes the path off an error of the file system: whoever says it names the file.
func reason(err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return fmt.Errorf("it cannot be read: %w", e.Err)
	}
	return err
}

// Exists reports whether the file was there.
func (f *File) Exists() bool { return f.info != nil }

// Backup answers the path of the copy that [File.Write] would make; "" for a file that was
// not there, of which there is nothing to keep.
func (f *File) Backup(program string) string {
	if !f.Exists() {
		return ""
	}
	path := f.Target + ".before-" + program
	for n := 2; ; n++ {
		if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) || n > 1000 {
			return path
		}
		path = f.Target + ".before-" + program + "." + strconv.Itoa(n)
	}
}

// Write puts text in the place of what was read, in one step, with the mode and the owner
// that the file has; what it held is copied beside it first, for its user alone. The error
// says why nothing was changed: such as that somebody else has changed the file since it
// was read.
func (f *File) Write(program string, text []byte) (backup string, err error) {
	dir := filepath.Dir(f.Target)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	err = durable.Alone(dir, func() error {
		now, err := Open(f.Path)
		if err != nil {
			return err
		}
		if now.Exists() != f.Exists() || now.Target != f.Target || !bytes.Equal(now.raw, f.raw) {
			return errors.New("another program has changed it meanwhile: nothing was changed; run this again")
		}
		if !f.Exists() {
			return durable.Create(f.Target, text)
		}
		if now.info.Mode().Perm()&0o200 == 0 {
			return errors.New("it is read-only: nothing was changed")
		}
		if bytes.HasPrefix(f.raw, byteOrderMark) {
			text = append(bytes.Clone(byteOrderMark), text...)
		}
		if backup, err = f.keep(program); err != nil {
			return fmt.Errorf("copying it first: %w", err)
		}
		return durable.ReplaceLike(f.Target, text, now.info)
	})
	return backup, err
}

// keep writes what the file holds to the first name that is free.
func (f *File) keep(program string) (string, error) {
	for {
		path := f.Backup(program)
		if err := durable.Create(path, f.raw); !errors.Is(err, fs.ErrExist) {
			return path, err
		}
	}
}
