package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/rawjson"
)

// raw is a result whose bytes are ours. The library adds to the embedded part what
// it would have us say; the bytes say it already. Make one per call: the library
// writes into it.
type raw struct {
	mcp.ResultBase
	body []byte
}

// MarshalJSON answers the bytes.
func (r *raw) MarshalJSON() ([]byte, error) { return r.body, nil }

// caller is who sent a message, as the lanes hand it to the library: it travels as
// token information, which the library keeps per message. (Its context is that of
// a session's first message.)
type caller struct {
	principal *capabilities.Principal
	stream    *stream   // nil over HTTP
	message   *message  // as we read it: the library has read another
	calls     *inflight // where the call can be cancelled, and nil else
	running   *running
}

// newCaller answers the caller of a message, which is copied: it stays on the stack
// of those that the fast lane answers.
func newCaller(p *capabilities.Principal, m *message) *caller {
	own := *m
	return &caller{principal: p, message: &own}
}

const callerKey = "caller"

func (c *caller) token() *auth.TokenInfo {
	return &auth.TokenInfo{UserID: ownerKey(c.principal), Extra: map[string]any{callerKey: c}}
}

func callerOf(req mcp.Request) *caller {
	if x := req.GetExtra(); x != nil && x.TokenInfo != nil {
		if c, ok := x.TokenInfo.Extra[callerKey].(*caller); ok {
			return c
		}
	}
	return &caller{message: &message{}}
}

// guarded is the outermost middleware: a panic below it fails one request.
func (s *Server) guarded(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (res mcp.Result, err error) {
		defer func() {
			if p := recover(); p != nil {
				res, err = nil, s.panicked(ctx, method, p)
			}
		}()
		return next(ctx, method, req)
	}
}

// panicked logs a panic and answers the error that stands for it.
func (s *Server) panicked(ctx context.Context, method string, p any) *jsonrpc.Error {
	id := capabilities.NewRequestID()
	s.o.Log.ErrorContext(ctx, "mcp_panicked", "method", method, "request_id", id, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
	return &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: internalError(id).Message}
}

// receiving answers our two methods, refuses what is not served, and notes what the
// library accepted.
func (s *Server) receiving(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		who := callerOf(req)
		modern := who.message.params.meta.modern()
		if !s.serves(who.principal, method) || method == methodListen && !modern {
			return nil, notServed(method)
		}
		if who.running != nil && method != methodInitialize { // which must not be cancelled
			var done func()
			ctx, done = who.calls.handle(ctx, who.running)
			defer done()
		}
		if modern { // else its description was not judged
			s.trust.learn(&who.message.params.meta)
		}
		switch method {
		case methodList:
			return s.libraryList(who)
		case methodCall:
			if r, ok := req.(*mcp.CallToolRequest); ok && s.hooked[r.Params.Name] {
				return next(ctx, method, req)
			}
			return s.libraryCall(ctx, req, who)
		case methodListen:
			return s.libraryListen(ctx, next, req, who)
		}
		if s.relays(method) {
			return s.libraryRelay(ctx, next, method, req, who)
		}
		res, err := next(ctx, method, req)
		if _, coded := errors.AsType[*jsonrpc.Error](err); err != nil && !coded && method == methodInitialize {
			return nil, invalidRequest("the session is initialized already")
		}
		if err != nil {
			return nil, err
		}
		switch r := res.(type) {
		case *mcp.InitializeResult:
			r.Instructions, r.Capabilities = s.instructions(who.principal), s.offered(who.principal, r.Capabilities)
			s.attached(req, who)
		case *mcp.DiscoverResult:
			r.Instructions, r.Capabilities = s.instructions(who.principal), s.offered(who.principal, r.Capabilities)
			r.TTLMs, r.CacheScope = listTTL, "private"
		}
		return res, nil
	}
}

func notServed(method string) *jsonrpc.Error {
	return &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: clip(method) + " is not served here"}
}

func (s *Server) libraryList(who *caller) (mcp.Result, error) {
	parts, failed := s.listed(who.principal, &who.message.params, who.message.params.meta.modern())
	if failed != nil {
		return nil, failed
	}
	return &raw{body: bytes.Join(parts, nil)}, nil
}

func (s *Server) libraryCall(ctx context.Context, req mcp.Request, who *caller) (mcp.Result, error) {
	r, ok := req.(*mcp.CallToolRequest)
	if !ok {
		return nil, invalidParams("tools/call takes a name and arguments")
	}
	body, failed := s.libraryRounds(ctx, req, r.Session, who)
	if failed != nil {
		return nil, failed
	}
	return &raw{body: body}, nil
}

