package cli

import (
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
)

// once refuses the second value of a flag that takes one: the last would win without
// a word, and which one was meant is not known.
type once struct {
	name  string
	given bool
}

func (o *once) take() error {
	if o.given {
		return Usage("--%s is given more than once and takes one value", o.name)
	}
	o.given = true
	return nil
}

// textValue is the value of a flag that takes a text. An empty one is refused: it is
// what a variable that is not set leaves, and would mean the default.
type textValue struct {
	once
	text *string
	word string // for the value in help
}

func newText(text *string, name, word string) *textValue {
	return &textValue{once{name: name}, text, word}
}

// String answers the text.
func (v *textValue) String() string {
	if v.text == nil { // asked of a zero value, to tell a default
		return ""
	}
	return *v.text
}

// Set takes the text.
func (v *textValue) Set(text string) error {
	if text == "" {
		return emptyFlag(v.name)
	}
	*v.text = text
	return v.take()
}

// Type is the word for the value in help.
func (v *textValue) Type() string { return v.word }

func tooOften(name string, times int) error {
	return Usage("--%s is given %d times and takes one value", name, times)
}

func emptyFlag(name string) error {
	return Usage("--%s is empty: give it a value, or leave it out for the default", name)
}

// formatValue is the value of -o.
type formatValue struct {
	once
	f *Format
}

// String answers the format.
func (v *formatValue) String() string {
	if v.f == nil { // asked of a zero value, to tell a default
		return ""
	}
	return string(*v.f)
}

// Set reads a format.
func (v *formatValue) Set(text string) error {
	f, err := parseFormat(text)
	if err != nil {
		return err
	}
	*v.f = f
	return v.take()
}

// Type is the word for the value in help.
func (v *formatValue) Type() string { return "table|json" }

// choiceValue is a text out of a closed set.
type choiceValue struct {
	once
	text   string
	values []string
}

// String answers the text.
func (v *choiceValue) String() string { return v.text }

// Set takes a member of the set.
func (v *choiceValue) Set(text string) error {
	if !slices.Contains(v.values, text) {
		return Usage("--%s is one of %s, not %s", v.name, strings.Join(v.values, ", "), quoted(text))
	}
	v.text = text
	return v.take()
}

// Type is the word for the value in help.
func (v *choiceValue) Type() string { return strings.Join(v.values, "|") }

// switchValue is the value of a flag that is on or off.
type switchValue struct {
	once
	on *bool
}

// defineSwitch gives a command a flag that stands alone for true.
func defineSwitch(cmd *cobra.Command, on *bool, name, short, usage string) {
	cmd.Flags().VarPF(&switchValue{once{name: name}, on}, name, short, usage).NoOptDefVal = "true"
}

// String answers "true" or "false".
func (v *switchValue) String() string {
	return strconv.FormatBool(v.on != nil && *v.on)
}

// Set reads a truth value.
func (v *switchValue) Set(text string) error {
	on, err := switched(v.name, text)
	if err != nil {
		return err
	}
	*v.on = on
	return v.take()
}

// Type is the word that the help leaves out.
func (v *switchValue) Type() string { return "bool" }

// switched reads the value of a switch.
func switched(name, text string) (bool, error) {
	on, err := strconv.ParseBool(text)
	if err != nil {
		return false, Usage("--%s is true or false, not %s", name, quoted(text))
	}
	return on, nil
}
