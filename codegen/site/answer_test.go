package site_test

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-89b9419b/holotype/codegen/site"
	"github.com/seed-89b9419b/holotype/docs"
)

func TestOtherMethodsAreRefused(t *testing.T) {
	h := handler(t)
	for _, method := range []string{"POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "get", "X"} {
		w := ask(t, h, method, "/docs", "X-Request-Id: ignored")
		var p struct{ Code string }
		if err := json.Unmarshal(w.Body.Bytes(), &p); err != nil || w.Code != 405 || p.Code != "invalid" || w.Header().Get("Allow") != "GET, HEAD" {
			t.Errorf("%s: %d %s %v", method, w.Code, w.Body, w.Header())
		}
	}
}

func TestHeadHasTheHeadersAlone(t *testing.T) {
	h := handler(t)
	for _, target := range []string{"/docs", "/docs/README.md", "/docs/reference/config.schema.json"} {
		get, head := ask(t, h, "GET", target), ask(t, h, "HEAD", target)
		if head.Code != 200 || head.Body.Len() != 0 {
			t.Errorf("%s: %d, %d bytes", target, head.Code, head.Body.Len())
		}
		if d := cmp.Diff(get.Header(), head.Header()); d != "" {
			t.Errorf("%s: headers (-GET +HEAD):\n%s", target, d)
		}
	}
}

func TestPagesAreAskedAboutAgain(t *testing.T) {
	h := handler(t)
	tags := map[string]bool{}
	for _, target := range []string{"/docs", "/docs/README.md", "/docs/reference", "/docs/reference/config.schema.json"} {
		w := ask(t, h, "GET", target)
		tag := w.Header().Get("ETag")
		if !regexp.MustCompile(`^"[0-9a-f]{24}"$`).MatchString(tag) || tags[tag] {
			t.Errorf("%s: the ETag is %s", target, tag)
		}
		tags[tag] = true
		for header, want := range map[string]int{tag: 304, "W/" + tag: 304, `"x", ` + tag: 304, "*": 304, `"x"`: 200} {
			again := ask(t, h, "GET", target, "If-None-Match: "+header)
			if again.Code != want || again.Code == 304 && again.Body.Len() != 0 {
				t.Errorf("%s with %s: %d", target, header, again.Code)
			}
		}
	}
	if a, b := ask(t, h, "GET", "/docs").Header().Get("ETag"), ask(t, handler(t, another), "GET", "/docs").Header().Get("ETag"); a != b {
		t.Errorf("another server of the same declarations says %s, not %s", b, a)
	}
}

func TestAccept(t *testing.T) {
	h := handler(t)
	for accept, want := range map[string]string{
		"": "text/html", "*/*": "text/html", "text/*": "text/html", "text/html": "text/html",
		"text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8": "text/html",
		"text/markdown": "text/markdown", "text/markdown, */*": "text/markdown", "text/markdown, text/html, */*": "text/markdown",
		"Text/Markdown; charset=utf-8": "text/markdown", "text/html, text/markdown": "text/html", "text/html;q=0.5, text/markdown": "text/markdown",
		"text/markdown;q=0.5, text/html": "text/html", "text/markdown;q=0": "text/html", "text/markdown;q=2, text/html;q=0.1": "text/html",
		"text/markdown;q=x": "text/html", "text/markdownish": "text/html", ";;,,=": "text/html", "application/json": "text/html",
	} {
		w := ask(t, h, "GET", "/docs/codes/invalid", "Accept: "+accept)
		if got := w.Header().Get("Content-Type"); w.Code != 200 || got != want+"; charset=utf-8" || w.Header().Get("Vary") != "Accept" {
			t.Errorf("%q: %d %s, Vary %q", accept, w.Code, got, w.Header().Get("Vary"))
		}
	}
}

// A page is rendered when it is first asked for, and once for all who ask.
func TestPagesAreRenderedOnce(t *testing.T) {
	h := handler(t, another)
	bodies := make([]string, 16)
	var all sync.WaitGroup
	for i := range bodies {
		all.Go(func() { bodies[i] = ask(t, h, "GET", "/docs/reference/surfaces").Body.String() })
	}
	all.Wait()
	for _, b := range bodies {
		if b == "" || b != bodies[0] {
			t.Fatal("two who ask get different pages")
		}
	}
	w := httptest.NewRecorder()
	r := httptest.NewRequestWithContext(t.Context(), "HEAD", "/docs/reference/surfaces", nil)
	if n := testing.AllocsPerRun(20, func() { h.ServeHTTP(w, r) }); n > 60 {
		t.Errorf("a page that was rendered costs %v allocations again", n)
	}
}

func TestPagesThatCannotBeRead(t *testing.T) {
	var log bytes.Buffer
	h := handler(t, func(o *site.Options) {
		o.Pages = broken{fstest.MapFS{"a.md": {Data: []byte("# A")}}}
		o.Log = slog.New(slog.NewTextHandler(&log, nil))
	})
	w := ask(t, h, "GET", "/docs")
	var p struct{ Code string }
	if err := json.Unmarshal(w.Body.Bytes(), &p); err != nil || w.Code != 500 || p.Code != "internal_error" || strings.Contains(w.Body.String(), "disk") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	if !strings.Contains(log.String(), "msg=page_failed") || !strings.Contains(log.String(), "the disk is gone") {
		t.Errorf("the log says %s", &log)
	}
}

// What a server pays at its start, and for its first page.
func BenchmarkHandler(b *testing.B) {
	reg := registry(b)
	for name, first := range map[string]bool{"start": false, "first page": true} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				h, err := site.Handler(site.Options{Registry: reg, Pages: docs.Pages, Title: "acme", Log: slog.New(slog.DiscardHandler)})
				if err != nil {
					b.Fatal(err)
				}
				if first {
					ask(b, h, "GET", "/docs")
				}
			}
		})
	}
}
