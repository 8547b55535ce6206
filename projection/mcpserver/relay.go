package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/rawjson"
	"github.com/seed-89b9419b/holotype/internal/wire"
)

// What bridged servers have beside tools is relayed: their resources, prompts and
// completions, each under its server's name and through the door. None of it is our own.

// relayMethods are the requests that are served where a server behind has what they are
// about, for a principal that may have it.
func relayMethods() []string {
	return []string{
		capabilities.RelayResources, capabilities.RelayTemplates, capabilities.RelayRead, capabilities.RelaySubscribe, capabilities.RelayUnsubscribe,
		capabilities.RelayPrompts, capabilities.RelayPrompt, capabilities.RelayComplete, capabilities.RelayLogging,
	}
}

// relays reports whether a method is one that is relayed: the tests' own are not.
func (s *Server) relays(method string) bool { return s.relayed[method] && !s.served[method] }

// serves reports whether a method is served to a principal.
func (s *Server) serves(p *capabilities.Principal, method string) bool {
	if s.served[method] {
		return true
	}
	if !s.relayed[method] {
		return false
	}
	if slices.ContainsFunc(s.o.Viewer.View(p).Relays, func(c *capabilities.Capability) bool { return c.Method() == method }) {
		return true
	}
	_, methods := s.awaited(p)
	return slices.Contains(methods, method)
}

// awaited is [Options.Awaited].
func (s *Server) awaited(p *capabilities.Principal) (servers int, methods []string) {
	if s.o.Awaited == nil || p == nil {
		return 0, nil
	}
	return s.o.Awaited(p)
}

// misrelayed answers what is wrong with the params of a relayed method that is served; nil
// is nothing. Whoever is not served it is told that, whatever the params are.
func (s *Server) misrelayed(p *capabilities.Principal, m *message, modern bool) *jsonrpc.Error {
	removed := m.method == capabilities.RelaySubscribe || m.method == capabilities.RelayUnsubscribe || m.method == capabilities.RelayLogging
	if m.params.fault == nil || !s.relays(m.method) || modern && removed || !s.serves(p, m.method) {
		return nil
	}
	return m.params.fault
}

// relaysOf answers the relays of a method that a principal may have, one a server.
func (s *Server) relaysOf(p *capabilities.Principal, method string) []*capabilities.Capability {
	var all []*capabilities.Capability
	for _, c := range s.o.Viewer.View(p).Relays {
		if c.Method() == method {
			all = append(all, c)
		}
	}
	return all
}

// relayOf answers the relay of a method to a server, or nil where the principal may not
// have it.
func (s *Server) relayOf(p *capabilities.Principal, server, method string) *capabilities.Capability {
	for _, c := range s.o.Viewer.View(p).Relays {
		if c.Server() == server && c.Method() == method {
			return c
		}
	}
	return nil
}

// findRelay answers the relay of a method that match says yes to, whoever may have it: the
// gate answers for one that is hidden.
func (s *Server) findRelay(p *capabilities.Principal, method string, match func(*capabilities.Capability) bool) *capabilities.Capability {
	v := s.o.Viewer.View(p)
	for _, all := range [][]*capabilities.Capability{v.Relays, v.HiddenRelays} {
		for _, c := range all {
			if c.Method() == method && match(c) {
				return c
			}
		}
	}
	return nil
}

// prefixOf is what the names of a server's tools, and of its prompts here, begin with.
func prefixOf(relay *capabilities.Capability) string {
	return strings.TrimSuffix(relay.Name(), relay.Method())
}

// relay serves a relayed method. The error is of the protocol: what is relayed has no
// results that failed.
func (s *Server) relay(ctx context.Context, c toolCall) ([]byte, *jsonrpc.Error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer s.running.add(cancel)()

	request := capabilities.NewRequestID()
	who, refusal := s.acting(c.principal, &c.params.meta)
	c.principal = who
	if refusal == nil {
		refusal = c.refusal
	}
	if refusal != nil {
		return nil, s.relayError(refusal, c, request)
	}
	var result json.RawMessage
	var err error
	switch c.params.relay {
	case capabilities.RelayResources, capabilities.RelayTemplates, capabilities.RelayPrompts:
		return s.relayList(ctx, c, request)
	case capabilities.RelayRead:
		result, err = s.readResource(ctx, c, request)
	case capabilities.RelayPrompt:
		result, err = s.getPrompt(ctx, c, request)
	case capabilities.RelayComplete:
		result, err = s.complete(ctx, c, request)
	case capabilities.RelaySubscribe, capabilities.RelayUnsubscribe:
		result, err = s.subscribe(ctx, c, request)
	default:
		return nil, notServed(c.params.relay)
	}
	if err != nil {
		return nil, s.relayError(err, c, request)
	}
	return s.relayResult(c, result), nil
}

