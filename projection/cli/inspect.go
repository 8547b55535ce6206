package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/seed-89b9419b/holotype/capabilities/system"
)

func (r *run) inspectCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "inspect [-- COMMAND ARGS... | URL]",
		Short: "Show what this server, or any MCP server, presents",
		Long: `Show what a server presents. Without arguments that is this server: who answers,
protocol versions, transports and sessions, methods served and refused, every tool
with its effect and hints, and which tools may change what other people see.

With a command behind --, or a url, it is that MCP server: who it says it is, the
protocol version, its tools with their hints as they were sent, bytes and estimated
tokens, what would break which client, and how it stops. It needs no data directory
and no configuration, calls no tool, and leaves nothing running. A command gets the
environment that a bridged server gets, and what --env adds.

--fail-on exits 1 when there is a finding of a kind, or of a severity; the report is
written all the same. A server that cannot be inspected exits 1, too.`,
		Example: "  " + r.o.Name + " inspect -- npx -y some-mcp-server --flag\n" +
			"  " + r.o.Name + " inspect https://example.com/mcp --header 'Authorization: Bearer TOKEN'\n" +
			"  " + r.o.Name + " inspect --fail-on error,unknown-hints -o json -- ./server",
		Args:              cobra.ArbitraryArgs,
		ValidArgsFunction: cobra.NoFileCompletions,
	}
	r.mcpConfigFlag(cmd)
	o := &inspectFlags{output: choiceValue{once{name: flagOutput}, string(Table), []string{string(Table), string(JSON), formatMarkdown}}}
	o.define(cmd)
	cmd.RunE = r.runE(func(ctx context.Context, args []string) error {
		if o.output.text == string(JSON) {
			r.format = JSON
		}
		switch server, err := o.server(cmd.ArgsLenAtDash(), args, r.o.HostEnv); {
		case err != nil:
			return err
		case o.list:
			return r.listFindings(o)
		case server == nil:
			return r.inspectOwn(ctx, o)
		case r.mcpConfig != "":
			return Usage("--%s is for this server: leave it out to inspect another one", flagMCPConfig)
		default:
			return r.inspectServer(ctx, o, *server)
		}
	})
	return cmd
}

// inspectOwn shows what this program's server presents.
func (r *run) inspectOwn(ctx context.Context, o *inspectFlags) (err error) {
	if f := o.foreign(); f != "" {
		return Usage("--%s is for a server that is named: give a command behind --, or a url", f)
	}
	if o.output.text == formatMarkdown {
		return Usage("--%s %s is for a server that is named: give a command behind --, or a url", flagOutput, formatMarkdown)
	}
	session, err := r.open(ctx, nil, true)
	if err != nil {
		return err
	}
	defer closing(session, &err)
	res, err := r.invoke(ctx, session, system.DescribeProjection.Name(), nil)
	switch {
	case err != nil:
		return err
	case r.format == JSON:
		return r.writeJSON(res.Structured)
	}
	p := &printer{w: r.out}
	p.structured(res.Structured)
	return p.err
}
