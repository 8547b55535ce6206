package rawjson

import (
	"errors"
	"math"
)

// What [Valid] and [Scan] answer.
var (
	// ErrSyntax: the text is not JSON (RFC 8259).
	ErrSyntax = errors.New("not valid JSON")
	// ErrDeep: the text nests deeper than was allowed.
	ErrDeep = errors.New("nested too deep")
)

// AnyDepth is the depth of a value that may nest as deep as it likes.
const AnyDepth = math.MaxInt

// Valid judges whether data is one JSON value of at most depth levels, with nothing
// but white space around it. It answers nil, [ErrSyntax] or [ErrDeep].
func Valid(data []byte, depth int) error {
	i, _, err := Scan(data, Space(data, 0), depth)
	if err != nil {
		return err
	}
	if Space(data, i) != len(data) {
		return ErrSyntax
	}
	return nil
}

// Scan judges the JSON value that begins at data[i] (RFC 8259), which may nest depth
// levels, and answers the index after it and how many levels it nests. On
// [ErrSyntax] and [ErrDeep] they are the index and the levels reached. It keeps its
// place itself instead of calling itself, so that what a stranger nests a million
// levels deep costs a bit a level and no stack.
func Scan(data []byte, i, depth int) (end, deepest int, err error) {
	var open nesting
	for {
		// A value begins at i.
		if i >= len(data) {
			return i, deepest, ErrSyntax
		}
		switch c := data[i]; c {
		case '{', '[':
			if open.levels >= depth {
				return i, deepest, ErrDeep
			}
			open.push(c == '{')
			deepest = max(deepest, open.levels)
			if i = Space(data, i+1); i >= len(data) || data[i] != closing(c == '{') {
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
			if i = Space(data, i); i >= len(data) {
				return i, deepest, ErrSyntax
			}
			object := open.object()
			if data[i] == ',' {
				if i = Space(data, i+1); object {
					if i, err = scanKey(data, i); err != nil {
						return i, deepest, err
					}
				}
				break
			}
			if data[i] != closing(object) {
				return i, deepest, ErrSyntax
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
		return i, ErrSyntax
	}
	i, err := scanString(data, i)
	if err != nil {
		return i, err
	}
	if i = Space(data, i); i >= len(data) || data[i] != ':' {
		return i, ErrSyntax
	}
	return Space(data, i+1), nil
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
				return i, ErrSyntax
			}
			switch data[i] {
			case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
			case 'u':
				if i+4 >= len(data) || !isHex(data[i+1:i+5]) {
					return i, ErrSyntax
				}
				i += 4
			default:
				return i, ErrSyntax
			}
		case c < ' ':
			return i, ErrSyntax
		}
	}
	return i, ErrSyntax
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
	return i, ErrSyntax
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
		return i, ErrSyntax
	}
	if i < len(data) && data[i] == '.' {
		if i++; !digits() {
			return i, ErrSyntax
		}
	}
	if i < len(data) && (data[i] == 'e' || data[i] == 'E') {
		if i++; i < len(data) && (data[i] == '+' || data[i] == '-') {
			i++
		}
		if !digits() {
			return i, ErrSyntax
		}
	}
	return i, nil
}
