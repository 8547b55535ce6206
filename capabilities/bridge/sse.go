package bridge

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"sync"
	"time"
)

// A stream is a connection of the HTTP+SSE transport (2024-11-05, transports).
type stream struct {
	ctx      context.Context //nolint:containedctx // the life of the stream, which outlives every call that posts on it
	client   *http.Client
	endpoint string
	events   *eventReader
	body     io.Closer
	queue    chan []byte
	running  sync.WaitGroup
	wants    func(*http.Response) string // as a lane has it
	grace    time.Duration               // for the end of an event over the limit; 0 for lineGrace
}

// openStream opens the stream and waits for the event that names the endpoint.
// An endpoint of another origin is refused by the client.
func openStream(ctx context.Context, client *http.Client, address string, wants func(*http.Response) string) (*stream, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, fmt.Errorf("making a request: %w", err)
	}
	req.Header.Set("Accept", typeEvents)
	resp, err := client.Do(req)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode != http.StatusOK || mediaType(resp) != typeEvents {
		_ = resp.Body.Close() // nothing of it is wanted
		return nil, fmt.Errorf("a stream was asked for and answered with HTTP status %d", resp.StatusCode)
	}
	s := &stream{
		ctx: ctx, client: client, body: resp.Body, queue: make(chan []byte, 64), wants: wants,
		events: newEventReader(resp.Body, maxMessage),
	}
	late := time.AfterFunc(endpointLimit, func() { _ = resp.Body.Close() })
	defer late.Stop()
	for {
		ev, err := s.events.next()
		if err != nil {
			_ = resp.Body.Close() // it broke
			return nil, fmt.Errorf("the stream ended before it named an endpoint: %w", err)
		}
		if ev.name != "endpoint" {
			continue
		}
		// Relative to the address, as every client takes it.
		at, err := resp.Request.URL.Parse(string(bytes.TrimSpace(ev.data)))
		if err != nil {
			_ = resp.Body.Close() // it is useless
			return nil, fmt.Errorf("the stream named an endpoint that is no address: %w", err)
		}
		s.endpoint = at.String()
		return s, nil
	}
}

// start reads the stream into m until it ends, for the reason that is told then, and sends what was queued.
func (s *stream) start(m *mux, reason func() string) {
	s.running.Go(func() {
		for {
			ev, err := s.events.next()
			if errors.Is(err, errTooLarge) {
				// It costs the call it answers, unless it never ends.
				m.deliverTooLong(ev.data)
				late := time.AfterFunc(cmp.Or(s.grace, lineGrace), func() { _ = s.body.Close() })
				err = s.events.skip()
				late.Stop()
				if err == nil {
					continue
				}
			}
			if err != nil {
				break
			}
			if (ev.name == "" || ev.name == "message") && len(ev.data) > 0 {
				m.deliver(ev.data)
			}
		}
		_ = s.body.Close() // it ended
		m.end(reason)
	})
	s.running.Go(func() {
		for {
			select {
			case line := <-s.queue:
				ctx, stop := context.WithTimeout(s.ctx, noticeTimeout)
				_ = s.post(ctx, line) // nobody waits for it
				stop()
			case <-m.done:
				return
			}
		}
	})
}

// wait returns when the stream has ended and nothing uses it any more.
func (s *stream) wait() { s.running.Wait() }

// send posts one message. The answer comes on the stream.
func (s *stream) send(ctx context.Context, line []byte) (sent bool, err error) {
	err = s.post(ctx, line)
	var refused *postRefused
	return err == nil || !errors.As(err, &refused) && !errors.Is(err, errRedirect), err
}

// trySend queues a message nobody waits for.
func (s *stream) trySend(line []byte) {
	select {
	case s.queue <- line:
	default:
	}
}

func (s *stream) post(ctx context.Context, line []byte) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.endpoint, bytes.NewReader(line))
	if err != nil {
		return fmt.Errorf("making a request: %w", err)
	}
	req.Header.Set("Content-Type", typeJSON)
	resp, err := s.client.Do(req)
	if err != nil {
		if u, ok := errors.AsType[*url.Error](err); ok {
			return u.Err
		}
		return err
	}
	defer func() { _ = resp.Body.Close() }() // only its status matters
	if resp.StatusCode >= 300 {
		return &postRefused{resp.StatusCode, s.wants(resp)}
	}
	_, _ = io.Copy(io.Discard, resp.Body)
	return nil
}

// A postRefused says that the endpoint took a message and refused it.
type postRefused struct {
	status int
	wants  string // what there is to do before it takes one; "" when that is not known
}

func (p *postRefused) Error() string { return fmt.Sprintf("it answered with HTTP status %d", p.status) }
