package prose

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// An escape is a claim that its text marks as deliberate:
//
//	<!-- prose: allow list_wrogn what a caller who mistypes sends -->   Markdown, templates
//	//prose:allow list_wrogn what a caller who mistypes sends           Go, TypeScript
//	# prose: allow list_wrogn what a caller who mistypes sends          YAML
//
// It holds for its own line, and where nothing else stands on that, for the lines down to
// the next blank one. A claim of more than one word stands in backticks or quotes.
type escape struct {
	line        int
	first, last int // the lines that it covers
	text, why   string
}

var (
	markedMarkdown = regexp.MustCompile(`<!--\s*prose:\s*allow\b(.*?)-->`)
	markedTemplate = regexp.MustCompile(`(?:<!--|\{\{-?\s*/\*)\s*prose:\s*allow\b(.*?)(?:-->|\*/\s*-?\}\})`)
	markedYAML     = regexp.MustCompile(`(?:^|\s)#\s*prose:\s*allow\b(.*)$`)
	escaped        = regexp.MustCompile("^\\s*(?:`([^`]+)`|\"([^\"]+)\"|(\\S+))\\s*(.*?)\\s*$")
)

// escapeMarkdown takes the escapes of a line, and answers the line without them. One
// within a code span is shown, not meant.
func (d *Document) escapeMarkdown(line int, text string) string {
	if !strings.Contains(text, "prose:") {
		return text
	}
	for _, s := range slices.Backward(spans(text)) {
		if strings.Contains(text[s[0]:s[1]], "<!--") {
			return d.escapeMarkdown(line, text[:s[0]]) + text[s[0]:s[1]] + d.escapeIn(line, text[s[1]:], markedMarkdown)
		}
	}
	return d.escapeIn(line, text, markedMarkdown)
}

// escapeIn takes the escapes of a line that a pattern finds, and answers it without them.
func (d *Document) escapeIn(line int, text string, marked *regexp.Regexp) string {
	if !strings.Contains(text, "prose:") {
		return text
	}
	return marked.ReplaceAllStringFunc(text, func(s string) string {
		d.escape(line, marked.FindStringSubmatch(s)[1])
		return ""
	})
}

// escape notes one escape, with what stands behind the word allow.
func (d *Document) escape(line int, rest string) {
	e := escape{line: line, first: line, last: line}
	if m := escaped.FindStringSubmatch(rest); m != nil {
		e.text, e.why = m[1]+m[2]+strings.TrimSuffix(m[3], ":"), strings.TrimLeft(m[4], ":- ")
	}
	if alone(d.lines[min(line, len(d.lines))-1]) {
		if n := len(d.escapes); n > 0 && d.escapes[n-1].last > line { // it reaches as far as the one above it
			e.last = d.escapes[n-1].last
		}
		for e.last < len(d.lines) && strings.TrimSpace(d.lines[e.last]) != "" {
			e.last++
		}
	}
	d.escapes = append(d.escapes, e)
}

// alone reports whether an escape has its line for itself.
func alone(line string) bool {
	line = strings.TrimSpace(line)
	for _, begin := range []string{"<!--", "{{/*", "{{- /*", "//", "#", "/*"} {
		if strings.HasPrefix(line, begin) {
			return !strings.Contains(line, "-->") || strings.HasSuffix(line, "-->")
		}
	}
	return false
}

// escapeOf answers the escape that covers a finding, or -1.
func (d *Document) escapeOf(f Finding) int {
	for i, e := range d.escapes {
		if e.text == f.Claim && e.first <= f.Line && f.Line <= e.last {
			return i
		}
	}
	return -1
}

// spare answers a finding for every escape that is needed no longer, or says no reason.
func (d *Document) spare(needed []bool) (all []Finding) {
	for i, e := range d.escapes {
		f := Finding{File: d.Name, Line: e.line, Kind: KindAllow, Claim: e.text}
		switch {
		case e.text == "" || utf8.RuneCountInString(e.why) < 3:
			f.Why = "an escape names a claim and says why: prose: allow CLAIM REASON"
		case !needed[i]:
			f.Why = fmt.Sprintf("nothing on lines %d to %d needs this escape: take it away", e.first, e.last)
		default:
			continue
		}
		all = append(all, f)
	}
	return all
}
