package httpapi

import (
	"net/http"
	"net/url"
	"testing"
)

// After a sign-in a browser goes on to one of our pages, and nowhere else.
func TestWhereABrowserGoesOn(t *testing.T) {
	for path, want := range map[string]string{
		"/approvals": "/approvals", "/approvals/apr_09az": "/approvals/apr_09az",
		"/approvals/": "/", "/approvals/APR_1": "/", "/approvals/a/b": "/", "/approvals/a?b": "/", "//evil.example": "/", "https://evil.example": "/", "": "/",
	} {
		if got := nextOf(path); got != want {
			t.Errorf("%q leads to %q, want %q", path, got, want)
		}
	}
}

// A browser names text/html; what takes anything, or refuses it, is none.
func TestWhoWantsAPage(t *testing.T) {
	for accept, want := range map[string]bool{
		"text/html,application/xhtml+xml;q=0.9": true, "text/html;q=0": false, "*/*": false, "application/json": false, "text/html;q=0.1": true,
	} {
		if got := wantsHTML(&http.Request{Header: http.Header{keyAccept: {accept}}}); got != want {
			t.Errorf("%s: %v", accept, got)
		}
	}
	if wantsHTML(&http.Request{Header: http.Header{}}) {
		t.Error("who says nothing wants a page")
	}
}

// Pages are counted from one, and what is no number is the first.
func TestWhichPageIsAskedFor(t *testing.T) {
	first := filterOf(url.Values{}).Page
	for page, want := range map[string]int{"": first, "0": first, "-1": first, "x": first, "1": 1, "7": 7, "999999": 999_999, "1000000": first} {
		if got := filterOf(url.Values{"page": {page}}).Page; got != want {
			t.Errorf("%q is page %d, want %d", page, got, want)
		}
	}
}
