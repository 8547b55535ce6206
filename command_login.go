package holotype

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/datadir"
	"github.com/seed-89b9419b/holotype/internal/remote"
	"github.com/seed-89b9419b/holotype/projection/cli"
)

func (s *Server) loginCommand() cli.Command {
	return cli.Command{
		Name: "login", Args: "[SERVER]", MaxArgs: 1,
		Short: "Print a link that signs a browser in to the running server, or this server in to an MCP server",
		Long: "Prints a fresh link of the server that runs on the data directory. It signs the owner's browser in, once, within ten\n" +
			"minutes, as the link does that serve prints when it starts.\n\n" +
			"With the name of an MCP server, prints the link by which a person signs in to it, and waits until somebody has, or the\n" +
			"link works no more. Whoever opens it lets this server act as them there. Where no server runs, the command takes the\n" +
			"browser back itself, on this machine.",
		Example: "  " + s.o.Name + " login\n  " + s.o.Name + " login files",
		Flags:   []cli.Flag{seatFlag(), {Name: "no-wait", Usage: "do not wait for the sign-in", Kind: cli.Switch}, cli.MCPConfigFlag()},
		Run: func(ctx context.Context, inv cli.Invocation) error {
			if len(inv.Args) > 0 {
				return s.loginServer(ctx, inv)
			}
			if inv.Text("seat") != "" || inv.Switch("no-wait") {
				return cli.Usage("--seat and --no-wait go with the name of an MCP server")
			}
			client, err := s.holder(ctx, inv)
			if err != nil {
				return err
			}
			link, err := client.LoginLink(ctx)
			if err != nil {
				return err
			}
			line := []byte(link)
			if inv.Output == cli.JSON {
				if line, err = json.Marshal(map[string]string{"link": link}); err != nil {
					return fmt.Errorf("writing the link: %w", err)
				}
			}
			_, err = fmt.Fprintf(inv.Out, "%s\n", line)
			return err
		},
	}
}

// holder answers the process that holds the data directory of a command, or a refusal
// when there is none.
func (s *Server) holder(ctx context.Context, inv cli.Invocation) (*remote.Client, error) {
	f := files{data: inv.Data}
	if s.inMemory(f) {
		return nil, cli.Usage("nothing attaches to a server in memory: name a data directory")
	}
	dir, err := s.dir(f)
	if err != nil {
		return nil, err
	}
	conn, err := dir.Dial(ctx)
	switch {
	case errors.Is(err, datadir.ErrNotHeld):
		return nil, capabilities.Refuse(capabilities.Unavailable, "no %s serves the data directory %s: start one with %s serve", s.o.Name, dir.Path(), s.program(inv.Data)).Because(err)
	case err != nil:
		return nil, err
	}
	_ = conn.Close() // it was only asked whether somebody answers
	return remote.Dial(dir.Dial, s.o.Version), nil
}
