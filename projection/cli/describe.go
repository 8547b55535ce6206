package cli

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/schema"
	"github.com/seed-89b9419b/holotype/projection/catalogue"
)

// hintRows are the four hints with who said so, and what a server sent where that
// is something else.
func hintRows(h catalogue.Hints) [][]string {
	rows := [][]string{}
	for _, one := range []struct {
		name string
		hint catalogue.Hint
	}{{"read-only", h.ReadOnly}, {"destructive", h.Destructive}, {"idempotent", h.Idempotent}, {"open-world", h.OpenWorld}} {
		from := string(one.hint.From)
		if one.hint.From == catalogue.Provenance(capabilities.FromNowhere.String()) {
			from = "nobody says"
		}
		if one.hint.Sent != "" {
			from += ", the server sent " + escape(one.hint.Sent, false)
		}
		rows = append(rows, []string{one.name, string(one.hint.Value), from})
	}
	return rows
}

// effectWords are a builtin's effect, or in parentheses what a bridged tool's
// hints assert.
func effectWords(r catalogue.Row) string {
	if r.Effect == nil {
		return "(" + string(r.Asserts) + ")"
	}
	return string(r.Effect.Change) + " " + string(r.Effect.Reach)
}

// effectLine is effectWords with what they mean.
func effectLine(r catalogue.Row) string {
	if r.Effect == nil {
		line := "none declared; the hints say: " + string(r.Asserts)
		if r.Contradictory {
			line += " (they contradict each other, which is read as the danger)"
		}
		return line
	}
	line := effectWords(r)
	if e, ok := capabilities.ParseEffect(string(r.Effect.Change), string(r.Effect.Reach)); ok {
		line += ": " + effectSentence(e)
	}
	if r.Effect.Undo != "" {
		line += "; " + r.Effect.Undo + " undoes it"
	}
	return line
}

// facts writes aligned names and values, leaving out what is empty.
func (p *printer) facts(rows [][2]string) {
	width := 0
	for _, row := range rows {
		width = max(width, len(row[0]))
	}
	for _, row := range rows {
		if row[1] != "" {
			p.print(pad(row[0], width), "  ", row[1], "\n")
		}
	}
}

// argumentList writes every field of an input: its flag, what it takes and what
// it is for.
func (p *printer) argumentList(args []argument) {
	if len(args) == 0 {
		p.print("\nArguments: none\n")
		return
	}
	p.print("\nArguments:\n")
	var far []argument
	for _, a := range args {
		if a.flag == "" {
			far = append(far, a)
			continue
		}
		p.print("  ", strings.TrimSpace("--"+a.flag+" "+a.word()), marks(a), "\n")
		p.about(a)
	}
	if slices.ContainsFunc(args, func(a argument) bool { return a.flag != "" && a.takesFile() }) {
		p.print("  TEXT and JSON may stand in a file: @FILE, or @- for standard input; write @@ where the text itself begins with an @.\n")
	}
	for i, a := range far {
		if i == 0 {
			p.print("\nArguments that only --", flagJSON, " reaches:\n")
		}
		p.print("  ", quoted(a.Name), marks(a), "\n")
		p.about(a)
	}
}

func (p *printer) about(a argument) {
	if a.Description != "" {
		p.print("      ", strings.ReplaceAll(escape(strings.TrimSpace(a.Description), true), "\n", "\n      "), "\n")
	}
	values := a.Enum
	if a.isList() {
		values = a.Items.Enum
	}
	if len(values) > 0 {
		words := make([]string, len(values))
		for i, v := range values {
			words[i] = shellQuote(plainText(v))
		}
		p.print("      one of: ", strings.Join(words, ", "), "\n")
	}
	if a.shape != "" {
		p.print("      such as: ", escape(a.shape, false), "\n")
	}
	if len(a.Default) > 0 {
		p.print("      default: ", plainText(a.Default), "\n")
	}
}

// marks are the facts about a field that fit beside its flag.
func marks(a argument) string {
	var m []string
	if a.flag != "" && a.flag != a.Name && strings.ReplaceAll(a.Name, "_", "-") != a.flag {
		m = append(m, "the field "+quoted(a.Name))
	}
	if a.Required {
		m = append(m, "required")
	}
	if a.isList() {
		m = append(m, "may be repeated")
	}
	if a.Nullable {
		m = append(m, "or null, with --json alone")
	}
	if len(m) == 0 {
		return ""
	}
	return "  (" + strings.Join(m, ", ") + ")"
}

// plainText is a JSON value as a flag takes it: a string without its quotes.
func plainText(v json.RawMessage) string {
	var s string
	if json.Unmarshal(v, &s) == nil {
		return escape(s, false)
	}
	return escape(string(v), false)
}

// refusalList writes the codes a call may be refused with, and the exit status of
// each.
func (p *printer) refusalList(codes []capabilities.CodeInfo) {
	p.print("\nRefusals (exit status, code):\n")
	rows := make([][]string, len(codes))
	for i, c := range codes {
		rows[i] = []string{fmt.Sprint(c.Exit), string(c.Code), c.Means}
	}
	if len(rows) > 0 {
		p.rows(rows, "  ")
	}
}

// exampleList writes the declared calls as lines that run.
func (p *printer) exampleList(program, name string, examples []capabilities.Example, args []argument) {
	if len(examples) == 0 {
		return
	}
	p.print("\nExamples:\n")
	for _, e := range examples {
		p.print("  # ", escape(e.Name, false))
		if e.Refuses != "" {
			p.print(" (is refused: ", string(e.Refuses), ")")
		}
		p.print("\n  ", program, " call ", name, exampleFlags(e.In, args), "\n")
	}
}

// exampleFlags writes arguments as flags where that says exactly the same, else
// with --json.
func exampleFlags(in string, args []argument) string {
	n, err := parseTree([]byte(in))
	if err != nil || n.kind != objectNode {
		return " --" + flagJSON + " " + shellQuote(in)
	}
	c := &called{values: map[string][]string{}}
	var line strings.Builder
	for i, key := range n.keys {
		a, ok := findField(args, key)
		if !ok || a.flag == "" || a.word() == "JSON" {
			return " --" + flagJSON + " " + shellQuote(in)
		}
		texts := []string{n.values[i].text}
		if n.values[i].kind == arrayNode {
			texts = nil
			for _, v := range n.values[i].values {
				texts = append(texts, v.text)
			}
		}
		for _, t := range texts {
			c.add([]setting{{a.flag, t}})
			line.WriteString(flagText(a, t))
		}
	}
	// The proof that the line says the same is to read it.
	said, err := fields(nil, args, c, nil)
	if err != nil || !sameJSON(said, []byte(in)) {
		return " --" + flagJSON + " " + shellQuote(in)
	}
	return line.String()
}

func flagText(a argument, text string) string {
	text = a.escapeMark(text)
	switch {
	case a.isSwitch() && text == "true":
		return " --" + a.flag
	case a.isSwitch() || strings.HasPrefix(text, "-"):
		return " --" + a.flag + "=" + shellQuote(text)
	}
	return " --" + a.flag + " " + shellQuote(text)
}

func findField(args []argument, name string) (argument, bool) {
	i := slices.IndexFunc(args, func(a argument) bool { return a.Name == name })
	if i < 0 {
		return argument{}, false
	}
	return args[i], true
}

// sameJSON reports whether two JSON texts have the same value.
func sameJSON(a, b []byte) bool {
	x, err := schema.Canonical(a)
	if err != nil {
		return false
	}
	y, err := schema.Canonical(b)
	return err == nil && string(x) == string(y)
}
