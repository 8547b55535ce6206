package mcpserver

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/drain"
	"github.com/seed-89b9419b/holotype/internal/rawjson"
)

// noteUpdated says that a resource has changed.
const noteUpdated = "notifications/resources/updated"

const (
	// maxUpdates bounds the resources whose change is yet to be told, and maxUpdating the
	// notifications of one session that are being written.
	maxUpdates  = 4096
	maxUpdating = 64
	updateTime  = 10 * time.Second
)

// updates are the resources that have changed and nobody was told of.
type updates struct {
	running drain.Group

	mu      sync.Mutex
	waiting []update
	busy    bool
	now     update // that is being told
}

// An update is that a resource has changed: of which server, under the server's own name for
// it, and of whose instance of the server; "" is everybody's.
type update struct{ seat, server, uri string }

// ResourceUpdated tells whoever has subscribed to a resource of a bridged server that it
// has changed: seat is whose the server is, "" for everybody's, and uri what the server
// calls it. It returns at once.
func (s *Server) ResourceUpdated(seat, server, uri string) {
	u := &s.changes.updates
	one := update{seat, server, uri}
	u.mu.Lock()
	defer u.mu.Unlock()
	if slices.Contains(u.waiting, one) || len(u.waiting) >= maxUpdates {
		return
	}
	u.waiting = append(u.waiting, one)
	if !u.busy {
		u.busy = u.running.Go(s.tellUpdates)
	}
}

func (s *Server) tellUpdates() {
	u := &s.changes.updates
	for {
		u.mu.Lock()
		if len(u.waiting) == 0 {
			u.busy = false
			u.mu.Unlock()
			return
		}
		one := u.waiting[0]
		u.waiting, u.now = u.waiting[1:], one
		u.mu.Unlock()
		for _, name := range s.changes.namesOf(located(one.server, one.uri)) {
			if err := s.sdk.ResourceUpdated(context.Background(), &mcp.ResourceUpdatedNotificationParams{URI: name}); err != nil {
				s.o.Log.Debug("mcp_update_undelivered", "error", err.Error())
			}
		}
	}
}

// ResourceListened reports whether anybody listens to a resource of a bridged server, at
// whatever seat: uri is what the server calls it.
func (s *Server) ResourceListened(server, uri string) bool {
	return len(s.changes.namesOf(located(server, uri))) > 0
}

// listen has a session listen to a resource under a name, and reports whether it did not
// before. A session that is not watched is told of nothing.
func (c *changes) listen(ss *mcp.ServerSession, name, resource string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	w := c.watchers[ss]
	if w == nil || w.listens[name] == resource {
		return false
	}
	c.forget(w, name)          // the URI of a server may be another one's by now
	name = strings.Clone(name) // which is a part of a request
	w.listens[name] = resource
	if c.listened[resource] == nil {
		c.listened[resource] = map[string]int{}
	}
	c.listened[resource][name]++
	return true
}

// unlisten ends what listen began.
func (c *changes) unlisten(ss *mcp.ServerSession, name string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if w := c.watchers[ss]; w != nil {
		c.forget(w, name)
	}
}

// forget is unlisten of a watcher. c.mu is held.
func (c *changes) forget(w *watcher, name string) {
	resource, ok := w.listens[name]
	if !ok {
		return
	}
	delete(w.listens, name)
	names := c.listened[resource]
	if names[name]--; names[name] == 0 {
		delete(names, name)
	}
	if len(names) == 0 {
		delete(c.listened, resource)
	}
}

// namesOf answers the names that sessions listen to a resource under.
func (c *changes) namesOf(resource string) []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Collect(maps.Keys(c.listened[resource]))
}

// subscribed sends the resources that a subscription is for through the door, and has the
// session listen to them until the end. One that is not to be had is left out of it; the
// error is that of a subscription to nothing else.
func (s *Server) subscribed(ctx context.Context, req mcp.Request, ss *mcp.ServerSession, who *caller) (end func(), failed *jsonrpc.Error) {
	nothing := func() {}
	asked, ok := req.GetParams().(*mcp.SubscriptionsListenParams)
	if !ok || asked.Notifications == nil || len(who.message.params.subscriptions) == 0 || len(s.o.Hook.Methods) > 0 {
		return nothing, nil
	}
	var had []string
	for _, uri := range who.message.params.subscriptions {
		c := toolCall{principal: who.principal, modern: true, session: ss, params: params{
			relay: capabilities.RelaySubscribe, name: uri, meta: who.message.params.meta, arguments: append(rawjson.AppendQuoted([]byte(`{"uri":`), uri), '}'),
		}}
		if _, e := s.relay(ctx, c); e != nil {
			failed = e
			continue
		}
		had = append(had, uri)
	}
	n := asked.Notifications
	if n.ResourceSubscriptions = had; had == nil && !n.ToolsListChanged && !n.PromptsListChanged && !n.ResourcesListChanged {
		return nil, failed
	}
	return func() {
		for _, uri := range had {
			s.changes.unlisten(ss, uri)
		}
	}, nil
}

// update tells a session of a change, if it may still read what has changed. A client that
// does not read delays nobody else.
func (c *changes) update(ctx context.Context, next mcp.MethodHandler, ss *mcp.ServerSession, req mcp.Request) {
	p, ok := req.GetParams().(*mcp.ResourceUpdatedNotificationParams)
	if !ok || ss == nil {
		return
	}
	c.updates.mu.Lock()
	now := c.updates.now
	c.updates.mu.Unlock()
	c.mu.Lock()
	w := c.watchers[ss]
	listens := w != nil && w.listens[p.URI] == located(now.server, now.uri)
	c.mu.Unlock()
	if !listens {
		return
	}
	who := w.who()
	if now.seat != "" && (who == nil || who.Seat != now.seat) || c.s.relayOf(who, now.server, capabilities.RelayRead) == nil {
		return
	}
	c.mu.Lock()
	w.updates++
	most := w.updates > maxUpdating
	if most {
		w.updates--
	}
	c.mu.Unlock()
	if most {
		return
	}
	c.updates.running.Go(func() {
		defer func() {
			c.mu.Lock()
			defer c.mu.Unlock()
			w.updates--
		}()
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), updateTime)
		defer cancel()
		if _, err := next(ctx, noteUpdated, req); err != nil {
			c.s.o.Log.Debug("mcp_update_undelivered", "error", err.Error())
		}
	})
}
