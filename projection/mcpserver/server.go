package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/mcphook"
)

// Options configure a [Server]. Door, Viewer, Log and Now are required.
type Options struct {
	Door   capabilities.Invoker
	Viewer capabilities.Viewer
	Log    *slog.Logger
	Now    func() time.Time
	// Name and Version are who answers, on the wire; "" is "holotype" and "dev".
	Name, Version string
	// Authenticate answers who sent an HTTP request, by the request's own credential.
	// An error whose chain holds a [capabilities.Error] is answered as it says, any
	// other and a nil principal as unauthenticated. Without it no HTTP request is let in.
	Authenticate func(*http.Request) (*capabilities.Principal, error)
	// Mark tells this server from all others of its kind, 8 to 64 letters and digits: it
	// stands in every list of tools, and who sends it with a request is this very server.
	// "" says nothing and refuses nobody.
	Mark string
	// Path is where [Server.Handler] is mounted, for [Server.SurfaceFacts].
	Path string
	// ActFor answers a caller as it acts for a person, whom it names by the id, or the
	// refusal; nil lets nobody act for anybody.
	ActFor func(p *capabilities.Principal, person string) (*capabilities.Principal, error)
	// Absent answers the refusal of what is relayed to a server that is in no view and known
	// all the same, such as one that is starting; nil for any other. A nil Absent knows none.
	Absent func(p *capabilities.Principal, server, method string) *capabilities.Error
	// Awaited answers how many servers behind a principal could have tools of that have not
	// told yet what they offer, and the relayed methods that those may have. A client asks
	// once what is served, before they have told. A nil Awaited awaits none.
	Awaited func(p *capabilities.Principal) (servers int, methods []string)
	// DiscoverAbove answers how many tokens the list of a caller may cost a model before the
	// tools of discovery stand in its place; 0, and a nil DiscoverAbove, is any number. What
	// it answers must not change without a swap of the registry, see [capabilities.Live.Renew].
	DiscoverAbove func() int
	// Ledger says that calls with an operation key are served, so that writes publish one.
	Ledger bool

	// Hook is for the tests of this module: its type is internal, so that no program
	// can set it.
	Hook mcphook.Hook
}

// Server serves MCP. Make one with [New]; it is safe for concurrent use.
type Server struct {
	o        Options
	identity json.RawMessage // the {name, version} object
	versions []string        // protocol versions, newest first
	served   map[string]bool
	relayed  map[string]bool // methods that servers behind may serve
	sdk      *mcp.Server
	http     *front
	lists    *lists
	listTail [2][]byte // what ends a list: of the handshake era, and of the one after
	trust    trust
	changes  *changes
	sessions *sessions
	rounds   *rounds
	streams  streamCounts
	hooked   map[string]bool // tools that the library answers
	// discovering are the tools of discovery, by their names.
	discovering map[string]tool

	running     runningCalls
	unsubscribe func()
}

// New answers a server. The error says which option is missing.
func New(o Options) (*Server, error) {
	switch {
	case o.Door == nil:
		return nil, errors.New("the MCP server needs a door to send calls through")
	case o.Viewer == nil:
		return nil, errors.New("the MCP server needs a viewer to list tools from")
	case o.Log == nil || o.Now == nil:
		return nil, errors.New("the MCP server needs a logger and a clock")
	}
	if o.Name == "" {
		o.Name = "holotype"
	}
	if o.Version == "" {
		o.Version = "dev"
	}
	me := &mcp.Implementation{Name: o.Name, Version: o.Version}
	identity, err := json.Marshal(me)
	if err != nil {
		return nil, fmt.Errorf("writing the server's identity: %w", err)
	}
	s := &Server{o: o, identity: identity, versions: mcp.SupportedProtocolVersions(), lists: newLists()}
	if s.discovering, err = compiledTools(); err != nil {
		return nil, err
	}
	s.listTail = s.listTails()
	s.served, s.hooked, s.relayed = set(servedMethods(), o.Hook.Methods), set(o.Hook.Tools), set(relayMethods())
	s.sessions, s.rounds = newSessions(o.Now), newRounds(o.Now)
	library := &mcp.ServerOptions{
		Logger: slog.New(&renamed{next: o.Log.Handler()}),
		// What the library may notify of; what is announced depends on the principal. Explicit:
		// the library would otherwise advertise logging.
		Capabilities: &mcp.ServerCapabilities{
			Tools: &mcp.ToolCapabilities{ListChanged: true}, Prompts: &mcp.PromptCapabilities{ListChanged: true},
			Resources: &mcp.ResourceCapabilities{ListChanged: true, Subscribe: true},
		},
		// Whoever comes here has subscribed through the door.
		SubscribeHandler:   func(context.Context, *mcp.SubscribeRequest) error { return nil },
		UnsubscribeHandler: func(context.Context, *mcp.UnsubscribeRequest) error { return nil },
	}
	if o.Hook.Options != nil {
		o.Hook.Options(library)
	}
	s.sdk = mcp.NewServer(me, library)
	s.changes = newChanges(s)
	s.sdk.AddReceivingMiddleware(s.guarded, s.receiving)
	s.sdk.AddSendingMiddleware(s.changes.sending)
	if o.Hook.Extend != nil {
		o.Hook.Extend(s.sdk)
	}
	s.http = newFront(s)
	s.unsubscribe = o.Viewer.Subscribe(s.changes.changed)
	return s, nil
}

