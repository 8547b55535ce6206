package site

import (
	"bytes"
	"path"
	"slices"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/codegen/reference"
	"github.com/seed-89b9419b/holotype/internal/markdown"
)

// The addresses of the documentation for programs that read, in the shape that
// llmstxt.org describes: a map of it, and all of it that the map does not call
// optional. Links lead to the Markdown twins.
const (
	MapPath   = "/llms.txt"
	WholePath = "/llms-full.txt"
)

// maxAbout is how many bytes the map says about a page.
const maxAbout = 200

// Files answers the map of the reference of a registry's builtins, to be kept beside
// it: what [Handler] serves at [MapPath] has the authored pages too. The reference is what
// [reference.Files] made of the same registry.
func Files(program string, reg *capabilities.Registry, generated map[string][]byte) (map[string][]byte, error) {
	md := newMarkdown()
	t, err := newTree(Options{Registry: reg, Title: program}, generated, md)
	if err != nil {
		return nil, err
	}
	file := reference.Folder + MapPath
	body := t.llms(md, reg, program, func(p *page) string { return strings.TrimPrefix(p.name, path.Base(reference.Folder)+"/") })
	return map[string][]byte{file: body}, nil
}

// chapter is one list of the map.
type chapter struct {
	title string
	pages []*page
}

// optional is the title of what a reader may leave out.
const optional = "Optional"

// chapters cut the pages into lists: the groups of the first page, the capabilities by
// their packs, and what else there is.
func (t *tree) chapters(reg *capabilities.Registry) []chapter {
	var all []chapter
	known := map[*page]bool{t.first: true}
	add := func(title string, pages ...*page) {
		c := chapter{title: title}
		for _, p := range pages {
			if p != nil && !known[p] {
				known[p] = true
				c.pages = append(c.pages, p)
			}
		}
		if len(c.pages) > 0 {
			all = append(all, c)
		}
	}
	for _, g := range t.groups {
		add(g.title, g.pages...)
	}
	index := t.all["reference/"+readme]
	tables := []*page{index}
	for _, p := range index.children {
		if path.Dir(p.name) == path.Dir(index.name) {
			tables = append(tables, p)
		}
	}
	add("Reference", tables...)
	for _, info := range reg.Packs() {
		pack := t.all["reference/packs/"+info.Name+".md"]
		add("Capabilities: "+plainLine(info.Title), append([]*page{pack}, pack.children...)...)
	}
	add(optional, t.sorted()...)
	return all
}

// llms writes the map. address answers where the twin of a page stands.
func (t *tree) llms(md goldmark.Markdown, reg *capabilities.Registry, program string, address func(*page) string) []byte {
	var p markdown.Page
	p.Printf("# %s\n\n> %s\n", markdown.Text(program), markdown.Text(about(md, t.first)))
	for _, c := range t.chapters(reg) {
		p.Section(markdown.Text(c.title))
		p.Printf("\n")
		for _, q := range c.pages {
			p.Printf("- %s", markdown.Link(markdown.Text(q.title), address(q)))
			if says := about(md, q); says != "" {
				p.Printf(": %s", markdown.Text(says))
			}
			p.Printf("\n")
		}
	}
	return p.Bytes()
}

// whole joins every page that is not optional, each below a line that says where it
// stands, against which its links are read. Of a capability the tool of MCP is left out:
// it is the largest part, and says what the tables above it say.
func (t *tree) whole(reg *capabilities.Registry, address func(*page) string) []byte {
	var b bytes.Buffer
	pages := []*page{t.first}
	for _, c := range t.chapters(reg) {
		if c.title != optional {
			pages = append(pages, c.pages...)
		}
	}
	for i, q := range pages {
		if i > 0 {
			b.WriteString("\n")
		}
		b.WriteString("Source: " + address(q) + "\n\n")
		source := withoutNote(q.source)
		if q.aboutCapability() {
			source, _, _ = bytes.Cut(source, []byte("\n## "+reference.TitleOfTool+"\n"))
		}
		b.Write(bytes.TrimSpace(source))
		b.WriteString("\n")
	}
	return b.Bytes()
}

// withoutNote leaves out the line that says that a page is generated.
func withoutNote(source []byte) []byte {
	first, rest, _ := bytes.Cut(source, []byte("\n"))
	if bytes.HasPrefix(first, []byte("<!--")) && bytes.HasSuffix(first, []byte("-->")) {
		return rest
	}
	return source
}

// about is the first sentence of a page.
func about(md goldmark.Markdown, p *page) string {
	first, _ := firstOf(md, p.source, ast.KindParagraph)
	says := plainLine(first)
	if i := strings.Index(says, ". "); i >= 0 {
		says = says[:i+1]
	}
	if len(says) > maxAbout {
		says = strings.ToValidUTF8(says[:maxAbout], "") + "\u2026"
	}
	return says
}

// plainLine is text on one line.
func plainLine(s string) string { return strings.Join(slices.Collect(strings.FieldsSeq(s)), " ") }
