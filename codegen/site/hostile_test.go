package site_test

import (
	"context"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/codegen/site"
)

func TestPagesLoadNothingElse(t *testing.T) {
	h := handler(t)
	addresses := []string{"/docs", "/docs/decisions", "/docs/vocabulary", "/docs/README.md", "/docs/reference/config.schema.json"}
	for name := range generated(t) {
		addresses = append(addresses, "/docs/"+strings.TrimSuffix(name, ".md"))
	}
	for _, target := range addresses {
		w := ask(t, h, "GET", target)
		for name, want := range map[string]string{
			"Content-Security-Policy": "default-src 'none'; style-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
			"X-Content-Type-Options":  "nosniff", "Referrer-Policy": "no-referrer", "Cache-Control": "no-cache",
		} {
			if got := w.Header().Get(name); got != want {
				t.Errorf("%s: %s is %q", target, name, got)
			}
		}
		if !strings.HasPrefix(w.Header().Get("Content-Type"), "text/html") {
			continue
		}
		body := strings.ToLower(w.Body.String())
		for _, bad := range []string{"<script", "javascript:", "<style", " style=", "<iframe", "<img", "raw html omitted", "<!--", " onclick"} {
			if strings.Contains(body, bad) {
				t.Errorf("%s holds %q", target, bad)
			}
		}
		for _, part := range []string{`<html lang="en">`, "<title>", "<h1", `<main id="main"`, `href="#main"`, `<link rel="alternate" type="text/markdown"`, `<form class="search" role="search" method="get" action="/docs/search">`, "<form", "<input"} {
			if strings.Count(body, part) != 1 {
				t.Errorf("%s holds %q %d times", target, part, strings.Count(body, part))
			}
		}
	}
}

// What a declaration says of itself is text in the page, whatever it is.
func TestHostileTextIsInert(t *testing.T) {
	evil := `<img src=x onerror=alert(1)> [x](javascript:alert(1)) | <script>alert(1)</script> "x" 'y' &lt; {{.}}`
	pack := capabilities.NewPack[struct{}](capabilities.PackInfo{Name: "odd", Title: evil, Summary: evil})
	type input struct {
		X string `json:"x" jsonschema_description:"</table><script>alert(1)</script> | [x](javascript:alert(1))"`
	}
	capabilities.Declare(pack, capabilities.Spec{
		Name: "odd_tool", Title: evil, Summary: evil, Effect: capabilities.Read(capabilities.Local), Route: "POST /odd",
		Examples: []capabilities.Example{{Name: evil, In: `{"x":"</code></pre><script>alert(1)</script>"}`}},
	}, func(context.Context, struct{}, input) (input, error) { return input{}, nil })
	reg, err := capabilities.Assemble(pack.Describe())
	if err != nil {
		t.Fatal(err)
	}
	h := handler(t, func(o *site.Options) {
		o.Registry = reg
		o.Pages = fstest.MapFS{
			"README.md": {Data: []byte("# A <script>alert(1)</script> [x](javascript:alert(1)) `<b>`\n\n<script>alert(1)</script>\n\n<div onclick=\"x\">x</div>\n\n[a](JaVaScRiPt:alert(1)) [b](data:text/html,x) [c](vbscript:x) <javascript:alert(1)> ![i](javascript:x)\n")},
		}
	})
	for _, target := range []string{"/docs", "/docs/reference", "/docs/packs/odd", "/docs/capabilities/odd_tool"} {
		body := ask(t, h, "GET", target).Body.String()
		for _, m := range regexp.MustCompile(`<(/?[a-zA-Z][^\s>]*)([^>]*)>`).FindAllStringSubmatch(body, -1) {
			if regexp.MustCompile(`(?i)^/?(script|img|div)$`).MatchString(m[1]) && !regexp.MustCompile(`^ (class="(scroll|columns|beside)"|src="" alt="i")`).MatchString(m[2]) && m[0] != "</div>" {
				t.Errorf("%s holds the tag %s", target, m[0])
			}
			if regexp.MustCompile(`(?i) on[a-z]+=|(href|src)="\s*(javascript|data|vbscript):`).MatchString(m[2]) {
				t.Errorf("%s holds the attributes %s", target, m[2])
			}
		}
		if !strings.Contains(body, "&lt;script&gt;") && target != "/docs" {
			t.Errorf("%s lost the text", target)
		}
	}
}
