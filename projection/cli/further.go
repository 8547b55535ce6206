package cli

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// add hangs a further command into the tree, with the groups its name needs.
func (r *run) add(root *cobra.Command, c Command) {
	parent := root
	words := strings.Fields(c.Name)
	if len(words) == 0 {
		return
	}
	for _, w := range words[:len(words)-1] {
		parent = r.group(parent, w)
	}
	inv := &Invocation{texts: map[string]*string{}, bools: map[string]*bool{}, lists: map[string]*[]string{}}
	cmd := &cobra.Command{
		Use:     strings.TrimSpace(words[len(words)-1] + " " + c.Args),
		Short:   c.Short,
		Long:    c.Long,
		Example: c.Example,
		Args:    between(c.MinArgs, c.MaxArgs),
	}
	cmd.RunE = r.runE(func(ctx context.Context, args []string) error {
		i := *inv
		i.Dash = cmd.ArgsLenAtDash()
		i.Args, i.Data, i.Config, i.Output, i.In, i.Out, i.Err = args, r.data, r.config, r.format, r.in, r.out, r.err
		return c.Run(ctx, i)
	})
	if c.MaxArgs == 0 {
		cmd.ValidArgsFunction = cobra.NoFileCompletions
	}
	for _, f := range c.Flags {
		define(cmd, f, inv)
	}
	parent.AddCommand(cmd)
}

func define(cmd *cobra.Command, f Flag, inv *Invocation) {
	flags := cmd.Flags()
	switch f.Kind {
	case Switch:
		on := false
		inv.bools[f.Name] = &on
		defineSwitch(cmd, &on, f.Name, f.Short, f.Usage)
	case List:
		inv.lists[f.Name] = flags.StringArrayP(f.Name, f.Short, nil, f.Usage)
	case Text:
		if len(f.Values) == 0 {
			text := f.Default
			inv.texts[f.Name] = &text
			flags.VarP(newText(&text, f.Name, cmp.Or(f.Word, "TEXT")), f.Name, f.Short, f.Usage)
			return
		}
		v := &choiceValue{once{name: f.Name}, f.Default, f.Values}
		inv.texts[f.Name] = &v.text
		flags.VarP(v, f.Name, f.Short, f.Usage)
		// The flag was defined a line above.
		_ = cmd.RegisterFlagCompletionFunc(f.Name, cobra.FixedCompletions(f.Values, cobra.ShellCompDirectiveNoFileComp))
	}
}

// group answers the group of that name below parent.
func (r *run) group(parent *cobra.Command, name string) *cobra.Command {
	if i := slices.IndexFunc(parent.Commands(), func(c *cobra.Command) bool { return c.Name() == name }); i >= 0 {
		return parent.Commands()[i]
	}
	g := &cobra.Command{Use: name, Short: "Commands about " + name, Args: cobra.ArbitraryArgs}
	// Without a RunE an unknown command of a group would show help and exit 0.
	g.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) > 0 {
			return Usage("%s has no command %s", cmd.CommandPath(), quoted(args[0]))
		}
		return cmd.Help()
	}
	parent.AddCommand(g)
	return g
}

// between checks how many arguments a command was given.
func between(low, high int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) > high && high == 0:
			return Usage("%s takes no arguments, and was given %s", cmd.CommandPath(), quoted(args[0]))
		case len(args) > high:
			return Usage("%s takes no more than %d arguments, and was given %d", cmd.CommandPath(), high, len(args))
		case len(args) < low:
			return Usage("%s needs %d arguments, and was given %d: %s", cmd.CommandPath(), low, len(args), cmd.UseLine())
		}
		return nil
	}
}
