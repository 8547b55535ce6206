package httpapi

import (
	"net/http"
	"strings"
)

// shieldRow is a header that tells browsers, and whatever stands between, what not to do
// with an answer of ours.
type shieldRow struct {
	key   string
	value []string // shared by all answers and never changed
}

// shield is what every answer begins with, whatever route it comes from. Pages of ours
// say something else where they need it, see [Server.pageHeaders].
func shield() []shieldRow {
	return []shieldRow{
		// What is shown all the same, such as an answer that a browser opens by itself, runs
		// nothing, loads nothing and stands in no frame.
		{keyContentPolicy, []string{"default-src 'none'; frame-ancestors 'none'"}},
		// No page of another site gets an answer into an element of its own.
		{keyResourcePolicy, []string{"same-origin"}},
		{keyReferrerPolicy, []string{"no-referrer"}},
		{keyNoSniff, []string{"nosniff"}},
		{keyCacheControl, []string{noStore}},
	}
}

const (
	keyContentPolicy  = "Content-Security-Policy"
	keyResourcePolicy = "Cross-Origin-Resource-Policy"
	keyTransport      = "Strict-Transport-Security"

	noStore = "no-store"

	// strictTransport keeps browsers that came over TLS once to it, for a year (RFC 6797).
	strictTransport = "max-age=31536000"
)

// guard sets what every answer begins with.
func (x *exchange) guard() {
	h := x.Header()
	for i := range x.s.shield {
		h[x.s.shield[i].key] = x.s.shield[i].value
	}
	if x.secure {
		h[keyTransport] = []string{strictTransport}
	}
}

// unstored makes sure that no store keeps what needs a credential. Who serves MCP behind
// us says of a stream that it is not to be kept without asking, which leaves it stored.
func (x *exchange) unstored(h http.Header) {
	if x.principal == nil {
		return
	}
	switch control := strings.Join(h[keyCacheControl], ","); {
	case control == noStore, strings.Contains(control, noStore), strings.Contains(control, "private"):
	case strings.Contains(control, "no-transform"):
		h[keyCacheControl] = []string{noStore + ", no-transform"}
	default:
		h[keyCacheControl] = x.s.values.noStore
	}
}
