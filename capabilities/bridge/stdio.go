package bridge

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// dialStdio starts the server's process and shakes hands. A process that ends
// during the probe gets a second, fresh one that is only asked to initialize:
// servers from before 2026-07-28 may exit at a method they do not know. legacy
// asks for that from the start. A server that takes no version of ours and names an
// older one gets a fresh process too, once.
func (d *dialer) dialStdio(ctx context.Context, legacy bool) (*link, error) {
	l, ended, err := d.tryStdio(ctx, legacy)
	var start *startError
	if errors.As(err, &start) && start.offers != "" && ctx.Err() == nil {
		d.settled.Store(&start.offers)
		return d.dialStdio(ctx, legacy)
	}
	if errors.As(err, &start) && start.late && ctx.Err() == nil {
		// It is of the new era and was slow: an answer to server/discover came when
		// initialize, which it does not take, had been sent. Now it is warm.
		return d.retryStdio(ctx, err)
	}
	if err != nil && ended && !legacy && ctx.Err() == nil {
		if again, _, errAgain := d.tryStdio(ctx, true); errAgain == nil {
			again.silent = func() bool { return true }
			return again, nil
		}
	}
	return l, err
}

// retryStdio is [dialer.tryStdio] once more. When that fails too, the first failure
// counts.
func (d *dialer) retryStdio(ctx context.Context, first error) (*link, error) {
	l, _, err := d.tryStdio(ctx, false)
	if err != nil {
		return nil, first
	}
	return l, nil
}

func (d *dialer) tryStdio(ctx context.Context, legacy bool) (l *link, ended bool, err error) {
	junk := d.junk()
	c := newChild(childSpec{
		command: d.server.Command, args: d.server.Args, dir: d.server.Cwd, env: d.env, grace: d.grace, lineGrace: d.line,
		onStderr: d.onStderr, onLeft: d.onLeft, spawner: d.spawner,
	})
	m := newMux(c.send, c.trySend, d.onJunk)
	m.calls.server, m.calls.relay = d.server.Name, d.server.Relay
	control := newControlLane(m, d.probe, max(d.probe, d.cold))
	c.spec.onLine = func(line []byte) {
		control.heard()
		m.deliver(line)
	}
	c.spec.onTooLong = m.deliverTooLong
	// The session is over when nothing more can be heard; how the process ended is
	// known a moment later.
	reason := func() string {
		if d.life.Err() != nil {
			return whyStopped(d.life)
		}
		within(c.known, 500*time.Millisecond)
		return c.exitReason() + c.tail.lastWords()
	}
	c.spec.onSilent = func() { m.end(reason) }
	if err := c.start(); err != nil {
		return nil, false, err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go d.boundStart(ctx, cancel, c)

	session, err := d.client().Connect(ctx, control, d.sessionOptions(legacy))
	if err != nil {
		// Asked before it is stopped: stopping it ends it as well.
		select {
		case <-c.silent:
			ended = true
		default:
		}
		timedOut := ctx.Err() != nil
		c.stop()
		<-m.done
		fail := &startError{phase: "handshake", stderr: d.redact(c.tail.String())}
		switch {
		case ended:
			fail.reason = c.exitReason() + " before the handshake was done" + d.redact(c.tail.lastWords())
		case timedOut:
			fail.reason = fmt.Sprintf("did not finish the handshake within %s", d.limit())
			if n := d.junk() - junk; n > 0 {
				fail.reason += fmt.Sprintf("; %d lines of its output were no JSON-RPC 2.0 messages, each on a line of its own", n)
			}
		default:
			fail.reason, fail.late = "failed the handshake: "+d.redact(err.Error()), control.late.Load()
			if d.settled.Load() == nil {
				fail.offers = versionIn(err, legacyVersion)
			}
		}
		return nil, ended, fail
	}
	l = &link{
		lane: m, kind: TransportStdio, ignored: control.silent.Load(), silent: func() bool { return legacy || control.unheard() }, done: m.done, reason: reason,
		shut: func() {
			c.stop()
			<-m.done
			_ = session.Close() // the stream is gone already; this frees the SDK's side
		},
	}
	l.adopt(session)
	l.stderr, l.child = c.tail.String, c
	meta := d.requestMeta(l)
	m.meta.Store(&meta)
	return l, false, nil
}

// boundStart cancels a start that takes too long. A child that still writes, such
// as a package runner at its first install, is given more, up to ten times as
// much: killing it would throw the half install away.
func (d *dialer) boundStart(ctx context.Context, cancel context.CancelFunc, c *child) {
	limit := d.limit()
	for wait := limit; ; {
		if !sleep(ctx, wait) {
			return
		}
		quiet := c.quietFor()
		if quiet >= limit || time.Since(c.born) >= 10*limit {
			cancel()
			return
		}
		wait = limit - quiet
	}
}

// sleep waits for d; it answers false when ctx ended first.
func sleep(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// A startError says in which phase a server failed and what it last wrote to its
// standard error.
type startError struct {
	phase  string // "start", "handshake" or "list"
	reason string // a clause that follows the server's name
	stderr string
	status int    // of HTTP, that it was refused with; 0 for none
	offers string // the protocol version a server named when it refused ours
	late   bool   // server/discover was answered when it was not waited for any more
	final  bool   // no other start can end otherwise, as long as the configuration stays
}

func (e *startError) Error() string { return e.reason }

// held says that a server waits for a credential.
func (e *startError) held() bool { return isCredential(e.status) }

// The phases that more than one place knows.
const (
	phaseConfiguration = "configuration"
	phaseRun           = "run"
	phaseCall          = "call"
)
