package mcpserver

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/rawjson"
	"github.com/seed-89b9419b/holotype/internal/wire"
)

// Discovery is for clients whose model has no room for a long list: four tools stand in its
// place. Two find and describe what the list has. Two call it, by its name: call_read what
// is known to change nothing, call_write the rest, so that a client which lets its model
// call what only reads, and asks a person about anything else, goes on doing so. The call
// that the door sees is the inner one. Nothing else changes: a name that is called by
// itself is served as before.

// discovery is what the list of a view has beside itself for it, made when it is asked for.
type discovery struct {
	tokens func() int      // what the list costs a model
	list   func() *listing // the four tools
	index  func() *index   // what the tools of the list are found by
}

func newDiscovery(tools []*capabilities.Capability, keyed bool) discovery {
	return discovery{
		tokens: sync.OnceValue(func() int {
			shown := wire.ModelBytes
			if keyed {
				shown = wire.KeyedModelBytes
			}
			sum := 0
			for _, c := range tools {
				sum += wire.Tokens(shown(c))
			}
			return sum
		}),
		list:  sync.OnceValue(func() *listing { return discoveryList(tools) }),
		index: sync.OnceValue(func() *index { return newIndex(tools) }),
	}
}

// wholeList answers the list of everything that a caller may see.
func (s *Server) wholeList(p *capabilities.Principal) *listing {
	return s.lists.of(s.o.Viewer.View(p), s.keyed(p))
}

// list answers the list that a caller is given.
func (s *Server) list(p *capabilities.Principal) *listing {
	whole := s.wholeList(p)
	if s.discovers(p, whole) {
		return whole.discovery.list()
	}
	return whole
}

// discovers reports whether a caller is given the tools of discovery in place of its list:
// it asked for them, or the list is too long.
func (s *Server) discovers(p *capabilities.Principal, whole *listing) bool {
	if p != nil && p.Discovery {
		return true
	}
	return s.limit() > 0 && s.replaces(p, whole.discovery.tokens())
}

// replaces is discovers for a list that costs so many tokens.
func (s *Server) replaces(p *capabilities.Principal, tokens int) bool {
	limit := s.limit()
	return p != nil && p.Discovery || limit > 0 && tokens > limit
}

// mayDiscover reports whether calls of the tools of discovery are served. Where a limit is
// set they are, however long the list is just now: a client may keep the list that it was
// given before a server came or went.
func (s *Server) mayDiscover(p *capabilities.Principal) bool {
	return p != nil && p.Discovery || s.limit() > 0
}

// limit is how many tokens a list may cost; 0 is any.
func (s *Server) limit() int {
	if s.o.DiscoverAbove == nil {
		return 0
	}
	return s.o.DiscoverAbove()
}

// discoveryList writes the list of the four.
func discoveryList(tools []*capabilities.Capability) *listing {
	page := []byte(pageHead)
	for i, tool := range discoveryTools() {
		if i > 0 {
			page = append(page, ',')
		}
		page = tool.append(page, tools)
	}
	l := &listing{digest: sha256.Sum256(page)}
	l.pages = [][]byte{page}
	l.pages[0] = l.finish(page, 0)
	l.size = len(l.pages[0])
	return l
}

// discover serves a call of a tool of discovery, or makes it the call that it stands for.
// done is false where there is one to be made, and for any other tool.
func (s *Server) discover(ctx context.Context, c *toolCall, refusal *capabilities.Error, request string) (body []byte, inner innerCall, done bool) {
	tool, ok := s.discovering[c.params.name]
	if !ok || !s.mayDiscover(c.principal) {
		return nil, inner, false
	}
	arguments, e := tool.arguments(c.params.arguments)
	if tool.admits != nil {
		if e == nil {
			inner, e = readInner(tool, arguments)
		}
		if e == nil {
			c.params.name, c.params.arguments = inner.name, inner.arguments
			return nil, inner, false
		}
	}
	if refusal != nil {
		e = refusal
	}
	if e == nil {
		var answer []byte
		if answer, e = tool.answer(s.wholeList(c.principal), arguments, c.modern); e == nil {
			return s.discovered(answer, c.modern), inner, true
		}
	}
	s.o.Log.DebugContext(ctx, "discovery_refused", "tool", tool.name, "code", string(e.Code), "request_id", request)
	return s.refused(e, request, c.modern), inner, true
}

