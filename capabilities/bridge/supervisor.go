package bridge

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/seed-89b9419b/holotype/internal/drain"
)

// A supervisor keeps one instance of a server running, by the configuration of the
// moment. Its goroutine alone starts and lists; calls and changes of the configuration
// come from any.
type supervisor struct {
	key   Key
	o     *Options
	log   *slog.Logger
	after *supervisor // of the same key, removed, which has to be gone first; or nil

	gone     chan struct{} // closed when nothing of it runs any more
	changed  chan struct{} // a token when the tools may have changed
	offering chan struct{} // a token when what is offered beside tools may have changed
	unheard  chan string   // a resource that the server told of and nobody listens to
	retry    chan struct{} // a token when the next start is not to be waited for
	junk     atomic.Int64
	refused  atomic.Bool // it runs and did not take our credential
	// lastAnswer is when it last answered a call, in nanoseconds since 1970.
	lastAnswer atomic.Int64
	calls      drain.Group // that use a link
	limits     limiter

	renewing sync.Mutex // one new session at a time

	// presenting is held while tools are presented and published. It is taken before mu,
	// and guards the five below it.
	presenting sync.Mutex
	offered    offers
	revised    revisions
	hints      *acceptance // nil until the first presentation
	kept       *keptList   // nil until the first list
	withdrawn  bool        // nothing is published any more

	mu         sync.Mutex
	spec       *spec
	turn       *turn // nil before the first, between two and after the last
	removed    bool
	settled    chan struct{} // closed when the first start of a turn has come to an end
	link       *link         // nil unless ready
	state      State
	phase      string
	reason     string
	stderr     string
	next       time.Time
	restarts   int
	lastExit   Exit
	afterCall  int // how often in a row it exited right after a call
	downSince  time.Time
	was        string // the reason it went down for
	seen       serverInfo
	shown      *presentation
	offerLists map[string]keptOffers // what the server offers beside tools, by the method
	// subscribed are the resources whose changes are asked for, and over which link.
	subscribed map[string]*link

	// subscribing has room for whoever changes subscribed; it is taken before mu.
	subscribing chan struct{}
}

// serverInfo is what a handshake told.
type serverInfo struct {
	kind, version, name, title, number string
	modern                             bool
}

func newSupervisor(sp *spec, o *Options) *supervisor {
	s := &supervisor{
		key: sp.conf.key(), o: o, log: o.Log.With("server", sp.conf.Name), spec: sp, gone: make(chan struct{}),
		settled: make(chan struct{}), changed: make(chan struct{}, 1), offering: make(chan struct{}, 1), unheard: make(chan string, 1), subscribing: make(chan struct{}, 1), retry: make(chan struct{}, 1),
		state: StateIdle, reason: "was not started by this process", shown: &presentation{}, seen: serverInfo{kind: sp.conf.transport()},
	}
	if s.key.Seat != "" {
		s.log = s.log.With("seat", s.key.Seat)
	}
	return s
}

// run keeps the server running until root ends or it is removed.
func (s *supervisor) run(root context.Context) {
	defer close(s.gone)
	if s.after != nil {
		<-s.after.gone
		s.after = nil
	}
	for t := s.nextTurn(root); t != nil; t = s.nextTurn(root) {
		s.take(t)
		t.endLife(context.Cause(t.ctx))
	}
	s.set(func() {
		if !s.removed {
			s.state, s.reason = StateStopped, "was stopped"
		}
		s.next = time.Time{}
		s.settleNow()
	})
}

// take starts the server and starts it again until the turn ends.
func (s *supervisor) take(t *turn) {
	ctx := t.ctx
	if t.spec.held() {
		s.during(t, func() { s.heldBack(t.spec) })
		s.log.ErrorContext(ctx, "server_credential_missing", "phase", phaseConfiguration, "reason", "is not started: "+joinFaults(t.spec.conf.Unresolved).Error())
		s.settle(t)
		<-ctx.Done()
		return
	}
	var plan schedule
	for attempt := 1; ; attempt++ {
		l, err := s.open(t, attempt)
		var up time.Duration
		if err == nil {
			s.settle(t)
			began := s.o.Now()
			s.serve(t, l)
			up = max(s.o.Now().Sub(began), 1)
			attempt = 0
		}
		if ctx.Err() != nil {
			return
		}
		wait := plan.next(up, chance())
		e := asStartError(err)
		if e.held() {
			// A credential does not get better by being tried often.
			wait = plan.slowest(chance())
		}
		s.wentDown(t, err, outage{up: up, wait: wait, attempt: attempt, deaths: plan.deaths, final: e.final})
		s.settle(t)
		asked, ok := s.pause(ctx)
		if !ok {
			return
		}
		if asked {
			plan = schedule{}
		}
		s.during(t, func() {
			s.state, s.next = StateStarting, time.Time{}
			s.restarts++
			select {
			case <-s.retry: // it comes now
			default:
			}
		})
	}
}

func (s *supervisor) set(change func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change()
}

