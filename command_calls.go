package holotype

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/seed-89b9419b/holotype/capabilities/system"
	"github.com/seed-89b9419b/holotype/projection/cli"
)

// callsCommand shows what was called.
func (s *Server) callsCommand() cli.Command {
	return cli.Command{
		Name:  "calls",
		Short: "Show who called what, and how it ended",
		Long:  "Shows the newest calls of the running server of the data directory, the oldest of them first, and with --follow those that\ncome. Arguments and answers are not in it.",
		Flags: []cli.Flag{
			{Name: "follow", Short: "f", Usage: "go on with calls as they end, until interrupted", Kind: cli.Switch},
			{Name: "capability", Word: "NAME", Usage: "show the calls of one capability alone"},
			{Name: "principal", Word: "ID", Usage: "show the calls of one caller alone"},
			{Name: "outcome", Word: "CODE", Usage: "show the calls that ended so: ok, cancelled, or the code of a refusal"},
			{Name: "limit", Word: "N", Usage: "how many to begin with", Default: "20"},
		},
		Run: s.showCalls,
	}
}

// followSeconds is how long one question waits for the next call.
const followSeconds = 30

func (s *Server) showCalls(ctx context.Context, inv cli.Invocation) (err error) {
	limit, err := strconv.Atoi(inv.Text("limit"))
	if err != nil || limit < 1 || limit > maxPage {
		return cli.Usage("--limit %s: it is a number from 1 to %d", inv.Text("limit"), maxPage)
	}
	session, err := s.openQuiet(ctx, cli.OpenRequest{Data: inv.Data, Config: inv.Config, Err: inv.Err})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, session.Close()) }()
	in := system.ListCallsInput{Capability: inv.Text("capability"), Principal: inv.Text("principal"), Outcome: inv.Text("outcome")}
	in.Limit = limit
	page, _, err := askOf(ctx, session, system.ListCalls, in)
	if err != nil {
		return err
	}
	last := int64(1)
	if len(page.Items) > 0 {
		last = page.Items[0].ID
	}
	table := callsTable{out: inv.Out, json: inv.Output == cli.JSON}
	for i := range page.Items {
		if err := table.row(&page.Items[len(page.Items)-1-i]); err != nil {
			return err
		}
	}
	in.Limit, in.WaitSeconds = maxPage, followSeconds
	for inv.Switch("follow") {
		in.After = last
		more, _, err := askOf(ctx, session, system.ListCalls, in)
		if err != nil {
			if ctx.Err() != nil {
				return nil // interrupted, as it is meant to be ended
			}
			return err
		}
		for i := range more.Items {
			last = more.Items[i].ID
			if err := table.row(&more.Items[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

// callsTable writes calls as they come, so its columns have fixed widths.
type callsTable struct {
	out    io.Writer
	json   bool
	headed bool
}

func (t *callsTable) row(c *system.CallRow) error {
	if t.json {
		return writeJSON(t.out, c)
	}
	const line = "%-24s  %-30s  %-31s  %-10s  %-15s  %9s  %s\n"
	if !t.headed {
		t.headed = true
		if _, err := fmt.Fprintf(t.out, line, "BEGAN", "CAPABILITY", "CALLER", "SURFACE", "OUTCOME", "MS", "REQUEST"); err != nil {
			return err
		}
	}
	who := c.Principal
	if c.Seat != "" {
		who += " as " + c.Seat
	}
	_, err := fmt.Fprintf(t.out, line, c.At, cli.Escape(c.Capability), cli.Escape(who), c.Surface, c.Outcome,
		strconv.FormatFloat(c.DurationMilliseconds, 'f', 1, 64), c.RequestID)
	return err
}
