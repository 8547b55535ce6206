package openapi

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/textproto"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/capabilities/bridge"
	"github.com/seed-89b9419b/holotype/internal/plainfile"
	"github.com/seed-89b9419b/holotype/internal/rawjson"
)

// Kind is the protocol of a [Peer], which the source of its capabilities begins with.
const Kind = "openapi"

// Options say which API a [Peer] stands for.
type Options struct {
	// Document is a path, or an http or https address.
	Document string
	// BaseURL is where calls go; "" is the first server of the document.
	BaseURL string
	// Headers are sent with every request, to the origin of the API alone.
	Headers map[string]string
	Auth    Auth
	Version string // of this program, told to the API
	Mark    string // see [bridge.Options]
}

// An AuthKind is a way to send a credential.
type AuthKind string

// The closed set of ways. AuthNone sends none.
const (
	AuthNone   AuthKind = ""
	AuthBearer AuthKind = "bearer" // RFC 6750, in the header Authorization
	AuthBasic  AuthKind = "basic"  // RFC 7617
	AuthHeader AuthKind = "header" // a header of the name
	AuthQuery  AuthKind = "query"  // a parameter of the query of the name
	AuthScheme AuthKind = "scheme" // what the document says of the security scheme of the name
)

// Auth is the credential of an API.
type Auth struct {
	Kind AuthKind
	Name string // of the header, the parameter or the security scheme
	User string // of AuthBasic, and of a security scheme that is basic
	// Value is the token, the password or the key.
	Value string
}

// remote answers the address of the document, where it is one.
func (o *Options) remote() (*url.URL, bool) {
	u, err := url.Parse(o.Document)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" {
		return nil, false
	}
	return u, true
}

// secret reports whether something is sent that others should not get.
func (o *Options) secret() bool { return len(o.Headers) > 0 || o.Auth.Kind != AuthNone }

// gives reports whether the configuration gives a parameter, so that a caller does not.
func (o *Options) gives(in, name string) bool {
	switch in {
	case "header":
		return hasHeader(o.headers(), name)
	case "query":
		given, _ := o.inQuery()
		return given == name && name != ""
	}
	return false
}

// hasHeader reports whether a header is among some, however it is written there.
func hasHeader(headers map[string]string, name string) bool {
	for given := range headers {
		if strings.EqualFold(given, name) {
			return true
		}
	}
	return false
}

// headers are those that every request has.
func (o *Options) headers() map[string]string {
	all := maps.Clone(o.Headers)
	if all == nil {
		all = map[string]string{}
	}
	switch a := o.Auth; a.Kind {
	case AuthBearer:
		all["Authorization"] = "Bearer " + a.Value
	case AuthBasic:
		all["Authorization"] = "Basic " + base64.StdEncoding.EncodeToString([]byte(a.User+":"+a.Value))
	case AuthHeader:
		all[a.Name] = a.Value
	case AuthNone, AuthQuery, AuthScheme:
	}
	return all
}

// inQuery is the parameter that every request has; no name for none.
func (o *Options) inQuery() (name, value string) {
	if o.Auth.Kind != AuthQuery {
		return "", ""
	}
	return o.Auth.Name, o.Auth.Value
}

// A Peer is one API. Make one with [New]; it is safe for concurrent use.
type Peer struct {
	o Options

	reading sync.Mutex // held while the document is read; guards the four below it
	sum     [sha256.Size]byte
	etag    string
	date    string // of its last change
	offer   *bridge.Offer

	live atomic.Pointer[live]
}

// live is what calls are made by.
type live struct {
	api    *api
	o      *Options // with the credential as the document wants it
	origin *bridge.Origin
}

var _ bridge.Peer = (*Peer)(nil)

// New answers a peer of which nothing was read yet.
func New(o Options) *Peer { return &Peer{o: o} }

// Kind implements [bridge.Peer].
func (p *Peer) Kind() string { return Kind }

// Launch implements [bridge.Peer].
func (p *Peer) Launch() []string {
	all := []string{p.o.Document, p.o.BaseURL, string(p.o.Auth.Kind), p.o.Auth.Name, p.o.Auth.User, p.o.Auth.Value}
	for _, name := range slices.Sorted(maps.Keys(p.o.Headers)) {
		all = append(all, name, p.o.Headers[name])
	}
	return all
}

