package schema

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf8"
)

// Bounds on one number literal. JSON allows any (RFC 8259 section 6 lets a receiver set limits); exact arithmetic on
// 1e999999 or on a million digits is how one short call burns a core.
const (
	maxNumberBytes = 1000
	maxExponent    = 400
)

// flaw is what a reading function found wrong; flawless means nothing.
type flaw uint8

const (
	flawless flaw = iota
	flawValue
	flawLiteral
	flawString
	flawControl
	flawEscape
	flawUTF8
	flawSurrogate
	flawNumber
	flawRange
	flawKey
	flawColon
	flawObject
	flawArray
	flawTrailing
	flawEmpty
	flawMark
	flawDuplicate
	flawDepth
	flawSize
)

// skipSpace answers the index of the first byte at or after i that is not JSON white space.
func skipSpace(d []byte, i int) int {
	for i < len(d) {
		switch d[i] {
		case ' ', '\n', '\r', '\t':
			i++
		default:
			return i
		}
	}
	return i
}

// readString reads the string whose opening quote is at i. It answers the index after the closing quote and whether
// the string holds an escape; on a flaw, next is where the flaw is.
func readString(d []byte, i int) (next int, escaped bool, f flaw) {
	for i++; ; {
		i = skipPlain(d, i)
		if i >= len(d) {
			return i, escaped, flawString
		}
		switch c := d[i]; {
		case c == '"':
			return i + 1, escaped, flawless
		case c == '\\':
			escaped = true
			if i, f = readEscape(d, i); f != flawless {
				return i, true, f
			}
		case c < 0x20:
			return i, escaped, flawControl
		default:
			r, size := utf8.DecodeRune(d[i:])
			if r == utf8.RuneError && size == 1 {
				return i, escaped, flawUTF8
			}
			i += size
		}
	}
}

// skipPlain answers the index of the first byte at or after i that is no plain character of a string: a quote, a backslash, a
// control character, or the start of a character beyond ASCII. It looks at eight bytes at a time: subtracting borrows into a
// byte's top bit where the byte is below what is subtracted, and the lowest such bit is exact.
func skipPlain(d []byte, i int) int {
	const (
		ones = 0x0101010101010101
		tops = 0x8080808080808080
	)
	for i+8 <= len(d) {
		w := binary.LittleEndian.Uint64(d[i:])
		quote, backslash := (w^'"'*ones)-ones, (w^'\\'*ones)-ones
		special := (w | quote | backslash | (w - 0x20*ones)) & tops
		if special != 0 {
			return i + bits.TrailingZeros64(special)/8
		}
		i += 8
	}
	for i < len(d) && d[i] >= 0x20 && d[i] < utf8.RuneSelf && d[i] != '"' && d[i] != '\\' {
		i++
	}
	return i
}

// readEscape reads the escape whose backslash is at i. A surrogate must come as a pair: a lone one is no character,
// and decoders replace it without a word.
func readEscape(d []byte, i int) (int, flaw) {
	if i+1 >= len(d) {
		return i, flawString
	}
	switch d[i+1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return i + 2, flawless
	case 'u':
		unit, ok := readHex(d, i+2)
		switch {
		case !ok:
			return i, flawEscape
		case unit < 0xD800 || unit > 0xDFFF:
			return i + 6, flawless
		case unit > 0xDBFF:
			return i, flawSurrogate
		}
		if i+7 < len(d) && d[i+6] == '\\' && d[i+7] == 'u' {
			if low, ok := readHex(d, i+8); ok && low >= 0xDC00 && low <= 0xDFFF {
				return i + 12, flawless
			}
		}
		return i, flawSurrogate
	}
	return i, flawEscape
}

func readHex(d []byte, i int) (unit uint32, ok bool) {
	if i+4 > len(d) {
		return 0, false
	}
	for _, c := range d[i : i+4] {
		unit <<= 4
		switch {
		case c >= '0' && c <= '9':
			unit |= uint32(c - '0')
		case c >= 'a' && c <= 'f':
			unit |= uint32(c-'a') + 10
		case c >= 'A' && c <= 'F':
			unit |= uint32(c-'A') + 10
		default:
			return 0, false
		}
	}
	return unit, true
}

// readNumber reads the number at i. whole says that it is written without fraction and exponent.
func readNumber(d []byte, i int) (next int, whole bool, f flaw) {
	start, n := i, len(d)
	if d[i] == '-' {
		i++
	}
	switch {
	case i >= n || !digit(d[i]):
		return start, false, flawNumber
	case d[i] == '0':
		i++
		if i < n && digit(d[i]) {
			return start, false, flawNumber
		}
	default:
		i = skipDigits(d, i)
	}
	whole = true
	if i < n && d[i] == '.' {
		whole = false
		at := i + 1
		if i = skipDigits(d, at); i == at {
			return start, false, flawNumber
		}
	}
	if i < n && (d[i] == 'e' || d[i] == 'E') {
		whole = false
		i++
		if i < n && (d[i] == '+' || d[i] == '-') {
			i++
		}
		at := i
		if i = skipDigits(d, at); i == at {
			return start, false, flawNumber
		}
		if exponent(d[at:i]) > maxExponent {
			return start, false, flawRange
		}
	}
	if i-start > maxNumberBytes {
		return start, false, flawRange
	}
	return i, whole, flawless
}

// exponent reads digits and stops counting once they are past every bound.
func exponent(digits []byte) int {
	n := 0
	for _, c := range digits {
		if n = n*10 + int(c-'0'); n > maxExponent {
			return n
		}
	}
	return n
}

func digit(c byte) bool { return c >= '0' && c <= '9' }

func skipDigits(d []byte, i int) int {
	for i < len(d) && digit(d[i]) {
		i++
	}
	return i
}

// readLiteral reads true, false or null at i.
func readLiteral(d []byte, i int) (int, flaw) {
	word := "null"
	switch d[i] {
	case 't':
		word = "true"
	case 'f':
		word = "false"
	}
	if len(d)-i < len(word) || string(d[i:i+len(word)]) != word {
		return i, flawLiteral
	}
	return i + len(word), flawless
}
