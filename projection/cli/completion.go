package cli

import (
	"context"

	"github.com/spf13/cobra"
)

// completionCommand writes a shell's completion script.
func (r *run) completionCommand() *cobra.Command {
	shells := map[string]func(root *cobra.Command) error{
		"bash":       func(root *cobra.Command) error { return root.GenBashCompletionV2(r.out, true) },
		"zsh":        func(root *cobra.Command) error { return root.GenZshCompletion(r.out) },
		"fish":       func(root *cobra.Command) error { return root.GenFishCompletion(r.out, true) },
		"powershell": func(root *cobra.Command) error { return root.GenPowerShellCompletionWithDesc(r.out) },
	}
	cmd := &cobra.Command{
		Use:   "completion bash|zsh|fish|powershell",
		Short: "Write a shell's completion script",
		Long: `Write the completion script of a shell. It completes commands, flags, the names of
capabilities and the values their arguments are limited to.`,
		Example: "  source <(" + r.o.Name + " completion bash)\n  " + r.o.Name + " completion zsh > \"${fpath[1]}/_" + r.o.Name + "\"\n  " +
			r.o.Name + " completion fish > ~/.config/fish/completions/" + r.o.Name + ".fish\n  " + r.o.Name + " completion powershell | Out-String | Invoke-Expression",
		ValidArgsFunction: cobra.FixedCompletions([]cobra.Completion{"bash", "zsh", "fish", "powershell"}, cobra.ShellCompDirectiveNoFileComp),
	}
	cmd.Args = func(_ *cobra.Command, args []string) error {
		if len(args) != 1 || shells[args[0]] == nil {
			return Usage("completion needs the name of one shell: bash, zsh, fish or powershell")
		}
		return nil
	}
	cmd.RunE = r.runE(func(_ context.Context, args []string) error { return shells[args[0]](cmd.Root()) })
	return cmd
}
