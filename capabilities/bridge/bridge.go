package bridge

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/seed-89b9419b/holotype/capabilities"
)

// Options configure a [Bridge].
type Options struct {
	Servers []Server
	// Publish is called with all tools of one server when they are first known and
	// whenever they change, one call at a time a server. A server that goes down
	// keeps its tools: they refuse until it is back.
	Publish func(server string, tools []*capabilities.Capability)
	// ReservedNames reports exposed names no tool may have: those of builtins. nil
	// reserves none.
	ReservedNames func(name string) bool
	// ReservedServers are names no server may have: those of packs.
	ReservedServers []string
	// HostEnv is the environment of this process, as [os.Environ] answers it. A child
	// gets a stated part of it.
	HostEnv []string
	Version string // of this program, told to every server
	Log     *slog.Logger
	Now     func() time.Time

	tuning tuning
}

// tuning holds what tests shorten.
type tuning struct {
	probe    time.Duration // wait for server/discover
	grace    time.Duration // each step of stopping a child
	debounce time.Duration // after tools/list_changed
	relist   time.Duration // between lists nobody asked for
	line     time.Duration // for the end of a line, or event, over the limit
	after    func(time.Duration) <-chan time.Time
}

// A Bridge supervises the configured servers.
type Bridge struct {
	servers []*supervisor
	running sync.WaitGroup
	cancel  context.CancelFunc
	once    sync.Once
}

// New checks the whole configuration and answers a bridge that is not started.
// The error is [Faults], all of them at once.
func New(o Options) (*Bridge, error) {
	if o.Publish == nil || o.Log == nil || o.Now == nil {
		return nil, errors.New("a bridge needs Publish, Log and Now")
	}
	if faults := checkServers(o.Servers, o.ReservedServers); len(faults) > 0 {
		return nil, faults
	}
	t := &o.tuning
	if t.probe == 0 {
		t.probe = 3 * time.Second
	}
	if t.grace == 0 {
		t.grace = stopGrace
	}
	if t.debounce == 0 {
		t.debounce = 200 * time.Millisecond
	}
	if t.relist == 0 {
		t.relist = 5 * time.Minute
	}
	if t.line == 0 {
		t.line = lineGrace
	}
	if t.after == nil {
		t.after = time.After
	}
	b := &Bridge{}
	for _, s := range o.Servers {
		one, err := newSupervisor(s, &o)
		if err != nil {
			return nil, fmt.Errorf("server %q: %w", s.Name, err)
		}
		b.servers = append(b.servers, one)
	}
	return b, nil
}

// Start starts every server at once and returns. The servers run until
// [Bridge.Stop] or the end of ctx, which has to be followed by Stop.
func (b *Bridge) Start(ctx context.Context) {
	b.once.Do(func() {
		running, cancel := context.WithCancel(ctx)
		b.cancel = cancel
		for _, s := range b.servers {
			b.running.Go(func() { s.run(running) })
		}
	})
}

// ErrUnknownServer says that no server of that name is configured.
var ErrUnknownServer = errors.New("no server has this name")

// Ready waits until the named server is ready or has failed to become so for the
// first time. It answers ErrUnknownServer, the end of ctx, or why the server is
// not ready.
func (b *Bridge) Ready(ctx context.Context, server string) error {
	i := slices.IndexFunc(b.servers, func(s *supervisor) bool { return s.conf.Name == server })
	if i < 0 {
		return fmt.Errorf("%w: %q", ErrUnknownServer, server)
	}
	s := b.servers[i]
	select {
	case <-s.settled:
	case <-ctx.Done():
		return ctx.Err()
	}
	if st := s.status(); st.State != StateReady {
		return fmt.Errorf("server %q %s", server, st.Reason)
	}
	return nil
}

// WaitStarted waits until every server is ready or has failed to become so for
// the first time. It answers the end of ctx.
func (b *Bridge) WaitStarted(ctx context.Context) error {
	for _, s := range b.servers {
		select {
		case <-s.settled:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// Stop stops every server, all at once, and returns when nothing is left of them
// or ctx ends. It takes at most some 6 seconds.
func (b *Bridge) Stop(ctx context.Context) error {
	b.once.Do(func() {}) // never start after a stop
	if b.cancel != nil {
		b.cancel()
	}
	done := make(chan struct{})
	go func() {
		b.running.Wait()
		close(done)
	}()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("stopping the servers: %w", ctx.Err())
	}
}

// Status answers where every server stands, in the order of the configuration.
func (b *Bridge) Status() []Status {
	all := make([]Status, len(b.servers))
	for i, s := range b.servers {
		all[i] = s.status()
	}
	return all
}

// Lookup answers what an exposed name stands for now.
func (b *Bridge) Lookup(exposed string) (Wire, bool) {
	for _, s := range b.servers {
		if w, ok := s.names().Lookup(exposed); ok {
			return w, true
		}
	}
	return Wire{}, false
}

// chance is where the jitter of restarts comes from; nothing depends on it.
func chance() float64 { return rand.Float64() }
