package datadir_test

import (
	"encoding/base64"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/seed-89b9419b/holotype/internal/datadir"
)

func TestOwnerToken(t *testing.T) {
	d := open(t, filepath.Join(t.TempDir(), "data"))
	token, err := d.OwnerToken()
	if err != nil || !regexp.MustCompile(`^holo_[A-Za-z0-9_-]{43}$`).MatchString(token) {
		t.Fatalf("got %q, %v", token, err)
	}
	if secret, err := base64.RawURLEncoding.DecodeString(token[len("holo_"):]); err != nil || len(secret) != 32 {
		t.Errorf("%d bytes, %v; want 32", len(secret), err)
	}
	path := filepath.Join(d.Path(), "owner.token")
	if b, err := os.ReadFile(path); err != nil || string(b) != token {
		t.Errorf("the file holds %q, %v; want the token alone", b, err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode() != 0o600 {
		t.Errorf("mode %v, %v; want 0600", info.Mode(), err)
	}
	if again, err := d.OwnerToken(); err != nil || again != token {
		t.Errorf("second: got %q, %v; want the same", again, err)
	}
	if other, err := open(t, filepath.Join(t.TempDir(), "data")).OwnerToken(); err != nil || other == token {
		t.Errorf("another directory: got %q, %v; want another token", other, err)
	}
	if entries, err := os.ReadDir(d.Path()); err != nil || len(entries) != 1 {
		t.Errorf("the directory holds %v, %v; want the token alone", entries, err)
	}
}

func TestOwnerTokenMadeByManyAtOnce(t *testing.T) {
	d := open(t, filepath.Join(t.TempDir(), "data"))
	c1, c2 := start(t, "token", d.Path()), start(t, "token", d.Path())
	tokens := make(chan string, 40)
	var wg sync.WaitGroup
	for range cap(tokens) - 2 {
		wg.Go(func() {
			token, err := d.OwnerToken()
			if err != nil {
				t.Error(err)
			}
			tokens <- token
		})
	}
	wg.Wait()
	tokens <- strings.TrimSuffix(c1.says(t), "<nil>")
	tokens <- strings.TrimSuffix(c2.says(t), "<nil>")
	close(tokens)
	seen := map[string]bool{}
	for token := range tokens {
		seen[token] = true
	}
	if len(seen) != 1 {
		t.Errorf("got %d tokens, want one: %v", len(seen), seen)
	}
}

func TestOwnerTokenRefused(t *testing.T) {
	good := "holo_" + strings.Repeat("A", 43)
	for name, c := range map[string]struct {
		make func(path string) error
		says string // "" means accepted
	}{
		"as it should be":   {func(p string) error { return os.WriteFile(p, []byte(good), 0o600) }, ""},
		"read-only":         {func(p string) error { return os.WriteFile(p, []byte(good), 0o400) }, ""},
		"a line break":      {func(p string) error { return os.WriteFile(p, []byte(good+"\r\n"), 0o600) }, ""},
		"group may read":    {modeOf(good, 0o640), "run chmod 600 "},
		"others may read":   {modeOf(good, 0o604), "run chmod 600 "},
		"group may write":   {modeOf(good, 0o620), "run chmod 600 "},
		"empty":             {modeOf("", 0o600), "does not hold an owner's token"},
		"cut off":           {modeOf(good[:40], 0o600), "does not hold an owner's token"},
		"something else":    {modeOf("correct horse battery staple", 0o600), "does not hold an owner's token"},
		"two lines":         {modeOf(good+"\n"+good, 0o600), "does not hold an owner's token"},
		"large":             {modeOf(strings.Repeat(good, 1<<16), 0o600), "does not hold an owner's token"},
		"a directory":       {func(p string) error { return os.Mkdir(p, 0o700) }, "not a plain file"},
		"a pipe":            {func(p string) error { return syscall.Mkfifo(p, 0o600) }, "not a plain file"},
		"a link to a token": {linkTo(good), "symbolic link"},
		"a link to nothing": {func(p string) error { return os.Symlink(p+".absent", p) }, "symbolic link"},
	} {
		t.Run(name, func(t *testing.T) {
			d := open(t, filepath.Join(t.TempDir(), "data"))
			path := filepath.Join(d.Path(), "owner.token")
			if err := c.make(path); err != nil {
				t.Fatal(err)
			}
			token, err := d.OwnerToken()
			if c.says == "" {
				if err != nil || token != good {
					t.Errorf("got %q, %v", token, err)
				}
				return
			}
			if err == nil || token != "" || !strings.Contains(err.Error(), c.says) || !strings.Contains(err.Error(), path) {
				t.Errorf("got %q, %v; want a refusal that names the file and says %q", token, err, c.says)
			}
			if err != nil && (strings.Contains(err.Error(), good) || strings.Contains(err.Error(), "horse")) {
				t.Errorf("the refusal quotes the file: %v", err)
			}
		})
	}
}

func modeOf(content string, mode os.FileMode) func(string) error {
	return func(path string) error {
		return errors.Join(os.WriteFile(path, []byte(content), 0o600), os.Chmod(path, mode))
	}
}

func linkTo(content string) func(string) error {
	return func(path string) error {
		return errors.Join(os.WriteFile(path+".real", []byte(content), 0o600), os.Symlink(path+".real", path))
	}
}

// What cannot be written leaves nothing behind and is said.
func TestOwnerTokenInADirectoryThatIsGone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "d")
	d := open(t, path)
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if token, err := d.OwnerToken(); err == nil || token != "" {
		t.Errorf("got %q, %v; want an error", token, err)
	}
	if _, err := d.Hold(); err == nil || errors.Is(err, datadir.ErrHeld) {
		t.Errorf("got %v, want an error that is not ErrHeld", err)
	}
}
