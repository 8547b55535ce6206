package mcpserver

import (
	"bytes"
	"net/http"
)

// eventless gives a caller that takes no events the answer alone, as JSON. The
// library answers every request with a stream of events, of which the one with the
// request's id is the answer.
type eventless struct {
	http.ResponseWriter
	begun, events bool
}

// WriteHeader sends the status.
func (e *eventless) WriteHeader(status int) {
	e.begun = true
	if h := e.Header(); h.Get("Content-Type") == "text/event-stream" {
		e.events = true
		h.Set("Content-Type", "application/json")
	}
	e.ResponseWriter.WriteHeader(status)
}

// Write takes one whole event, as the library writes them, or part of another body.
func (e *eventless) Write(p []byte) (int, error) {
	if !e.begun {
		e.WriteHeader(http.StatusOK)
	}
	if !e.events {
		return e.ResponseWriter.Write(p)
	}
	for line := range bytes.Lines(p) {
		data, ok := bytes.CutPrefix(line, []byte("data: "))
		if !ok || member(data, "id") == nil {
			continue
		}
		if _, err := e.ResponseWriter.Write(bytes.TrimSpace(data)); err != nil {
			return 0, err
		}
	}
	return len(p), nil
}

// Unwrap lets the library flush.
func (e *eventless) Unwrap() http.ResponseWriter { return e.ResponseWriter }