// discovered writes what find_tools or describe_tools answers as a result.
func (s *Server) discovered(answer []byte, modern bool) []byte {
	out := rawjson.AppendQuoted([]byte(`{"content":[{"type":"text","text":`), string(answer))
	out = append(append(append(out, `}],"structuredContent":`...), answer...), '}')
	if !modern {
		return out
	}
	out = append(append(out[:len(out)-1], `,"_meta":`...), s.identified(nil)...)
	return complete(append(out, '}'))
}

// innerCall is the call that a call of call_read or call_write stands for; the zero value is
// none.
type innerCall struct {
	name      string
	arguments json.RawMessage
	admits    func(*capabilities.Capability) *capabilities.Error
}

func (i innerCall) stands() bool { return i.admits != nil }

// readInner reads the inner call. What its arguments hold is for the door to judge.
func readInner(tool tool, arguments json.RawMessage) (innerCall, *capabilities.Error) {
	inner := innerCall{admits: tool.admits}
	var wrong []capabilities.Violation
	seen := map[string]bool{}
	for key, value := range rawjson.Members(arguments) {
		bad := func(keyword, message string) {
			wrong = append(wrong, capabilities.Violation{Pointer: "/" + pointed(key), Keyword: keyword, Message: message})
		}
		if seen[key] {
			bad("duplicate_key", "is given twice")
			continue
		}
		seen[key] = true
		switch {
		case key == "name":
			if inner.name, _ = rawjson.String(value); inner.name == "" {
				bad("type", "is the name of a tool, as "+capabilities.FindTools+" answers it")
			}
		case key == "arguments":
			if inner.arguments = value; rawjson.Kind(value) == 'n' {
				inner.arguments = nil
			}
		default:
			bad("additionalProperties", "is no argument of "+tool.name+": what the tool takes stands inside arguments")
		}
	}
	if !seen["name"] {
		wrong = append(wrong, capabilities.Violation{Pointer: "/name", Keyword: "required", Message: "is missing: name the tool that is to be called"})
	}
	if len(wrong) > 0 {
		return innerCall{}, capabilities.Violates(wrong...)
	}
	return inner, nil
}

// pointed writes a key as a token of an RFC 6901 pointer, of a bounded length.
func pointed(key string) string {
	out := bytes.ReplaceAll([]byte(clip(key)), []byte("~"), []byte("~0"))
	return string(bytes.ReplaceAll(out, []byte("/"), []byte("~1")))
}

// readsOnly refuses what is not known to change nothing.
func readsOnly(c *capabilities.Capability) *capabilities.Error {
	if capabilities.ReadOnlyProven(c) {
		return nil
	}
	return capabilities.Refuse(capabilities.Forbidden, "%s is not known to change nothing, and %s reaches only what is: call it with %s", c.Name(), capabilities.CallRead, capabilities.CallWrite)
}

// theRest refuses what is known to change nothing.
func theRest(c *capabilities.Capability) *capabilities.Error {
	if !capabilities.ReadOnlyProven(c) {
		return nil
	}
	return capabilities.Refuse(capabilities.Forbidden, "%s is known to change nothing, and %s reaches only what is not: call it with %s", c.Name(), capabilities.CallWrite, capabilities.CallRead)
}

// unknownTool answers a call of a name that is in no view: an error of the protocol, and
// where a tool of discovery was called, which there is, its refusal.
func (s *Server) unknownTool(inner innerCall, name string, err error, request string, modern bool) ([]byte, *jsonrpc.Error) {
	if inner.stands() {
		return s.refused(asRefusal(err, request), request, modern), nil
	}
	return nil, invalidParams(fmt.Sprintf("unknown tool %q", clip(name)))
}
