package capabilities

import (
	"encoding/json"
	"slices"
)

// LogReader is the client of a call as somebody who is told what a bridged server logs
// while the call runs. It is safe for concurrent use.
type LogReader struct {
	// Client tells clients apart, see [Asker].
	Client string
	// Level is the least of [LogLevels] that it is told of.
	Level string
	// Tell sends the params of a "notifications/message". One that cannot be delivered is
	// dropped.
	Tell func(params json.RawMessage)
}

// Wants reports whether the client is told of a level. A word that is no level is none.
func (r *LogReader) Wants(level string) bool {
	if r == nil {
		return false
	}
	all := LogLevels()
	at := slices.Index(all, level)
	return at >= 0 && at >= slices.Index(all, r.Level)
}

// LogLevels answers the levels that a server of the Model Context Protocol logs at, the
// least severe first (RFC 5424 section 6.2.1).
func LogLevels() []string {
	return []string{"debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"}
}
