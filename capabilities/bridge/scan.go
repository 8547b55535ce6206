package bridge

import (
	"bytes"
	"encoding/json"
	"errors"
	"iter"
	"math"
)

// The scanner walks JSON without building values. Whatever a server sends is
// validated once, on arrival, by [scanValue]; after that the cheaper [skipValue]
// finds the parts. Bytes are never rewritten on the way, so integers beyond 2^53,
// key order and members nobody here knows pass through.

var (
	errSyntax = errors.New("not valid JSON")
	errDeep   = errors.New("nested too deep")
)

// anyDepth is the depth of a value that may nest as deep as it likes.
const anyDepth = math.MaxInt

// scanValue validates the JSON value that starts at data[i] (RFC 8259) and
// answers the index after it. depth is how many levels it may nest. It answers
// errSyntax or errDeep with the index reached.
func scanValue(data []byte, i, depth int) (int, error) {
	i, _, err := scanNested(data, i, depth)
	return i, err
}

// scanNested is [scanValue] that also answers how many levels the value nests. It
// keeps its place itself instead of calling itself, so that what a stranger nests
// a million levels deep costs a bit a level and no stack.
func scanNested(data []byte, i, depth int) (end, deepest int, err error) {
	var open nesting
	for {
		// A value begins at i.
		if i >= len(data) {
			return i, deepest, errSyntax
		}
		switch c := data[i]; c {
		case '{', '[':
			if open.levels >= depth {
				return i, deepest, errDeep
			}
			open.push(c == '{')
			deepest = max(deepest, open.levels)
			if i = space(data, i+1); i >= len(data) || data[i] != closing(c == '{') {
				if c == '{' {
					if i, err = scanKey(data, i); err != nil {
						return i, deepest, err
					}
				}
				continue
			}
			open.pop()
			i++
		case '"':
			i, err = scanString(data, i)
		case 't':
			i, err = scanWord(data, i, "true")
		case 'f':
			i, err = scanWord(data, i, "false")
		case 'n':
			i, err = scanWord(data, i, "null")
		default:
			i, err = scanNumber(data, i)
		}
		if err != nil {
			return i, deepest, err
		}
		// A value ended before i, and with it perhaps what it stood in.
		for {
			if open.levels == 0 {
				return i, deepest, nil
			}
			if i = space(data, i); i >= len(data) {
				return i, deepest, errSyntax
			}
			object := open.object()
			if data[i] == ',' {
				if i = space(data, i+1); object {
					if i, err = scanKey(data, i); err != nil {
						return i, deepest, err
					}
				}
				break
			}
			if data[i] != closing(object) {
				return i, deepest, errSyntax
			}
			open.pop()
			i++
		}
	}
}

func closing(object bool) byte {
	if object {
		return '}'
	}
	return ']'
}

// scanKey reads a key and its colon and answers where the value begins.
func scanKey(data []byte, i int) (int, error) {
	if i >= len(data) || data[i] != '"' {
		return i, errSyntax
	}
	i, err := scanString(data, i)
	if err != nil {
		return i, err
	}
	if i = space(data, i); i >= len(data) || data[i] != ':' {
		return i, errSyntax
	}
	return space(data, i+1), nil
}

// A nesting is what stands open around a place in JSON, a bit a level: set for an
// object, clear for an array.
type nesting struct {
	levels int
	inner  uint64   // the innermost up to 64
	outer  []uint64 // full words, outermost first
}

func (n *nesting) push(object bool) {
	if n.levels > 0 && n.levels%64 == 0 {
		n.outer = append(n.outer, n.inner)
		n.inner = 0
	}
	n.inner <<= 1
	if object {
		n.inner |= 1
	}
	n.levels++
}

func (n *nesting) pop() {
	n.inner >>= 1
	n.levels--
	if n.levels > 0 && n.levels%64 == 0 {
		n.inner = n.outer[len(n.outer)-1]
		n.outer = n.outer[:len(n.outer)-1]
	}
}

func (n *nesting) object() bool { return n.inner&1 == 1 }

func scanString(data []byte, i int) (int, error) {
	for i++; i < len(data); i++ {
		switch c := data[i]; {
		case c == '"':
			return i + 1, nil
		case c == '\\':
			i++
			if i >= len(data) {
				return i, errSyntax
			}
			switch data[i] {
			case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
			case 'u':
				if i+4 >= len(data) || !isHex(data[i+1:i+5]) {
					return i, errSyntax
				}
				i += 4
			default:
				return i, errSyntax
			}
		case c < ' ':
			return i, errSyntax
		}
	}
	return i, errSyntax
}

func isHex(b []byte) bool {
	for _, c := range b {
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') && (c < 'A' || c > 'F') {
			return false
		}
	}
	return true
}

func scanWord(data []byte, i int, word string) (int, error) {
	if len(data)-i >= len(word) && string(data[i:i+len(word)]) == word {
		return i + len(word), nil
	}
	return i, errSyntax
}

