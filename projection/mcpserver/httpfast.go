package mcpserver

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/rawjson"
)

// fastRequest is what the front established about a request.
type fastRequest struct {
	principal *capabilities.Principal
	modern    bool
	session   *session // the handshake era's, which stands and is the principal's
}

// fast answers a tools/list or a tools/call when the library would certainly have
// accepted the request, and reports whether it did. Nothing was written when not.
func (f *front) fast(w http.ResponseWriter, r *http.Request, m *message, q *fastRequest) bool {
	if !f.s.mayBeFast(m) {
		return false
	}
	version, meta := r.Header.Get(headerVersion), &m.params.meta
	if q.modern {
		if !f.s.acceptsModern(version, r.Header, m) {
			return false
		}
	} else if meta.version != nil || !f.s.legacy(version) {
		return false
	}
	if !f.s.serves(q.principal, m.method) {
		return false
	}
	out := f.reply(w, r, m, q)
	if m.method == methodList {
		parts, failed := f.s.guardedList(r.Context(), q.principal, &m.params, q.modern)
		out.finish(m.id, parts, failed)
		return true
	}
	f.fastCall(r, m, q, out)
	return true
}

// acceptsModern reports whether the library accepts a request of 2026-07-28: the
// version, the method and the name stand in headers and say what the body says,
// and the client's description of itself was accepted before.
func (s *Server) acceptsModern(version string, h http.Header, m *message) bool {
	meta := &m.params.meta
	inBody, ok := rawjson.String(meta.version)
	if !ok || inBody != version || !s.modernVersion(version) || h.Get(headerMethod) != m.method {
		return false
	}
	if m.method != methodList && (m.params.name == "" || h.Get(headerName) != m.params.name) {
		return false
	}
	if meta.logLevel != "" && !slices.Contains(capabilities.LogLevels(), meta.logLevel) {
		return false
	}
	return s.trust.knows(meta)
}

func (s *Server) modernVersion(version string) bool {
	for _, v := range s.versions {
		if v == version {
			return v >= modernVersion
		}
	}
	return false
}

func (f *front) fastCall(r *http.Request, m *message, q *fastRequest, out *reply) {
	ctx, cancel := context.WithCancel(r.Context())
	if !q.modern {
		// In the handshake era a connection that breaks does not cancel a call; only
		// a notification, or the end of the session, does.
		cancel()
		ctx, cancel = outliving(r.Context(), q.principal)
		one, ok := q.session.calls.begin(m.id, cancel)
		if !ok {
			cancel()
			f.refuseMessage(out.w, m.id, idInUse(), http.StatusBadRequest)
			return
		}
		defer q.session.calls.end(one)
	}
	defer cancel()
	call := toolCall{principal: q.principal, params: m.params, modern: q.modern, trace: traceOf(r.Header)}
	if token := m.params.meta.progressToken; token != nil && out.events {
		call.notify = func(p capabilities.Progress) { out.event(progressNote(token, p)) }
	}
	level := m.params.meta.logLevel
	if !q.modern {
		level = q.session.level()
	}
	if level != "" && out.streams {
		told := &listener{send: out.event}
		defer told.end()
		call.logs = &capabilities.LogReader{Level: level, Tell: told.tell}
		if !q.modern {
			call.logs.Client = q.session.id
		}
	}
	switch {
	case q.modern:
		call.answers = answersOf(m.params.meta.clientCapabilities)
	case out.streams && q.session.answers.any():
		asked := &client{id: q.session.id, answers: q.session.answers, questions: &q.session.questions, send: out.event, gone: r.Context().Done()}
		defer asked.end()
		call.asks = asked
	}
	body, failed := f.s.rounded(ctx, call)
	out.finish(m.id, [][]byte{body}, failed)
}

// reply writes the answer of one request, as JSON or as events.
type reply struct {
	w      http.ResponseWriter
	modern bool
	events bool
	// streams says that the caller takes events, where others come before the answer.
	streams bool

	mu    sync.Mutex
	begun bool
}

// event sends one message as a server-sent event.
func (o *reply) event(parts ...[]byte) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.begun {
		o.begun = true
		o.w.Header().Set("Content-Type", "text/event-stream")
		o.w.Header().Set("Cache-Control", "no-cache, no-transform")
	}
	write(o.w, []byte("event: message\ndata: "))
	for _, p := range parts {
		write(o.w, rawjson.OneLine(p))
	}
	write(o.w, []byte("\n\n"))
	if err := http.NewResponseController(o.w).Flush(); err != nil {
		return // a writer that cannot flush sends when the handler ends
	}
}

// streaming reports whether an event was sent.
func (o *reply) streaming() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.begun
}

// finish sends the result, given in parts, or the error.
func (o *reply) finish(id json.RawMessage, result [][]byte, failed *jsonrpc.Error) {
	status, parts := http.StatusOK, [][]byte(nil)
	switch {
	case failed == nil:
		parts = answer(id, result...)
	default:
		parts = [][]byte{failure(id, failed)}
		switch { // 2026-07-28, streamable HTTP
		case !o.modern:
		case failed.Code == jsonrpc.CodeInvalidParams:
			status = http.StatusBadRequest
		case failed.Code == jsonrpc.CodeMethodNotFound:
			status = http.StatusNotFound
		}
	}
	if o.streaming() || o.events && status == http.StatusOK { // what was begun has its status
		o.event(parts...)
		return
	}
	size := 0
	for _, p := range parts {
		size += len(p)
	}
	h := o.w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Length", strconv.Itoa(size))
	o.w.WriteHeader(status)
	write(o.w, parts...)
}
