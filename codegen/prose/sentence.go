package prose

import (
	"regexp"
	"slices"
	"strings"
)

// A word is one of a sentence, or a number, a code span, a mark.
type word struct {
	text string // in small letters, unless it is code
	line int
	code bool
	mark bool // . , ; : ( ) | ! ? or a dash
	n    int  // the number that it is; -1 for none
}

// is reports whether it is one of some words.
func (w word) is(words ...string) bool {
	return !w.code && slices.Contains(words, w.text)
}

// A block is what stands together: a paragraph, a heading, an item of a list, a row.
type block struct {
	lines   []Passage
	counts  bool   // whether it says a number
	words   []word // only then
	section int
	heading bool
	row     bool
	item    bool
	names   []string // the code spans of the first cell, or at the beginning of the item
}

var (
	ruleLine = regexp.MustCompile(`^[\s|:-]+$`)
	itemLine = regexp.MustCompile(`^\s*(?:[-*+]|\d+[.)])\s+`)
	leaders  = regexp.MustCompile(`^\s*(?://+|/\*+|\*+/?|>)\s?`)
)

// blocks puts the sentences of a document together again. Outside of Markdown every block
// is a section of its own.
func blocks(d *Document) []block {
	var all []block
	section, last, open := 0, -1, false
	for _, p := range d.Passages {
		if p.Form != Prose {
			continue
		}
		text := p.Text
		if !d.markdown || strings.HasPrefix(text, ">") {
			text = leaders.ReplaceAllString(text, "")
		}
		plain := strings.TrimLeft(text, " \t")
		if plain == "" || p.Line > last+1 {
			open = false
		}
		last = p.Line
		if plain == "" || d.markdown && strings.IndexByte("|:-", plain[0]) >= 0 && ruleLine.MatchString(text) {
			continue
		}
		b := block{section: section}
		if d.markdown {
			b.heading, b.row = plain[0] == '#', plain[0] == '|'
			b.item = (strings.IndexByte("-*+", plain[0]) >= 0 || isDigit(plain[0])) && itemLine.MatchString(text)
		}
		if b.heading {
			section++
			b.section = section
		}
		if b.row || b.item {
			b.names = firstNames(text)
		}
		if !d.markdown && !open {
			section++
			b.section = section
		}
		if !open || b.heading || b.row || b.item || all[len(all)-1].heading || all[len(all)-1].row {
			all = append(all, b)
		}
		open = true
		at := &all[len(all)-1]
		if b.item {
			text = itemLine.ReplaceAllString(text, "")
		}
		at.lines = append(at.lines, Passage{Line: p.Line, Text: strings.TrimLeft(text, "# ")})
		at.counts = at.counts || saysNumber(text)
	}
	for i := range all {
		for _, one := range all[i].lines {
			if !all[i].counts {
				break // nobody asks
			}
			all[i].words = cut(all[i].words, one.Line, one.Text)
		}
	}
	return all
}

// firstNames answers the code spans that a row or an item begins with.
func firstNames(text string) (names []string) {
	text = strings.TrimLeft(itemLine.ReplaceAllString(text, ""), " |")
	for {
		text = strings.TrimLeft(text, " */,[")
		rest, ok := strings.CutPrefix(text, "`")
		if !ok {
			return names
		}
		name, after, ok := strings.Cut(rest, "`")
		if !ok {
			return names
		}
		names = append(names, name)
		text = after
	}
}

// cut cuts a line into words and adds them.
func cut(all []word, line int, text string) []word {
	for i := 0; i < len(text); {
		c := text[i]
		switch {
		case c == '`':
			inner, _, ok := strings.Cut(text[i+1:], "`")
			if !ok {
				inner = ""
			}
			all = append(all, word{text: inner, line: line, code: true, n: -1})
			i += len(inner) + 2
		case isWord(c):
			j := i + 1
			for j < len(text) && (isWord(text[j]) || inWord(text, j)) {
				j++
			}
			w := word{text: strings.ToLower(text[i:j]), line: line, n: -1}
			if n, ok := numberOf(w.text); ok && !bound(text, i, j) {
				w.n = n
			}
			all = append(all, w)
			i = j
		case strings.IndexByte(".,;:()|!?", c) >= 0:
			all = append(all, word{text: string(c), line: line, mark: true, n: -1})
			i++
		case strings.HasPrefix(text[i:], "\u2014"), strings.HasPrefix(text[i:], "\u2013"):
			all = append(all, word{text: "-", line: line, mark: true, n: -1})
			i += len("\u2014")
		default:
			i++
		}
	}
	return all
}

// inWord reports whether a sign within a word belongs to it: a dash, an apostrophe, the
// comma or the point of a number.
func inWord(text string, i int) bool {
	if i+1 >= len(text) || !isWord(text[i+1]) {
		return false
	}
	switch text[i] {
	case '-', '\'', '_':
		return true
	case ',', '.':
		return isDigit(text[i-1]) && isDigit(text[i+1])
	}
	return false
}

// bound reports whether something stands so close to a number that it is part of a name, a
// version, a sum of money or a share.
func bound(text string, i, j int) bool {
	before := i > 0 && strings.IndexByte("#$/.-+=<>~^_", text[i-1]) >= 0
	after := j < len(text) && strings.IndexByte("%/+=_^", text[j]) >= 0
	return before || after
}

// sentences cuts the words of a block at its full stops.
func sentences(b *block) (all [][]word) {
	begin := 0
	for i, t := range b.words {
		if t.mark && (t.text == "." || t.text == "!" || t.text == "?" || b.row && t.text == "|") {
			all = append(all, b.words[begin:i])
			begin = i + 1
		}
	}
	return append(all, b.words[begin:])
}
