package postgres

import (
	"strconv"
	"strings"
)

// Rebind numbers the ? of a statement. Those in strings, in quoted names and in comments
// stay.
func (e *Engine) Rebind(query string) string {
	if !strings.Contains(query, "?") {
		return query
	}
	var b strings.Builder
	n := 0
	for i := 0; i < len(query); {
		end := i + 1
		switch rest := query[i:]; {
		case rest[0] == '\'' || rest[0] == '"':
			// A doubled quote ends one and begins the next.
			end = i + 1 + through(rest[1:], rest[:1])
		case strings.HasPrefix(rest, "--"):
			end = i + through(rest, "\n")
		case strings.HasPrefix(rest, "/*"):
			end = i + comment(rest)
		case rest[0] == '?':
			n++
			b.WriteString("$" + strconv.Itoa(n))
			i++
			continue
		}
		b.WriteString(query[i:end])
		i = end
	}
	return b.String()
}

// through answers how long a text is up to and with what ends it.
func through(text, end string) int {
	if i := strings.Index(text, end); i >= 0 {
		return i + len(end)
	}
	return len(text)
}

// comment answers how long the comment is that a text begins with; they nest.
func comment(text string) int {
	depth := 0
	for i := 0; i < len(text); i++ {
		switch {
		case strings.HasPrefix(text[i:], "/*"):
			depth++
			i++
		case strings.HasPrefix(text[i:], "*/"):
			i++
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return len(text)
}
