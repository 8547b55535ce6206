package holotype

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/capabilities/bridge"
	"github.com/seed-89b9419b/holotype/internal/config"
	"github.com/seed-89b9419b/holotype/internal/datadir"
	"github.com/seed-89b9419b/holotype/internal/plainfile"
	"github.com/seed-89b9419b/holotype/internal/remote"
	"github.com/seed-89b9419b/holotype/projection/cli"
)

// files are what the flags of a command name; "" takes the option of [Options].
type files struct {
	data, config, mcpConfig, listen string
	usual                           string // the configuration file in its usual place, where a command looks there
	seat                            string
	discovery                       bool // a session is given the tools of discovery
	insecure                        bool // other machines may be served without TLS
	log                             *slog.Logger
}

// check refuses a flag that names no file: the command cannot be run as it stands.
// What is wrong within a file is the file's.
func (f files) check() error {
	for _, one := range []struct{ flag, path string }{{"config", f.config}, {"mcp-config", f.mcpConfig}} {
		if one.path == "" {
			continue
		}
		info, err := os.Stat(one.path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return cli.Usage("--%s %s: the file does not exist", one.flag, one.path)
		case err != nil:
			return cli.Usage("--%s: %w", one.flag, err)
		case !info.Mode().IsRegular():
			return cli.Usage("--%s %s: %w", one.flag, one.path, plainfile.ErrNotPlain)
		}
	}
	return nil
}

// place is a data directory that this process holds, with what stands in it and
// the configuration that was read.
type place struct {
	holder   *datadir.Holder // nil in memory
	config   *config.Config  // as it was at the start
	settings *settings
	listen   string
	insecure bool
	log      *slog.Logger
	token    string
	// tokenFile is where the owner's token stands.
	tokenFile string // "" in memory
	// url is where the pages stand that this process serves at an address of its own;
	// "" while there is none.
	url      string
	links    *datadir.OneTimeLinks
	sessions sessions
	kept     kept
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
	path, err := s.dirPath(f)
	if err != nil {
		return nil, err
	}
	return datadir.Open(path)
}

// dirPath answers where the data directory is, or would be.
func (s *Server) dirPath(f files) (string, error) {
	if path := first(f.data, s.o.Data); path != "" {
		return filepath.Abs(path)
	}
	return config.DefaultDataDir(s.o.Name, s.o.Lookup)
}

// hold takes the data directory for this process.
func (s *Server) hold(f files) (*place, error) {
	if err := f.check(); err != nil {
		return nil, err
	}
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
	if err := f.check(); err != nil {
		return nil, nil, err
	}
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
	log := f.log
	if log == nil {
		log = s.logger(os.Stderr, slog.LevelInfo)
	}
	path := ""
	if dir != nil {
		path = dir.Path()
	}
	set, err := s.openSettings(f, path, log)
	if err != nil {
		return nil, err
	}
	entries := set.entries()
	c, err := set.read(entries)
	if err != nil {
		return nil, err
	}
	set.put(c, entries)
	p := &place{holder: h, config: c, settings: set, listen: first(f.listen, c.Listen), log: log}
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
	if h != nil && h.TookOver() {
		if n := bridge.EndLeftovers(withinVariable + "=" + p.within()); n > 0 {
			p.log.Warn("leftovers_ended", "processes", n)
		}
	}
	p.links = datadir.NewOneTimeLinks(s.o.Now)
	if p.sessions, err = openSessions(p.links, dir, p.token, s.o.Now); err != nil {
		return nil, err
	}
	p.kept, err = s.openKept(dir, c, log)
	return p, err
}

func (p *place) release() error {
	closed := p.kept.close()
	if p.holder == nil {
		return closed
	}
	return errors.Join(closed, p.holder.Release())
}

// ownerIn answers the owner in the position of a seat; "" is none.
func (e *engine) ownerIn(seat string) (*capabilities.Principal, error) {
	who := capabilities.OwnerPrincipal()
	if seat == "" {
		return who, nil
	}
	var known []string
	for _, s := range e.settings.current().Seats {
		if s.ID == seat {
			who.Seat, who.Within = seat, s.Granted()
			return who, nil
		}
		known = append(known, s.ID)
	}
	if len(known) == 0 {
		return nil, capabilities.Refuse(capabilities.NotFound, "no seat is named %q: the configuration declares none", seat)
	}
	return nil, capabilities.Refuse(capabilities.NotFound, "no seat is named %q: there are %s", seat, strings.Join(known, ", "))
}
