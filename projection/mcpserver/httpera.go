package mcpserver

import (
	"bytes"
	"context"
	"io"
	"mime"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/seed-89b9419b/holotype/internal/rawjson"
)

// toldNothing reports whether nothing here is told by a message: a notification that
// is not served, and a response that names no request.
func (s *Server) toldNothing(m *message) bool {
	return m.id == nil && (m.response || !s.served[m.method])
}

// isJSON reports whether every value of a content type, of which there is one, is
// JSON.
func isJSON(values []string) bool {
	for _, v := range values {
		if t, _, err := mime.ParseMediaType(v); err != nil || t != "application/json" {
			return false
		}
	}
	return len(values) > 0
}

// headers judges what the headers of a POST say of its message, but for those whose
// absence or difference the era decides about.
func (f *front) headers(h http.Header, m *message) *jsonrpc.Error {
	if name := twofold(h); name != "" {
		return &jsonrpc.Error{Code: mcp.CodeHeaderMismatch, Message: "the header " + name + " is given twice, with two values: send it once"}
	}
	if len(h.Values(headerLastEvent)) > 0 {
		return invalidRequest("a message is sent, not taken up again: send POST without " + headerLastEvent)
	}
	version := h.Get(headerVersion)
	said, _ := rawjson.String(m.params.meta.version)
	if f.s.legacy(version) || f.s.modernVersion(version) || said != "" && said != version && version >= modernVersion {
		return nil // two versions that differ are refused as such
	}
	return f.s.unsupported(version)
}

// modern serves a message of 2026-07-28 or later, which stands for itself.
func (f *front) modern(w http.ResponseWriter, r *http.Request, m *message, q *fastRequest, body []byte) {
	if failed := f.s.paramHeaders(r.Header, q.principal, m); failed != nil {
		f.refuseMessage(w, m.id, failed, http.StatusBadRequest)
		return
	}
	switch {
	case f.s.toldNothing(m):
		w.WriteHeader(http.StatusAccepted)
	case f.fast(w, r, m, q):
	default:
		f.library(w, r, f.stateless, newCaller(q.principal, m), body)
	}
}

// handshake serves a message of the handshake era, which belongs to a session.
func (f *front) handshake(w http.ResponseWriter, r *http.Request, m *message, q *fastRequest, body []byte) {
	id := r.Header.Get(headerSession)
	if id == "" {
		switch {
		case m.method == methodInitialize || m.method == methodPing || m.method == methodDiscover:
			f.library(w, r, f.stateful, newCaller(q.principal, m), body)
		default:
			f.refuseMessage(w, m.id, invalidRequest("there is no session: send initialize first, then its "+headerSession+" with every message"), http.StatusBadRequest)
		}
		return
	}
	sess, ok := f.s.sessions.acquire(id, q.principal)
	if !ok {
		f.noSession(w, r)
		return
	}
	defer sess.release()
	switch {
	case m.method == noteCancelled:
		sess.calls.cancel(m.params.requestID)
		w.WriteHeader(http.StatusAccepted)
		return
	case f.s.toldNothing(m), sess.questions.take(m):
		w.WriteHeader(http.StatusAccepted)
		return
	case m.isCall() && !f.s.serves(q.principal, m.method):
		f.reply(w, r, m, q).finish(m.id, nil, notServed(m.method))
		return
	}
	q.session = sess
	if f.fast(w, r, m, q) {
		return
	}
	c := newCaller(q.principal, m)
	if m.isCall() {
		one, ok := sess.calls.begin(m.id, nil)
		if !ok {
			f.refuseMessage(w, m.id, idInUse(), http.StatusBadRequest)
			return
		}
		defer sess.calls.leave(one)
		c.calls, c.running = &sess.calls, one
	}
	f.library(w, r, f.stateful, c, body)
}

// reply is where an answer of our own goes, in the form that the caller takes.
func (f *front) reply(w http.ResponseWriter, r *http.Request, m *message, q *fastRequest) *reply {
	asJSON, asEvents := accepts(r.Header)
	progress := m.method == methodCall && m.params.meta.progressToken != nil
	return &reply{w: w, modern: q.modern, streams: asEvents, events: asEvents && (!asJSON || progress)}
}

// library hands a request on, with the caller in place of its credential.
func (f *front) library(w http.ResponseWriter, r *http.Request, next http.Handler, c *caller, body []byte) {
	out := r.WithContext(context.WithValue(r.Context(), callerContext{}, c))
	out.Header = r.Header.Clone()
	out.Header.Set("Authorization", "Bearer established")
	// The library wants both answers accepted. A caller that takes one gets that one.
	out.Header.Set("Accept", "application/json, text/event-stream")
	answer := &libraryReply{ResponseWriter: w, of: c.message}
	if m := c.message; m != nil {
		if m.isCall() {
			answer.own = ownID()
		}
		_, asEvents := accepts(r.Header)
		answer.eventless = !asEvents
		body = f.s.forLibrary(body, m, answer.own)
		out.Body = io.NopCloser(bytes.NewReader(body))
		out.ContentLength = int64(len(body))
	}
	next.ServeHTTP(answer, out)
	if e, status := answer.refused(); e != nil {
		f.refuse(w, r, e, status)
	}
}