// specNow answers the configuration of now.
func (s *supervisor) specNow() *spec {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.spec
}

// redact masks the values of the configuration in what is written here.
func (s *supervisor) redact(text string) string { return s.specNow().redact(text) }

// open dials, reads the tools and publishes them.
func (s *supervisor) open(t *turn, attempt int) (*link, error) {
	ctx := t.ctx
	began := s.o.Now()
	l, err := s.dial(ctx, t)
	if err != nil {
		return nil, err
	}
	list, err := s.list(ctx, l)
	if err == nil && list.itself {
		l.shut()
		return nil, errItself()
	}
	if err != nil {
		e := &startError{phase: "list", reason: t.spec.redact(err.Error())}
		if f, ok := errors.AsType[*failure](err); ok {
			e.status = f.credential
		}
		l.shut()
		if l.stderr != nil {
			e.stderr = t.spec.redact(l.stderr())
		}
		return nil, e
	}
	var (
		taken   bool
		downFor time.Duration
		was     string
	)
	s.during(t, func() {
		if !s.downSince.IsZero() {
			downFor, was = s.o.Now().Sub(s.downSince), s.was
		}
		s.link, s.downSince, s.was, taken = l, time.Time{}, "", true
	})
	if !taken {
		l.shut()
		return nil, context.Cause(ctx)
	}
	s.publish(t, list, l)
	s.during(t, func() { s.state, s.phase, s.reason, s.stderr, s.next = StateReady, "", "", "", time.Time{} })
	st := s.status()
	attrs := []any{
		"transport", st.Transport, "protocol", st.Version, "tools", st.Tools, "skipped", len(st.Skipped),
		"duration_ms", s.o.Now().Sub(began).Milliseconds(), "attempt", attempt,
	}
	if t.ready {
		s.log.InfoContext(ctx, "server_restarted", append(attrs, "restarts", st.Restarts, "down_seconds", int(downFor.Seconds()), "was", was)...)
	} else {
		s.log.InfoContext(ctx, "server_ready", attrs...)
	}
	t.ready = true
	s.resubscribe(ctx, l)
	return l, nil
}

func (s *supervisor) dial(ctx context.Context, t *turn) (*link, error) {
	s.mu.Lock()
	silent := t.silent
	s.mu.Unlock()
	// Asked now, for the answer may have come when nobody waited for it any more.
	legacy := silent != nil && silent()
	var l *link
	var err error
	if t.spec.conf.Peer != nil {
		return t.dialer.dialPeer(), nil
	}
	switch t.spec.conf.transport() {
	case TransportStdio:
		l, err = t.dialer.dialStdio(ctx, legacy)
	case TransportSSE:
		l, err = t.dialer.dialSSE(ctx)
	default:
		l, err = t.dialer.dialHTTP(ctx, legacy)
	}
	if err != nil {
		return nil, err
	}
	info := serverInfo{kind: l.kind, version: l.version, modern: l.modern}
	if r := l.session.InitializeResult(); r != nil && r.ServerInfo != nil {
		name := func(of string) string { return oneName(t.spec.masker().mask(of)) }
		info.name, info.title, info.number = name(r.ServerInfo.Name), name(r.ServerInfo.Title), name(r.ServerInfo.Version)
	}
	s.during(t, func() {
		t.silent = l.silent
		if legacy && info.number != s.seen.number {
			t.silent = nil // another version of it may have learnt to answer
		}
		s.seen = info
	})
	return l, nil
}

// maxName bounds what a server calls itself.
const maxName = 200

func oneName(name string) string { return bounded(printable([]byte(name)), maxName) }

func (s *supervisor) list(ctx context.Context, l *link) (*listing, error) {
	limit := s.specNow().conf.startupTimeout()
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	if of, ok := l.lane.(*peerLane); ok {
		return s.listPeer(ctx, l, of.peer)
	}
	list, err := listTools(ctx, l.lane, l.mirrors())
	if err != nil && errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return nil, fmt.Errorf("did not list its tools within %s", limit)
	}
	if list != nil {
		list.modern = l.modern
		list.itself = s.o.Mark != "" && list.mark == s.o.Mark
		list.trace()
		list.loopsOut(s.o.Mark)
	}
	return list, err
}

