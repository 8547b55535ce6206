// Package plainfile reads files whose names come from a person: a pipe that nobody
// writes to, a device without an end or a file of a gigabyte must cost an error and
// not the process.
package plainfile

import (
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"
)

// ErrNotPlain says that a name stands for a directory, a pipe, a device or a socket.
var ErrNotPlain = errors.New("it is not a plain file")

// ErrTooLarge says that a file has more bytes than were asked for.
var ErrTooLarge = errors.New("it is too large")

// Read answers the content of a plain file, or of the one that a link leads to, of at
// most limit bytes. It waits for nobody. The error is that of opening or reading,
// [ErrNotPlain] or [ErrTooLarge].
func Read(path string, limit int) ([]byte, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	data, err := read(f, limit)
	if err = errors.Join(err, f.Close()); err != nil {
		return nil, err
	}
	return data, nil
}

func read(f *os.File, limit int) ([]byte, error) {
	info, err := f.Stat()
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, ErrNotPlain
	case info.Size() > int64(limit):
		return nil, tooLarge(limit)
	}
	// It may grow while it is read, and those of proc(5) say that they have no size.
	data, err := io.ReadAll(io.LimitReader(f, int64(limit)+1))
	if err == nil && len(data) > limit {
		return nil, tooLarge(limit)
	}
	return data, err
}

func tooLarge(limit int) error {
	return fmt.Errorf("%w: it has more than %d bytes", ErrTooLarge, limit)
}
