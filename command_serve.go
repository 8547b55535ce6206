package holotype

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/seed-89b9419b/holotype/internal/config"
	"github.com/seed-89b9419b/holotype/projection/cli"
)

// The parts of a stop: requests may finish, then connections are closed; bridged
// servers are stopped meanwhile. Together they stay below 8 s.
const (
	finishTime = 3 * time.Second
	stopTime   = 7 * time.Second
)

func (s *Server) serveCommand() cli.Command {
	return cli.Command{
		Name:  "serve",
		Short: "Serve HTTP, MCP and the console until stopped",
		Long: "Takes the data directory, starts the configured MCP servers and serves at once; a server that is slow or fails costs\n" +
			"its own tools only. The link it prints signs the owner's browser in, once, within ten minutes.\n\n" +
			"Where a client has started mcp before, and that holds the directory, it hands it over: the client's session goes on here.",
		Example: s.o.Name + " serve --mcp-config ~/.cursor/mcp.json",
		Flags: []cli.Flag{
			{Name: "listen", Usage: "the `host:port` to serve on (default " + config.DefaultListen + ")"},
			cli.MCPConfigFlag(),
			{Name: insecureFlag, Usage: "serve other machines without TLS and without a proxy that has it: whoever is on the network can read every token", Kind: cli.Switch},
			{Name: "debug", Usage: "log calls and the servers' own output too", Kind: cli.Switch},
		},
		Run: func(ctx context.Context, inv cli.Invocation) error {
			level := slog.LevelInfo
			if inv.Switch("debug") {
				level = slog.LevelDebug
			}
			if err := checkListen(ctx, inv.Text("listen")); err != nil {
				return err
			}
			return s.serve(ctx, s.usual(files{
				data: inv.Data, config: inv.Config, mcpConfig: inv.Text("mcp-config"), listen: inv.Text("listen"), insecure: inv.Switch(insecureFlag),
				log: s.logger(inv.Err, level),
			}), inv.Out)
		},
	}
}

// checkListen judges the flag --listen; "" is none.
func checkListen(ctx context.Context, address string) error {
	if address == "" {
		return nil
	}
	_, port, err := net.SplitHostPort(address)
	if err == nil {
		_, err = net.DefaultResolver.LookupPort(ctx, "tcp", port)
	}
	if err != nil {
		return cli.Usage("--listen %s is no host:port: %w", address, err)
	}
	return nil
}

// serve holds the data directory and serves until ctx is done.
func (s *Server) serve(ctx context.Context, f files, out io.Writer) (err error) {
	defer outlivePipes()()
	hup, stop := hangUps()
	defer stop()
	p, err := s.claim(ctx, f)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.release()) }()
	if err := checkExposure(p.listen, p.config, f.insecure); err != nil {
		return err
	}
	p.insecure = f.insecure
	e, err := s.compose(p)
	if err != nil {
		return err
	}
	shown, err := openCertificates(p.config.TLS, p.log, s.o.Now)
	if err != nil {
		return err
	}
	ln, err := listen(ctx, p.listen)
	if err != nil {
		return err
	}
	p.listen = ln.Addr().String()
	p.url = address(p.listen, p.config) + s.o.BasePath
	if err := e.surface(s, p); err != nil {
		return errors.Join(err, ln.Close())
	}
	running, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	web := webServer(running, e.mounted(s.o.BasePath), p.log)
	failed := make(chan error, 1)
	go func() { failed <- web.Serve(shown.over(pacedListener{ln})) }()
	socket := e.attach(running, p, stays)
	e.start(running, func(ctx context.Context) { e.obey(ctx, hup) })
	defer e.trim()()
	if err := s.greet(out, p); err != nil {
		return errors.Join(err, e.shutdown(web, socket))
	}
	if err := s.tellManager("READY=1"); err != nil {
		p.log.Warn("manager_untold", "error", err.Error())
	}
	select {
	case <-ctx.Done():
		p.log.Info("server_stopping")
		if err := s.tellManager("STOPPING=1"); err != nil {
			p.log.Warn("manager_untold", "error", err.Error())
		}
	case err = <-failed:
	}
	return errors.Join(err, e.shutdown(web, socket))
}

func listen(ctx context.Context, address string) (net.Listener, error) {
	var lc net.ListenConfig
	ln, err := lc.Listen(ctx, "tcp", address)
	if err != nil {
		return nil, fmt.Errorf("listening on %s: %w; choose another address with --listen", address, err)
	}
	return ln, nil
}

// shutdown lets requests finish and stops the bridged servers, side by side.
func (e *engine) shutdown(web *http.Server, socket *attachments) error {
	ctx, cancel := context.WithTimeout(context.Background(), stopTime)
	defer cancel()
	e.kept.rest()
	bridged := make(chan error, 1)
	go func() { bridged <- e.stop(ctx) }()
	finish, done := context.WithTimeout(ctx, finishTime)
	defer done()
	err := web.Shutdown(finish)
	if errors.Is(err, context.DeadlineExceeded) {
		err = web.Close()
	}
	err = errors.Join(err, socket.close(), <-bridged)
	e.flush(ctx) // the spans of the requests that ended last
	return err
}

// greet says where the server is. The link signs a browser in as the owner.
func (s *Server) greet(out io.Writer, p *place) error {
	open, err := p.loginLink()
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "%s %s serves %s\n\n  open    %s\n  MCP     %s/operator/mcp\n  HTTP    %s/openapi.json\n  token   %s\n\n",
		s.o.Name, s.o.Version, p.url, open, p.url, p.url, first(p.tokenFile, p.token))
	return err
}
