package bridge

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"regexp"
	"sync"
	"sync/atomic"
	"time"
)

// A supervisor keeps one server running. Its goroutine alone starts, lists and
// publishes; calls come from any goroutine.
type supervisor struct {
	conf   Server
	o      *Options
	log    *slog.Logger
	redact func(string) string // of what is written here
	// secrets masks what the server answers.
	secrets *masker
	dialer  *dialer

	settled chan struct{} // closed when the first start has come to an end
	changed chan struct{} // a token when the tools may have changed
	junk    atomic.Int64
	refused atomic.Bool // it runs and did not take our credential
	// lastAnswer is when it last answered a call, in nanoseconds since 1970.
	lastAnswer atomic.Int64

	renewing sync.Mutex // one new session at a time

	mu        sync.Mutex
	link      *link // nil unless ready
	state     State
	phase     string
	reason    string
	stderr    string
	next      time.Time
	restarts  int
	afterCall int // how often in a row it exited right after a call
	downSince time.Time
	legacy    bool // the server cannot take server/discover
	seen      serverInfo
	shown     *presentation
}

// serverInfo is what a handshake told.
type serverInfo struct {
	kind, version, name, title, number string
	modern                             bool
}

func newSupervisor(conf Server, o *Options) (*supervisor, error) {
	s := &supervisor{
		conf: conf, o: o, log: o.Log.With("server", conf.Name), redact: redactor(conf), secrets: newMasker(conf),
		settled: make(chan struct{}), changed: make(chan struct{}, 1),
		state: StateStarting, shown: &presentation{table: &Table{}},
	}
	s.seen.kind = conf.transport()
	s.dialer = &dialer{
		server: conf, version: o.Version, probe: o.tuning.probe, grace: o.tuning.grace, line: o.tuning.line, redact: s.redact,
		env: childEnv(conf.Command, o.HostEnv, conf.Env), onJunk: s.onJunk, onStderr: s.onStderr, onChange: s.noteChange,
		junk: func() int { return int(s.junk.Load()) },
	}
	if conf.URL != "" {
		client, err := newHTTPClient(conf, o.Version)
		if err != nil {
			return nil, err
		}
		s.dialer.http = client
	}
	return s, nil
}

// run starts the server and starts it again until ctx ends.
func (s *supervisor) run(ctx context.Context) {
	defer s.settle()
	s.dialer.life = ctx
	if len(s.conf.Unresolved) > 0 {
		reason := "is not started: " + joinFaults(s.conf.Unresolved).Error()
		s.set(func() { s.state, s.phase, s.reason = StateHeld, phaseConfiguration, reason })
		s.log.ErrorContext(ctx, "server_failed", "phase", "configuration", "reason", reason)
		s.settle()
		<-ctx.Done()
		return
	}
	var plan schedule
	for {
		l, err := s.open(ctx)
		var up time.Duration
		if err == nil {
			s.settle()
			began := s.o.Now()
			s.serve(ctx, l)
			up = max(s.o.Now().Sub(began), 1)
		}
		if ctx.Err() != nil {
			s.set(func() { s.state, s.reason, s.next = StateStopped, "was stopped", time.Time{} })
			return
		}
		wait := plan.next(up, chance())
		if asStartError(err).held() {
			// A credential does not get better by being tried often.
			wait = plan.slowest(chance())
		}
		s.wentDown(ctx, err, wait)
		s.settle()
		if !s.pause(ctx) {
			s.set(func() { s.state, s.reason, s.next = StateStopped, "was stopped", time.Time{} })
			return
		}
		s.set(func() { s.state = StateStarting; s.restarts++ })
	}
}

// settle says that the first start has come to an end.
func (s *supervisor) settle() {
	select {
	case <-s.settled:
	default:
		close(s.settled)
	}
}

func (s *supervisor) set(change func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change()
}

// open dials, reads the tools and publishes them.
func (s *supervisor) open(ctx context.Context) (*link, error) {
	began := s.o.Now()
	l, err := s.dial(ctx)
	if err != nil {
		return nil, err
	}
	list, err := s.list(ctx, l)
	if err != nil {
		e := &startError{phase: "list", reason: s.redact(err.Error())}
		if f, ok := errors.AsType[*failure](err); ok {
			e.status = f.credential
		}
		l.shut()
		if l.stderr != nil {
			e.stderr = s.redact(l.stderr())
		}
		return nil, e
	}
	var downFor time.Duration
	s.set(func() {
		if !s.downSince.IsZero() {
			downFor = s.o.Now().Sub(s.downSince)
		}
		s.link, s.downSince = l, time.Time{}
	})
	s.publish(ctx, list)
	s.set(func() { s.state, s.phase, s.reason, s.stderr, s.next = StateReady, "", "", "", time.Time{} })
	st := s.status()
	s.log.InfoContext(ctx, "server_ready", "transport", st.Transport, "protocol", st.Version, "tools", st.Tools,
		"skipped", len(st.Skipped), "restarts", st.Restarts, "duration_ms", s.o.Now().Sub(began).Milliseconds(), "down_seconds", int(downFor.Seconds()))
	return l, nil
}

