package reference

import (
	"bytes"
	"fmt"
	"maps"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/config"
	"github.com/seed-89b9419b/holotype/internal/markdown"
)

// Folder is where [Files] belong in a repository.
const Folder = "docs/reference"

// Files answers the reference of a registry's builtins by path, relative to the
// output folder. Aliases stand on the page of the capability they are an old name
// of. Bridged tools are left out: they belong to a configuration. program is the
// name of the command, as the examples call it.
func Files(program string, reg *capabilities.Registry) (map[string][]byte, error) {
	schema, err := config.Schema()
	if err != nil {
		return nil, err
	}
	about, err := surfaces(reg)
	if err != nil {
		return nil, fmt.Errorf("the page of the surfaces: %w", err)
	}
	files := map[string][]byte{
		Folder + "/README.md":          index(program, reg),
		Folder + "/budget.md":          budget(program, reg),
		Folder + "/codes.md":           codes(reg),
		Folder + "/surfaces.md":        about,
		Folder + "/metrics.md":         metricsPage(),
		Folder + "/config.schema.json": append(bytes.TrimSpace(schema), '\n'),
	}
	maps.Copy(files, configPages(program, schema))
	maps.Copy(files, eventPages())
	for c := range reg.All() {
		if c.AliasOf() == "" && !c.Bridged() {
			files[fmt.Sprintf("%s/capabilities/%s.md", Folder, c.Name())] = Capability(program, c)
		}
	}
	for _, p := range reg.Packs() {
		files[fmt.Sprintf("%s/packs/%s.md", Folder, p.Name)] = pack(reg, p)
	}
	for _, i := range reg.Codes() {
		files[fmt.Sprintf("%s/codes/%s.md", Folder, i.Code)] = code(reg, i)
	}
	return files, nil
}

func newPage(title string) *markdown.Page { return markdown.NewPage(markdown.Marker+".", title) }

// linkTo links a name to its page in a folder.
func linkTo(folder, name string) string {
	return markdown.Link(markdown.CodeCell(name), folder+name+".md")
}
