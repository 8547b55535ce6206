package mcpserver

import (
	"encoding/json"
	"math"
	"strconv"
	"sync"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/rawjson"
)

// progress passes a handler's reports on while its call runs. The protocol wants
// values that only grow, and none after the answer: what breaks that is dropped.
type progress struct {
	notify func(capabilities.Progress)

	mu    sync.Mutex
	begun bool
	ended bool
	last  float64
}

func (p *progress) report(r capabilities.Progress) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ended || math.IsNaN(r.Value) || p.begun && r.Value <= p.last {
		return
	}
	p.begun, p.last = true, r.Value
	p.notify(r)
}

func (p *progress) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ended = true
}

// progressNote writes a progress notification. The token's bytes are kept.
func progressNote(token json.RawMessage, r capabilities.Progress) []byte {
	out := []byte(`{"jsonrpc":"2.0","method":"` + noteProgress + `","params":{"progressToken":`)
	out = append(out, token...)
	out = append(out, `,"progress":`...)
	out = appendNumber(out, r.Value)
	if r.Total != 0 {
		out = append(out, `,"total":`...)
		out = appendNumber(out, r.Total)
	}
	if r.Message != "" {
		out = append(out, `,"message":`...)
		out = rawjson.AppendQuoted(out, r.Message)
	}
	return append(out, "}}"...)
}

// appendNumber writes a finite number as JSON; one that is not finite as 0.
func appendNumber(out []byte, f float64) []byte {
	text, err := json.Marshal(f)
	if err != nil {
		return strconv.AppendInt(out, 0, 10)
	}
	return append(out, text...)
}