// libraryRounds serves a call that came by the library's lane.
func (s *Server) libraryRounds(ctx context.Context, req mcp.Request, ss *mcp.ServerSession, who *caller) ([]byte, *jsonrpc.Error) {
	m := who.message
	c := toolCall{principal: who.principal, params: m.params, modern: m.params.meta.modern(), session: ss}
	if x := req.GetExtra(); x != nil {
		c.trace = traceOf(x.Header)
	}
	if c.modern {
		c.answers = answersOf(m.params.meta.clientCapabilities)
	}
	if token := m.params.meta.progressToken; token != nil {
		c.notify = func(p capabilities.Progress) {
			err := ss.NotifyProgress(ctx, &mcp.ProgressNotificationParams{
				ProgressToken: token, Progress: p.Value, Total: p.Total, Message: p.Message,
			})
			if err != nil { // nobody listens any more; the call goes on
				s.o.Log.DebugContext(ctx, "mcp_progress_undelivered", "capability", c.params.name)
			}
		}
	}
	if who.stream != nil {
		defer who.stream.asking(&c)()
		defer who.stream.listening(&c)()
	} else if level := m.params.meta.logLevel; c.modern && level != "" {
		c.logs = &capabilities.LogReader{Level: level, Tell: func(params json.RawMessage) { s.libraryLog(ctx, ss, params) }}
	}
	return s.rounded(ctx, c)
}

// libraryLog tells a client by the library's lane what a bridged server logs.
func (s *Server) libraryLog(ctx context.Context, ss *mcp.ServerSession, params json.RawMessage) {
	level, _ := rawjson.String(rawjson.Member(params, "level"))
	logger, _ := rawjson.String(rawjson.Member(params, "logger"))
	if err := ss.Log(ctx, &mcp.LoggingMessageParams{Level: mcp.LoggingLevel(level), Logger: logger, Data: rawjson.Member(params, "data")}); err != nil {
		s.o.Log.DebugContext(ctx, "mcp_log_undelivered", "error", err.Error())
	}
}

// libraryRelay serves a relayed method that came by the library's lane, which keeps for
// itself who wants to be told of what.
func (s *Server) libraryRelay(ctx context.Context, next mcp.MethodHandler, method string, req mcp.Request, who *caller) (mcp.Result, error) {
	ss, ok := req.GetSession().(*mcp.ServerSession)
	if !ok {
		return nil, notServed(method)
	}
	if method == capabilities.RelayLogging {
		level := who.message.params.level
		if who.stream != nil {
			who.stream.level.Store(&level)
		} else {
			s.sessions.setLevel(ss.ID(), level)
		}
		return next(ctx, method, req)
	}
	body, failed := s.libraryRounds(ctx, req, ss, who)
	switch {
	case failed != nil:
		return nil, failed
	case method == capabilities.RelaySubscribe, method == capabilities.RelayUnsubscribe:
		return next(ctx, method, req)
	}
	return &raw{body: body}, nil
}

// libraryListen keeps the stream of a subscription told of changes for as long as
// the library serves it.
func (s *Server) libraryListen(ctx context.Context, next mcp.MethodHandler, req mcp.Request, who *caller) (mcp.Result, error) {
	ss, ok := req.GetSession().(*mcp.ServerSession)
	if !ok {
		return next(ctx, methodListen, req)
	}
	if who.stream == nil {
		s.streams.listening.Add(1)
		defer s.streams.listening.Add(-1)
	}
	p := who.principal
	s.changes.watch(ss, func() *capabilities.Principal { return p })
	defer s.changes.unwatch(ss)
	end, failed := s.subscribed(ctx, req, ss, who)
	if failed != nil {
		return nil, failed
	}
	defer end()
	return next(ctx, methodListen, req)
}

// attached notes a session of the handshake era.
func (s *Server) attached(req mcp.Request, who *caller) {
	ss, ok := req.GetSession().(*mcp.ServerSession)
	if !ok {
		return
	}
	declared := answersOf(who.message.params.capabilities)
	if who.stream != nil {
		who.stream.answers.Store(&declared)
		who.stream.initialized.Store(true)
		p := who.principal
		s.changes.watch(ss, func() *capabilities.Principal { return p })
		return
	}
	opened := s.sessions.open(ss, who.principal, declared)
	s.changes.watch(ss, opened.who)
	for _, idle := range s.sessions.idle() {
		s.closeSession(idle)
	}
}

// modernVersion is the first revision without sessions.
const modernVersion = "2026-07-28"
