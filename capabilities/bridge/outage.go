package bridge

import (
	"errors"
	"io/fs"
	"regexp"
	"time"
)

// An outage is a server that is not there, and what comes next.
type outage struct {
	up      time.Duration // how long it was ready; 0 when it never was
	wait    time.Duration // until it is started again
	attempt int           // of starting it, in a row
	deaths  int           // since it was last up for long
	final   bool          // it is not started again unless that is asked for
}

// wentDown records and reports that the server is not there. err is why its start
// failed, nil of one that was ready.
func (s *supervisor) wentDown(t *turn, err error, o outage) {
	ctx := t.ctx
	repeated := false
	s.during(t, func() {
		before := s.reason
		if s.next = s.o.Now().Add(o.wait); o.final {
			s.next = time.Time{}
		}
		if s.downSince.IsZero() {
			s.downSince = s.o.Now()
		}
		if err == nil {
			s.state = StateExited
			return
		}
		e := asStartError(err)
		s.refused.Store(false)
		s.state, s.phase, s.reason, s.stderr = StateFailed, e.phase, oneLine(e.reason), e.stderr
		if e.held() {
			s.state = StateHeld
		}
		repeated = sameButNumbers(before, s.reason) && s.restarts > 0
	})
	st := s.status()
	retry := int(o.wait.Seconds())
	var tail []any
	if st.Stderr != "" {
		tail = []any{"stderr_tail", st.Stderr}
	}
	switch {
	case err == nil:
		s.log.ErrorContext(ctx, "server_exited", append([]any{
			"phase", st.Phase, "cause", st.Reason, "up_seconds", int(o.up.Seconds()), "retry_in_seconds", retry,
		}, tail...)...)
		if o.wait > 0 {
			s.log.WarnContext(ctx, "server_restart_held_back", "deaths", o.deaths, "retry_in_seconds", retry)
		}
	case o.final:
		s.log.ErrorContext(ctx, "server_failed", "phase", st.Phase, "reason", st.Reason)
	case repeated:
		// The same again: the first line said it.
		s.log.DebugContext(ctx, "server_restart_failed", "attempt", o.attempt, "error", st.Reason, "phase", st.Phase, "retry_in_seconds", retry)
	case t.ready:
		s.log.ErrorContext(ctx, "server_restart_failed", append([]any{
			"attempt", o.attempt, "error", st.Reason, "phase", st.Phase, "retry_in_seconds", retry,
		}, tail...)...)
	default:
		s.log.ErrorContext(ctx, "server_failed", append([]any{"phase", st.Phase, "reason", st.Reason}, tail...)...)
		s.log.InfoContext(ctx, "server_start_retry_scheduled", "attempt", o.attempt, "retry_in_seconds", retry)
	}
}

var numbers = regexp.MustCompile(`[0-9]+`)

// sameButNumbers compares two reasons: the time, a process or a count in a server's
// words does not make them news.
func sameButNumbers(a, b string) bool {
	return numbers.ReplaceAllLiteralString(a, "0") == numbers.ReplaceAllLiteralString(b, "0")
}

func asStartError(err error) *startError {
	if err == nil {
		return &startError{}
	}
	if e, ok := errors.AsType[*startError](err); ok {
		return e
	}
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
		return &startError{phase: "start", reason: "cannot be started: " + err.Error()}
	}
	return &startError{phase: "start", reason: "could not be started: " + err.Error()}
}
