// Package hintfile keeps on disk which hints of bridged tools were accepted, so that a
// change towards danger is noticed across restarts too.
package hintfile

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/durable"
	"github.com/seed-89b9419b/holotype/internal/plainfile"
)

// File is the file, read into memory. It is safe for use by several goroutines; one
// process uses it at a time, the one that holds the data directory.
type File struct {
	path string

	mu    sync.Mutex
	known map[instance]record
}

type instance struct{ seat, server string }

type record struct {
	hints   map[string]capabilities.Hints
	removed time.Time // when it was first seen to be configured no more; zero while it is
}

const (
	// keptFor is how long the hints of a server are kept that is configured no more. To
	// take it out and put it in again is not to accept what it says by then.
	keptFor = 90 * 24 * time.Hour
	// maxRemoved is how many of them there are at most; the latest are kept.
	maxRemoved = 1000
)

// maxFile is far more than the hints of all servers that one process bridges.
const maxFile = 256 << 20

// The form of the file: what is not said of a hint is unknown.
type (
	document struct {
		Servers []server `json:"servers"`
	}
	server struct {
		Server  string          `json:"server"`
		Seat    string          `json:"seat,omitempty"`
		Removed time.Time       `json:"removed,omitzero"`
		Tools   map[string]tool `json:"tools"`
	}
	tool struct {
		ReadOnly    *bool `json:"read_only,omitempty"`
		Destructive *bool `json:"destructive,omitempty"`
		Idempotent  *bool `json:"idempotent,omitempty"`
		OpenWorld   *bool `json:"open_world,omitempty"`
	}
)

// Open reads the file at path; one that does not exist knows nothing, and is made by
// the first [File.Remember]. The error says what to do about a file that cannot be
// read.
func Open(path string) (*File, error) {
	f := &File{path: path, known: map[instance]record{}}
	if err := durable.Sweep(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("cleaning up beside %s: %w", path, err)
	}
	data, err := plainfile.Read(path, maxFile)
	if errors.Is(err, fs.ErrNotExist) {
		return f, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading the accepted hints in %s: %w", path, err)
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	var doc document
	if err := d.Decode(&doc); err != nil {
		return nil, fmt.Errorf("reading the accepted hints in %s: %w; restore the file, or remove it, which accepts the hints as they are next seen", path, err)
	}
	for _, s := range doc.Servers {
		hints := make(map[string]capabilities.Hints, len(s.Tools))
		for name, t := range s.Tools {
			hints[name] = capabilities.Hints{
				ReadOnly: hint(t.ReadOnly), Destructive: hint(t.Destructive), Idempotent: hint(t.Idempotent), OpenWorld: hint(t.OpenWorld),
			}
		}
		f.known[instance{s.Seat, s.Server}] = record{hints, s.Removed}
	}
	return f, nil
}

// Recall answers the hints of a server's tools, by the tools' own names, as they were
// remembered last; ok is false when nothing was. seat is "" for a server that everybody
// shares. The map is the caller's to read, not to change.
func (f *File) Recall(seat, server string) (hints map[string]capabilities.Hints, ok bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	known, ok := f.known[instance{seat, server}]
	return known.hints, ok
}

// Remember replaces what is known of a server and writes the file. hints must not be
// changed afterwards.
func (f *File) Remember(seat, server string, hints map[string]capabilities.Hints) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	key := instance{seat, server}
	if before, ok := f.known[key]; ok && before.removed.IsZero() && maps.Equal(before.hints, hints) {
		return nil
	}
	next := maps.Clone(f.known)
	next[key] = record{hints: hints}
	return f.write(next)
}

// Retain is told which servers are configured now. It forgets those that were taken out
// of the configuration long ago, or among too many others since, and writes the file
// when that changes anything.
func (f *File) Retain(configured func(seat, server string) bool, now time.Time) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	next := maps.Clone(f.known)
	var removed []instance
	for key, r := range f.known {
		switch there := configured(key.seat, key.server); {
		case there:
			r.removed = time.Time{}
		case r.removed.IsZero() || r.removed.After(now): // a clock was wrong
			r.removed = now.UTC().Truncate(time.Second)
		}
		switch next[key] = r; {
		case r.removed.IsZero():
		case now.Sub(r.removed) > keptFor:
			delete(next, key)
		default:
			removed = append(removed, key)
		}
	}
	slices.SortFunc(removed, func(a, b instance) int {
		return cmp.Or(next[b].removed.Compare(next[a].removed), strings.Compare(a.server, b.server), strings.Compare(a.seat, b.seat))
	})
	for _, key := range removed[min(len(removed), maxRemoved):] {
		delete(next, key)
	}
	if maps.EqualFunc(f.known, next, func(a, b record) bool { return a.removed.Equal(b.removed) }) {
		return nil
	}
	return f.write(next)
}

// write makes next what is known, on disk first. mu is held.
func (f *File) write(next map[instance]record) error {
	data, err := json.MarshalIndent(written(next), "", "\t")
	if err != nil {
		return fmt.Errorf("writing the accepted hints: %w", err)
	}
	if err := durable.Replace(f.path, append(data, '\n')); err != nil {
		return fmt.Errorf("writing the accepted hints: %w", err)
	}
	f.known = next
	return nil
}

func written(known map[instance]record) document {
	doc := document{Servers: []server{}}
	for key, r := range known {
		s := server{Server: key.server, Seat: key.seat, Removed: r.removed, Tools: make(map[string]tool, len(r.hints))}
		for name, h := range r.hints {
			s.Tools[name] = tool{truth(h.ReadOnly), truth(h.Destructive), truth(h.Idempotent), truth(h.OpenWorld)}
		}
		doc.Servers = append(doc.Servers, s)
	}
	slices.SortFunc(doc.Servers, func(a, b server) int {
		return slices.Compare([]string{a.Server, a.Seat}, []string{b.Server, b.Seat})
	})
	return doc
}

func hint(b *bool) capabilities.Hint {
	switch {
	case b == nil:
		return capabilities.Unknown
	case *b:
		return capabilities.Yes
	}
	return capabilities.No
}

func truth(h capabilities.Hint) *bool {
	if !h.Known() {
		return nil
	}
	yes := h == capabilities.Yes
	return &yes
}
