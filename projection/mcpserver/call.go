package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/rawjson"
	"github.com/seed-89b9419b/holotype/internal/wire"
)

// toolCall is a tools/call as either lane read it.
type toolCall struct {
	principal *capabilities.Principal
	params    params
	modern    bool // speaks 2026-07-28 or later
	// notify sends one progress notification; nil when none was asked for.
	notify func(capabilities.Progress)
	// answers is what the client answers when it is asked.
	answers answers
	// client tells the client from others; "" where nothing does.
	client string
	// session is that of the library, where the call came by its lane; nil of any other.
	session *mcp.ServerSession
	// gone is closed when nobody can answer any more; nil is never.
	gone <-chan struct{}
	// asks is the client as the call asks it; nil where it cannot be asked.
	asks capabilities.Asker
	// logs is the client as it is told what a bridged server logs; nil where it is not.
	logs *capabilities.LogReader
	// refusal is what was wrong with the request; nil is nothing.
	refusal *capabilities.Error
	// trace is the one that the headers of the request name; the zero value is none.
	trace capabilities.Trace
}

// rounded answers a tools/call, in as many rounds as it takes.
func (s *Server) rounded(ctx context.Context, c toolCall) ([]byte, *jsonrpc.Error) {
	switch {
	case c.modern && c.params.requestState != nil:
		return s.nextRound(ctx, c)
	case c.modern && c.answers.any():
		return s.roundCall(ctx, c)
	}
	return s.guardedCall(ctx, c)
}

// guardedCall is call, with a panic answered as the failure of this one message.
func (s *Server) guardedCall(ctx context.Context, c toolCall) (body []byte, failed *jsonrpc.Error) {
	defer func() {
		if p := recover(); p != nil {
			body, failed = nil, s.panicked(ctx, methodCall, p)
		}
	}()
	if c.params.relay != "" {
		return s.relay(ctx, c)
	}
	return s.call(ctx, c)
}

// call runs a tools/call through the door and answers the result object, or the
// JSON-RPC error of a name that is in no view. Everything else that goes wrong is
// a result with isError.
func (s *Server) call(ctx context.Context, c toolCall) ([]byte, *jsonrpc.Error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer s.running.add(cancel)()

	request := capabilities.NewRequestID()
	who, refusal := s.acting(c.principal, &c.params.meta)
	c.principal = who
	if refusal == nil {
		refusal = c.refusal
	}
	op, e := operation(c.params.meta)
	if refusal == nil {
		refusal = e
	}
	wait, e := waitOf(c.params.meta)
	if refusal == nil {
		refusal = e
	}
	body, inner, done := s.discover(ctx, &c, refusal, request)
	if done {
		return body, nil
	}
	name := c.params.name
	capability, _, _ := s.o.Viewer.Find(c.principal, name)
	arguments := c.params.arguments
	if refusal == nil {
		refusal = misplaced(capability, arguments)
	}
	if refusal == nil && s.keyed(c.principal) && wire.Keyed(capability) {
		arguments, refusal = takeKey(arguments, &op)
	}
	call := capabilities.Call{
		Name: name, Arguments: s.withoutInjected(ctx, capability, arguments),
		Principal: c.principal, Surface: capabilities.MCP, Operation: op, RequestID: request, Refusal: refusal, Wait: wait,
		Asks: c.asks, Logs: c.logs, Admit: inner.admits, Trace: c.traced(),
	}
	if c.notify != nil {
		p := &progress{notify: c.notify}
		defer p.end()
		call.Progress = p.report
	}
	res, err := s.o.Door.Invoke(ctx, call)
	if err == nil && capability == nil {
		// It came with a swap of the registry between the look and the call.
		capability, _, _ = s.o.Viewer.Find(c.principal, name)
	}
	switch {
	case errors.Is(err, capabilities.ErrUnknownCapability):
		return s.unknownTool(inner, name, err, request, c.modern)
	case err != nil:
		e := lapsed(ctx, asRefusal(err, request))
		if found := s.locatedResult(c.principal, capability, e.Upstream); found != e.Upstream {
			own := *e
			own.Upstream = found
			e = &own
		}
		if e.Upstream != nil && !c.modern && capability != nil {
			own := *e
			own.Upstream = wire.Older(capability, e.Upstream)
			e = &own
		}
		return s.refused(e, request, c.modern), nil
	case capability == nil || res == nil:
		s.o.Log.ErrorContext(ctx, "mcp_result_lost", "capability", name, "request_id", request)
		return s.refused(internalError(request), request, c.modern), nil
	}
	res = s.locatedResult(c.principal, capability, res)
	if !c.modern {
		return wire.ToolResult(capability, wire.Older(capability, res)), nil
	}
	own := *res
	own.Meta = s.identified(res.Meta)
	return complete(wire.NativeResult(capability, &own)), nil
}

