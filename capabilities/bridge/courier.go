package bridge

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/drain"
	"github.com/seed-89b9419b/holotype/internal/rawjson"
)

// A courier carries what a server says to the client of one call while that runs: its
// questions, and their answers back, and what it logs.
type courier struct {
	sp   *spec
	log  *slog.Logger
	now  func() time.Time
	asks capabilities.Asker      // nil where nobody can be asked
	logs *capabilities.LogReader // nil where nobody wants to know
	ctx  context.Context         //nolint:containedctx // of the call, which owns the courier
	// person is who made the call; "" is nobody that can be told from others.
	person string

	running drain.Group // questions that have no answer, and whoever tells

	mu     sync.Mutex
	open   map[string]*openQuestion // of those, by the server's ids
	pages  map[string]string        // the ids of questions that open a page: the server's, and ours
	asked  int
	bytes  int
	ended  bool
	logged logBudget
	tells  chan func() // what is to be told, in its order; nil until there is something
}

// courier answers the one of a call, or nil where nothing is relayed.
func (s *supervisor) courier(ctx context.Context, sp *spec, inv *capabilities.Invocation) *courier {
	if r := sp.conf.Relay; !r.asks() && !r.Logging {
		return nil
	}
	c := &courier{sp: sp, log: s.log, now: s.o.Now, asks: inv.Asks, logs: inv.Logs, ctx: ctx}
	if p := inv.Principal; p != nil {
		c.person = p.Key() + "\n" + p.ActingFor
	}
	return c
}

// finish ends what is still open when the call does.
func (c *courier) finish() {
	if c == nil {
		return
	}
	c.mu.Lock()
	c.ended = true
	for _, q := range c.open {
		q.cancel()
	}
	left := c.logged.left
	if c.tells != nil {
		close(c.tells)
	}
	c.mu.Unlock()
	c.running.Wait()
	c.tellLeft(left)
}

// tell has the client told something: whoever reads what the server says must not wait for
// a client that does not read.
func (c *courier) tell(one func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ended {
		return
	}
	if c.tells == nil {
		tells := make(chan func(), maxLogMessages+maxQuestions)
		c.tells = tells
		c.running.Go(func() {
			for next := range tells {
				next()
			}
		})
	}
	select {
	case c.tells <- one:
	default: // it has room for all there may be
	}
}

// client tells whose call it is; "" is nobody that can be told from others.
func (c *courier) client() string {
	switch {
	case c.asks != nil:
		return c.asks.Client()
	case c.logs != nil:
		return c.logs.Client
	}
	return ""
}

// replies are the two ways to answer a server: at once, from where its messages are read,
// and later.
type replies struct{ now, later func(line []byte) }

// An openQuestion is one that has no answer. Its id is its server's, which may use it again
// as soon as it has taken the question back.
type openQuestion struct{ cancel context.CancelFunc }

// take takes a question, which is answered once, whatever becomes of it.
func (c *courier) take(m message, reply replies) {
	params, no := c.admit(m.method, m.params)
	if no != nil {
		reply.now(errorLine(m.id, no))
		return
	}
	id := string(m.id)
	ctx, cancel := context.WithCancel(c.ctx)
	q := &openQuestion{cancel}
	if no = c.begin(id, q); no == nil && !c.running.Go(func() {
		defer cancel()
		result, no := c.ask(ctx, m.method, params)
		if !c.done(id, q) {
			return // the server has taken it back
		}
		if no != nil {
			reply.later(errorLine(m.id, no))
			return
		}
		reply.later(resultLine(m.id, result))
	}) {
		no = overNow()
	}
	if no != nil {
		cancel()
		reply.now(errorLine(m.id, no))
	}
}

func overNow() *unasked { return noQuestion(codeInternal, "the call that this belongs to is over") }

