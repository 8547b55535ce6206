package schema

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Limits of one JSON text, the same on every surface.
const (
	// MaxBytes is the largest JSON text one call may carry.
	MaxBytes = 4 << 20
	// MaxDepth is how deep arrays and objects may nest; [] is one level.
	MaxDepth = 64
)

// Kind says what is wrong with a JSON text. Its text is the keyword a [Violation] carries.
type Kind string

// The kinds of [Fault].
const (
	// Syntax: the text is not JSON (RFC 8259).
	Syntax Kind = "syntax"
	// UTF8: a string holds bytes that are not UTF-8, or an escaped half of a surrogate pair.
	UTF8 Kind = "utf8"
	// Duplicate: an object gives one key twice.
	Duplicate Kind = "duplicate"
	// Depth: the text nests deeper than [MaxDepth].
	Depth Kind = "depth"
	// Size: the text is larger than [MaxBytes].
	Size Kind = "size"
	// Number: a number has over 1,000 characters or an exponent beyond 400.
	Number Kind = "number"
)

// Fault says why a JSON text is refused before any schema is asked.
type Fault struct {
	Kind    Kind
	Pointer string // where, as an RFC 6901 pointer; "" is the root
	Offset  int    // where, as a byte offset
	Message string // what to fix
}

// Error is the fault's message with its place.
func (f *Fault) Error() string {
	return fmt.Sprintf("%s (at %s, byte %d)", f.Message, place(f.Pointer), f.Offset)
}

// Violation is the fault in the shape every surface shows.
func (f *Fault) Violation() Violation {
	return Violation{Pointer: f.Pointer, Keyword: string(f.Kind), Message: f.Error()}
}

// place names a pointer inside a sentence.
func place(pointer string) string {
	if pointer == "" {
		return "the root"
	}
	return printable(cut(pointer, 80))
}

// Scan judges JSON text itself: RFC 8259 grammar, valid UTF-8 and no lone surrogate escapes, no duplicate keys (compared
// unescaped), at most [MaxDepth] levels and [MaxBytes] bytes, numbers within reach of exact arithmetic. It answers nil when
// the text is fine and else the first fault. It reads once and allocates nothing for objects of up to 16 keys.
func Scan(data []byte) *Fault {
	if len(data) > MaxBytes {
		return &Fault{Kind: Size, Offset: MaxBytes, Message: fmt.Sprintf(
			"the text has %d bytes and at most %d are taken: send less", len(data), MaxBytes)}
	}
	return scan(data, MaxDepth)
}

// scan is Scan without a size limit and with a depth of the caller's choice.
func scan(data []byte, depth int) *Fault {
	s := scanner{data: data, depth: depth}
	if s.text() {
		return nil
	}
	return s.fault()
}

// scanner walks one text. Its methods answer the index after what they read, or -1 with the flaw noted.
type scanner struct {
	data  []byte
	depth int
	quiet bool // do not note the path of a flaw: the caller only wants yes or no
	flaw  flaw
	at    int
	path  []string // tokens from the flaw up to the root
}

func (s *scanner) fail(f flaw, at int) int {
	s.flaw, s.at = f, at
	return -1
}

func (s *scanner) text() bool {
	d := s.data
	i := skipSpace(d, 0)
	switch {
	case i == len(d):
		s.fail(flawEmpty, i)
		return false
	case len(d) >= 3 && d[0] == 0xEF && d[1] == 0xBB && d[2] == 0xBF:
		s.fail(flawMark, 0)
		return false
	}
	if i = s.value(i, 0); i < 0 {
		return false
	}
	if i = skipSpace(d, i); i != len(d) {
		s.fail(flawTrailing, i)
		return false
	}
	return true
}

// value reads the value at i, which nests inside depth arrays and objects.
func (s *scanner) value(i, depth int) int {
	if i >= len(s.data) {
		return s.fail(flawValue, i)
	}
	var f flaw
	switch c := s.data[i]; c {
	case '"':
		i, _, f = readString(s.data, i)
	case '{', '[':
		if depth >= s.depth {
			return s.fail(flawDepth, i)
		}
		if c == '{' {
			return s.object(i, depth+1)
		}
		return s.array(i, depth+1)
	case 't', 'f', 'n':
		i, f = readLiteral(s.data, i)
	case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		i, _, f = readNumber(s.data, i)
	default:
		f = flawValue
	}
	if f != flawless {
		return s.fail(f, i)
	}
	return i
}

