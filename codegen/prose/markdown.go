package prose

import (
	"regexp"
	"strings"
)

var fence = regexp.MustCompile("^\\s*(?:[-*>]\\s+)?(`{3,}|~{3,})\\s*([^\\s`]*)")

// readMarkdown cuts a page. The lines of blocks that no shell reads are left out, unless
// they are an example in YAML or JSON: the code of other languages has words of its own,
// and what somebody else printed is a quotation.
func readMarkdown(d *Document) {
	d.markdown = true
	var block strings.Builder
	end, lang, begin := "", "", 0
	for i, line := range d.lines {
		m := fenceOf(line)
		switch {
		case end == "" && m != nil:
			end, lang, begin = m[1], strings.ToLower(m[2]), i+2
			block.Reset()
		case end != "" && m != nil && strings.HasPrefix(m[1], end) && m[2] == "":
			d.fenced(lang, begin, block.String())
			end = ""
		case end != "":
			block.WriteString(line + "\n")
		default:
			d.inline(i+1, d.escapeMarkdown(i+1, line))
		}
	}
	if end != "" { // a fence that nobody closed reaches to the end
		d.fenced(lang, begin, block.String())
	}
}

func fenceOf(line string) []string {
	if !strings.Contains(line, "```") && !strings.Contains(line, "~~~") {
		return nil
	}
	return fence.FindStringSubmatch(line)
}

func (d *Document) fenced(lang string, begin int, block string) {
	switch lang {
	case "sh", "", "console", "bash", "shell", "zsh":
		d.shell(begin, block)
	case "yaml", "yml":
		d.yamlComments(begin, block)
		d.add(begin, YAML, block)
	case "json", "jsonc", "json5":
		d.add(begin, JSON, block)
	}
}

// shell adds the command lines of a block; one that ends in a backslash goes on.
func (d *Document) shell(begin int, block string) {
	line, at := "", 0
	for i, one := range strings.Split(strings.TrimSuffix(block, "\n"), "\n") {
		if line == "" {
			at = begin + i
		}
		head, more := strings.CutSuffix(one, `\`)
		line += head
		if !more {
			d.add(at, Shell, line)
			line = ""
		}
	}
	if line != "" {
		d.add(at, Shell, line)
	}
}
