package holotype

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/config"
	"github.com/seed-89b9419b/holotype/internal/datadir"
	"github.com/seed-89b9419b/holotype/internal/remote"
)

// claimTime bounds the wait for a holder that lets the data directory go: its calls may
// finish, and its bridged servers are stopped.
const claimTime = finishTime + stopTime + 5*time.Second

// claim takes the data directory for a server. From a process that serves the session
// of one client it takes it over: that session goes on attached to this process.
func (s *Server) claim(ctx context.Context, f files) (*place, error) {
	p, err := s.hold(f)
	held, ok := errors.AsType[*datadir.HeldError](err)
	if !ok {
		return p, err
	}
	if err := s.rehearse(ctx, f); err != nil {
		return nil, err
	}
	dir, err := s.dir(f)
	if err != nil {
		return nil, err
	}
	holder := remote.Dial(dir.Dial, s.o.Version)
	waiting, cancel := context.WithTimeout(ctx, claimTime)
	defer cancel()
	pause := time.NewTicker(pauseTime)
	defer pause.Stop()
	for {
		// It is asked again and again: another one may have taken the directory meanwhile.
		if e, refused := capabilities.AsError(holder.Leave(waiting)); refused {
			return nil, fmt.Errorf("%w; %s", held, e.Message)
		}
		p, err := s.hold(f)
		now, ok := errors.AsType[*datadir.HeldError](err)
		if !ok {
			return p, err
		}
		held = now
		select {
		case <-pause.C:
		case <-waiting.Done():
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			return nil, fmt.Errorf("%w; it was asked to let the directory go, and has not", held)
		}
	}
}

// rehearse finds what would keep this process from serving before another one is asked
// to make room for it.
func (s *Server) rehearse(ctx context.Context, f files) error {
	if _, err := s.described(); err != nil {
		return err
	}
	c, err := config.Load(config.Options{
		Path: s.configFile(f), MCPConfigPath: first(f.mcpConfig, s.o.MCPConfig), Lookup: s.o.Lookup, Program: s.program(f.data),
	})
	if err != nil {
		return err
	}
	if err := checkExposure(first(f.listen, c.Listen), c, f.insecure); err != nil {
		return err
	}
	ln, err := listen(ctx, first(f.listen, c.Listen))
	if err != nil {
		return err
	}
	return ln.Close()
}
