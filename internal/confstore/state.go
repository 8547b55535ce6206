package confstore

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"
	"unicode/utf8"
)

// The bounds. A change that would go over one of the first three is refused; of the history the oldest is dropped.
const (
	// MaxEntry is how many bytes an entry may have.
	MaxEntry = 64 << 10
	// MaxEntries is how many entries there may be, and MaxBytes how many bytes all of them together may have.
	MaxEntries = 1000
	MaxBytes   = 8 << 20
	// MaxHistory is how many changes are remembered, and MaxHistoryBytes how many bytes of entries within them.
	MaxHistory      = 500
	MaxHistoryBytes = 4 << 20

	maxName = 256
	maxFile = 32 << 20
	format  = 1
)

// state is what the file holds. It is never changed, only replaced.
type state struct {
	Format int `json:"format"`
	// Last is the number of the last change, kept although the change itself may be forgotten.
	Last    int64      `json:"last"`
	Entries []kept     `json:"entries"`
	History []Revision `json:"history"` // the oldest first
}

type kept struct {
	Name     string          `json:"name"`
	Revision int64           `json:"revision"`
	By       string          `json:"by"`
	At       time.Time       `json:"at"`
	Raw      json.RawMessage `json:"entry"`
}

// etag carries the content beside the number, which begins anew where somebody removes the file.
func (k kept) etag() string {
	sum := sha256.Sum256(append([]byte(k.Name+"\x00"), k.Raw...))
	return strconv.FormatInt(k.Revision, 10) + "-" + hex.EncodeToString(sum[:6])
}

func (k kept) entry() Entry {
	return Entry{Name: k.Name, Raw: bytes.Clone(k.Raw), Revision: k.Revision, ETag: k.etag(), By: k.By, At: k.At}
}

func (s state) list() []Entry {
	var out []Entry
	for _, k := range s.Entries {
		out = append(out, k.entry())
	}
	return out
}

func (s state) find(name string) int {
	return slices.IndexFunc(s.Entries, func(k kept) bool { return k.Name == name })
}

func (s state) put(name string, raw json.RawMessage, by string, at time.Time, when Condition) (state, error) {
	if err := errors.Join(checkWord("name", name), checkWord("author", by)); err != nil {
		return state{}, err
	}
	if !utf8.Valid(raw) {
		return state{}, errors.New("the entry is not UTF-8")
	}
	raw, err := compacted(raw)
	if err != nil {
		return state{}, err
	}
	if len(raw) > MaxEntry {
		return state{}, bound("the entry has %d bytes, and at most %d are kept", len(raw), MaxEntry)
	}
	place := s.find(name)
	if err := when.judge(s, name, place); err != nil {
		return state{}, err
	}
	next := s
	next.Entries = slices.Clone(s.Entries)
	k := kept{name, s.Last + 1, by, at, raw}
	var before json.RawMessage
	switch {
	case place < 0:
		next.Entries = append(next.Entries, k)
	case bytes.Equal(s.Entries[place].Raw, raw):
		return s, nil
	default:
		before = s.Entries[place].Raw
		next.Entries[place] = k
	}
	return next.remembering(Revision{k.Revision, name, by, at, before, raw}), next.bounded()
}

func (s state) remove(name, by string, at time.Time, when Condition) (state, error) {
	if err := checkWord("author", by); err != nil {
		return state{}, err
	}
	place := s.find(name)
	if err := when.judge(s, name, place); err != nil {
		return state{}, err
	}
	if place < 0 {
		return state{}, &ConditionError{Name: name, Reason: ErrNotFound}
	}
	next := s
	next.Entries = slices.Delete(slices.Clone(s.Entries), place, place+1)
	return next.remembering(Revision{s.Last + 1, name, by, at, s.Entries[place].Raw, nil}), nil
}

// remembering adds a change to the history and drops what is over its bounds. The newest change always stays.
func (s state) remembering(r Revision) state {
	s.Last = r.Revision
	s.History = append(slices.Clone(s.History), r)
	size, from := 0, len(s.History)
	for from > 0 && len(s.History)-from < MaxHistory {
		r := s.History[from-1]
		if size += len(r.Before) + len(r.After); size > MaxHistoryBytes && from < len(s.History) {
			break
		}
		from--
	}
	s.History = s.History[from:]
	return s
}

func (s state) bounded() error {
	total := 0
	for _, k := range s.Entries {
		total += len(k.Raw)
	}
	switch {
	case len(s.Entries) > MaxEntries:
		return bound("at most %d entries are kept; remove one first", MaxEntries)
	case total > MaxBytes:
		return bound("all entries together would have %d bytes, and at most %d are kept; remove one first", total, MaxBytes)
	}
	return nil
}

// checkWord judges what is kept beside an entry. What a name may be beyond that is for the check of a change to say.
func checkWord(what, s string) error {
	if s == "" || len(s) > maxName || !utf8.ValidString(s) {
		return fmt.Errorf("the %s must be 1 to %d bytes of UTF-8", what, maxName)
	}
	return nil
}

func (s state) encode() ([]byte, error) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false) // an entry keeps its bytes; indented, a deeply nested one would take a hundred times as many
	if err := enc.Encode(s); err != nil {
		return nil, fmt.Errorf("writing down the stored configuration: %w", err)
	}
	return out.Bytes(), nil
}

func decode(content []byte) (state, error) {
	if len(content) > maxFile {
		return state{}, fmt.Errorf("it is larger than %d bytes", maxFile)
	}
	var s state
	if err := json.Unmarshal(content, &s); err != nil {
		return state{}, errors.New("it is not the JSON that this program writes")
	}
	if s.Format != format {
		return state{}, fmt.Errorf("it has the format %d, and this program knows %d", s.Format, format)
	}
	seen := map[string]bool{}
	for i, k := range s.Entries {
		raw, err := compacted(k.Raw)
		if err != nil || checkWord("name", k.Name) != nil || seen[k.Name] || k.Revision < 1 || k.Revision > s.Last {
			return state{}, fmt.Errorf("entry %d (%q) is not as this program writes it", i, k.Name)
		}
		seen[k.Name], s.Entries[i].Raw = true, raw
	}
	for i, r := range s.History {
		if r.Revision < 1 || r.Revision > s.Last || i > 0 && r.Revision <= s.History[i-1].Revision {
			return state{}, fmt.Errorf("change %d is not as this program writes it", i)
		}
		for _, raw := range []*json.RawMessage{&s.History[i].Before, &s.History[i].After} {
			if *raw != nil {
				one, err := compacted(*raw)
				if err != nil {
					return state{}, fmt.Errorf("change %d is not as this program writes it", i)
				}
				*raw = one
			}
		}
	}
	return s, nil
}
