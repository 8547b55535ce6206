package holotype

import (
	"context"
	"io"
	"os"
	"os/signal"
	"slices"
	"syscall"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/config"
	"github.com/seed-89b9419b/holotype/projection/cli"
)

// Command is the whole program: the capabilities on the command line, and the
// commands that serve, generate and explain.
type Command struct{ cli *cli.CLI }

// Command answers the program.
func (s *Server) Command() *Command {
	return &Command{cli.New(cli.Options{
		Name: s.o.Name, Version: s.o.Version, Summary: s.o.Summary, Open: s.open, Codes: s.codes(), HostEnv: config.Environ,
		Commands: s.commands(),
	})}
}

// commands are those that are no projection of a capability, in the order of the help.
func (s *Server) commands() []cli.Command {
	return slices.Concat(
		[]cli.Command{s.serveCommand(), s.loginCommand(), s.logoutCommand(), s.mcpCommand(), s.connectCommand(), s.adoptCommand()},
		s.serversCommands(), s.configCommands(), s.secretsCommands(), s.tokenCommands(), s.storeCommands(),
		[]cli.Command{s.callsCommand(), s.doctorCommand(), s.generateCommand()}, s.surfaceCommands(), []cli.Command{s.proseCommand(), s.versionCommand()},
	)
}

// Run runs one command line, without the program's name, and answers its exit
// status: 0 for success, that of the code for a refusal, 2 for a usage error, 130
// when interrupted. It ends on SIGINT and SIGTERM as when ctx is done.
func (c *Command) Run(ctx context.Context, args []string, in io.Reader, out, errw io.Writer) int {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	return c.cli.Run(ctx, args, in, out, errw)
}

// outlivePipes makes a write to a standard stream whose reader has gone fail like any
// other. The signal SIGPIPE would end the process there and then, and with it the
// sessions of every other client and the stopping of the bridged servers.
func outlivePipes() (restore func()) {
	broken := make(chan os.Signal, 1)
	signal.Notify(broken, syscall.SIGPIPE)
	return func() { signal.Stop(broken) }
}

// codes answers the table of codes, the packs' included. It assembles nothing:
// every command line needs it, and a fault of a declaration is the command's to
// report.
func (s *Server) codes() []capabilities.CodeInfo { return capabilities.CodesOf(s.describedPacks()...) }
