package site

import (
	"bytes"
	"html/template"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	tables "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/util"
)

func newMarkdown() goldmark.Markdown {
	return goldmark.New(
		goldmark.WithExtensions(extension.Table),
		goldmark.WithRendererOptions(renderer.WithNodeRenderers(util.Prioritized(scrolling{}, 100))), // before the extension's, 500
	)
}

// scrolling renders a table within a box that scrolls, by keyboard too, so that a
// wide table leaves a narrow page readable and stays a table. Code scrolls likewise.
type scrolling struct{}

// RegisterFuncs takes the nodes of tables and of code over; rows and cells stay the
// extension's.
func (scrolling) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(ast.KindCodeBlock, code)
	r.Register(ast.KindFencedCodeBlock, code)
	r.Register(tables.KindTable, func(w util.BufWriter, _ []byte, _ ast.Node, entering bool) (ast.WalkStatus, error) {
		tag := "</table></div>\n"
		if entering {
			tag = "<div class=\"scroll\" role=\"group\" aria-label=\"Table\" tabindex=\"0\"><table>\n"
		}
		_, err := w.WriteString(tag)
		return ast.WalkContinue, err
	})
}

// code renders a block of code as what the keyboard can scroll.
func code(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		_, err := w.WriteString("</code></pre>\n")
		return ast.WalkContinue, err
	}
	class := ""
	if f, ok := n.(*ast.FencedCodeBlock); ok && len(f.Language(source)) > 0 {
		class = ` class="language-` + template.HTMLEscapeString(string(f.Language(source))) + `"`
	}
	_, err := w.WriteString(`<pre tabindex="0"><code` + class + `>` + template.HTMLEscapeString(string(n.Lines().Value(source))))
	return ast.WalkContinue, err
}

// link is a page or a section in the layout.
type link struct {
	Title, Address string
	Current        bool // it is the page that is shown
	Children       []link
}

// navigation is a part of the list of all pages; the title of one is "".
type navigation struct {
	Title string
	Pages []link
}

// layoutData is what the template of a page is given.
type layoutData struct {
	Title, Site, Base, Markdown string
	InDocs                      string // what the link to the documentation is to this page
	InAPI                       bool
	Query                       string // what is looked for, on the page of a search
	Article                     template.HTML
	Trail                       []link // the pages above, the first one first
	Groups                      []navigation
	Sections                    []link
	Previous, Next              *link
}

// render writes a page as HTML.
func (s *site) render(t *tree, p *page) ([]byte, error) {
	doc := parse(s.markdown, p.source)
	if err := s.resolve(t, p, doc); err != nil {
		return nil, err
	}
	return s.layOut(t, p, doc, layoutData{Markdown: s.o.BasePath + Prefix + "/" + p.name})
}

// layOut puts a page whose links are resolved into the layout.
func (s *site) layOut(t *tree, p *page, doc ast.Node, d layoutData) ([]byte, error) {
	var article bytes.Buffer
	if err := s.markdown.Renderer().Render(&article, p.source, doc); err != nil {
		return nil, err
	}
	d.Title, d.Site, d.Base, d.InDocs = p.title, s.o.Title, s.o.BasePath, "page"
	if p.parent != nil {
		d.InDocs = "true"
	}
	d.Article = template.HTML(article.String()) //nolint:gosec // the renderer escapes text and leaves raw HTML out
	d.Groups = s.navigation(t, p)
	d.Sections = sections(doc, p.source)
	for q := p.parent; q != nil; q = q.parent {
		d.Trail = append([]link{s.link(q, p)}, d.Trail...)
	}
	d.Previous, d.Next = s.neighbours(p)
	var out bytes.Buffer
	err := s.layout.ExecuteTemplate(&out, "docs.html", d)
	return out.Bytes(), err
}

func (s *site) link(p, current *page) link {
	return link{Title: p.title, Address: s.address(p), Current: p == current}
}

func (s *site) address(p *page) string {
	return strings.TrimSuffix(s.o.BasePath+Prefix+"/"+p.address(), "/")
}

// navigation lists all pages by the groups of the first one, and then those of none.
func (s *site) navigation(t *tree, current *page) []navigation {
	var all []navigation
	rest := s.below(t.first, current)
	for _, g := range t.groups {
		n := navigation{Title: g.title}
		for _, p := range g.pages {
			if i := slices.IndexFunc(rest, func(l link) bool { return l.Address == s.address(p) }); i >= 0 {
				n.Pages, rest = append(n.Pages, rest[i]), slices.Delete(rest, i, i+1)
			}
		}
		if len(n.Pages) > 0 {
			all = append(all, n)
		}
	}
	if len(rest) > 0 {
		n := navigation{Pages: rest}
		if len(all) > 0 {
			n.Title = "More"
		}
		all = append(all, n)
	}
	return all
}

// below answers the pages below one, opened on the way to the current page.
func (s *site) below(p, current *page) []link {
	var all []link
	for _, child := range p.children {
		l := s.link(child, current)
		for q := current; q != nil; q = q.parent {
			if q == child {
				l.Children = s.below(child, current)
			}
		}
		all = append(all, l)
	}
	return all
}

// neighbours answers the pages before and behind one, below the same page.
func (s *site) neighbours(p *page) (previous, next *link) {
	if p.parent == nil {
		return nil, nil
	}
	all := p.parent.children
	for i, q := range all {
		if q != p {
			continue
		}
		if i > 0 {
			l := s.link(all[i-1], p)
			previous = &l
		}
		if i+1 < len(all) {
			l := s.link(all[i+1], p)
			next = &l
		}
	}
	return previous, next
}

// resolve points links between files at the addresses here. The text of a link that
// leads to no page stays, without the link; a comment is taken out.
func (s *site) resolve(t *tree, p *page, doc ast.Node) error {
	var dead, comments []ast.Node
	err := ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Link:
			target, ok := s.target(t, p, string(n.Destination))
			if !ok {
				dead = append(dead, n)
			}
			n.Destination = []byte(target)
		case *ast.HTMLBlock:
			if n.HTMLBlockType == ast.HTMLBlockType2 {
				comments = append(comments, n)
			}
		}
		return ast.WalkContinue, nil
	})
	for _, n := range comments {
		n.Parent().RemoveChild(n.Parent(), n)
	}
	for _, n := range dead {
		for child := n.FirstChild(); child != nil; child = n.FirstChild() {
			n.Parent().InsertBefore(n.Parent(), n, child)
		}
		n.Parent().RemoveChild(n.Parent(), n)
	}
	return err
}

// target resolves one link of a page: "../codes.md#x" is "/docs/reference/codes#x".
func (s *site) target(t *tree, p *page, destination string) (string, bool) {
	u, err := url.Parse(destination)
	switch {
	case err != nil:
		return "", false
	case u.Scheme != "" || u.Host != "" || u.Path == "":
		return destination, true
	case strings.HasPrefix(u.Path, "/"):
		return s.o.BasePath + destination, true
	}
	name := path.Join(path.Dir(p.name), u.Path)
	to := Prefix + "/" + name
	if q := t.pages[strings.TrimSuffix(name, ".md")]; q != nil {
		to = Prefix + "/" + q.address()
	} else if t.files[name] == nil {
		return "", false
	}
	to = strings.TrimSuffix(to, "/")
	if u.Fragment != "" {
		to += "#" + u.EscapedFragment()
	}
	return s.o.BasePath + to, true
}
