package prose

import (
	"regexp"
	"strings"
)

var (
	// What is no text of a page: scripts and styles whole, comments, actions of templates.
	hiddenMarkup = regexp.MustCompile(`(?is)<script\b.*?</script\s*>|<style\b.*?</style\s*>|<!--.*?-->|\{\{.*?\}\}`)
	preElement   = regexp.MustCompile(`(?is)<pre\b[^>]*>(.*?)</pre\s*>`)
	codeElement  = regexp.MustCompile(`(?i)<(?:code|kbd|samp)\b[^>]*>([^\n]*?)</(?:code|kbd|samp)\s*>`)
	pathOf       = regexp.MustCompile(`(?i)\b(?:href|src|action|formaction)\s*=\s*["']([^"']*)["']`)
	labelOf      = regexp.MustCompile(`(?i)\b(?:title|alt|aria-label|placeholder|content)\s*=\s*["']([^"']*)["']`)
	tag          = regexp.MustCompile(`(?s)<[^>]*>`)
	entities     = strings.NewReplacer("&lt;", "<", "&gt;", ">", "&quot;", `"`, "&#39;", "'", "&nbsp;", " ", "&amp;", "&", putIn, "\u2026")
)

// putIn stands for what an action of a template puts in.
const putIn = "\x00"

// readTemplate cuts an HTML page or a template of one: the text between the tags, what
// stands in code elements, and the paths that links and forms lead to. What an action puts
// in stands for a value.
func readTemplate(d *Document) {
	for i, line := range d.lines {
		d.escapeIn(i+1, line, markedTemplate)
	}
	text := hiddenMarkup.ReplaceAllStringFunc(d.Text, func(s string) string {
		if strings.HasPrefix(s, "{{") && !isControl(s) {
			return putIn + newlines(s)
		}
		return newlines(s)
	})
	at := lineCounter{text: text}
	for _, m := range pathOf.FindAllStringSubmatchIndex(text, -1) {
		path := strings.ReplaceAll(strings.TrimPrefix(text[m[2]:m[3]], putIn), putIn, anyValue)
		d.add(at.line(m[0]), Prose, entities.Replace(path))
	}
	at = lineCounter{text: text}
	for _, m := range labelOf.FindAllStringSubmatchIndex(text, -1) {
		d.add(at.line(m[0]), Prose, entities.Replace(text[m[2]:m[3]]))
	}
	at = lineCounter{text: text}
	for _, m := range preElement.FindAllStringSubmatchIndex(text, -1) {
		d.shell(at.line(m[2]), entities.Replace(tag.ReplaceAllStringFunc(text[m[2]:m[3]], newlines)))
	}
	rest := preElement.ReplaceAllStringFunc(text, newlines)
	rest = codeElement.ReplaceAllStringFunc(rest, func(s string) string {
		inner := tag.ReplaceAllString(codeElement.FindStringSubmatch(s)[1], "")
		if strings.Contains(inner, putIn) {
			return " "
		}
		return "`" + inner + "`"
	})
	rest = tag.ReplaceAllStringFunc(rest, func(s string) string { return newlines(s) + " " })
	for i, line := range strings.Split(rest, "\n") {
		if line = entities.Replace(line); strings.TrimSpace(line) != "" {
			d.inline(i+1, line)
		}
	}
}

// isControl reports whether an action puts nothing in.
func isControl(action string) bool {
	word, _, _ := strings.Cut(strings.Trim(strings.Trim(action, "{}"), "- \n\t"), " ")
	switch word {
	case "if", "else", "end", "range", "with", "define", "block", "template", "break", "continue":
		return true
	}
	return strings.HasPrefix(word, "/*") || strings.HasPrefix(word, "$") && strings.Contains(action, ":=")
}

// newlines answers the newlines of a text alone, so that the lines behind it keep their
// numbers.
func newlines(text string) string { return strings.Repeat("\n", strings.Count(text, "\n")) }

// lineCounter answers the lines of places that come in their order.
type lineCounter struct {
	text     string
	at, past int
}

func (l *lineCounter) line(at int) int {
	l.past += strings.Count(l.text[l.at:at], "\n")
	l.at = at
	return 1 + l.past
}
