package site

import (
	"cmp"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/yuin/goldmark"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/markdown"
)

// readme is the page of the folder it stands in.
const readme = "README.md"

// page is one page, under its file's name below docs/.
type page struct {
	name     string // "reference/codes.md"
	title    string
	source   []byte
	parent   *page
	children []*page
	// html and twin render the page when they are first called.
	html, twin func() (*rendition, error)
}

// address is where the page stands below /docs.
func (p *page) address() string {
	if dir, ok := strings.CutSuffix(p.name, readme); ok {
		return strings.TrimSuffix(dir, "/")
	}
	return strings.TrimSuffix(p.name, ".md")
}

// aboutCapability reports whether the page is that of a capability.
func (p *page) aboutCapability() bool { return path.Dir(p.name) == "reference/capabilities" }

// tree holds every page and what else is served.
type tree struct {
	first *page
	all   map[string]*page      // by name
	pages map[string]*page      // by address, the short ones included
	files map[string]*rendition // by address: what is no page
	// groups are those of the first page.
	groups []group
	// maps are those for programs that read, by their whole paths.
	maps map[string]func() *rendition
	// index is made when something is first looked for.
	index    func() *index
	markdown goldmark.Markdown
}

// newTree gathers the pages; generated are those that reference.Files made of the registry.
func newTree(o Options, generated map[string][]byte, md goldmark.Markdown) (*tree, error) {
	t := &tree{all: map[string]*page{}, pages: map[string]*page{}, files: map[string]*rendition{}, markdown: md}
	if err := t.authored(o.Pages); err != nil {
		return nil, err
	}
	for name, text := range generated {
		name = strings.TrimPrefix(name, "docs/")
		if path.Ext(name) == ".md" {
			t.add(name, text)
		} else {
			t.files[name] = newRendition(text, "application/schema+json")
		}
	}
	t.folders()
	t.addresses(o.Registry)
	t.groups = groups(md, t)
	t.order(o.Registry)
	t.index = sync.OnceValue(func() *index { return newIndex(md, t.sorted()) })
	return t, nil
}

func (t *tree) add(name string, source []byte) {
	t.all[name] = &page{name: name, source: source, title: titleOf(t.markdown, source)}
}

// authored reads the pages that people wrote. What they wrote below reference/
// gives way to what is generated.
func (t *tree) authored(pages fs.FS) error {
	if pages == nil {
		return nil
	}
	return fs.WalkDir(pages, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case name == "reference" && d.IsDir():
			return fs.SkipDir
		case d.IsDir() || path.Ext(name) != ".md":
			return nil
		}
		source, err := fs.ReadFile(pages, name)
		if err != nil {
			return err
		}
		t.add(name, source)
		return nil
	})
}

// folders gives every folder a page: where nobody wrote one, a list of what the
// folder holds.
func (t *tree) folders() {
	for _, p := range t.sorted() {
		for dir := path.Dir(p.name); dir != "." && !strings.HasPrefix(dir+"/", "reference/"); dir = path.Dir(dir) {
			if t.all[path.Join(dir, readme)] == nil {
				t.add(path.Join(dir, readme), t.list(dir))
			}
		}
	}
	t.first = cmp.Or(t.all[readme], t.all["reference/"+readme])
}

// list writes the page of a folder.
func (t *tree) list(dir string) []byte {
	title := strings.ReplaceAll(path.Base(dir), "-", " ")
	p := markdown.NewPage("a list of the pages of this folder", markdown.Text(strings.ToUpper(title[:1])+title[1:]))
	for _, q := range t.sorted() {
		if path.Dir(q.name) == dir {
			p.Printf("\n- %s", markdown.Link(markdown.Text(q.title), path.Base(q.name)))
		}
	}
	p.Printf("\n")
	return p.Bytes()
}

func (t *tree) sorted() []*page {
	var all []*page
	for _, p := range t.all {
		all = append(all, p)
	}
	slices.SortFunc(all, func(a, b *page) int { return strings.Compare(a.name, b.name) })
	return all
}

// order says which page stands below which, and in which order.
func (t *tree) order(reg *capabilities.Registry) {
	index := t.all["reference/"+readme]
	below := func(parent *page, names ...string) {
		for _, name := range names {
			if p := t.all[name]; p != nil && p.parent == nil && p != t.first {
				p.parent = parent
				parent.children = append(parent.children, p)
			}
		}
	}
	for _, g := range t.groups {
		for _, p := range g.pages {
			if dir := path.Dir(p.name); dir == "." || path.Dir(dir) == "." && path.Base(p.name) == readme {
				below(t.first, p.name)
			}
		}
	}
	below(t.first, "reference/"+readme)
	for _, info := range reg.Packs() {
		pack := "reference/packs/" + info.Name + ".md"
		below(index, pack)
		for c := range reg.All() {
			if c.Pack() == info.Name {
				below(t.all[pack], "reference/capabilities/"+c.Name()+".md")
			}
		}
	}
	below(index, "reference/surfaces.md", "reference/codes.md", "reference/config.md", "reference/events.md", "reference/metrics.md")
	for _, i := range reg.Codes() {
		below(t.all["reference/codes.md"], "reference/codes/"+string(i.Code)+".md")
	}
	for _, p := range t.sorted() {
		dir := path.Dir(p.name)
		if path.Base(p.name) == readme {
			dir = path.Dir(dir)
		}
		// The pages of reference/config/ stand below reference/config.md.
		below(cmp.Or(t.all[path.Join(dir, readme)], t.all[dir+".md"], t.first), p.name)
	}
}

// addresses says where each page stands: at its own address, and, where nothing
// else does, at those that problems and the catalogue name.
func (t *tree) addresses(reg *capabilities.Registry) {
	for _, p := range t.sorted() {
		t.pages[p.address()] = p
	}
	also := func(address string, p *page) {
		if p != nil && t.pages[address] == nil {
			t.pages[address] = p
		}
	}
	also("", t.first)
	for _, p := range t.sorted() {
		also(strings.TrimSuffix(p.name, ".md"), p) // README too, the target of links between files
		if short, ok := strings.CutPrefix(p.address(), "reference/"); ok {
			also(short, p)
		}
	}
	for c := range reg.All() {
		p := t.all["reference/capabilities/"+cmp.Or(c.AliasOf(), c.Name())+".md"]
		for _, folder := range []string{"reference/capabilities/", "capabilities/", "reference/"} {
			also(folder+c.Name(), p)
		}
	}
	for _, folder := range []string{"reference/capabilities", "reference/packs", "capabilities", "packs"} {
		also(folder, t.all["reference/"+readme])
	}
}