// refused writes a refusal as a result.
func (s *Server) refused(e *capabilities.Error, request string, modern bool) []byte {
	out := wire.Refusal(e, request)
	if !modern {
		return out
	}
	// The _meta of a refusal always stands, with our code in it.
	var b bytes.Buffer
	for key, value := range rawjson.Members(out) {
		sep := byte(',')
		if b.Len() == 0 {
			sep = '{'
		}
		b.WriteByte(sep)
		b.Write(rawjson.AppendQuoted(nil, key))
		b.WriteByte(':')
		if key == "_meta" {
			value = s.identified(value)
		}
		b.Write(value)
	}
	b.WriteByte('}')
	return complete(b.Bytes())
}

// identified answers a _meta object that says who answers (2026-07-28, basic
// protocol). Whatever a bridged server said there about itself is not ours to say.
func (s *Server) identified(obj json.RawMessage) json.RawMessage {
	out := rawjson.AppendQuoted([]byte("{"), mcp.MetaKeyServerInfo)
	out = append(append(out, ':'), s.identity...)
	for key, value := range rawjson.Members(obj) {
		if key != mcp.MetaKeyServerInfo {
			out = append(append(rawjson.AppendQuoted(append(out, ','), key), ':'), value...)
		}
	}
	return append(out, '}')
}

// complete marks a result object that has members as final (2026-07-28).
func complete(result []byte) []byte {
	return append(result[:len(result)-1], `,"resultType":"complete"}`...)
}

// guardedList is listed, with a panic answered as the failure of this one message.
func (s *Server) guardedList(ctx context.Context, p *capabilities.Principal, m *params, modern bool) (parts [][]byte, failed *jsonrpc.Error) {
	defer func() {
		if p := recover(); p != nil {
			parts, failed = nil, s.panicked(ctx, methodList, p)
		}
	}()
	return s.listed(p, m, modern)
}

// listed answers one page of tools/list as a result object in parts.
func (s *Server) listed(p *capabilities.Principal, m *params, modern bool) ([][]byte, *jsonrpc.Error) {
	p, refusal := s.acting(p, &m.meta)
	if refusal != nil {
		return nil, invalidParams(refusal.Message)
	}
	page, ok := s.list(p).in(modern).at(m.cursor)
	if !ok {
		return nil, invalidParams("the cursor is of no list that stands now: list again without one")
	}
	if modern {
		return [][]byte{page, s.listTail[1]}, nil
	}
	return [][]byte{page, s.listTail[0]}, nil
}

// listTails answers what ends a list in either era: who lists, as far as the era and the
// options have it.
func (s *Server) listTails() [2][]byte {
	var mark json.RawMessage
	older := []byte("}")
	if s.o.Mark != "" {
		mark = append(rawjson.AppendQuoted(append(rawjson.AppendQuoted([]byte("{"), wire.MetaMark), ':'), s.o.Mark), '}')
		older = append(append([]byte(`,"_meta":`), mark...), '}')
	}
	newer := append([]byte(`,"_meta":`), s.identified(mark)...)
	return [2][]byte{older, append(newer, `,"resultType":"complete"}`...)}
}

// operation reads the operation of a call from its _meta.
func operation(m meta) (op capabilities.Operation, refusal *capabilities.Error) {
	if m.operation != nil {
		id, ok := rawjson.String(m.operation)
		if !ok || !capabilities.ValidKey(id) {
			return op, capabilities.Refuse(capabilities.OpIDInvalid, "_meta %q is 1 to 128 visible ASCII characters: send a fresh key of that form", MetaOperation)
		}
		op.ID = id
	}
	switch string(m.dryRun) {
	case "", "false":
	case "true":
		op.DryRun = true
	default:
		return op, capabilities.Refuse(capabilities.Invalid, "_meta %q is true or false", MetaDryRun)
	}
	return op, nil
}

// waitOf reads from the _meta of a call how long it may be held for a person's approval.
func waitOf(m meta) (time.Duration, *capabilities.Error) {
	if m.wait == nil {
		return 0, nil
	}
	seconds, err := strconv.Atoi(string(m.wait))
	if most := int(capabilities.MaxWait / time.Second); err != nil || seconds < 0 || seconds > most {
		return 0, capabilities.Refuse(capabilities.Invalid, "_meta %q is a whole number of seconds from 0 to %d", MetaWait, most)
	}
	if seconds == 0 {
		return capabilities.NoWait, nil
	}
	return time.Duration(seconds) * time.Second, nil
}

func asRefusal(err error, request string) *capabilities.Error {
	if e, ok := capabilities.AsError(err); ok {
		return e
	}
	return internalError(request)
}

func internalError(request string) *capabilities.Error {
	return capabilities.Refuse(capabilities.InternalError, "this server failed; its operator finds the cause in the log under request %s", request)
}
