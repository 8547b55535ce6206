package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/capabilities/system"
)

// CLI is the command line of one program. It keeps nothing between runs and is
// safe for concurrent use.
type CLI struct{ o Options }

// New answers a command line.
func New(o Options) *CLI { return &CLI{o} }

// Run runs one command line, without the program's name, and answers its exit
// status: 0; that of a refusal's code; 2 for a command that cannot be run as it
// stands; 130 when ctx was cancelled; 1 for any other failure. A stream is a
// terminal when it is the file of one, or has IsTerminal() bool that says so.
func (c *CLI) Run(ctx context.Context, args []string, in io.Reader, out, errw io.Writer) int {
	r := &run{o: c.o, streams: streams{in, out, errw}, format: Table, requestID: capabilities.NewRequestID()}
	r.stopped = func() bool { return errors.Is(ctx.Err(), context.Canceled) }
	root := r.root()
	if args == nil {
		args = []string{} // nil would mean this process's own
	}
	root.SetArgs(args)
	ran, err := root.ExecuteContextC(ctx)
	if ran != nil && ran != root && r.topic == "" {
		r.topic = ran.CommandPath()[len(root.Name())+1:]
	}
	return r.exit(err)
}

// run is one run of a command line.
type run struct {
	o Options
	streams
	data, config string
	mcpConfig    string
	format       Format
	requestID    string
	topic        string            // the command that ran, without the program's name
	ran          bool              // whether a command's own code was reached
	flags        map[string]string // of the fields of a call, by their names
	shapes       map[string]string // what the JSON of fields of a call looks like, by their names
	stopped      func() bool
}

// root builds the tree of commands.
func (r *run) root() *cobra.Command {
	root := &cobra.Command{
		Use:               r.o.Name,
		Short:             cmp.Or(r.o.Summary, "One front door for your tools that never lies about what a call will do"),
		Version:           r.o.Version,
		SilenceErrors:     true,
		SilenceUsage:      true,
		CompletionOptions: cobra.CompletionOptions{DisableDefaultCmd: true},
	}
	root.SetVersionTemplate("{{.Name}} {{.Version}}\n")
	root.SetIn(r.in)
	root.SetOut(r.out)
	root.SetErr(r.err)
	flags := root.PersistentFlags()
	flags.Var(newText(&r.data, flagData, "DIR"), flagData, "the data directory")
	flags.Var(newText(&r.config, flagConfig, "FILE"), flagConfig, "the configuration file; without it, one that stands in ~/.config/"+r.o.Name+"/config.yaml")
	flags.VarP(&formatValue{once{name: flagOutput}, &r.format}, flagOutput, "o", "how to write the answer")
	// The flags were defined a line above.
	_ = root.MarkPersistentFlagDirname(flagData)
	_ = root.MarkPersistentFlagFilename(flagConfig, "yaml", "yml", "json")
	_ = root.RegisterFlagCompletionFunc(flagOutput, cobra.FixedCompletions([]cobra.Completion{string(Table), string(JSON)}, cobra.ShellCompDirectiveNoFileComp))
	root.AddCommand(r.callCommand(), r.toolsCommand(), r.inspectCommand(), r.completionCommand(), r.exitCodesTopic())
	root.SetHelpCommand(r.helpCommand())
	for _, c := range r.o.Commands {
		r.add(root, c)
	}
	return root
}

// runE marks that a command's own code was reached: what fails before is how the
// command was given.
func (r *run) runE(f func(ctx context.Context, args []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		r.ran = true
		return f(cmd.Context(), args)
	}
}

// open answers the session of this run.
func (r *run) open(ctx context.Context, names []string, all bool) (Session, error) {
	return r.o.Open(ctx, OpenRequest{Data: r.data, Config: r.config, MCPConfig: r.mcpConfig, Err: r.err, Names: names, All: all})
}

// invoke sends a call of one of our own commands, which read.
func (r *run) invoke(ctx context.Context, s Session, name string, args []byte) (*capabilities.Result, error) {
	if _, _, ok := s.Find(s.Principal(), name); !ok {
		return nil, fmt.Errorf("this server does not serve %s, which this command shows: add %s to packs in its configuration", name, system.Pack.Describe().Info().Name)
	}
	return s.Invoke(ctx, capabilities.Call{
		Name: name, Arguments: args, Principal: s.Principal(), Surface: capabilities.CLI, RequestID: r.requestID,
	})
}

// closing closes a session and keeps the first error.
func closing(s Session, err *error) {
	if cerr := s.Close(); *err == nil {
		*err = cerr
	}
}

func parseFormat(text string) (Format, error) {
	switch f := Format(text); f {
	case Table, JSON:
		return f, nil
	}
	return "", Usage("--%s is table or json, not %s", flagOutput, quoted(text))
}
