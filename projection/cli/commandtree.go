package cli

import (
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/seed-89b9419b/holotype/capabilities"
)

// CommandFlags answers the flags of every command, with their dashes, by the words of the
// command behind the program's name. Under "" stand the flags of the program, which every
// command has. What is about a capability is not among them: see [FlagsOf].
func (c *CLI) CommandFlags() map[string][]string {
	r := &run{o: c.o}
	root := r.root()
	all := map[string][]string{}
	var walk func(cmd *cobra.Command, path string)
	walk = func(cmd *cobra.Command, path string) {
		cmd.InitDefaultHelpFlag()
		if cmd == root {
			cmd.InitDefaultVersionFlag()
		}
		all[path] = append([]string{}, flagsIn(cmd.LocalFlags())...)
		for _, below := range cmd.Commands() {
			next := below.Name()
			if path != "" {
				next = path + " " + next
			}
			walk(below, next)
		}
	}
	root.InitDefaultHelpCmd()
	walk(root, "")
	return all
}

func flagsIn(set *pflag.FlagSet) (names []string) {
	set.VisitAll(func(f *pflag.Flag) {
		names = append(names, "--"+f.Name)
		if f.Shorthand != "" {
			names = append(names, "-"+f.Shorthand)
		}
	})
	return names
}

// FlagsOf answers the flags that the input of a capability gives its call, with their
// dashes.
func FlagsOf(c *capabilities.Capability) (names []string) {
	for _, a := range argumentsOf(c.Input().Raw(), c.Bridged()) {
		if a.flag != "" {
			names = append(names, "--"+a.flag)
		}
	}
	return names
}
