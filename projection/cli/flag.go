package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/seed-89b9419b/holotype/internal/schema"
)

// Our own flags. No field of an input is reached under their names.
const (
	flagData      = "data"
	flagConfig    = "config"
	flagOutput    = "output"
	flagHelp      = "help"
	flagJSON      = "json"
	flagYes       = "yes"
	flagDryRun    = "dry-run"
	flagOpID      = "op-id"
	flagWait      = "wait"
	flagMCPConfig = "mcp-config"
)

// ownFlag is one of our flags of the call command.
type ownFlag struct {
	name, short string
	word        string // of its value; "" for a switch
	usage       string
}

// ownFlags answers our flags in the order of the help.
func ownFlags() []ownFlag {
	return []ownFlag{
		{flagJSON, "", "VALUE", "the arguments as one JSON object: the object itself, @FILE, or - for standard input; flags may add fields it has not"},
		{flagYes, "", "", "do not ask before a call that may change or remove what exists"},
		{flagDryRun, "", "", "answer what the call would do, and do nothing (writes of this server)"},
		{flagOpID, "", "KEY", "the identity of a write: repeating it with the same key does it once"},
		{flagWait, "", "DURATION", "where a person has to approve the call, how long to wait for that, such as 90s, at most 5m"},
		{flagOutput, "o", "table|json", "how to write the answer; json is the body of the HTTP answer, byte for byte"},
		{flagData, "", "DIR", "the data directory"},
		{flagConfig, "", "FILE", "the configuration file, in place of the one in its usual place"},
		{flagMCPConfig, "", "FILE", "bridge the servers of a client's file with mcpServers too"},
		{flagHelp, "h", "", "show this help"},
	}
}

// findOwn answers our flag of that name, or of that letter with its dash.
func findOwn(name string) (ownFlag, bool) {
	for _, f := range ownFlags() {
		if name == f.name || f.short != "" && name == "-"+f.short {
			return f, true
		}
	}
	return ownFlag{}, false
}

// setting is one flag as it was written.
type setting struct{ flag, value string }

// missingValue says that the last word is a flag whose value does not follow.
type missingValue struct{ flag string }

func (m missingValue) Error() string { return fmt.Sprintf("--%s needs a value", m.flag) }

// lookup answers the full name of a flag and whether it is a switch. A letter
// comes with its dash.
type lookup func(name string) (full string, isSwitch, ok bool)

// unexpectedWord is a word that is no flag where only flags may stand.
type unexpectedWord struct{ word string }

func (u unexpectedWord) Error() string {
	return fmt.Sprintf("%s stands alone: arguments are given as flags, and a switch's value as --flag=false", escape(fmt.Sprintf("%q", u.word), false))
}

type unknownFlag struct{ name string }

func (u unknownFlag) Error() string {
	if !strings.HasPrefix(u.name, "-") {
		return "no flag is named --" + escape(u.name, false)
	}
	return "no flag is named " + escape(u.name, false)
}

// split reads flags up to the first word that is none, and answers what stands
// from there on. "--" ends the flags.
func split(words []string, known lookup) (set []setting, rest []string, err error) {
	for i := 0; i < len(words); i++ {
		word := words[i]
		if word == "--" {
			return set, words[i+1:], nil
		}
		name, value, has, ok := cutFlag(word)
		if !ok {
			return set, words[i:], nil
		}
		full, isSwitch, ok := known(name)
		switch {
		case !ok:
			return set, words[i:], unknownFlag{name}
		case has:
		case isSwitch:
			value = "true"
		case i+1 == len(words):
			return set, nil, missingValue{full}
		default:
			i++
			value = words[i]
		}
		set = append(set, setting{full, value})
	}
	return set, nil, nil
}

// cutFlag reads --name, --name=value, -n, -n=value and -nvalue. It answers a
// letter with its dash, to tell it from a long flag of one letter.
func cutFlag(word string) (name, value string, has, ok bool) {
	switch {
	case strings.HasPrefix(word, "--") && len(word) > 2:
		name, value, has = strings.Cut(word[2:], "=")
		return name, value, has, name != ""
	case strings.HasPrefix(word, "-") && len(word) > 1 && word[1] != '-':
		name, value = word[:2], word[2:]
		return name, strings.TrimPrefix(value, "="), value != "", true
	}
	return "", "", false, false
}

// ownLookup knows our flags alone.
func ownLookup(name string) (string, bool, bool) {
	f, ok := findOwn(name)
	return f.name, f.word == "", ok
}

// argumentLookup knows our flags and those of an input. An underscore stands for
// a dash, as fields are written; a field's own name never means another field.
func argumentLookup(args []argument) lookup {
	return func(name string) (string, bool, bool) {
		if full, isSwitch, ok := ownLookup(name); ok {
			return full, isSwitch, true
		}
		a, ok := findArgument(args, name)
		if i := slices.IndexFunc(args, func(a argument) bool { return a.Name == name }); !ok && i >= 0 {
			a, ok = args[i], args[i].flag != ""
			return a.flag, a.isSwitch(), ok
		}
		dashed := strings.ReplaceAll(name, "_", "-")
		if full, isSwitch, own := ownLookup(dashed); !ok && own {
			return full, isSwitch, true
		}
		if !ok {
			a, ok = findArgument(args, dashed)
		}
		return a.flag, a.isSwitch(), ok
	}
}

// suggest adds the nearest flag to an error about one that does not exist.
func suggest(err error, args []argument) error {
	var unknown unknownFlag
	if !errors.As(err, &unknown) {
		return err
	}
	var names []string
	for _, a := range args {
		if a.flag != "" {
			names = append(names, a.flag)
		}
		if a.flag == "" && a.Name == unknown.name {
			return fmt.Errorf("the field %s has no flag of its own: give it with --json", escape(fmt.Sprintf("%q", a.Name), false))
		}
	}
	fields := slices.Clone(names)
	for _, f := range ownFlags() {
		names = append(names, f.name)
	}
	if near, ok := schema.Nearest(unknown.name, names); ok {
		return fmt.Errorf("%w: did you mean --%s", err, near)
	}
	if n := len(fields); n > 0 && n <= fewFlags {
		return fmt.Errorf("%w: its fields are --%s", err, strings.Join(fields, ", --"))
	}
	return err
}

// fewFlags is how many flags are listed where none is near the one that does not exist.
const fewFlags = 8
