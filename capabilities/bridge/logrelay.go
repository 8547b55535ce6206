package bridge

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/rawjson"
)

// The bounds of what one call relays of its server's log.
const (
	maxLogMessage   = 64 << 10 // bytes of one message
	maxLogBytes     = 1 << 20  // of all
	maxLogMessages  = 1000
	maxLogPerSecond = 100
)

// A logBudget counts what was relayed.
type logBudget struct {
	messages, bytes, left int // left were left out
	second                time.Time
	within                int // this second
}

// spend reports whether one more message fits.
func (b *logBudget) spend(size int, now time.Time) bool {
	if now.Sub(b.second) >= time.Second || now.Before(b.second) {
		b.second, b.within = now, 0
	}
	if b.messages >= maxLogMessages || b.bytes+size > maxLogBytes || b.within >= maxLogPerSecond || size > maxLogMessage {
		b.left++
		return false
	}
	b.messages, b.bytes, b.within = b.messages+1, b.bytes+size, b.within+1
	return true
}

// level answers what a server is to log for the call, or "" where nobody wants to know.
func (c *courier) level(l *link) string {
	if c == nil || c.logs == nil || !c.sp.conf.Relay.Logging || !l.offers.logging {
		return ""
	}
	return c.logs.Level
}

// askLevel has a server of the handshake era log at least that, which it does from then on
// for everybody: who wants less is told less here. What it answers does not matter.
func (s *supervisor) askLevel(ctx context.Context, l *link, level string) {
	wanted := int32(slices.Index(capabilities.LogLevels(), level)) + 1
	for {
		now := l.level.Load()
		if wanted <= 0 || now != 0 && now <= wanted {
			return
		}
		if l.level.CompareAndSwap(now, wanted) {
			break
		}
	}
	body := append(rawjson.AppendQuoted([]byte(`{"level":`), level), '}')
	if _, err := s.send(ctx, l, request{method: capabilities.RelayLogging, body: body, repeatable: true}); err != nil {
		s.log.DebugContext(ctx, "server_log_level_refused", "reason", s.redact(err.Error()))
	}
}

// logMessage passes on what the server logs, under its name, to a client that asked for it.
func (c *courier) logMessage(params json.RawMessage) {
	if c.logs == nil || !c.sp.conf.Relay.Logging || rawjson.Kind(params) != '{' {
		return
	}
	if level, _ := rawjson.String(rawjson.Member(params, "level")); !c.logs.Wants(level) || rawjson.Member(params, "data") == nil {
		return
	}
	c.mu.Lock()
	pass := !c.ended && c.logged.spend(len(params), c.now())
	c.mu.Unlock()
	if !pass {
		return
	}
	logger := c.sp.conf.Name
	if own, _ := rawjson.String(rawjson.Member(params, "logger")); own != "" {
		logger += "/" + c.sp.masker().mask(bounded(own, 200))
	}
	out := append([]byte(`{"logger":`), rawjson.AppendQuoted(nil, logger)...)
	for key, value := range rawjson.Members(c.sp.masker().maskJSON(params)) {
		switch key {
		case "level", "data":
			out = append(append(rawjson.AppendQuoted(append(out, ','), key), ':'), value...)
		}
	}
	out = append(out, '}')
	c.tell(func() { c.logs.Tell(out) })
}

// tellLeft says how many messages were left out.
func (c *courier) tellLeft(left int) {
	if left == 0 || !c.logs.Wants("warning") {
		return
	}
	out := append([]byte(`{"logger":`), rawjson.AppendQuoted(nil, c.sp.conf.Name)...)
	out = append(out, `,"level":"warning","data":`...)
	c.logs.Tell(append(rawjson.AppendQuoted(out, fmt.Sprintf("%d more messages of this call are left out, which is too many or too large", left)), '}'))
}
