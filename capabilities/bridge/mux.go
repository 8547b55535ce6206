package bridge

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/rawjson"
)

// A mux shares one stream of messages between the two lanes. The control lane is
// the SDK's client, which sees its own answers and the notifications it serves.
// The data lane is roundTrip: requests in an id space of our own, whose answers
// stay bytes. Everything else (junk, unknown ids, requests of the server) ends
// here, so that no server can end the session by what it writes. What it asks goes to the
// client of the call that runs, see [calls].
type mux struct {
	// send queues one line. sent is false when it certainly did not leave.
	send func(ctx context.Context, line []byte) (sent bool, err error)
	// trySend is send that gives up at once when the queue is full: the goroutine
	// that reads must never wait for the one that writes.
	trySend func(line []byte)
	// onJunk is told of bytes that are no message.
	onJunk func(line []byte)
	// meta is what every request of the data lane carries in _meta.
	meta atomic.Pointer[string]

	control chan []byte   // lines for the SDK
	closed  chan struct{} // the SDK closed its side
	done    chan struct{} // no more messages will come

	// calls are those that may be asked something.
	calls calls

	mu      sync.Mutex
	next    uint32
	waiting map[uint32]*waiter
	cause   func() string // why it ended, for the callers that were waiting
}

type waiter struct {
	answer   chan answer
	progress chan capabilities.Progress // nil unless asked for
}

type answer struct {
	message message
	failure *failure
}

func newMux(send func(context.Context, []byte) (bool, error), trySend, onJunk func([]byte)) *mux {
	return &mux{
		send: send, trySend: trySend, onJunk: onJunk,
		control: make(chan []byte, 64), closed: make(chan struct{}), done: make(chan struct{}),
		next: firstID, waiting: map[uint32]*waiter{},
	}
}

// end says that no more messages will come. cause tells why; it is asked when a
// caller needs it. It may be called once.
func (m *mux) end(cause func() string) {
	m.mu.Lock()
	m.cause = cause
	m.mu.Unlock()
	close(m.done)
}

func (m *mux) ended(during string) *failure {
	m.mu.Lock()
	cause := m.cause
	m.mu.Unlock()
	return unavailable(true, errLaneEnded, "went away %s: it %s", during, cause())
}

// errLaneEnded marks a call that was in flight when its server went away.
var errLaneEnded = errors.New("the connection ended")

func (m *mux) register(w *waiter) uint32 {
	m.mu.Lock()
	defer m.mu.Unlock()
	for {
		id := m.next
		if m.next++; m.next > lastID {
			m.next = firstID
		}
		if _, taken := m.waiting[id]; !taken {
			m.waiting[id] = w
			return id
		}
	}
}

func (m *mux) forget(id uint32) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.waiting, id)
}

func (m *mux) waiter(id uint32) *waiter {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.waiting[id]
}

// roundTrip implements lane.
func (m *mux) roundTrip(ctx context.Context, req request) (message, error) {
	w := &waiter{answer: make(chan answer, 1)}
	if req.progress != nil {
		w.progress = make(chan capabilities.Progress, 16)
	}
	id := m.register(w)
	defer m.forget(id)
	defer m.calls.begin(req.courier)()
	meta := ""
	if p := m.meta.Load(); p != nil {
		meta = *p
	}
	sent, err := m.send(ctx, req.encode(id, meta))
	if err != nil {
		if ctx.Err() != nil {
			if sent {
				m.giveUp(id, req.courier)
			}
			return message{}, interrupted(ctx, sent)
		}
		return message{}, unsendable(sent, err)
	}
	report := forward(req.progress)
	for {
		select {
		case a := <-w.answer:
			return a.take(w, report)
		case p := <-w.progress:
			report(p)
		case <-ctx.Done():
			m.giveUp(id, req.courier)
			m.trySend(cancelled(id, ctx.Err().Error()))
			return message{}, interrupted(ctx, sent)
		case <-m.done:
			select { // an answer that came before the end counts
			case a := <-w.answer:
				return a.take(w, report)
			default:
				return message{}, m.ended(req.during())
			}
		}
	}
}

// giveUp ends a call that its server may go on with.
func (m *mux) giveUp(id uint32, c *courier) {
	m.calls.giveUp(id, c) // first, so that an answer which comes now ends it
	m.mu.Lock()
	_, waits := m.waiting[id]
	delete(m.waiting, id)
	m.mu.Unlock()
	if !waits {
		m.calls.answered(id)
	}
}

// unsendable is the failure of a request that could not be sent.
func unsendable(sent bool, err error) *failure {
	f := unavailable(sent, err, "cannot be reached: %v", err)
	var refused *postRefused
	if errors.As(err, &refused) && isCredential(refused.status) {
		f.credential = refused.status
		if f.text = refused.wants; f.text == "" {
			f.text = fmt.Sprintf("refused the credential (HTTP status %d): its operator has to renew it", refused.status)
		}
	}
	return f
}

// take hands over an answer after the progress that came before it.
func (a answer) take(w *waiter, report func(capabilities.Progress)) (message, error) {
	for {
		select {
		case p := <-w.progress:
			report(p)
			continue
		default:
		}
		if a.failure != nil {
			return message{}, a.failure
		}
		return a.message, nil
	}
}