func (s *supervisor) dial(ctx context.Context) (*link, error) {
	s.mu.Lock()
	legacy := s.legacy
	s.mu.Unlock()
	var l *link
	var err error
	switch s.conf.transport() {
	case TransportStdio:
		l, err = s.dialer.dialStdio(ctx, legacy)
	case TransportSSE:
		l, err = s.dialer.dialSSE(ctx)
	default:
		l, err = s.dialer.dialHTTP(ctx, legacy)
	}
	if err != nil {
		return nil, err
	}
	info := serverInfo{kind: l.kind, version: l.version, modern: l.modern}
	if r := l.session.InitializeResult(); r != nil && r.ServerInfo != nil {
		info.name, info.title, info.number = r.ServerInfo.Name, r.ServerInfo.Title, r.ServerInfo.Version
	}
	s.set(func() { s.legacy, s.seen = l.silent, info })
	return l, nil
}

func (s *supervisor) list(ctx context.Context, l *link) (*listing, error) {
	limit := s.conf.startupTimeout()
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	list, err := listTools(ctx, l.lane, l.modern && l.kind == TransportHTTP)
	if err != nil && errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return nil, fmt.Errorf("did not list its tools within %s", limit)
	}
	return list, err
}

// serve keeps the tools of a running server up to date until its connection ends
// or ctx does. Nothing is left of the connection then.
func (s *supervisor) serve(ctx context.Context, l *link) {
	var renewals schedule
	var renewal <-chan time.Time
	began := s.o.Now()
	for {
		done := l.done
		if renewal != nil {
			done = nil // waiting to replace it already
		}
		select {
		case <-ctx.Done():
			s.drop(ctx, l)
			return
		case <-s.changed:
			if !s.settleDown(ctx) {
				continue
			}
			s.refresh(ctx, s.current())
		case <-time.After(s.relistAfter()):
			s.refresh(ctx, s.current())
		case <-done:
			if now := s.current(); now != nil && now != l {
				l = now // a call made a new session meanwhile
				continue
			}
			if l.kind != TransportHTTP {
				s.drop(ctx, l)
				return
			}
			// What ended is the stream of notifications; the data lane needs none. It goes
			// on while the session is made anew, which a server that keeps breaking it off
			// is not asked for without a pause.
			wait := renewals.next(max(s.o.Now().Sub(began), 1), chance())
			s.log.DebugContext(ctx, "server_stream_ended", "reason", s.redact(l.reason()), "renew_seconds", int(wait.Seconds()))
			renewal = s.o.tuning.after(wait)
		case <-renewal:
			renewal = nil
			began = s.o.Now()
			next, err := s.renew(ctx, l)
			if err != nil {
				if ctx.Err() == nil {
					s.drop(ctx, l)
					return
				}
				continue
			}
			l = next
		}
	}
}

// current answers the link of now, or nil.
func (s *supervisor) current() *link {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.link
}

// drop takes the link out of service, with the reason why, and ends it.
func (s *supervisor) drop(ctx context.Context, l *link) {
	reason := "was stopped"
	if ctx.Err() == nil {
		reason = oneLine(s.redact(l.reason()))
	}
	var now *link
	s.set(func() { now, s.link, s.reason, s.phase = s.link, nil, reason, phaseRun })
	if now != nil && now != l {
		now.shut()
	}
	l.shut()
	if l.stderr != nil {
		s.set(func() { s.stderr = s.redact(l.stderr()) })
	}
	if ctx.Err() == nil {
		// How a process ended is known for sure when nothing is left of it.
		reason = oneLine(s.redact(l.reason()))
		s.set(func() { s.reason = reason })
		s.noteExit()
	}
}

const (
	// soonAfter is how soon after its answer an exit counts as an exit after a call.
	soonAfter = 2 * time.Second
	// manyExits is how many of them make a habit.
	manyExits = 3
)

