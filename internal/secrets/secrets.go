// Package secrets keeps named secrets in a file that is sealed with age: encrypted and authenticated to the key of an identity in a second
// file, which stands outside the directory that the sealed file is backed up and copied with.
//
// It protects what is at rest: a copy of the data directory says nothing without the key, and a damaged or exchanged file is noticed. It does
// not protect from who can read both files, such as any process of the same user.
//
// No value is in an error, and none comes out of formatting, logging or marshalling a type of this package.
package secrets

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"github.com/seed-89b9419b/holotype/internal/durable"
)

// Options say where a store is.
type Options struct {
	// File is the sealed file. Its directory exists.
	File string
	// KeyFile is the file of the identity.
	KeyFile string
	// DataDir is a directory that KeyFile must not be in, such as the data directory that File is in; empty is none.
	DataDir string
}

// ErrUnknown says that there is no secret of a name.
var ErrUnknown = errors.New("there is no such secret")

// Store is a sealed file with its key. It holds nothing open and remembers no value; it is safe for use by several goroutines, and any number
// of processes may have a store of the same file.
type Store struct {
	file, key, dataDir string
	digestKey          []byte
	mu                 sync.Mutex // over the file: the lock of the directory is between processes
}

// Open returns the store. It reads and makes no file: a store without files is empty. The error says that the key would be in the directory
// that it protects, whatever links lead there.
func Open(o Options) (*Store, error) {
	s := &Store{}
	var err error
	if s.file, err = absolute("the file of the secrets", o.File); err != nil {
		return nil, err
	}
	if s.key, err = absolute("the key of the secrets", o.KeyFile); err != nil {
		return nil, err
	}
	if o.DataDir != "" {
		if s.dataDir, err = absolute("the data directory", o.DataDir); err != nil {
			return nil, err
		}
	}
	s.digestKey = make([]byte, 32)
	_, _ = rand.Read(s.digestKey) // never fails: see crypto/rand
	if err := s.checkPlace(); err != nil {
		return nil, err
	}
	return s, nil
}

func absolute(what, path string) (string, error) {
	if path == "" {
		return "", fmt.Errorf("no path is given for %s", what)
	}
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", fmt.Errorf("finding %s: %w", what, err)
	}
	return abs, nil
}

// String names the sealed file.
func (s *Store) String() string { return "the secrets in " + s.file }

// Format writes [Store.String], whatever the verb.
func (s *Store) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, s.String()) }

// File returns the absolute path of the sealed file.
func (s *Store) File() string { return s.file }

// KeyFile returns the absolute path of the key.
func (s *Store) KeyFile() string { return s.key }

// Snapshot returns what is sealed now, an empty one when nothing ever was. The error is one sentence that says what to do.
func (s *Store) Snapshot() (*Snapshot, error) {
	values, err := s.read()
	if err != nil {
		return nil, err
	}
	return newSnapshot(values, s.digestKey), nil
}

// Stat answers the sealed file. Each change puts another file in its place, so that who keeps a [Snapshot] can tell whether it is still right.
func (s *Store) Stat() (fs.FileInfo, error) { return os.Stat(s.file) }

// Set seals a value under a name, in place of one that is there. It makes the key when neither the key nor a sealed file exists. When it returns
// nil, the value survives a crash of the machine; when it fails, what was sealed is as it was. See [CheckName] and [CheckValue].
func (s *Store) Set(name, value string) error {
	if err := errors.Join(CheckName(name), CheckValue(value)); err != nil {
		return err
	}
	return s.change(func(values map[string]string) error {
		values[name] = value
		return nil
	})
}

// Remove takes a secret away. The error is [ErrUnknown] when there is none of that name.
func (s *Store) Remove(name string) error {
	if err := CheckName(name); err != nil {
		return err
	}
	return s.change(func(values map[string]string) error {
		if _, ok := values[name]; !ok {
			return fmt.Errorf("%w: %s", ErrUnknown, name)
		}
		delete(values, name)
		return nil
	})
}

// change reads, changes and writes while no other process does.
func (s *Store) change(f func(values map[string]string) error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	failed := func(err error) error { return fmt.Errorf("writing the secrets to %s: %w", s.file, err) }
	ran := false
	err := durable.Alone(filepath.Dir(s.file), func() error {
		ran = true
		values, err := s.read()
		if err != nil {
			return err
		}
		if err := f(values); err != nil {
			return err
		}
		content, err := encode(values)
		if err != nil {
			return err
		}
		identity, err := s.identity()
		if errors.Is(err, fs.ErrNotExist) {
			// read answered that there is no sealed file either.
			identity, err = s.makeIdentity()
		}
		if err != nil {
			return err
		}
		sealed, err := seal(content, identity.Recipient())
		if err != nil {
			return failed(err)
		}
		if err := errors.Join(durable.Sweep(s.file), durable.Replace(s.file, sealed)); err != nil {
			return failed(err)
		}
		return nil
	})
	if err != nil && !ran {
		return failed(err)
	}
	return err
}

// read opens the sealed file. It is one that is replaced as a whole, so that a reader needs no lock.
func (s *Store) read() (map[string]string, error) {
	sealed, err := readBounded(s.file, maxSealed)
	if errors.Is(err, fs.ErrNotExist) {
		return map[string]string{}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading the secrets: %w", err)
	}
	identity, err := s.identity()
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("the secrets in %s are sealed and their key %s does not exist; put it back from a backup, name it with HOLOTYPE_SECRETS_KEY_FILE, "+
			"or remove the sealed file and set every secret again", s.file, s.key)
	}
	if err != nil {
		return nil, err
	}
	return s.open(sealed, identity)
}

// readBounded reads a plain file of at most so many bytes. It does not wait for the writer of a pipe.
func readBounded(path string, most int64) ([]byte, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|nonBlocking, 0)
	if err != nil {
		return nil, err
	}
	content, err := readOpen(f, most)
	return content, errors.Join(err, f.Close())
}
