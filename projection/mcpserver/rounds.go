package mcpserver

import (
	"context"
	"encoding/json"
	"strconv"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/drain"
	"github.com/seed-89b9419b/holotype/internal/rawjson"
)

const (
	// maxRounds bounds the calls that wait for their clients to come back, and
	// maxOwnRounds those of one caller.
	maxRounds    = 4096
	maxOwnRounds = 64
	// maxKept bounds the bytes of the arguments of all of them, and maxOwnKept those of one
	// caller: no request is there any more that would count for them.
	maxKept    = 64 << 20
	maxOwnKept = 16 << 20
)

// rounds are the calls since 2026-07-28 that have asked their clients something and wait
// for them to come back: the multi round-trip requests of the protocol. A call is not begun
// anew with every round, since a bridged server may be in the middle of it.
type rounds struct {
	states states
	time   time.Duration // that a client has for its next request

	running drain.Group
	gone    chan struct{} // closed when the server ends

	mu     sync.Mutex
	closed bool
	byID   map[stateID]*round
	own    map[string]kept // by caller
	all    kept
}

// kept is what waits for clients.
type kept struct{ calls, bytes int }

func (k kept) plus(calls, bytes int) kept { return kept{k.calls + calls, k.bytes + bytes} }

func newRounds(now func() time.Time) *rounds {
	return &rounds{states: newStates(now), time: askTime, gone: make(chan struct{}), byID: map[stateID]*round{}, own: map[string]kept{}}
}

// close ends every question, and so the calls that wait for answers.
func (r *rounds) close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.closed {
		r.closed = true
		r.running.Close()
		close(r.gone)
	}
}

// keep notes a call that waits for its client, and answers the state that the client is to
// bring, and its id; ok is false for one too many. A client that does not come back in time
// finds nothing.
func (r *rounds) keep(c *round) (state string, id stateID, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	own, all := r.own[c.owner].plus(1, c.size), r.all.plus(1, c.size)
	if r.closed || own.calls > maxOwnRounds || own.bytes > maxOwnKept || all.calls > maxRounds || all.bytes > maxKept {
		return "", "", false
	}
	state, id = r.states.mint(c.bound, r.time)
	r.own[c.owner], r.all = own, all
	r.byID[id] = c
	c.late = time.AfterFunc(r.time, func() {
		if r.take(id) != nil {
			c.leave(capabilities.ErrUnanswered)
			c.cancel(capabilities.ErrUnanswered)
		}
	})
	return state, id, true
}

// take answers the call that a state stands for, once.
func (r *rounds) take(id stateID) *round {
	r.mu.Lock()
	defer r.mu.Unlock()
	c := r.byID[id]
	if c == nil {
		return nil
	}
	delete(r.byID, id)
	c.late.Stop()
	r.all = r.all.plus(-1, -c.size)
	if own := r.own[c.owner].plus(-1, -c.size); own.calls == 0 {
		delete(r.own, c.owner)
	} else {
		r.own[c.owner] = own
	}
	return c
}

// round is one call of a client that can be asked something. It runs in a goroutine of its
// own, and requests attach to it: the one that made it, and those that bring answers.
type round struct {
	s       *Server
	client  string // "" over HTTP, where nothing tells two clients of one caller apart
	answers answers
	gone    <-chan struct{}
	bound   binding
	owner   string // whoever calls, at whatever address
	size    int    // of the arguments, in bytes
	cancel  context.CancelCauseFunc
	late    *time.Timer // under the lock of the table

	done   chan struct{} // closed when the call is over
	body   []byte
	failed *jsonrpc.Error

	mu     sync.Mutex
	open   []*question
	asked  int
	ended  bool
	unseen chan struct{}               // holds one where the client is to be asked
	notify func(capabilities.Progress) // of the request that is attached; nil for none
	logs   *capabilities.LogReader     // of that request; nil for none
}

// question is one that a client has not answered.
type question struct {
	key    string
	method string
	params json.RawMessage
	answer chan said
}

// roundCall serves a call of a client that can be asked something: to its end, or to its
// first question.
func (s *Server) roundCall(ctx context.Context, c toolCall) ([]byte, *jsonrpc.Error) {
	own, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	// The call may outlast its request, whose body is not to be kept for it.
	call := c
	call.params = c.params.apart()
	r := &round{
		s: s, client: c.client, answers: c.answers, gone: c.gone, bound: bindingOf(c.principal, &call.params), owner: c.principal.Key(), size: len(call.params.arguments), cancel: cancel,
		done: make(chan struct{}), unseen: make(chan struct{}, 1), notify: c.notify,
	}
	stop := r.attached(ctx)
	if c.notify != nil {
		call.notify = r.report
	}
	if c.logs != nil {
		r.logs = c.logs
		call.logs = &capabilities.LogReader{Client: c.logs.Client, Level: c.logs.Level, Tell: r.log}
	}
	call.asks = r
	begun := s.rounds.running.Go(func() {
		defer cancel(nil)
		defer close(r.done)
		defer r.end()
		r.body, r.failed = s.guardedCall(own, call)
	})
	if !begun { // the server ends
		stop()
		cancel(nil)
		return s.guardedCall(ctx, c)
	}
	return r.serve(stop)
}

