package site_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/seed-89b9419b/holotype/codegen/site"
)

// small are pages among which it is plain what fits best.
var small = fstest.MapFS{
	"README.md":      {Data: []byte("# Start\n\nBegin here.\n\n## How to\n\n- [Zebra](zebra.md)\n- [Apple](apple.md)\n\n## Why\n\n| page |\n|---|\n| [Decisions](decisions/) |\n")},
	"apple.md":       {Data: []byte("# Apple\n\nOn zebras. It says more. <b>\n\n## Peel it\n\nWith a `paring_knife`, carefully.\n\n### Peel it\n\nAgain.\n\n```json\n{\"hiddenword\": 1}\n```\n\n```sh\nslice --thin\n```\n")},
	"zebra.md":       {Data: []byte("# Zebra\n\nAn animal. Peel nothing.\n")},
	"lone.md":        {Data: []byte("# Lone\n\nNobody links here, " + strings.Repeat("very ", 60) + "far away.\n")},
	"decisions/1.md": {Data: []byte("# We eat apples\n\nÄpfel are healthy.\n")},
}

// another changes nothing, and makes a handler of its own.
func another(*site.Options) {}

func smallSite(o *site.Options) { o.Pages = small }

var found = regexp.MustCompile(`(?m)^- \[([^\]]*)\]\(([^)]*)\)(?:: (.*))?$`)

// look answers where a search leads, the best first.
func look(t *testing.T, h http.Handler, query string) (addresses, says []string) {
	t.Helper()
	w := ask(t, h, "GET", "/docs/search.md?"+url.Values{"q": {query}}.Encode())
	if w.Code != 200 || w.Header().Get("Content-Type") != "text/markdown; charset=utf-8" {
		t.Fatalf("%q: %d %s", query, w.Code, w.Body)
	}
	for _, m := range found.FindAllStringSubmatch(w.Body.String(), -1) {
		if strings.HasPrefix(m[2], "/docs/reference") {
			continue // the fixture's pages are not what these cases are about
		}
		addresses, says = append(addresses, m[2]), append(says, m[3])
	}
	return addresses, says
}

func TestSearch(t *testing.T) {
	h := handler(t, smallSite)
	for name, c := range map[string]struct {
		query string
		want  string
	}{
		"a title goes before text":             {"zebra", "/docs/zebra /docs#how-to /docs/apple"},
		"whatever its case":                    {"ZEBRA", "/docs/zebra /docs#how-to /docs/apple"},
		"the beginning of a word":              {"zeb", "/docs/zebra /docs#how-to /docs/apple"},
		"a short beginning finds nothing":      {"ze", ""},
		"a section":                            {"peel it", "/docs/apple#peel-it"},
		"every word has to be there":           {"apple healthy", "/docs/decisions/1"},
		"in any order":                         {"healthy apple", "/docs/decisions/1"},
		"a word of no page":                    {"zebra unicorn", ""},
		"a name":                               {"paring_knife", "/docs/apple#peel-it"},
		"a part of a name":                     {"knife", "/docs/apple#peel-it"},
		"letters beyond ASCII":                 {"äpfel", "/docs/decisions/1"},
		"commands":                             {"thin", "/docs/apple#peel-it-1"},
		"JSON is left out":                     {"hiddenword", ""},
		"no word at all":                       {"?!", ""},
		"nothing":                              {"  ", ""},
		"the first page":                       {"begin here", "/docs"},
		"a page that nobody links to":          {"lone", "/docs/lone"},
		"words behind the eighth are left out": {"a1 a2 a3 a4 a5 a6 a7 a8 zebra", ""},
	} {
		t.Run(name, func(t *testing.T) {
			if got, _ := look(t, h, c.query); strings.Join(got, " ") != c.want {
				t.Errorf("%q leads to %q, want %q", c.query, strings.Join(got, " "), c.want)
			}
		})
	}
}

func TestSearchShowsWhereTheWordIs(t *testing.T) {
	_, says := look(t, handler(t, smallSite), "far")
	if len(says) != 1 || !strings.HasPrefix(says[0], "… very ") || !strings.HasSuffix(says[0], "far away.") || len(says[0]) > 260 {
		t.Errorf("it shows %q", says)
	}
}

