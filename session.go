package holotype

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/projection/cli"
)

// open answers the running server of the data directory, or one in this process.
func (s *Server) open(ctx context.Context, r cli.OpenRequest) (cli.Session, error) {
	return s.openLogging(ctx, r, s.logger(r.Err, slog.LevelWarn))
}

// openQuiet is open for commands that say themselves how the servers are doing.
func (s *Server) openQuiet(ctx context.Context, r cli.OpenRequest) (cli.Session, error) {
	return s.openLogging(ctx, r, slog.New(slog.DiscardHandler))
}

func (s *Server) openLogging(ctx context.Context, r cli.OpenRequest, log *slog.Logger) (cli.Session, error) {
	waiting, cancel := context.WithTimeout(ctx, attachTime)
	defer cancel()
	f := s.usual(files{data: r.Data, config: r.Config, mcpConfig: r.MCPConfig, log: log})
	p, client, err := s.holdOrDial(waiting, f)
	if err != nil {
		return nil, err
	}
	if client != nil {
		if err := s.noteAttached(f, r.Err); err != nil {
			return nil, err
		}
		if err := client.Refresh(ctx); err != nil {
			return nil, err
		}
		return attachedSession{client, s}, nil
	}
	e, err := s.build(p)
	if err != nil {
		return nil, errors.Join(err, p.release())
	}
	running, stop := context.WithCancel(context.WithoutCancel(ctx))
	l := &localSession{Door: e.door, Views: e.views, server: s, engine: e, place: p, cancel: stop}
	l.socket = e.attach(running, p, endsSoon)
	if len(r.Names) > 0 || r.All {
		e.start(running)
	}
	if err := e.await(ctx, r); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return l, nil
}

// await waits for the servers that the request needs: those whose prefix the names
// begin with, or all of them, as for a capability that answers from this process,
// since its servers are part of the answer. A server that does not come has said so
// in the log.
func (e *engine) await(ctx context.Context, r cli.OpenRequest) error {
	all := r.All || slices.ContainsFunc(r.Names, func(name string) bool {
		c, ok := e.registry.Find(name)
		return ok && c.Answers() == capabilities.FromProcess
	})
	for _, st := range e.bridge.Status() {
		needed := all
		for _, name := range r.Names {
			needed = needed || strings.HasPrefix(name, st.Prefix)
		}
		if !needed {
			continue
		}
		if err := e.bridge.Ready(ctx, st.Name); err != nil && ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return nil
}

// localSession is a server in this process.
type localSession struct {
	*capabilities.Door
	*capabilities.Views
	server *Server
	engine *engine
	place  *place
	socket *attachments
	cancel context.CancelFunc
}

// Absent answers why a name in no view is not there now.
func (l *localSession) Absent(_ context.Context, name string) error {
	if e := l.engine.absent(l.Principal(), name); e != nil {
		return e
	}
	if l.place.kept.store == nil && l.server.declares(name) {
		return capabilities.Refuse(capabilities.Unavailable, "%s needs a store: %w", name, l.server.noStore())
	}
	return nil
}

// Attached answers false: the server ends with the session.
func (l *localSession) Attached() bool { return false }

// Principal answers the owner: this process holds the data directory.
func (l *localSession) Principal() *capabilities.Principal { return capabilities.OwnerPrincipal() }

// Close stops the bridged servers and gives the data directory back.
func (l *localSession) Close() error {
	defer l.cancel()
	ctx, done := context.WithTimeout(context.Background(), stopTime)
	defer done()
	return errors.Join(l.socket.close(), l.engine.stop(ctx), l.place.release())
}
