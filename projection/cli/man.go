package cli

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/markdown"
)

// Manual answers the manual pages of the program and of each of its commands, in roff with
// the macros of man(7), by their file names, such as "holotype-serve.1". Of each of the
// capabilities there is one of how it is called. They carry no date: the same commands give
// the same bytes.
func (c *CLI) Manual(caps []*capabilities.Capability) (map[string][]byte, error) {
	r := &run{o: c.o, streams: streams{strings.NewReader(""), io.Discard, io.Discard}, format: Table}
	pages := map[string][]byte{}
	var walk func(cmd *cobra.Command)
	walk = func(cmd *cobra.Command) {
		if cmd.Hidden {
			return
		}
		cmd.InitDefaultHelpFlag()
		cmd.InitDefaultVersionFlag()
		pages[pageName(cmd)+".1"] = r.page(cmd)
		for _, sub := range cmd.Commands() {
			walk(sub)
		}
	}
	root := r.root()
	root.InitDefaultHelpCmd()
	walk(root)
	for _, one := range caps {
		text, err := c.Help(one)
		if err != nil {
			return nil, fmt.Errorf("the manual page of %s: %w", one.Name(), err)
		}
		name := c.o.Name + "-call-" + one.Name()
		p := r.begin(name, firstLine(text))
		p.section("DESCRIPTION")
		p.asIs(text)
		p.seeAlso(c.o.Name + "-call")
		pages[name+".1"] = p.b.Bytes()
	}
	return pages, nil
}

// Help answers the help of one capability, as "call NAME --help" writes it for whoever may
// call it.
func (c *CLI) Help(one *capabilities.Capability) (string, error) {
	var out bytes.Buffer
	r := &run{o: c.o, streams: streams{strings.NewReader(""), &out, io.Discard}, format: Table}
	err := r.callHelp(one, inputOf(one))
	return out.String(), err
}

// Completions answers the completion scripts of bash, zsh, fish and PowerShell, by the
// file names that the shells look for.
func (c *CLI) Completions() (map[string][]byte, error) {
	scripts := map[string][]byte{}
	for shell, name := range map[string]string{"bash": c.o.Name, "zsh": "_" + c.o.Name, "fish": c.o.Name + ".fish", "powershell": c.o.Name + ".ps1"} {
		var out, faults bytes.Buffer
		if c.Run(context.Background(), []string{"completion", shell}, strings.NewReader(""), &out, &faults) != 0 {
			return nil, fmt.Errorf("the completion script of %s: %s", shell, &faults)
		}
		scripts[shell+"/"+name] = out.Bytes()
	}
	return scripts, nil
}

// pageName answers the name of a command's page.
func pageName(cmd *cobra.Command) string { return strings.ReplaceAll(cmd.CommandPath(), " ", "-") }

func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return line
}

// page writes the page of a command.
func (r *run) page(cmd *cobra.Command) []byte {
	p := r.begin(pageName(cmd), cmd.Short)
	p.section("SYNOPSIS")
	p.request(".B", cmd.UseLine())
	p.section("DESCRIPTION")
	text := cmd.Long
	if text == "" {
		text = cmd.Short
	}
	p.asIs(text)
	p.options("OPTIONS", cmd.NonInheritedFlags())
	p.options("OPTIONS OF EVERY COMMAND", cmd.InheritedFlags())
	if subs := shown(cmd); len(subs) > 0 {
		p.section("COMMANDS")
		for _, sub := range subs {
			p.item(sub.Name(), sub.Short)
		}
	}
	if cmd.Example != "" {
		p.section("EXAMPLES")
		p.asIs(cmd.Example)
	}
	var others []string
	if cmd.HasParent() {
		others = append(others, pageName(cmd.Parent()))
	}
	for _, sub := range shown(cmd) {
		others = append(others, pageName(sub))
	}
	p.seeAlso(others...)
	return p.b.Bytes()
}

// shown answers the commands of a command that its help lists.
func shown(cmd *cobra.Command) []*cobra.Command {
	var all []*cobra.Command
	for _, sub := range cmd.Commands() {
		if !sub.Hidden {
			all = append(all, sub)
		}
	}
	return all
}

// manual is a manual page being written.
type manual struct{ b bytes.Buffer }

func (r *run) begin(name, about string) *manual {
	p := &manual{}
	fmt.Fprintf(&p.b, ".\\\" %s\n", markdown.Marker)
	fmt.Fprintf(&p.b, ".TH %s 1 \"\" %s %s\n", argumentOf(strings.ToUpper(name)), argumentOf(r.o.Name+" "+r.o.Version), argumentOf(r.o.Name))
	p.section("NAME")
	p.line(name + " - " + about)
	return p
}

func (p *manual) section(title string) { p.request(".SH", title) }

// request writes one macro with one argument.
func (p *manual) request(macro, argument string) {
	fmt.Fprintf(&p.b, "%s %s\n", macro, argumentOf(argument))
}

// line writes one line of text.
func (p *manual) line(text string) { p.b.WriteString(roff(text) + "\n") }

// item writes a tagged paragraph.
func (p *manual) item(tag, text string) {
	p.b.WriteString(".TP\n")
	p.request(".B", tag)
	p.line(text)
}

// asIs writes text whose lines stay as they are.
func (p *manual) asIs(text string) {
	p.b.WriteString(".nf\n")
	for l := range strings.Lines(strings.Trim(text, "\n")) {
		p.line(strings.TrimRight(l, "\n"))
	}
	p.b.WriteString(".fi\n")
}

func (p *manual) options(title string, flags *pflag.FlagSet) {
	if !flags.HasAvailableFlags() {
		return
	}
	p.section(title)
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		word, usage := pflag.UnquoteUsage(f)
		tag := "--" + f.Name
		if f.Shorthand != "" {
			tag = "-" + f.Shorthand + ", " + tag
		}
		if word != "" {
			tag += " " + word
		}
		if f.DefValue != "" && f.DefValue != "false" && f.DefValue != "[]" {
			usage += " (default " + f.DefValue + ")"
		}
		p.item(tag, usage)
	})
}

func (p *manual) seeAlso(names ...string) {
	if len(names) == 0 {
		return
	}
	p.section("SEE ALSO")
	for i, n := range names {
		if i < len(names)-1 {
			n += "(1),"
		} else {
			n += "(1)"
		}
		p.line(n)
	}
}

// roff escapes a line of text: what would be an escape, a macro or another hyphen is
// itself.
func roff(line string) string {
	line = strings.NewReplacer(`\`, `\e`, "-", `\-`, "~", `\(ti`, "^", `\(ha`, "`", `\(ga`, "'", `\(aq`).Replace(escape(line, false))
	if strings.HasPrefix(line, ".") {
		line = `\&` + line
	}
	return line
}

// argumentOf escapes the argument of a macro, which is quoted.
func argumentOf(text string) string { return `"` + strings.ReplaceAll(roff(text), `"`, `\(dq`) + `"` }
