package holotype

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/projection/cli"
)

// ask calls a capability of the server that a command is for: the running one of the
// data directory, or one in this process. With all, every server of one in this process
// is started and waited for.
func ask[In, Out any](ctx context.Context, s *Server, inv cli.Invocation, h *capabilities.Handle[In, Out], in In, all bool) (out Out, raw []byte, err error) {
	session, err := s.openQuiet(ctx, cli.OpenRequest{Data: inv.Data, Config: inv.Config, MCPConfig: inv.Text("mcp-config"), Err: inv.Err, All: all})
	if err != nil {
		return out, nil, err
	}
	defer func() { err = errors.Join(err, session.Close()) }()
	return askOf(ctx, session, h, in)
}

func askOf[In, Out any](ctx context.Context, session cli.Session, h *capabilities.Handle[In, Out], in In) (out Out, raw []byte, err error) {
	return askAs(ctx, session, h, in, capabilities.Operation{})
}

// rehearse asks for a dry run.
func rehearse[In, Out any](ctx context.Context, session cli.Session, h *capabilities.Handle[In, Out], in In) (Out, error) {
	out, _, err := askAs(ctx, session, h, in, capabilities.Operation{DryRun: true})
	return out, err
}

func askAs[In, Out any](ctx context.Context, session cli.Session, h *capabilities.Handle[In, Out], in In, op capabilities.Operation) (out Out, raw []byte, err error) {
	args, err := json.Marshal(in)
	if err != nil {
		return out, nil, fmt.Errorf("writing the arguments of %s: %w", h.Name(), err)
	}
	res, err := session.Invoke(ctx, capabilities.Call{Name: h.Name(), Arguments: args, Principal: session.Principal(), Surface: capabilities.CLI, Operation: op})
	if err != nil {
		return out, nil, err
	}
	if err := json.Unmarshal(res.Structured, &out); err != nil {
		return out, nil, fmt.Errorf("reading the answer of %s: %w", h.Name(), err)
	}
	return out, res.Structured, nil
}

// askAll asks for every page of a list.
func askAll[In, T any](ctx context.Context, session cli.Session, h *capabilities.Handle[In, capabilities.Page[T]], page func(cursor string) In) ([]T, error) {
	all := []T{}
	for cursor := ""; ; {
		got, _, err := askOf(ctx, session, h, page(cursor))
		if err != nil {
			return nil, err
		}
		all = append(all, got.Items...)
		if cursor = got.NextCursor; cursor == "" {
			return all, nil
		}
	}
}

// maxPage is the most items that a page has.
const maxPage = 1000

// pageOf are the inputs of one page, as large as there is.
func pageOf(cursor string) capabilities.PageInput {
	return capabilities.PageInput{Cursor: cursor, Limit: maxPage}
}

// writeJSON writes one value on one line.
func writeJSON(out io.Writer, v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("writing the answer: %w", err)
	}
	_, err = fmt.Fprintf(out, "%s\n", b)
	return err
}

// writeTable writes rows below a head, in columns.
func writeTable(out io.Writer, head []string, rows [][]string) error {
	all := append([][]string{head}, rows...)
	widths := make([]int, len(head))
	for _, row := range all {
		for i, cell := range row {
			row[i] = cli.Escape(strings.NewReplacer("\t", " ", "\n", " ").Replace(cell))
			widths[i] = max(widths[i], utf8.RuneCountInString(row[i]))
		}
	}
	for _, row := range all {
		var line strings.Builder
		for i, cell := range row {
			line.WriteString(cell)
			line.WriteString(strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell)+2))
		}
		if _, err := fmt.Fprintln(out, strings.TrimRight(line.String(), " ")); err != nil {
			return err
		}
	}
	return nil
}
