package bridge

import (
	"context"
	"errors"
	"time"
)

// A turn is the time of a server under one way of being started or reached. It holds
// any number of starts.
type turn struct {
	spec *spec // what it began with
	// ctx ends when the server has to be stopped; life ends after it, when the calls that
	// were running are done or have had their time. Why is the cause of both.
	ctx     context.Context //nolint:containedctx // of the supervisor, which owns every turn
	end     context.CancelCauseFunc
	life    context.Context //nolint:containedctx // as above
	endLife context.CancelCauseFunc
	dialer  *dialer

	ready   bool  // it was ready once; only the supervisor's goroutine asks
	leaving *link // guarded by the supervisor's mu: taken out of service, not yet shut
	// silent, guarded by the supervisor's mu, says of the last link that its server does
	// not answer server/discover; nil when nothing is known.
	silent func() bool
}

// Why a turn ends.
var (
	errReconfigured = errors.New("its configuration changed")
	errRetired      = errors.New("its configuration does not resolve any more")
	errRemoved      = errors.New("it was removed from the configuration")
	errReauthorized = errors.New("its sign-in changed")
)

// whyStopped is a clause that follows the server's name.
func whyStopped(life context.Context) string {
	switch why := context.Cause(life); {
	case errors.Is(why, errReconfigured), errors.Is(why, errRetired), errors.Is(why, errRemoved), errors.Is(why, errReauthorized):
		return "was stopped because " + why.Error()
	}
	return "was stopped"
}

// nextTurn answers the turn that begins now, or nil when there is none any more.
func (s *supervisor) nextTurn(root context.Context) *turn {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.removed || root.Err() != nil {
		return nil
	}
	t := &turn{spec: s.spec}
	t.life, t.endLife = context.WithCancelCause(root)
	t.ctx, t.end = context.WithCancelCause(t.life)
	o := &s.o.tuning
	t.dialer = &dialer{
		server: t.spec.conf, limit: func() time.Duration { return s.specNow().conf.startupTimeout() }, version: s.o.Version,
		probe: o.probe, cold: coldLimit(t.spec.conf.Command, o.cold), grace: o.grace, line: o.line, redact: t.spec.redact, env: childEnv(t.spec.conf.Command, s.o.HostEnv, t.spec.conf.Env),
		onJunk: func(line []byte) { s.onJunk(t, line) }, junk: func() int { return int(s.junk.Load()) },
		onStderr: func(line string) { s.onStderr(t, line) }, onChange: s.noteChange, onOffers: s.offersChanged, onUpdate: s.updated,
		http: t.spec.http, spawner: s.o.spawner, life: t.life,
	}
	s.turn = t
	s.seen = serverInfo{kind: t.spec.conf.transport()}
	return t
}

// during changes the state of the supervisor, unless t is not its turn any more.
func (s *supervisor) during(t *turn, change func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.turn == t {
		change()
	}
}

// settle says that the first start of a turn has come to an end.
func (s *supervisor) settle(t *turn) { s.during(t, s.settleNow) }

func (s *supervisor) settleNow() {
	select {
	case <-s.settled:
	default:
		close(s.settled)
	}
}

// firstStart answers a channel that is closed when the first start under the
// configuration of now has come to an end.
func (s *supervisor) firstStart() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.settled
}

// reconfigure makes next the configuration. Where that takes another child, or session,
// the server is stopped and started again, neither of which is waited for.
func (s *supervisor) reconfigure(next *spec) {
	s.mu.Lock()
	before := s.spec
	next.tokens.follow(before.tokens)
	s.spec = next
	restarts := before.restarts(next)
	retired := restarts && next.held() && !before.held()
	if restarts {
		switch {
		case next.held():
			s.heldBack(next)
		case before.held():
			s.state, s.phase, s.reason = StateStarting, "", ""
		default:
			s.state, s.phase, s.reason = StateStarting, phaseConfiguration, "is being started again because its configuration changed"
		}
		why := errReconfigured
		if retired {
			why = errRetired
		}
		s.endTurn(why)
		s.restarts, s.stderr, s.next = 0, "", time.Time{}
		s.junk.Store(0)
		select {
		case <-s.settled:
			s.settled = make(chan struct{})
		default: // whoever waits for the first start waits for this one
		}
	}
	s.mu.Unlock()
	s.log.Info("server_reconfigured", "restarts", restarts)
	if retired {
		s.log.Warn("server_retired", "reason", joinFaults(next.conf.Unresolved).Error())
	}
	if before.presents(next) {
		s.represent()
	}
}

// endTurn takes the link out of service and ends the turn. mu is held.
func (s *supervisor) endTurn(why error) {
	if s.turn == nil {
		return
	}
	s.turn.leaving, s.link = s.link, nil
	s.turn.end(why)
	s.turn = nil
	s.refused.Store(false)
}

// heldBack says that the server waits for what its configuration names. mu is held.
func (s *supervisor) heldBack(sp *spec) {
	s.state, s.phase, s.reason = StateHeld, phaseConfiguration, "is not started: "+joinFaults(sp.conf.Unresolved).Error()
}

// remove takes the server out of the configuration: its tools at once, itself when the
// calls that are running are done.
func (s *supervisor) remove() {
	s.mu.Lock()
	s.removed = true
	s.state, s.phase, s.reason, s.next = StateStopped, phaseConfiguration, "was removed from the configuration", time.Time{}
	s.endTurn(errRemoved)
	s.mu.Unlock()
	s.withdraw()
	s.log.Info("server_removed")
}

// pausing reports whether the server is down and waits to be started again.
func (s *supervisor) pausing() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.waits()
}

// waits is pausing with mu held.
func (s *supervisor) waits() bool {
	return s.turn != nil && s.link == nil && (!s.next.IsZero() || s.state == StateFailed)
}

// retryNow has a server that is down tried again at once, and reports whether it is.
func (s *supervisor) retryNow() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.waits() {
		return false
	}
	select {
	case s.retry <- struct{}{}:
	default: // it is asked for already
	}
	return true
}

// reauthorized has the server asked anew: at once where it waits, else in a session of its
// own. It reports whether it is.
func (s *supervisor) reauthorized() bool {
	if s.retryNow() {
		return true
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.removed || s.turn == nil || s.spec.held() {
		return false
	}
	s.state, s.phase, s.reason = StateStarting, phaseConfiguration, "is being started again because its sign-in changed"
	s.endTurn(errReauthorized)
	s.restarts, s.next = 0, time.Time{}
	select {
	case <-s.settled:
		s.settled = make(chan struct{})
	default: // whoever waits for the first start waits for this one
	}
	return true
}

// drain waits until the calls that are running are done, or have had their time.
func (s *supervisor) drain(t *turn) {
	limit := time.NewTimer(s.o.tuning.drain)
	defer limit.Stop()
	select {
	case <-s.calls.Idle():
	case <-t.life.Done(): // everything stops
	case <-limit.C:
	}
}
