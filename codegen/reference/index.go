package reference

import (
	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/markdown"
)

func index(program string, reg *capabilities.Registry) []byte {
	p := newPage("Reference")
	p.Para("What " + markdown.Code(program) + " offers, generated from the declarations: it cannot say anything else than the server does.")
	p.Table([]string{"page", "answers"}, [][]string{
		{"[Surfaces](surfaces.md)", "how a refusal, an effect and a hint look over HTTP, over MCP and on the command line"},
		{"[Codes](codes.md)", "what each refusal means and what to do about it"},
		{"[Budget](budget.md)", "what the list of the tools costs a client"},
		{"[Configuration](config.md)", "every key of the configuration file"},
		{"[Events](events.md)", "what each line of the log means and what to do about it"},
		{"[Metrics](metrics.md)", "what is counted, and what each label means"},
	})
	for _, info := range reg.Packs() {
		p.Section(markdown.Link(markdown.Text(info.Title), "packs/"+info.Name+".md"))
		p.Para(markdown.Text(info.Summary))
		p.Table(capabilityHead(), capabilityRows(reg, info.Name, "capabilities/"))
	}
	return p.Bytes()
}

func pack(reg *capabilities.Registry, info capabilities.PackInfo) []byte {
	p := newPage(markdown.Text(info.Title))
	p.Para(markdown.Text(info.Summary))
	p.Para("Scopes: " + markdown.Code(info.Name+":read") + ", " + markdown.Code(info.Name+":write") + ".")
	p.Section("Capabilities")
	p.Table(capabilityHead(), capabilityRows(reg, info.Name, "../capabilities/"))
	var own [][]string
	for _, i := range reg.Codes() {
		if i.Pack == info.Name {
			own = append(own, []string{linkTo("../codes/", string(i.Code)), linkTo("../codes/", string(i.Base)), markdown.Text(i.Means), markdown.Text(i.Remedy)})
		}
	}
	if len(own) > 0 {
		p.Section("Codes")
		p.Table([]string{"code", "base", "means", "the caller should"}, own)
	}
	return p.Bytes()
}

func capabilityHead() []string { return []string{"capability", "what it does", "effect", "HTTP"} }

func capabilityRows(reg *capabilities.Registry, pack, folder string) [][]string {
	var rows [][]string
	for c := range reg.All() {
		if e, ok := c.Effect(); ok && c.Pack() == pack && c.AliasOf() == "" {
			rows = append(rows, []string{
				linkTo(folder, c.Name()), markdown.Text(c.Summary()), markdown.CodeCell(e.String()), markdown.CodeCell(request(c.Route())),
			})
		}
	}
	return rows
}
