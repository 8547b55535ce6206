package openapi

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"unicode"
)

// YAML answers the same document as YAML 1.2 in block style. Order and digits
// stay; every string that a YAML 1.1 or 1.2 reader could take for something else
// is quoted. It fails on anything that is no JSON.
func YAML(json []byte) ([]byte, error) {
	n, err := parse(json)
	if err != nil {
		return nil, fmt.Errorf("writing the document as YAML: %w", err)
	}
	return n.yaml(), nil
}

func (n *node) yaml() []byte {
	var b bytes.Buffer
	writeYAML(&b, n, 0, true)
	b.WriteByte('\n')
	return b.Bytes()
}

// writeYAML writes a node. A collection starts on a line of its own unless inline
// says that it is at its place already: at the start, or after "- ".
func writeYAML(b *bytes.Buffer, n *node, indent int, inline bool) {
	line := func(i int) {
		if i > 0 || !inline {
			b.WriteByte('\n')
			b.WriteString(strings.Repeat(" ", indent))
		}
	}
	switch {
	case n.kind == kindObject && len(n.members) > 0:
		for i, m := range n.members {
			line(i)
			writeYAMLString(b, m.key)
			b.WriteByte(':')
			if m.value.flat() {
				b.WriteByte(' ')
			}
			writeYAML(b, m.value, indent+2, false)
		}
	case n.kind == kindArray && len(n.items) > 0:
		for i, item := range n.items {
			line(i)
			b.WriteString("- ")
			writeYAML(b, item, indent+2, true)
		}
	case n.kind == kindString:
		writeYAMLString(b, n.text)
	case n.kind == kindNumber:
		b.WriteString(yamlNumber(n.text))
	default: // null, booleans, and empty collections are the same in both
		n.write(b)
	}
}

// flat reports whether a node is written on one line.
func (n *node) flat() bool { return len(n.members) == 0 && len(n.items) == 0 }

var (
	// plainYAML is text that reads as itself: it starts with a letter or "/", and
	// holds nothing that ends, comments or quotes a scalar.
	plainYAML = regexp.MustCompile(`^[A-Za-z/][A-Za-z0-9 ./_{}()+=;'-]*$`)
	// yamlWord is what some version of YAML reads as no string.
	yamlWord = regexp.MustCompile(`(?i)^(y|n|yes|no|on|off|true|false|null|e[0-9]+)$`)
)

func writeYAMLString(b *bytes.Buffer, s string) {
	if plainYAML.MatchString(s) && !yamlWord.MatchString(s) && !strings.HasSuffix(s, " ") {
		b.WriteString(s)
		return
	}
	var quoted bytes.Buffer
	writeString(&quoted, s)
	for _, r := range quoted.String() {
		switch {
		case r == unicode.ReplacementChar || r < 0x7f || r > 0x9f && r < 0xd800 || r >= 0xe000 && r < 0xfeff || r > 0xfeff && r < 0xfffe:
			b.WriteRune(r)
		case r > 0xffff:
			fmt.Fprintf(b, `\U%08x`, r)
		default: // not printable in YAML, section 5.1
			fmt.Fprintf(b, `\u%04x`, r)
		}
	}
}

// yamlNumber writes a JSON number so that YAML 1.1 readers take it for one too:
// they want a point and a sign in what has an exponent.
func yamlNumber(s string) string {
	i := strings.IndexAny(s, "eE")
	if i < 0 {
		return s
	}
	mantissa, exponent := s[:i], s[i+1:]
	if !strings.Contains(mantissa, ".") {
		mantissa += ".0"
	}
	if exponent[0] != '+' && exponent[0] != '-' {
		exponent = "+" + exponent
	}
	return mantissa + "e" + exponent
}
