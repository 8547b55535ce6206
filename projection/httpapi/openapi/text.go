package openapi

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/seed-89b9419b/holotype/internal/unseen"
)

// visible answers the texts that people read with every character that is not
// seen written out: a stranger's description ends up in comments, on pages and
// before whoever approves a call.
func visible(key string, v *node) *node {
	if (key != "description" && key != "title") || v.kind != kindString {
		return v
	}
	return str(visibleText(v.text))
}

func visibleText(s string) string {
	s = strings.ReplaceAll(s, "\r\n", "\n")
	if !strings.ContainsFunc(s, invisible) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if invisible(r) {
			fmt.Fprintf(&b, "[U+%04X]", r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// invisible reports control characters but for line feed and tab, marks of
// direction, tag characters, and what Unicode sets aside for nobody. The joiners
// that emoji and some scripts are written with are no disguise.
func invisible(r rune) bool {
	switch {
	case r == '\n' || r == '\t' || r == '\u200c' || r == '\u200d' || r == '\ufe0f':
		return false
	}
	return unseen.Hides(r) || unicode.In(r, unicode.Co, unicode.Cs)
}