// deliver takes one line, which it may keep.
func (m *mux) deliver(line []byte) {
	junk := eachMessage(line, m.route, func(b *brokenAnswer) {
		if id, ok := ownID(b.id); ok {
			m.settle(id, answer{failure: ofBroken(b)})
			return
		}
		m.toControl(refusedAnswer(b))
	})
	if junk {
		m.onJunk(line)
	}
}

// deliverTooLong takes the first bytes of a line over the limit.
func (m *mux) deliverTooLong(head []byte) {
	id, ok := idOfHead(head)
	if n, own := ownID(id); ok && own {
		m.settle(n, answer{failure: tooLarge()})
		return
	}
	if ok {
		m.toControl(refusedAnswer(&brokenAnswer{id, rawjson.ErrDeep}))
		return
	}
	m.onJunk(head)
}

// maxControl bounds what a server says to the control lane at once, which keeps what a
// handshake told as long as the server runs: a name, a version, instructions.
const maxControl = 1 << 20

// refusedAnswer is what the SDK gets for an answer to it that cannot be read.
func refusedAnswer(b *brokenAnswer) []byte {
	text := "the server's answer could not be read"
	if errors.Is(b.reason, errTooLarge) {
		text = fmt.Sprintf("the server's answer has more than %d bytes, which is the limit here", maxControl)
	}
	line := append([]byte(nil), `{"jsonrpc":"2.0","id":`...)
	line = append(append(line, b.id...), `,"error":{"code":-32603,"message":`...)
	return append(rawjson.AppendQuoted(line, text), `}}`...)
}

func (m *mux) route(msg message) {
	switch {
	case msg.isResponse():
		if id, ok := msg.own(); ok {
			m.settle(id, answerOf(msg))
			return
		}
		m.toControl(controlAnswer(msg))
	case msg.isRequest():
		m.calls.request(msg, replies{m.trySend, m.answer})
	case msg.method == noteProgress:
		id, p, ok := readProgress(msg.params)
		if !ok {
			return
		}
		if w := m.waiter(id); w != nil && w.progress != nil {
			select {
			case w.progress <- p:
			default: // the caller is slower than the server; the next one has more to say
			}
		}
	case m.calls.note(msg):
	case served(msg.method) && !msg.tooDeep() && len(msg.params) <= maxControl:
		m.toControl(encodeNotification(msg))
	}
}

// answer sends what a client answered. The reader does not wait for it.
func (m *mux) answer(line []byte) {
	ctx, stop := context.WithTimeout(context.Background(), answerTimeout)
	defer stop()
	_, _ = m.send(ctx, line) // a server that is gone waits for nothing
}

// answerTimeout bounds how long an answer waits to be sent.
const answerTimeout = 10 * time.Second

// controlAnswer is an answer as the SDK takes it: it counts its ids and knows no
// other, and it reads what it gets to the bottom.
func controlAnswer(msg message) []byte {
	if msg.tooDeep() {
		return refusedAnswer(&brokenAnswer{msg.id, rawjson.ErrDeep})
	}
	if len(msg.result)+len(msg.fault) > maxControl {
		return refusedAnswer(&brokenAnswer{msg.id, errTooLarge})
	}
	if s, ok := rawjson.String(msg.id); ok {
		if n, err := strconv.ParseUint(s, 10, 32); err == nil {
			msg.id = strconv.AppendUint(nil, n, 10)
		}
	}
	return encodeResponse(msg)
}

// answerOf makes the answer of a response; one with both members counts as the
// error it carries, one with neither is broken.
func answerOf(msg message) answer {
	if msg.fault == nil && msg.result == nil {
		return answer{failure: broken("answered with neither a result nor an error")}
	}
	return answer{message: msg}
}

// settle answers a waiter, which nothing reaches after that: no second answer, and no
// progress.
func (m *mux) settle(id uint32, a answer) {
	m.mu.Lock()
	w := m.waiting[id]
	delete(m.waiting, id)
	m.mu.Unlock()
	if w == nil {
		m.calls.answered(id)
		return
	}
	w.answer <- a // it has room for one
}

// served reports whether the control lane handles a notification. The rest (log
// messages above all, which come by the thousand) goes no further.
func served(method string) bool {
	switch method {
	case noteToolsChange, notePromptsChange, noteResourcesChange,
		"notifications/resources/updated", "notifications/subscriptions/acknowledged":
		return true
	}
	return false
}

func (m *mux) toControl(line []byte) {
	select {
	case m.control <- line:
	case <-m.closed:
	case <-m.done:
	}
}

func encodeResponse(m message) []byte {
	b := append([]byte(nil), `{"jsonrpc":"2.0","id":`...)
	b = append(b, m.id...)
	switch {
	case m.fault != nil:
		e := readFault(m.fault)
		b = append(b, `,"error":{"code":`...)
		b = appendInt(b, e.code)
		b = append(b, `,"message":`...)
		b = rawjson.AppendQuoted(b, bounded(e.text, 2048))
		if e.data != nil {
			b = append(append(b, `,"data":`...), e.data...)
		}
		b = append(b, '}')
	case m.result != nil:
		b = append(append(b, `,"result":`...), m.result...)
	default:
		b = append(b, `,"error":{"code":-32603,"message":"the server answered with neither a result nor an error"}`...)
	}
	return append(b, '}')
}

func encodeNotification(m message) []byte {
	b := append([]byte(nil), `{"jsonrpc":"2.0","method":`...)
	b = rawjson.AppendQuoted(b, m.method)
	if m.params != nil {
		b = append(append(b, `,"params":`...), m.params...)
	}
	return append(b, '}')
}
