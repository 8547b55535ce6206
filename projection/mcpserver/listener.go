package mcpserver

import (
	"encoding/json"
	"sync"
)

// noteMessage is what a server logs.
const noteMessage = "notifications/message"

// listener is the client of one call as it is told what a bridged server logs, until the
// call is answered.
type listener struct {
	send func(parts ...[]byte)

	mu    sync.Mutex
	ended bool
}

func (l *listener) tell(params json.RawMessage) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.ended {
		l.send(ofServer(noteMessage, nil, params))
	}
}

func (l *listener) end() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ended = true
}