// serve keeps the tools of a running server up to date until its connection ends
// or the turn does. Nothing is left of the connection then.
func (s *supervisor) serve(t *turn, l *link) {
	ctx := t.ctx
	var renewals schedule
	var renewal, offersDue <-chan time.Time
	var offersShown time.Time
	began := s.o.Now()
	for {
		done := l.done
		if renewal != nil {
			done = nil // waiting to replace it already
		}
		select {
		case <-ctx.Done():
			s.drop(t, l)
			return
		case <-s.changed:
			if !s.settleDown(ctx) {
				continue
			}
			s.refresh(t, s.current())
		case <-s.offering:
			if offersDue == nil {
				offersDue = time.After(max(s.o.tuning.debounce, time.Until(offersShown.Add(offersPace*s.o.tuning.debounce))))
			}
		case <-offersDue:
			offersDue, offersShown = nil, time.Now()
			s.showOffers()
		case uri := <-s.unheard:
			s.giveBackNow(ctx, s.current(), uri)
		case <-s.relistDue(l):
			s.refresh(t, s.current())
		case <-done:
			if now := s.current(); now != nil && now != l {
				l = now // a call made a new session meanwhile
				continue
			}
			if l.kind != TransportHTTP {
				s.drop(t, l)
				return
			}
			// What ended is the stream of notifications; the data lane needs none. It goes
			// on while the session is made anew, which a server that keeps breaking it off
			// is not asked for without a pause.
			wait := renewals.next(max(s.o.Now().Sub(began), 1), chance())
			s.log.DebugContext(ctx, "server_stream_ended", "reason", t.spec.redact(l.reason()), "renew_seconds", int(wait.Seconds()))
			renewal = s.o.tuning.after(wait)
		case <-renewal:
			renewal = nil
			began = s.o.Now()
			next, err := s.renew(ctx, l)
			if err != nil {
				if ctx.Err() == nil {
					s.drop(t, l)
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
func (s *supervisor) drop(t *turn, l *link) {
	asked := t.ctx.Err() != nil
	reason := "was stopped"
	if !asked {
		reason = oneLine(t.spec.redact(l.reason()))
	}
	var now *link
	s.set(func() {
		if now = t.leaving; s.turn == t {
			now, s.link, s.reason, s.phase = s.link, nil, reason, phaseRun
		}
		t.leaving = nil
	})
	if asked {
		s.drain(t)
		t.endLife(context.Cause(t.ctx))
	}
	if now != nil && now != l {
		now.shut()
	}
	l.shut()
	if l.stderr != nil {
		s.during(t, func() { s.stderr = t.spec.redact(l.stderr()) })
	}
	if !asked {
		// How a process ended is known for sure when nothing is left of it.
		reason = oneLine(t.spec.redact(l.reason()))
		s.during(t, func() { s.reason = reason })
		s.noteExit(t)
	}
}

const (
	// soonAfter is how soon after its answer an exit counts as an exit after a call.
	soonAfter = 2 * time.Second
	// manyExits is how many of them make a habit.
	manyExits = 3
)

// noteExit keeps how a server went down. Of one that exits after every call it says
// that it does.
func (s *supervisor) noteExit(t *turn) {
	ago := time.Duration(s.o.Now().UnixNano() - s.lastAnswer.Load())
	s.during(t, func() {
		if ago > soonAfter {
			s.afterCall = 0
		} else if s.afterCall++; s.afterCall >= manyExits {
			s.reason += fmt.Sprintf("; it went down right after each of its last %d calls", s.afterCall)
		}
		s.was, s.lastExit = s.reason, Exit{Reason: s.reason, At: s.o.Now()}
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
func (s *supervisor) refresh(t *turn, l *link) {
	if l == nil {
		return
	}
	list, err := s.list(t.ctx, l)
	if err != nil {
		if t.ctx.Err() == nil {
			s.log.WarnContext(t.ctx, "server_list_failed", "reason", t.spec.redact(err.Error()))
		}
		return
	}
	s.publish(t, list, l)
	s.resubscribe(t.ctx, l)
}

// renew makes a new session in place of old, once however many ask for it.
func (s *supervisor) renew(ctx context.Context, old *link) (*link, error) {
	s.renewing.Lock()
	defer s.renewing.Unlock()
	s.mu.Lock()
	t, now := s.turn, s.link
	s.mu.Unlock()
	switch {
	case t == nil || now == nil:
		return nil, errors.New("it is not running")
	case now != old:
		return now, nil
	}
	// Whoever asked may be gone before the session is made, and so may the server.
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(t.ctx, cancel)()
	l, err := s.dial(ctx, t)
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

// pause waits until the next start is due, which it may never be, or asked for. ok is
// false when ctx ended.
func (s *supervisor) pause(ctx context.Context) (asked, ok bool) {
	s.mu.Lock()
	next := s.next
	s.mu.Unlock()
	var due <-chan time.Time // never, unless a start is due
	if !next.IsZero() {
		wait := next.Sub(s.o.Now())
		if wait <= 0 {
			return false, ctx.Err() == nil
		}
		due = s.o.tuning.after(wait)
	}
	select {
	case <-due:
		return false, true
	case <-s.retry:
		return true, true
	case <-ctx.Done():
		return false, false
	}
}

func (s *supervisor) noteChange() {
	select {
	case s.changed <- struct{}{}:
	default: // one is waiting already
	}
}

func (s *supervisor) onJunk(t *turn, line []byte) {
	if s.junk.Add(1) == 1 {
		s.log.Warn("server_junk", "line", t.spec.redact(printable(line[:min(len(line), 200)])))
	}
}

func (s *supervisor) onStderr(t *turn, line string) {
	if s.log.Enabled(t.life, slog.LevelDebug) {
		s.log.DebugContext(t.life, "server_stderr", "line", t.spec.redact(line))
	}
}
