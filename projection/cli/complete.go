package cli

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/seed-89b9419b/holotype/capabilities"
)

// maxComplete is how long a shell waits for a completion.
const maxComplete = time.Second

// nothing is the answer where there is nothing to offer, file names included.
const nothing = cobra.ShellCompDirectiveNoFileComp

// completeName offers the names of capabilities for the first argument.
func (r *run) completeName(cmd *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, nothing
	}
	var names []cobra.Completion
	r.completing(cmd.Context(), func(s Session) { names = completeNames(s) })
	return names, nothing
}

// completeCall offers what may follow in a call: a name, a flag, a flag's value.
// The shell's command word for word is all it knows, so it errs on offering less.
func (r *run) completeCall(cmd *cobra.Command, words []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	set, rest, err := split(words, ownLookup)
	c := &called{values: map[string][]string{}}
	c.add(set)
	if len(rest) == 0 {
		var missing missingValue
		switch {
		case errors.As(err, &missing):
			return completeOwn(missing.flag)
		case err != nil:
			return nil, nothing
		}
		r.own(c)
		return r.completeName(cmd, nil, typed)
	}
	c.name = rest[0]
	if r.peek(c, rest[1:]) != nil {
		return nil, nothing
	}
	var offers []cobra.Completion
	directive := nothing
	r.completing(cmd.Context(), func(s Session) {
		if capa, rule, ok := s.Find(s.Principal(), c.name); ok && (rule == nil || rule.Listed) {
			offers, directive = completeArguments(capa, rest[1:], typed)
		}
	})
	return offers, directive
}

// completing runs f with a session, if there is one in time. It is silent: a
// shell shows what a completion prints.
func (r *run) completing(ctx context.Context, f func(Session)) {
	ctx, cancel := context.WithTimeout(ctx, maxComplete)
	defer cancel()
	s, err := r.open(ctx, nil, false)
	if err != nil {
		return
	}
	f(s)
	_ = s.Close() // silent, as said above
}

func completeNames(s Session) []cobra.Completion {
	var names []cobra.Completion
	for _, c := range s.View(s.Principal()).Listed {
		if c.AliasOf() == "" {
			names = append(names, cobra.CompletionWithDesc(c.Name(), oneLine(c.Summary(), 72)))
		}
	}
	return names
}

// completeOwn offers values of one of our flags.
func completeOwn(flag string) ([]cobra.Completion, cobra.ShellCompDirective) {
	switch flag {
	case flagOutput:
		return []cobra.Completion{string(Table), string(JSON)}, nothing
	case flagData:
		return nil, cobra.ShellCompDirectiveFilterDirs
	case flagConfig, flagMCPConfig:
		return nil, cobra.ShellCompDirectiveDefault
	}
	return nil, nothing
}

func completeArguments(capa *capabilities.Capability, words []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	args := inputOf(capa)
	known := argumentLookup(args)
	set, rest, err := split(words, known)
	flag, typedValue := "", false
	var missing missingValue
	switch name, _, has, ok := cutFlag(typed); {
	case errors.As(err, &missing):
		flag, typedValue = missing.flag, true
	case err != nil || len(rest) > 0:
		return nil, nothing
	case ok && has:
		flag, _, typedValue = known(name)
	}
	if typedValue {
		if a, ok := findArgument(args, flag); ok {
			return completeValue(a), nothing
		}
		return completeOwn(flag)
	}
	return completeFlags(args, set), nothing
}

// completeValue offers the values a field is limited to. A value that a shell
// would read otherwise than as it stands is left out: the words of a schema are a
// stranger's, and completion puts them on the command line.
func completeValue(a argument) []cobra.Completion {
	p := a.Property
	if a.isList() {
		p = *a.Items
	}
	if a.isSwitch() {
		return []cobra.Completion{"true", "false"}
	}
	var offers []cobra.Completion
	for _, v := range p.Enum {
		if text := plainText(v); shellSafe.MatchString(text) {
			offers = append(offers, text)
		}
	}
	return offers
}

// completeFlags offers the flags that may still be given; ours that every command
// has are offered by the command library.
func completeFlags(args []argument, set []setting) []cobra.Completion {
	given := func(flag string) bool {
		return slices.ContainsFunc(set, func(s setting) bool { return s.flag == flag })
	}
	var offers []cobra.Completion
	for _, a := range args {
		if a.flag == "" || given(a.flag) && !a.isList() {
			continue
		}
		about := oneLine(a.Description, 60)
		if a.Required {
			about = strings.TrimSpace("(required) " + about)
		}
		offers = append(offers, cobra.CompletionWithDesc("--"+a.flag, about))
	}
	return offers
}
