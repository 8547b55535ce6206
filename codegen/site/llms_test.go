package site_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/seed-89b9419b/holotype/codegen/site"
)

// note is the line that nobody sees.
var note = regexp.MustCompile(`\A<!-- .* -->\n`)

var mapLine = regexp.MustCompile(`^- \[((?:[^\]\\]|\\.)+)\]\(([^)\s]+)\)(: .+)?$`)

// The map has the shape of llmstxt.org: a title, a quote, lists of links below
// headings, the one that may be left out last. Every link leads to a page in Markdown.
func TestMap(t *testing.T) {
	h := handler(t, smallSite, func(o *site.Options) { o.BasePath = "/tools" })
	w := ask(t, h, "GET", "/llms.txt")
	if w.Code != 200 || w.Header().Get("Content-Type") != "text/plain; charset=utf-8" || w.Header().Get("ETag") == "" {
		t.Fatalf("%d %v", w.Code, w.Header())
	}
	text := w.Body.String()
	if !strings.HasPrefix(text, "# acme\n\n> Begin here.\n\n## How to\n\n- [Zebra](/tools/docs/zebra.md): An animal.\n- [Apple](/tools/docs/apple.md): On zebras.\n\n## Why\n\n- [Decisions](/tools/docs/decisions/README.md)\n") {
		t.Errorf("it begins:\n%.600s", text)
	}
	var heads []string
	links := map[string]bool{}
	for line := range strings.SplitSeq(strings.TrimSpace(text), "\n") {
		if head, ok := strings.CutPrefix(line, "## "); ok {
			heads = append(heads, head)
		}
		if !strings.HasPrefix(line, "- ") {
			continue
		}
		m := mapLine.FindStringSubmatch(line)
		if m == nil {
			t.Errorf("the line %q is no link", line)
			continue
		}
		if links[m[2]] {
			t.Errorf("%s is listed twice", m[2])
		}
		links[m[2]] = true
		if page := ask(t, h, "GET", strings.TrimPrefix(m[2], "/tools")); page.Code != 200 || page.Header().Get("Content-Type") != "text/markdown; charset=utf-8" {
			t.Errorf("%s: %d", m[2], page.Code)
		}
	}
	if want := []string{"How to", "Why", "Reference", "Capabilities: Fixture", "Optional"}; !slices.Equal(heads, want) {
		t.Errorf("the lists are %q, want %q", heads, want)
	}
	for name := range generated(t) {
		if strings.HasSuffix(name, ".md") && !links["/tools/docs/"+name] {
			t.Errorf("%s is not listed", name)
		}
	}
}

// The whole holds every page that the map does not call optional, as it stands in its
// twin, below its address.
func TestWhole(t *testing.T) {
	h := handler(t, smallSite)
	text := ask(t, h, "GET", "/llms-full.txt").Body.String()
	needed, _, _ := strings.Cut(ask(t, h, "GET", "/llms.txt").Body.String(), "\n## Optional\n")
	pages := 0
	for line := range strings.SplitSeq(needed, "\n") {
		m := mapLine.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		pages++
		twin, _, _ := strings.Cut(note.ReplaceAllString(ask(t, h, "GET", m[2]).Body.String(), ""), "\n## MCP tool\n")
		if !strings.Contains(text, "Source: "+m[2]+"\n\n"+strings.TrimSpace(twin)+"\n") {
			t.Errorf("%s is missing, or other text", m[2])
		}
	}
	if pages < 20 || !strings.HasPrefix(text, "Source: /docs/README.md\n\n# Start\n") {
		t.Errorf("it has %d pages and begins %.100q", pages, text)
	}
	if strings.Contains(text, "Nobody links here") || strings.Contains(text, "DO NOT EDIT") {
		t.Error("it has what may be left out")
	}
}

// Every page says where the map is, and the map is kept beside the reference too.
func TestMapIsFound(t *testing.T) {
	h := handler(t, func(o *site.Options) { o.BasePath = "/tools" })
	for _, target := range []string{"/docs", "/docs/codes/invalid", "/docs.md", "/docs/search?q=x", "/llms.txt"} {
		if got := ask(t, h, "GET", target).Header().Get("Link"); got != `</tools/llms.txt>; rel="alternate"; type="text/plain"` {
			t.Errorf("%s: Link %q", target, got)
		}
	}
	reference := map[string][]byte{}
	for name, text := range generated(t) {
		reference["docs/"+name] = text
	}
	files, err := site.Files("acme", registry(t), reference)
	if err != nil || len(files) != 1 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	names := generated(t)
	links := 0
	for line := range strings.SplitSeq(string(files["docs/reference/llms.txt"]), "\n") {
		if m := mapLine.FindStringSubmatch(line); m != nil {
			links++
			if names["reference/"+m[2]] == nil {
				t.Errorf("%s is no file beside it", m[2])
			}
		}
	}
	if links < 20 {
		t.Errorf("%d links", links)
	}
}

// A page stands in the first list that names it; a list that has no other is left out, and what no
// list names stands below the rest.
func TestPagesStandInOneList(t *testing.T) {
	h := handler(t, func(o *site.Options) {
		o.Pages = fstest.MapFS{
			"README.md": {Data: []byte("# Start\n\n## One\n\n- [Zebra](zebra.md)\n\n## Again\n\n- [This very page](README.md)\n")},
			"zebra.md":  {Data: []byte("# Zebra\n")}, "lone.md": {Data: []byte("# Lone\n")},
		}
	})
	if text := ask(t, h, "GET", "/llms.txt").Body.String(); strings.Contains(text, "## Again") || !strings.Contains(text, "## One\n\n- [Zebra](") {
		t.Errorf("the map is\n%s", text)
	}
	body := ask(t, h, "GET", "/docs/zebra").Body.String()
	one, more := strings.Index(body, "<p>One</p>"), strings.Index(body, "<p>More</p>")
	if one < 0 || more < one || !strings.Contains(body[one:more], `<a href="/docs/zebra" aria-current="page">Zebra</a>`) || strings.Contains(body[more:], `>Zebra</a></li>`) || !strings.Contains(body[more:], `<a href="/docs/lone">Lone</a>`) || strings.Contains(body, "<p>Again</p>") {
		t.Errorf("the page is\n%s", body)
	}
}