func scanNumber(data []byte, i int) (int, error) {
	digits := func() bool {
		from := i
		for i < len(data) && data[i] >= '0' && data[i] <= '9' {
			i++
		}
		return i > from
	}
	if data[i] == '-' {
		i++
	}
	if i < len(data) && data[i] == '0' {
		i++
	} else if !digits() {
		return i, errSyntax
	}
	if i < len(data) && data[i] == '.' {
		if i++; !digits() {
			return i, errSyntax
		}
	}
	if i < len(data) && (data[i] == 'e' || data[i] == 'E') {
		if i++; i < len(data) && (data[i] == '+' || data[i] == '-') {
			i++
		}
		if !digits() {
			return i, errSyntax
		}
	}
	return i, nil
}

// space answers the index of the first byte from i on that is not JSON white
// space.
func space(data []byte, i int) int {
	for i < len(data) && (data[i] == ' ' || data[i] == '\n' || data[i] == '\r' || data[i] == '\t') {
		i++
	}
	return i
}

// valid reports whether data is one JSON value of at most depth levels, with
// nothing but white space around it.
func valid(data []byte, depth int) error {
	i, err := scanValue(data, space(data, 0), depth)
	if err != nil {
		return err
	}
	if space(data, i) != len(data) {
		return errSyntax
	}
	return nil
}

// skipValue answers the index after the value at data[i]. The data must have
// passed [scanValue].
func skipValue(data []byte, i int) int {
	switch data[i] {
	case '"':
		return skipString(data, i)
	case '{', '[':
		for depth := 0; i < len(data); {
			switch data[i] {
			case '"':
				i = skipString(data, i)
				continue
			case '{', '[':
				depth++
			case '}', ']':
				if depth--; depth == 0 {
					return i + 1
				}
			}
			i++
		}
		return len(data)
	default:
		for i < len(data) {
			switch data[i] {
			case ',', '}', ']', ' ', '\n', '\r', '\t':
				return i
			}
			i++
		}
		return i
	}
}

// skipString jumps from quote to quote, so that long texts cost next to nothing.
func skipString(data []byte, i int) int {
	for i++; i < len(data); {
		q := bytes.IndexByte(data[i:], '"')
		if q < 0 {
			return len(data)
		}
		q += i
		back := q
		for back > i && data[back-1] == '\\' {
			back--
		}
		if (q-back)%2 == 0 {
			return q + 1
		}
		i = q + 1
	}
	return i
}

// members ranges over the members of a validated JSON object: the decoded key
// and the raw value, which aliases data. Anything but an object has none.
func members(data []byte) iter.Seq2[string, json.RawMessage] {
	return func(yield func(string, json.RawMessage) bool) {
		i := space(data, 0)
		if i >= len(data) || data[i] != '{' {
			return
		}
		for i = space(data, i+1); i < len(data) && data[i] == '"'; i = space(data, i+1) {
			end := skipString(data, i)
			key := unquote(data[i:end])
			i = space(data, end)
			i = space(data, i+1) // the colon
			end = skipValue(data, i)
			if !yield(key, data[i:end:end]) {
				return
			}
			if i = space(data, end); i >= len(data) || data[i] != ',' {
				return
			}
		}
	}
}

// elements ranges over the raw elements of a validated JSON array. Anything but
// an array has none.
func elements(data []byte) iter.Seq2[int, json.RawMessage] {
	return func(yield func(int, json.RawMessage) bool) {
		i := space(data, 0)
		if i >= len(data) || data[i] != '[' {
			return
		}
		i = space(data, i+1)
		for n := 0; i < len(data) && data[i] != ']'; n++ {
			end := skipValue(data, i)
			if !yield(n, data[i:end:end]) {
				return
			}
			if i = space(data, end); i < len(data) && data[i] == ',' {
				i = space(data, i+1)
			}
		}
	}
}

// unquote decodes a validated JSON string.
func unquote(raw []byte) string {
	if bytes.IndexByte(raw, '\\') < 0 {
		return string(raw[1 : len(raw)-1])
	}
	var s string
	if err := json.Unmarshal(raw, &s); err != nil {
		return string(raw)
	}
	return s
}

// stringValue decodes raw when it is a JSON string.
func stringValue(raw json.RawMessage) (string, bool) {
	if kindOf(raw) != '"' {
		return "", false
	}
	return unquote(raw), true
}

// boolValue decodes raw when it is a JSON boolean.
func boolValue(raw json.RawMessage) (value, ok bool) {
	switch string(raw) {
	case "true":
		return true, true
	case "false":
		return false, true
	}
	return false, false
}

// kindOf answers the first byte of a raw value: '{', '[', '"', 't', 'f', 'n', a
// digit or '-'; 0 when there is none.
func kindOf(raw json.RawMessage) byte {
	if len(raw) == 0 {
		return 0
	}
	return raw[0]
}

// appendQuoted appends s as a JSON string, without HTML escaping.
func appendQuoted(b []byte, s string) []byte {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(s); err != nil { // cannot happen: a string always encodes
		return append(b, `""`...)
	}
	return append(b, bytes.TrimSuffix(buf.Bytes(), []byte("\n"))...)
}
