package tsclient

import (
	"fmt"
	"strings"

	"github.com/seed-89b9419b/holotype/internal/rawjson"
	"github.com/seed-89b9419b/holotype/internal/unseen"
)

// quoted writes a string literal. Characters that hide or turn text are escaped: what
// stands in the source is what is seen of it.
func quoted(s string) string {
	return escaped(string(rawjson.AppendQuoted(nil, s)), func(r rune) string {
		if r > 0xffff {
			return fmt.Sprintf(`\u{%x}`, r)
		}
		return fmt.Sprintf(`\u%04x`, r)
	})
}

// plain writes text for a comment, which it cannot end.
func plain(s string) string {
	s = strings.ReplaceAll(s, "*/", "* /")
	return escaped(s, func(r rune) string { return fmt.Sprintf("<U+%04X>", r) })
}

// escaped replaces the characters that are not seen, or change how others are.
func escaped(s string, by func(rune) string) string {
	var b strings.Builder
	for _, r := range s {
		if r != '\n' && r != '\t' && unseen.Hides(r) {
			b.WriteString(by(r))
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

// isName reports whether a key may stand in an object without quotes.
func isName(s string) bool {
	for i := range len(s) {
		switch c := s[i]; {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c == '_', c == '$', i > 0 && c >= '0' && c <= '9':
		default:
			return false
		}
	}
	return s != ""
}

// key writes the name of a property.
func key(s string) string {
	if isName(s) {
		return s
	}
	return quoted(s)
}

// isStatus reports whether a key is a number, as statuses stand in the types.
func isStatus(s string) bool {
	return len(s) == 3 && strings.Trim(s, "0123456789") == ""
}
