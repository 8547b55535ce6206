// Package confstore keeps the entries of the configuration that were given over the API, with who changed what and when.
//
// Everything stands in one file, which is replaced as a whole: a crash at any moment leaves the state before a change or the one after it, never
// a part. One process uses it at a time, the one that holds the data directory; there is no lock of its own.
//
// An entry is kept as it was given. What it refers to, such as ${NAME}, is nobody's business here, and is never resolved.
package confstore

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/seed-89b9419b/holotype/internal/durable"
)

// Entry is an entry that is kept.
type Entry struct {
	// Name is what it is kept under, unique.
	Name string
	// Raw is the entry, a JSON object without insignificant space.
	Raw json.RawMessage
	// Revision is the revision that made it what it is, above 0 and never used twice.
	Revision int64
	// ETag is what a later change may ask for. It changes with the entry, and is never that of another one.
	ETag string
	// By and At say who made it what it is, and when, in UTC.
	By string
	At time.Time
}

// Revision is one change.
type Revision struct {
	// Revision numbers the changes from 1.
	Revision int64 `json:"revision"`
	// Name is the entry that was changed.
	Name string `json:"name"`
	// By and At say who changed it, and when, in UTC.
	By string    `json:"by"`
	At time.Time `json:"at"`
	// Before and After are the entry, nil where there was none or is none.
	Before json.RawMessage `json:"before,omitempty"`
	After  json.RawMessage `json:"after,omitempty"`
}

// Check judges what the entries would be after a change, before it is made. Its error is the answer to whoever asked for the change.
type Check func(after []Entry) error

// Store is the file, read into memory. It is safe for use by several goroutines.
type Store struct {
	path string
	now  func() time.Time

	mu    sync.Mutex
	state state
}

// Open reads the file; one that does not exist is an empty store, and is made by the first change. now is the clock of the revisions.
func Open(path string, now func() time.Time) (*Store, error) {
	s := &Store{path: path, now: now, state: state{Format: format}}
	kept, err := read(path)
	if err == nil {
		s.state = kept
	} else if !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if err := durable.Sweep(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("cleaning up beside %s: %w", path, err)
	}
	return s, nil
}

// List returns the entries in the order in which they were first put.
func (s *Store) List() []Entry {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.state.list()
}

// Get returns an entry. The error is a [*ConditionError] that is [ErrNotFound].
func (s *Store) Get(name string) (Entry, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if i := s.state.find(name); i >= 0 {
		return s.state.Entries[i].entry(), nil
	}
	return Entry{}, &ConditionError{Name: name, Reason: ErrNotFound}
}

// History returns the changes of an entry, of every entry for "", the newest first. It reaches back as far as [MaxHistory] changes and
// [MaxHistoryBytes] of entries go; the entries themselves are never dropped.
func (s *Store) History(name string) []Revision {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []Revision
	for _, r := range slices.Backward(s.state.History) {
		if name == "" || r.Name == name {
			r.Before, r.After = bytes.Clone(r.Before), bytes.Clone(r.After)
			out = append(out, r)
		}
	}
	return out
}

// Put keeps an entry under a name, at the end for one that is new. by is who asks for it. An entry that is the same already stays as it is,
// with its revision. The error is a [*ConditionError], a [*BoundError], what check answers, or that of a write that failed; nothing changes then.
func (s *Store) Put(name string, raw json.RawMessage, by string, when Condition, check Check) (Entry, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	next, err := s.state.put(name, raw, by, s.time(), when)
	if err != nil {
		return Entry{}, err
	}
	if err := s.commit(next, check); err != nil {
		return Entry{}, err
	}
	return s.state.Entries[s.state.find(name)].entry(), nil
}

// Delete takes an entry away, as [Store.Put] changes one.
func (s *Store) Delete(name, by string, when Condition, check Check) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	next, err := s.state.remove(name, by, s.time(), when)
	if err != nil {
		return err
	}
	return s.commit(next, check)
}

// TryPut answers what [Store.Put] would, without doing it: the entries as they would be.
func (s *Store) TryPut(name string, raw json.RawMessage, by string, when Condition) ([]Entry, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	next, err := s.state.put(name, raw, by, s.time(), when)
	return next.list(), err
}

// TryDelete answers what [Store.Delete] would, without doing it: the entries as they would be.
func (s *Store) TryDelete(name, by string, when Condition) ([]Entry, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	next, err := s.state.remove(name, by, s.time(), when)
	return next.list(), err
}

// time is the clock's, as it reads back from the file.
func (s *Store) time() time.Time { return s.now().UTC().Round(0) }

// commit checks and writes the next state, and takes it over. s.mu is held.
func (s *Store) commit(next state, check Check) error {
	if check != nil {
		if err := check(next.list()); err != nil {
			return err
		}
	}
	if next.Last == s.state.Last {
		return nil
	}
	content, err := next.encode()
	if err != nil {
		return err
	}
	if err := durable.Replace(s.path, content); err != nil {
		// It may have failed after the file was replaced. What could not be written stays as it was, in memory too.
		if there, readErr := read(s.path); readErr == nil && there.Last == next.Last {
			s.state = there
		}
		return fmt.Errorf("writing %s: %w", s.path, err)
	}
	s.state = next
	return nil
}

// read answers the state of a file that exists.
func read(path string) (state, error) {
	f, err := os.Open(path)
	if err != nil {
		return state{}, fmt.Errorf("reading the stored configuration: %w", err)
	}
	content, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err = errors.Join(err, f.Close()); err != nil {
		return state{}, fmt.Errorf("reading the stored configuration: %w", err)
	}
	s, err := decode(content)
	if err != nil {
		return state{}, fmt.Errorf("the stored configuration %s cannot be used: %w; put it back from a backup, or remove it, and with it every entry that was added over the API", path, err)
	}
	return s, nil
}

// compacted returns an object without insignificant space.
func compacted(raw json.RawMessage) (json.RawMessage, error) {
	var out bytes.Buffer
	if err := json.Compact(&out, raw); err != nil || !bytes.HasPrefix(out.Bytes(), []byte("{")) {
		return nil, errors.New("the entry is not a JSON object")
	}
	return out.Bytes(), nil
}
