package holotype

import (
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"sync"

	"github.com/seed-89b9419b/holotype/internal/secrets"
	"github.com/seed-89b9419b/holotype/internal/signin"
)

// signIns answers what sign-ins are kept in: a sealed file of the data directory, and memory
// where there is none, or no place for a key.
func (s *settings) signIns(log *slog.Logger) signin.Sealed {
	switch {
	case s.sealedSignIns != nil:
		return newSealedSignIns(s.sealedSignIns)
	case s.keyless != nil:
		return &unsealedSignIns{Sealed: signin.NewMemory(), tell: sync.OnceFunc(func() { log.Warn("sign_ins_not_kept", "reason", s.keyless.Error()) })}
	}
	return signin.NewMemory()
}

// unsealedSignIns keeps sign-ins as long as the process runs, and tells when there is one
// that somebody might expect to be kept.
type unsealedSignIns struct {
	signin.Sealed
	tell func()
}

// Store implements [signin.Sealed].
func (u *unsealedSignIns) Store(name, value string) error {
	if value != "" {
		u.tell()
	}
	return u.Sealed.Store(name, value)
}

// sealedSignIns keeps sign-ins in a file that is sealed as that of the secrets is. One
// process alone holds a data directory, so that turns are taken within it.
type sealedSignIns struct {
	signin.Turns
	file *secrets.Store

	reading sync.Mutex
	last    *secrets.Snapshot // what was read last; nil for nothing
	of      fs.FileInfo       // the file that it is of
}

func newSealedSignIns(file *secrets.Store) *sealedSignIns {
	return &sealedSignIns{file: file}
}

// Load implements [signin.Sealed].
func (s *sealedSignIns) Load(name string) (string, error) {
	snapshot, err := s.snapshot()
	if err != nil {
		return "", err
	}
	value, _ := snapshot.Get(name)
	return value, nil
}

// snapshot answers what the file holds, and opens it no more often than it changes: each
// account reads it by itself, and who is not signed in looks again and again.
func (s *sealedSignIns) snapshot() (*secrets.Snapshot, error) {
	s.reading.Lock()
	defer s.reading.Unlock()
	of, err := s.file.Stat()
	if err != nil {
		of = nil
	}
	if s.last != nil && of != nil && os.SameFile(of, s.of) && of.ModTime().Equal(s.of.ModTime()) && of.Size() == s.of.Size() {
		return s.last, nil
	}
	s.last = nil
	snapshot, err := s.file.Snapshot()
	if err == nil && of != nil {
		s.last, s.of = snapshot, of
	}
	return snapshot, err
}

// written says that the file was written, or may have been.
func (s *sealedSignIns) written() {
	s.reading.Lock()
	defer s.reading.Unlock()
	s.last = nil
}

// Store implements [signin.Sealed].
func (s *sealedSignIns) Store(name, value string) error {
	defer s.written()
	if value != "" {
		return s.file.Set(name, value)
	}
	if err := s.file.Remove(name); !errors.Is(err, secrets.ErrUnknown) {
		return err
	}
	return nil
}
