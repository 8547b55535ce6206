package holotype

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/seed-89b9419b/holotype/capabilities/system"
	"github.com/seed-89b9419b/holotype/projection/cli"
)

// configCommands show the configuration and read it anew.
func (s *Server) configCommands() []cli.Command {
	return []cli.Command{
		s.checkCommand(),
		{
			Name:  "config show",
			Short: "Show every setting in force",
			Long:  "Shows the settings of the running server of the data directory or, where none runs, those that one would have. What may\nbe secret reads (set).",
			Flags: []cli.Flag{cli.MCPConfigFlag(), {Name: "origin", Usage: "say of every setting who gave it", Kind: cli.Switch}},
			Run:   s.showConfig,
		},
		{
			Name:  "reload",
			Short: "Have the running server read its configuration anew",
			Long: "The files, the secrets and the stored servers are read anew. What changed starts, stops or restarts, what is down is\n" +
				"tried again at once, everything else is left alone. A configuration with a fault changes nothing.",
			Run: s.reload,
		},
	}
}

func (s *Server) showConfig(ctx context.Context, inv cli.Invocation) (err error) {
	session, err := s.openQuiet(ctx, cli.OpenRequest{Data: inv.Data, Config: inv.Config, MCPConfig: inv.Text("mcp-config"), Err: inv.Err})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, session.Close()) }()
	settings, err := askAll(ctx, session, system.ListConfigSettings, func(cursor string) system.ListConfigSettingsInput {
		return system.ListConfigSettingsInput{PageInput: pageOf(cursor)}
	})
	if err != nil {
		return err
	}
	if inv.Output == cli.JSON {
		return writeJSON(inv.Out, settings)
	}
	head := []string{"SETTING", "VALUE"}
	if inv.Switch("origin") {
		head = append(head, "ORIGIN")
	}
	var rows [][]string
	for _, one := range settings {
		rows = append(rows, []string{one.Path, string(one.Value), one.Origin}[:len(head)])
	}
	return writeTable(inv.Out, head, rows)
}

func (s *Server) reload(ctx context.Context, inv cli.Invocation) (err error) {
	client, err := s.holder(ctx, inv)
	if err != nil {
		return err
	}
	report, raw, err := askOf(ctx, attachedSession{client, s}, system.ReloadConfig, system.ReloadConfigInput{})
	if err != nil {
		return err
	}
	if inv.Output == cli.JSON {
		_, err = fmt.Fprintf(inv.Out, "%s\n", raw)
		return err
	}
	return writeReload(inv.Out, &report)
}

// writeReload says in lines what a reload did.
func writeReload(out io.Writer, r *system.ReloadReport) error {
	var lines []string
	for _, one := range []struct {
		what    string
		servers []string
	}{{"added", r.Added}, {"removed", r.Removed}, {"changed", r.Changed}, {"tried again", r.Retried}} {
		if len(one.servers) > 0 {
			lines = append(lines, one.what+": "+strings.Join(one.servers, ", "))
		}
	}
	lines = append(lines, fmt.Sprintf("left alone: %d", r.Unchanged))
	for _, n := range r.Notices {
		lines = append(lines, "note: "+n)
	}
	for i, line := range lines {
		lines[i] = cli.Escape(line)
	}
	_, err := fmt.Fprintln(out, strings.Join(lines, "\n"))
	return err
}