func set(lists ...[]string) map[string]bool {
	all := map[string]bool{}
	for _, one := range slices.Concat(lists...) {
		all[one] = true
	}
	return all
}

// mayBeFast reports whether a message is one that the fast lane answers at all.
func (s *Server) mayBeFast(m *message) bool {
	return !s.o.Hook.Slow && m.isCall() &&
		(m.method == methodList || m.method == methodCall && !s.hooked[m.params.name] ||
			(m.method == capabilities.RelayRead || m.method == capabilities.RelayPrompt) && s.relays(m.method))
}

// Handler answers the handler of streamable HTTP, to be mounted at one path. It
// authenticates every request and bounds bodies; checks of the Origin and Host
// headers belong in front of it.
func (s *Server) Handler() http.Handler { return s.http }

// Shutdown ends every session and stream and waits for the calls that run in them.
// When ctx ends first, those calls are cancelled and the error is ctx's.
func (s *Server) Shutdown(ctx context.Context) error {
	s.unsubscribe()
	s.changes.close()
	s.rounds.close()
	done := make(chan struct{})
	go func() {
		defer close(done)
		var wg sync.WaitGroup
		for ss := range s.sdk.Sessions() {
			wg.Go(func() { s.closeSession(ss) })
		}
		wg.Wait()
		<-s.rounds.running.Idle()
		s.changes.updates.running.Wait()
	}()
	defer s.running.stop()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		s.running.stop()
		<-done
		return ctx.Err()
	}
}

// closeSession ends a session of the library.
func (s *Server) closeSession(ss *mcp.ServerSession) {
	s.changes.unwatch(ss)
	s.sessions.remove(ss.ID())
	if err := ss.Close(); err != nil {
		s.o.Log.Debug("mcp_session_close_failed", "error", err.Error())
	}
}

// runningCalls are the calls that run now, in whichever lane, so that they can be
// cancelled when the server closes. The zero value is ready.
type runningCalls struct {
	mu      sync.Mutex
	next    uint64
	cancels map[uint64]context.CancelFunc
	stopped bool
}

// add notes a call until done is called. Once stopped, it is cancelled at once.
func (r *runningCalls) add(cancel context.CancelFunc) (done func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.stopped {
		cancel()
		return func() {}
	}
	if r.cancels == nil {
		r.cancels = map[uint64]context.CancelFunc{}
	}
	id := r.next
	r.next++
	r.cancels[id] = cancel
	return func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		delete(r.cancels, id)
	}
}

func (r *runningCalls) stop() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.stopped = true
	for _, cancel := range r.cancels {
		cancel()
	}
}

// streamCounts are the connections that are open now, by transport.
type streamCounts struct{ stdio, socket, listening atomic.Int64 }

// renamed gives the library's log lines, whose messages are sentences, one constant
// message at debug level. Attributes are dropped: they may carry a session id.
type renamed struct{ next slog.Handler }

func (r *renamed) Enabled(ctx context.Context, _ slog.Level) bool {
	return r.next.Enabled(ctx, slog.LevelDebug)
}

func (r *renamed) Handle(ctx context.Context, rec slog.Record) error {
	out := slog.NewRecord(rec.Time, slog.LevelDebug, "mcp_library", rec.PC)
	out.AddAttrs(slog.String("text", rec.Message))
	return r.next.Handle(ctx, out)
}

func (r *renamed) WithAttrs([]slog.Attr) slog.Handler { return r }
func (r *renamed) WithGroup(string) slog.Handler      { return r }