// relayResult answers a result object as the client is to have it.
func (s *Server) relayResult(c toolCall, result json.RawMessage) []byte {
	if !c.modern {
		result = rawjson.Replace(result, "_meta", func(meta json.RawMessage) []byte { return foreign(meta) })
		return without(without(result, "resultType"), "cacheScope")
	}
	meta := foreign(rawjson.Member(result, "_meta"))
	out := append([]byte(`{"_meta":`), s.identified(meta)...)
	for key, value := range rawjson.Members(result) {
		switch key {
		case "_meta", "resultType", "cacheScope":
		default:
			out = append(append(rawjson.AppendQuoted(append(out, ','), key), ':'), value...)
		}
	}
	if c.params.relay == capabilities.RelayRead { // which the client may keep for itself
		if rawjson.Member(result, "ttlMs") == nil {
			out = append(out, `,"ttlMs":0`...)
		}
		out = append(out, `,"cacheScope":"private"`...)
	}
	return append(out, `,"resultType":"complete"}`...)
}

// through sends a relayed method through the door.
func (s *Server) through(ctx context.Context, c toolCall, relay *capabilities.Capability, arguments json.RawMessage, request string) (json.RawMessage, error) {
	wait, e := waitOf(c.params.meta)
	if e != nil {
		return nil, e
	}
	call := capabilities.Call{
		Name: relay.Name(), Method: relay.Method(), Arguments: arguments, Principal: c.principal, Surface: capabilities.MCP,
		RequestID: request, Wait: wait, Asks: c.asks, Logs: c.logs, Trace: c.traced(),
	}
	if c.notify != nil {
		p := &progress{notify: c.notify}
		defer p.end()
		call.Progress = p.report
	}
	res, err := s.o.Door.Invoke(ctx, call)
	if err != nil {
		return nil, err
	}
	if res == nil || rawjson.Kind(res.Structured) != '{' {
		return nil, errors.New("a relayed method has no result")
	}
	return res.Structured, nil
}

// unknown answers what there is to say of something that no server offers: one that is
// starting may do so soon.
func (s *Server) unknown(ctx context.Context, c toolCall, name, request string, refusal *capabilities.Error) error {
	// The name is a text of the client's: whatever it happens to name is not run.
	_, err := s.o.Door.Invoke(ctx, capabilities.Call{
		Name: name, Method: c.params.relay, Principal: c.principal, Surface: capabilities.MCP, RequestID: request, Refusal: refusal,
	})
	if err != nil && !errors.Is(err, capabilities.ErrUnknownCapability) {
		return err
	}
	return refusal
}

// readResource reads a resource by the URI that it has here. One that a server has for
// itself is found where exactly one server lists it.
func (s *Server) readResource(ctx context.Context, c toolCall, request string) (json.RawMessage, error) {
	relay, own, err := s.resourceAt(ctx, c, c.params.name, capabilities.RelayRead, request)
	if err != nil {
		return nil, err
	}
	result, err := s.through(ctx, c, relay, withText(c.params.arguments, "uri", own), request)
	if err != nil {
		return nil, err
	}
	return rawjson.Replace(result, "contents", func(contents json.RawMessage) []byte {
		return mapped(contents, func(one json.RawMessage) json.RawMessage { return withLocated(one, "uri", relay.Server()) })
	}), nil
}

