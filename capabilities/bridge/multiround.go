package bridge

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/rawjson"
)

const (
	// maxServerRounds bounds how often a server asks before it answers a call, and
	// maxShed how often in a row it does without a question.
	maxServerRounds = 16
	maxShed         = 3
	// shedWait is how long a server that asks for nothing but another try is left alone.
	shedWait = 500 * time.Millisecond
)

// converse sends a request, and again with the answers for as long as a server since
// 2026-07-28 answers with questions: that is the protocol's own way to go on, and what was
// asked for runs once.
func (s *supervisor) converse(ctx context.Context, l *link, req request) (message, error) {
	if level := req.courier.level(l); l.modern {
		req.declared, req.level = req.courier.declares(), level
	} else if level != "" {
		s.askLevel(ctx, l, level)
	}
	shed := 0
	for round := 0; ; round++ {
		m, err := s.send(ctx, l, req)
		if err != nil || m.fault != nil || !l.modern {
			return m, err
		}
		asked, state, wants := wanted(m.result)
		if !wants {
			return m, nil
		}
		if round == maxServerRounds {
			return message{}, &failure{code: capabilities.UpstreamError, mayHaveRun: true, text: fmt.Sprintf("asks for input over and over: %d times is the limit", maxServerRounds)}
		}
		if len(state) > maxState {
			return message{}, &failure{code: capabilities.UpstreamError, mayHaveRun: round > 0, text: fmt.Sprintf("sent a state of %d bytes with its questions, at most %d are brought back", len(state), maxState)}
		}
		req.state, req.responses = state, nil
		if asked == nil {
			if shed++; state == nil || shed > maxShed {
				return message{}, broken("asks for input and does not say which")
			}
			if !sleep(ctx, shedWait) {
				return message{}, interrupted(ctx, true)
			}
			continue
		}
		shed = 0
		answers, why := req.courier.answers(ctx, asked)
		if why != nil {
			if ctx.Err() != nil {
				return message{}, interrupted(ctx, true)
			}
			return message{}, &failure{code: capabilities.UpstreamError, mayHaveRun: round > 0, text: fmt.Sprintf("asks for input that cannot be given: %s (it asks %s)", why.text, questions(asked))}
		}
		req.responses = answers
	}
}

// maxState bounds what a server has brought back to it.
const maxState = 256 << 10

// wanted reports whether a result asks for input, for what, and the state that goes with
// the answers.
func wanted(result json.RawMessage) (asked, state json.RawMessage, wants bool) {
	if !bytes.Contains(result, []byte(`"input_required"`)) {
		return nil, nil, false
	}
	for key, value := range rawjson.Members(result) {
		switch key {
		case "resultType":
			kind, _ := rawjson.String(value)
			wants = kind == "input_required"
		case "inputRequests":
			if asked = value; rawjson.Kind(value) != '{' || len(bytes.TrimSpace(value[1:len(value)-1])) == 0 {
				asked = nil
			}
		case "requestState":
			if state = value; rawjson.Kind(value) != '"' {
				state = nil
			}
		}
	}
	return asked, state, wants
}

// declares answers what the client of the call answers, as far as it is relayed: a server
// since 2026-07-28 is told with every request.
func (c *courier) declares() string {
	if c == nil || c.asks == nil {
		return "{}"
	}
	r := c.sp.conf.Relay
	takes := func(on bool, method, params string) bool {
		return on && c.asks.Takes(method, json.RawMessage(params))
	}
	var all []member
	add := func(on bool, key, value string) {
		if on {
			all = append(all, member{key, json.RawMessage(value)})
		}
	}
	form, page := takes(r.Elicitation, methodElicit, `{"mode":"form"}`), takes(r.Elicitation, methodElicit, `{"mode":"url"}`)
	switch {
	case form && page:
		add(true, "elicitation", `{"form":{},"url":{}}`)
	case form:
		add(true, "elicitation", `{"form":{}}`)
	case page:
		add(true, "elicitation", `{"url":{}}`)
	}
	if tools := takes(r.Sampling, methodSample, `{"tools":[]}`); tools {
		add(true, "sampling", `{"tools":{}}`)
	} else {
		add(takes(r.Sampling, methodSample, `{}`), "sampling", `{}`)
	}
	add(takes(r.Roots, methodRoots, `{}`), "roots", `{}`)
	if all == nil {
		return "{}"
	}
	return string(joinMembers(all))
}

// answers puts the questions of a result, all at once, and answers what their server is to
// be brought. What cannot be asked ends the call before anything is.
func (c *courier) answers(ctx context.Context, asked json.RawMessage) (json.RawMessage, *unasked) {
	if c == nil {
		return nil, noQuestion(codeMethodNotFound, "nothing is relayed to clients of this server")
	}
	type open struct {
		key, method string
		params      json.RawMessage
	}
	var all []open
	for key, one := range rawjson.Members(asked) {
		method, _ := rawjson.String(rawjson.Member(one, "method"))
		params, no := c.admit(method, rawjson.Member(one, "params"))
		if no != nil {
			return nil, no
		}
		all = append(all, open{key, method, params})
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var (
		wait    sync.WaitGroup // all of them begin here
		mu      sync.Mutex
		first   *unasked
		results = make([]member, len(all))
	)
	for i, q := range all {
		wait.Go(func() {
			result, no := c.ask(ctx, q.method, q.params)
			mu.Lock()
			defer mu.Unlock()
			if no != nil && first == nil {
				first = no
				cancel()
			}
			results[i] = member{q.key, result}
		})
	}
	wait.Wait()
	if first != nil {
		return nil, first
	}
	return joinMembers(results), nil
}
