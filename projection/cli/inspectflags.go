package cli

import (
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/seed-89b9419b/holotype/capabilities/bridge"
	"github.com/seed-89b9419b/holotype/internal/schema"
	"github.com/seed-89b9419b/holotype/projection/inspect"
)

// formatMarkdown is a format of inspect alone.
const formatMarkdown = "markdown"

// The flags of inspect.
const (
	flagFailOn       = "fail-on"
	flagListFindings = "list-findings"
	flagTimeout      = "timeout"
	flagHeader       = "header"
	flagEnv          = "env"
	flagAlias        = "name"
)

// inspectFlags are what inspect was given, as text.
type inspectFlags struct {
	output       choiceValue
	failOn       []string
	headers, env []string
	timeout, as  string
	list         bool
}

func (o *inspectFlags) define(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.VarP(&o.output, flagOutput, "o", "how to write the answer; markdown is for a server that is named")
	flags.StringSliceVar(&o.failOn, flagFailOn, nil, "exit 1 when there is a finding of these kinds or severities, separated by commas")
	defineSwitch(cmd, &o.list, flagListFindings, "", "list the kinds of findings, whom each breaks, and inspect nothing")
	flags.Var(newText(&o.timeout, flagTimeout, "DURATION"), flagTimeout, timeoutUsage)
	flags.StringArrayVar(&o.headers, flagHeader, nil, "a header for every request to the url, as 'Name: value'; any number of times")
	flags.StringArrayVar(&o.env, flagEnv, nil, "a variable for the command, as NAME=VALUE, or NAME to hand on this one's; any number of times")
	flags.Var(newText(&o.as, flagAlias, "NAME"), flagAlias, "the name that clients know the server by, which stands before every tool's; the default is the server's own")
	// The flags were defined above.
	_ = cmd.RegisterFlagCompletionFunc(flagOutput, cobra.FixedCompletions(o.output.values, cobra.ShellCompDirectiveNoFileComp))
	_ = cmd.RegisterFlagCompletionFunc(flagFailOn, cobra.FixedCompletions(failWords(), cobra.ShellCompDirectiveNoFileComp))
}

// foreign names a flag that was given and has no meaning for our own server, or "".
func (o *inspectFlags) foreign() string {
	for _, f := range []struct {
		name  string
		given bool
	}{
		{flagFailOn, len(o.failOn) > 0},
		{flagTimeout, o.timeout != ""},
		{flagHeader, len(o.headers) > 0},
		{flagEnv, len(o.env) > 0},
		{flagAlias, o.as != ""},
	} {
		if f.given {
			return f.name
		}
	}
	return ""
}

// server answers the server that is named, or nil for none. dash is how many
// arguments stand before --, or -1 without one.
func (o *inspectFlags) server(dash int, args []string, hostEnv func() []string) (*bridge.Server, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	switch {
	case o.list && len(args)+max(dash, 0) > 0:
		return nil, Usage("--%s inspects nothing: leave the server out", flagListFindings)
	case dash > 0:
		return nil, Usage("a server has a url or a command, not both: nothing may stand before --")
	case dash == 0 && len(args) == 0, dash == 0 && args[0] == "":
		return nil, Usage("a command has to follow --")
	case dash == 0:
		return o.endpoint(hostEnv).OfCommand(args)
	case len(args) == 0:
		return nil, nil //nolint:nilnil // no server is named, and that is fine
	case len(args) > 1:
		return nil, Usage("a command stands behind --, such as: inspect -- %s", escape(strings.Join(args, " "), false))
	}
	return o.endpoint(hostEnv).OfURL(args[0])
}

// check checks what needs no server.
func (o *inspectFlags) check() error {
	for _, word := range o.failOn {
		if !slices.Contains(failWords(), word) {
			near, ok := schema.Nearest(word, failWords())
			hint := ""
			if ok {
				hint = "; did you mean " + near
			}
			return Usage("--%s %s is no kind of finding and no severity%s; there are %s", flagFailOn, quoted(word), hint, strings.Join(failWords(), ", "))
		}
	}
	_, err := o.limit()
	return err
}

// failWords are the severities and then the kinds.
func failWords() []string {
	words := []string{string(inspect.Error), string(inspect.Warning), string(inspect.Note)}
	for _, k := range inspect.Kinds() {
		words = append(words, k.ID)
	}
	return words
}

func (o *inspectFlags) limit() (time.Duration, error) {
	return Limit(flagTimeout, o.timeout)
}

// endpoint answers what goes with the server that is named.
func (o *inspectFlags) endpoint(hostEnv func() []string) Endpoint {
	return Endpoint{Command: "inspect", Name: o.as, Headers: o.headers, Env: o.env, HostEnv: hostEnv}
}
