// Command oapi uses the client that oapi-codegen generates: it creates, reads and is
// refused, and writes what it saw.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strconv"

	"example.com/generators/oapi/client"
	"example.com/generators/seen"
)

func main() {
	if err := run(context.Background(), os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// run takes the server's address, a token and a big number.
func run(ctx context.Context, args []string) error {
	if len(args) != 3 {
		return errors.New("usage: oapi URL TOKEN NUMBER")
	}
	big, err := strconv.Atoi(args[2])
	if err != nil {
		return err
	}
	c, err := client.NewClientWithResponses(args[0], client.WithRequestEditorFn(func(_ context.Context, req *http.Request) error {
		req.Header.Set("Authorization", "Bearer "+args[1])
		return nil
	}))
	if err != nil {
		return err
	}
	var s seen.Seen
	if err := errors.Join(create(ctx, c, &s, big), read(ctx, c, &s, big), refused(ctx, c, &s)); err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(s)
}

func create(ctx context.Context, c *client.ClientWithResponses, s *seen.Seen, big int) error {
	labels, facts := []string{"a"}, map[string]int{"hours": 3}
	resp, err := c.FileTicketWithResponse(ctx, "WEB", nil, client.FileTicketInput{
		Title: "login loops", Kind: "bug", Labels: &labels, External: &big, Facts: &facts,
		Steps: &[]client.StepInput{{Text: "sign in", Steps: &[]client.StepInput{{Text: "look"}}}},
	})
	if err != nil {
		return err
	}
	if resp.JSON200 == nil || resp.JSON200.Ticket.External == nil || resp.JSON200.Ticket.Steps == nil || resp.JSON200.Ticket.Priority == nil {
		return fmt.Errorf("file_ticket: %s: %s", resp.Status(), resp.Body)
	}
	ticket := resp.JSON200.Ticket
	s.Created = seen.Ticket{
		Project: ticket.Project, Title: ticket.Title, Kind: string(ticket.Kind), Labels: resp.JSON200.Labels, External: *ticket.External, Priority: *ticket.Priority,
		Step: (*ticket.Steps)[0].Text,
	}
	bad, err := c.FileTicketWithResponse(ctx, "WEB", nil, client.FileTicketInput{Kind: "bug"})
	if err != nil {
		return err
	}
	if bad.ApplicationproblemJSON400 == nil {
		return fmt.Errorf("file_ticket without a title: %s: %s", bad.Status(), bad.Body)
	}
	s.Untitled = problem(client.Problem(*bad.ApplicationproblemJSON400))
	return nil
}

func read(ctx context.Context, c *client.ClientWithResponses, s *seen.Seen, big int) error {
	labels, numbers, limit := []string{"a", "b, c", "d&e"}, []int{1, 2}, 2
	for cursor := (*string)(nil); ; {
		resp, err := c.FindTicketsWithResponse(ctx, "W&B ä", &client.FindTicketsParams{Label: &labels, Number: &numbers, Limit: &limit, After: &big, Cursor: cursor})
		if err != nil {
			return err
		}
		if resp.JSON200 == nil {
			return fmt.Errorf("find_tickets: %s: %s", resp.Status(), resp.Body)
		}
		for _, f := range resp.JSON200.Items {
			s.Found = append(s.Found, seen.Finding{Name: f.Name, After: f.After})
		}
		if cursor = resp.JSON200.NextCursor; cursor == nil {
			return nil
		}
	}
}

func refused(ctx context.Context, c *client.ClientWithResponses, s *seen.Seen) error {
	cursor := "%%%"
	invalid, err := c.FindTicketsWithResponse(ctx, "WEB", &client.FindTicketsParams{Cursor: &cursor})
	if err != nil {
		return err
	}
	missing, err := c.FindTicketsWithResponse(ctx, "NONE", nil)
	if err != nil {
		return err
	}
	full, err := c.DropBoxWithResponse(ctx, 409, nil)
	if err != nil {
		return err
	}
	if invalid.ApplicationproblemJSON400 == nil || missing.ApplicationproblemJSON404 == nil || full.ApplicationproblemJSON409 == nil {
		return fmt.Errorf("not refused as documented: %s, %s, %s", invalid.Status(), missing.Status(), full.Status())
	}
	s.Invalid = problem(client.Problem(*invalid.ApplicationproblemJSON400))
	s.Missing = problem(client.Problem(*missing.ApplicationproblemJSON404))
	s.Full = problem(client.Problem(*full.ApplicationproblemJSON409))
	return nil
}

func problem(p client.Problem) seen.Problem {
	out := seen.Problem{Status: p.Status, Code: string(p.Code)}
	if p.Base != nil {
		out.Base = string(*p.Base)
	}
	if p.Violations != nil {
		for _, v := range *p.Violations {
			out.Violations = append(out.Violations, v.Pointer+" "+v.Keyword)
		}
	}
	return out
}
