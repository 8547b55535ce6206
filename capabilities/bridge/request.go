package bridge

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"strconv"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/rawjson"
)

// A request is one request of the data lane, before it has an id.
type request struct {
	method string
	// tool and arguments are those of tools/call; cursor is that of tools/list, a
	// raw JSON string or nil.
	tool      string
	arguments json.RawMessage
	cursor    json.RawMessage
	params    []paramHeader
	// repeatable says that running it twice is running it once.
	repeatable bool
	// body is the params of another method, of which _meta is not passed on, and label
	// what a header names the request by; "" for nothing.
	body  json.RawMessage
	label string
	// trace goes with the request; the zero value is none.
	trace capabilities.Trace
	// progress is called from the goroutine of the caller, never after the answer.
	progress func(capabilities.Progress)
	// courier is the way to the client of the call; nil where nothing is relayed.
	courier *courier
	// declared is what that client answers, as JSON, for a server since 2026-07-28; "" is
	// nothing. state and responses are what such a server is brought after it has asked.
	declared         string
	state, responses json.RawMessage
	// level is what such a server is to log at least; "" is nothing.
	level string
}

// during says when, of a server that went away before it answered.
func (r *request) during() string {
	switch r.method {
	case "tools/list":
		return "while it listed its tools"
	case "tools/call":
		return "during the call"
	}
	return "before it answered"
}

// A lane carries raw requests to one server. It answers the response, whose
// error member may be set, or a *failure.
type lane interface {
	roundTrip(ctx context.Context, req request) (message, error)
}

// encode writes the request as one line. meta are members of _meta every request
// of this connection carries, without braces and without the value of the last one, what
// the client declares; or "".
func (r *request) encode(id uint32, meta string) []byte {
	b := make([]byte, 0, 160+len(r.tool)+len(r.arguments)+len(meta))
	b = append(b, `{"jsonrpc":"2.0","id":`...)
	b = strconv.AppendUint(b, uint64(id), 10)
	b = append(b, `,"method":`...)
	b = rawjson.AppendQuoted(b, r.method)
	b = append(b, `,"params":{`...)
	from := len(b)
	member := func(key string) {
		if len(b) > from {
			b = append(b, ',')
		}
		b = append(b, key...)
	}
	if r.tool != "" {
		member(`"name":`)
		b = rawjson.AppendQuoted(b, r.tool)
		member(`"arguments":`)
		b = appendLine(b, r.arguments)
	}
	for key, value := range rawjson.Members(r.body) {
		if key != "_meta" && key != "inputResponses" && key != "requestState" {
			member("")
			b = append(rawjson.AppendQuoted(b, key), ':')
			b = appendLine(b, value)
		}
	}
	if r.cursor != nil {
		member(`"cursor":`)
		b = append(b, r.cursor...)
	}
	if r.responses != nil {
		member(`"inputResponses":`)
		b = appendLine(b, r.responses)
	}
	if r.state != nil {
		member(`"requestState":`)
		b = append(b, r.state...)
	}
	if meta != "" || r.progress != nil || !r.trace.IsZero() {
		member(`"_meta":{`)
		from = len(b)
		b = append(b, meta...)
		if meta != "" {
			b = append(b, cmp.Or(r.declared, "{}")...) // the last of its members
			if r.level != "" {
				b = append(append(b, `,"`+mcp.MetaKeyLogLevel+`":`...), strconv.Quote(r.level)...)
			}
		}
		if r.progress != nil {
			member(`"progressToken":`)
			b = strconv.AppendUint(b, uint64(id), 10)
		}
		if !r.trace.IsZero() { // nothing in it, or in its state, is to be escaped
			member(`"traceparent":"`)
			b = append(r.trace.AppendParent(b), '"')
			if r.trace.State != "" {
				member(`"tracestate":"`)
				b = append(append(b, r.trace.State...), '"')
			}
		}
		b = append(b, '}')
	}
	return append(b, "}}\n"...)
}

// appendLine appends a JSON object without line ends, which would cut the frame
// of a line-based transport; absent arguments are an empty object.
func appendLine(b []byte, raw json.RawMessage) []byte {
	if len(raw) == 0 {
		return append(b, "{}"...)
	}
	if bytes.ContainsAny(raw, "\r\n") {
		var compact bytes.Buffer
		if json.Compact(&compact, raw) == nil {
			return append(b, compact.Bytes()...)
		}
	}
	return append(b, raw...)
}

// cancelled writes the notification that takes back one of our requests.
func cancelled(id uint32, reason string) []byte {
	b := append([]byte(nil), `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":`...)
	b = strconv.AppendUint(b, uint64(id), 10)
	b = append(b, `,"reason":`...)
	b = rawjson.AppendQuoted(b, reason)
	return append(b, "}}\n"...)
}

// answerRequest answers what a server asks of us and no client is to answer: a ping is
// answered and all else is refused at once, since silence would leave the server, and the
// call it serves, hanging.
func answerRequest(m message) []byte {
	b := append([]byte(nil), `{"jsonrpc":"2.0","id":`...)
	b = append(b, m.id...)
	if m.method == "ping" {
		return append(b, ",\"result\":{}}\n"...)
	}
	b = append(b, `,"error":{"code":-32601,"message":`...)
	b = rawjson.AppendQuoted(b, "this client does not serve "+bounded(m.method, 100))
	return append(b, "}}\n"...)
}

const (
	noteProgress    = "notifications/progress"
	noteToolsChange = "notifications/tools/list_changed"

	notePromptsChange   = "notifications/prompts/list_changed"
	noteResourcesChange = "notifications/resources/list_changed"
)

// readProgress reads the params of a progress notification. ok is false unless it
// carries one of our tokens and a number.
func readProgress(params json.RawMessage) (id uint32, p capabilities.Progress, ok bool) {
	var hasValue bool
	for key, value := range rawjson.Members(params) {
		switch key {
		case "progressToken":
			id, ok = ownID(value)
		case "progress":
			f, err := strconv.ParseFloat(string(value), 64)
			p.Value, hasValue = f, err == nil
		case "total":
			if f, err := strconv.ParseFloat(string(value), 64); err == nil {
				p.Total = f
			}
		case "message":
			s, _ := rawjson.String(value)
			p.Message = bounded(s, 1024)
		}
	}
	return id, p, ok && hasValue
}

// progress wraps a progress function so that it is told nothing secret.
func (sp *spec) progress(f func(capabilities.Progress)) func(capabilities.Progress) {
	if f == nil {
		return nil
	}
	return func(p capabilities.Progress) {
		p.Message = sp.masker().mask(p.Message)
		f(p)
	}
}

// forward wraps a progress function so that only growing values pass.
func forward(f func(capabilities.Progress)) func(capabilities.Progress) {
	if f == nil {
		return nil
	}
	var last float64
	first := true
	return func(p capabilities.Progress) {
		if first || p.Value > last {
			first, last = false, p.Value
			f(p)
		}
	}
}
