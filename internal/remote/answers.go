package remote

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"time"
)

// toolsChanged tells a client of the handshake era to list again.
const toolsChanged = `{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}` + "\n"

// answers pass what a peer writes on to the client, message by message: a peer that
// goes away in the middle of one must not leave half of it behind.
type answers struct {
	s    *Session
	from *bufio.Reader
	// replayed says that the client has the answer to the handshake already.
	replayed bool

	ready   chan struct{} // closed when the handshake is answered
	refused bool          // by an error; read it when ready is closed
	gone    chan struct{} // closed when nothing follows
	failed  error         // of writing to the client; read it when gone is closed
}

func (a *answers) run() {
	defer close(a.gone)
	for a.failed == nil {
		message, err := a.from.ReadBytes('\n')
		if err != nil {
			return // what there is of a message has no end
		}
		a.failed = a.pass(message)
	}
}

// unreadTime is how long a client may leave what is written to it unread once its
// session is to be stopped.
const unreadTime = time.Second

// wait waits until nothing follows, and a moment longer than ctx at most: the client may
// not read.
func (a *answers) wait(ctx context.Context) bool {
	select {
	case <-a.gone:
		return true
	case <-ctx.Done():
	}
	limit := time.NewTimer(unreadTime)
	defer limit.Stop()
	select {
	case <-a.gone:
		return true
	case <-limit.C:
		return false
	}
}

func (a *answers) pass(message []byte) error {
	handshake := false
	if id, answer := answerID(message); answer {
		handshake = a.s.tracker.answered(id)
	}
	if a.s.note != "" {
		message = noted(message, a.s.note)
	}
	if !handshake || isClosed(a.ready) {
		return a.write(message)
	}
	defer close(a.ready)
	if !a.replayed {
		return a.write(message)
	}
	var m struct {
		Result json.RawMessage `json:"result"`
	}
	if json.Unmarshal(message, &m) != nil || m.Result == nil {
		a.refused = true
		return nil
	}
	return a.write([]byte(toolsChanged)) // another holder, other tools
}

func (a *answers) write(message []byte) error {
	_, err := a.s.out.Write(message)
	return err
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// answerID reads the id of a JSON-RPC response; answer is false for any other
// message. Our own holder writes the id near the beginning, so that a large result is
// not read twice.
func answerID(message []byte) (id string, answer bool) {
	dec := json.NewDecoder(bytes.NewReader(message))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return "", false
	}
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return "", false
		}
		switch key {
		case "method":
			return "", false
		case "result", "error":
			if id != "" {
				return id, true
			}
		}
		var value json.RawMessage
		if dec.Decode(&value) != nil {
			return "", false
		}
		if key == "id" {
			id = string(value)
		}
	}
	return id, id != ""
}
