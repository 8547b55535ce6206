package cli

import (
	"net/textproto"
	"net/url"
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
	flags.Var(newText(&o.timeout, flagTimeout, "DURATION"), flagTimeout, "how long the handshake and the list may take together, such as 30s; the default is a minute for each, three for a package runner")
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
		return o.ofCommand(args, hostEnv)
	case len(args) == 0:
		return nil, nil //nolint:nilnil // no server is named, and that is fine
	case len(args) > 1:
		return nil, Usage("a command stands behind --, such as: inspect -- %s", escape(strings.Join(args, " "), false))
	}
	return o.ofURL(args[0])
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
	if o.timeout == "" {
		return 0, nil
	}
	d, err := time.ParseDuration(o.timeout)
	if err != nil || d <= 0 {
		return 0, Usage("--%s is a time above zero with its unit, such as 30s or 2m, not %s", flagTimeout, quoted(o.timeout))
	}
	return d, nil
}

func (o *inspectFlags) ofURL(address string) (*bridge.Server, error) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, Usage("%s is no http or https address; a command stands behind --, such as: inspect -- %s", quoted(address), escape(address, false))
	}
	if len(o.env) > 0 {
		return nil, Usage("--%s is for a command: a url has no environment", flagEnv)
	}
	s := &bridge.Server{Name: o.as, URL: address, Headers: map[string]string{}}
	for _, line := range o.headers {
		name, value, ok := strings.Cut(line, ":")
		name = textproto.CanonicalMIMEHeaderKey(strings.TrimSpace(name))
		_, twice := s.Headers[name]
		switch {
		case !ok || name == "":
			// The text may hold a credential: it is not repeated.
			return nil, Usage("--%s is 'Name: value', and one of those given has no name or no colon", flagHeader)
		case twice:
			return nil, Usage("--%s gives %s twice", flagHeader, quoted(name))
		}
		s.Headers[name] = strings.TrimSpace(value)
	}
	return s, nil
}

func (o *inspectFlags) ofCommand(args []string, hostEnv func() []string) (*bridge.Server, error) {
	if len(o.headers) > 0 {
		return nil, Usage("--%s is for a url: a command gets --%s", flagHeader, flagEnv)
	}
	s := &bridge.Server{Name: o.as, Command: args[0], Args: args[1:], Env: map[string]string{}}
	for _, word := range o.env {
		name, value, given := strings.Cut(word, "=")
		if !given {
			if value, given = variable(hostEnv, name); !given {
				return nil, Usage("--%s %s hands on a variable that is not set: set it, or give NAME=VALUE", flagEnv, quoted(name))
			}
		}
		s.Env[name] = value
	}
	return s, nil
}

func variable(hostEnv func() []string, name string) (value string, ok bool) {
	if hostEnv == nil {
		return "", false
	}
	for _, kv := range hostEnv() {
		if v, found := strings.CutPrefix(kv, name+"="); found && name != "" {
			value, ok = v, true
		}
	}
	return value, ok
}
