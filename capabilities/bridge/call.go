package bridge

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/datadir"
	"github.com/seed-89b9419b/holotype/internal/rawjson"
)

// withholding answers the handler of a tool whose hints wait to be accepted.
func (s *supervisor) withholding(d *Drift) capabilities.Handler {
	return func(context.Context, *capabilities.Invocation) (*capabilities.Result, error) {
		return nil, s.withheld(d)
	}
}

// handler answers the handler of tools with those parameters in headers; without any,
// thousands share one. It outlives connections: it uses the one of the moment of the
// call.
func (s *supervisor) handler(params []paramHeader) capabilities.Handler {
	return func(ctx context.Context, inv *capabilities.Invocation) (res *capabilities.Result, err error) {
		name := inv.Capability.Extras().WireName
		l, sp := s.engage()
		if l == nil {
			return nil, s.down()
		}
		ctx, cancel := context.WithTimeout(ctx, sp.conf.callTimeout())
		defer cancel()
		l, sp, leave, over := s.admitted(ctx, l, sp)
		if over != nil {
			return nil, sp.refuse(over, inv.Capability, name)
		}
		defer leave()
		defer s.calls.Leave()
		if l == nil {
			return nil, s.down()
		}
		trace, ended := s.sending(inv, l, name)
		defer func() { ended(err) }()
		c := s.courier(ctx, sp, inv)
		defer c.finish()
		m, err := s.converse(ctx, l, request{
			method: "tools/call", tool: name, arguments: inv.Arguments, params: params, progress: sp.progress(inv.Progress),
			repeatable: repeatable(inv.Capability), courier: c, trace: trace,
		})
		if refused, ok := capabilities.AsError(err); ok {
			return nil, refused // nothing was sent
		}
		if err != nil {
			return nil, sp.refuse(asFailure(err), inv.Capability, name)
		}
		s.answered()
		if m.fault != nil {
			return nil, sp.faulted(readFault(m.fault), name)
		}
		if over := sp.conf.Limits.overLimit(len(m.result), name); over != nil {
			return nil, sp.refuse(over, inv.Capability, name)
		}
		return sp.result(m.result, inv.Capability, name)
	}
}

// sending tells of a call that is sent.
func (s *supervisor) sending(inv *capabilities.Invocation, l *link, tool string) (capabilities.Trace, func(error)) {
	if s.o.Sending == nil {
		return inv.Trace, func(error) {}
	}
	return s.o.Sending(inv, Recipient{Key: s.key, Tool: tool, Transport: l.kind, Version: l.version})
}

// engage answers the link of now, or nil, and the configuration it serves by. For a
// link s.calls counts one more.
func (s *supervisor) engage() (*link, *spec) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.link != nil {
		s.calls.Enter()
	}
	return s.link, s.spec
}

// withheld is the refusal of a tool whose hints wait to be accepted.
func (s *supervisor) withheld(d *Drift) *capabilities.Error {
	return capabilities.Refuse(capabilities.Forbidden,
		"%q of server %q is held back: what it says it does became more dangerous (%s); an operator accepts that with: %s servers accept %s",
		d.Name, s.key.Server, d.Text(), s.o.Program, datadir.ShellWord(s.key.Server))
}

// result answers what a server answered a call with.
func (sp *spec) result(raw []byte, c *capabilities.Capability, tool string) (*capabilities.Result, error) {
	r, f := readResult(raw, c.NativeOutput() != nil)
	if f != nil {
		return nil, sp.refuse(f, c, tool)
	}
	if r.failed {
		sp.masker().maskResult(&r.Result)
		e := capabilities.Refuse(capabilities.UpstreamError, "%q of server %q failed: %s", tool, sp.conf.Name, firstText(r.Blocks))
		e.Upstream = &r.Result
		return nil, e
	}
	if e := sp.breach(&r.Result, c, tool); e != nil {
		return nil, e
	}
	sp.masker().maskResult(&r.Result)
	return &r.Result, nil
}

// repeatable reports whether a call may be sent once more when nobody knows whether
// it arrived.
func repeatable(c *capabilities.Capability) bool {
	return capabilities.ReadOnlyProven(c) || c.Hints().Idempotent == capabilities.Yes
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
		return message{}, ofBroken(&brokenAnswer{reason: rawjson.ErrDeep})
	}
	return m, err
}

// maxFaultData bounds what is handed on of the data of a JSON-RPC error.
const maxFaultData = 64 << 10

// faulted makes the refusal of a call that the server answered with a JSON-RPC
// error: a failed result of its words, and of its data where it sent some.
func (sp *spec) faulted(e rpcError, tool string) *capabilities.Error {
	said := sp.masker().mask(e.sentence())
	up := &capabilities.Result{Blocks: []capabilities.Block{capabilities.TextBlock(said)}}
	switch {
	case len(e.data) > maxFaultData:
		up.Blocks = append(up.Blocks, capabilities.TextBlock(fmt.Sprintf("[the error's data of %d bytes is left out, the limit is %d]", len(e.data), maxFaultData)))
	case rawjson.Kind(e.data) != 0 && rawjson.Kind(e.data) != 'n':
		up.Blocks = append(up.Blocks, capabilities.TextBlock("the error's data: "+sp.masker().mask(string(e.data))))
	}
	refusal := capabilities.Refuse(capabilities.UpstreamError, "server %q refused the call of %q: %s", sp.conf.Name, tool, said)
	refusal.Upstream = up
	return refusal
}

// refuse makes the refusal of a failure. What may have taken effect is said,
// unless the tool is proven to change nothing.
func (sp *spec) refuse(f *failure, c *capabilities.Capability, tool string) *capabilities.Error {
	text := f.text
	if f.code == capabilities.Timeout && errors.Is(f.cause, context.DeadlineExceeded) {
		text = fmt.Sprintf("did not answer the call of %q within its time limit of %s", tool, sp.conf.callTimeout())
	}
	maybe := f.mayHaveRun && !capabilities.ReadOnlyProven(c)
	if maybe {
		text += "; the call may have taken effect all the same"
	}
	e := capabilities.Refuse(f.code, "server %q %s", sp.conf.Name, oneLine(sp.redact(text))).Because(f.cause)
	e.MaybeApplied, e.RetryAfter = maybe, f.retryAfter
	return e
}

// down is the refusal of a server that is not there: why, and when it is tried
// again.
func (s *supervisor) down() *capabilities.Error {
	s.mu.Lock()
	state, phase, reason, next := s.state, s.phase, s.reason, s.next
	s.mu.Unlock()
	text := "is not running: it " + reason
	if state == StateHeld && phase != phaseConfiguration {
		text = reason
	}
	var wait time.Duration
	switch {
	case state == StateStarting && phase == phaseConfiguration:
		text, wait = reason, time.Second
	case reason == "":
		text, wait = "is starting: it has not told its tools yet", time.Second
	case state == StateStarting:
		text += "; it is being started again now"
	case !next.IsZero():
		wait = max(next.Sub(s.o.Now()), 0)
		text += fmt.Sprintf("; it is started again in %s", wait.Round(time.Second))
	}
	e := capabilities.Refuse(capabilities.Unavailable, "server %q %s", s.key.Server, text)
	e.RetryAfter = wait
	return e
}

// firstText is what a failed result says, for surfaces that show one sentence.
func firstText(blocks []capabilities.Block) string {
	for _, b := range blocks {
		for key, value := range rawjson.Members(b) {
			if s, ok := rawjson.String(value); ok && key == "text" && s != "" {
				return bounded(s, 2048)
			}
		}
	}
	return "it does not say why"
}
