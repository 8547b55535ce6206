package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/wire"
)

// The headers of streamable HTTP.
const (
	headerVersion = "Mcp-Protocol-Version"
	headerSession = "Mcp-Session-Id"
	headerMethod  = "Mcp-Method"
	headerName    = "Mcp-Name"
)

// maxBody bounds the body of one request, as on every surface.
const maxBody = capabilities.MaxArguments

// front stands before the library's two handlers: it authenticates, bounds, judges
// the message, answers what the fast lane may, and routes the rest by era.
type front struct {
	s                   *Server
	stateful, stateless http.Handler
}

func newFront(s *Server) *front {
	server := func(*http.Request) *mcp.Server { return s.sdk }
	// The principal was established in front; the library's own middleware is the one
	// way to attach it to each message.
	attach := auth.RequireBearerToken(func(ctx context.Context, _ string, _ *http.Request) (*auth.TokenInfo, error) {
		c, ok := ctx.Value(callerContext{}).(*caller)
		if !ok {
			return nil, auth.ErrInvalidToken
		}
		return c.token(), nil
	}, &auth.RequireBearerTokenOptions{AllowMissingExpiration: true})
	handler := func(stateless bool) http.Handler {
		return attach(mcp.NewStreamableHTTPHandler(server, &mcp.StreamableHTTPOptions{
			Stateless: stateless, PropagateRequestCancellation: true, MaxRequestBodyBytes: maxBody,
			// Whoever mounts the handler checks Host and Origin, and knows the names it
			// is reached under.
			DisableLocalhostProtection: true,
		}))
	}
	return &front{s: s, stateful: handler(false), stateless: handler(true)}
}

type callerContext struct{}

// ServeHTTP serves one request of streamable HTTP.
func (f *front) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	defer func() {
		switch p := recover(); p {
		case nil:
		case http.ErrAbortHandler:
			panic(p) //nolint:forbidigo // net/http's own way to end a request
		default:
			_ = f.s.panicked(r.Context(), r.Method, p) // its error is JSON-RPC, and no message was read
			problem(w, capabilities.Refuse(capabilities.InternalError, "this server failed; its operator finds the cause in the log"), http.StatusInternalServerError)
		}
	}()
	p, ok := f.authenticate(w, r)
	if !ok {
		return
	}
	switch r.Method {
	case http.MethodPost:
		f.post(w, r, p)
	case http.MethodGet, http.MethodDelete:
		f.session(w, r, p)
	default:
		w.Header().Set("Allow", "GET, POST, DELETE")
		problem(w, capabilities.Refuse(capabilities.Invalid, "%s is not a method of streamable HTTP: use POST, GET or DELETE", r.Method), http.StatusMethodNotAllowed)
	}
}

func (f *front) authenticate(w http.ResponseWriter, r *http.Request) (*capabilities.Principal, bool) {
	var p *capabilities.Principal
	err := errors.New("no way to authenticate is set up")
	if f.s.o.Authenticate != nil {
		p, err = f.s.o.Authenticate(r)
	}
	if err == nil && p != nil {
		return p, true
	}
	e, ok := capabilities.AsError(err)
	if !ok {
		e = capabilities.Refuse(capabilities.Unauthenticated, "a valid credential is needed: send Authorization: Bearer with a token of this server")
	}
	if e.Info().Status == http.StatusUnauthorized {
		challenge := "Bearer"
		if r.Header.Get("Authorization") != "" {
			challenge = `Bearer error="invalid_token"` // RFC 6750 section 3.1
		}
		w.Header().Set("WWW-Authenticate", challenge)
	}
	if e.RetryAfter > 0 {
		w.Header().Set("Retry-After", strconv.FormatInt(wire.RetryAfterSeconds(e.RetryAfter), 10))
	}
	problem(w, e, e.Info().Status)
	return nil, false
}

// session serves GET and DELETE, which belong to a session of the handshake era.
func (f *front) session(w http.ResponseWriter, r *http.Request, p *capabilities.Principal) {
	c := &caller{principal: p}
	id := r.Header.Get(headerSession)
	if r.Header.Get(headerVersion) >= modernVersion {
		f.library(w, r, f.stateless, c, nil)
		return
	}
	if id == "" {
		problem(w, capabilities.Refuse(capabilities.Invalid, "%s needs the %s header that initialize answered", r.Method, headerSession), http.StatusBadRequest)
		return
	}
	sess, ok := f.s.sessions.acquire(id, p)
	if !ok {
		noSession(w)
		return
	}
	defer sess.release()
	if r.Method == http.MethodDelete {
		f.s.changes.unwatch(sess.ss)
		f.s.sessions.remove(id)
	}
	f.library(w, r, f.stateful, c, nil)
}

func noSession(w http.ResponseWriter) {
	problem(w, capabilities.Refuse(capabilities.NotFound, "no session of this caller has that id: initialize again"), http.StatusNotFound)
}

