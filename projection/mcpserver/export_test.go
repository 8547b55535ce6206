package mcpserver

import (
	"context"
	"encoding/json"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/seed-89b9419b/holotype/internal/rawjson"
)

// ReadMessage reads one message and answers its id and fault.
func ReadMessage(data []byte) (json.RawMessage, *jsonrpc.Error) {
	m, fault := readMessage(data)
	return m.id, fault
}

// Failure frames an error.
func Failure(id json.RawMessage, e *jsonrpc.Error) []byte { return failure(id, e) }

// Skim finds the id and the method of a long line.
func Skim(data []byte) (id, method string) {
	var e envelope
	e.read(data)
	return string(e.id), rawjson.Unquote(e.method)
}

// The sizes tests need.
const (
	PageSize    = pageSize
	MaxBody     = maxBody
	SessionIdle = sessionIdle

	AskTime      = askTime
	MaxOwnRounds = maxOwnRounds
)

// SetAskTime changes how long clients have for their next requests.
func (s *Server) SetAskTime(d time.Duration) {
	s.rounds.mu.Lock()
	defer s.rounds.mu.Unlock()
	s.rounds.time = d
}

// Close cancels the calls that run and ends every session and stream.
func (s *Server) Close() error {
	s.running.stop()
	return s.Shutdown(context.Background())
}

// Watching counts the sessions that are told of changes.
func (s *Server) Watching() int {
	s.changes.mu.Lock()
	defer s.changes.mu.Unlock()
	return len(s.changes.watchers)
}
