package prose_test

import (
	"regexp"
	"strings"
)

// A passage is a piece of text that is read in one way.
type passage struct {
	line int
	form form
	text string
}

// form says how a passage is read.
type form int

const (
	inProse form = iota // sentences: what a reader knows to be a name without marks
	inCode              // one code span: the whole of it is a name, a command, a route
	inShell             // one line of a shell block
)

var (
	fence = regexp.MustCompile("^\\s*(`{3,}|~{3,})\\s*(\\S*)")
	span  = regexp.MustCompile("``(.+?)``|`([^`]+)`")
)

// markdown cuts a page into passages. The lines of blocks that no shell reads are
// left out: tests/arch compiles the Go of CONTRIBUTING, and an excerpt is compared
// whole.
func markdown(text string) []passage {
	var all []passage
	end, lang := "", ""
	for i, line := range strings.Split(text, "\n") {
		m := fence.FindStringSubmatch(line)
		switch {
		case end == "" && m != nil:
			end, lang = m[1], m[2]
		case end != "" && m != nil && strings.HasPrefix(m[1], end) && m[2] == "":
			end = ""
		case end != "":
			if lang == "sh" || lang == "" || lang == "console" {
				all = append(all, passage{i + 1, inShell, line})
			}
		default:
			all = append(all, inline(i+1, line)...)
		}
	}
	return all
}

// inline cuts a line of sentences into its code spans and what stands around them.
func inline(line int, text string) []passage {
	if !strings.Contains(text, "`") {
		return []passage{{line, inProse, text}}
	}
	var all []passage
	for _, m := range span.FindAllStringSubmatch(text, -1) {
		all = append(all, passage{line, inCode, strings.TrimSpace(m[1] + m[2])})
	}
	return append(all, passage{line, inProse, text})
}
