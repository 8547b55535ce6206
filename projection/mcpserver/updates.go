package mcpserver

import (
	"context"
	"slices"
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
	seat    string // whose resource is being told of; "" is everybody's
}

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
		u.waiting, u.seat = u.waiting[1:], one.seat
		u.mu.Unlock()
		if err := s.sdk.ResourceUpdated(context.Background(), &mcp.ResourceUpdatedNotificationParams{URI: located(one.server, one.uri)}); err != nil {
			s.o.Log.Debug("mcp_update_undelivered", "error", err.Error())
		}
	}
}

// subscribed sends the resources that a subscription is for through the door. One that is
// not to be had is left out of it; the error is that of a subscription to nothing else.
func (s *Server) subscribed(ctx context.Context, req mcp.Request, who *caller) *jsonrpc.Error {
	asked, ok := req.GetParams().(*mcp.SubscriptionsListenParams)
	if !ok || asked.Notifications == nil || len(who.message.params.subscriptions) == 0 || len(s.o.Hook.Methods) > 0 {
		return nil
	}
	var had []string
	var failed *jsonrpc.Error
	for _, uri := range who.message.params.subscriptions {
		c := toolCall{principal: who.principal, modern: true, params: params{
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
		return failed
	}
	return nil
}

// update tells a session of a change, if it may still read what has changed. A client that
// does not read delays nobody else.
func (c *changes) update(ctx context.Context, next mcp.MethodHandler, ss *mcp.ServerSession, req mcp.Request) {
	p, ok := req.GetParams().(*mcp.ResourceUpdatedNotificationParams)
	if !ok || ss == nil {
		return
	}
	c.mu.Lock()
	w := c.watchers[ss]
	c.mu.Unlock()
	if w == nil {
		return
	}
	who := w.who()
	c.updates.mu.Lock()
	seat := c.updates.seat
	c.updates.mu.Unlock()
	server, _, _ := locate(p.URI)
	if seat != "" && (who == nil || who.Seat != seat) || c.s.relayOf(who, server, capabilities.RelayRead) == nil {
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
