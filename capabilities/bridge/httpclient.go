package bridge

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/seed-89b9419b/holotype/internal/drain"
	"github.com/seed-89b9419b/holotype/internal/wire"
)

const (
	// maxErrorBody bounds what is read of an answer that is not a success.
	maxErrorBody = 64 << 10
	// maxRedirects is how often one request is followed within its origin.
	maxRedirects = 5
	// noticeTimeout bounds the requests nobody waits for: a cancellation, an answer to
	// the server, the end of a session.
	noticeTimeout = 2 * time.Second
)

// An httpClient sends every request of both lanes to one HTTP server. It adds the
// configured headers, and only ever to the configured origin: a redirect to
// another one, or an endpoint there, would hand them to a stranger.
type httpClient struct {
	base    *http.Transport
	origin  url.URL
	headers http.Header
	agent   string
	mark    string     // of this program's server; "" for none
	auth    Authorizer // nil for none
}

func newHTTPClient(s Server, version, mark string) (*httpClient, error) {
	u, err := url.Parse(s.URL)
	if err != nil {
		return nil, fmt.Errorf("reading the url: %w", err)
	}
	c := newOriginClient(u, s.Headers, version, mark)
	if s.authorizes() {
		c.auth = s.Auth
	}
	return c, nil
}

func newOriginClient(u *url.URL, headers map[string]string, version, mark string) *httpClient {
	c := &httpClient{origin: *u, headers: http.Header{}, agent: "holotype/" + version, mark: mark}
	for name, value := range headers {
		c.headers.Set(name, value)
	}
	c.base = &http.Transport{
		Proxy: http.ProxyFromEnvironment, ForceAttemptHTTP2: true, TLSHandshakeTimeout: 10 * time.Second,
		MaxIdleConnsPerHost: 64, IdleConnTimeout: idleConnection, MaxResponseHeaderBytes: 256 << 10,
	}
	return c
}

// idleConnection is how long an unused connection is kept: less than the 5 seconds
// after which many servers close it. A call that meets that moment cannot be
// repeated unless it is known to be harmless.
const idleConnection = 4 * time.Second

// tap answers the client of one session.
func (c *httpClient) tap(t *tap) *http.Client {
	t.client = c
	return c.session(t)
}

func (c *httpClient) session(t *tap) *http.Client {
	return &http.Client{Transport: t, CheckRedirect: c.checkRedirect}
}

// errRedirect marks a redirect that is not followed.
var errRedirect = errors.New("redirect refused")

func (c *httpClient) checkRedirect(req *http.Request, via []*http.Request) error {
	status := 0
	if req.Response != nil {
		status = req.Response.StatusCode
	}
	switch {
	case !c.sameOrigin(req.URL):
		return fmt.Errorf("%w: it points to another origin, %s; use that address if it is right", errRedirect, originOf(req.URL))
	case via[0].Method != req.Method:
		return fmt.Errorf("%w: the address redirects with status %d to %s, which would drop the request; use that address", errRedirect, status, req.URL.Redacted())
	case len(via) > maxRedirects:
		return fmt.Errorf("%w: more than %d in a row", errRedirect, maxRedirects)
	}
	return nil
}

func (c *httpClient) sameOrigin(u *url.URL) bool { return originOf(u) == originOf(&c.origin) }

// originOf is scheme, host and port (RFC 6454), the default port spelt out.
func originOf(u *url.URL) string {
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[strings.ToLower(u.Scheme)]
	}
	return strings.ToLower(u.Scheme) + "://" + strings.ToLower(u.Hostname()) + ":" + port
}

// endKey marks the request that ends a session on purpose.
type endKey struct{}

// A tap stands under one session of the SDK and under its data lane.
type tap struct {
	client     *httpClient
	calls      calls // of the session
	notices    drain.Group
	life       context.Context //nolint:containedctx // of the supervisor
	probe      time.Duration
	streamable bool // of the two HTTP transports, the newer one
	// refused is the status that the last request was refused with, 0 for none; one
	// for a stream of notifications does not count.
	refused atomic.Int32
	silent  atomic.Bool // server/discover ran out
	// streamed says that a stream of notifications was opened.
	streamed atomic.Bool
	// itself says that an answer came from this program's own server.
	itself atomic.Bool
	// challenge is the last WWW-Authenticate header of a refusal.
	challenge atomic.Pointer[string]
	// wanted is what there is to do about the last refusal; "" when that is not known.
	wanted atomic.Pointer[string]
	// version is the newest protocol version, of ours, that a refusal named beside the
	// one that was refused.
	version atomic.Pointer[string]
}

