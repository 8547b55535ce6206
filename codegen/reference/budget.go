package reference

import (
	"fmt"
	"slices"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/markdown"
	"github.com/seed-89b9419b/holotype/internal/rawjson"
	"github.com/seed-89b9419b/holotype/internal/wire"
)

// cost is what some tools cost in a tools/list.
type cost struct{ tools, bytes, input, output, tokens int }

func (t *cost) add(c *capabilities.Capability) {
	t.tools++
	tool := wire.KeyedTool(c)
	t.bytes += len(tool)
	t.input += len(rawjson.Member(tool, "inputSchema"))
	t.output += len(rawjson.Member(tool, "outputSchema"))
	t.tokens += wire.Tokens(wire.KeyedModelBytes(c))
}

func (t *cost) row(what string) []string {
	return []string{what, fmt.Sprint(t.tools), fmt.Sprint(t.bytes), fmt.Sprint(t.input), fmt.Sprint(t.output), fmt.Sprint(t.tokens)}
}

// dearest is how many tools are named one by one.
const dearest = 10

// budget writes the page of what the list of the builtins costs a client.
func budget(program string, reg *capabilities.Registry) []byte {
	p := newPage("Budget")
	p.Para("What the tools of " + markdown.Code(program) + " cost in the list of an MCP client that may call all of them. Bytes are those of the list, of which the schemas of inputs and outputs are the most. " +
		"Tokens are what a model is usually shown of it, estimated: " + markdown.Text(wire.TokenRule) + ". What the list of one caller costs, bridged tools and all, `describe_projection` answers, and an operator sees it of everybody in the catalogue; " +
		"a client that has no room for it is given four tools in its place, which find, describe and call these.")
	head := func(what string) []string {
		return []string{what, "tools", "bytes", "of input schemas", "of output schemas", "tokens"}
	}
	whole, all := &cost{}, slices.Collect(reg.All())
	var rows [][]string
	for _, info := range reg.Packs() {
		own := &cost{}
		for _, c := range all {
			if c.Pack() == info.Name && !c.Bridged() {
				own.add(c)
				whole.add(c)
			}
		}
		rows = append(rows, own.row(linkTo("packs/", info.Name)))
	}
	p.Table(head("pack"), append(rows, whole.row("all")))
	p.Para("The output schemas of this list have fewer words than those of the pages of the capabilities: " + wire.BriefRule + ".")
	p.Section("The dearest")
	p.Para("The tools with the most tokens.")
	shown := map[*capabilities.Capability]int{}
	for _, c := range all {
		shown[c] = wire.KeyedModelBytes(c)
	}
	slices.SortStableFunc(all, func(a, b *capabilities.Capability) int { return shown[b] - shown[a] })
	rows = nil
	for _, c := range all {
		if c.AliasOf() != "" || c.Bridged() || len(rows) == dearest {
			continue
		}
		one := &cost{}
		one.add(c)
		rows = append(rows, slices.Delete(one.row(linkTo("capabilities/", c.Name())), 1, 2))
	}
	p.Table(slices.Delete(head("tool"), 1, 2), rows)
	return p.Bytes()
}