// resourceAt answers the relay of a method to the server that a URI is of, and what the
// server calls it.
func (s *Server) resourceAt(ctx context.Context, c toolCall, uri, method, request string) (*capabilities.Capability, string, error) {
	server, own, ok := locate(uri)
	if ok {
		if relay := s.findRelay(c.principal, method, func(r *capabilities.Capability) bool { return r.Server() == server }); relay != nil {
			return relay, own, nil
		}
		refusal := capabilities.Refuse(capabilities.NotFound, "no server named %s has resources here: list those that there are with %s", clip(server), capabilities.RelayResources)
		if s.o.Absent != nil && c.principal != nil {
			if absent := s.o.Absent(c.principal, server, method); absent != nil {
				refusal = absent
			}
		}
		return nil, "", s.unknown(ctx, c, uri, request, refusal)
	}
	var found []*capabilities.Capability
	for _, lists := range s.relaysOf(c.principal, capabilities.RelayResources) {
		list, err := s.through(ctx, toolCall{principal: c.principal, params: params{relay: capabilities.RelayResources}}, lists, nil, request)
		if err == nil && hasEntry(rawjson.Member(list, "resources"), "uri", uri) {
			if relay := s.relayOf(c.principal, lists.Server(), method); relay != nil {
				found = append(found, relay)
			}
		}
	}
	switch len(found) {
	case 1:
		return found[0], uri, nil
	case 0:
		return nil, "", capabilities.Refuse(capabilities.NotFound, "no resource has the URI %s here: those of a server begin with %sNAME/, list them with %s", clip(uri), resourceScheme, capabilities.RelayResources)
	}
	return nil, "", capabilities.Refuse(capabilities.Invalid, "the servers %s and %s both have a resource of this URI: name the server, as in %s", found[0].Server(), found[1].Server(), located(found[0].Server(), clip(uri)))
}

func hasEntry(list json.RawMessage, member, wanted string) bool {
	for _, one := range rawjson.Elements(list) {
		if text, _ := rawjson.String(rawjson.Member(one, member)); text == wanted {
			return true
		}
	}
	return false
}

// withText answers an object in which a member is a text.
func withText(object json.RawMessage, member, text string) json.RawMessage {
	return rawjson.Replace(object, member, func(json.RawMessage) []byte { return rawjson.AppendQuoted(nil, text) })
}

// getPrompt gets a prompt by the name that it has here.
func (s *Server) getPrompt(ctx context.Context, c toolCall, request string) (json.RawMessage, error) {
	relay, own, err := s.promptAt(ctx, c, c.params.name, capabilities.RelayPrompt, request)
	if err != nil {
		return nil, err
	}
	result, err := s.through(ctx, c, relay, withText(c.params.arguments, "name", own), request)
	if err != nil || s.relayOf(c.principal, relay.Server(), capabilities.RelayRead) == nil {
		return result, err
	}
	return rawjson.Replace(result, "messages", func(messages json.RawMessage) []byte {
		return mapped(messages, func(one json.RawMessage) json.RawMessage {
			return rawjson.Replace(one, "content", func(block json.RawMessage) []byte {
				if rawjson.Kind(block) != '{' {
					return block
				}
				return locatedBlock(block, relay.Server())
			})
		})
	}), nil
}

// promptAt answers the relay of a method to the server that a prompt is of, and what the
// server calls it.
func (s *Server) promptAt(ctx context.Context, c toolCall, name, method, request string) (*capabilities.Capability, string, error) {
	relay := s.findRelay(c.principal, method, func(r *capabilities.Capability) bool {
		own, ok := strings.CutPrefix(name, prefixOf(r))
		return ok && own != ""
	})
	if relay == nil {
		return nil, "", s.unknown(ctx, c, name, request, capabilities.Refuse(capabilities.NotFound, "no prompt is named %s here: list those of the servers behind with %s", clip(name), capabilities.RelayPrompts))
	}
	return relay, strings.TrimPrefix(name, prefixOf(relay)), nil
}

// complete asks the server that a prompt or a template is of for what may be filled in, for
// whoever may have the prompt, or what the template is of.
func (s *Server) complete(ctx context.Context, c toolCall, request string) (json.RawMessage, error) {
	ref := rawjson.Member(c.params.arguments, "ref")
	kind, _ := rawjson.String(rawjson.Member(ref, "type"))
	var (
		relay *capabilities.Capability
		own   string
		err   error
	)
	member := "name"
	switch kind {
	case "ref/prompt":
		name, _ := rawjson.String(rawjson.Member(ref, "name"))
		relay, own, err = s.promptAt(ctx, c, name, capabilities.RelayPrompt, request)
	case "ref/resource":
		member = "uri"
		uri, _ := rawjson.String(rawjson.Member(ref, "uri"))
		relay, own, err = s.resourceAt(ctx, c, uri, capabilities.RelayRead, request)
	default:
		err = capabilities.Refuse(capabilities.Invalid, "params.ref of %s is a prompt (ref/prompt) or the template of a resource (ref/resource)", capabilities.RelayComplete)
	}
	if err != nil {
		return nil, err
	}
	if s.relayOf(c.principal, relay.Server(), relay.Method()) != nil { // else the door refuses what it is of
		server := relay.Server()
		if relay = s.findRelay(c.principal, capabilities.RelayComplete, func(r *capabilities.Capability) bool { return r.Server() == server }); relay == nil {
			return nil, capabilities.Refuse(capabilities.NotFound, "the server %s completes nothing", clip(server))
		}
	}
	arguments := rawjson.Replace(c.params.arguments, "ref", func(ref json.RawMessage) []byte { return withText(ref, member, own) })
	return s.through(ctx, c, relay, arguments, request)
}