// Close implements [bridge.Peer].
func (p *Peer) Close() {
	if now := p.live.Load(); now != nil {
		now.origin.Close()
	}
}

// Offer implements [bridge.Peer]: it reads the document, or sees that it is the one that
// was read before.
func (p *Peer) Offer(ctx context.Context) (*bridge.Offer, error) {
	p.reading.Lock()
	defer p.reading.Unlock()
	err := p.read(ctx)
	if err != nil && !errors.Is(err, bridge.ErrItself) {
		err = fmt.Errorf("has a document that cannot be used: %s %w", p.shown(), err)
	}
	return p.offer, err
}

// shown is the document for a message.
func (p *Peer) shown() string {
	u, remote := p.o.remote()
	if !remote {
		return p.o.Document
	}
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String()
}

// read makes what the document says now what is offered. Nothing is changed with an error.
func (p *Peer) read(ctx context.Context) error {
	next := fetched{etag: p.etag, date: p.date}
	var err error
	if _, remote := p.o.remote(); remote {
		next, err = p.fetch(ctx)
	} else {
		next.data, err = readFile(p.o.Document)
	}
	if err != nil || next.unchanged {
		return err
	}
	sum := sha256.Sum256(next.data)
	if p.offer != nil && sum == p.sum {
		p.etag, p.date = next.etag, next.date
		return nil
	}
	d, err := parse(next.data)
	if err != nil {
		return err
	}
	o := p.o
	if o.Auth, err = d.credential(&p.o); err != nil {
		return err
	}
	a, err := build(ctx, d, &o)
	if err != nil {
		return err
	}
	before := p.live.Load()
	now := &live{a, &o, nil}
	if before != nil && bridge.OriginOf(before.api.base.url) == bridge.OriginOf(a.base.url) && maps.Equal(before.o.headers(), o.headers()) {
		now.origin = before.origin
	} else {
		now.origin = bridge.NewOrigin(a.base.url, o.headers(), o.Version, o.Mark)
	}
	p.live.Store(now)
	if before != nil && before.origin != now.origin {
		before.origin.Close()
	}
	p.sum, p.etag, p.date = sum, next.etag, next.date
	p.offer = &bridge.Offer{Name: a.title, Number: a.number, Protocol: "OpenAPI " + a.version, Tools: a.tools, Skipped: a.skipped}
	return nil
}

func readFile(path string) ([]byte, error) {
	data, err := plainfile.Read(path, maxDocument)
	switch {
	case errors.Is(err, plainfile.ErrTooLarge):
		return nil, fmt.Errorf("has more than %d bytes", maxDocument)
	case err != nil:
		return nil, fmt.Errorf("cannot be read: %w", err)
	}
	return data, nil
}

// fetched is a document that came over HTTP.
type fetched struct {
	data       []byte
	etag, date string
	unchanged  bool
}

// fetch asks for a document, where it was read before only for another one. The credential
// goes with the request where the document stands at the API's own origin.
func (p *Peer) fetch(ctx context.Context) (fetched, error) {
	at, _ := p.o.remote()
	var headers map[string]string
	query := at.RawQuery
	if p.own(at) {
		headers = p.o.headers()
		if name, value := p.o.inQuery(); name != "" {
			query = strings.TrimPrefix(query+"&"+escape(name, "")+"="+escape(value, ""), "&")
		}
	}
	address := *at
	address.RawQuery, address.Fragment = query, ""
	if user := at.User; user != nil && !hasHeader(headers, "Authorization") {
		password, _ := user.Password()
		if headers == nil {
			headers = map[string]string{}
		}
		headers["Authorization"] = "Basic " + base64.StdEncoding.EncodeToString([]byte(user.Username()+":"+password))
	}
	address.User = nil
	origin := bridge.NewOrigin(at, headers, p.o.Version, p.o.Mark)
	defer origin.Close()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address.String(), nil)
	if err != nil {
		return fetched{}, fmt.Errorf("cannot be asked for: %w", err)
	}
	req.Header.Set("Accept", "application/json, application/yaml;q=0.9, */*;q=0.1")
	if p.offer != nil {
		if p.etag != "" {
			req.Header.Set("If-None-Match", p.etag)
		}
		if p.date != "" {
			req.Header.Set("If-Modified-Since", p.date)
		}
	}
	a, err := origin.Send(req, true)
	switch {
	case err != nil:
		return fetched{}, err
	case a.Status == http.StatusNotModified && p.offer != nil:
		return fetched{unchanged: true}, nil
	case a.Status != http.StatusOK:
		return fetched{}, fmt.Errorf("was answered with HTTP status %d", a.Status)
	}
	return fetched{data: a.Body, etag: a.Header.Get("ETag"), date: a.Header.Get("Last-Modified")}, nil
}

