package holotype

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/capabilities/system"
	"github.com/seed-89b9419b/holotype/internal/identity"
	"github.com/seed-89b9419b/holotype/projection/cli"
)

// tokenCommands make, list and revoke the API tokens.
func (s *Server) tokenCommands() []cli.Command {
	return []cli.Command{
		{
			Name:  "token create",
			Short: "Make an API token for a program or an assistant",
			Long: "Prints the token, this once: it is kept nowhere. It is sent as Authorization: Bearer, wherever the owner's token is taken. A token that is\n" +
				"bound to a seat or a person of the configuration acts as that; one that is bound to neither acts for itself.",
			Example: "  " + s.o.Name + " token create --name dashboard --scope '*:read' --expires 30d",
			Flags: []cli.Flag{
				{Name: "name", Word: "NAME", Usage: "what it is for"},
				{Name: "scope", Word: "SCOPE", Usage: "what it may do: NAME:read, NAME:write or NAME:* of a pack or a server, *:read, *:write, * or admin", Kind: cli.List},
				{Name: "expires", Word: "TIME", Usage: "after how long it stops working, such as 12h or 30d; without it, never"},
				{Name: "seat", Word: "SEAT", Usage: "the seat that it acts as"},
				{Name: "person", Word: "PERSON", Usage: "the person that it acts as"},
			},
			Run: s.createToken,
		},
		{
			Name:  "token list",
			Short: "List the API tokens, the oldest first",
			Run:   s.listTokens,
		},
		{
			Name: "token revoke", Args: "ID", MinArgs: 1, MaxArgs: 1,
			Short: "Revoke an API token for good",
			Long:  "The id is that of token list, such as tok_01...: not the token itself. Its next request is refused.",
			Run:   s.revokeToken,
		},
	}
}

func (s *Server) createToken(ctx context.Context, inv cli.Invocation) error {
	in := system.CreateTokenInput{
		Name: inv.Text("name"), Scopes: inv.List("scope"), Expires: inv.Text("expires"), Seat: inv.Text("seat"), Person: inv.Text("person"),
	}
	switch {
	case in.Name == "":
		return cli.Usage("a token has a name: say with --name what it is for")
	case len(in.Scopes) == 0:
		return cli.Usage("a token may do what its scopes say: name at least one with --scope, such as --scope '*:read'")
	}
	made, raw, err := ask(ctx, s, inv, system.CreateToken, in, false)
	switch {
	case err != nil:
		return err
	case inv.Output == cli.JSON:
		_, err = fmt.Fprintf(inv.Out, "%s\n", raw)
		return err
	}
	if _, err := fmt.Fprintln(inv.Out, made.Token); err != nil {
		return err
	}
	until := ""
	if made.ExpiresAt != "" {
		until = ", until " + made.ExpiresAt
	}
	_, err = fmt.Fprintf(inv.Err, "this is the only time that the token is shown; its id is %s, and it may do %s%s\n", made.ID, cli.Escape(strings.Join(made.Scopes, ", ")), until)
	return err
}

// allTokens answers every token of a session's server.
func allTokens(ctx context.Context, session cli.Session) ([]system.TokenRow, error) {
	return askAll(ctx, session, system.ListTokens, func(cursor string) system.ListTokensInput {
		return system.ListTokensInput{PageInput: pageOf(cursor)}
	})
}

// examineTokens finds the tokens that are bound to what the configuration lacks. Without
// a store that can be read there is nothing to find.
func examineTokens(ctx context.Context, session cli.Session, program string) (all []finding, err error) {
	tokens, err := allTokens(ctx, session)
	if e, refused := capabilities.AsError(err); refused && (e.Code == capabilities.NotFound || e.Code == capabilities.Unavailable) {
		return nil, nil
	}
	if kept, refused := unasked("the tokens", err); refused {
		return kept, nil
	}
	for _, t := range tokens {
		if t.State != identity.Unbound {
			continue
		}
		to := fmt.Sprintf("the seat %q", t.Seat)
		if t.Person != "" {
			to = fmt.Sprintf("the person %q", t.Person)
		}
		all = append(all, finding{
			Grade: "note", Text: fmt.Sprintf("the token %s (%s) lets nobody in: it is bound to %s, which is not configured", t.ID, t.Name, to),
			Remedy: "configure it again, or revoke the token with " + program + " token revoke " + t.ID,
		})
	}
	return all, err
}

func (s *Server) listTokens(ctx context.Context, inv cli.Invocation) (err error) {
	session, err := s.openQuiet(ctx, cli.OpenRequest{Data: inv.Data, Config: inv.Config, Err: inv.Err})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, session.Close()) }()
	tokens, err := allTokens(ctx, session)
	switch {
	case err != nil:
		return err
	case inv.Output == cli.JSON:
		return writeJSON(inv.Out, tokens)
	case len(tokens) == 0:
		_, err = fmt.Fprintln(inv.Out, "there are no tokens but the owner's")
		return err
	}
	var rows [][]string
	for _, t := range tokens {
		as := ""
		switch {
		case t.Seat != "":
			as = "seat " + t.Seat
		case t.Person != "":
			as = "person " + t.Person
		}
		rows = append(rows, []string{t.ID, t.Name, string(t.State), strings.Join(t.Scopes, " "), as, t.ExpiresAt})
	}
	return writeTable(inv.Out, []string{"ID", "NAME", "STATE", "SCOPES", "ACTS AS", "EXPIRES"}, rows)
}

func (s *Server) revokeToken(ctx context.Context, inv cli.Invocation) error {
	done, raw, err := ask(ctx, s, inv, system.RevokeToken, system.RevokeTokenInput{ID: inv.Args[0]}, false)
	switch {
	case err != nil:
		return err
	case inv.Output == cli.JSON:
		_, err = fmt.Fprintf(inv.Out, "%s\n", raw)
	default:
		_, err = fmt.Fprintf(inv.Out, "%s is revoked since %s\n", done.ID, done.RevokedAt)
	}
	return err
}
