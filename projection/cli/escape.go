package cli

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/seed-89b9419b/holotype/internal/unseen"
)

// Escape makes one line of text from elsewhere safe to show on a terminal: what a
// terminal would act on, or not show, becomes a visible escape.
func Escape(s string) string { return escape(s, false) }

// EscapeLines is [Escape] for text of several lines, which it stays.
func EscapeLines(s string) string { return escape(s, true) }

// escape makes text from elsewhere safe to show: control characters, bidirectional
// overrides and invisible characters become visible escapes, bytes that are no
// UTF-8 become \xNN. Line breaks and tabs stay where lines is set.
func escape(s string, lines bool) string {
	if plain(s) {
		return s
	}
	var b strings.Builder
	for i, w := 0, 0; i < len(s); i += w {
		var r rune
		r, w = utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && w == 1:
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case lines && r == '\r' && strings.HasPrefix(s[i:], "\r\n"):
			// A line break of two characters is shown as one.
		case lines && (r == '\n' || r == '\t'):
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case hidden(r) && r < 0x10000:
			fmt.Fprintf(&b, `\u%04x`, r)
		case hidden(r):
			fmt.Fprintf(&b, `\U%08x`, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

func plain(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}

// emojiPresentation is the one variation selector that ordinary text has.
const emojiPresentation = '\ufe0f'

// hidden reports whether a terminal would act on a character, or show nothing.
func hidden(r rune) bool {
	switch {
	case r == emojiPresentation || unicode.Is(unicode.Zs, r):
		return false
	case unseen.Shapeless(r):
		return true
	}
	return !unicode.IsPrint(r)
}

// oneLine is escape for the first line of a text, cut to at most width
// characters, the cut marked.
func oneLine(s string, width int) string {
	first, _, more := strings.Cut(strings.TrimSpace(s), "\n")
	first = escape(strings.TrimSpace(first), false)
	switch {
	case utf8.RuneCountInString(first) > width:
		return string([]rune(first)[:width-1]) + "…"
	case more:
		return first + " …"
	}
	return first
}
