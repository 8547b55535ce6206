package schema

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// MaxViolations is how many violations one answer lists. When there are more, the first entry, at the root and with keyword
// "violations", says so.
const MaxViolations = 100

// Violation is one thing that is wrong with a call's arguments, worded for whoever must change them.
type Violation struct {
	// Pointer is an RFC 6901 pointer into the arguments; "" is the root. A missing or unknown field is pointed at by its
	// own name. A token over 256 bytes is cut.
	Pointer string `json:"pointer"`
	// Keyword is the JSON Schema keyword that was broken, or the [Kind] of a text that is no acceptable JSON.
	Keyword string `json:"keyword"`
	// Message is a sentence without a subject: the pointer is the subject.
	Message string `json:"message"`
}

// pointerTo renders a path as an RFC 6901 pointer.
func pointerTo(path []string) string {
	var b strings.Builder
	for _, token := range path {
		b.WriteByte('/')
		if len(token) > 256 || strings.ContainsAny(token, "~/") {
			token = escapeToken(token)
		}
		b.WriteString(token)
	}
	return b.String()
}

var tokenEscaper = strings.NewReplacer("~", "~0", "/", "~1")

func escapeToken(token string) string { return tokenEscaper.Replace(cut(token, 256)) }

// cut shortens text to at most n bytes, on a character's edge, and marks the cut.
func cut(text string, n int) string {
	if len(text) <= n {
		return text
	}
	n -= len("...")
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n] + "..."
}

// printable replaces what could act on a terminal or hide in a sentence.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return utf8.RuneError
	}, text)
}

// quote shows a name or a string value inside a sentence: short, and with nothing in it that could act on a terminal.
func quote(text string) string { return strconv.Quote(cut(text, 40)) }
