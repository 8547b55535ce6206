package bridge

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/seed-89b9419b/holotype/capabilities"
)

// handler answers the handler of one tool. It outlives connections: it uses the
// one of the moment of the call.
func (s *supervisor) handler(t *wireTool) capabilities.Handler {
	name, params := t.name, t.params
	return func(ctx context.Context, inv *capabilities.Invocation) (*capabilities.Result, error) {
		l := s.current()
		if l == nil {
			return nil, s.down()
		}
		ctx, cancel := context.WithTimeout(ctx, s.conf.callTimeout())
		defer cancel()
		m, err := s.send(ctx, l, request{
			method: "tools/call", tool: name, arguments: inv.Arguments, params: params, progress: inv.Progress,
		})
		if err != nil {
			return nil, s.refuse(asFailure(err), inv.Capability, name)
		}
		s.answered()
		if m.fault != nil {
			return nil, s.faulted(readFault(m.fault), name)
		}
		r, f := readResult(m.result)
		if f != nil {
			return nil, s.refuse(f, inv.Capability, name)
		}
		if r.failed {
			s.secrets.maskResult(&r.Result)
			e := capabilities.Refuse(capabilities.UpstreamError, "%q of server %q failed: %s", name, s.conf.Name, firstText(r.Blocks))
			e.Upstream = &r.Result
			return nil, e
		}
		if e := s.breach(&r.Result, inv.Capability, name); e != nil {
			return nil, e
		}
		s.secrets.maskResult(&r.Result)
		return &r.Result, nil
	}
}

// send makes one round trip. When the server no longer knows our session nothing
// ran: the session is made anew and the request sent once more. That is the only
// repetition there is.
func (s *supervisor) send(ctx context.Context, l *link, req request) (message, error) {
	m, err := roundTrip(ctx, l, req)
	var f *failure
	if !errors.As(err, &f) || !f.sessionLost {
		s.judge(ctx, l, f)
		return m, err
	}
	next, errRenew := s.renew(ctx, l)
	if errRenew != nil {
		return message{}, unavailable(false, errRenew, "forgot the session, and a new one could not be made: %s", s.redact(errRenew.Error()))
	}
	m, err = roundTrip(ctx, next, req)
	if f = nil; errors.As(err, &f) && f.sessionLost {
		f.text = "forgot the session again right after it was made"
	}
	s.judge(ctx, next, f)
	return m, err
}

// roundTrip is the lane's, for an answer that is handed on as a whole.
func roundTrip(ctx context.Context, l *link, req request) (message, error) {
	m, err := l.lane.roundTrip(ctx, req)
	if err == nil && m.tooDeep() {
		return message{}, ofBroken(&brokenAnswer{reason: errDeep})
	}
	return m, err
}

// maxFaultData bounds what is handed on of the data of a JSON-RPC error.
const maxFaultData = 64 << 10

// faulted makes the refusal of a call that the server answered with a JSON-RPC
// error: a failed result of its words, and of its data where it sent some.
func (s *supervisor) faulted(e rpcError, tool string) *capabilities.Error {
	said := s.secrets.mask(e.sentence())
	up := &capabilities.Result{Blocks: []capabilities.Block{capabilities.TextBlock(said)}}
	switch {
	case len(e.data) > maxFaultData:
		up.Blocks = append(up.Blocks, capabilities.TextBlock(fmt.Sprintf("[the error's data of %d bytes is left out, the limit is %d]", len(e.data), maxFaultData)))
	case kindOf(e.data) != 0 && kindOf(e.data) != 'n':
		up.Blocks = append(up.Blocks, capabilities.TextBlock("the error's data: "+s.secrets.mask(string(e.data))))
	}
	refusal := capabilities.Refuse(capabilities.UpstreamError, "server %q refused the call of %q: %s", s.conf.Name, tool, said)
	refusal.Upstream = up
	return refusal
}

// refuse makes the refusal of a failure. What may have taken effect is said,
// unless the tool is proven to change nothing.
func (s *supervisor) refuse(f *failure, c *capabilities.Capability, tool string) *capabilities.Error {
	text := f.text
	if f.code == capabilities.Timeout && errors.Is(f.cause, context.DeadlineExceeded) {
		text = fmt.Sprintf("did not answer the call of %q within its time limit of %s", tool, s.conf.callTimeout())
	}
	maybe := f.mayHaveRun && !capabilities.ReadOnlyProven(c)
	if maybe {
		text += "; the call may have taken effect all the same"
	}
	e := capabilities.Refuse(f.code, "server %q %s", s.conf.Name, oneLine(s.redact(text))).Because(f.cause)
	e.MaybeApplied, e.RetryAfter = maybe, f.retryAfter
	return e
}

// down is the refusal of a server that is not there: why, and when it is tried
// again.
func (s *supervisor) down() *capabilities.Error {
	s.mu.Lock()
	state, phase, reason, next := s.state, s.phase, s.reason, s.next
	s.mu.Unlock()
	if reason == "" {
		reason = "has not been started yet"
	}
	text := "is not running: it " + reason
	if state == StateHeld && phase != phaseConfiguration {
		text = reason
	}
	var wait time.Duration
	switch {
	case state == StateStarting:
		text += "; it is being started again now"
	case !next.IsZero():
		wait = max(next.Sub(s.o.Now()), 0)
		text += fmt.Sprintf("; it is started again in %s", wait.Round(time.Second))
	}
	e := capabilities.Refuse(capabilities.Unavailable, "server %q %s", s.conf.Name, text)
	e.RetryAfter = wait
	return e
}

// firstText is what a failed result says, for surfaces that show one sentence.
func firstText(blocks []capabilities.Block) string {
	for _, b := range blocks {
		for key, value := range members(b) {
			if s, ok := stringValue(value); ok && key == "text" && s != "" {
				return bounded(s, 2048)
			}
		}
	}
	return "it does not say why"
}
