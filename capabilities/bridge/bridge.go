package bridge

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/drain"
)

// Options configure a [Bridge].
type Options struct {
	Servers []Server
	// Publish is called with all tools of one instance of a server when they are first
	// known and whenever they change, one call at a time an instance, and with none when
	// the instance is removed. seat is that of [Server], "" for a server that everybody
	// shares. A server that goes down keeps its tools: they refuse until it is back.
	// Publish may ask for the Status and must call nothing that changes the bridge.
	Publish func(seat, server string, tools []*capabilities.Capability)
	// Updated is called when a server says that a resource has changed which was subscribed
	// to; nil is told nothing. It must return soon.
	Updated func(seat, server, uri string)
	// Listened reports whether anybody listens still to a resource of a server, at whatever
	// seat. What nobody listens to is given back to its server, which is not bothered at once:
	// when it tells of a change, or when there is no room for another. Whoever subscribes
	// listens before the call. Nil is yes. It must return soon and call nothing of the bridge.
	Listened func(server, uri string) bool
	// Memory keeps the accepted hints of tools; nil keeps them as long as the process
	// lives.
	Memory Memory
	// ReservedNames reports exposed names no tool may have: those of builtins. nil
	// reserves none.
	ReservedNames func(name string) bool
	// ReservedServers are names no server may have: those of packs.
	ReservedServers []string
	// HostEnv is the environment of this process, as [os.Environ] answers it. A child
	// gets a stated part of it.
	HostEnv []string
	Version string // of this program, told to every server
	Program string // how a command begins that a remedy names; "" is holotype
	// Mark tells this program's server from all others of its kind, 8 to 64 letters and
	// digits; "" where nothing of it is ever bridged. What leads back to it is not
	// presented.
	Mark string
	// Sending is told of every call that is sent to a server, and answers the trace that goes
	// with it and what is called with how the call ended, once. Nil sends on the trace that
	// a call came with.
	Sending func(inv *capabilities.Invocation, to Recipient) (capabilities.Trace, func(error))
	Log     *slog.Logger
	Now     func() time.Time

	tuning  tuning
	spawner *spawner // of every child
}

// Recipient is the instance of a server that a call is sent to.
type Recipient struct {
	Key
	Tool      string // its own name of the tool
	Transport string // "stdio", "http" or "sse"
	Version   string // the protocol version
}

// tuning holds what tests shorten.
type tuning struct {
	probe    time.Duration // wait for server/discover
	cold     time.Duration // the same of a command that has not written anything; 0 for its own
	grace    time.Duration // each step of stopping a child
	drain    time.Duration // for the calls that run when a server is to be stopped
	debounce time.Duration // after tools/list_changed
	relist   time.Duration // between lists nobody asked for
	line     time.Duration // for the end of a line, or event, over the limit
	after    func(time.Duration) <-chan time.Time
}

// A Bridge supervises the configured servers. Its methods may be called from any
// goroutine.
type Bridge struct {
	o       Options
	running drain.Group

	// changing is held by whatever changes what is configured or runs; it guards the
	// four below it.
	changing sync.Mutex
	root     context.Context //nolint:containedctx // of everything that runs; nil before Start
	cancel   context.CancelFunc
	stopped  bool
	leaving  map[Key]*supervisor // the last one that was removed, by its key

	mu    sync.Mutex // taken after changing
	order []*supervisor
}

// New checks the whole configuration and answers a bridge that is not started.
// The error is [Faults], all of them at once.
func New(o Options) (*Bridge, error) {
	if o.Publish == nil || o.Log == nil || o.Now == nil {
		return nil, errors.New("a bridge needs Publish, Log and Now")
	}
	if o.Memory == nil {
		o.Memory = &processMemory{}
	}
	o.Program = cmp.Or(o.Program, "holotype")
	o.spawner = &spawner{}
	o.tuning.fill()
	b := &Bridge{o: o, leaving: map[Key]*supervisor{}}
	specs, err := b.specs(o.Servers)
	if err != nil {
		return nil, err
	}
	b.o.Servers = nil
	if names := withheldLogins(o.HostEnv); len(names) > 0 && slices.ContainsFunc(o.Servers, func(s Server) bool { return s.Command != "" }) {
		o.Log.Warn("proxy_login_withheld", "variables", names)
	}
	for _, sp := range specs {
		b.order = append(b.order, newSupervisor(sp, &b.o))
	}
	return b, nil
}

func (t *tuning) fill() {
	put := func(d *time.Duration, v time.Duration) {
		if *d == 0 {
			*d = v
		}
	}
	if t.probe != 0 {
		put(&t.cold, t.probe)
	}
	put(&t.probe, probeLimit)
	put(&t.grace, stopGrace)
	put(&t.drain, 5*time.Second)
	put(&t.debounce, 200*time.Millisecond)
	put(&t.relist, 5*time.Minute)
	put(&t.line, lineGrace)
	if t.after == nil {
		t.after = time.After
	}
}

// Errors of what is asked of a bridge.
var (
	// ErrUnknownServer says that no server of that name is configured.
	ErrUnknownServer = errors.New("no server has this name")
	// ErrUnknownTool says that no instance of a server lists a tool of that name.
	ErrUnknownTool = errors.New("no tool has this name")
)

// Ready waits until every instance of the named server is ready or has failed to become
// so, for the first time under its configuration of now. It answers ErrUnknownServer,
// the end of ctx, or why the first instance that is not ready is not.
func (b *Bridge) Ready(ctx context.Context, server string) error {
	all := slices.DeleteFunc(b.supervisors(), func(s *supervisor) bool { return s.key.Server != server })
	if len(all) == 0 {
		return fmt.Errorf("%w: %q", ErrUnknownServer, server)
	}
	if err := settled(ctx, all); err != nil {
		return err
	}
	for _, s := range all {
		if st := s.status(); st.State != StateReady {
			return fmt.Errorf("server %q %s", s.key, st.Reason)
		}
	}
	return nil
}

// WaitStarted waits until every server is ready or has failed to become so, for the
// first time under its configuration of now. It answers the end of ctx.
func (b *Bridge) WaitStarted(ctx context.Context) error { return settled(ctx, b.supervisors()) }

func settled(ctx context.Context, all []*supervisor) error {
	for _, s := range all {
		select {
		case <-s.firstStart():
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// chance is where the jitter of restarts comes from; nothing depends on it.
func chance() float64 { return rand.Float64() }
