package prose

import (
	"path"
	"regexp"
	"strings"
)

// Form says how a passage is read.
type Form int

// The closed set of forms.
const (
	Prose Form = iota // one line of sentences: what a reader knows to be a name without marks
	Code              // one code span: the whole of it is a name, a command, a route
	Shell             // one command line
	YAML              // an example, whole
	JSON              // an example, whole
)

// A Passage is a piece of text that is read in one way.
type Passage struct {
	Line int // of its first line, from 1
	Form Form
	Text string
}

// A Document is a text that was cut into passages, in their order.
type Document struct {
	Name     string // its path, with slashes
	Text     string // with newlines alone
	Passages []Passage
	lines    []string
	escapes  []escape
	whole    bool // whether it is one example
	markdown bool // whether its lines have headings, rows and items
}

// Reads reports whether files of that name are read where a folder is walked: Markdown, Go,
// templates and scripts, and examples, by their endings. Tests and minified scripts are
// not.
func Reads(name string) bool {
	base := strings.ToLower(path.Base(name))
	for _, part := range []string{"_test.go", ".min.js", ".test.ts", ".test.tsx", ".test.js", ".spec.ts", ".spec.tsx", ".spec.js"} {
		if strings.HasSuffix(base, part) {
			return false
		}
	}
	return cutter(name) != nil
}

// cutter answers what cuts files of that name into passages, or nil.
func cutter(name string) func(*Document) {
	switch strings.ToLower(path.Ext(name)) {
	case ".md", ".markdown", ".mdx", ".txt":
		return readMarkdown
	case ".go":
		return readGo
	case ".html", ".htm", ".tmpl", ".gohtml":
		return readTemplate
	case ".ts", ".tsx", ".js", ".jsx", ".mjs", ".cjs", ".mts", ".cts":
		return readScript
	case ".yaml", ".yml":
		return readYAML
	case ".json":
		return readJSON
	}
	return nil
}

// NewDocument cuts a text into passages, as the ending of its name says: one that says
// nothing stands for Markdown.
func NewDocument(name, text string) *Document {
	d := &Document{Name: name, Text: strings.ReplaceAll(text, "\r\n", "\n")}
	d.lines = strings.Split(d.Text, "\n")
	read := cutter(name)
	if read == nil {
		read = readMarkdown
	}
	read(d)
	return d
}

func (d *Document) add(line int, form Form, text string) {
	d.Passages = append(d.Passages, Passage{line, form, text})
}

// inline cuts a line of sentences into its code spans and what stands around them.
func (d *Document) inline(line int, text string) {
	for _, s := range spans(text) {
		d.add(line, Code, strings.TrimSpace(text[s[2]:s[3]]))
	}
	d.add(line, Prose, text)
}

// sentences adds every line of a text that begins at a line.
func (d *Document) sentences(line int, text string) {
	for i, one := range strings.Split(text, "\n") {
		d.inline(line+i, one)
	}
}

// said reports whether a string is a sentence. One of a word or two is a value of the
// program, and no claim; a statement for a database has names of its own.
func said(text string) bool {
	text = strings.TrimSpace(text)
	return strings.Count(text, " ") >= 2 && !statement.MatchString(text)
}

var statement = regexp.MustCompile(`^\(?(?:SELECT|INSERT|UPDATE|DELETE|CREATE|ALTER|DROP|WITH|PRAGMA|MERGE|EXPLAIN)\s`)