// noteExit says of a server that exits after every call that it does.
func (s *supervisor) noteExit() {
	ago := time.Duration(s.o.Now().UnixNano() - s.lastAnswer.Load())
	s.set(func() {
		if ago > soonAfter {
			s.afterCall = 0
			return
		}
		if s.afterCall++; s.afterCall >= manyExits {
			s.reason += fmt.Sprintf("; it went down right after each of its last %d calls", s.afterCall)
		}
	})
}

// settleDown waits until a burst of notifications is over.
func (s *supervisor) settleDown(ctx context.Context) bool {
	ok := sleep(ctx, s.o.tuning.debounce)
	select {
	case <-s.changed:
	default:
	}
	return ok
}

func (s *supervisor) relistAfter() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	if ttl := s.shown.ttl; ttl > 0 {
		return max(ttl, 30*time.Second)
	}
	return s.o.tuning.relist
}

// refresh reads the tools again. When that fails the last list stays.
func (s *supervisor) refresh(ctx context.Context, l *link) {
	if l == nil {
		return
	}
	list, err := s.list(ctx, l)
	if err != nil {
		if ctx.Err() == nil {
			s.log.WarnContext(ctx, "server_list_failed", "reason", s.redact(err.Error()))
		}
		return
	}
	s.publish(ctx, list)
}

// renew makes a new session in place of old, once however many ask for it.
func (s *supervisor) renew(ctx context.Context, old *link) (*link, error) {
	s.renewing.Lock()
	defer s.renewing.Unlock()
	switch now := s.current(); {
	case now == nil:
		return nil, errors.New("it is not running")
	case now != old:
		return now, nil
	}
	l, err := s.dial(ctx)
	if err != nil {
		return nil, err
	}
	taken := false
	s.set(func() {
		if s.link == old { // it may have been stopped meanwhile
			s.link, taken = l, true
		}
	})
	if !taken {
		l.shut()
		return nil, errors.New("it is not running")
	}
	old.abandon()
	s.noteChange()
	s.log.InfoContext(ctx, "server_session_renewed")
	return l, nil
}

// wentDown records and reports that the server is not there.
func (s *supervisor) wentDown(ctx context.Context, err error, wait time.Duration) {
	repeated := false
	s.set(func() {
		before := s.reason
		s.next = s.o.Now().Add(wait)
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
	attrs := []any{"phase", st.Phase, "reason", st.Reason, "retry_seconds", int(wait.Seconds())}
	if st.Stderr != "" {
		attrs = append(attrs, "stderr_tail", st.Stderr)
	}
	switch {
	case err == nil:
		s.log.ErrorContext(ctx, "server_exited", attrs...)
	case repeated:
		// The same again: the first line said it.
		s.log.DebugContext(ctx, "server_restart_failed", attrs...)
	default:
		s.log.ErrorContext(ctx, "server_failed", attrs...)
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

// pause waits until the next start is due.
func (s *supervisor) pause(ctx context.Context) bool {
	s.mu.Lock()
	wait := s.next.Sub(s.o.Now())
	s.mu.Unlock()
	if wait <= 0 {
		return ctx.Err() == nil
	}
	select {
	case <-s.o.tuning.after(wait):
		return true
	case <-ctx.Done():
		return false
	}
}

func (s *supervisor) noteChange() {
	select {
	case s.changed <- struct{}{}:
	default: // one is waiting already
	}
}

func (s *supervisor) onJunk(line []byte) {
	if s.junk.Add(1) == 1 {
		s.log.Warn("server_junk", "line", s.redact(printable(line[:min(len(line), 200)])))
	}
}

func (s *supervisor) onStderr(line string) {
	if s.log.Enabled(context.Background(), slog.LevelDebug) {
		s.log.Debug("server_stderr", "line", s.redact(line))
	}
}

// names answers the table of now.
func (s *supervisor) names() *Table {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.shown.table
}

func (s *supervisor) status() Status {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.shown
	return Status{
		Name: s.conf.Name, Prefix: s.conf.prefix(), Transport: s.seen.kind, State: s.state, Reason: s.reason, Phase: s.phase,
		Stderr: s.stderr, Restarts: s.restarts, NextTry: s.next, Version: s.seen.version, Modern: s.seen.modern,
		ServerName: s.seen.name, ServerTitle: s.seen.title, ServerNumber: s.seen.number, Tools: len(p.tools), Filtered: p.filtered,
		Skipped: p.skipped, Repaired: p.repaired, OddHints: p.oddHints, Unlisted: p.unlisted, JunkLines: int(s.junk.Load()),
	}
}
