package reference

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/wire"
)

// Capability writes the page of one capability, builtin or bridged.
func Capability(c *capabilities.Capability) []byte {
	p := newPage(Code(c.Name()))
	p.f("\n%s\n", Text(c.Summary()))
	var facts [][]string
	fact := func(what, value string) { facts = append(facts, []string{what, value}) }
	fact("title", Text(c.Title()))
	fact("source", Code(c.Source()))
	if c.Pack() != "" {
		fact("pack", fmt.Sprintf("[%s](../packs/%s.md)", Code(c.Pack()), c.Pack()))
	}
	if e, ok := c.Effect(); ok {
		fact("effect", fmt.Sprintf("%s, %s", Code(e.Change().String()), Code(e.Reach().String())))
	} else {
		fact("asserts", c.Hints().Word())
	}
	if c.Undo() != "" {
		fact("undone by", Code(c.Undo()))
	}
	if d := capabilities.Delivers(c); d != "" {
		fact("delivers to", Code(d))
	}
	fact("scope", Code(c.Scope()))
	fact("answers from", c.Answers().String())
	if r := c.Route(); !r.IsZero() {
		fact("HTTP", Code(r.Method+" /api/v1"+r.Path))
	}
	fact("MCP tool", Code(c.Name()))
	fact("command line", Code("holotype call "+c.Name()))
	for _, a := range c.Aliases() {
		fact("old name", fmt.Sprintf("%s, since %s, until %s", Code(a.Name), Text(a.Since), Text(a.Until)))
	}
	p.table([]string{"", ""}, facts)

	p.f("\n## Hints\n")
	var hints [][]string
	c.HintFacts().Each(func(key string, f capabilities.HintFact) {
		hints = append(hints, []string{Code(key), f.Value.String(), f.From.String()})
	})
	p.table([]string{"hint", "value", "from"}, hints)

	p.f("\n## Arguments\n")
	if rows := keys(c.Input().Raw(), Text); len(rows) > 0 {
		p.table([]string{"field", "type", "description"}, rows)
	} else {
		p.f("\nNone.\n")
	}
	if out := c.Output(); out != nil {
		p.f("\n## Result\n")
		p.table([]string{"field", "type", "description"}, keys(out.Raw(), Text))
	}
	examples(p, c)
	p.f("\n## Refusals\n")
	var codes [][]string
	for _, i := range c.Codes() {
		codes = append(codes, []string{fmt.Sprintf("[%s](../codes/%s.md)", Code(string(i.Code)), i.Code), fmt.Sprint(i.Status), fmt.Sprint(i.Exit), Text(i.Means)})
	}
	p.table([]string{"code", "HTTP", "exit", "means"}, codes)
	p.f("\n## MCP tool\n")
	p.fence("json", pretty(wire.Tool(c)))
	return p.Bytes()
}

func examples(p *page, c *capabilities.Capability) {
	for i, ex := range c.Examples() {
		if i == 0 {
			p.f("\n## Examples\n")
		}
		p.f("\n### %s\n", Text(strings.ToUpper(ex.Name[:1])+ex.Name[1:]))
		if ex.Refuses != "" {
			p.f("\nRefused with [%s](../codes/%s.md).\n", Code(string(ex.Refuses)), ex.Refuses)
		}
		p.fence("sh", fmt.Sprintf("holotype call %s --json %s", c.Name(), shell(ex.In)))
		p.fence("sh", curl(c, ex.In))
	}
}

// curl writes the example as an HTTP request of the owner.
func curl(c *capabilities.Capability, in string) string {
	r := c.Route()
	var fields map[string]json.RawMessage
	_ = json.Unmarshal([]byte(in), &fields) // an example of bad JSON has none
	path := r.Path
	for _, f := range r.Fields {
		var text string
		if json.Unmarshal(fields[f], &text) != nil {
			text = string(fields[f])
		}
		path = strings.ReplaceAll(path, "{"+f+"}", escape(text))
		delete(fields, f)
	}
	url := "http://127.0.0.1:4280/api/v1" + path
	auth := ` -H "Authorization: Bearer $TOKEN"`
	if r.Method == "GET" {
		return "curl -s" + auth + " " + shell(url+query(fields))
	}
	if !json.Valid([]byte(in)) {
		return fmt.Sprintf("curl -s -X %s%s --json %s %s", r.Method, auth, shell(in), shell(url))
	}
	body, err := json.Marshal(fields)
	if err != nil {
		body = []byte(in)
	}
	return fmt.Sprintf("curl -s -X %s%s --json %s %s", r.Method, auth, shell(string(body)), shell(url))
}

// shell quotes a word for a POSIX shell.
func shell(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
