package holotype

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/config"
)

// Version is the version of this module.
const Version = "0.1.0"

// Options say what a server is made of. The zero value is Holotype itself.
type Options struct {
	// Name is who answers; "" is "holotype". It names the command too.
	Name string
	// Version of the program; "" is [Version].
	Version string
	// Packs are served beside the native ones.
	Packs []capabilities.Bound
	// Interceptors stand in the chain of every call, each at its stage.
	Interceptors []capabilities.Interceptor
	// Gate decides who may see and call what; nil knows scopes alone.
	Gate capabilities.Gate
	// Principal answers who sends a request to [Server.Handler], before its own
	// credentials are looked at; nil, or a nil principal, leaves it to those. It lets
	// a program with an authentication of its own stand in front.
	Principal func(*http.Request) *capabilities.Principal
	// Data is the data directory, Config and MCPConfig the configuration files; the
	// flags of [Command] go before them. "" is the default directory and no file.
	Data, Config, MCPConfig string
	// Lookup reads an environment variable; nil is the process's environment.
	Lookup func(name string) (string, bool)
	// Log receives the events; nil writes them as text to standard error, from the
	// level info on.
	Log *slog.Logger
	// Now is the clock; nil is [time.Now].
	Now func() time.Time
}

// Server is a program made of packs. Make one with [New].
type Server struct {
	o Options

	mu      sync.Mutex
	engine  *engine
	release func(context.Context) error
}

// New answers a server. It never fails: a fault of a declaration or of the
// configuration comes back from what first needs it.
func New(o Options) *Server {
	if o.Name == "" {
		o.Name = "holotype"
	}
	if o.Version == "" {
		o.Version = Version
	}
	if o.Gate == nil {
		o.Gate = capabilities.Scopes{}
	}
	o.Lookup = config.Env(o.Lookup)
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Server{o: o}
}

// Handler answers the HTTP surface with MCP at /operator/mcp, starting the bridged
// servers and taking the data directory on the first call; other processes of the
// same user can then attach to it. [Server.Close] gives both back. The error names every fault of the declarations or the configuration.
func (s *Server) Handler() (http.Handler, error) {
	e, err := s.started()
	if err != nil {
		return nil, err
	}
	return e.http.Handler(), nil
}

// ServeStdio speaks MCP on the two streams as the owner until in ends or ctx is
// done.
func (s *Server) ServeStdio(ctx context.Context, in io.Reader, out io.Writer) error {
	e, err := s.started()
	if err != nil {
		return err
	}
	return e.mcp.ServeStdio(ctx, in, out, capabilities.OwnerPrincipal())
}

// Invoke sends a call through the server's door. [Server.Handler] documents what
// the first use starts.
func (s *Server) Invoke(ctx context.Context, call capabilities.Call) (*capabilities.Result, error) {
	e, err := s.started()
	if err != nil {
		return nil, err
	}
	return e.door.Invoke(ctx, call)
}

// Close stops the bridged servers and gives the data directory back. It takes at
// most as long as ctx.
func (s *Server) Close(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.release == nil {
		return nil
	}
	err := s.release(ctx)
	s.engine, s.release = nil, nil
	return err
}

// started answers the engine, starting it on the first call.
func (s *Server) started() (*engine, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.engine != nil {
		return s.engine, nil
	}
	place, err := s.hold(files{})
	if err != nil {
		return nil, err
	}
	e, err := s.build(place)
	if err != nil {
		return nil, errors.Join(err, place.release())
	}
	ctx, cancel := context.WithCancel(context.Background())
	socket := e.attach(ctx, place)
	e.start(ctx)
	s.engine = e
	s.release = func(stopping context.Context) error {
		defer cancel()
		return errors.Join(socket.close(), e.stop(stopping), place.release())
	}
	return e, nil
}

// logger answers the configured log, or text on errw.
func (s *Server) logger(errw io.Writer, level slog.Level) *slog.Logger {
	if s.o.Log != nil {
		return s.o.Log
	}
	return slog.New(slog.NewTextHandler(errw, &slog.HandlerOptions{Level: level}))
}
