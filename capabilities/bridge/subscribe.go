package bridge

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"

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

// subscribe has the server tell when a resource changes, for whoever listens to it here.
// What was asked for once is not asked for again as long as the connection stands.
func (s *supervisor) subscribe(ctx context.Context, l *link, params json.RawMessage) error {
	uri, _ := rawjson.String(rawjson.Member(params, "uri"))
	if len(uri) > maxSubscribedURI {
		return capabilities.Refuse(capabilities.TooLarge, "the URI has %d bytes, and one that is subscribed to at most %d", len(uri), maxSubscribedURI)
	}
	leave, ok := s.enterSubscribing(ctx)
	if !ok {
		return interrupted(ctx, false)
	}
	defer leave()
	s.mu.Lock()
	known, room := s.subscribed[uri] == l, len(s.subscribed) < maxSubscribed
	s.mu.Unlock()
	switch {
	case known:
		return nil
	case !room && !s.makeRoom(ctx, l):
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

// unsubscribe has the server tell no more, unless somebody else listens.
func (s *supervisor) unsubscribe(ctx context.Context, l *link, params json.RawMessage) error {
	uri, _ := rawjson.String(rawjson.Member(params, "uri"))
	leave, ok := s.enterSubscribing(ctx)
	if !ok {
		return interrupted(ctx, false)
	}
	defer leave()
	s.giveBack(ctx, l, uri)
	return nil
}

// enterSubscribing waits until nobody else changes what is subscribed to: the server is to
// hear of one change after another. ok is false when ctx ended before.
func (s *supervisor) enterSubscribing(ctx context.Context) (leave func(), ok bool) {
	select {
	case s.subscribing <- struct{}{}:
		return func() { <-s.subscribing }, true
	case <-ctx.Done():
		return nil, false
	}
}

// listened reports whether somebody listens to a resource.
func (s *supervisor) listened(uri string) bool {
	return s.o.Listened == nil || s.o.Listened(s.key.Server, uri)
}

// makeRoom gives back one resource that nobody listens to any more, and reports whether
// there was one. subscribing is held.
func (s *supervisor) makeRoom(ctx context.Context, l *link) bool {
	s.mu.Lock()
	all := slices.Collect(maps.Keys(s.subscribed))
	s.mu.Unlock()
	return slices.ContainsFunc(all, func(uri string) bool { return s.giveBack(ctx, l, uri) })
}

// giveBack forgets a resource that nobody listens to, tells the server, and reports whether
// it was such a one. What the server answers changes nothing: it may know nothing of it.
// subscribing is held.
func (s *supervisor) giveBack(ctx context.Context, l *link, uri string) bool {
	if s.listened(uri) {
		return false
	}
	s.mu.Lock()
	at, known := s.subscribed[uri]
	delete(s.subscribed, uri)
	s.mu.Unlock()
	if known && at == l {
		if err := l.session.Unsubscribe(ctx, &mcp.UnsubscribeParams{URI: uri}); err != nil {
			s.log.DebugContext(ctx, "server_unsubscribe_failed", "reason", s.redact(err.Error()))
		}
	}
	return known
}

// giveBackNow is giveBack for the goroutine that serves the link, which waits for no server
// for long.
func (s *supervisor) giveBackNow(ctx context.Context, l *link, uri string) {
	if l == nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, listTime)
	defer cancel()
	if leave, ok := s.enterSubscribing(ctx); ok {
		defer leave()
		s.giveBack(ctx, l, uri)
	}
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

// resubscribe asks a new connection for what was asked of the one before and is listened to
// still. A resource that is not to be had any more is forgotten. A server that takes its time
// is asked for the rest when its tools are listed again.
func (s *supervisor) resubscribe(ctx context.Context, l *link) {
	s.mu.Lock()
	var stale []string
	for uri, at := range s.subscribed {
		if at != l {
			stale = append(stale, uri)
		}
	}
	s.mu.Unlock()
	if stale == nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, s.specNow().conf.startupTimeout())
	defer cancel()
	for _, uri := range stale {
		if !s.resubscribeTo(ctx, l, uri) {
			return
		}
	}
}

// resubscribeTo is resubscribe for one resource. It reports whether there is time for another.
func (s *supervisor) resubscribeTo(ctx context.Context, l *link, uri string) bool {
	leave, ok := s.enterSubscribing(ctx)
	if !ok {
		return false
	}
	defer leave()
	s.mu.Lock()
	at, known := s.subscribed[uri]
	s.mu.Unlock()
	if !known || at == l || s.giveBack(ctx, l, uri) {
		return true
	}
	switch err := s.subscribeAt(ctx, l, uri); {
	case ctx.Err() != nil:
		return false
	case err != nil:
		s.set(func() { delete(s.subscribed, uri) })
	default:
		s.updated(uri) // it may have changed meanwhile
	}
	return true
}

// updated tells whoever listens to a resource that it has changed. One that nobody listens to
// is given back.
func (s *supervisor) updated(uri string) {
	s.mu.Lock()
	_, known := s.subscribed[uri]
	s.mu.Unlock()
	switch {
	case !known:
	case !s.listened(uri):
		select {
		case s.unheard <- uri:
		default: // it is told of again, or makes room when there is none
		}
	case s.o.Updated != nil:
		s.o.Updated(s.key.Seat, s.key.Server, uri)
	}
}
