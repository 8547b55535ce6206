package holotype

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"time"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/projection/cli"
)

// attachTime bounds the wait for a holder that is just starting or ending.
const attachTime = 10 * time.Second

func (s *Server) mcpCommand() cli.Command {
	return cli.Command{
		Name:  "mcp",
		Short: "Speak MCP on standard input and output",
		Long: "For clients that start their servers themselves. Attaches to the running server of the data directory, whose\n" +
			"configuration then counts; where none runs, it holds the directory itself, serves others that attach, and stays\n" +
			"until the last of them has left.",
		Flags: []cli.Flag{cli.MCPConfigFlag(), {Name: "debug", Usage: "log calls and the servers' own output to standard error", Kind: cli.Switch}},
		Run: func(ctx context.Context, inv cli.Invocation) error {
			level := slog.LevelWarn
			if inv.Switch("debug") {
				level = slog.LevelDebug
			}
			return s.mcp(ctx, files{
				data: inv.Data, config: inv.Config, mcpConfig: inv.Text("mcp-config"), log: s.logger(inv.Err, level),
			}, inv.In, inv.Out, inv.Err)
		},
	}
}

func (s *Server) mcp(ctx context.Context, f files, in io.Reader, out, errw io.Writer) (err error) {
	itself, err := s.startedByItself(f)
	if err != nil {
		return err
	}
	if itself {
		return errWithin
	}
	waiting, cancel := context.WithTimeout(ctx, attachTime)
	p, client, err := s.holdOrDial(waiting, f)
	cancel()
	if err != nil {
		return err
	}
	if client != nil {
		if f.config != "" || f.mcpConfig != "" {
			if _, err := fmt.Fprintln(errw, "attached to the running server of this data directory: its configuration counts, not the files named here"); err != nil {
				return err
			}
		}
		return client.PipeMCP(ctx, in, out)
	}
	defer outlivePipes()()
	defer func() { err = errors.Join(err, p.release()) }()
	e, err := s.build(p)
	if err != nil {
		return err
	}
	running, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	socket := e.attach(running, p)
	e.start(running)
	err = e.mcp.ServeStdio(ctx, in, out, capabilities.OwnerPrincipal())
	if ctx.Err() == nil {
		socket.wait(ctx)
	}
	if errors.Is(err, context.Canceled) {
		err = nil
	}
	stopping, done := context.WithTimeout(context.WithoutCancel(ctx), stopTime)
	defer done()
	return errors.Join(err, socket.close(), e.stop(stopping))
}

// wait waits until every attached MCP session has ended, or ctx is done.
func (a *attachments) wait(ctx context.Context) {
	select {
	case <-a.open.Idle():
	case <-ctx.Done():
	}
}
