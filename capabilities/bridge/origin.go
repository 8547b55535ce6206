package bridge

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
)

// An Origin sends requests to one server over HTTP, by the rules that the bridge has for
// MCP servers: to one origin alone, with the configured headers, bounded in what is read,
// and never twice unless that is harmless. It is safe for concurrent use.
type Origin struct{ client *httpClient }

// NewOrigin answers the origin of an address. headers go with every request. version and
// mark are those of [Options].
func NewOrigin(at *url.URL, headers map[string]string, version, mark string) *Origin {
	return &Origin{newOriginClient(at, headers, version, mark)}
}

// OriginOf is scheme, host and port of an address (RFC 6454), the default port spelt out.
func OriginOf(u *url.URL) string { return originOf(u) }

// Close closes the connections that are not in use.
func (o *Origin) Close() { o.client.base.CloseIdleConnections() }

// An Answer is what a server answered over HTTP. Body is the whole of it, unpacked, or the
// first 64 KiB where Status is no success.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte
	URL    *url.URL // that it was answered at
}

// Send sends a request, and once more for each redirect within the origin that keeps the
// method, of which there may be five. A request that is not repeatable is not sent again
// when a connection breaks. The error says what keeps the answer from being handed on, and
// whether the request may have run: an answer over 16 MiB, a redirect that is not followed,
// the end of its context. [ErrItself] is an answer of this very server.
func (o *Origin) Send(req *http.Request, repeatable bool) (*Answer, error) {
	for hops := 0; ; hops++ {
		a, err := o.once(req, repeatable)
		if err != nil {
			return nil, err
		}
		next, why := redirected(req, a)
		switch {
		case next == nil && why == "":
			return a, nil
		case why == "" && !o.client.sameOrigin(next):
			why = "it points to another origin, " + originOf(next) + "; use that address if it is right"
		case why == "" && hops == maxRedirects:
			why = fmt.Sprintf("there are more than %d in a row", maxRedirects)
		}
		if why != "" {
			return nil, broken("answered with a redirect (HTTP status %d) that is not followed: %s", a.Status, why)
		}
		again := req.Clone(req.Context())
		again.URL = next
		if req.GetBody != nil {
			if again.Body, err = req.GetBody(); err != nil {
				return nil, fmt.Errorf("following a redirect: %w", err)
			}
		}
		req = again
	}
}

// redirected answers where a redirect leads; nil for an answer that is none, and why for one
// that cannot be followed. One that changes the method would drop what was to be done.
func redirected(req *http.Request, a *Answer) (next *url.URL, why string) {
	switch a.Status {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther:
		if req.Method != http.MethodGet && req.Method != http.MethodHead {
			return nil, "it would drop the request"
		}
	case http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
	default:
		return nil, ""
	}
	next, err := req.URL.Parse(a.Header.Get("Location"))
	if err != nil || a.Header.Get("Location") == "" {
		return nil, "it leads nowhere"
	}
	return next, ""
}

// once sends one request and reads the answer.
func (o *Origin) once(req *http.Request, repeatable bool) (*Answer, error) {
	out := req.Clone(req.Context())
	switch {
	case repeatable:
		out.Header["X-Idempotency-Key"] = nil // see httpLane: the transport may send it once more
	case out.Body == nil && (out.Method == http.MethodGet || out.Method == http.MethodHead || out.Method == http.MethodOptions):
		out.Body = nothing{} // and not without one
	default:
		out.GetBody = nil
	}
	resp, itself, err := o.client.exchange(out)
	if err != nil {
		return nil, unsent(req.Context(), err)
	}
	defer func() { _ = resp.Body.Close() }() // it was read, or is not to be
	if itself {
		return nil, ErrItself
	}
	a := &Answer{Status: resp.StatusCode, Header: resp.Header, URL: req.URL}
	limit := int64(maxMessage)
	if a.Status < 200 || a.Status > 299 {
		limit = maxErrorBody
	}
	a.Body, err = io.ReadAll(&limitReader{resp.Body, limit})
	switch {
	case err == nil || limit == maxErrorBody && req.Context().Err() == nil: // words that end early are words
		return a, nil
	case errors.Is(err, errTooLarge):
		return nil, tooLarge()
	case req.Context().Err() != nil:
		return nil, interrupted(req.Context(), true)
	}
	return nil, unavailable(true, err, "ended its answer before it was whole")
}

// nothing is a body without a byte. A request that has it is not sent twice by the
// transport, which takes one without a body for harmless by its method.
type nothing struct{}

// Read implements [io.Reader].
func (nothing) Read([]byte) (int, error) { return 0, io.EOF }

// Close implements [io.Closer].
func (nothing) Close() error { return nil }

// unsent is the failure of a request without any response. Only a connection that was never
// made proves that nothing ran.
func unsent(ctx context.Context, err error) *failure {
	never := errors.Is(err, errUnauthorized)
	if ctx.Err() != nil {
		return interrupted(ctx, !never)
	}
	var op *net.OpError
	dialing := errors.As(err, &op) && op.Op == "dial"
	return unavailable(!never && !dialing && !errors.Is(err, errRedirect), err, "cannot be reached: %s", reasonOf(err))
}
