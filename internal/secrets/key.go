package secrets

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"filippo.io/age"

	"github.com/seed-89b9419b/holotype/internal/durable"
)

const maxKeyFile = 64 << 10

// identity reads the key, with the form that age-keygen writes: lines of comments and one identity. The error is [fs.ErrNotExist] when there is
// no file.
func (s *Store) identity() (*age.X25519Identity, error) {
	if err := s.checkPlace(); err != nil { // a link may have been put there meanwhile
		return nil, err
	}
	f, err := os.OpenFile(s.key, os.O_RDONLY|nonBlocking, 0)
	if err != nil {
		return nil, fmt.Errorf("reading the key of the secrets: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("reading the key of the secrets: %w", err)
	}
	if mode := info.Mode().Perm(); info.Mode().IsRegular() && mode&0o077 != 0 {
		return nil, fmt.Errorf("the key of the secrets %s may be used by other users (mode %04o); run chmod 600 %s", s.key, mode, shellWord(s.key))
	}
	if stat, ok := info.Sys().(*syscall.Stat_t); !ok || int(stat.Uid) != os.Geteuid() && stat.Uid != 0 {
		return nil, fmt.Errorf("the key of the secrets %s belongs to another user, who could exchange it; use a file of your own", s.key)
	}
	content, err := readOpen(f, maxKeyFile)
	if err != nil {
		return nil, fmt.Errorf("reading the key of the secrets: %w", err)
	}
	// What the library says of a malformed key may quote it.
	identities, err := age.ParseIdentities(bytes.NewReader(content))
	if err == nil && len(identities) == 1 {
		if x, ok := identities[0].(*age.X25519Identity); ok {
			return x, nil
		}
	}
	return nil, fmt.Errorf("%s does not hold one key of the kind that age-keygen makes (AGE-SECRET-KEY-1...); put the right key there, or name another file with HOLOTYPE_SECRETS_KEY_FILE", s.key)
}

// makeIdentity makes the key and its directory, or takes the one that another process made meanwhile.
func (s *Store) makeIdentity() (*age.X25519Identity, error) {
	failed := func(err error) error {
		return fmt.Errorf("making the key of the secrets: %w; make it yourself, or name another place with HOLOTYPE_SECRETS_KEY_FILE", err)
	}
	identity, err := age.GenerateX25519Identity()
	if err != nil {
		return nil, failed(err)
	}
	dir := filepath.Dir(s.key)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, failed(err)
	}
	if err := s.checkPlace(); err != nil {
		return nil, err
	}
	text := "# the key of secrets that are sealed with age; keep a copy where the sealed file is not\n# public key: " +
		identity.Recipient().String() + "\n" + identity.String() + "\n"
	err = durable.Create(s.key, []byte(text))
	if errors.Is(err, fs.ErrExist) {
		return s.identity()
	}
	if err != nil {
		return nil, failed(err)
	}
	return identity, nil
}

// checkPlace refuses a key that is, or would be made, in the data directory: who copies one must not copy the other.
func (s *Store) checkPlace() error {
	if s.dataDir == "" {
		return nil
	}
	data, err := resolved(s.dataDir)
	if err != nil {
		return fmt.Errorf("finding the data directory: %w", err)
	}
	target, err := resolved(s.key)
	if err != nil {
		return fmt.Errorf("finding the key of the secrets: %w", err)
	}
	if within(s.key, data) || within(target, data) {
		return fmt.Errorf("the key of the secrets %s is in the data directory %s, so that a copy of that directory would hold both; "+
			"move it elsewhere and name it with HOLOTYPE_SECRETS_KEY_FILE", s.key, s.dataDir)
	}
	return nil
}

// within reports whether a path leads through a directory: by name for one that is not there yet, else by what it is, whatever its spelling.
func within(path, dir string) bool {
	info, err := os.Stat(dir)
	for at := path; ; at = filepath.Dir(at) {
		if at == dir {
			return true
		}
		if here, missing := os.Stat(at); err == nil && missing == nil && os.SameFile(here, info) {
			return true
		}
		if at == filepath.Dir(at) {
			return false
		}
	}
}

// resolved follows the links of a path, also of one that is not there yet.
func resolved(path string) (string, error) {
	const most = 40 // links, as Linux counts them
	for range most {
		whole, err := filepath.EvalSymlinks(path)
		if err == nil || !errors.Is(err, fs.ErrNotExist) {
			return whole, err
		}
		target, err := os.Readlink(path)
		if err != nil { // not a link that leads nowhere: what is missing is above
			dir, err := resolved(filepath.Dir(path))
			return filepath.Join(dir, filepath.Base(path)), err
		}
		if !filepath.IsAbs(target) {
			target = filepath.Join(filepath.Dir(path), target)
		}
		path = target
	}
	return "", fmt.Errorf("%s: too many symbolic links", path)
}

// shellWord quotes a path for a command that a person copies.
func shellWord(s string) string {
	plain := strings.IndexFunc(s, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune("_./@%+=:,-", r)
	}) < 0
	if plain && s != "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