// RoundTrip implements [http.RoundTripper]. The SDK's DELETE goes nowhere: it also
// sends one when no more than its stream of notifications broke, and the session
// still serves the data lane then. The data lane ends the session itself.
func (t *tap) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Method == http.MethodDelete && req.Context().Value(endKey{}) == nil {
		return reply(req, http.StatusNoContent, nil), nil
	}
	if req.Header.Get(headerMethod) == methodDiscover {
		return t.discover(req)
	}
	return t.send(req)
}

// exchange sends a request with all that the server is sent, to its origin alone, and once
// more with another token where the server refused the one that it came with. itself says
// that this program's own server answered. The body of the response is not bounded.
func (c *httpClient) exchange(req *http.Request) (resp *http.Response, itself bool, err error) {
	if !c.sameOrigin(req.URL) {
		return nil, false, fmt.Errorf("%w: %s is another origin than the configured one", errRedirect, originOf(req.URL))
	}
	if c.auth == nil {
		return c.once(req, "")
	}
	return c.authorized(req)
}

// once sends a request as it is, with an Authorization header unless that is "".
func (c *httpClient) once(req *http.Request, authorization string) (resp *http.Response, itself bool, err error) {
	out := req.Clone(req.Context())
	if authorization != "" {
		out.Header.Set(headerAuthorization, authorization)
	}
	out.Header.Set("User-Agent", c.agent)
	for name, values := range c.headers {
		out.Header[name] = values
		if name == "Host" {
			out.Host = values[0]
		}
	}
	if c.mark != "" {
		out.Header.Set(wire.HeaderMark, c.mark)
	}
	if resp, err = c.base.RoundTrip(out); err != nil {
		return nil, false, err
	}
	resp.Request = req
	itself = c.mark != "" && resp.Header.Get(wire.HeaderMark) == c.mark
	if encoding := resp.Header.Get("Content-Encoding"); encoding != "" && !strings.EqualFold(encoding, "identity") {
		// The transport asks for gzip, undoes it and takes the header away.
		_ = resp.Body.Close() // nobody here can read it
		return nil, itself, fmt.Errorf("it answered in the encoding %q, which was not asked for", bounded(printable([]byte(encoding)), 80))
	}
	return resp, itself, nil
}

func (t *tap) send(req *http.Request) (*http.Response, error) {
	resp, itself, err := t.client.exchange(req)
	if itself {
		t.itself.Store(true)
	}
	if err != nil {
		return nil, err
	}
	if resp.StatusCode >= 500 && isNotice(req) {
		// Nothing was asked, so nothing failed; to the SDK it is the end of the session.
		_ = resp.Body.Close()
		return reply(req, http.StatusAccepted, nil), nil
	}
	if resp.StatusCode < 300 && req.Method != http.MethodGet {
		t.refused.Store(0)
	}
	switch ok := resp.StatusCode < 300; {
	case !ok:
		switch {
		case req.Method != http.MethodGet && t.awaitsCredential() && !isCredential(resp.StatusCode):
			// Servers let anybody send initialize. One that does not know it says so, and not
			// that it wants the credential which it asked for before, and has not got.
		case req.Method != http.MethodGet || !t.streamable:
			t.refused.Store(int32(resp.StatusCode)) // three digits
			t.keep(resp)
		case resp.StatusCode >= 400:
			// Whatever it says, there is no stream of notifications; to the SDK anything but
			// this status is the end of the session.
			resp.StatusCode = http.StatusMethodNotAllowed
		}
		resp.Body = &limitReader{resp.Body, maxErrorBody}
	case mediaType(resp) == typeEvents: // events have a limit each
		if req.Method == http.MethodGet {
			t.streamed.Store(true)
			if t.streamable {
				resp.Body = newSieve(resp.Body, func(m message) bool { return t.overhear(req, m) })
			}
		}
	default:
		resp.Body = &limitReader{resp.Body, maxMessage}
	}
	return resp, nil
}

