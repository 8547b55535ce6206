package reference

import (
	"strings"

	"github.com/seed-89b9419b/holotype/internal/config"
	"github.com/seed-89b9419b/holotype/internal/markdown"
)

func configPage(program string, schema []byte) []byte {
	p := newPage("Configuration")
	p.Para("One YAML file, named by `--config`, strict: an unknown key is an error that names the line and the nearest known key. " +
		"The JSON Schema beside this page, [config.schema.json](config.schema.json), is what the loader accepts; an editor reads it from")
	p.Fence("yaml", "# yaml-language-server: $schema=config.schema.json")
	p.Para("`--mcp-config FILE` adds the servers of a client's own JSON file (`mcpServers`, or `servers`). Without either, " +
		markdown.Code(program+" serve") + " listens on " + markdown.Code(config.DefaultListen) + " and bridges nothing.")
	for _, part := range parts(keys(schema, markdown.Cell)) {
		p.Section(part.title())
		p.Table([]string{"key", "type", "what it does"}, part.rows)
	}
	return p.Bytes()
}

// part is a table of the keys that stand below one key.
type part struct {
	parent string // "" is the file itself
	rows   [][]string
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
		parent, name := "", r.path
		if i := strings.LastIndex(r.path, "."); i >= 0 {
			parent, name = r.path[:i], r.path[i+1:]
		}
		i, known := places[parent]
		if !known {
			i = len(all)
			places[parent] = i
			all = append(all, part{parent: parent})
		}
		all[i].rows = append(all[i].rows, r.cells(name))
	}
	return all
}
