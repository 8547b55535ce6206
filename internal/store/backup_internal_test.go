package store

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestPlaceReplacesNothing: on file systems that know second names, and on others.
func TestPlaceReplacesNothing(t *testing.T) {
	for name, link := range map[string]func(from, path string) error{
		"links": os.Link,
		"no links": func(from, path string) error {
			return &os.LinkError{Op: "link", Old: from, New: path, Err: syscall.EPERM}
		},
	} {
		t.Run(name, func(t *testing.T) {
			from, path := filepath.Join(t.TempDir(), "part"), filepath.Join(t.TempDir(), "copy")
			for _, text := range []string{"first", "second"} {
				if err := os.RemoveAll(from); err != nil { // it may be the same file under two names
					t.Fatal(err)
				}
				if err := os.WriteFile(from, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
				if err := place(from, path, link); (err == nil) != (text == "first") || err != nil && !errors.Is(err, fs.ErrExist) {
					t.Errorf("the %s is answered %v", text, err)
				}
				if got, err := os.ReadFile(path); err != nil || string(got) != "first" {
					t.Errorf("the file is %q, %v", got, err)
				}
			}
		})
	}
}
