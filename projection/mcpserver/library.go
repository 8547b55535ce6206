package mcpserver

import (
	"bytes"
	"encoding/json"
	"mime"
	"net/http"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/rawjson"
)

// The library decodes a message into values of its own and encodes its answers from
// them: an id beyond 2^53 is rounded, one written 1e2 comes back as 100, and
// arguments that the door has a refusal for fail the whole message. So it is handed
// a message of which these are replaced, and the caller's bytes are put back into
// what it answers.

// ownID answers an id for one message, which nobody outside ever sees and no content
// can hold by chance.
func ownID() string { return capabilities.NewRequestID() }

// forLibrary answers the text of a message as the library is to read it: a call under
// another id, and a call of one of our tools without its content. (The library's
// own tools, which only a test has, keep theirs.)
func (s *Server) forLibrary(text []byte, m *message, id string) []byte {
	if !m.isCall() {
		return text
	}
	switch {
	case m.method == methodCall && !s.hooked[m.params.name]:
		text = withoutContent(text)
	case s.relays(m.method):
		text = rawjson.Replace(text, "params", func(params json.RawMessage) []byte {
			return rawjson.Replace(params, "inputResponses", func(json.RawMessage) []byte { return []byte("{}") })
		})
	}
	return rawjson.Replace(text, "id", func(json.RawMessage) []byte { return rawjson.AppendQuoted(nil, id) })
}

// withoutContent answers the text of a call with {} for its arguments and for its
// answers to questions, of which our tools ask none.
func withoutContent(text []byte) []byte {
	none := func(json.RawMessage) []byte { return []byte("{}") }
	return rawjson.Replace(text, "params", func(params json.RawMessage) []byte {
		return rawjson.Replace(rawjson.Replace(params, "arguments", none), "inputResponses", none)
	})
}

// restored answers a message of the library with a caller's id wherever the library
// has the one it was given: the answer's own, and that of the subscription which a
// notification names.
func restored(text []byte, own string, id json.RawMessage) []byte {
	return bytes.ReplaceAll(text, rawjson.AppendQuoted(nil, own), id)
}

// libraryReply is where the library writes its answer to one request. It puts the
// caller's id back, gives a caller that takes no events the answer alone, and says in
// our forms what the library refuses in plain text.
type libraryReply struct {
	http.ResponseWriter
	of        *message // nil where no message was sent
	own       string   // what the library knows the message as
	eventless bool

	begun, events bool
	bare          bool          // an answer without an event comes, in a stream of events
	status        int           // of a refusal in plain text
	said          *bytes.Buffer // its beginning; nil when there is none
}

// WriteHeader sends the status, unless it begins a refusal in plain text. The library has a
// status for some errors, and forgets that events may have come before one.
func (o *libraryReply) WriteHeader(status int) {
	if o.begun && o.events && status >= http.StatusBadRequest {
		o.bare = true
		return
	}
	o.begun = true
	h := o.Header()
	media, _, err := mime.ParseMediaType(h.Get("Content-Type"))
	switch {
	case err == nil && media == "text/plain" && status >= http.StatusBadRequest:
		o.status, o.said = status, &bytes.Buffer{}
		return
	case media == "text/event-stream":
		if o.events = true; o.eventless {
			h.Set("Content-Type", "application/json")
		}
	}
	o.ResponseWriter.WriteHeader(status)
}

// Write takes one whole event or message, as the library writes them, or part of
// another body.
func (o *libraryReply) Write(p []byte) (int, error) {
	if !o.begun {
		o.WriteHeader(http.StatusOK)
	}
	var out []byte
	switch {
	case o.said != nil:
		o.said.Write(p[:min(len(p), 4096-min(o.said.Len(), 4096))])
		return len(p), nil
	case o.bare:
		if out = o.message(p); !o.eventless {
			out = append(append([]byte("event: message\ndata: "), rawjson.OneLine(out)...), "\n\n"...)
		}
	case o.events:
		out = o.event(p)
	default:
		out = o.message(p)
	}
	if len(out) == 0 {
		return len(p), nil
	}
	if _, err := o.ResponseWriter.Write(out); err != nil {
		return 0, err
	}
	return len(p), nil
}

// event answers an event as the caller is to have it: of one that takes none, the
// answer alone.
func (o *libraryReply) event(p []byte) []byte {
	out := make([]byte, 0, len(p)+64)
	for line := range bytes.Lines(p) {
		data, isData := bytes.CutPrefix(line, []byte("data: "))
		switch {
		case !isData && !o.eventless:
			out = append(out, line...)
		case !isData:
		case !o.eventless:
			out = append(append(append(out, "data: "...), o.message(bytes.TrimSpace(data))...), '\n')
		case rawjson.Member(data, "id") != nil && rawjson.Member(data, "method") == nil:
			out = append(out, o.message(bytes.TrimSpace(data))...)
		}
	}
	return out
}

// message answers one message as the caller is to have it.
func (o *libraryReply) message(data []byte) []byte {
	if o.own == "" {
		return data
	}
	if rawjson.Member(data, "method") == nil {
		var e jsonrpc.Error
		if failed := rawjson.Member(data, "error"); failed != nil && json.Unmarshal(failed, &e) == nil {
			return failure(o.of.id, mended(o.of.method, &e))
		}
	}
	return restored(data, o.own, o.of.id)
}

// refused answers what the library refused in plain text, and under which status; nil
// for nothing. Ask when the library is done.
func (o *libraryReply) refused() (e *capabilities.Error, status int) {
	if o.said == nil {
		return nil, 0
	}
	code := capabilities.Invalid
	switch {
	case o.status == http.StatusNotFound:
		code = capabilities.NotFound
	case o.status == http.StatusConflict:
		code = capabilities.Conflict
	case o.status == http.StatusRequestEntityTooLarge:
		code = capabilities.TooLarge
	case o.status >= http.StatusInternalServerError:
		code = capabilities.Unavailable
	}
	return capabilities.Refuse(code, "%s", clip(strings.TrimSpace(o.said.String()))), o.status
}

// Unwrap lets the library flush.
func (o *libraryReply) Unwrap() http.ResponseWriter { return o.ResponseWriter }
