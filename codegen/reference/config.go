package reference

import (
	"fmt"
	"strings"

	"github.com/seed-89b9419b/holotype/internal/config"
	"github.com/seed-89b9419b/holotype/internal/markdown"
)

// configPages answers the page of all keys, and one of each key of the file, on which
// every key below it has a section of its own.
func configPages(program string, schema []byte) map[string][]byte {
	rows := keys(schema, markdown.Cell)
	anchors := keyAnchors(rows)
	p := newPage("Configuration")
	p.Para("One YAML file, named by `--config`, strict: an unknown key is an error that names the line and the nearest known key. " +
		"The JSON Schema beside this page, [config.schema.json](config.schema.json), is what the loader accepts; an editor reads it from")
	p.Fence("yaml", "# yaml-language-server: $schema=config.schema.json")
	p.Para("`--mcp-config FILE` adds the servers of a client's own JSON file (`mcpServers`, or `servers`). Without either, " +
		markdown.Code(program+" serve") + " listens on " + markdown.Code(config.DefaultListen) + " and bridges nothing.")
	for _, part := range parts(rows) {
		p.Section(part.title())
		var cells [][]string
		for _, r := range part.rows {
			name := markdown.CodeCell(clip(lastPart(r.path)))
			cells = append(cells, []string{markdown.Link(name, anchors[r.path]), r.kind, r.text})
		}
		p.Table([]string{"key", "type", "what it does"}, cells)
	}
	pages := map[string][]byte{Folder + "/config.md": p.Bytes()}
	for _, top := range rows {
		if topOf(top.path) == top.path {
			pages[fmt.Sprintf("%s/config/%s.md", Folder, top.path)] = keyPage(top, rows)
		}
	}
	return pages
}

// keyPage writes the page of one key of the file with those below it.
func keyPage(top row, rows []row) []byte {
	p := newPage(markdown.Code(top.path))
	describe := func(r row) {
		if r.text != "" {
			p.Para(uncell(r.text))
		}
		p.Para("Type: " + uncell(r.kind) + ".")
	}
	describe(top)
	p.Para("[All keys](../config.md)")
	for _, r := range rows {
		if r.path != top.path && topOf(r.path) == top.path {
			p.Section(markdown.Code(r.path))
			describe(r)
		}
	}
	return p.Bytes()
}

// uncell takes back what only a cell of a table needs.
func uncell(s string) string { return strings.ReplaceAll(s, `\|`, "|") }

// keyAnchors answers where each key is described, seen from the page of all keys.
func keyAnchors(rows []row) map[string]string {
	all, taken := map[string]string{}, map[string]int{}
	for _, r := range rows {
		top := topOf(r.path)
		page := "config/" + top + ".md"
		at := page + "#" + markdown.Anchor(r.path)
		n := taken[at]
		taken[at]++
		if n > 0 {
			at = fmt.Sprintf("%s-%d", at, n)
		}
		if r.path == top {
			at = page
		}
		all[r.path] = at
	}
	return all
}

// topOf is the key of the file that a key stands below.
func topOf(path string) string {
	if i := strings.IndexAny(path, ".["); i > 0 {
		return path[:i]
	}
	return path
}

// lastPart is what a key is called where it stands.
func lastPart(path string) string { return path[strings.LastIndex(path, ".")+1:] }

// part is a table of the keys that stand below one key.
type part struct {
	parent string // "" is the file itself
	rows   []row
}

func (p part) title() string {
	if p.parent == "" {
		return "The file"
	}
	return markdown.Code(p.parent)
}

// parts groups keys by the key they stand below, in the order of their first.
func parts(rows []row) []part {
	var all []part
	places := map[string]int{}
	for _, r := range rows {
		parent := ""
		if i := strings.LastIndex(r.path, "."); i >= 0 {
			parent = r.path[:i]
		}
		i, known := places[parent]
		if !known {
			i = len(all)
			places[parent] = i
			all = append(all, part{parent: parent})
		}
		all[i].rows = append(all[i].rows, r)
	}
	return all
}
