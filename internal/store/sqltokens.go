package store

import (
	"fmt"
	"strings"
)

// sqlKind is what sort of token stands in a statement.
type sqlKind uint8

const (
	sqlWord sqlKind = iota // a keyword or a name
	sqlNumber
	sqlString
	sqlSymbol // an operator, a bracket, a placeholder
)

// sqlToken is one token of a statement.
type sqlToken struct {
	kind  sqlKind
	text  string // in capitals, if it is a word; "" of a string
	depth int    // how many brackets are open around it
}

func (t sqlToken) is(text string) bool { return t.kind != sqlString && t.text == text }

// sqlTokens splits a statement of the portable subset: plain names, numbers, quoted
// strings, ? and few operators. What an engine might read in another way than this
// program does is a fault, and so is all that could hide something: comments, quoted
// names, a second statement.
func sqlTokens(query string) (tokens []sqlToken, fault string) {
	if len(query) > longestQuery {
		return nil, fmt.Sprintf("has %d bytes, at most %d are taken", len(query), longestQuery)
	}
	depth := 0
	for i := 0; i < len(query); {
		c := query[i]
		n := 1
		t := sqlToken{kind: sqlSymbol, depth: depth}
		switch {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			i++
			continue
		case nameStart(c):
			for i+n < len(query) && (nameStart(query[i+n]) || digit(query[i+n])) {
				n++
			}
			t.kind, t.text = sqlWord, strings.ToUpper(query[i:i+n])
		case digit(c):
			for i+n < len(query) && (digit(query[i+n]) || query[i+n] == '.') {
				n++
			}
			if i+n < len(query) && nameStart(query[i+n]) {
				return nil, fmt.Sprintf("has %q, which is no plain number", query[i:i+n+1])
			}
			t.kind, t.text = sqlNumber, query[i:i+n]
		case c == '\'':
			n = stringEnd(query[i:])
			if n == 0 {
				return nil, "has a string without an end"
			}
			t.kind = sqlString
		default:
			n = symbolLength(query[i:])
			if n == 0 {
				return nil, fmt.Sprintf("has %q, which is not portable: write plain names, ? for values, and no comment", query[i:min(i+2, len(query))])
			}
			t.text = query[i : i+n]
			switch c {
			case '(':
				depth++
			case ')':
				depth--
				t.depth--
			}
			if depth < 0 {
				return nil, "closes a bracket that is not open"
			}
		}
		tokens = append(tokens, t)
		i += n
	}
	if depth > 0 {
		return nil, "leaves a bracket open"
	}
	return tokens, ""
}

func nameStart(c byte) bool {
	return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

func digit(c byte) bool { return c >= '0' && c <= '9' }

// stringEnd answers the length of the quoted string that text begins with, or 0. A
// quote in it is doubled, in every engine; a NUL ends the text of some.
func stringEnd(text string) int {
	for i := 1; i < len(text); i++ {
		switch {
		case text[i] == 0:
			return 0
		case text[i] != '\'':
		case i+1 < len(text) && text[i+1] == '\'':
			i++
		default:
			return i + 1
		}
	}
	return 0
}

// symbolLength answers the length of the operator that text begins with, or 0 for one
// that is not portable.
func symbolLength(text string) int {
	two := text[:min(2, len(text))]
	switch two {
	case "<=", ">=", "<>", "!=", "||":
		return 2
	case "--", "/*", "==", "<<", ">>", "->":
		return 0
	}
	if strings.ContainsRune("(),.?*+-/%=<>", rune(text[0])) {
		// A number behind ? would say which argument it takes.
		if text[0] == '?' && len(two) == 2 && digit(two[1]) {
			return 0
		}
		return 1
	}
	return 0
}
