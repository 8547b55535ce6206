package site_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/codegen/site"
)

// The addresses that problems, the catalogue and old names use.
func TestShortAddresses(t *testing.T) {
	h := handler(t)
	same := func(short, long string) {
		t.Helper()
		a, b := ask(t, h, "GET", short), ask(t, h, "GET", long)
		if a.Code != 200 || b.Code != 200 || a.Body.String() != b.Body.String() {
			t.Errorf("%s (%d) is not %s (%d)", short, a.Code, long, b.Code)
		}
	}
	reg := registry(t)
	for _, i := range reg.Codes() {
		same("/docs/codes/"+string(i.Code), "/docs/reference/codes/"+string(i.Code))
	}
	for c := range reg.All() {
		name := c.Name()
		if c.AliasOf() != "" {
			name = c.AliasOf()
		}
		for _, folder := range []string{"/docs/capabilities/", "/docs/reference/", "/docs/reference/capabilities/"} {
			same(folder+c.Name(), "/docs/reference/capabilities/"+name)
		}
	}
	for short, long := range map[string]string{
		"/docs/": "/docs", "/docs/README": "/docs", "/docs/codes": "/docs/reference/codes", "/docs/surfaces/": "/docs/reference/surfaces",
		"/docs/config": "/docs/reference/config", "/docs/packs/fixture": "/docs/reference/packs/fixture", "/docs/reference/README": "/docs/reference",
		"/docs/capabilities": "/docs/reference", "/docs/README.md": "/docs/README.md", "/docs/codes.md": "/docs/reference/codes.md",
	} {
		same(short, long)
	}
}

// A capability whose name is that of a page of the reference takes no address away.
func TestPagesGoBeforeShortAddresses(t *testing.T) {
	pack := capabilities.NewPack[struct{}](capabilities.PackInfo{Name: "odd", Title: "Odd", Summary: "Have odd names."})
	type input struct{}
	for _, name := range []string{"codes", "config", "packs"} {
		capabilities.Declare(pack, capabilities.Spec{
			Name: name, Title: "Odd " + name, Summary: "Do " + name + ".", Effect: capabilities.Read(capabilities.Local), Route: "GET /odd-" + name,
		}, func(context.Context, struct{}, input) (input, error) { return input{}, nil })
	}
	reg, err := capabilities.Assemble(pack.Describe())
	if err != nil {
		t.Fatal(err)
	}
	h := handler(t, func(o *site.Options) { o.Registry = reg })
	for address, title := range map[string]string{
		"/docs/reference/codes": "Codes", "/docs/codes": "Codes", "/docs/capabilities/codes": "codes", "/docs/reference/config": "Configuration",
		"/docs/capabilities/config": "config", "/docs/reference/packs": "packs",
	} {
		if got := ask(t, h, "GET", address).Body.String(); !strings.Contains(got, "<title>"+title+" · acme docs</title>") {
			t.Errorf("%s is another page than %s", address, title)
		}
	}
}

func TestUnknownPagesAreProblems(t *testing.T) {
	h := handler(t, func(o *site.Options) { o.BasePath = "/tools" })
	for _, target := range []string{
		"/docs/nothing", "/docs/codes/nothing", "/docs/reference/capabilities/nothing", "/docs/nothing.md", "/docsx", "/docs//", "/docs//reference", "/other", "/docs/.md",
		"/docs/../go.mod", "/docs/reference/../../go.mod", "/docs/..", "/docs/%2e%2e/go.mod", "/docs/docs.go", "/docs/reference/codes/../codes", "/docs/\x00", "/docs/reference\\codes",
		"/docs/config.schema.json.md", "/docs/conventions.md.md", "/docs/" + strings.Repeat("a/", 5000),
	} {
		w := ask(t, h, "GET", target)
		var p struct {
			Type, Code string
			Status     int
		}
		if err := json.Unmarshal(w.Body.Bytes(), &p); err != nil || w.Code != 404 || p.Status != 404 || p.Code != "not_found" || p.Type != "/tools/docs/codes/not_found" {
			t.Errorf("%.60q: %d %.200s", target, w.Code, w.Body)
		}
		if w.Header().Get("Content-Type") != "application/problem+json" || w.Header().Get("Cache-Control") != "no-store" {
			t.Errorf("%.60q: %v", target, w.Header())
		}
	}
}

