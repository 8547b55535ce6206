package site_test

import (
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/seed-89b9419b/holotype/codegen/site"
)

// The page to try the HTTP surface on loads what stands on this server, and no script
// or style stands in it.
func TestAPIPage(t *testing.T) {
	h := handler(t, func(o *site.Options) { o.BasePath = "/tools" })
	w := ask(t, h, "GET", "/docs/api")
	if w.Code != 200 || w.Header().Get("Content-Type") != "text/html; charset=utf-8" {
		t.Fatalf("%d %v", w.Code, w.Header())
	}
	want := "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
	if got := w.Header().Get("Content-Security-Policy"); got != want {
		t.Errorf("Content-Security-Policy is %q", got)
	}
	body := w.Body.String()
	for _, bad := range []string{"<style", " style=", "javascript:", " onclick", "https://", "http://"} {
		if strings.Contains(body, bad) {
			t.Errorf("it holds %q", bad)
		}
	}
	for _, m := range regexp.MustCompile(`(?s)<script([^>]*)>(.*?)</script>`).FindAllStringSubmatch(body, -1) {
		if !strings.Contains(m[1], ` src="/tools/docs/api/`) || m[2] != "" {
			t.Errorf("a script stands in it: %s", m[0])
		}
	}
	loads := regexp.MustCompile(`(?:src|href)="/tools(/docs/api/[^"]+)"`).FindAllStringSubmatch(body, -1)
	if len(loads) != 3 {
		t.Errorf("it loads %q", loads)
	}
	for _, m := range loads {
		if got := ask(t, h, "GET", m[1]); got.Code != 200 || got.Body.Len() < 100 {
			t.Errorf("%s: %d, %d bytes", m[1], got.Code, got.Body.Len())
		}
	}
	if !strings.Contains(body, `data-document="/tools/openapi.json"`) || !strings.Contains(body, `<a href="/tools/docs/api" aria-current="page">`) {
		t.Errorf("it has no document, or no place:\n%s", body)
	}
}

// What is kept of Swagger UI is what its package holds, compressed or not.
func TestSwaggerIsWhatItSays(t *testing.T) {
	sums, err := os.ReadFile("../../web/swagger/SHA256SUMS")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(sums)), "\n")
	if len(lines) != 2 {
		t.Errorf("%d sums", len(lines))
	}
	h := handler(t)
	for _, line := range lines {
		want, name, _ := strings.Cut(line, "  ")
		packed := ask(t, h, "GET", "/docs/api/"+name, "Accept-Encoding: br, gzip;q=0.5")
		plain := ask(t, h, "GET", "/docs/api/"+name, "Accept-Encoding: gzip;q=0, identity")
		if packed.Header().Get("Content-Encoding") != "gzip" || plain.Header().Get("Content-Encoding") != "" {
			t.Errorf("%s: encoded as %q and %q", name, packed.Header().Get("Content-Encoding"), plain.Header().Get("Content-Encoding"))
		}
		if packed.Header().Get("Vary") != "Accept-Encoding" || packed.Header().Get("ETag") == plain.Header().Get("ETag") {
			t.Errorf("%s: a cache would mix both up: %v", name, packed.Header())
		}
		r, err := gzip.NewReader(packed.Body)
		if err != nil {
			t.Fatal(err)
		}
		unpacked, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		for how, body := range map[string][]byte{"compressed": unpacked, "plain": plain.Body.Bytes()} {
			if sum := sha256.Sum256(body); hex.EncodeToString(sum[:]) != want {
				t.Errorf("%s, %s, is another file than SHA256SUMS says: run make vendor-ui", name, how)
			}
		}
	}
	for accept, want := range map[string]string{"": "", "*": "gzip", "GZIP": "gzip", "gzip; q=1.0": "gzip", "gzip;q=x": "", "deflate": "", "xgzip": ""} {
		if got := ask(t, h, "GET", "/docs/api/swagger-ui.css", "Accept-Encoding: "+accept).Header().Get("Content-Encoding"); got != want {
			t.Errorf("%q is answered %q", accept, got)
		}
	}
}
