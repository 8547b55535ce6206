package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/seed-89b9419b/holotype/capabilities"
)

// exitCodesTopic is help about exit statuses, generated from the table of codes.
func (r *run) exitCodesTopic() *cobra.Command {
	return &cobra.Command{Use: "exit-codes", Short: "What each exit status means", Long: r.exitCodes()}
}

func (r *run) exitCodes() string {
	all := append(slices.Clone(r.o.Codes),
		capabilities.CodeInfo{Code: "-", Exit: 0, Means: "the call was answered", Remedy: "-"},
		capabilities.CodeInfo{Code: "-", Exit: exitFailed, Means: "it failed in another way, or was declined when asked", Remedy: "read the message"},
		capabilities.CodeInfo{Code: "-", Exit: exitUsage, Means: "the command cannot be run as it was given", Remedy: "see its help"},
		capabilities.CodeInfo{Code: "-", Exit: exitInterrupted, Means: "it was interrupted", Remedy: "look before you repeat a write"},
	)
	slices.SortStableFunc(all, func(a, b capabilities.CodeInfo) int { return a.Exit - b.Exit })
	rows := [][]string{{"STATUS", "CODE", "MEANS", "WHAT TO DO"}}
	for _, c := range all {
		rows = append(rows, []string{fmt.Sprint(c.Exit), string(c.Code), c.Means, c.Remedy})
	}
	var b strings.Builder
	p := &printer{w: &b}
	p.print("The exit status follows from the code of a refusal. The codes are the same on every surface.\n\n")
	p.rows(rows, "")
	return strings.TrimRight(b.String(), "\n")
}
