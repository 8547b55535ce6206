package wire

import (
	"fmt"
	"unicode/utf8"
)

// appendText appends a string as JSON, byte for byte as encoding/json writes it
// without escaping HTML. Invalid UTF-8 becomes U+FFFD.
func appendText[S string | []byte](b []byte, s S) []byte {
	b = append(b, '"')
	from := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= ' ' && c < utf8.RuneSelf && c != '"' && c != '\\' {
			i++
			continue
		}
		size, escape := 1, ""
		switch c {
		case '"':
			escape = `\"`
		case '\\':
			escape = `\\`
		case '\b':
			escape = `\b`
		case '\f':
			escape = `\f`
		case '\n':
			escape = `\n`
		case '\r':
			escape = `\r`
		case '\t':
			escape = `\t`
		default:
			escape, size = rare(s[i:min(i+utf8.UTFMax, len(s))])
		}
		if escape != "" {
			b = append(append(b, s[from:i]...), escape...)
			from = i + size
		}
		i += size
	}
	return append(append(b, s[from:]...), '"')
}

// rare answers the escape of the control character or of the character beyond ASCII
// that s begins with, "" where it stands for itself, and how many bytes it has.
func rare[S string | []byte](s S) (escape string, size int) {
	if s[0] < ' ' {
		return fmt.Sprintf(`\u%04x`, s[0]), 1
	}
	r, size := utf8.DecodeRuneInString(string(s))
	switch {
	case r == utf8.RuneError && size == 1:
		return `\ufffd`, 1
	case r == '\u2028' || r == '\u2029': // lines end there in old JavaScript
		return fmt.Sprintf(`\u%04x`, r), size
	}
	return "", size
}
