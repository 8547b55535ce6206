// Command ogen uses the client that ogen generates: it creates, reads and is refused,
// and writes what it saw.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strconv"

	"github.com/ogen-go/ogen/ogenerrors"

	"example.com/generators/ogen/client"
	"example.com/generators/seen"
)

func main() {
	if err := run(context.Background(), os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// owner answers the server's first way to authenticate, and leaves out the other.
type owner string

func (o owner) Bearer(context.Context, client.OperationName) (client.Bearer, error) {
	return client.Bearer{Token: string(o)}, nil
}

func (owner) Cookie(context.Context, client.OperationName) (client.Cookie, error) {
	return client.Cookie{}, ogenerrors.ErrSkipClientSecurity
}

// run takes the server's address, a token and a big number.
func run(ctx context.Context, args []string) error {
	if len(args) != 3 {
		return errors.New("usage: ogen URL TOKEN NUMBER")
	}
	big, err := strconv.ParseInt(args[2], 10, 64)
	if err != nil {
		return err
	}
	c, err := client.NewClient(args[0], owner(args[1]))
	if err != nil {
		return err
	}
	nobody, err := client.NewClient(args[0], owner("none"))
	if err != nil {
		return err
	}
	var s seen.Seen
	if err := errors.Join(create(ctx, c, &s, big), read(ctx, c, &s, big), refused(ctx, c, &s), weigh(ctx, c, &s, int(big)), stranger(ctx, nobody, &s)); err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(s)
}

// as answers a call's answer as the one of its documented kinds that is asked for.
func as[Kind, Any any](answer Any, err error) (kind Kind, _ error) {
	if err != nil {
		return kind, err
	}
	kind, ok := any(answer).(Kind)
	if !ok {
		return kind, fmt.Errorf("the answer is %T, want %T", answer, kind)
	}
	return kind, nil
}

func create(ctx context.Context, c *client.Client, s *seen.Seen, big int64) error {
	where := client.FileTicketParams{Project: "WEB"}
	made, err := as[*client.FileTicketOutputHeaders](c.FileTicket(ctx, &client.FileTicketInput{
		Title: "login loops", Kind: client.FileTicketInputKindBug, Labels: []string{"a"}, External: client.NewOptInt64(big),
		Facts: client.NewOptFileTicketInputFacts(client.FileTicketInputFacts{"hours": 3}),
		Steps: []client.StepInput{{Text: "sign in", Steps: []client.StepInput{{Text: "look"}}}},
	}, where))
	if err != nil {
		return err
	}
	ticket := made.Response.Ticket
	if len(ticket.Steps) == 0 {
		return errors.New("the ticket has no steps")
	}
	s.Created = seen.Ticket{
		Project: ticket.Project, Title: ticket.Title, Kind: string(ticket.Kind), Labels: made.Response.Labels,
		External: ticket.External.Value, Priority: ticket.Priority.Value, Step: ticket.Steps[0].Text,
	}
	bad, err := as[*client.Refused400InvalidOpIdInvalidHeaders](c.FileTicket(ctx, &client.FileTicketInput{Kind: client.FileTicketInputKindBug}, where))
	if err != nil {
		return err
	}
	s.Untitled = problem(bad.Response)
	return nil
}

func read(ctx context.Context, c *client.Client, s *seen.Seen, big int64) error {
	question := client.FindTicketsParams{
		Project: "W&B ä", Label: []string{"a", "b, c", "d&e"}, Number: []int64{1, 2}, Limit: client.NewOptInt32(2), After: client.NewOptInt64(big),
	}
	for {
		page, err := as[*client.FindTicketsOutputHeaders](c.FindTickets(ctx, question))
		if err != nil {
			return err
		}
		for _, f := range page.Response.Items {
			s.Found = append(s.Found, seen.Finding{Name: f.Name, After: f.After})
		}
		if question.Cursor = page.Response.NextCursor; !question.Cursor.Set {
			return nil
		}
	}
}

func refused(ctx context.Context, c *client.Client, s *seen.Seen) error {
	invalid, err := as[*client.Refused400InvalidOpIdInvalidHeaders](c.FindTickets(ctx, client.FindTicketsParams{Project: "WEB", Cursor: client.NewOptString("%%%")}))
	if err != nil {
		return err
	}
	missing, err := as[*client.Refused404NotFoundHeaders](c.FindTickets(ctx, client.FindTicketsParams{Project: "NONE"}))
	if err != nil {
		return err
	}
	full, err := as[*client.Refused409BoxFullHeaders](c.DropBox(ctx, client.DropBoxParams{Number: 409}))
	if err != nil {
		return err
	}
	s.Invalid, s.Missing, s.Full = problem(invalid.Response), problem(missing.Response), problem(full.Response)
	return nil
}

func weigh(ctx context.Context, c *client.Client, s *seen.Seen, copies int) error {
	weighed, err := as[*client.ScalesWeighResultHeaders](c.ScalesWeigh(ctx, &client.ScalesWeighInput{Grams: 0.30000000000000004, Copies: copies}))
	if err != nil {
		return err
	}
	if len(weighed.Response.Content) != 1 {
		return errors.New("the weighing has no content")
	}
	got := weighed.Response.StructuredContent.Value
	s.Weighed = seen.Weighing{Grams: got.Grams, Copies: got.Copies, Text: weighed.Response.Content[0].Text.Value}
	broken, err := as[*client.Refused502UpstreamErrorHeaders](c.ScalesBreak(ctx, &client.ScalesBreakInput{}))
	if err != nil {
		return err
	}
	s.Broken = problem(broken.Response)
	return nil
}

func stranger(ctx context.Context, c *client.Client, s *seen.Seen) error {
	refused, err := as[*client.Refused401UnauthenticatedHeaders](c.FindTickets(ctx, client.FindTicketsParams{Project: "WEB"}))
	if err != nil {
		return err
	}
	s.Stranger = problem(refused.Response)
	return nil
}

func problem(p client.Problem) seen.Problem {
	out := seen.Problem{Status: p.Status, Code: string(p.Code), Base: string(p.Base.Value)}
	for _, v := range p.Violations {
		out.Violations = append(out.Violations, v.Pointer+" "+v.Keyword)
	}
	return out
}
