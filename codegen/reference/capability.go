package reference

import (
	"fmt"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/markdown"
	"github.com/seed-89b9419b/holotype/internal/wire"
)

// The sections of a capability's page that say little about it: hints and refusals are
// much the same on every page, and the tool of MCP says in JSON what tables say.
const (
	TitleOfHints    = "Hints"
	TitleOfRefusals = "Refusals"
	TitleOfTool     = "MCP tool"
)

// Capability writes the page of one capability, builtin or bridged, of a program.
// What a bridged server said about its tool stays text.
func Capability(program string, c *capabilities.Capability) []byte {
	p := newPage(markdown.Code(c.Name()))
	p.Para(markdown.Text(c.Summary()))
	p.Table([]string{"fact", "value"}, facts(program, c))

	p.Section(TitleOfHints)
	var hints [][]string
	c.HintFacts().Each(func(key string, f capabilities.HintFact) {
		row := []string{markdown.CodeCell(key), f.Value.String(), f.From.String()}
		if c.Bridged() {
			row = append(row, sent(f))
		}
		hints = append(hints, row)
	})
	head := []string{"hint", "value", "from"}
	if c.Bridged() {
		head = append(head, "the server sent")
	}
	p.Table(head, hints)

	p.Section("Arguments")
	keyTable(p, c.Input())
	if out := c.Output(); out != nil {
		p.Section("Result")
		if c.HasBlocks() {
			p.Para("Content blocks stand beside this value: over HTTP and on the command line the answer is `{content, structuredContent}`, as an MCP tool result has them.")
		}
		keyTable(p, out)
	}
	if len(c.Examples()) > 0 {
		p.Section("Examples")
		for _, e := range c.Examples() {
			example(p, program, c, e)
		}
	}
	p.Section(TitleOfRefusals)
	var codes [][]string
	for _, i := range c.Codes() {
		codes = append(codes, []string{linkTo("../codes/", string(i.Code)), fmt.Sprint(i.Status), fmt.Sprint(i.Exit), markdown.Text(i.Means), markdown.Text(i.Remedy)})
	}
	p.Table([]string{"code", "HTTP", "exit", "means", "the caller should"}, codes)
	p.Section(TitleOfTool)
	p.JSON(wire.KeyedTool(c))
	return p.Bytes()
}

func facts(program string, c *capabilities.Capability) [][]string {
	var all [][]string
	fact := func(what, value string) { all = append(all, []string{what, value}) }
	if c.Title() != "" {
		fact("title", markdown.Text(c.Title()))
	}
	if c.Pack() != "" {
		fact("pack", linkTo("../packs/", c.Pack()))
	} else {
		fact("source", markdown.CodeCell(c.Source()))
	}
	if e, ok := c.Effect(); ok {
		fact("effect", markdown.Link(markdown.CodeCell(e.String()), "../surfaces.md#effects")+": "+meaning(e))
	} else {
		fact("asserts", markdown.Link(markdown.CodeCell(c.Hints().Word()), "../surfaces.md#what-hints-assert"))
	}
	if c.Undo() != "" {
		fact("undone by", linkTo("", c.Undo()))
	}
	if d := capabilities.Delivers(c); d != "" {
		fact("delivers to", markdown.CodeCell(d))
	}
	fact("scope", markdown.CodeCell(c.Scope()))
	fact("the result follows from", "the input"+map[capabilities.Answers]string{
		capabilities.FromInput: " alone", capabilities.FromStore: " and the store",
		capabilities.FromProcess: ", the store and this process", capabilities.FromWorld: " and something outside this server",
	}[c.Answers()])
	if r := c.Route(); !r.IsZero() {
		fact("HTTP", markdown.CodeCell(request(r)))
	}
	fact("MCP", markdown.CodeCell("tools/call "+c.Name()))
	fact("command line", markdown.CodeCell(program+" call "+c.Name()))
	for _, a := range c.Aliases() {
		fact("old name", fmt.Sprintf("%s, since %s, until %s", markdown.CodeCell(a.Name), markdown.Text(a.Since), markdown.Text(a.Until)))
	}
	return all
}

// sent is what a bridged server said about a hint, as it said it.
func sent(f capabilities.HintFact) string {
	if len(f.Raw) == 0 {
		return "nothing"
	}
	return markdown.CodeCell(clip(string(f.Raw)))
}

// request writes a route as it is sent: the method and the whole path.
func request(r capabilities.Route) string { return r.Method + " " + apiPath + r.Path }

func keyTable(p *markdown.Page, s *capabilities.Schema) {
	rows := keyRows(s.Raw())
	if len(rows) == 0 {
		p.Para("None.")
		return
	}
	p.Table([]string{"field", "type", "description"}, rows)
}