// What is shown begins where the first of the words does, and with a whole word.
func TestSearchShowsTheFirstOfTheWords(t *testing.T) {
	x, y := strings.Repeat("x", 40), strings.Repeat("y", 58)
	h := handler(t, func(o *site.Options) {
		o.Pages = fstest.MapFS{
			"README.md": {Data: []byte("# Start\n\n[One](one.md) [two](two.md)\n")},
			"one.md":    {Data: []byte("# One\n\nZither at the beginning " + strings.Repeat("and so on ", 12) + "until a quagga.\n")},
			"two.md":    {Data: []byte("# Two\n\n" + x + " " + y + " numbat.\n")},
		}
	})
	for query, want := range map[string]string{
		"quagga zither": "Zither at the beginning and so on",
		"numbat":        "… " + y + " numbat.",
	} {
		if _, says := look(t, h, query); len(says) != 1 || !strings.HasPrefix(says[0], want) {
			t.Errorf("%s shows %q, want %q", query, says, want)
		}
	}
}

// The page works without a script, keeps what was looked for and shows it as text.
func TestSearchPage(t *testing.T) {
	h := handler(t, smallSite, func(o *site.Options) { o.BasePath = "/tools" })
	evil := `"><script>alert(1)</script> zebra [x](javascript:alert(1))`
	w := ask(t, h, "GET", "/docs/search?"+url.Values{"q": {evil}}.Encode())
	body := w.Body.String()
	if w.Code != 200 || strings.Contains(body, "<script") || strings.Contains(body, `href="javascript`) {
		t.Fatalf("%d %s", w.Code, body)
	}
	if !strings.Contains(body, `value="&#34;&gt;&lt;script&gt;alert(1)&lt;/script&gt; zebra`) {
		t.Errorf("the box has lost the words:\n%s", body)
	}
	body = ask(t, h, "GET", "/docs/search?q=peel+it").Body.String()
	for _, part := range []string{
		`<form class="search" role="search" method="get" action="/tools/docs/search">`, `<label class="away" for="q">`, ` value="peel it"`,
		`<a href="/tools/docs/apple#peel-it">Apple › Peel it</a>`, `href="/tools/docs/search.md?q=peel&#43;it"`,
	} {
		if strings.Count(body, part) < 1 {
			t.Errorf("the page lacks %s:\n%s", part, body)
		}
	}
	asked := ask(t, h, "GET", "/docs/search?q=peel+it", "Accept: text/markdown")
	if twin := ask(t, h, "GET", "/docs/search.md?q=peel+it"); asked.Body.String() != twin.Body.String() || asked.Header().Get("Vary") != "Accept" {
		t.Error("who accepts Markdown gets something else than the twin")
	}
}

func TestSearchIsBounded(t *testing.T) {
	h := handler(t)
	w := ask(t, h, "GET", "/docs/search?q="+strings.Repeat("a", 201))
	var p struct{ Code string }
	if err := json.Unmarshal(w.Body.Bytes(), &p); err != nil || w.Code != 400 || p.Code != "invalid" {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	for _, query := range []string{"q=%zz", "q=%ff%fe", "", "p=x", "q=a&q=b", "q=" + strings.Repeat("a+", 99)} {
		if w := ask(t, h, "GET", "/docs/search?"+query); w.Code != 200 {
			t.Errorf("%.40q: %d %s", query, w.Code, w.Body)
		}
	}
	hits := strings.Count(ask(t, h, "GET", "/docs/search.md?q=the").Body.String(), "\n- ")
	if hits != 20 {
		t.Errorf("a word of every page finds %d", hits)
	}
}

// Two servers, and two questions to one, answer the same bytes.
func TestSearchIsDeterministic(t *testing.T) {
	lines := func(h http.Handler, query string) string {
		return strings.Join(found.FindAllString(ask(t, h, "GET", "/docs/search.md?q="+query).Body.String(), -1), "\n")
	}
	first, again := lines(handler(t), "tool+effect"), lines(handler(t, another), "effect+tool&x=1")
	if again != first || first == "" {
		t.Fatalf("another order of words, asked of another server, finds something else: %s\n%s", first, again)
	}
}

func BenchmarkSearch(b *testing.B) {
	h := handler(b)
	ask(b, h, "GET", "/docs/search?q=effect")
	for b.Loop() {
		ask(b, h, "GET", "/docs/search?q=tool+effect+of+a+call")
	}
}