func (s *scanner) object(i, depth int) int {
	d := s.data
	if i = skipSpace(d, i+1); i < len(d) && d[i] == '}' {
		return i + 1
	}
	var keys keySet
	for {
		if i >= len(d) || d[i] != '"' {
			return s.fail(flawKey, i)
		}
		key := i
		next, escaped, f := readString(d, i)
		if f != flawless {
			return s.fail(f, next)
		}
		if !keys.add(d, key+1, next-1, escaped) {
			if !s.quiet {
				s.step(unescape(d[key+1 : next-1]))
			}
			return s.fail(flawDuplicate, key)
		}
		if i = skipSpace(d, next); i >= len(d) || d[i] != ':' {
			return s.fail(flawColon, i)
		}
		if i = s.value(skipSpace(d, i+1), depth); i < 0 {
			if !s.quiet {
				s.step(unescape(d[key+1 : next-1]))
			}
			return -1
		}
		i = skipSpace(d, i)
		switch {
		case i < len(d) && d[i] == ',':
			i = skipSpace(d, i+1)
		case i < len(d) && d[i] == '}':
			return i + 1
		default:
			return s.fail(flawObject, i)
		}
	}
}

func (s *scanner) array(i, depth int) int {
	d := s.data
	if i = skipSpace(d, i+1); i < len(d) && d[i] == ']' {
		return i + 1
	}
	for n := 0; ; n++ {
		if i = s.value(i, depth); i < 0 {
			if !s.quiet {
				s.step(strconv.Itoa(n))
			}
			return -1
		}
		i = skipSpace(d, i)
		switch {
		case i < len(d) && d[i] == ',':
			i = skipSpace(d, i+1)
		case i < len(d) && d[i] == ']':
			return i + 1
		default:
			return s.fail(flawArray, i)
		}
	}
}

func (s *scanner) step(token string) { s.path = append(s.path, token) }

// fault words the noted flaw.
func (s *scanner) fault() *Fault {
	var pointer strings.Builder
	for _, token := range slices.Backward(s.path) {
		pointer.WriteString("/" + escapeToken(token))
	}
	f := &Fault{Kind: Syntax, Pointer: pointer.String(), Offset: s.at}
	switch s.flaw {
	case flawUTF8:
		f.Kind, f.Message = UTF8, "the text is not valid UTF-8: encode it as UTF-8"
	case flawSurrogate:
		f.Kind, f.Message = UTF8, `a \u escape is half of a surrogate pair: send both halves or the character itself`
	case flawDuplicate:
		f.Kind, f.Message = Duplicate, fmt.Sprintf("field %s is given twice: keep one", quote(s.path[0]))
	case flawDepth:
		f.Kind, f.Message = Depth, fmt.Sprintf("more than %d levels of nesting: send a flatter value", s.depth)
	case flawRange:
		f.Kind, f.Message = Number, fmt.Sprintf(
			"a number has over %d characters or an exponent beyond %d: send it as a string", maxNumberBytes, maxExponent)
	default:
		f.Message = "this is not JSON: " + s.syntax()
	}
	return f
}

func (s *scanner) syntax() string {
	switch s.flaw {
	case flawEmpty:
		return "the text is empty, send a value"
	case flawMark:
		return "it starts with a byte order mark, remove it"
	case flawTrailing:
		return "something follows the value, send one value only"
	case flawLiteral:
		return "the word is not true, false or null"
	case flawControl:
		return `a string holds a raw control character, write it as an escape such as \n`
	case flawEscape:
		return `a string holds an unknown escape, use \" \\ \/ \b \f \n \r \t or \u and four hex digits`
	case flawString:
		return "a string has no closing quote"
	case flawNumber:
		return "the number is malformed"
	case flawKey:
		return "expected a field name in double quotes"
	case flawColon:
		return "expected ':' after the field name"
	case flawObject:
		return "expected ',' or '}' after the field's value"
	case flawArray:
		return "expected ',' or ']' after the item"
	default:
		return "expected a value"
	}
}

// unescape decodes what stands between the quotes of a string that has been scanned.
func unescape(inner []byte) string {
	if bytes.IndexByte(inner, '\\') < 0 {
		return string(inner)
	}
	quoted := make([]byte, 0, len(inner)+2)
	quoted = append(append(append(quoted, '"'), inner...), '"')
	var s string
	if err := json.Unmarshal(quoted, &s); err != nil {
		return string(inner) // not reached for scanned text
	}
	return s
}
