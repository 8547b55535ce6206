package prose

import "strings"

// readYAML takes a file as one example, and its comments as sentences.
func readYAML(d *Document) {
	d.whole = true
	d.yamlComments(1, d.Text)
	d.add(1, YAML, d.Text)
}

// readJSON takes a file as one example.
func readJSON(d *Document) {
	d.whole = true
	d.add(1, JSON, d.Text)
}

// yamlComments adds what stands behind a # of each line. A # within a quoted value is
// taken for a comment too: what it says is read all the same.
func (d *Document) yamlComments(begin int, text string) {
	for i, line := range strings.Split(text, "\n") {
		line = d.escapeIn(begin+i, line, markedYAML)
		_, comment, ok := strings.Cut(" "+line, " #")
		if ok {
			d.inline(begin+i, comment)
		}
	}
}