// admit answers the params that the client is asked with.
func (c *courier) admit(method string, params json.RawMessage) (json.RawMessage, *unasked) {
	asked, no := c.sp.question(method, params)
	if no != nil {
		return nil, no
	}
	if c.asks == nil {
		return nil, noQuestion(codeMethodNotFound, "the caller of this call cannot be asked: %s goes to an MCP client that declares it", method)
	}
	if !c.asks.Takes(method, asked) {
		code := int64(codeMethodNotFound)
		if method == methodElicit && c.elicits() || method == methodSample && c.asks.Takes(method, nil) {
			code = codeInvalidParams // it answers others of the kind
		}
		return nil, noQuestion(code, "the client of this call does not answer %s", named(method, asked))
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.asked++
	c.bytes += len(asked)
	switch {
	case c.ended:
		return nil, overNow()
	case c.asked > maxQuestions:
		return nil, noQuestion(codeInternal, "the call has asked %d times, which is the limit", maxQuestions)
	case c.bytes > maxAskedBytes:
		return nil, noQuestion(codeInternal, "the questions of the call have more than %d bytes, which is the limit", maxAskedBytes)
	}
	return c.page(asked), nil
}

func (c *courier) elicits() bool {
	return c.asks.Takes(methodElicit, json.RawMessage(`{"mode":"form"}`)) || c.asks.Takes(methodElicit, json.RawMessage(`{"mode":"url"}`))
}

// named says what is asked, of a method that has kinds.
func named(method string, params json.RawMessage) string {
	switch mode, _ := rawjson.String(rawjson.Member(params, "mode")); {
	case method == methodElicit && mode == "url":
		return method + " by url"
	case method == methodElicit:
		return method + " by form"
	case method == methodSample && rawjson.Member(params, "tools") != nil:
		return method + " with tools"
	}
	return method
}

// page gives a question that opens a page an id that no other server's has. c.mu is held.
func (c *courier) page(asked json.RawMessage) json.RawMessage {
	if mode, _ := rawjson.String(rawjson.Member(asked, "mode")); mode != "url" {
		return asked
	}
	ours := rand.Text()
	if theirs, ok := rawjson.String(rawjson.Member(asked, "elicitationId")); ok {
		if c.pages == nil {
			c.pages = map[string]string{}
		}
		c.pages[theirs] = ours
	}
	asked = withoutMember(asked, "elicitationId")
	out := append([]byte(`{"elicitationId":`), rawjson.AppendQuoted(nil, ours)...)
	return append(append(out, ','), asked[1:]...) // it has a mode
}

// completed passes on that what a page was opened for is done.
func (c *courier) completed(params json.RawMessage) {
	theirs, _ := rawjson.String(rawjson.Member(params, "elicitationId"))
	c.mu.Lock()
	ours, known := c.pages[theirs]
	delete(c.pages, theirs)
	c.mu.Unlock()
	if known {
		done := append(append([]byte(`{"elicitationId":`), rawjson.AppendQuoted(nil, ours)...), '}')
		c.tell(func() { c.asks.Tell(noteElicited, done) })
	}
}

// begin notes a question.
func (c *courier) begin(id string, q *openQuestion) *unasked {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.ended:
		return overNow()
	case c.open[id] != nil:
		return noQuestion(-32600, "a request of this id is open")
	}
	if c.open == nil {
		c.open = map[string]*openQuestion{}
	}
	c.open[id] = q
	return nil
}

// done forgets a question, and reports whether its server waits for the answer.
func (c *courier) done(id string, q *openQuestion) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.open[id] != q {
		return false
	}
	delete(c.open, id)
	return true
}

// withdraw takes back a question that its server does not want answered any more, and
// reports whether it was this call's.
func (c *courier) withdraw(id string) bool {
	c.mu.Lock()
	q, open := c.open[id]
	delete(c.open, id)
	c.mu.Unlock()
	if open {
		q.cancel()
	}
	return open
}

// ask puts a question that was admitted.
func (c *courier) ask(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, *unasked) {
	began := c.now()
	result, err := c.asks.Ask(ctx, method, params)
	outcome, no := judged(c.ctx, err)
	if no == nil && len(result) > maxAnswer {
		outcome, no = "too_large", noQuestion(codeInternal, "the client answered with %d bytes, at most %d are relayed", len(result), maxAnswer)
	}
	c.log.DebugContext(c.ctx, "question_relayed", "method", method, "outcome", outcome, "duration_ms", c.now().Sub(began).Milliseconds())
	if no != nil {
		return nil, no
	}
	return result, nil
}

// judged answers how a question ended, in a word and for its server; nil is answered.
func judged(call context.Context, err error) (string, *unasked) {
	var said *capabilities.ClientError
	switch {
	case err == nil:
		return "answered", nil
	case errors.As(err, &said):
		code := said.Code
		if code == 0 {
			code = codeInternal
		}
		return "refused", noQuestion(code, "%s", bounded(said.Message, 2048))
	case errors.Is(err, capabilities.ErrUnasked):
		return "unasked", noQuestion(codeInternal, "the client of this call is asked too much already")
	case errors.Is(err, capabilities.ErrUnanswered):
		return "unanswered", noQuestion(codeInternal, "the client of this call is gone, or did not answer in its time")
	case errors.Is(call.Err(), context.DeadlineExceeded):
		return "timeout", noQuestion(codeInternal, "nobody answered within the time limit of the call")
	}
	return "ended", overNow()
}

// errorLine writes the error that answers a request of the server.
func errorLine(id json.RawMessage, no *unasked) []byte {
	b := append([]byte(nil), `{"jsonrpc":"2.0","id":`...)
	b = append(b, id...)
	b = append(b, `,"error":{"code":`...)
	b = appendInt(b, no.code)
	b = append(b, `,"message":`...)
	return append(rawjson.AppendQuoted(b, no.text), "}}\n"...)
}

func resultLine(id, result json.RawMessage) []byte {
	b := make([]byte, 0, len(result)+len(id)+40)
	b = append(append(b, `{"jsonrpc":"2.0","id":`...), id...)
	b = appendLine(append(b, `,"result":`...), result)
	return append(b, "}\n"...)
}
