package site

import (
	"bytes"
	"html/template"
	"net/url"
	"path"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	tables "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

func newMarkdown() goldmark.Markdown {
	return goldmark.New(
		goldmark.WithExtensions(extension.Table),
		goldmark.WithParserOptions(parser.WithAutoHeadingID()),
		goldmark.WithRendererOptions(renderer.WithNodeRenderers(util.Prioritized(scrolling{}, 100))), // before the extension's, 500
	)
}

// scrolling renders a table within a box that scrolls, by keyboard too, so that a
// wide table leaves a narrow page readable and stays a table.
type scrolling struct{}

// RegisterFuncs takes the node of tables over; rows and cells stay the extension's.
func (scrolling) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(tables.KindTable, func(w util.BufWriter, _ []byte, _ ast.Node, entering bool) (ast.WalkStatus, error) {
		tag := "</table></div>\n"
		if entering {
			tag = "<div class=\"scroll\" role=\"region\" aria-label=\"Table\" tabindex=\"0\"><table>\n"
		}
		_, err := w.WriteString(tag)
		return ast.WalkContinue, err
	})
}

// link is a page or a section in the layout.
type link struct {
	Title, Address string
	Current        bool // it is the page that is shown
	Children       []link
}

// layoutData is what the template of a page is given.
type layoutData struct {
	Title, Site, Base, Markdown string
	Article                     template.HTML
	Trail                       []link // the pages above, the first one first
	Tree                        []link
	Sections                    []link
	Previous, Next              *link
}

// render writes a page as HTML.
func (s *site) render(t *tree, p *page) ([]byte, error) {
	doc := s.markdown.Parser().Parse(text.NewReader(p.source))
	if err := s.resolve(t, p, doc); err != nil {
		return nil, err
	}
	var article bytes.Buffer
	if err := s.markdown.Renderer().Render(&article, p.source, doc); err != nil {
		return nil, err
	}
	d := layoutData{
		Title: p.title, Site: s.o.Title, Base: s.o.BasePath, Markdown: s.o.BasePath + Prefix + "/" + p.name,
		Article:  template.HTML(article.String()), //nolint:gosec // the renderer escapes text and leaves raw HTML out
		Tree:     s.below(t.first, p),
		Sections: sections(doc, p.source),
	}
	for q := p.parent; q != nil; q = q.parent {
		d.Trail = append([]link{s.link(q, p)}, d.Trail...)
	}
	d.Previous, d.Next = s.neighbours(p)
	var out bytes.Buffer
	err := s.layout.Execute(&out, d)
	return out.Bytes(), err
}

func (s *site) link(p, current *page) link {
	return link{Title: p.title, Address: s.address(p), Current: p == current}
}

func (s *site) address(p *page) string {
	return strings.TrimSuffix(s.o.BasePath+Prefix+"/"+p.address(), "/")
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
