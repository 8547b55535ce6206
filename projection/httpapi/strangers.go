package httpapi

import (
	"context"
	"log/slog"
	"net/http"
	"sync"
	"time"
)

// strangersEvery bounds how often the log says that credentials were refused.
const strangersEvery = time.Minute

// strangers counts the requests whose credential was not good. The log says that there are
// some, and whoever sends many does not fill it.
type strangers struct {
	mu    sync.Mutex
	said  time.Time // when the log said so last
	since int       // how many were refused after that
}

// count counts one and answers how many there were since the log said so last, this one
// among them; 0 where it need not say so again yet.
func (s *strangers) count(now time.Time) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.since++
	if !s.said.IsZero() && now.Sub(s.said) < strangersEvery {
		return 0
	}
	n := s.since
	s.said, s.since = now, 0
	return n
}

// stranger notes a request whose credential is not good. Nothing of what it sent is
// logged but where it came from and went to.
func (s *Server) stranger(x *exchange, r *http.Request, path string) {
	n := s.strangers.count(s.o.Now())
	if n == 0 {
		return
	}
	s.o.Log.LogAttrs(context.WithoutCancel(r.Context()), slog.LevelWarn, "credential_refused", slog.Int("refused", n), slog.String("from", fromOf(r)),
		slog.String("path", clip(path)), slog.String("request_id", x.id[0]))
}
