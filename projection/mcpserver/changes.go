package mcpserver

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/seed-89b9419b/holotype/capabilities"
)

// changeDelay gathers swaps of the registry that follow each other closely, as
// when several servers come up at once.
const changeDelay = 50 * time.Millisecond

// sentinel is a tool that the library holds for an instant and nobody ever sees:
// adding and removing it is the one way to make the library say that the list of
// tools changed.
const sentinel = "holotype_list_changed"

// The lists that sessions are told of when they change.
const (
	listOfTools = iota
	listOfPrompts
	listOfResources
	listKinds
)

// kindOf answers which list a notification is about.
func kindOf(method string) (kind int, ok bool) {
	switch method {
	case noteListChanged:
		return listOfTools, true
	case "notifications/prompts/list_changed":
		return listOfPrompts, true
	case "notifications/resources/list_changed":
		return listOfResources, true
	}
	return 0, false
}

// hookedNote reports whether a notification is about what the library serves for a test.
func (s *Server) hookedNote(method string) bool {
	kind, ok := kindOf(method)
	return ok && kind == listOfPrompts && s.served[capabilities.RelayPrompts] ||
		(ok && kind == listOfResources || method == noteUpdated) && s.served[capabilities.RelayResources]
}

// digests tell what the lists of a principal are.
type digests [listKinds][sha256.Size]byte

// changes tells sessions that one of their lists changed: those whose list did. Of tools
// it is told only when the bytes of the list did; what servers offer beside them is known
// to have changed, and not how.
type changes struct {
	s *Server

	mu       sync.Mutex
	watchers map[*mcp.ServerSession]*watcher
	pending  *time.Timer
	closed   bool

	turn sync.Mutex // one announcement at a time

	// listened are the resources that sessions listen to, and how many of them under which
	// name: a resource may be known here by the URI that its server has for it, too.
	listened map[string]map[string]int
	updates  updates
}

type watcher struct {
	who     func() *capabilities.Principal
	seen    digests
	due     [listKinds]bool
	busy    [listKinds]bool   // a notification is being written
	holds   int               // how often it was watched
	updates int               // notifications of resources that are being written
	listens map[string]string // resources by the names that the session has for them
}

func newChanges(s *Server) *changes {
	return &changes{s: s, watchers: map[*mcp.ServerSession]*watcher{}, listened: map[string]map[string]int{}}
}

// watch tells a session of changes to the list of the principal it acts for.
func (c *changes) watch(ss *mcp.ServerSession, who func() *capabilities.Principal) {
	seen := c.digest(who())
	c.mu.Lock()
	defer c.mu.Unlock()
	if w, ok := c.watchers[ss]; ok {
		w.holds++
		return
	}
	c.watchers[ss] = &watcher{who: who, seen: seen, holds: 1, listens: map[string]string{}}
}

func (c *changes) unwatch(ss *mcp.ServerSession) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if w, ok := c.watchers[ss]; ok {
		if w.holds--; w.holds <= 0 {
			delete(c.watchers, ss)
			for name := range w.listens {
				c.forget(w, name)
			}
		}
	}
}

func (c *changes) digest(p *capabilities.Principal) digests {
	all := digests{listOfTools: c.s.list(p).digest}
	var prompts, resources []string
	for _, relay := range c.s.o.Viewer.View(p).Relays {
		switch method := relay.Method(); {
		case strings.HasPrefix(method, "prompts/"):
			prompts = append(prompts, relay.Name(), relay.Revision())
		case strings.HasPrefix(method, "resources/"):
			resources = append(resources, relay.Name(), relay.Revision())
		}
	}
	all[listOfPrompts] = sha256.Sum256([]byte(strings.Join(prompts, "\n")))
	all[listOfResources] = sha256.Sum256([]byte(strings.Join(resources, "\n")))
	return all
}

// changed is called after every swap of the registry.
func (c *changes) changed() {
	c.s.lists.forget()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.pending == nil && !c.closed {
		c.pending = time.AfterFunc(changeDelay, c.announce)
	}
}

// announce compares what every watched session was told of with what stands now.
func (c *changes) announce() {
	c.turn.Lock()
	defer c.turn.Unlock()
	c.mu.Lock()
	c.pending = nil
	if c.closed {
		c.mu.Unlock()
		return
	}
	watched := make(map[*mcp.ServerSession]func() *capabilities.Principal, len(c.watchers))
	for ss, w := range c.watchers {
		watched[ss] = w.who
	}
	c.mu.Unlock()

	now := make(map[*mcp.ServerSession]digests, len(watched))
	for ss, who := range watched {
		now[ss] = c.digest(who())
	}
	c.s.lists.settle()
	var due [listKinds]bool
	c.mu.Lock()
	for ss, digest := range now {
		w, ok := c.watchers[ss]
		for kind := range listKinds {
			if ok && w.seen[kind] != digest[kind] {
				w.seen[kind], w.due[kind], due[kind] = digest[kind], true, true
			}
		}
	}
	c.mu.Unlock()
	if due[listOfTools] {
		c.s.sdk.AddTool(&mcp.Tool{Name: sentinel, InputSchema: json.RawMessage(`{"type":"object"}`)},
			func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				return &mcp.CallToolResult{}, nil
			})
		c.s.sdk.RemoveTools(sentinel)
	}
	if due[listOfPrompts] {
		c.s.sdk.AddPrompt(&mcp.Prompt{Name: sentinel}, func(context.Context, *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			return &mcp.GetPromptResult{}, nil
		})
		c.s.sdk.RemovePrompts(sentinel)
	}
	if due[listOfResources] {
		const uri = resourceScheme + sentinel
		c.s.sdk.AddResource(&mcp.Resource{URI: uri, Name: sentinel}, func(context.Context, *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
			return &mcp.ReadResourceResult{}, nil
		})
		c.s.sdk.RemoveResources(uri)
	}
}

// sending stops the library's notification to sessions whose list did not change.
// The library tells one session after the other; here each is told on its own, so
// that a client that does not read delays nobody else.
func (c *changes) sending(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		kind, ours := kindOf(method)
		ss, ok := req.GetSession().(*mcp.ServerSession)
		switch {
		case c.s.hookedNote(method): // of what is a test's own
			return next(ctx, method, req)
		case method == noteUpdated:
			c.update(ctx, next, ss, req)
			return nil, nil
		case !ours:
			return next(ctx, method, req)
		case !ok || !c.begin(ss, kind):
			return nil, nil
		}
		go func() {
			for again := true; again; again = c.again(ss, kind) {
				if _, err := next(context.WithoutCancel(ctx), method, req); err != nil {
					c.s.o.Log.Debug("mcp_list_changed_undelivered", "error", err.Error())
				}
			}
		}()
		return nil, nil
	}
}

// begin reports whether a session is to be told now.
func (c *changes) begin(ss *mcp.ServerSession, kind int) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	w, ok := c.watchers[ss]
	if !ok || !w.due[kind] || w.busy[kind] {
		return false
	}
	w.due[kind], w.busy[kind] = false, true
	return true
}

// again ends one notification and reports whether another change came meanwhile.
func (c *changes) again(ss *mcp.ServerSession, kind int) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	w, ok := c.watchers[ss]
	if !ok {
		return false
	}
	again := w.due[kind]
	w.due[kind], w.busy[kind] = false, again
	return again
}

func (c *changes) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	if c.pending != nil {
		c.pending.Stop()
	}
}
