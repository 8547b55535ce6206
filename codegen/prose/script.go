package prose

import "strings"

// readScript cuts TypeScript or JavaScript: its comments, the strings that are sentences,
// and the strings that are a path, as they are fetched. Between the strings of a file
// with markup stands text for people, too.
func readScript(d *Document) {
	s := scriptScanner{d: d, text: d.Text, line: 1}
	for s.at < len(s.text) {
		s.step()
	}
}

// scriptScanner goes through a script. It knows no grammar: a slash begins a regular
// expression where no value can stand before it, and a quote ends at its line.
type scriptScanner struct {
	d    *Document
	text string
	at   int
	line int
	last byte // the last byte that is no blank, outside of strings and comments
}

func (s *scriptScanner) step() {
	c := s.text[s.at]
	switch rest := s.text[s.at:]; {
	case strings.HasPrefix(rest, "//"):
		text, _, _ := strings.Cut(rest, "\n")
		s.comment(text)
	case strings.HasPrefix(rest, "/*"):
		n := strings.Index(rest[2:], "*/")
		if n < 0 {
			n = len(rest) - 4
		}
		s.comment(rest[:n+4])
	case c == '"' || c == '\'':
		if c == '\'' && (isWord(s.last) && s.at > 0 && s.text[s.at-1] == s.last) { // an apostrophe in the text of markup
			s.skip(1)
			return
		}
		s.quoted(c)
	case c == '`':
		s.template()
	case c == '/' && strings.IndexByte("(,=:[!&|?{};+\x00", s.last) >= 0:
		s.pattern()
	case c == '>':
		s.markup()
	default:
		if c != ' ' && c != '\t' && c != '\n' {
			s.last = c
		}
		s.skip(1)
	}
}

func isWord(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || isDigit(c) }

// skip goes on by n bytes and counts their lines.
func (s *scriptScanner) skip(n int) {
	n = min(n, len(s.text)-s.at)
	s.line += strings.Count(s.text[s.at:s.at+n], "\n")
	s.at += n
}

func (s *scriptScanner) comment(text string) {
	if rest, ok := strings.CutPrefix(text, "//prose:allow"); ok {
		s.d.escape(s.line, rest)
	} else {
		s.d.sentences(s.line, text)
	}
	s.skip(len(text))
}

// quoted reads a string on one line.
func (s *scriptScanner) quoted(quote byte) {
	i := s.at + 1
	for i < len(s.text) && s.text[i] != quote && s.text[i] != '\n' {
		if s.text[i] == '\\' {
			i++
		}
		i++
	}
	i = min(i, len(s.text))
	s.value(s.text[s.at+1 : i])
	s.last = quote
	s.skip(i + 1 - s.at)
}

// template reads a template literal; what is put in stands for a value.
func (s *scriptScanner) template() {
	var said strings.Builder
	depth := 0
	i := s.at + 1
	for ; i < len(s.text) && (depth > 0 || s.text[i] != '`'); i++ {
		switch c := s.text[i]; {
		case depth > 0 && c == '{':
			depth++
		case depth > 0 && c == '}':
			depth--
		case depth > 0: // an expression
		case c == '\\':
			i++
		case c == '$' && i+1 < len(s.text) && s.text[i+1] == '{':
			depth = 1
			i++
			said.WriteString(anyValue)
		default:
			said.WriteByte(c)
		}
	}
	s.value(said.String())
	s.last = '`'
	s.skip(i + 1 - s.at)
}

// anyValue stands in a path for a value that is put in.
const anyValue = "<value>"

// value adds a string of the program, where it says something.
func (s *scriptScanner) value(text string) {
	switch {
	case strings.HasPrefix(text, "/") && !strings.ContainsAny(text, " \t\n"):
		s.d.add(s.line, Prose, text) // a path counts below a route of ours alone
	case said(text):
		s.d.sentences(s.line, text)
	}
}

// pattern skips a regular expression.
func (s *scriptScanner) pattern() {
	within := false
	i := s.at + 1
	for ; i < len(s.text) && s.text[i] != '\n' && (within || s.text[i] != '/'); i++ {
		switch s.text[i] {
		case '\\':
			i++
		case '[':
			within = true
		case ']':
			within = false
		}
	}
	s.last = '/'
	s.skip(i + 1 - s.at)
}

// markup reads the text between two tags, up to the next tag or expression.
func (s *scriptScanner) markup() {
	s.last = '>'
	s.skip(1)
	n := strings.IndexAny(s.text[s.at:], "<>{};=()`")
	if n < 0 || s.text[s.at+n] != '<' && s.text[s.at+n] != '{' {
		return // a comparison, or the arrow of a function
	}
	if text := s.text[s.at : s.at+n]; said(text) {
		s.d.sentences(s.line, text)
		s.skip(n)
	}
}
