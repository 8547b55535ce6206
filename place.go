package holotype

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/config"
	"github.com/seed-89b9419b/holotype/internal/datadir"
	"github.com/seed-89b9419b/holotype/internal/drain"
	"github.com/seed-89b9419b/holotype/internal/remote"
)

// files are what the flags of a command name; "" takes the option of [Options].
type files struct {
	data, config, mcpConfig, listen string
	log                             *slog.Logger
}

// place is a data directory that this process holds, with what stands in it and
// the configuration that was read.
type place struct {
	holder *datadir.Holder // nil in memory
	config *config.Config
	listen string
	log    *slog.Logger
	token  string
	// tokenFile is where the owner's token stands.
	tokenFile string // "" in memory
	links     *datadir.OneTimeLinks
	sessions  sessions
}

func first(values ...string) string {
	for _, v := range values {
		if v != "" {
			return v
		}
	}
	return ""
}

// inMemory reports whether nothing is kept on disk.
func (s *Server) inMemory(f files) bool { return first(f.data, s.o.Data) == InMemory }

// dir opens the data directory.
func (s *Server) dir(f files) (*datadir.Dir, error) {
	path := first(f.data, s.o.Data)
	if path == "" {
		var err error
		if path, err = config.DefaultDataDir(s.o.Name, s.o.Lookup); err != nil {
			return nil, err
		}
	}
	return datadir.Open(path)
}

// hold takes the data directory for this process.
func (s *Server) hold(f files) (*place, error) {
	if s.inMemory(f) {
		return s.furnish(f, nil, nil)
	}
	dir, err := s.dir(f)
	if err != nil {
		return nil, err
	}
	h, err := dir.Hold()
	if err != nil {
		return nil, err
	}
	p, err := s.furnish(f, dir, h)
	if err != nil {
		return nil, errors.Join(err, h.Release())
	}
	return p, nil
}

// holdOrDial takes the data directory, or answers a client of the process that
// holds it.
func (s *Server) holdOrDial(ctx context.Context, f files) (*place, *remote.Client, error) {
	if s.inMemory(f) {
		p, err := s.furnish(f, nil, nil)
		return p, nil, err
	}
	dir, err := s.dir(f)
	if err != nil {
		return nil, nil, err
	}
	h, conn, err := dir.HoldOrDial(ctx)
	if err != nil {
		return nil, nil, err
	}
	if conn != nil {
		if err := conn.Close(); err != nil {
			return nil, nil, err
		}
		return nil, remote.Dial(dir.Dial, s.o.Version), nil
	}
	p, err := s.furnish(f, dir, h)
	if err != nil {
		return nil, nil, errors.Join(err, h.Release())
	}
	return p, nil, nil
}

// furnish reads the configuration and the owner's token, which is made up where
// there is no directory.
func (s *Server) furnish(f files, dir *datadir.Dir, h *datadir.Holder) (*place, error) {
	c, err := config.Load(config.Options{
		Path: first(f.config, s.o.Config), MCPConfigPath: first(f.mcpConfig, s.o.MCPConfig), Lookup: s.o.Lookup,
	})
	if err != nil {
		return nil, err
	}
	p := &place{holder: h, config: c, listen: first(f.listen, c.Listen), log: f.log}
	if p.log == nil {
		p.log = s.logger(os.Stderr, slog.LevelInfo)
	}
	for _, n := range c.Notices {
		p.log.Warn("config_notice", "notice", n.String())
	}
	if c.Auth == config.AuthNone {
		if err := config.LoopbackOnly(p.listen); err != nil {
			return nil, err
		}
	}
	if dir == nil {
		p.token = datadir.NewToken()
	} else {
		if p.token, err = dir.OwnerToken(); err != nil {
			return nil, err
		}
		p.tokenFile = filepath.Join(dir.Path(), "owner.token")
	}
	p.links = datadir.NewOneTimeLinks(s.o.Now)
	p.sessions = sessions{p.links, datadir.NewSessionKey(p.token), s.o.Now}
	return p, nil
}

// signInPath answers the path of a page that signs the owner's browser in, once.
func (p *place) signInPath(base string) string { return base + "/login?token=" + p.links.Mint() }

func (p *place) release() error {
	if p.holder == nil {
		return nil
	}
	return p.holder.Release()
}

// sessions are the owner's sign-ins from a browser.
type sessions struct {
	links *datadir.OneTimeLinks
	key   datadir.SessionKey
	now   func() time.Time
}

// Redeem spends a one-time token.
func (s sessions) Redeem(token string) bool { return s.links.Redeem(token) }

// Sign answers a cookie value.
func (s sessions) Sign(expiry time.Time) string { return s.key.Sign(expiry) }

// Verify judges a cookie value.
func (s sessions) Verify(value string) bool { return s.key.Verify(value, s.now()) }

// attachments serve the socket of the data directory: other processes of the same
// user attach there.
type attachments struct {
	server *http.Server
	open   drain.Group // MCP sessions of attached processes
}

// attach serves the socket of the place, where it has one, until
// [attachments.close].
func (e *engine) attach(ctx context.Context, p *place) *attachments {
	a := &attachments{server: &http.Server{}} //nolint:gosec // it is replaced before it serves
	if p.holder == nil {
		return a
	}
	serve := func(ctx context.Context, in io.Reader, out io.Writer) error {
		if !a.open.Enter() {
			return errors.New("the process that serves this data directory is stopping")
		}
		defer a.open.Leave()
		return e.mcp.ServeStdio(ctx, in, out, capabilities.OwnerPrincipal())
	}
	a.server = &http.Server{
		Handler: remote.Handler(remote.Options{
			Door: e.door, Viewer: e.views, Principal: capabilities.OwnerPrincipal(), ServeMCP: serve, Version: e.version,
		}),
		ReadHeaderTimeout: 10 * time.Second,
		BaseContext:       func(net.Listener) context.Context { return ctx },
	}
	go func() {
		if err := a.server.Serve(p.holder.Listener()); err != nil && !errors.Is(err, http.ErrServerClosed) && !errors.Is(err, net.ErrClosed) {
			p.log.Error("socket_failed", "error", err.Error())
		}
	}()
	return a
}

// close ends every attachment at once.
func (a *attachments) close() error { return a.server.Close() }