func (f *front) post(w http.ResponseWriter, r *http.Request, p *capabilities.Principal) {
	if t, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || t != "application/json" {
		problem(w, capabilities.Refuse(capabilities.Invalid, "the body is JSON: send it with Content-Type: application/json"), http.StatusUnsupportedMediaType)
		return
	}
	body, ok := readBody(w, r)
	if !ok {
		return
	}
	m, fault := readMessage(body)
	if fault != nil {
		writeFailure(w, m.id, fault)
		return
	}
	if asJSON, asEvents := accepts(r.Header); m.method == methodListen && asJSON && !asEvents {
		problem(w, capabilities.Refuse(capabilities.Invalid, "a subscription is a stream of events: accept text/event-stream"), http.StatusNotAcceptable)
		return
	}
	version := r.Header.Get(headerVersion)
	if version >= modernVersion || m.params.meta.version != nil {
		if failed := f.s.paramHeaders(r.Header, p, &m); failed != nil {
			writeFailure(w, m.id, failed)
			return
		}
		if f.fast(w, r, &m, &fastRequest{principal: p, modern: true}) {
			return
		}
		var buf [512]byte
		c := &caller{principal: p, description: string(m.params.meta.description(buf[:0]))}
		f.library(w, r, f.stateless, c, f.s.withheld(body, &m, c))
		return
	}
	c := &caller{principal: p}
	id := r.Header.Get(headerSession)
	if id == "" {
		if m.isCall() && m.method != methodInitialize && m.method != methodPing && m.method != methodDiscover {
			writeFailure(w, m.id, invalidRequest("there is no session: send initialize first, then its Mcp-Session-Id with every request"))
			return
		}
		f.library(w, r, f.stateful, c, body)
		return
	}
	sess, ok := f.s.sessions.acquire(id, p)
	if !ok {
		noSession(w)
		return
	}
	defer sess.release()
	if m.method == noteCancelled {
		sess.calls.cancel(m.params.requestID)
	}
	if f.fast(w, r, &m, &fastRequest{principal: p, session: sess}) {
		return
	}
	f.library(w, r, f.stateful, c, body)
}

// library hands a request on, with the caller in place of its credential.
func (f *front) library(w http.ResponseWriter, r *http.Request, next http.Handler, c *caller, body []byte) {
	out := r.WithContext(context.WithValue(r.Context(), callerContext{}, c))
	out.Header = r.Header.Clone()
	out.Header.Set("Authorization", "Bearer established")
	// The library wants both answers accepted. A caller that takes one gets that one;
	// without the header anything is acceptable (RFC 9110 section 12.5.1).
	asJSON, asEvents := accepts(r.Header)
	if asJSON || asEvents {
		out.Header.Set("Accept", "application/json, text/event-stream")
	}
	if asJSON && !asEvents && r.Method == http.MethodPost {
		w = &eventless{ResponseWriter: w}
	}
	if body != nil {
		out.Body = io.NopCloser(bytes.NewReader(body))
		out.ContentLength = int64(len(body))
	}
	next.ServeHTTP(w, out)
}

func readBody(w http.ResponseWriter, r *http.Request) ([]byte, bool) {
	tooLarge := func() {
		w.Header().Set("Connection", "close")
		problem(w, capabilities.Refuse(capabilities.TooLarge, "the body has over %d bytes, which is the limit of one message: send less", maxBody), http.StatusRequestEntityTooLarge)
	}
	if r.ContentLength > maxBody {
		tooLarge()
		return nil, false
	}
	var buf bytes.Buffer
	if r.ContentLength > 0 {
		buf.Grow(int(r.ContentLength) + bytes.MinRead)
	}
	if _, err := buf.ReadFrom(http.MaxBytesReader(w, r.Body, maxBody)); err != nil {
		if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
			tooLarge()
			return nil, false
		}
		problem(w, capabilities.Refuse(capabilities.Invalid, "the body could not be read to its end"), http.StatusBadRequest)
		return nil, false
	}
	return buf.Bytes(), true
}

// problem answers RFC 9457 problem+json.
func problem(w http.ResponseWriter, e *capabilities.Error, status int) {
	w.Header().Set("Content-Type", "application/problem+json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	write(w, wire.Problem(e, status, capabilities.NewRequestID()))
}

// writeFailure answers a request that is not carried out with a JSON-RPC error.
func writeFailure(w http.ResponseWriter, id json.RawMessage, e *jsonrpc.Error) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(http.StatusBadRequest)
	write(w, failure(id, e))
}

// write sends parts of a body. A caller that is gone is nobody to tell.
func write(w io.Writer, parts ...[]byte) {
	for _, p := range parts {
		if _, err := w.Write(p); err != nil {
			return
		}
	}
}

// accepts reports which of the two answers of streamable HTTP a caller takes.
func accepts(h http.Header) (asJSON, asEvents bool) {
	values := h.Values("Accept")
	if len(values) == 0 {
		return true, true
	}
	for _, value := range values {
		for one := range strings.SplitSeq(value, ",") {
			media, _, _ := strings.Cut(one, ";")
			switch strings.ToLower(strings.TrimSpace(media)) {
			case "application/json", "application/*":
				asJSON = true
			case "text/event-stream", "text/*":
				asEvents = true
			case "*/*":
				return true, true
			}
		}
	}
	return asJSON, asEvents
}

// legacy reports whether a version header is one of the handshake era, or absent.
func (s *Server) legacy(version string) bool {
	return version == "" || version < modernVersion && slices.Contains(s.versions, version)
}