// own reports whether an address is of the API's own origin as the configuration has it: the
// document may say where it is only when it stands there, too.
func (p *Peer) own(at *url.URL) bool {
	if p.o.BaseURL == "" {
		return true
	}
	b, why := baseOf(p.o.BaseURL)
	return why == "" && bridge.OriginOf(b.url) == bridge.OriginOf(at)
}

// Call implements [bridge.Peer].
func (p *Peer) Call(ctx context.Context, c bridge.PeerCall) (json.RawMessage, error) {
	now := p.live.Load()
	if now == nil {
		return nil, bridge.Failed(capabilities.Unavailable, false, "has not read its document yet")
	}
	op := now.api.operations[c.Tool]
	if op == nil {
		return nil, bridge.Failed(capabilities.Unavailable, false, "does not offer %q any more: its document was changed", c.Tool)
	}
	req, err := op.request(ctx, now.api.base, now.o, c.Arguments)
	if err != nil {
		return nil, err
	}
	if parent := c.Trace.Parent(); parent != "" && req.Header.Get("Traceparent") == "" {
		req.Header["Traceparent"] = []string{parent}
		if c.Trace.State != "" {
			req.Header["Tracestate"] = []string{c.Trace.State}
		}
	}
	a, err := now.origin.Send(req, c.Repeatable)
	switch {
	case errors.Is(err, bridge.ErrItself):
		return nil, bridge.Failed(capabilities.UpstreamError, false, "leads back to this very server, which refuses such calls: take the entry out, or correct its base_url")
	case err != nil:
		return nil, err
	}
	return result(a), nil
}

// credential answers how a credential is sent: what the document says of its scheme, where
// the operator names one.
func (d *document) credential(o *Options) (Auth, error) {
	a := o.Auth
	if a.Kind != AuthScheme {
		return a, nil
	}
	place := "#/components/securitySchemes/" + short(a.Name, 80)
	raw, err := d.at("/components/securitySchemes/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(a.Name))
	if err == nil {
		raw, err = d.follow(raw)
	}
	if err != nil {
		return a, fmt.Errorf("has no security scheme %s", place)
	}
	text := func(key string) string { s, _ := rawjson.String(rawjson.Member(raw, key)); return s }
	header := "Authorization"
	switch kind, scheme := text("type"), strings.ToLower(text("scheme")); {
	case kind == "http" && scheme == "bearer", kind == "oauth2", kind == "openIdConnect":
		a.Kind = AuthBearer
	case kind == "http" && scheme == "basic":
		a.Kind = AuthBasic
	case kind == "apiKey" && text("in") == "header":
		header = text("name")
		if header == "" || strings.ContainsFunc(header, notToken) {
			return a, fmt.Errorf("has at %s a name that no header can have", place)
		}
		if slices.Contains(ownHeaders[:], textproto.CanonicalMIMEHeaderKey(header)) {
			return a, fmt.Errorf("has at %s the header %s, which belongs to the connection", place, header)
		}
		a.Kind, a.Name = AuthHeader, header
	case kind == "apiKey" && text("in") == "query":
		if a.Kind, a.Name, header = AuthQuery, text("name"), ""; a.Name == "" {
			return a, fmt.Errorf("has at %s no name of the parameter", place)
		}
	default:
		return a, fmt.Errorf("has at %s a scheme that is not sent here; state type and name under auth instead", place)
	}
	if hasHeader(o.Headers, header) {
		return a, fmt.Errorf("has at %s the header %s, which headers gives too; keep one of the two", place, header)
	}
	return a, nil
}

// IsAddress reports whether a document is named by an address, and not by a path.
func IsAddress(document string) bool {
	_, remote := (&Options{Document: document}).remote()
	return remote
}
