package cli

import (
	"cmp"
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/projection/catalogue"
)

// helpCommand is the help of any command, a capability's included.
func (r *run) helpCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:               "help [COMMAND]",
		Short:             "Show the help of a command or a topic",
		ValidArgsFunction: cobra.NoFileCompletions,
	}
	cmd.RunE = r.runE(func(ctx context.Context, args []string) error {
		found, rest, err := cmd.Root().Find(args)
		switch {
		case err != nil || found == nil:
			return Usage("there is no help about %s", quoted(strings.Join(args, " ")))
		case found.Name() == "call" && len(rest) == 1:
			return r.call(ctx, found, []string{rest[0], "--" + flagHelp})
		case len(rest) > 0:
			return Usage("there is no help about %s", quoted(strings.Join(args, " ")))
		}
		found.InitDefaultHelpFlag()
		found.InitDefaultVersionFlag()
		return found.Help()
	})
	return cmd
}

// callHelp writes everything a caller needs to know about one capability.
func (r *run) callHelp(c *capabilities.Capability, args []argument) error {
	row := catalogue.RowOf(c)
	p := &printer{w: r.out}
	p.print(escape(strings.TrimSpace(cmp.Or(c.Summary(), c.Title(), c.Name())), true), "\n\n")
	p.print("Usage:\n  ", r.o.Name, " call ", c.Name(), " [flags]\n\n")
	p.print("Effect: ", effectLine(row), "\n")
	p.print("Hints:\n")
	p.rows(hintRows(row.Hints), "  ")
	if c.Hints().AskFirst() {
		p.print("A terminal is asked first; elsewhere the call needs --", flagYes, ".\n")
	}
	p.argumentList(args)
	p.print("\nFlags:\n")
	for _, f := range ownFlags() {
		if !applies(f.name, c) {
			continue
		}
		name := "--" + f.name
		if f.short != "" {
			name = "-" + f.short + ", " + name
		}
		p.print("  ", strings.TrimSpace(name+" "+f.word), "\n      ", f.usage, "\n")
	}
	p.exampleList(r.o.Name, c.Name(), c.Examples(), args)
	p.refusalList(c.Codes())
	return p.err
}

// applies reports whether a capability has one of our flags.
func applies(flag string, c *capabilities.Capability) bool {
	switch flag {
	case flagDryRun:
		return c.Writes() && !c.Bridged()
	case flagOpID:
		return c.Writes()
	}
	return true
}