func TestNavigation(t *testing.T) {
	body := ask(t, handler(t), "GET", "/docs/capabilities/file_ticket").Body.String()
	for _, part := range []string{
		`<a href="/docs/reference/capabilities/file_ticket" aria-current="page">file_ticket</a>`,
		`<li><a href="/docs/reference/packs/fixture">Fixture</a></li>`, // above the page
		`<a rel="prev" href="/docs/reference/capabilities/effect_set_world">`,
		`<a rel="next" href="/docs/reference/capabilities/find_tickets">`,
		`<li><a href="#refusals">Refusals</a></li>`,
		`<a href="/docs/reference/capabilities/file_ticket.md">This page as Markdown</a>`,
	} {
		if strings.Count(body, part) != 1 {
			t.Errorf("%d times %s", strings.Count(body, part), part)
		}
	}
	if strings.Contains(body, `href="/docs/reference/codes/exists">exists`) {
		t.Error("a folder that the page is not in stands open")
	}
}

// The pages of another program take the place of ours.
func TestPagesOfAnotherProgram(t *testing.T) {
	h := handler(t, func(o *site.Options) {
		o.Pages = fstest.MapFS{
			"guide/first-steps.md":   {Data: []byte("# First *steps* &amp; `more`\n\n[next](second.md#a) [up](../guide/) [out](../../secret.md) [code](../reference/codes/invalid.md) [api](/openapi.json) [web](https://example.com/)\n")},
			"guide/second.md":        {Data: []byte("Second\n======\n\n## A\n")},
			"guide/deep/er/third.md": {Data: []byte("no heading\n")},
			"reference/codes.md":     {Data: []byte("# Not ours\n")},
			"notes.txt":              {Data: []byte("secret")},
		}
		o.BasePath = "/tools"
	})
	body := ask(t, h, "GET", "/docs/guide/first-steps").Body.String()
	for _, part := range []string{
		"<title>First steps &amp; more · acme docs</title>", `<a href="/tools/docs/guide/second#a">next</a>`, `<a href="/tools/docs/guide">up</a>`, " out ",
		`<a href="/tools/docs/reference/codes/invalid">code</a>`, `<a href="/tools/openapi.json">api</a>`, `<a href="https://example.com/">web</a>`, `href="/tools/assets/style.css"`,
	} {
		if !strings.Contains(body, part) {
			t.Errorf("the page lacks %s:\n%s", part, body)
		}
	}
	for address, title := range map[string]string{
		"/docs": "Reference", "/docs/guide": "Guide", "/docs/guide/deep/er": "Er", "/docs/guide/deep": "Deep", "/docs/guide/deep/er/third": "Documentation", "/docs/reference/codes": "Codes", "/docs/guide/second": "Second",
	} {
		if got := ask(t, h, "GET", address); got.Code != 200 || !strings.Contains(got.Body.String(), "<title>"+title+" ·") {
			t.Errorf("%s is not %s: %d", address, title, got.Code)
		}
	}
	if got := ask(t, h, "GET", "/docs/guide").Body.String(); !strings.Contains(got, `<a href="/tools/docs/guide/first-steps">First steps &amp; more</a>`) {
		t.Errorf("the list of the folder is %s", got)
	}
	for _, address := range []string{"/docs/notes.txt", "/docs/notes", "/docs/secret"} {
		if got := ask(t, h, "GET", address); got.Code != 404 {
			t.Errorf("%s: %d", address, got.Code)
		}
	}
}
