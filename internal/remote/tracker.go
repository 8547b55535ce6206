package remote

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"sync"
)

// The methods that a session takes note of.
const (
	methodInitialize = "initialize"
	methodCall       = "tools/call"
	noteInitialized  = "notifications/initialized"
	noteCancelled    = "notifications/cancelled"
)

// lostCall is the JSON-RPC error of a call whose holder went away: an error of the
// server's own (JSON-RPC 2.0 section 5.1), with what the refusals of tools carry.
const lostCall = `{"code":-32603,"message":"the holotype that ran this call went away before it answered: ` +
	`it is unknown whether the call took effect, look before you repeat it","data":{"code":"unavailable","maybe_applied":true}}`

// A tracker keeps what the next holder of a session has to be told.
type tracker struct {
	mu          sync.Mutex
	handshake   []byte
	handshakeID string
	initialized []byte
	open        map[string]asked // the requests that are not answered, by their ids
	asked       int
}

// asked is a request that is not answered.
type asked struct {
	id      json.RawMessage
	turn    int
	message []byte // nil for a call of a tool, which is never sent twice
}

func newTracker() tracker { return tracker{open: map[string]asked{}} }

// note is what a tracker reads of a message of the client.
type note struct {
	method string
	id     json.RawMessage // nil for a notification
	cancel json.RawMessage // the id of the request that a notification cancels
}

// noteOf reads a message; ok is false for one that is neither request nor
// notification. Keys are those of JSON-RPC to the letter.
func noteOf(message []byte) (n note, ok bool) {
	var m map[string]json.RawMessage
	if json.Unmarshal(message, &m) != nil || json.Unmarshal(m["method"], &n.method) != nil {
		return n, false
	}
	if n.id = m["id"]; bytes.Equal(n.id, []byte("null")) {
		n.id = nil
	}
	if n.method == noteCancelled {
		var params map[string]json.RawMessage
		if json.Unmarshal(m["params"], &params) == nil {
			n.cancel = params["requestId"]
		}
	}
	return n, true
}

// asks takes note of a message that is about to be passed on.
func (t *tracker) asks(message []byte) {
	n, ok := noteOf(message)
	if !ok {
		return
	}
	whole := append(bytes.TrimRight(message, "\n"), '\n') // the last one may have no end
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case n.method == noteInitialized:
		t.initialized = whole
	case n.cancel != nil:
		delete(t.open, string(n.cancel)) // whose answer may never come
	case n.id != nil:
		one := asked{id: n.id, turn: t.asked, message: whole}
		t.asked++
		switch n.method {
		case methodInitialize:
			t.handshake, t.handshakeID = whole, string(n.id)
		case methodCall:
			one.message = nil
		}
		t.open[string(n.id)] = one
	}
}

// unsaid takes back what asks noted of a message that was not passed on after all.
func (t *tracker) unsaid(message []byte) {
	n, ok := noteOf(message)
	if !ok {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case n.method == noteInitialized:
		t.initialized = nil
	case n.id != nil:
		delete(t.open, string(n.id))
		if n.method == methodInitialize {
			t.handshake, t.handshakeID = nil, ""
		}
	}
}

// answered takes note of an answer, and reports whether it is that of the handshake.
func (t *tracker) answered(id string) (handshake bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.open, id)
	return t.handshake != nil && id == t.handshakeID
}

// restart is what a further holder is told before the client's next message.
type restart struct {
	handshake         []byte // nil where there was none
	handshakeAnswered bool   // there was one, and the client has its answer
	messages          [][]byte
}

func (t *tracker) restart() restart {
	t.mu.Lock()
	defer t.mu.Unlock()
	r := restart{handshake: t.handshake, handshakeAnswered: t.handshake != nil}
	if t.initialized != nil {
		r.messages = append(r.messages, t.initialized)
	}
	for _, one := range t.inOrder() {
		if t.handshake != nil && string(one.id) == t.handshakeID {
			r.handshakeAnswered = false
			continue
		}
		r.messages = append(r.messages, one.message)
	}
	return r
}

// lost answers the errors of the calls that have no answer, and forgets them.
func (t *tracker) lost() [][]byte {
	t.mu.Lock()
	defer t.mu.Unlock()
	var all [][]byte
	for _, one := range t.inOrder() {
		if one.message != nil {
			continue
		}
		delete(t.open, string(one.id))
		all = append(all, slices.Concat([]byte(`{"jsonrpc":"2.0","id":`), one.id, []byte(`,"error":`), []byte(lostCall), []byte("}\n")))
	}
	return all
}

func (t *tracker) inOrder() []asked {
	all := make([]asked, 0, len(t.open))
	for _, one := range t.open {
		all = append(all, one)
	}
	slices.SortFunc(all, func(a, b asked) int { return cmp.Compare(a.turn, b.turn) })
	return all
}
