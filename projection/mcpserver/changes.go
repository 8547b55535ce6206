package mcpserver

import (
	"context"
	"crypto/sha256"
	"encoding/json"
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

// changes tells sessions that their list of tools changed: those whose list did,
// and only when its bytes did.
type changes struct {
	s *Server

	mu       sync.Mutex
	watchers map[*mcp.ServerSession]*watcher
	pending  *time.Timer
	closed   bool

	turn sync.Mutex // one announcement at a time
}

type watcher struct {
	who   func() *capabilities.Principal
	seen  [sha256.Size]byte
	due   bool
	busy  bool // a notification is being written
	holds int  // how often it was watched
}

func newChanges(s *Server) *changes {
	return &changes{s: s, watchers: map[*mcp.ServerSession]*watcher{}}
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
	c.watchers[ss] = &watcher{who: who, seen: seen, holds: 1}
}

func (c *changes) unwatch(ss *mcp.ServerSession) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if w, ok := c.watchers[ss]; ok {
		if w.holds--; w.holds <= 0 {
			delete(c.watchers, ss)
		}
	}
}

func (c *changes) digest(p *capabilities.Principal) [sha256.Size]byte {
	return c.s.list(p).digest
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

	now := make(map[*mcp.ServerSession][sha256.Size]byte, len(watched))
	for ss, who := range watched {
		now[ss] = c.digest(who())
	}
	c.s.lists.settle()
	due := false
	c.mu.Lock()
	for ss, digest := range now {
		if w, ok := c.watchers[ss]; ok && w.seen != digest {
			w.seen, w.due, due = digest, true, true
		}
	}
	c.mu.Unlock()
	if due {
		c.s.sdk.AddTool(&mcp.Tool{Name: sentinel, InputSchema: json.RawMessage(`{"type":"object"}`)},
			func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				return &mcp.CallToolResult{}, nil
			})
		c.s.sdk.RemoveTools(sentinel)
	}
}

// sending stops the library's notification to sessions whose list did not change.
// The library tells one session after the other; here each is told on its own, so
// that a client that does not read delays nobody else.
func (c *changes) sending(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		if method != noteListChanged {
			return next(ctx, method, req)
		}
		ss, ok := req.GetSession().(*mcp.ServerSession)
		if !ok || !c.begin(ss) {
			return nil, nil
		}
		go func() {
			for again := true; again; again = c.again(ss) {
				if _, err := next(context.WithoutCancel(ctx), method, req); err != nil {
					c.s.o.Log.Debug("mcp_list_changed_undelivered", "error", err.Error())
				}
			}
		}()
		return nil, nil
	}
}

// begin reports whether a session is to be told now.
func (c *changes) begin(ss *mcp.ServerSession) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	w, ok := c.watchers[ss]
	if !ok || !w.due || w.busy {
		return false
	}
	w.due, w.busy = false, true
	return true
}

// again ends one notification and reports whether another change came meanwhile.
func (c *changes) again(ss *mcp.ServerSession) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	w, ok := c.watchers[ss]
	if !ok {
		return false
	}
	again := w.due
	w.due, w.busy = false, again
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
