package inspect

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/seed-89b9419b/holotype/internal/markdown"
)

// Markdown answers the report as a page for an issue or a pull request. What the
// server wrote stays text in it.
func (r *Report) Markdown() []byte {
	name := r.Server.Name
	if name == "" {
		name = "a server without a name"
	}
	p := markdown.NewPage("what an MCP server shows of itself", markdown.Text(strings.TrimSpace(name+" "+r.Server.Version)))
	rows := make([][]string, 0, 12)
	for _, f := range r.Facts() {
		rows = append(rows, []string{f[0], markdown.Text(f[1])})
	}
	p.Table([]string{"", ""}, rows)
	p.Section("Findings: " + r.Summary())
	for _, g := range r.Groups() {
		p.Part(fmt.Sprintf("%s: %s (%d)", g.Severity, markdown.Code(g.ID), len(g.Findings)))
		p.Para(markdown.Text(g.Means) + ". Breaks: " + markdown.Text(g.Breaks) + ".")
		rows := make([][]string, 0, len(g.Findings))
		for _, f := range g.Findings {
			where := "the server"
			if f.Tool != "" {
				where = markdown.CodeCell(f.Tool)
			}
			pointer := ""
			if f.Pointer != "" {
				pointer = markdown.CodeCell(f.Pointer)
			}
			rows = append(rows, []string{where, pointer, markdown.Text(f.Reason)})
		}
		p.Table([]string{"tool", "at", "what"}, rows)
	}
	p.Section("Tools")
	rows = make([][]string, 0, len(r.Tools))
	for i := range r.Tools {
		t := &r.Tools[i]
		h := t.Hints
		rows = append(rows, []string{
			markdown.CodeCell(t.Name), markdown.CodeCell(t.OfferedAs), h.ReadOnly.Word(), h.Destructive.Word(), h.Idempotent.Word(), h.OpenWorld.Word(),
			string(t.Input), strconv.Itoa(t.Bytes), strconv.Itoa(t.Tokens), strconv.Itoa(len(t.Findings)),
		})
	}
	p.Table([]string{"name", "offered as", "read-only", "destructive", "idempotent", "open-world", "input", "bytes", "~tokens", "findings"}, rows)
	p.Para("Tokens are estimated: " + markdown.Text(TokenRule) + ".")
	return p.Bytes()
}
