package holotype

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"sync"

	"github.com/seed-89b9419b/holotype/capabilities"
)

// Server is a program made of packs. Make one with [New]; it is safe for concurrent
// use. What it serves starts with the first use and ends with [Server.Close].
type Server struct {
	o Options

	mu      sync.Mutex
	engine  *engine
	place   *place
	release func(context.Context) error
}

// New answers a server. It never fails: a fault of the options, a declaration or
// the configuration comes back from what first needs it.
func New(o Options) *Server { return &Server{o: o.withDefaults()} }

// Handler answers the HTTP surface with MCP at /operator/mcp, to be mounted at
// [Options.BasePath]. The first use starts the bridged servers and takes the data
// directory; other processes of the same user can then attach to it. [Server.Close]
// gives both back. The error names every fault of the options, the declarations and
// the configuration.
func (s *Server) Handler() (http.Handler, error) {
	e, err := s.started()
	if err != nil {
		return nil, err
	}
	return e.handler(), nil
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

// Invoke sends a call through the server's door: the server is the
// [capabilities.Invoker] that a [capabilities.Handle] is called with. The error's
// chain holds an [*capabilities.Error] unless the server does not start.
func (s *Server) Invoke(ctx context.Context, call capabilities.Call) (*capabilities.Result, error) {
	e, err := s.started()
	if err != nil {
		return nil, err
	}
	return e.door.Invoke(ctx, call)
}

// OwnerToken answers the token that the owner's requests over HTTP carry as
// "Authorization: Bearer". In a data directory it stands in the file owner.token.
func (s *Server) OwnerToken() (string, error) {
	if _, err := s.started(); err != nil {
		return "", err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.place == nil {
		return "", errClosed
	}
	return s.place.token, nil
}

// SignInPath answers the path, [Options.BasePath] included, of a page that signs a
// browser in as the owner. It works once, within ten minutes.
func (s *Server) SignInPath() (string, error) {
	if _, err := s.started(); err != nil {
		return "", err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.place == nil {
		return "", errClosed
	}
	return s.o.BasePath + s.place.loginPath(), nil
}

var errClosed = errors.New("the server was closed meanwhile")

// Close is [Server.Shutdown] within 7 seconds.
func (s *Server) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), stopTime)
	defer cancel()
	return s.Shutdown(ctx)
}

// Shutdown lets running calls finish for a while, stops the bridged servers and gives
// the data directory back. It takes at most as long as ctx. The next use starts the
// server anew.
func (s *Server) Shutdown(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.release == nil {
		return nil
	}
	err := s.release(ctx)
	s.engine, s.place, s.release = nil, nil, nil
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
	socket := e.attach(ctx, place, stays)
	e.start(ctx)
	s.engine, s.place = e, place
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
