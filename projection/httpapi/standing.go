package httpapi

import (
	"context"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/seed-89b9419b/holotype/capabilities"
)

// standEvery is how often the credential of a request that goes on is looked at again.
const standEvery = time.Second

// standing ends a request whose credential ends while it goes on: a stream, or a call that
// waits. Its context is cancelled then, with the refusal for the cause.
type standing struct {
	x      *exchange
	r      *http.Request
	cancel context.CancelCauseFunc

	mu    sync.Mutex
	timer *time.Timer
	over  bool
}

// watch answers the request as it ends with its credential. Call end when it is served.
// The credential of the owner does not end, which spares most requests a timer.
func (s *Server) watch(x *exchange, r *http.Request) (_ *http.Request, end func()) {
	if x.principal == nil || !x.session && (s.o.Stands == nil || x.principal.Credential == "") {
		return r, func() {}
	}
	ctx, cancel := context.WithCancelCause(r.Context())
	w := &standing{x: x, r: r, cancel: cancel}
	// Locked, because the timer may go off before this line is over.
	w.mu.Lock()
	defer w.mu.Unlock()
	w.timer = time.AfterFunc(s.every, w.look)
	return r.WithContext(ctx), w.end
}

func (w *standing) end() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.over = true
	w.timer.Stop()
	w.cancel(nil)
}

// look looks at the credential once, and again later where it stands.
func (w *standing) look() {
	err := w.judge()
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case w.over:
	case err != nil:
		w.cancel(err)
	default:
		w.timer.Reset(w.x.s.every)
	}
}

// judge answers the refusal of a credential that is good no more. What cannot be looked
// at just now, as while the store is away, has not ended.
func (w *standing) judge() (ended error) {
	s := w.x.s
	defer func() {
		if p := recover(); p != nil {
			s.o.Log.LogAttrs(w.r.Context(), slog.LevelError, "credential_not_judged", slog.String("request_id", w.x.id[0]), slog.Any("panic", p))
			ended = nil
		}
	}()
	if w.x.session {
		if s.signedIn(w.x, w.r) {
			return nil
		}
		return capabilities.Refuse(capabilities.Unauthenticated, "you have signed out meanwhile: sign in again")
	}
	if e, ok := capabilities.AsError(s.o.Stands(w.r)); ok && e.Code == capabilities.Unauthenticated {
		return e
	}
	return nil
}

// lapsed answers a refusal as the end of the credential makes it, which is why a call that
// waited ended.
func lapsed(r *http.Request, e *capabilities.Error) *capabilities.Error {
	if e.Code != capabilities.Timeout {
		return e
	}
	ended, ok := capabilities.AsError(context.Cause(r.Context()))
	if !ok {
		return e
	}
	own := *ended
	own.MaybeApplied = e.MaybeApplied
	return &own
}