// nextRound serves a request that brings a state: it goes on with the call that asked. A
// state that is none is an error of the protocol, and not a result of the tool.
func (s *Server) nextRound(ctx context.Context, c toolCall) ([]byte, *jsonrpc.Error) {
	state, _ := rawjson.String(c.params.requestState)
	id, e := s.rounds.states.read(state, bindingOf(c.principal, &c.params))
	if e == nil {
		if r := s.rounds.take(id); r != nil {
			stop := r.attached(ctx)
			r.heard(c.params.inputResponses, c.notify, c.logs)
			return r.serve(stop)
		}
		e = capabilities.Refuse(capabilities.Invalid, "the requestState was used before, or the time for its answer is over: nothing was done by this request; send the call without requestState to make it anew")
	}
	c.refusal = e // the door notes it, as any call that is refused
	if _, failed := s.guardedCall(ctx, c); failed != nil {
		return nil, failed
	}
	return nil, invalidParams(e.Message)
}

// attached ends the call when a request does, until stop is called, which answers false
// where it has ended.
func (r *round) attached(ctx context.Context) (stop func() bool) {
	return context.AfterFunc(ctx, func() { r.cancel(context.Cause(ctx)) })
}

// serve answers a request that is attached: the call's answer, or its questions.
func (r *round) serve(stop func() bool) ([]byte, *jsonrpc.Error) {
	for {
		select {
		case <-r.done:
			stop()
			return r.body, r.failed
		case <-r.unseen:
			if asking, ok := r.detach(stop); ok {
				return asking, nil
			}
		}
	}
}

// detach answers the questions that the client is to answer with its next request; ok is
// false where there is none any more, or nobody to answer.
func (r *round) detach(stop func() bool) (asking []byte, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.open) == 0 || r.ended {
		return nil, false
	}
	state, id, ok := r.s.rounds.keep(r)
	if !ok {
		r.dismiss(capabilities.ErrUnasked)
		return nil, false
	}
	if !stop() { // the request has ended, and the call with it
		r.s.rounds.take(id)
		return nil, false
	}
	r.notify, r.logs = nil, nil
	out := []byte(`{"inputRequests":{`)
	for i, q := range r.open {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(rawjson.AppendQuoted(out, q.key), `:{"method":`...)
		out = rawjson.AppendQuoted(out, q.method)
		if q.params != nil {
			out = append(append(out, `,"params":`...), q.params...)
		}
		out = append(out, '}')
	}
	out = rawjson.AppendQuoted(append(out, `},"requestState":`...), state)
	out = append(append(out, `,"_meta":`...), r.s.identified(nil)...)
	return append(out, `,"resultType":"input_required"}`...), true
}

// heard takes the answers that a request brings. What they leave open is asked again.
func (r *round) heard(responses json.RawMessage, notify func(capabilities.Progress), logs *capabilities.LogReader) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.notify, r.logs = notify, logs
	var open []*question
	for _, q := range r.open {
		if one := rawjson.Member(responses, q.key); rawjson.Kind(one) == '{' {
			q.answer <- said{result: one}
			continue
		}
		open = append(open, q)
	}
	if r.open = open; len(open) > 0 {
		r.show()
	}
}

// show has the request that is attached, or will be, answered with the questions. r.mu is
// held.
func (r *round) show() {
	select {
	case r.unseen <- struct{}{}:
	default:
	}
}

// leave ends the questions of a client that does not come back.
func (r *round) leave(why error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.dismiss(why)
}

// dismiss answers every question with an error. r.mu is held.
func (r *round) dismiss(why error) {
	for _, q := range r.open {
		q.answer <- said{err: why}
	}
	r.open = nil
}

func (r *round) end() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ended = true
}

// report passes progress on to the request that is attached.
func (r *round) report(p capabilities.Progress) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.notify != nil {
		r.notify(p)
	}
}

// log passes on to the request that is attached what a bridged server logs.
func (r *round) log(params json.RawMessage) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.logs != nil {
		r.logs.Tell(params)
	}
}

// Takes is that of [capabilities.Asker].
func (r *round) Takes(method string, params json.RawMessage) bool {
	return r.answers.to(method, params)
}

// Client is that of [capabilities.Asker].
func (r *round) Client() string { return r.client }

// Ask is that of [capabilities.Asker].
func (r *round) Ask(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error) {
	if !r.answers.to(method, params) {
		return nil, capabilities.ErrUnasked
	}
	if method == methodElicit {
		params = without(params, "elicitationId") // this era has none
	}
	q := &question{method: method, params: params, answer: make(chan said, 1)}
	if !r.put(q) {
		return nil, capabilities.ErrUnasked
	}
	defer r.drop(q)
	a := await(ctx, q.answer, r.gone, r.s.rounds.gone)
	return a.result, a.err
}

// Tell is that of [capabilities.Asker]. The notifications that belong to a question are of
// the era before.
func (r *round) Tell(string, json.RawMessage) {}

func (r *round) put(q *question) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.ended || len(r.open) >= maxAsking || r.asked >= maxAsked {
		return false
	}
	r.asked++
	q.key = "q" + strconv.Itoa(r.asked)
	r.open = append(r.open, q)
	r.show()
	return true
}

func (r *round) drop(q *question) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i, one := range r.open {
		if one == q {
			r.open = append(r.open[:i:i], r.open[i+1:]...)
			return
		}
	}
}