// awaitsCredential reports whether the last request was refused for want of a credential, or
// of a better one.
func (t *tap) awaitsCredential() bool {
	status := int(t.refused.Load())
	return status == http.StatusUnauthorized || isCredential(status) && t.wants() != ""
}

// overhear takes what a server says on the stream of notifications and the SDK is not to
// hear: what is about calls.
func (t *tap) overhear(stream *http.Request, m message) bool {
	if !m.isRequest() {
		return m.isNotification() && t.calls.note(m)
	}
	if m.method == "ping" {
		return false
	}
	reply := func(line []byte) { t.notices.Go(func() { t.answer(stream, line) }) }
	t.calls.request(m, replies{reply, reply})
	return true
}

// answer posts an answer into the session that a stream of notifications is of.
func (t *tap) answer(stream *http.Request, line []byte) {
	ctx, stop := context.WithTimeout(t.life, answerTimeout)
	defer stop()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, stream.URL.String(), bytes.NewReader(line))
	if err != nil {
		return
	}
	for _, name := range []string{headerSession, headerVersion} {
		if v := stream.Header.Get(name); v != "" {
			req.Header.Set(name, v)
		}
	}
	req.Header.Set("Content-Type", typeJSON)
	req.Header.Set("Accept", typeJSON+", "+typeEvents)
	if resp, err := t.client.session(t).Do(req); err == nil {
		_, _ = io.Copy(io.Discard, resp.Body)
		_ = resp.Body.Close()
	}
}

// discover sends server/discover under the probe's limit and reads the answer
// here, so that silence, a stream that says nothing and a page of HTML all are
// what they mean: the server does not know the method, and the SDK goes on with
// initialize.
func (t *tap) discover(req *http.Request) (*http.Response, error) {
	id, err := requestID(req)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(req.Context(), t.probe)
	defer cancel()
	resp, err := t.send(req.WithContext(ctx))
	if err == nil && resp.StatusCode >= 300 && resp.StatusCode < 400 {
		body, _ := io.ReadAll(resp.Body) // what cannot be read of a redirect's body is not needed
		_ = resp.Body.Close()
		resp.Body = io.NopCloser(bytes.NewReader(body))
		return resp, nil
	}
	var m message
	if err == nil {
		m, err = readAnswer(newBody(resp), func(m message) bool { return string(bytes.Trim(m.id, `"`)) == string(id) }, nil)
		_ = resp.Body.Close() // the answer is read, or never will be
	}
	if err != nil {
		if ctx.Err() != nil && req.Context().Err() == nil {
			t.silent.Store(true)
		}
		return nil, fmt.Errorf("%s: %w", methodDiscover, err)
	}
	m.id = id
	return reply(req, http.StatusOK, encodeResponse(m)), nil
}

// isNotice reports whether a request carries a notification.
func isNotice(req *http.Request) bool {
	m, err := sentMessage(req)
	return err == nil && m.isNotification()
}

// requestID reads the id of the message in a request's body.
func requestID(req *http.Request) ([]byte, error) {
	m, err := sentMessage(req)
	return m.id, err
}

// sentMessage reads the message in a request's body.
func sentMessage(req *http.Request) (message, error) {
	if req.GetBody == nil {
		return message{}, errNotMessage
	}
	body, err := req.GetBody()
	if err != nil {
		return message{}, err
	}
	data, err := io.ReadAll(body)
	if err != nil {
		return message{}, err
	}
	m, _, err := parseMessage(data)
	return m, err
}

// reply makes a response that no server sent.
func reply(req *http.Request, status int, body []byte) *http.Response {
	h := http.Header{}
	if body != nil {
		h.Set("Content-Type", typeJSON)
	}
	return &http.Response{
		Status: http.StatusText(status), StatusCode: status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: h, Body: io.NopCloser(bytes.NewReader(body)), ContentLength: int64(len(body)), Request: req,
	}
}
