package authserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/seed-89b9419b/holotype/internal/publicnet"
)

const (
	// documentTime bounds the fetch of a metadata document, documentSize what it may have.
	documentTime = 5 * time.Second
	documentSize = 16 << 10
	// documentAge is how long a document holds, mostDocuments how many are remembered.
	documentAge   = 5 * time.Minute
	mostDocuments = 256
	// mostFetches is how many documents are fetched at once: anybody may name one.
	mostFetches = 4
)

// documents are the clients that are known by a URL of their own, where a document says
// what they are (OAuth Client ID Metadata Document).
type documents struct {
	fetcher *http.Client
	now     func() time.Time
	schemes func() []string // those of [redirectFault]
	room    chan struct{}

	mu  sync.Mutex
	all map[string]document
}

type document struct {
	client *client
	read   time.Time
}

func newDocuments(transport http.RoundTripper, now func() time.Time, schemes func() []string) *documents {
	if transport == nil {
		transport = publicTransport()
	}
	return &documents{
		fetcher: &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }},
		now:     now, schemes: schemes, room: make(chan struct{}, mostFetches), all: map[string]document{},
	}
}

// publicTransport reaches public addresses alone: whoever names a URL must not look into
// the network of this machine by it. The address is judged when it is dialled, so that no
// name that changes its mind gets past; for the same reason no proxy is asked.
func publicTransport() http.RoundTripper {
	dialer := &net.Dialer{Timeout: documentTime, Control: func(_, address string, _ syscall.RawConn) error {
		at, err := netip.ParseAddrPort(address)
		if err != nil || !publicnet.Contains(at.Addr()) {
			return errNotPublic
		}
		return nil
	}}
	return &http.Transport{
		DialContext: dialer.DialContext, ForceAttemptHTTP2: true, TLSHandshakeTimeout: documentTime, DisableKeepAlives: true,
		MaxResponseHeaderBytes: 16 << 10, ResponseHeaderTimeout: documentTime,
	}
}

var errNotPublic = errors.New("the address is none of the public network")

// documentFault says what is wrong with a URL as the id of a client; "" is nothing. Its
// form is one only, because ids are compared letter by letter.
func documentFault(id string) string {
	u, err := url.Parse(id)
	switch {
	case err != nil || len(id) > maxRedirect || u.Scheme != "https" || u.Hostname() == "":
		return "is no https URL of at most 500 characters"
	case u.User != nil || strings.Contains(id, "#") || u.RawQuery != "" || strings.HasSuffix(id, "?"):
		return "has a credential, a query or a fragment"
	case strings.ContainsFunc(u.Hostname(), func(c rune) bool { // the owner is shown the host, and other letters look like these
		return (c < 'a' || c > 'z') && (c < '0' || c > '9') && !strings.ContainsRune("-.:", c)
	}):
		return "has a host that is not in small letters of ASCII, as names are written in the DNS"
	case u.Port() != "" && u.Port() != "443":
		return "names a port"
	case u.Path == "" || u.Path == "/":
		return "has no path"
	case slices.ContainsFunc(strings.Split(u.Path, "/"), func(s string) bool { return s == "." || s == ".." }):
		return "has dots for segments of its path"
	}
	return ""
}

// client answers the client that a URL stands for.
func (d *documents) client(ctx context.Context, id string) (*client, error) {
	if fault := documentFault(id); fault != "" {
		return nil, noClient("the client_id " + fault)
	}
	d.mu.Lock()
	known, ok := d.all[id]
	d.mu.Unlock()
	if age := d.now().Sub(known.read); ok && age >= 0 && age < documentAge {
		return known.client, nil
	}
	ctx, cancel := context.WithTimeout(ctx, documentTime)
	defer cancel()
	select {
	case d.room <- struct{}{}:
		defer func() { <-d.room }()
	case <-ctx.Done():
		return nil, noClient("the metadata document of the client could not be read in time")
	}
	c, err := d.fetch(ctx, id)
	if err != nil {
		return nil, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.all) >= mostDocuments {
		clear(d.all)
	}
	d.all[id] = document{c, d.now()}
	return c, nil
}

// fetch reads a document. What went wrong on the way is told in one sentence for all
// causes: it is no means to look around.
func (d *documents) fetch(ctx context.Context, id string) (*client, error) {
	unreadable := noClient("the metadata document of the client cannot be read at its client_id")
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, id, nil)
	if err != nil {
		return nil, unreadable
	}
	r.Header.Set("Accept", "application/json")
	res, err := d.fetcher.Do(r)
	if err != nil {
		return nil, unreadable
	}
	defer func() { _ = res.Body.Close() }() // what was read is judged by itself
	kind, _, err := mime.ParseMediaType(res.Header.Get("Content-Type"))
	if err != nil || res.StatusCode != http.StatusOK || kind != "application/json" && !strings.HasSuffix(kind, "+json") {
		return nil, unreadable
	}
	body, err := io.ReadAll(io.LimitReader(res.Body, documentSize+1))
	if err != nil || len(body) > documentSize {
		return nil, unreadable
	}
	var m struct {
		metadata
		ID string `json:"client_id"`
	}
	if json.Unmarshal(body, &m) != nil || m.ID != id {
		return nil, noClient("the metadata document of the client does not say that it is the one of its client_id")
	}
	if m.Method != "" && m.Method != methodNone {
		return nil, noClient(fmt.Sprintf("the client wants to authenticate by %.40q, and this server takes public clients alone", m.Method))
	}
	if f := m.check(d.schemes()); f != nil {
		return nil, noClient("the metadata document of the client is not in order: " + f.words)
	}
	u, err := url.Parse(id)
	if err != nil {
		return nil, unreadable
	}
	return &client{id: id, name: nameOf(m.Name), redirects: m.Redirects, host: u.Hostname()}, nil
}
