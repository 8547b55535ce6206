package cli

import (
	"context"
	"errors"
	"maps"

	"github.com/spf13/cobra"

	"github.com/seed-89b9419b/holotype/capabilities"
)

// callCommand reads its own flags: which there are follows from the capability.
func (r *run) callCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "call NAME [flags]",
		Short: "Call a capability, with its arguments as flags or as JSON",
		Long: `Call a capability. Every field of its input that can be one is a flag: see
"` + r.o.Name + ` call NAME --help". A field named like one of the flags below has
"arg-" before its name; one that no flag can be named after is given with --json.
A text may stand in a file: write @FILE for it, or @- for standard input, and @@
where the text itself begins with an @.
On a terminal a call that may change or remove what exists asks first; elsewhere
it needs --yes.`,
		Example: `  ` + r.o.Name + ` call list_tools --limit 5
  ` + r.o.Name + ` call list_tools -o json --json '{"source":"builtin"}'`,
		DisableFlagParsing: true,
		ValidArgsFunction:  r.completeCall,
	}
	// They are read by split; defined here they stand in the help.
	flags := cmd.Flags()
	for _, f := range ownFlags() {
		switch f.name {
		case flagJSON, flagOpID, flagWait, flagMCPConfig:
			flags.Var(newText(new(string), f.name, f.word), f.name, f.usage)
		case flagYes, flagDryRun:
			defineSwitch(cmd, new(bool), f.name, "", f.usage)
		}
	}
	cmd.RunE = r.runE(func(ctx context.Context, args []string) error { return r.call(ctx, cmd, args) })
	return cmd
}

// called is what a call's command line says.
type called struct {
	name   string
	values map[string][]string // by flag
	// refused says that a rule keeps the caller from it: the call is sent all the same,
	// and refused where every call is judged and kept.
	refused bool
}

func (c *called) add(set []setting) {
	for _, s := range set {
		c.values[s.flag] = append(c.values[s.flag], s.value)
	}
}

// last answers the last value of one of our flags.
func (c *called) last(flag string) (string, bool) {
	v := c.values[flag]
	if len(v) == 0 {
		return "", false
	}
	return v[len(v)-1], true
}

// on reads a switch of ours.
func (c *called) on(flag string) (bool, error) {
	text, given := c.last(flag)
	if !given {
		return false, nil
	}
	return switched(flag, text)
}

// once refuses one of our flags that is given more than once.
func (c *called) once() error {
	for _, f := range ownFlags() {
		if n := len(c.values[f.name]); n > 1 {
			return tooOften(f.name, n)
		}
	}
	return nil
}

func (r *run) call(ctx context.Context, cmd *cobra.Command, words []string) (err error) {
	set, rest, err := split(words, ownLookup)
	var unknown unknownFlag
	switch {
	case errors.As(err, &unknown):
		return Usage("%w: the capability's name comes first, then its flags", err)
	case err != nil:
		return &usageError{err}
	}
	c := &called{values: map[string][]string{}}
	c.add(set)
	if err := c.once(); err != nil {
		return err
	}
	help, err := c.on(flagHelp)
	if err != nil {
		return err
	}
	if len(rest) == 0 {
		if help {
			return cmd.Help()
		}
		return Usage("call needs the name of a capability: %s tools lists them", r.o.Name)
	}
	c.name = rest[0]
	if err := r.peek(c, rest[1:]); err != nil {
		return err
	}
	opened := [...]string{r.data, r.config, r.mcpConfig}
	session, err := r.open(ctx, []string{c.name}, false)
	if err != nil {
		return err
	}
	defer closing(session, &err)
	capa, rule, ok := session.Find(session.Principal(), c.name)
	if !ok {
		return r.unknownName(ctx, session, c.name)
	}
	c.refused = rule != nil
	r.topic = "call " + c.name
	args := inputOf(capa)
	set, rest, err = split(rest[1:], argumentLookup(args))
	switch {
	case err != nil:
		return &usageError{suggest(err, args)}
	case len(rest) > 0:
		return &usageError{unexpectedWord{rest[0]}}
	}
	c.add(set)
	if err := c.once(); err != nil {
		return err
	}
	r.own(c)
	if opened != [...]string{r.data, r.config, r.mcpConfig} {
		return Usage("a flag took the next word, which looks like --%s, --%s or --%s, as its value: write --flag=value where a value begins with a dash", flagData, flagConfig, flagMCPConfig)
	}
	if help, err = c.on(flagHelp); err != nil {
		return err
	}
	if help && rule != nil && !rule.Listed {
		return capabilities.Refuse(capabilities.Forbidden, "%s", rule.Message)
	}
	if help {
		return r.callHelp(capa, args)
	}
	return r.send(ctx, session, capa, args, c)
}

// peek reads, ahead of the flags that follow from the capability, those that say
// where it is to be found. Whether they are flags or values of others is judged
// when all are known. One that is empty, or given
// twice, is refused here already: the capability would be looked for somewhere else.
func (r *run) peek(c *called, words []string) error {
	ahead := &called{values: maps.Clone(c.values)}
	for i, word := range words {
		if word == "--" {
			break
		}
		name, value, has, ok := cutFlag(word)
		f, ours := findOwn(name)
		if !ok || !ours || f.word == "" {
			continue
		}
		switch {
		case has:
			ahead.add([]setting{{f.name, value}})
		case i+1 < len(words):
			ahead.add([]setting{{f.name, words[i+1]}})
		}
	}
	for _, flag := range []string{flagData, flagConfig, flagMCPConfig} {
		if text, given := ahead.last(flag); given && text == "" {
			return emptyFlag(flag)
		}
		if n := len(ahead.values[flag]); n > 1 {
			return tooOften(flag, n)
		}
	}
	r.own(ahead)
	return nil
}

// own takes our flags over. An unknown format is refused when the call is sent.
func (r *run) own(c *called) {
	r.data, _ = c.last(flagData)
	r.config, _ = c.last(flagConfig)
	r.mcpConfig, _ = c.last(flagMCPConfig)
	r.format = Table
	if text, given := c.last(flagOutput); given {
		r.format = Format(text)
	}
}
