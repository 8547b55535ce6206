package cli

import (
	"context"

	"github.com/seed-89b9419b/holotype/capabilities/system"
	"github.com/spf13/cobra"
)

func (r *run) inspectCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "inspect",
		Short: "Show what this server presents to you on every surface",
		Long: `Show what this server presents to you: who answers, protocol versions,
transports and sessions, methods served and refused, every tool with its effect
and hints, and which tools may change what other people see.`,
		Args:              between(0, 0),
		ValidArgsFunction: cobra.NoFileCompletions,
	}
	r.mcpConfigFlag(cmd)
	cmd.RunE = r.runE(func(ctx context.Context, _ []string) (err error) {
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
	})
	return cmd
}
