package entrytext

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// Format is how a file is written.
type Format uint8

// The closed set of formats.
const (
	JSON Format = iota // comments and trailing commas are read, and never written where there were none
	TOML
	YAML
)

// String names the format.
func (f Format) String() string { return [...]string{"JSON", "TOML", "YAML"}[f] }

// ErrUncertain says that an entry is written, or would have to be, in a way that this
// package does not edit.
var ErrUncertain = errors.New("it is written in a way that cannot be edited without touching something else: change it by hand")

// ErrThere says that an entry that was to be added is there, whatever it says.
var ErrThere = errors.New("there is an entry of this name")

// ErrNotThere says that there is no entry to remove.
var ErrNotThere = errors.New("there is no entry of this name")

// Fault is a text that is not of its format.
type Fault struct {
	Line, Column int // 1-based; 0 is not known
	Message      string
}

// Error answers line:column: message.
func (f *Fault) Error() string {
	switch {
	case f.Line == 0:
		return f.Message
	case f.Column == 0:
		return fmt.Sprintf("line %d: %s", f.Line, f.Message)
	}
	return fmt.Sprintf("line %d, column %d: %s", f.Line, f.Column, f.Message)
}

// faultAt is a fault at an index of a text.
func faultAt(text []byte, i int, format string, args ...any) *Fault {
	i = min(i, len(text))
	start := bytes.LastIndexByte(text[:i], '\n') + 1
	return &Fault{bytes.Count(text[:i], []byte{'\n'}) + 1, utf8.RuneCount(text[start:i]) + 1, fmt.Sprintf(format, args...)}
}

// Read answers what a text says. Text that says nothing is a map without members, and so
// is anything that was never written. The error is a [*Fault].
func Read(f Format, text []byte) (Value, error) {
	if !utf8.Valid(text) {
		return Value{}, &Fault{Message: "the text is not UTF-8"}
	}
	var v Value
	var err error
	switch f {
	case JSON:
		v, err = valueOfJSON(text)
	case TOML:
		v, err = valueOfTOML(text)
	case YAML:
		v, err = valueOfYAML(text)
	}
	if err == nil && v.Kind != Map {
		return Value{}, &Fault{Message: "the file holds " + v.Kind.String() + " and not an object"}
	}
	return v, err
}

// Add answers a text with one entry more in the map at a path, whose maps are made where
// they are missing. The error is [ErrThere], [ErrUncertain] or a [*Fault].
func Add(f Format, text []byte, path []string, name string, entry Value) ([]byte, error) {
	old, err := Read(f, text)
	if err != nil {
		return nil, err
	}
	if err := passable(old, path); err != nil {
		return nil, err
	}
	if _, there := old.At(append(slices.Clone(path), name)); there {
		return nil, ErrThere
	}
	var edits []edit
	switch f {
	case JSON:
		edits, err = addJSON(text, path, name, entry)
	case TOML:
		edits = addTOML(text, path, name, entry)
	case YAML:
		edits, err = addYAML(text, path, member(name, entry))
	}
	if err != nil {
		return nil, err
	}
	return checked(f, text, edits, old.with(path, name, entry))
}

// Remove answers a text without one entry of the map at a path. The error is
// [ErrNotThere], [ErrUncertain] or a [*Fault].
func Remove(f Format, text []byte, path []string, name string) ([]byte, error) {
	old, err := Read(f, text)
	if err != nil {
		return nil, err
	}
	if err := passable(old, path); err != nil {
		return nil, err
	}
	if _, there := old.At(append(slices.Clone(path), name)); !there {
		return nil, ErrNotThere
	}
	var edits []edit
	switch f {
	case JSON:
		edits, err = removeJSON(text, path, name)
	case TOML:
		edits, err = removeTOML(text, path, name)
	case YAML:
		edits, err = removeYAML(text, path, name)
	}
	if err != nil {
		return nil, err
	}
	now := old.without(path, name)
	return checked(f, text, edits, now, now.pruned(path))
}

// Append answers a YAML text with one item more at the end of the list of a key, which is
// made where it is missing. The error is [ErrUncertain] or a [*Fault].
func Append(text []byte, key string, item Value) ([]byte, error) {
	old, err := Read(YAML, text)
	if err != nil {
		return nil, err
	}
	list, there := old.Get(key)
	if there && list.Kind != List && list.Kind != Null {
		return nil, &Fault{Message: fmt.Sprintf("%s is %s and not a list", key, list.Kind)}
	}
	edits, err := addYAML(text, []string{key}, element(item))
	if err != nil {
		return nil, err
	}
	return checked(YAML, text, edits, old.set(key, Value{Kind: List, Items: append(slices.Clone(list.Items), item)}))
}

// set answers a map with another value of a key.
func (v Value) set(key string, value Value) Value {
	return v.with(nil, key, value)
}

// passable judges whether a path leads through nothing but maps.
func passable(v Value, path []string) error {
	for i, key := range path {
		next, there := v.Get(key)
		switch {
		case !there:
			return nil
		case next.Kind != Map && next.Kind != Null:
			return &Fault{Message: fmt.Sprintf("%s is %s and not an object", strings.Join(path[:i+1], "."), next.Kind)}
		}
		v = next
	}
	return nil
}

// An edit puts text in the place of some bytes.
type edit struct {
	at, drop int
	insert   string
}

// checked applies edits, and answers the text when it says one of what it may say.
func checked(f Format, text []byte, edits []edit, wanted ...Value) ([]byte, error) {
	slices.SortStableFunc(edits, func(a, b edit) int { return a.at - b.at })
	out := make([]byte, 0, len(text)+512)
	done := 0
	for _, e := range edits {
		if e.at < done || e.at+e.drop > len(text) {
			return nil, ErrUncertain
		}
		out = append(append(out, text[done:e.at]...), e.insert...)
		done = e.at + e.drop
	}
	out = append(out, text[done:]...)
	got, err := Read(f, out)
	if err != nil || !slices.ContainsFunc(wanted, got.Equal) {
		return nil, ErrUncertain
	}
	return out, nil
}

// lineEnd answers what lines of a text end with.
func lineEnd(text []byte) string {
	if i := bytes.IndexByte(text, '\n'); i > 0 && text[i-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

// lineStart answers the index of the first byte of the line that i is in.
func lineStart(text []byte, i int) int { return bytes.LastIndexByte(text[:i], '\n') + 1 }

// indentAt answers the white space that the line of i begins with.
func indentAt(text []byte, i int) string {
	start := lineStart(text, i)
	return string(text[start:skipBlank(text, start)])
}

// skipBlank answers the index of the first byte from i on that is no space and no tab.
func skipBlank(text []byte, i int) int {
	for i < len(text) && (text[i] == ' ' || text[i] == '\t') {
		i++
	}
	return i
}

// lineAfter answers the index of the byte after the end of the line that i is in.
func lineAfter(text []byte, i int) int {
	if n := bytes.IndexByte(text[i:], '\n'); n >= 0 {
		return i + n + 1
	}
	return len(text)
}
