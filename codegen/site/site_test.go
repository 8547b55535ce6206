package site_test

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/codegen/reference"
	"github.com/seed-89b9419b/holotype/codegen/site"
	"github.com/seed-89b9419b/holotype/docs"
	"github.com/seed-89b9419b/holotype/tests/fixture"
)

// assembled is the registry that the tests share: it is immutable.
var assembled = sync.OnceValues(func() (*capabilities.Registry, error) { return capabilities.Assemble(fixture.Pack.Describe()) })

func registry(t testing.TB) *capabilities.Registry {
	t.Helper()
	reg, err := assembled()
	if err != nil {
		t.Fatal(err)
	}
	return reg
}

// usual is the handler of the tests that change nothing.
var usual = sync.OnceValues(func() (http.Handler, error) {
	reg, err := assembled()
	if err != nil {
		return nil, err
	}
	return site.Handler(site.Options{Registry: reg, Pages: docs.Pages, Title: "acme", Log: slog.New(slog.DiscardHandler)})
})

func handler(t testing.TB, change ...func(*site.Options)) http.Handler {
	t.Helper()
	if len(change) == 0 {
		h, err := usual()
		if err != nil {
			t.Fatal(err)
		}
		return h
	}
	o := site.Options{Registry: registry(t), Pages: docs.Pages, Title: "acme", Log: slog.New(slog.DiscardHandler)}
	for _, f := range change {
		f(&o)
	}
	h, err := site.Handler(o)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// ask sends a request; headers are "Name: value".
func ask(t testing.TB, h http.Handler, method, target string, headers ...string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), method, "http://127.0.0.1:4280", nil)
	r.URL.Path, r.URL.RawQuery, _ = strings.Cut(target, "?")
	for _, line := range headers {
		name, value, _ := strings.Cut(line, ": ")
		r.Header.Add(name, value)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// generated are the names of the pages of the reference, below docs/.
func generated(t testing.TB) map[string][]byte {
	t.Helper()
	files, err := reference.Files("acme", registry(t))
	if err != nil {
		t.Fatal(err)
	}
	all := map[string][]byte{}
	for name, text := range files {
		all[strings.TrimPrefix(name, "docs/")] = text
	}
	return all
}

// attributes answers the values of attributes of a page, by their names.
func attributes(body string, names ...string) []string {
	var all []string
	for _, name := range names {
		for _, rest := range strings.Split(body, " "+name+`="`)[1:] {
			value, _, _ := strings.Cut(rest, `"`)
			all = append(all, value)
		}
	}
	return all
}

// Every generated file is answered at its address as a page and with .md behind it
// as it was generated.
func TestEveryPageOfTheMapIsServed(t *testing.T) {
	h := handler(t)
	for name, text := range generated(t) {
		twin := ask(t, h, "GET", "/docs/"+name)
		if twin.Code != 200 || twin.Body.String() != string(text) {
			t.Errorf("%s: %d, or other text", name, twin.Code)
		}
		if path.Ext(name) != ".md" {
			if got := twin.Header().Get("Content-Type"); got != "application/schema+json" {
				t.Errorf("%s: %s", name, got)
			}
			continue
		}
		if got := twin.Header().Get("Content-Type"); got != "text/markdown; charset=utf-8" {
			t.Errorf("%s: %s", name, got)
		}
		address := "/docs/" + strings.TrimSuffix(strings.TrimSuffix(name, ".md"), "/README")
		html := ask(t, h, "GET", address)
		if html.Code != 200 || html.Header().Get("Content-Type") != "text/html; charset=utf-8" {
			t.Errorf("%s: %d %v", address, html.Code, html.Header())
		}
		if behind := ask(t, h, "GET", address+".md"); behind.Code != 200 || behind.Body.String() != string(text) {
			t.Errorf("%s.md: %d, or other text", address, behind.Code)
		}
	}
	first, twin := ask(t, h, "GET", "/docs/README.md"), ask(t, h, "GET", "/docs.md")
	if twin.Code != 200 || twin.Body.String() != first.Body.String() || twin.Header().Get("Content-Type") != "text/markdown; charset=utf-8" {
		t.Errorf("/docs.md: %d %v, or other text", twin.Code, twin.Header())
	}
	for _, nothing := range []string{"/docs/.md", "/docs.mdx", "/docsx.md"} {
		if got := ask(t, h, "GET", nothing); got.Code != 404 {
			t.Errorf("%s: %d", nothing, got.Code)
		}
	}
}

// From the first page every page is reached, and every link and fragment leads
// somewhere: under a base path too.
func TestEveryLinkResolves(t *testing.T) {
	for _, base := range []string{"", "/tools"} {
		t.Run("below "+base, func(t *testing.T) {
			h := handler(t, func(o *site.Options) { o.BasePath = base })
			pages, queue := map[string]string{}, []string{base + "/docs"}
			links := map[string][]string{} // target -> who links there
			for len(queue) > 0 {
				address := queue[0]
				queue = queue[1:]
				if _, done := pages[address]; done {
					continue
				}
				w := ask(t, h, "GET", strings.TrimPrefix(address, base))
				if w.Code != 200 {
					t.Fatalf("%s: %d, linked from %v", address, w.Code, links[address])
				}
				pages[address] = w.Body.String()
				if !strings.HasPrefix(w.Header().Get("Content-Type"), "text/html") {
					continue
				}
				for _, to := range attributes(pages[address], "href", "src", "action") {
					target, fragment, _ := strings.Cut(to, "#")
					switch {
					case target == "" && fragment != "":
						target = address
					case !strings.HasPrefix(target, base+"/docs"):
						if !map[string]bool{base + "/": true, base + "/openapi.json": true, base + "/assets/style.css": true}[target] && !strings.HasPrefix(target, "https://") {
							t.Errorf("%s links to %q", address, to)
						}
						continue
					}
					if fragment != "" {
						links[target+"#"+fragment] = append(links[target+"#"+fragment], address)
					}
					links[target] = append(links[target], address)
					queue = append(queue, target)
				}
			}
			for target, from := range links {
				if page, fragment, ok := strings.Cut(target, "#"); ok && !strings.Contains(pages[page], ` id="`+fragment+`"`) {
					t.Errorf("%s is no place, linked from %v", target, from)
				}
			}
			for name := range generated(t) {
				address := base + "/docs/" + strings.TrimSuffix(strings.TrimSuffix(name, ".md"), "/README")
				if _, reached := pages[address]; !reached {
					t.Errorf("no link leads to %s", address)
				}
			}
			for address, body := range pages {
				seen := map[string]bool{}
				for _, id := range attributes(body, "id") {
					if seen[id] {
						t.Errorf("%s: two elements have the id %q", address, id)
					}
					seen[id] = true
				}
			}
		})
	}
}

// What may be wider than a page scrolls, by keyboard too, and is no landmark: a page has
// many of them.
func TestWhatIsWideScrolls(t *testing.T) {
	h := handler(t, func(o *site.Options) {
		o.Pages = fstest.MapFS{"README.md": {Data: []byte("# A\n\n| a |\n|---|\n| b |\n\n```\"><b>\n<i>&amp;\n```\n\n    indented & <b>\n")}}
	})
	body := ask(t, h, "GET", "/docs").Body.String()
	for _, part := range []string{
		`<div class="scroll" role="group" aria-label="Table" tabindex="0"><table>`,
		"<pre tabindex=\"0\"><code class=\"language-&#34;&gt;&lt;b&gt;\">&lt;i&gt;&amp;amp;\n</code></pre>",
		"<pre tabindex=\"0\"><code>indented &amp; &lt;b&gt;\n</code></pre>",
	} {
		if strings.Count(body, part) != 1 {
			t.Errorf("%d times %s in\n%s", strings.Count(body, part), part, body)
		}
	}
}

// The title of a page is found wherever its first heading stands.
func TestTitles(t *testing.T) {
	long := strings.Repeat("words without end\n", 60)
	h := handler(t, func(o *site.Options) {
		o.Pages = fstest.MapFS{
			"README.md": {Data: []byte("# First\n")}, "long.md": {Data: []byte("# Long `code`\n\n" + long)}, "late.md": {Data: []byte(long + "\n# Late\n")},
			"under.md": {Data: []byte("Under\n=====\n\n" + long)}, "none.md": {Data: []byte(long)},
		}
	})
	for name, title := range map[string]string{"long": "Long code", "late": "Late", "under": "Under", "none": "Documentation"} {
		if body := ask(t, h, "GET", "/docs/"+name).Body.String(); !strings.Contains(body, "<title>"+title+" · acme docs</title>") {
			t.Errorf("the title of %s is not %q", name, title)
		}
	}
}