// subscribe has a server tell when a resource changes, or tell no more. Whom it is told is
// the library's; that somebody listens is noted before the server is asked, which may
// otherwise be told at once that nobody does.
func (s *Server) subscribe(ctx context.Context, c toolCall, request string) (json.RawMessage, error) {
	relay, own, err := s.resourceAt(ctx, c, c.params.name, c.params.relay, request)
	if err != nil {
		return nil, err
	}
	listens := c.params.relay == capabilities.RelaySubscribe && s.changes.listen(c.session, c.params.name, located(relay.Server(), own))
	if c.params.relay == capabilities.RelayUnsubscribe {
		s.changes.unlisten(c.session, c.params.name)
	}
	result, err := s.through(ctx, c, relay, withText(c.params.arguments, "uri", own), request)
	if err != nil && listens {
		s.changes.unlisten(c.session, c.params.name)
	}
	return result, err
}

// codeResourceNotFound is the code of a resource that is not there, before 2026-07-28.
const codeResourceNotFound = -32002

// relayError answers the protocol's error of a refusal: a server's own word as it is, and
// ours with the problem that every other surface would answer.
func (s *Server) relayError(err error, c toolCall, request string) *jsonrpc.Error {
	if said, ok := errors.AsType[*capabilities.ServerError](err); ok {
		code := said.Code
		switch {
		case code == 0:
			code = jsonrpc.CodeInternalError
		case code == codeResourceNotFound && c.modern: // that era has another one for it
			code = jsonrpc.CodeInvalidParams
		case ofConnection(code):
			return &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: said.Message}
		}
		return &jsonrpc.Error{Code: code, Message: said.Message, Data: said.Data}
	}
	e := lapsed(context.Background(), asRefusal(err, request))
	status := e.Info().Status
	failed := &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: e.Message, Data: wire.Problem(e, status, request)}
	switch {
	case e.Code == capabilities.NotFound && c.params.relay == capabilities.RelayRead && !c.modern:
		failed.Code = codeResourceNotFound
	case e.Code == capabilities.NotFound, e.Code == capabilities.Invalid:
		failed.Code = jsonrpc.CodeInvalidParams
	case status >= http.StatusInternalServerError:
		failed.Code = jsonrpc.CodeInternalError
	}
	return failed
}

// ofConnection reports whether a client takes an error to be about its connection with us,
// or opens a page at it that nobody has judged. A server behind is not heard in that.
func ofConnection(code int64) bool {
	switch code {
	case mcp.CodeHeaderMismatch, mcp.CodeMissingRequiredClientCapabilities, mcp.CodeUnsupportedProtocolVersion, mcp.CodeURLElicitationRequired:
		return true
	}
	return false
}

// offered answers the capabilities that are announced to a principal: those of servers
// behind, and those that one may have which has not told yet, beside our own.
func (s *Server) offered(p *capabilities.Principal, ours *mcp.ServerCapabilities) *mcp.ServerCapabilities {
	own := &mcp.ServerCapabilities{}
	if ours != nil {
		copied := *ours
		own = &copied
	}
	if len(s.o.Hook.Methods) > 0 {
		return own
	}
	own.Prompts, own.Resources, own.Completions, own.Logging = nil, nil, nil, nil
	lists, subscribes := s.serves(p, capabilities.RelayResources), s.serves(p, capabilities.RelaySubscribe)
	if lists || subscribes {
		own.Resources = &mcp.ResourceCapabilities{ListChanged: lists, Subscribe: subscribes}
	}
	if s.serves(p, capabilities.RelayPrompts) {
		own.Prompts = &mcp.PromptCapabilities{ListChanged: true}
	}
	if s.serves(p, capabilities.RelayComplete) {
		own.Completions = &mcp.CompletionCapabilities{}
	}
	if s.serves(p, capabilities.RelayLogging) {
		own.Logging = &mcp.LoggingCapabilities{}
	}
	return own
}
