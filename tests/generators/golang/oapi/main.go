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
	big, err := strconv.ParseInt(args[2], 10, 64)
	if err != nil {
		return err
	}
	c, err := as(args[0], args[1])
	if err != nil {
		return err
	}
	nobody, err := as(args[0], "none")
	if err != nil {
		return err
	}
	var s seen.Seen
	if err := errors.Join(create(ctx, c, &s, big), read(ctx, c, &s, big), refused(ctx, c, &s), weigh(ctx, c, &s, int(big)), stranger(ctx, nobody, &s)); err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(s)
}

// as answers a client with a token.
func as(url, token string) (*client.ClientWithResponses, error) {
	return client.NewClientWithResponses(url, client.WithRequestEditorFn(func(_ context.Context, req *http.Request) error {
		req.Header.Set("Authorization", "Bearer "+token)
		return nil
	}))
}

func create(ctx context.Context, c *client.ClientWithResponses, s *seen.Seen, big int64) error {
	labels, facts := []string{"a"}, map[string]int64{"hours": 3}
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

func read(ctx context.Context, c *client.ClientWithResponses, s *seen.Seen, big int64) error {
	labels, numbers, limit := []string{"a", "b, c", "d&e"}, []int64{1, 2}, int32(2)
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

func weigh(ctx context.Context, c *client.ClientWithResponses, s *seen.Seen, copies int) error {
	weighed, err := c.ScalesWeighWithResponse(ctx, client.ScalesWeighInput{Grams: 0.30000000000000004, Copies: copies})
	if err != nil {
		return err
	}
	if weighed.JSON200 == nil || weighed.JSON200.StructuredContent == nil || len(weighed.JSON200.Content) != 1 || weighed.JSON200.Content[0].Text == nil {
		return fmt.Errorf("weigh: %s: %s", weighed.Status(), weighed.Body)
	}
	got := weighed.JSON200.StructuredContent
	s.Weighed = seen.Weighing{Grams: got.Grams, Copies: got.Copies, Text: *weighed.JSON200.Content[0].Text}
	broken, err := c.ScalesBreakWithResponse(ctx, client.ScalesBreakInput{})
	if err != nil {
		return err
	}
	if broken.ApplicationproblemJSON502 == nil {
		return fmt.Errorf("break is not refused as documented: %s: %s", broken.Status(), broken.Body)
	}
	s.Broken = problem(client.Problem(*broken.ApplicationproblemJSON502))
	return nil
}

func stranger(ctx context.Context, c *client.ClientWithResponses, s *seen.Seen) error {
	resp, err := c.FindTicketsWithResponse(ctx, "WEB", nil)
	if err != nil {
		return err
	}
	if resp.ApplicationproblemJSON401 == nil {
		return fmt.Errorf("a stranger is not refused as documented: %s: %s", resp.Status(), resp.Body)
	}
	s.Stranger = problem(client.Problem(*resp.ApplicationproblemJSON401))
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
