package reference

import (
	"fmt"
	"strings"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/markdown"
)

// Bridged answers the pages of a registry's bridged tools, and one that lists them by
// their servers, to stand beside [Files]. They are those of a configuration. Without such
// tools there are none.
func Bridged(program string, reg *capabilities.Registry) map[string][]byte {
	files := map[string][]byte{}
	p := newPage("Bridged tools")
	p.Para("The tools of the MCP servers that the configuration bridges, as they were listed when this was generated.")
	byServer := map[string][][]string{}
	var servers []string
	for c := range reg.All() {
		if !c.Bridged() || c.AliasOf() != "" {
			continue
		}
		if byServer[c.Server()] == nil {
			servers = append(servers, c.Server())
		}
		says := c.Summary()
		if says == "" {
			says = c.Title()
		}
		byServer[c.Server()] = append(byServer[c.Server()], []string{linkTo("capabilities/", c.Name()), markdown.CodeCell(c.Tool()), c.Hints().Word(), markdown.Text(strings.Join(strings.Fields(says), " "))})
		files[fmt.Sprintf("%s/capabilities/%s.md", Folder, c.Name())] = Capability(program, c)
	}
	if len(servers) == 0 {
		return nil
	}
	for _, server := range servers {
		p.Section(markdown.Text(server))
		p.Table([]string{"tool", "as the server calls it", "hints assert", "what it says of itself"}, byServer[server])
	}
	files[BridgedPath] = p.Bytes()
	return files
}

// BridgedPath is the page that lists the bridged tools.
const BridgedPath = Folder + "/bridged.md"
