package mcpserver

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/rawjson"
	"github.com/seed-89b9419b/holotype/internal/wire"
)

// mayAnswer reports whether the library would certainly accept the message, and
// the fast lane may answer it.
func (c *stream) mayAnswer(m *message) bool {
	if !c.s.mayBeFast(m) || !c.s.serves(c.principal, m.method) {
		return false
	}
	meta := &m.params.meta
	if meta.version == nil {
		return c.initialized.Load()
	}
	version, _ := rawjson.String(meta.version)
	known := meta.logLevel == "" || slices.Contains(capabilities.LogLevels(), meta.logLevel)
	return known && c.s.modernVersion(version) && c.s.trust.knows(meta)
}

// fast runs one call beside the others; false when the stream was closed.
func (c *stream) fast(ctx context.Context, m message) bool {
	select {
	case c.slots <- struct{}{}:
	case <-c.closed:
		return false
	}
	ctx, cancel := context.WithCancel(ctx)
	one, ok := c.calls.begin(m.id, cancel)
	if !ok {
		cancel()
		<-c.slots
		c.tell(failure(m.id, idInUse()))
		return true
	}
	begun := c.running.Go(func() {
		defer func() { <-c.slots }()
		defer cancel()
		parts := c.serve(ctx, m)
		// Forgotten before it is answered: the client may use the id again at once.
		if c.calls.end(one) {
			return // the client has stopped waiting
		}
		c.tell(parts...)
	})
	if !begun {
		cancel()
	}
	return begun
}

func (c *stream) serve(ctx context.Context, m message) [][]byte {
	modern := m.params.meta.version != nil
	if m.method == methodList {
		parts, failed := c.s.guardedList(ctx, c.principal, &m.params, modern)
		return framed(m.id, failed, parts...)
	}
	call := toolCall{principal: c.principal, params: m.params, modern: modern}
	if token := m.params.meta.progressToken; token != nil {
		call.notify = func(p capabilities.Progress) { c.note(progressNote(token, p)) }
	}
	if modern {
		call.answers = answersOf(m.params.meta.clientCapabilities)
	}
	defer c.asking(&call)()
	defer c.listening(&call)()
	body, failed := c.s.rounded(ctx, call)
	return framed(m.id, failed, body)
}

// asking has a call ask the client of the stream, as its era does, until the end.
func (c *stream) asking(call *toolCall) (end func()) {
	call.client, call.gone = c.id, c.unheard
	if call.modern {
		return func() {}
	}
	declared := c.answers.Load()
	if declared == nil || !declared.any() {
		return func() {}
	}
	one := &client{id: c.id, answers: *declared, questions: &c.questions, send: c.asked, gone: c.unheard}
	call.asks = one
	return one.end
}

// listening has a call tell the client of the stream what a bridged server logs, where it
// asked for that, until the end.
func (c *stream) listening(call *toolCall) (end func()) {
	level := call.params.meta.logLevel
	if asked := c.level.Load(); !call.modern && asked != nil {
		level = *asked
	}
	if level == "" {
		return func() {}
	}
	told := &listener{send: c.note}
	call.logs = &capabilities.LogReader{Client: c.id, Level: level, Tell: told.tell}
	return told.end
}

func framed(id json.RawMessage, failed *jsonrpc.Error, result ...[]byte) [][]byte {
	if failed != nil {
		return [][]byte{failure(id, failed)}
	}
	return answer(id, result...)
}

// refuseLong answers a line over the limit: the call it was, when that is known.
func (c *stream) refuseLong(l *longLine) {
	e := capabilities.Refuse(capabilities.TooLarge, "the message has over %d bytes, which is the limit of one message: send less", maxBody)
	if l.method == methodCall && json.Valid(l.id) && isID(l.id) {
		c.tell(answer(l.id, wire.Refusal(e, capabilities.NewRequestID()))...)
		return
	}
	c.tell(failure(l.id, invalidRequest(e.Message)))
}
