package holotype

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/capabilities/system"
	"github.com/seed-89b9419b/holotype/projection/cli"
)

// signInLook is how long a command that waits for a sign-in waits between two looks.
const signInLook = 500 * time.Millisecond

func seatFlag() cli.Flag {
	return cli.Flag{Name: "seat", Usage: "the seat whose own instance of the server it is", Word: "SEAT"}
}

// loginServer prints the link by which a person signs in to a bridged server, and waits for
// it.
func (s *Server) loginServer(ctx context.Context, inv cli.Invocation) (err error) {
	session, err := s.openQuiet(ctx, cli.OpenRequest{Data: inv.Data, Config: inv.Config, MCPConfig: inv.Text("mcp-config"), Err: inv.Err, All: true})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, session.Close()) }()
	waits := !inv.Switch("no-wait")
	if !waits && !session.Attached() {
		return cli.Usage("--no-wait needs a running server, which takes the browser back: start one with %s serve, or leave it out", s.program(inv.Data))
	}
	in := system.MCPServerSignInInput{Name: inv.Args[0], Seat: inv.Text("seat")}
	before, err := signedInSince(ctx, session, in)
	if err != nil {
		return err
	}
	link, raw, err := askOf(ctx, session, system.BeginMCPServerSignIn, in)
	if err != nil {
		return err
	}
	if inv.Output != cli.JSON {
		raw = []byte(cli.Escape(link.Link))
	}
	if _, err := fmt.Fprintf(inv.Out, "%s\n", raw); err != nil || !waits {
		return err
	}
	expires, err := time.Parse(time.RFC3339, link.ExpiresAt)
	if err != nil {
		return fmt.Errorf("reading until when the link works: %w", err)
	}
	if _, err := fmt.Fprintf(inv.Err, "open the link in a browser; waiting until %s for the sign-in\n", expires.Local().Format("15:04:05")); err != nil {
		return err
	}
	if err := s.awaitSignIn(ctx, session, in, before, expires); err != nil {
		return err
	}
	_, err = fmt.Fprintf(inv.Err, "signed in to %s\n", cli.Escape(link.Name))
	return err
}

// awaitSignIn waits until there is a sign-in that there was not before.
func (s *Server) awaitSignIn(ctx context.Context, session cli.Session, in system.MCPServerSignInInput, before string, expires time.Time) error {
	tick := time.NewTicker(signInLook)
	defer tick.Stop()
	for {
		since, err := signedInSince(ctx, session, in)
		switch {
		case err != nil:
			return err
		case since != "" && since != before:
			return nil
		case s.o.Now().After(expires):
			return capabilities.Refuse(capabilities.Timeout, "nobody signed in by the link as long as it worked: run the command again for another")
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// signedInSince answers since when somebody is signed in to an instance; "" for nobody.
func signedInSince(ctx context.Context, session cli.Session, in system.MCPServerSignInInput) (string, error) {
	server, _, err := askOf(ctx, session, system.GetMCPServer, system.GetMCPServerInput{Name: in.Name})
	if err != nil {
		return "", err
	}
	for _, one := range server.Instances {
		if one.Seat == in.Seat && one.SignIn != nil {
			return one.SignIn.Since, nil
		}
	}
	return "", nil
}

func (s *Server) logoutCommand() cli.Command {
	return cli.Command{
		Name: "logout", Args: "SERVER", MinArgs: 1, MaxArgs: 1,
		Short: "End the sign-in to an MCP server",
		Long: "Its tokens are revoked where its authorization server can, and forgotten here in any case. The server is asked anew then,\n" +
			"and waits for a sign-in where it wants one.",
		Example: "  " + s.o.Name + " logout files",
		Flags:   []cli.Flag{seatFlag(), cli.MCPConfigFlag()},
		Run: func(ctx context.Context, inv cli.Invocation) error {
			done, raw, err := ask(ctx, s, inv, system.EndMCPServerSignIn, system.MCPServerSignInInput{Name: inv.Args[0], Seat: inv.Text("seat")}, false)
			switch {
			case err != nil:
				return err
			case inv.Output == cli.JSON:
				_, err = fmt.Fprintf(inv.Out, "%s\n", raw)
			case !done.Ended:
				_, err = fmt.Fprintf(inv.Out, "there was no sign-in to %s\n", cli.Escape(done.Name))
			default:
				_, err = fmt.Fprintf(inv.Out, "signed out of %s\n", cli.Escape(done.Name))
			}
			return err
		},
	}
}
