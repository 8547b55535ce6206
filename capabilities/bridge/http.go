package bridge

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// dialHTTP connects to a streamable HTTP endpoint; where that is refused the way
// an endpoint of 2024-11-05 refuses it, it opens that transport instead
// (2026-07-28, streamable HTTP, backward compatibility).
func (d *dialer) dialHTTP(ctx context.Context, legacy bool) (*link, error) {
	ctx, cancel := context.WithTimeout(ctx, d.limit())
	defer cancel()
	options := d.sessionOptions(legacy)
	t, client, session, err := d.connect(ctx, options, false)
	if version := t.offered(); err != nil && version != "" && ctx.Err() == nil {
		// It takes an older version, and says which.
		options = &mcp.ClientSessionOptions{ProtocolVersion: version}
		if t, client, session, err = d.connect(ctx, options, false); err == nil {
			d.settled.Store(&version)
		}
	}
	if err != nil && t.streamed.Load() && ctx.Err() == nil {
		// The stream of notifications broke before the handshake was done, which ends it
		// for the SDK. Tools can be called without notifications.
		t, client, session, err = d.connect(ctx, options, true)
	}
	if t.itself.Load() {
		if err == nil {
			_ = session.Close() // nothing more is asked of it
		}
		return nil, errItself()
	}
	if err != nil {
		switch status := int(t.refused.Load()); status {
		case http.StatusBadRequest, http.StatusNotFound, http.StatusMethodNotAllowed:
			if l, errSSE := d.dialSSE(ctx); errSSE == nil {
				return l, nil
			}
		}
		return nil, d.httpError(ctx, t, err)
	}
	silent := t.silent.Load() || legacy
	l := &link{kind: TransportHTTP, ignored: silent, silent: func() bool { return silent }}
	l.adopt(session)
	lane := &httpLane{
		client: client, url: d.server.URL, session: session.ID(), version: l.version, modern: l.modern,
		meta: d.requestMeta(l), authorized: d.credentialed(), wants: d.http.wants, noted: d.noted, life: d.life, calls: &t.calls,
	}
	l.lane = lane
	var cause error
	done := make(chan struct{})
	go func() {
		cause = session.Wait()
		close(done)
	}()
	l.done = done
	l.reason = func() string {
		<-done
		if cause == nil {
			return "closed the connection"
		}
		return "ended the connection: " + reasonOf(cause)
	}
	l.abandon = func() {
		_ = session.Close() // closes the stream of notifications and no more
	}
	l.shut = func() {
		l.abandon()
		lane.notices.Wait()
		t.notices.Wait()
		lane.endSession()
		d.http.base.CloseIdleConnections()
	}
	return l, nil
}

func (d *dialer) connect(ctx context.Context, o *mcp.ClientSessionOptions, streamless bool) (*tap, *http.Client, *mcp.ClientSession, error) {
	t := &tap{probe: d.probe, streamable: true, life: d.life, calls: calls{server: d.server.Name, relay: d.server.Relay}}
	client := d.http.tap(t)
	session, err := d.client().Connect(ctx, &mcp.StreamableClientTransport{
		Endpoint: d.server.URL, HTTPClient: client, DisableStandaloneSSE: streamless,
		MaxEventSize: maxMessage, // 0 is no limit at all, whatever its comment says
	}, o)
	return t, client, session, err
}

// httpError says why no session came about, in terms of the address.
func (d *dialer) httpError(ctx context.Context, t *tap, err error) error {
	status := int(t.refused.Load())
	if t.itself.Load() {
		return errItself()
	}
	reason := "failed the handshake: " + reasonOf(err)
	switch {
	case errors.Is(err, errRedirect):
	case ctx.Err() != nil:
		reason = fmt.Sprintf("did not finish the handshake within %s", d.limit())
	case isCredential(status):
		challenge := ""
		if c := t.challenge.Load(); c != nil {
			challenge = *c
		}
		if reason = t.wants(); reason == "" {
			reason = refusedCredential(d.credentialed(), status, challenge)
		}
	case status >= 300 && status < 400:
		reason = fmt.Sprintf("answered the handshake with a redirect (HTTP status %d) that leads nowhere", status)
	case status != 0:
		reason = fmt.Sprintf("answered the handshake with HTTP status %d", status)
		if said, ok := errors.AsType[*jsonrpc.Error](err); ok {
			reason += ": " + bounded(said.Message, 500)
		}
	}
	return &startError{phase: "handshake", reason: d.redact(reason), status: status}
}

// credentialed reports whether a credential was given, as far as can be told.
func (d *dialer) credentialed() bool {
	return len(d.server.Headers) > 0 || d.http.auth != nil && len(d.http.auth.Secrets()) > 0
}

// dialSSE opens the HTTP+SSE transport of 2024-11-05: one stream that carries
// everything the server says, and an endpoint that takes what we say. The mux
// shares it between the lanes as it shares a child's pipes.
func (d *dialer) dialSSE(ctx context.Context) (*link, error) {
	t := &tap{probe: d.probe, life: d.life}
	client := d.http.tap(t)
	// The stream lives longer than the handshake.
	streamCtx, endStream := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, endStream)
	s, err := openStream(streamCtx, client, d.server.URL, d.http.wants)
	if err != nil {
		stop()
		endStream()
		return nil, d.httpError(ctx, t, err)
	}
	m := newMux(s.send, s.trySend, d.onJunk)
	m.calls.server, m.calls.relay = d.server.Name, d.server.Relay
	s.grace = d.line
	closed := func() string {
		if d.life.Err() != nil {
			return whyStopped(d.life)
		}
		return "closed its stream"
	}
	s.start(m, closed)
	control := newControlLane(m, d.probe, d.probe)
	session, err := d.client().Connect(ctx, control, d.sessionOptions(true))
	if !stop() && err == nil {
		err = ctx.Err()
	}
	if err != nil {
		endStream()
		s.wait()
		if session != nil {
			_ = session.Close() // its stream is gone
		}
		return nil, d.httpError(ctx, t, err)
	}
	l := &link{
		lane: m, kind: TransportSSE, silent: func() bool { return true }, done: m.done,
		reason: closed,
		shut: func() {
			endStream()
			s.wait()
			_ = session.Close() // its stream is gone already
			d.http.base.CloseIdleConnections()
		},
	}
	l.adopt(session)
	return l, nil
}

// endpointLimit bounds the wait for the event that names the endpoint.
const endpointLimit = 10 * time.Second
