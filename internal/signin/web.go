package signin

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/netip"
	"net/url"
	"strings"
	"syscall"
	"time"

	"github.com/seed-89b9419b/holotype/internal/publicnet"
)

const (
	// requestTime bounds one request, discoveryTime all of them until it is known where a server is signed in to.
	requestTime   = 10 * time.Second
	discoveryTime = 30 * time.Second
	// maxBody bounds what an answer may have, maxAddress what a URL may.
	maxBody    = 512 << 10
	maxAddress = 2048
)

// A reach says how far into the networks of this machine a server may lead us: as far as it stands in them itself.
type reach int

// The closed set of reaches. Each includes those before it.
const (
	publicAddresses reach = iota
	privateAddresses
	allAddresses
)

func reachOf(ip netip.Addr) reach {
	switch ip = ip.Unmap(); {
	case publicnet.Contains(ip):
		return publicAddresses
	case ip.IsPrivate() || netip.MustParsePrefix("100.64.0.0/10").Contains(ip):
		return privateAddresses
	}
	return allAddresses
}

// web makes requests. It follows no redirect, and judges each address that it dials, so that no name that changes its mind gets past.
type web struct {
	clients [allAddresses + 1]*http.Client
	proxied func(*http.Request) bool
}

func newWeb(given http.RoundTripper) *web {
	w := &web{proxied: func(*http.Request) bool { return false }}
	for r := range w.clients {
		transport := given
		if transport == nil {
			transport = transportTo(reach(r))
		}
		w.clients[r] = &http.Client{Transport: transport, Timeout: requestTime, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	}
	if given == nil {
		w.proxied = func(req *http.Request) bool {
			proxy, err := http.ProxyFromEnvironment(req)
			return err != nil || proxy != nil
		}
	}
	return w
}

var errNotReached = errors.New("the address is not one that the server may lead to")

func transportTo(most reach) http.RoundTripper {
	dialer := &net.Dialer{Timeout: requestTime, Control: func(_, address string, _ syscall.RawConn) error {
		at, err := netip.ParseAddrPort(address)
		if err != nil || reachOf(at.Addr()) > most {
			return errNotReached
		}
		return nil
	}}
	return &http.Transport{
		Proxy: http.ProxyFromEnvironment, DialContext: dialer.DialContext, ForceAttemptHTTP2: true, TLSHandshakeTimeout: requestTime,
		MaxIdleConns: 4, IdleConnTimeout: time.Minute, MaxResponseHeaderBytes: 64 << 10,
	}
}

// close closes what is open and not used.
func (w *web) close() {
	for _, c := range w.clients {
		c.CloseIdleConnections()
	}
}

// An answer is what a request was answered, read to its end. Its body may hold tokens: nothing of it is to be in an error.
type answer struct {
	status int
	header http.Header
	body   []byte
	// from is where the other end stands; of a proxy, nothing is known but what the URL says.
	from reach
}

// Format writes the status: the body may hold tokens.
func (a answer) Format(f fmt.State, _ rune) { _, _ = fmt.Fprintf(f, "status %d", a.status) }

// send sends a request to an address that has passed [judgeAddress].
func (w *web) send(req *http.Request, most reach) (answer, error) {
	client := w.clients[most]
	var from reach
	if w.proxied(req) {
		// It is the proxy that dials. What it may reach is for whoever runs it to say.
		client = w.clients[allAddresses]
		from, _ = literalReach(req.URL.Hostname())
	} else {
		from, _ = literalReach(req.URL.Hostname())
		req = req.WithContext(httptrace.WithClientTrace(req.Context(), &httptrace.ClientTrace{GotConn: func(info httptrace.GotConnInfo) {
			if at, err := netip.ParseAddrPort(info.Conn.RemoteAddr().String()); err == nil {
				from = reachOf(at.Addr())
			}
		}}))
	}
	req.Header.Set("Accept", "application/json")
	res, err := client.Do(req)
	if err != nil {
		return answer{}, unreached(req, err)
	}
	defer func() { _ = res.Body.Close() }() // what was read is judged by itself
	body, err := io.ReadAll(io.LimitReader(res.Body, maxBody+1))
	switch {
	case err != nil:
		return answer{}, unreached(req, err)
	case len(body) > maxBody:
		return answer{}, &fault{words: fmt.Sprintf("%s answers more than %d bytes", req.URL.Host, maxBody), transient: true}
	}
	return answer{res.StatusCode, res.Header, body, from}, nil
}

func unreached(req *http.Request, err error) error {
	host := req.URL.Host
	switch {
	case errors.Is(err, errNotReached):
		return &fault{words: host + " is an address inside a network that the server itself is not in, and is not asked", cause: err}
	case errors.Is(err, context.Canceled):
		return &fault{words: "asking " + host + " was given up", cause: err, transient: true}
	}
	if timeout, ok := errors.AsType[net.Error](err); ok && timeout.Timeout() {
		return &fault{words: host + " does not answer in time", cause: err, transient: true}
	}
	return &fault{words: host + " cannot be reached", cause: err, transient: true}
}

// getJSON fetches a document. ok is false where there is none, which a page in its place is, too: many servers answer every path with one.
func getJSON[T any](ctx context.Context, w *web, address string, most reach) (doc *T, from reach, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
	if err != nil {
		return nil, 0, faultf("%s is no URL", short(address))
	}
	a, err := w.send(req, most)
	switch {
	case err != nil:
		return nil, 0, err
	case a.status >= 500 || a.status == http.StatusTooManyRequests:
		return nil, a.from, &fault{words: fmt.Sprintf("%s answers %d", req.URL.Host, a.status), transient: true}
	case a.status != http.StatusOK:
		return nil, a.from, nil
	}
	doc = new(T)
	if !bytes.HasPrefix(bytes.TrimSpace(a.body), []byte("{")) || json.Unmarshal(a.body, doc) != nil {
		doc = nil
	}
	return doc, a.from, nil
}

// judgeAddress answers what is wrong with a URL that somebody else has named, before its name is looked up. What it says is
// short and names the URL.
func judgeAddress(address string, most reach) error {
	u, err := url.Parse(address)
	switch {
	case strings.ContainsFunc(address, func(c rune) bool { return c <= ' ' || c > '~' }): // what is shown must be what is meant
		return faultf("%s is no URL: it has characters that stand in none", short(address))
	case len(address) > maxAddress || err != nil || u.Host == "" || u.Opaque != "":
		return faultf("%s is no URL of at most %d characters", short(address), maxAddress)
	case u.User != nil || strings.Contains(address, "#"):
		return faultf("%s has a credential or a fragment", short(address))
	case u.Scheme != "https" && u.Scheme != "http":
		return faultf("%s is no https URL", short(address))
	}
	at, known := literalReach(u.Hostname())
	switch {
	case u.Scheme == "http" && (at != allAddresses || !isLoopback(u.Hostname())):
		return faultf("%s is not https, and what goes there can be read on the way", short(address))
	case known && at > most:
		return faultf("%s is inside a network that the server itself is not in", short(address))
	}
	return nil
}

// literalReach answers that of a host which is an address, or a name of this machine.
func literalReach(host string) (reach, bool) {
	if ip, err := netip.ParseAddr(host); err == nil {
		return reachOf(ip), true
	}
	if isLoopback(host) {
		return allAddresses, true
	}
	return publicAddresses, false
}

func isLoopback(host string) bool {
	ip, err := netip.ParseAddr(host)
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	return err == nil && ip.Unmap().IsLoopback() || host == "localhost" || strings.HasSuffix(host, ".localhost")
}

// originOf answers the origin of a URL (RFC 6454 section 4): two are the same that are equal.
func originOf(u *url.URL) string {
	host, port := strings.ToLower(u.Hostname()), u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[strings.ToLower(u.Scheme)]
	}
	return strings.ToLower(u.Scheme) + "://" + net.JoinHostPort(host, port)
}

func sameOrigin(a, b string) bool {
	at, err := url.Parse(a)
	if err != nil {
		return false
	}
	to, err := url.Parse(b)
	return err == nil && originOf(at) == originOf(to)
}
