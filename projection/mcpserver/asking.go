package mcpserver

import (
	"context"
	"encoding/json"
	"strings"
	"sync"
	"time"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/rawjson"
)

// A client may be asked something while its call runs. How depends on the era: before
// 2026-07-28 a request of ours goes to it beside the call, in the stream that answers the
// call (client), and since then the question is the answer, and the call goes on with the
// next request (round).

const (
	methodElicit = "elicitation/create"
	methodSample = "sampling/createMessage"
	methodRoots  = "roots/list"
	noteElicited = "notifications/elicitation/complete"

	// maxAsking bounds the questions that one client has not answered yet, and maxAsked
	// those that one call puts at all.
	maxAsking = 16
	maxAsked  = 64
	// askTime is how long a question stands, when whoever put it does not say less.
	askTime = capabilities.MaxWait
	// askID begins the ids of our requests: what is answered under one is nobody else's.
	askID = "ask_"
)

// answers is what a client says that it answers.
type answers struct{ form, url, sampling, tools, roots bool }

// answersOf reads the capabilities that a client declares. Elicitation that names no mode is
// that by form.
func answersOf(declared json.RawMessage) (a answers) {
	for key, value := range rawjson.Members(declared) {
		if rawjson.Kind(value) != '{' {
			continue
		}
		switch key {
		case "elicitation":
			a.form, a.url = object(value, "form"), object(value, "url")
			a.form = a.form || !a.url
		case "sampling":
			a.sampling, a.tools = true, object(value, "tools")
		case "roots":
			a.roots = true
		}
	}
	return a
}

func object(of json.RawMessage, member string) bool {
	return rawjson.Kind(rawjson.Member(of, member)) == '{'
}

func (a answers) any() bool { return a != answers{} }

// to reports whether the client answers a question.
func (a answers) to(method string, params json.RawMessage) bool {
	switch method {
	case methodElicit:
		switch mode, _ := rawjson.String(rawjson.Member(params, "mode")); mode {
		case "", "form":
			return a.form
		case "url":
			return a.url
		}
	case methodSample:
		return a.sampling && (a.tools || rawjson.Member(params, "tools") == nil)
	case methodRoots:
		return a.roots
	}
	return false
}

// said is what a client answers: a result object, or an error.
type said struct {
	result json.RawMessage
	err    error
}

// saidBy reads the answer out of a response that was judged.
func saidBy(m *message) said {
	if m.failed == nil {
		if rawjson.Kind(m.result) != '{' {
			return said{err: &capabilities.ClientError{Message: "a result that is no object"}}
		}
		return said{result: m.result}
	}
	var e capabilities.ClientError
	if err := json.Unmarshal(m.failed, &e); err != nil { // it was judged
		return said{err: &capabilities.ClientError{Message: "an error that cannot be read"}}
	}
	return said{err: &e}
}

// await waits for an answer, until ctx ends, the client or the server is gone, or askTime is
// over.
func await(ctx context.Context, answer <-chan said, gone, ending <-chan struct{}) said {
	limit := time.NewTimer(askTime)
	defer limit.Stop()
	select {
	case a := <-answer:
		return a
	case <-ctx.Done():
		return said{err: ctx.Err()}
	case <-gone:
	case <-ending:
	case <-limit.C:
	}
	return said{err: capabilities.ErrUnanswered}
}

// questions are those that one session or stream has been asked and has not answered yet, by
// our ids. The zero value is ready.
type questions struct {
	mu   sync.Mutex
	open map[string]chan<- said
}

// put notes a question; ok is false for one too many.
func (q *questions) put() (id string, answer <-chan said, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.open) >= maxAsking {
		return "", nil, false
	}
	if q.open == nil {
		q.open = map[string]chan<- said{}
	}
	id = askID + ownID()
	one := make(chan said, 1)
	q.open[id] = one
	return id, one, true
}

func (q *questions) drop(id string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	delete(q.open, id)
}

// take takes a response to a question of ours, and reports whether it is one. What comes too
// late, twice, or from a client that was not asked, is dropped.
func (q *questions) take(m *message) bool {
	id, ok := rawjson.String(m.id)
	if !m.response || !ok || !strings.HasPrefix(id, askID) {
		return false
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if one, open := q.open[id]; open {
		delete(q.open, id)
		one <- saidBy(m)
	}
	return true
}

// client is the client of one call of the handshake era, who is asked in the stream that its
// call is answered in.
type client struct {
	id        string
	answers   answers
	questions *questions
	send      func(parts ...[]byte)
	gone      <-chan struct{} // closed when the stream has ended

	mu    sync.Mutex
	asked int
	ended bool
}

// Takes is that of [capabilities.Asker].
func (c *client) Takes(method string, params json.RawMessage) bool {
	return c.answers.to(method, params)
}

// Client is that of [capabilities.Asker].
func (c *client) Client() string { return c.id }

// Ask is that of [capabilities.Asker].
func (c *client) Ask(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error) {
	if !c.answers.to(method, params) || !c.count() {
		return nil, capabilities.ErrUnasked
	}
	id, answer, ok := c.questions.put()
	if !ok {
		return nil, capabilities.ErrUnasked
	}
	defer c.questions.drop(id)
	c.say(ofServer(method, rawjson.AppendQuoted(nil, id), params))
	a := await(ctx, answer, c.gone, nil)
	if ctx.Err() != nil && a.result == nil {
		c.say(ofServer(noteCancelled, nil, append(rawjson.AppendQuoted([]byte(`{"requestId":`), id), '}')))
	}
	return a.result, a.err
}

// Tell is that of [capabilities.Asker].
func (c *client) Tell(method string, params json.RawMessage) { c.say(ofServer(method, nil, params)) }

// count reports whether the call may put one more question.
func (c *client) count() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.asked++
	return !c.ended && c.asked <= maxAsked
}

// say sends a message, unless the call is answered: its stream is no more.
func (c *client) say(text []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.ended {
		c.send(text)
	}
}

func (c *client) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ended = true
}

// ofServer writes a request of ours, or a notification where there is no id.
func ofServer(method string, id []byte, params json.RawMessage) []byte {
	out := []byte(`{"jsonrpc":"2.0",`)
	if id != nil {
		out = append(append(append(out, `"id":`...), id...), ',')
	}
	out = rawjson.AppendQuoted(append(out, `"method":`...), method)
	if params != nil {
		out = append(append(out, `,"params":`...), params...)
	}
	return append(out, '}')
}
