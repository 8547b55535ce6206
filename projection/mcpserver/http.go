package mcpserver

import (
	"bytes"
	"context"
	"errors"
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

	headerLastEvent = "Last-Event-Id"
)

// maxBody bounds the body of one request, as on every surface.
const maxBody = capabilities.MaxArguments

// front stands before the library's two handlers: it authenticates, bounds, judges
// the message, answers what the fast lane may, and routes the rest by era.
type front struct {
	s                   *Server
	below               string // the path that the pages of our codes stand below
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
	below, mounted := strings.CutSuffix(s.o.Path, defaultPath)
	if !mounted {
		below = ""
	}
	return &front{s: s, below: below, stateful: handler(false), stateless: handler(true)}
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
			f.refuse(w, r, capabilities.Refuse(capabilities.InternalError, "this server failed; its operator finds the cause in the log"), http.StatusInternalServerError)
		}
	}()
	p, ok := f.authenticate(w, r)
	if !ok {
		return
	}
	if mark := f.s.o.Mark; mark != "" && r.Header.Get(wire.HeaderMark) == mark {
		w.Header().Set(wire.HeaderMark, mark)
		f.refuse(w, r, capabilities.Refuse(capabilities.Forbidden,
			"this server is bridging itself: take the entry with this address out of its MCP servers"), http.StatusForbidden)
		return
	}
	switch r.Method {
	case http.MethodPost:
		f.post(w, r, p)
	case http.MethodGet, http.MethodDelete:
		f.session(w, r, p)
	default:
		w.Header().Set("Allow", "GET, POST, DELETE")
		f.refuse(w, r, capabilities.Refuse(capabilities.Invalid, "%s is not a method of streamable HTTP: use POST, GET or DELETE", r.Method), http.StatusMethodNotAllowed)
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
	f.problem(w, e, e.Info().Status)
	return nil, false
}

// session serves GET and DELETE, which belong to a session of the handshake era.
func (f *front) session(w http.ResponseWriter, r *http.Request, p *capabilities.Principal) {
	no := func(status int, format string, args ...any) {
		f.refuse(w, r, capabilities.Refuse(capabilities.Invalid, format, args...), status)
	}
	version, id := r.Header.Get(headerVersion), r.Header.Get(headerSession)
	switch _, asEvents := accepts(r.Header); {
	case twofold(r.Header) != "":
		no(http.StatusBadRequest, "the header %s is given twice, with two values: send it once", twofold(r.Header))
		return
	case f.s.modernVersion(version):
		w.Header().Set("Allow", "POST")
		no(http.StatusMethodNotAllowed, "protocol %s has no %s: send POST", version, r.Method)
		return
	case !f.s.legacy(version):
		no(http.StatusBadRequest, "the protocol version is not one of this server's: it speaks %s", strings.Join(f.s.versions, ", "))
		return
	case r.Method == http.MethodGet && !asEvents:
		no(http.StatusNotAcceptable, "GET answers a stream of events: accept text/event-stream")
		return
	case len(r.Header.Values(headerLastEvent)) > 0:
		no(http.StatusBadRequest, "no event has an id here, so no stream can be taken up again: send GET without %s", headerLastEvent)
		return
	case id == "":
		no(http.StatusBadRequest, "%s needs the %s header that initialize answered", r.Method, headerSession)
		return
	}
	sess, ok := f.s.sessions.acquire(id, p)
	if !ok {
		f.noSession(w, r)
		return
	}
	defer sess.release()
	if r.Method == http.MethodDelete {
		f.s.changes.unwatch(sess.ss)
		f.s.sessions.remove(id)
	}
	f.library(w, r, f.stateful, &caller{principal: p}, nil)
}

// noSession answers under no id: a body with the id of a request would tell some
// clients that this request failed, not that they are to initialize again.
func (f *front) noSession(w http.ResponseWriter, r *http.Request) {
	f.refuse(w, r, capabilities.Refuse(capabilities.NotFound, "no session of this caller has that id: initialize again"), http.StatusNotFound)
}

func (f *front) post(w http.ResponseWriter, r *http.Request, p *capabilities.Principal) {
	if !isJSON(r.Header.Values("Content-Type")) {
		f.refuse(w, r, capabilities.Refuse(capabilities.Invalid, "the body is JSON: send it with Content-Type: application/json"), http.StatusUnsupportedMediaType)
		return
	}
	body, ok := f.readBody(w, r)
	if !ok {
		return
	}
	m, fault := readMessage(body)
	if fault != nil && fault.Code != jsonrpc.CodeInvalidParams {
		f.refuseMessage(w, m.id, fault, http.StatusBadRequest)
		return
	}
	asJSON, asEvents := accepts(r.Header)
	switch {
	case !asJSON && !asEvents:
		f.refuseMessage(w, m.id, invalidRequest("answers are JSON or a stream of events: accept application/json, text/event-stream"), http.StatusNotAcceptable)
		return
	case m.method == methodListen && !asEvents:
		f.refuseMessage(w, m.id, invalidRequest("a subscription is a stream of events: accept text/event-stream"), http.StatusNotAcceptable)
		return
	}
	if failed := f.headers(r.Header, &m); failed != nil {
		f.refuseMessage(w, m.id, failed, http.StatusBadRequest)
		return
	}
	q := &fastRequest{principal: p, modern: r.Header.Get(headerVersion) >= modernVersion || m.params.meta.version != nil}
	if fault == nil {
		fault = f.s.misrelayed(p, &m, q.modern)
	}
	if fault != nil {
		f.reply(w, r, &m, q).finish(m.id, nil, fault)
		return
	}
	if q.modern {
		f.modern(w, r, &m, q, body)
		return
	}
	f.handshake(w, r, &m, q, body)
}

func (f *front) readBody(w http.ResponseWriter, r *http.Request) ([]byte, bool) {
	tooLarge := func() {
		w.Header().Set("Connection", "close")
		f.refuse(w, r, capabilities.Refuse(capabilities.TooLarge, "the body has over %d bytes, which is the limit of one message: send less", maxBody), http.StatusRequestEntityTooLarge)
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
		f.refuse(w, r, capabilities.Refuse(capabilities.Invalid, "the body could not be read to its end"), http.StatusBadRequest)
		return nil, false
	}
	return buf.Bytes(), true
}

// legacy reports whether a version header is one of the handshake era, or absent.
func (s *Server) legacy(version string) bool {
	return version == "" || version < modernVersion && slices.Contains(s.versions, version)
}
