package holotype

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/seed-89b9419b/holotype/capabilities/system"
	"github.com/seed-89b9419b/holotype/projection/cli"
)

// serversCommands show the MCP servers and accept what they say of themselves.
func (s *Server) serversCommands() []cli.Command {
	return []cli.Command{
		{
			Name:  "servers",
			Short: "List the MCP servers and how each is doing",
			Long: "Asks the running server of the data directory. Where none runs, the servers of the configuration are started for this\n" +
				"command alone and stopped again.",
			Flags: []cli.Flag{cli.MCPConfigFlag()},
			Run:   s.listServers,
		},
		{
			Name: "servers show", Args: "NAME", MinArgs: 1, MaxArgs: 1,
			Short: "Show all there is to know of one MCP server",
			Flags: []cli.Flag{cli.MCPConfigFlag()},
			Run: func(ctx context.Context, inv cli.Invocation) error {
				server, raw, err := ask(ctx, s, inv, system.GetMCPServer, system.GetMCPServerInput{Name: inv.Args[0]}, true)
				if err != nil {
					return err
				}
				if inv.Output == cli.JSON {
					_, err = fmt.Fprintf(inv.Out, "%s\n", raw)
					return err
				}
				return showServer(inv.Out, &server)
			},
		},
		{
			Name: "servers accept", Args: "NAME [TOOL...]", MinArgs: 1, MaxArgs: 1000,
			Short: "Accept the hints of an MCP server's tools after they moved towards danger",
			Long: "A tool that asserts less safety than it did when it was first seen is marked, and held back where the configuration says\n" +
				"drift: hold. This accepts its hints as they are now: of the tools named, or of all of them.",
			Run: func(ctx context.Context, inv cli.Invocation) error {
				in := system.AcceptMCPServerHintsInput{Name: inv.Args[0], Tools: inv.Args[1:]}
				done, raw, err := ask(ctx, s, inv, system.AcceptMCPServerHints, in, true)
				switch {
				case err != nil:
					return err
				case inv.Output == cli.JSON:
					_, err = fmt.Fprintf(inv.Out, "%s\n", raw)
				case len(done.Accepted) == 0:
					_, err = fmt.Fprintln(inv.Out, "nothing to accept: no hint moved towards danger")
				default:
					_, err = fmt.Fprintf(inv.Out, "accepted: %s\n", cli.Escape(strings.Join(done.Accepted, ", ")))
				}
				return err
			},
		},
	}
}

func (s *Server) listServers(ctx context.Context, inv cli.Invocation) (err error) {
	session, err := s.openQuiet(ctx, cli.OpenRequest{Data: inv.Data, Config: inv.Config, MCPConfig: inv.Text("mcp-config"), Err: inv.Err, All: true})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, session.Close()) }()
	servers, err := askAll(ctx, session, system.ListMCPServers, func(cursor string) system.ListMCPServersInput {
		return system.ListMCPServersInput{PageInput: pageOf(cursor)}
	})
	switch {
	case err != nil:
		return err
	case inv.Output == cli.JSON:
		return writeJSON(inv.Out, servers)
	case len(servers) == 0:
		_, err = fmt.Fprintln(inv.Out, "no MCP server is configured")
		return err
	}
	var rows [][]string
	for _, one := range servers {
		rows = append(rows, []string{one.Name, words(string(one.State)), string(one.Transport), strconv.Itoa(one.Tools), one.Reason})
	}
	return writeTable(inv.Out, []string{"NAME", "STATE", "TRANSPORT", "TOOLS", "REASON"}, rows)
}

// signInRows adds how an instance stands with a sign-in.
func signInRows(add func(what, text string), in *system.SignIn) {
	if in == nil {
		return
	}
	state := words(string(in.State))
	if in.Reason != "" {
		state += ": " + in.Reason
	}
	add("  sign-in", state)
	add("  sign in by", in.Link)
	add("  signed in at", in.Issuer)
	add("  for", strings.Join(in.Scopes, " "))
	add("  since", in.Since)
	add("  until", in.Until)
}

func words(name string) string { return strings.ReplaceAll(name, "_", " ") }

// showServer writes what there is to know of a server, a fact a line.
func showServer(out io.Writer, s *system.Server) error {
	var rows [][]string
	add := func(what, text string) {
		if text != "" {
			rows = append(rows, []string{what, text})
		}
	}
	list := func(what string, all []string) { add(what, strings.Join(all, ", ")) }
	add("state", words(string(s.State)))
	add("reason", s.Reason)
	add("tools begin with", s.Prefix)
	add("reached by", string(s.Transport))
	add("command", strings.Join(append([]string{s.Launch.Command}, s.Launch.Args...), " "))
	add("directory", s.Launch.Cwd)
	list("variables", s.Launch.Env)
	add("address", s.Launch.URL)
	list("headers", s.Launch.Headers)
	add("calls itself", s.Identity)
	add("protocol", s.ProtocolVersion)
	add("tools", fmt.Sprintf("%d listed (%d bytes), %d left out by the configuration, %d repaired", s.Tools, s.Bytes, s.Filtered, s.Repaired))
	list("also relayed", s.Relays)
	list("not relayed", s.RelayOff)
	for _, sk := range s.Skipped {
		add("not listed", strings.TrimSpace(sk.Tool+" "+sk.Reason))
	}
	list("overrides of no tool", s.UnlistedAnnotations)
	list("patterns of no tool", s.UnmatchedPatterns)
	list("the same launch as", s.SameLaunch)
	for _, d := range s.Drifts {
		held := "marked"
		if d.Held {
			held = "held"
		}
		add("changed hints", fmt.Sprintf("%s: %s, since %s; %s", d.Tool, d.Change, d.Since, held))
	}
	if s.JunkLines > 0 {
		add("lines of no message", strconv.Itoa(s.JunkLines))
	}
	for _, one := range s.Instances {
		who := "everybody"
		if one.Seat != "" {
			who = "seat " + one.Seat
		}
		add("instance for "+who, words(string(one.State)))
		add("  phase", one.Phase)
		add("  reason", one.Reason)
		signInRows(add, one.SignIn)
		add("  started again", strconv.Itoa(one.Restarts))
		add("  starts again at", one.NextStart)
		add("  last went down", strings.TrimSpace(one.LastExitAt+" "+one.LastExit))
		for _, line := range one.StderrTail {
			add("  standard error", line)
		}
	}
	return writeTable(out, []string{"SERVER", s.Name}, rows)
}
