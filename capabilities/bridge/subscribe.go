package bridge

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/rawjson"
)

// maxSubscribed bounds the resources of one instance whose changes are asked for, and
// maxSubscribedURI the bytes of what one of them is called: they are kept.
const (
	maxSubscribed    = 1000
	maxSubscribedURI = 8 << 10
)

// subscribe has the server tell when a resource changes, for whoever is subscribed to it
// here. What was asked for once is not asked for again as long as the connection stands.
func (s *supervisor) subscribe(ctx context.Context, l *link, params json.RawMessage) error {
	uri, _ := rawjson.String(rawjson.Member(params, "uri"))
	if len(uri) > maxSubscribedURI {
		return capabilities.Refuse(capabilities.TooLarge, "the URI has %d bytes, and one that is subscribed to at most %d", len(uri), maxSubscribedURI)
	}
	s.mu.Lock()
	known, n := s.subscribed[uri] == l, len(s.subscribed)
	s.mu.Unlock()
	switch {
	case known:
		return nil
	case n >= maxSubscribed:
		return &failure{code: capabilities.TooLarge, text: "has so many resources subscribed to already that no more are taken"}
	}
	if err := s.subscribeAt(ctx, l, uri); err != nil {
		if said, ok := errors.AsType[*jsonrpc.Error](err); ok {
			return s.specNow().relayFault(rpcError{code: said.Code, text: said.Message, data: said.Data, hasCode: true}, capabilities.RelaySubscribe)
		}
		if ctx.Err() != nil {
			return interrupted(ctx, true)
		}
		return unavailable(true, err, "could not be asked to tell of changes: %v", err)
	}
	return nil
}

func (s *supervisor) subscribeAt(ctx context.Context, l *link, uri string) error {
	if err := l.session.Subscribe(ctx, &mcp.SubscribeParams{URI: uri}); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.subscribed == nil {
		s.subscribed = map[string]*link{}
	}
	s.subscribed[uri] = l
	return nil
}

// resubscribe asks a new connection for what was asked of the one before. A resource that
// is not to be had any more is forgotten.
func (s *supervisor) resubscribe(ctx context.Context, l *link) {
	s.mu.Lock()
	var stale []string
	for uri, at := range s.subscribed {
		if at != l {
			stale = append(stale, uri)
		}
	}
	s.mu.Unlock()
	for _, uri := range stale {
		err := s.subscribeAt(ctx, l, uri)
		if ctx.Err() != nil {
			return
		}
		if err != nil {
			s.set(func() { delete(s.subscribed, uri) })
			continue
		}
		s.updated(uri) // it may have changed meanwhile
	}
}

// updated tells whoever is subscribed that a resource has changed.
func (s *supervisor) updated(uri string) {
	if s.o.Updated == nil {
		return
	}
	s.mu.Lock()
	_, known := s.subscribed[uri]
	s.mu.Unlock()
	if known {
		s.o.Updated(s.key.Seat, s.key.Server, uri)
	}
}
