package secrets

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"log/slog"
	"maps"
	"slices"
	"strconv"
)

// Snapshot is what was sealed at one moment. It does not change; nil and the zero value hold nothing.
type Snapshot struct {
	// held is a function to be printed as an address: fmt asks no method before it prints the fields of what a verb does not fit, or of an
	// unexported field of another type.
	held   func() map[string]string
	digest string
}

func (s *Snapshot) values() map[string]string {
	if s == nil || s.held == nil {
		return nil
	}
	return s.held()
}

func newSnapshot(values map[string]string, key []byte) *Snapshot {
	h := hmac.New(sha256.New, key)
	for _, name := range slices.Sorted(maps.Keys(values)) {
		writeSized(h, name)
		writeSized(h, values[name])
	}
	return &Snapshot{func() map[string]string { return values }, hex.EncodeToString(h.Sum(nil))}
}

func writeSized(h hash.Hash, s string) {
	_ = binary.Write(h, binary.BigEndian, uint64(len(s))) // a hash takes everything
	_, _ = io.WriteString(h, s)
}

// Get returns the value of a name.
func (s *Snapshot) Get(name string) (string, bool) {
	v, ok := s.values()[name]
	return v, ok
}

// Names returns the names, sorted.
func (s *Snapshot) Names() []string { return slices.Sorted(maps.Keys(s.values())) }

// Digest is equal for two snapshots of one [Store] exactly when they hold the same. It says nothing about a value: it cannot be made without a
// key that only that Store has.
func (s *Snapshot) Digest() string {
	if s == nil {
		return ""
	}
	return s.digest
}

// String says how many secrets there are.
func (s Snapshot) String() string { return strconv.Itoa(len(s.values())) + " secrets" }

// Format writes [Snapshot.String], whatever the verb: none of them prints a value.
func (s Snapshot) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, s.String()) }

// LogValue is [Snapshot.String].
func (s Snapshot) LogValue() slog.Value { return slog.StringValue(s.String()) }

// MarshalText is [Snapshot.String]: JSON and whatever else asks for a text gets no value.
func (s Snapshot) MarshalText() ([]byte, error) { return []byte(s.String()), nil }
