package plainfile_test

import (
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/seed-89b9419b/holotype/internal/plainfile"
)

func TestRead(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	write := func(name string, size int) string {
		if err := os.WriteFile(at(name), make([]byte, size), 0o600); err != nil {
			t.Fatal(err)
		}
		return at(name)
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(syscall.Mkfifo(at("pipe"), 0o600))
	must(os.Symlink(write("target", 3), at("link")))
	must(os.Symlink(at("pipe"), at("link to a pipe")))
	must(os.WriteFile(at("sparse"), nil, 0o600))
	must(os.Truncate(at("sparse"), 1<<40))
	short, err := os.MkdirTemp("", "p") //nolint:usetesting // t.TempDir may be longer than the address of a socket
	must(err)
	t.Cleanup(func() { _ = os.RemoveAll(short) })
	l, err := net.Listen("unix", filepath.Join(short, "s"))
	must(err)
	t.Cleanup(func() { _ = l.Close() })
	for _, tc := range []struct {
		name, path string
		size       int
		want       error
	}{
		{"nothing", write("empty", 0), 0, nil},
		{"as much as is taken", write("full", 8), 8, nil},
		{"one byte more", write("over", 9), 0, plainfile.ErrTooLarge},
		{"much more", at("sparse"), 0, plainfile.ErrTooLarge},
		{"a link", at("link"), 3, nil},
		{"no file", at("none"), 0, fs.ErrNotExist},
		{"a folder", dir, 0, plainfile.ErrNotPlain},
		{"a pipe that nobody writes to", at("pipe"), 0, plainfile.ErrNotPlain},
		{"a link to one", at("link to a pipe"), 0, plainfile.ErrNotPlain},
		{"a device without an end", "/dev/zero", 0, plainfile.ErrNotPlain},
		{"a device with nothing in it", os.DevNull, 0, plainfile.ErrNotPlain},
	} {
		data, err := plainfile.Read(tc.path, 8)
		if !errors.Is(err, tc.want) || len(data) != tc.size {
			t.Errorf("%s: %d bytes, %v; want %d, %v", tc.name, len(data), err, tc.size, tc.want)
		}
	}
	if _, err := plainfile.Read(l.Addr().String(), 8); err == nil { // the systems name it differently
		t.Error("a socket was read")
	}
}
